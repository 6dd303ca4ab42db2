"""Transforms of chunked dask arrays: each chunk on the device of the worker that holds it.

The functions have the names and the arguments of pyclfft's own. They take a `dask.array.Array` and
return one; nothing is computed before Dask is asked for the result.

A chunk must hold whole what it transforms. Where an array is cut along an axis to transform, Dask
has to move elements between chunks. That may cost more than the transforms do, so that a caller has
to permit it by ``rechunk=True``. Several axes are then transformed in steps (`planning.slabs`),
whose chunks are about as large as the largest chunk of the input.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import transforms
from ..advice import pip_install
from ..errors import PlanError
from ..planning.problem import lengths_and_axes
from ..planning.slabs import Step, steps

if TYPE_CHECKING:
    from dask.array import Array

FOURIER = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
TRIGONOMETRIC = ("dct", "idct", "dst", "idst")
# A real transform of several axes halves the spectrum of the last one. Other steps transform
# complex numbers.
COMPLEX = {"rfftn": "fftn", "irfftn": "ifftn"}
FIXED = ("overwrite_x", "workers")  # arguments that say nothing about chunks


def _chunked(function: Callable[..., Any]) -> Callable[..., Array]:
    """Return the function that transforms dask arrays as `function` transforms NumPy's."""
    name = function.__name__
    signature = inspect.signature(function)

    @functools.wraps(function)
    def chunked(x: Array, *arguments: Any, rechunk: bool = False, **options: Any) -> Array:
        given = signature.bind(x, *arguments, **options).arguments
        _require_chunks(given.pop("x"), name)
        if given.pop("plan", None) is not None:
            raise TypeError("the chunks of a dask array are planned one by one: leave plan= out")
        for each in FIXED:
            given.pop(each, None)
        axes, lengths = _axes_and_lengths(x, name, given)
        several = name.replace("2", "n")
        try:
            return _in_steps(x, several, axes, lengths, given, rechunk)
        except PlanError as error:
            raise type(error)(f"{name}: {error}") from None

    chunked.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[
            *(each for each in signature.parameters.values() if each.name not in ("plan", *FIXED)),
            inspect.Parameter("rechunk", inspect.Parameter.KEYWORD_ONLY, default=False),
        ]
    )
    chunked.__doc__ = DOCUMENTATION.format(name=name)
    return chunked


DOCUMENTATION = """Transform a dask array as `pyclfft.{name}` transforms a NumPy array.

Parameters
----------
x : dask.array.Array
    The input.
rechunk : bool
    Whether Dask may cut the array into other chunks where it is cut along an axis to transform.

Returns
-------
dask.array.Array
    The transform, which is computed when Dask is asked for it.

Raises
------
PlanError
    The array is cut along an axis to transform, and `rechunk` does not permit to join its chunks;
    or the arguments contradict each other.
TypeError
    `x` is no dask array.

See Also
--------
pyclfft.{name} : The other arguments, and the transform.
"""


def _require_chunks(x: Any, name: str) -> None:
    try:
        from dask.array import Array
    except ImportError as error:
        raise ImportError(f"chunked transforms need Dask: {pip_install('chunks')}") from error
    if not isinstance(x, Array):
        raise TypeError(
            f"x must be a dask array, not {type(x).__name__}: call pyclfft.{name}, or cut the "
            "array into chunks by dask.array.from_array(x, chunks=...)"
        )


def _axes_and_lengths(
    x: Array, name: str, given: dict[str, Any]
) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    """Take the axes, and the lengths along them, out of a call's arguments."""
    if name in FOURIER + TRIGONOMETRIC:
        axes: Any = (given.pop("axis", -1),)
        length = given.pop("n", None)
        lengths = None if length is None else (length,)
    else:
        lengths = given.pop("s", None)
        axes = given.pop("axes", (-2, -1) if name.endswith("2") else None)
    complete, axes = lengths_and_axes(x.shape, lengths, axes)
    return axes, None if lengths is None else complete


def _in_steps(
    x: Array,
    name: str,
    axes: tuple[int, ...],
    lengths: tuple[int, ...] | None,
    options: dict[str, Any],
    rechunk: bool,
) -> Array:
    """Transform along all axes; every step's chunks hold whole what it transforms."""
    wanted = dict(zip(axes, lengths or (), strict=False))
    joined = tuple(axis for axis in axes if x.numblocks[axis] > 1)
    if not joined:
        return _step(x, name, axes, wanted, options)
    if not rechunk:
        raise PlanError(
            f"the array is cut along axis {joined[0]}, which is to be transformed: permit to move "
            "its elements between chunks by rechunk=True"
        )
    nbytes = prod(map(max, x.chunks)) * x.dtype.itemsize  # of the largest chunk
    planned = _planned(x, name, axes)
    halved = len(planned) - 1 if name == "irfftn" else 0  # the step of the halved axis
    for number, step in enumerate(planned):
        x = x.rechunk(_chunks(step), block_size_limit=nbytes)
        function = name if number == halved else COMPLEX.get(name, name)
        x = _step(x, function, step.axes, wanted, options)
    return x


def _planned(x: Array, name: str, axes: tuple[int, ...]) -> tuple[Step, ...]:
    """Plan the steps; the first one transforms what no chunk is cut along, where it may choose."""
    order = axes
    if name not in COMPLEX:
        order = tuple(sorted(axes, key=lambda axis: x.numblocks[axis] == 1))
    try:
        planned = steps(x.shape, order)
    except ValueError:  # there is no other axis to cut: one chunk has everything
        planned = (Step(axes, ()),)
    return planned[::-1] if name == "irfftn" else planned


def _chunks(step: Step) -> dict[int, Any]:
    return {**dict.fromkeys(step.axes, -1), **dict.fromkeys(step.cut, "auto")}


def _step(
    x: Array,
    name: str,
    axes: tuple[int, ...],
    wanted: dict[int, int],
    options: dict[str, Any],
) -> Array:
    """Transform every chunk along axes that it holds whole."""
    from dask.array.fft import fft_wrap

    function = getattr(transforms, name)
    lengths = tuple(wanted.get(axis, x.shape[axis]) for axis in axes)
    if name.rstrip("n") in TRIGONOMETRIC:
        chunks = list(x.chunks)
        for axis, length in zip(axes, lengths, strict=True):
            chunks[axis] = (length,)
        place = {"s": lengths, "axes": axes} if name.endswith("n") else {
            "n": lengths[0], "axis": axes[0]
        }  # fmt: skip
        dtype = function(np.ones(8, x.dtype)).dtype
        return x.map_blocks(function, **place, **options, dtype=dtype, chunks=tuple(chunks))
    transform = fft_wrap(function)
    if name in FOURIER:
        return transform(x, wanted.get(axes[0]), axes[0], options.get("norm"))
    if name == "irfftn" and axes[-1] not in wanted:  # its result is nearly twice as long
        lengths = (*lengths[:-1], 2 * (x.shape[axes[-1]] - 1))
    return transform(x, lengths, axes, options.get("norm"))


fft = _chunked(transforms.fft)
ifft = _chunked(transforms.ifft)
rfft = _chunked(transforms.rfft)
irfft = _chunked(transforms.irfft)
hfft = _chunked(transforms.hfft)
ihfft = _chunked(transforms.ihfft)
fft2 = _chunked(transforms.fft2)
ifft2 = _chunked(transforms.ifft2)
rfft2 = _chunked(transforms.rfft2)
irfft2 = _chunked(transforms.irfft2)
fftn = _chunked(transforms.fftn)
ifftn = _chunked(transforms.ifftn)
rfftn = _chunked(transforms.rfftn)
irfftn = _chunked(transforms.irfftn)
dct = _chunked(transforms.dct)
idct = _chunked(transforms.idct)
dst = _chunked(transforms.dst)
idst = _chunked(transforms.idst)
dctn = _chunked(transforms.dctn)
idctn = _chunked(transforms.idctn)
dstn = _chunked(transforms.dstn)
idstn = _chunked(transforms.idstn)
