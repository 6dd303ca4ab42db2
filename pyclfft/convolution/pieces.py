"""Convolutions of host arrays for which the device has no room, in pieces for which it has.

Each input is cut into neighbouring pieces. Every piece of the first input is convolved with every
piece of the second one, and the results are added, each at its place (overlap-add).

References
----------
A. V. Oppenheim, R. W. Schafer, "Discrete-Time Signal Processing", section 8.7, for overlap-add.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..runtime.parts import Part, axes_to_split, in_parts
from .shapes import Dimension, Dimensions

Convolve = Callable[[np.ndarray, np.ndarray, Dimensions], np.ndarray]


class Piece(NamedTuple):
    """What a piece of a convolution takes along one dimension, and where its results belong.

    Attributes
    ----------
    first, second, result : slice
        The places in both inputs and in the result.
    dimension : Dimension
        The dimension of the piece's own convolution.
    """

    first: slice
    second: slice
    result: slice
    dimension: Dimension


def extents_of(dimensions: Dimensions) -> list[int]:
    """Return the extents that are cut: those of both inputs, or that of the batch."""
    return [
        extent
        for each in dimensions
        for extent in ((each.first, each.second) if each.convolved else (each.full,))
    ]


def can_be_cut(dimensions: Dimensions) -> bool:
    """Whether a convolution is more than the product of two numbers."""
    return bool(axes_to_split(extents_of(dimensions), ()))


def in_pieces(
    convolve: Convolve,
    first: np.ndarray,
    second: np.ndarray,
    dimensions: Dimensions,
    result: np.ndarray,
) -> None:
    """Convolve halves of the inputs, or if the device has no room for them, quarters, etc.

    Each time the longest axis of either input is halved.

    Parameters
    ----------
    convolve : function
        Convolves a piece of the first input with a piece of the second one.
    first, second : ndarray
        The inputs.
    dimensions : tuple of Dimension
        The dimensions of the inputs and of the result; `can_be_cut` is true of them.
    result : ndarray
        The array that receives the sum of all pieces.

    Raises
    ------
    DeviceMemoryError
        The device has no room even for single numbers.
    """

    def run(part: Part) -> None:
        if not any(each.start for each in part):  # the first piece, maybe after smaller ones
            result[...] = 0
        pieces = pieces_of(dimensions, part)
        if all(each.dimension.result > 0 for each in pieces):
            one = first[tuple(each.first for each in pieces)]
            other = second[tuple(each.second for each in pieces)]
            place = tuple(each.result for each in pieces)
            result[place] += convolve(one, other, tuple(each.dimension for each in pieces))

    in_parts(run, extents_of(dimensions), ())


def pieces_of(dimensions: Dimensions, part: Part) -> list[Piece]:
    """Return the piece along each dimension, from the slices of what `extents_of` returns."""
    slices = iter(part)
    return [
        _convolved(each, next(slices), next(slices))
        if each.convolved
        else _of_batch(each, next(slices))
        for each in dimensions
    ]


def _convolved(axis: Dimension, first: slice, second: slice) -> Piece:
    """Return the piece of an axis that is convolved; it has no result if none of it is wanted."""
    begin, end, _ = first.indices(axis.first)
    other, last, _ = second.indices(axis.second)
    place = begin + other  # of the piece's full result in the whole one
    low = max(place, axis.start)
    high = min(end + last - 1, axis.start + axis.result)
    dimension = Dimension(end - begin, last - other, low - place, high - low, True)
    return Piece(first, second, slice(low - axis.start, high - axis.start), dimension)


def _of_batch(axis: Dimension, places: slice) -> Piece:
    """Return the piece of a dimension of the batch, along which an input may have one place."""
    begin, end, _ = places.indices(axis.full)
    low, high = max(begin, axis.start), min(end, axis.start + axis.result)
    wanted, whole = slice(low, high), slice(None)
    first, second = wanted if axis.first > 1 else whole, wanted if axis.second > 1 else whole
    count = high - low
    dimension = Dimension(
        min(axis.first, count), min(axis.second, count), 0, count, convolved=False
    )
    return Piece(first, second, slice(low - axis.start, high - axis.start), dimension)
