"""Operations in parts, on arrays for which a device has no room all at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import product

from ..errors import DeviceMemoryError

Part = tuple[slice, ...]  # the places of a part along each axis of an array


def axes_to_split(extents: Sequence[int], whole: Collection[int]) -> list[int]:
    """Return the axes that can be split: those with two places or more that are not in `whole`."""
    return [axis for axis, places in enumerate(extents) if places > 1 and axis not in whole]


def in_parts(run: Callable[[Part], object], shape: Sequence[int], whole: Collection[int]) -> None:
    """Run an operation on the halves of an array; if the device has no room, on quarters, etc.

    Each time the longest axis of a part is halved. So if one axis is too short, several are split.

    Call this function after the ``except`` block in which the operation has failed on the whole
    array, not within the block: there the error still refers to the memory that is to be freed.

    Parameters
    ----------
    run : function
        Runs the operation on a part: a tuple with a slice for each axis. For an axis that stays
        whole it is ``slice(None)``, because the result may have another length there.
    shape : sequence of int
        The shape of the array, which has an axis to split.
    whole : collection of int
        The axes that have to stay whole, counted from 0.

    Raises
    ------
    DeviceMemoryError
        The device has no room even for parts that cannot be split further.
    """
    extents = list(shape)
    while True:
        longest = max(axes_to_split(extents, whole), key=lambda axis: extents[axis])
        extents[longest] = -(-extents[longest] // 2)
        try:
            for part in _parts(shape, extents):
                run(part)
            return
        except DeviceMemoryError:
            if not axes_to_split(extents, whole):
                raise


def _parts(shape: Sequence[int], extents: Sequence[int]) -> Iterator[Part]:
    """Yield the parts of an array, none of which is larger than `extents`."""
    return product(*(_slices(places, most) for places, most in zip(shape, extents, strict=True)))


def _slices(places: int, most: int) -> list[slice]:
    if places == most:
        return [slice(None)]
    return [slice(begin, begin + most) for begin in range(0, places, most)]
