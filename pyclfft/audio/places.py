"""Where signals and spectra lie in device arrays, and whether a kernel can take them there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyopencl.array as cl_array

from ..errors import PlanError
from ..planning.problem import Layout, contiguous_strides
from .framing import Framing


class Place(NamedTuple):
    """What a kernel knows of a device array: all but its buffer.

    Attributes
    ----------
    shape : tuple of int
        The shape of the array.
    strides : tuple of int
        The distance between neighbours along each axis, in bytes.
    offset : int
        Where the first element lies in the buffer, in bytes.
    dtype : dtype
        The dtype of the elements.
    """

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    dtype: np.dtype


def in_c_order(shape: tuple[int, ...], dtype: np.dtype) -> Place:
    """Return the place of a new array of a shape and a dtype, in C order."""
    strides = tuple(dtype.itemsize * stride for stride in contiguous_strides(shape))
    return Place(shape, strides, 0, dtype)


def first_and_pitch(place: Place) -> tuple[int, int]:
    """Return where the signals of an array begin, and how far apart they are, in samples.

    Parameters
    ----------
    place : Place
        The place of an array of shape (..., samples).

    Returns
    -------
    tuple of (int, int)
        The number of the first sample in the buffer, and the distance from one signal to the next.

    Raises
    ------
    PlanError
        The samples of a signal, or the signals, do not lie equally far apart.
    """
    item = place.dtype.itemsize
    pitch = _pitch(place.shape[:-1], place.strides[:-1])
    if pitch is None or pitch < 0 or (place.shape[-1] > 1 and place.strides[-1] != item):
        raise PlanError(
            "in a device array, samples must lie one behind the other and signals equally far "
            f"apart, not in strides of {place.strides} bytes: copy the array"
        )
    return place.offset // item, pitch // item


def layout_of(place: Place, framing: Framing) -> Layout:
    """Return where the spectra of an array lie.

    Parameters
    ----------
    place : Place
        The place of an array of shape (..., bins, frames).
    framing : Framing
        The frames that the spectra belong to.

    Returns
    -------
    Layout
        If the array has fewer bins than a transform, the layout is that of an array with all bins:
        a hook leaves the others out.

    Raises
    ------
    PlanError
        The spectra of several signals do not lie equally far apart.
    """
    item = place.dtype.itemsize
    pitch = _pitch(place.shape[:-2], place.strides[:-2])
    if pitch is None:
        raise PlanError(
            "in a device array, the spectra of several signals must lie equally far apart, not in "
            f"strides of {place.strides} bytes: copy the array"
        )
    bins = place.shape[-2]
    if place.dtype.kind == "f" and bins != framing.bins:
        pitch, bins = pitch // bins * framing.bins, framing.bins
    strides = (pitch // item, place.strides[-1] // item, place.strides[-2] // item)
    return Layout((framing.signals, framing.frames, bins), strides, place.offset // item)


def _pitch(shape: Sequence[int], strides: Sequence[int]) -> int | None:
    """Return the distance between neighbours if all dimensions are walked as one, else None."""
    joined: list[tuple[int, int]] = []
    for extent, stride in zip(shape, strides, strict=True):
        if extent == 1:
            continue
        if joined and joined[-1][1] == extent * stride:
            joined[-1] = (joined[-1][0] * extent, stride)
        else:
            joined.append((extent, stride))
    if len(joined) > 1:
        return None
    return joined[0][1] if joined else 0


def require_apart(out: cl_array.Array, given: cl_array.Array) -> None:
    """Refuse an array for the result that a kernel cannot write while it reads the input.

    Parameters
    ----------
    out : pyopencl.array.Array
        The array for the result. If it is empty, it shares no memory.
    given : pyopencl.array.Array
        The array that the kernel reads.

    Raises
    ------
    PlanError
        `out` belongs to another context than the input, or shares memory with it.
    """
    if out.context != given.context:
        raise PlanError(
            "out belongs to another context than the input: make it on the input's queue"
        )
    if not out.size or out.base_data != given.base_data:
        return
    (first, last), (begin, end) = _bytes_of(out), _bytes_of(given)
    if first < end and begin < last:
        raise PlanError("out shares memory with the input: pass another array")


def _bytes_of(array: cl_array.Array) -> tuple[int, int]:
    """Return where a device array begins and ends in its buffer."""
    steps = [(n - 1) * stride for n, stride in zip(array.shape, array.strides, strict=True)]
    first = array.offset + sum(min(step, 0) for step in steps)
    return first, array.offset + sum(max(step, 0) for step in steps) + array.dtype.itemsize
