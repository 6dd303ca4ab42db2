"""Operations in parts: every place once, the axes that may be split, and ever smaller parts."""

from __future__ import annotations

import numpy as np
import pytest

from pyclfft.errors import DeviceMemoryError
from pyclfft.runtime.parts import axes_to_split, in_parts


def run_in_parts(shape, whole, room):
    """Run parts of at most `room` places; return how often each place was in one, and the sizes."""
    places, sizes = np.zeros(shape, int), []

    def run(part):
        size = places[part].size
        if size > room:
            raise DeviceMemoryError(f"no room for {size}")
        assert all(part[axis] == slice(None) for axis in whole)
        places[part] += 1
        sizes.append(size)

    in_parts(run, shape, whole)
    return places, sizes


@pytest.mark.parametrize(
    ("shape", "whole", "room", "count"),
    [
        ((10, 8), {1}, 40, 2),
        ((10, 8), {1}, 39, 4),  # 3, 3, 3 and 1 rows
        ((8, 10), {0}, 8, 10),
        ((4, 3, 7), {2}, 7, 12),  # along two axes
        ((4, 3, 7), {2}, 14, 8),  # of 1 x 2 rows or 1 x 1
        ((1, 5, 1), (), 1, 5),
        ((9,), (), 3, 3),
    ],
)
def test_every_place_is_in_one_part(shape, whole, room, count):
    places, sizes = run_in_parts(shape, whole, room)
    assert (places == 1).all()
    assert max(sizes) <= room
    assert len(sizes) == count


def test_where_even_one_place_is_too_much():
    with pytest.raises(DeviceMemoryError, match="no room for 7"):
        run_in_parts((4, 3, 7), {2}, 6)


def test_parts_that_ran_before_one_failed_run_again():
    """A device may run out of memory at any part; smaller parts then replace all of them."""
    sizes = []

    def run(part):
        sizes.append(len(range(16)[part[0]]))
        if len(sizes) == 2:
            raise DeviceMemoryError("full")

    in_parts(run, (16, 2), {1})
    assert sizes == [8, 8, 4, 4, 4, 4]


def test_axes_to_split():
    assert axes_to_split((4, 1, 3, 7), {3}) == [0, 2]
    assert axes_to_split((1, 9), {1}) == []
