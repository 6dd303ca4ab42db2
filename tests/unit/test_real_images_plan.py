"""Where the columns of real images and volumes rest between passes, and which groups do them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyclfft.planning.parameters import checked, parameters_for
from pyclfft.planning.problem import make_problem
from pyclfft.planning.schedule import schedule_of
from tests.recorded_traits import RECORDED
from tests.simulator import numbers, stockham_of

H200 = RECORDED["h200"]
SECTOR = 32  # bytes


def schedule(kind, *shape, traits=H200, double=False, **parameters):
    code = {"r2c": "f4", "c2r": "c8", "c2c": "c8"}[kind]
    code = {"f4": "f8", "c8": "c16"}[code] if double else code
    problem = make_problem(shape, code, tuple(range(1, len(shape))), kind)
    chosen = parameters_for(traits).over(checked(parameters), "test")
    return schedule_of(problem, traits, None, chosen)


def targets(found):
    return [each.arguments["dst"].name for each in found.passes]


def first_columns(each):
    """The transforms with which the groups of a pass begin."""
    macros, batch = numbers(each), stockham_of(each)
    groups = each.global_size[0] // each.local_size[0]
    if not macros.get("APART"):
        return [group * macros["TRANSFORMS"] for group in range(groups)]
    across = -(-batch.extents[0] // macros["TRANSFORMS"])
    return [
        group // across * batch.extents[0] + group % across * macros["TRANSFORMS"]
        for group in range(groups)
    ]


def begins(each, itemsize):
    """Where in the target the groups of a pass of images' columns begin, in bytes."""
    batch = stockham_of(each)
    near, far = batch.dst_distances[:2]
    places = (divmod(first, batch.extents[0]) for first in first_columns(each))
    return [itemsize * (image * far + column * near) for image, column in places]


@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize("shape", [(5, 1024, 1024), (3, 720, 1280), (4, 512, 520)])
def test_groups_store_spectra_from_whole_sectors_on(shape, double):
    itemsize = 16 if double else 8
    columns, rows = schedule("c2r", *shape, double=double).passes
    assert all(place % SECTOR == 0 for place in begins(columns, itemsize))
    assert stockham_of(rows).src_distances[0] * itemsize % SECTOR == 0
    counted = schedule("c2r", *shape, double=double, stockham_apart=0).passes[0]
    assert not all(place % SECTOR == 0 for place in begins(counted, itemsize))


def test_every_transform_has_one_group():
    for shape in ((5, 1024, 1024), (3, 48, 33)):
        (each, *_) = schedule("c2r", *shape, stockham_apart=1).passes
        macros, batch = numbers(each), stockham_of(each)
        done = []
        for first in first_columns(each):
            end = (first // batch.extents[0] + 1) * batch.extents[0]
            done += range(first, min(first + macros["TRANSFORMS"], end))
        assert done == list(range(batch.count))


@pytest.mark.parametrize(
    ("row", "pitch"),
    # Lines of 128 bytes, or less where these would add more than a 16th; 512 columns fill lines.
    [(1024, 528), (1022, 512), (512, 272), (256, 136), (128, 68), (30, 16), (18, 10)],
)
def test_pitch_of_spectra(row, pitch):
    found = schedule("c2r", 3, 64, row, algorithm="stockham")  # short rows fit one launch
    assert stockham_of(found.passes[1]).src_distances[0] == pitch
    assert dict(found.workspace)["a"] == 8 * ((3 * 64 - 1) * pitch + row // 2 + 1)


def test_pitch_that_a_caller_asks_for():
    for kind, at in (("r2c", 0), ("c2r", 1)):
        for nbytes, pitch in ((0, 513), (32, 516), (64, 520), (256, 544)):
            each = schedule(kind, 3, 64, 1024, pitch_bytes=nbytes).passes[at]
            distances = (
                stockham_of(each).dst_distances if at == 0 else stockham_of(each).src_distances
            )
            assert distances[0] == pitch


def test_short_runs_within_sectors_stay_in_place():
    assert targets(schedule("r2c", 64, 1024, 1024)) == ["out", "out"]  # 513 columns
    assert targets(schedule("r2c", 64, 1024, 1022)) == ["a", "out"]  # 512
    assert targets(schedule("c2c", 64, 1024, 1024, fused=0)) == ["a", "out"]
    assert targets(schedule("r2c", 64, 1024, 1024, stockham_in_place=0)) == ["a", "out"]
    assert targets(schedule("c2c", 64, 1024, 1024, stockham_in_place=1, fused=0)) == ["out", "out"]


def test_volumes_have_no_gaps_and_begin_with_the_first_axis():
    first, second, _ = schedule("c2r", 32, 128, 128, 128, fused=0).passes
    assert (stockham_of(first).extents[0], stockham_of(second).extents[0]) == (65 * 128, 65)
    first, second, _ = schedule("c2r", 32, 128, 128, 128, upwards=0, fused=0).passes
    assert (stockham_of(first).extents[0], stockham_of(second).extents[0]) == (65, 65 * 128)


def test_groups_that_would_idle_are_not_set_apart():
    for shape, traits, apart in (
        ((4, 1024, 1024), H200, True),
        ((4, 64, 126), H200, False),  # 64 columns fill groups
        ((4, 64, 128), H200, False),  # 65 columns, 32 of them a group
        ((1, 1024, 1024), H200, False),  # one image
        ((4, 1024, 1024), replace(H200, is_cpu=True, lanes=1), False),
    ):
        each = schedule("c2r", *shape, traits=traits).passes[0]
        assert ("APART" in dict(each.defines)) == apart
