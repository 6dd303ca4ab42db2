"""What image filters are asked for, checked and made exact without touching a device."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pyopencl.array as cl_array

from ..errors import PlanError
from ..planning.factor import next_fast_len, next_power_of_two
from ..planning.parameters import Values, as_key
from ..planning.precision import COMPLEX_DTYPE, REAL_DTYPE
from ..planning.problem import Layout, choose, plain_layout
from ..planning.solvers import BY_NAME
from ..transforms.call import on_host
from .bands import Band, Cutoff
from .filter_plans import (
    CHANNELS,
    PADS,
    PARTS,
    PIXELS,
    SCALES,
    UNPADDED,
    FilterJob,
    image_axes,
    usual_part,
    usual_scale,
)
from .kinds import imagej_square, make_rule
from .masks import Mask, make_mask, mask_of_rule

# The values of options that describe the default kind: beside a mask they say nothing.
USUAL = {"unit": "bin", "shape": "ideal"}

MAX_BANDS = 128  # bands and masks that are kept for the next call

IMAGEJS = ("imagej", "mirror")  # the kind and the padding of ImageJ's command, which go together


def filter_job(
    image: Any,
    kind: str | None = None,
    cutoff: Cutoff = None,
    *,
    mask: Any = None,
    axes: tuple[int, int] | None = None,
    unit: str | None = None,
    shape: str | None = None,
    order: float | None = None,
    sigma: float | Sequence[float] | None = None,
    pad: str = "none",
    keep_dc: bool = False,
    channels: str = "each",
    scale: str | None = None,
    part: str | None = None,
    maxval: float | None = None,
    algorithm: str | None = None,
    parameters: Values | None = None,
    **options: Any,
) -> FilterJob:
    """Check what `filter_image` is asked for, without touching a device.

    Parameters
    ----------
    image : ndarray or pyopencl.array.Array
        The image, as `image_array` returns it.
    mask : ndarray or pyopencl.array.Array, optional
        The mask, as `mask_array` returns it.
    kind, cutoff, axes, unit, shape, order, sigma, pad, keep_dc, channels, scale, part, maxval
        The parameters of `filter_image`.
    algorithm, **options
        Further parameters of `filter_image`.
    parameters : mapping, optional
        Values of parameters of the kernels, as for `Plan`.

    Returns
    -------
    FilterJob

    Raises
    ------
    PlanError
        As `filter_image` raises it.
    """
    described = {
        "cutoff": cutoff, "unit": unit, "shape": shape, "order": order, "sigma": sigma,
        "keep_dc": keep_dc or None, **options,
    }  # fmt: skip
    if mask is not None:
        _refuse_beside_a_mask({"kind": kind, **described})
    elif kind is None:
        kind = "highpass"
    elif not isinstance(kind, str):
        raise PlanError("kind is one of the names of filters: pass gains of your own as mask=")
    choose("pad", pad, PADS)
    choose("channels", channels, CHANNELS)
    shown = checked_values(image.dtype, kind, keep_dc, scale, part, maxval)
    chosen = image_axes(image.shape, axes)
    size = (image.shape[chosen[0]], image.shape[chosen[1]])
    plane = transform_size(image.shape, axes, pad, algorithm, kind)
    band: Band | Mask
    if mask is not None:
        plane = mask_size(mask.shape, image.shape, axes, pad, algorithm)
        band = make_mask(layout_of(mask), mask.dtype, plane)
    else:
        assert kind is not None
        band = _band(size, plane, kind, described, REAL_DTYPE[PIXELS[image.dtype].precision])
    job = FilterJob(
        source=layout_of(image),
        target=plain_layout(image.shape),
        dtype=image.dtype,
        axes=chosen,
        plane=plane,
        band=band,
        pad=pad,
        channels=channels,
        algorithm=algorithm,
        given=as_key(parameters),
        odd_before=pad == IMAGEJS[1] and plane == imagej_square(size),
        **shown,
    )
    _require_possible(job)
    return job


def checked_values(
    dtype: np.dtype,
    kind: str | None,
    keep_dc: bool,
    scale: str | None,
    part: str | None,
    maxval: float | None,
    elements: str = "pixels",
) -> dict[str, Any]:
    """Check how filtered values become those of a result, for images and for volumes.

    Parameters
    ----------
    dtype : dtype
        The dtype of what is filtered, a key of `PIXELS`.
    kind, keep_dc, scale, part, maxval
        The parameters of `filter_image`.
    elements : str
        What is filtered consists of these, for errors.

    Returns
    -------
    dict
        The fields `scale`, `part` and `maxval` of `FilterJob`.

    Raises
    ------
    PlanError
        The scale or the part is unknown, or the dtype cannot hold `maxval`.
    """
    scale = usual_scale(dtype, kind, keep_dc) if scale is None else scale
    part = usual_part(kind, keep_dc) if part is None else part
    choose("scale", scale, SCALES)
    choose("part", part, PARTS)
    pixels = PIXELS[dtype]
    limit = pixels.white or float(np.finfo(REAL_DTYPE[pixels.precision]).max)
    if maxval is not None and not 0 < maxval <= limit:
        raise PlanError(
            f"maxval {maxval} does not fit {dtype} {elements}: give a number above 0 and up to "
            f"{limit:g}"
        )
    maxval = (pixels.white or 1) if maxval is None else maxval
    return {"scale": scale, "part": part, "maxval": maxval}


def _band(
    size: tuple[int, int],
    plane: tuple[int, int],
    kind: str,
    described: Mapping[str, Any],
    dtype: np.dtype,
) -> Band | Mask:
    """Return what a kind does to a spectrum: a band, or the mask of a rule.

    The last ones are kept, because exact fractions take longer than a launch. Their keys hold the
    digits of all numbers, too: 0.1 in single precision equals 0.10000000149011612, but means one
    tenth.
    """
    given = tuple((name, each, repr(each)) for name, each in described.items() if each is not None)
    try:
        return _kept_band(size, plane, kind, given, dtype)
    except TypeError:  # an option has no hash, as a list of points has none
        return _make_band(size, plane, kind, given, dtype)


def _make_band(
    size: tuple[int, int],
    plane: tuple[int, int],
    kind: str,
    given: tuple[tuple[str, Any, str], ...],
    dtype: np.dtype,
) -> Band | Mask:
    rule = make_rule(size, plane, kind, {name: value for name, value, _ in given})
    return rule if isinstance(rule, Band) else mask_of_rule(rule, dtype, plane)


_kept_band = lru_cache(MAX_BANDS)(_make_band)


def _require_possible(job: FilterJob) -> None:
    """Refuse options that contradict each other."""
    if job.logarithmic and job.part != "real":
        raise PlanError(
            'a homomorphic filter makes pictures, which are real: leave out part="magnitude"'
        )
    if job.pad == "periodic" and not job.is_real:
        raise PlanError(
            'pad="periodic" is for real images: leave out algorithm, and part="magnitude" beside a '
            "mask of the whole spectrum"
        )


def _refuse_beside_a_mask(described: dict[str, Any]) -> None:
    """Refuse a kind, or an option of a kind, beside a mask, which takes its place."""
    given = [
        name
        for name, value in described.items()
        if value is not None and not (name in USUAL and value == USUAL[name])
    ]
    if given:
        raise PlanError(
            f"mask= takes the place of a kind and its options: leave out {', '.join(given)}, or "
            "multiply the mask by filter_mask(...) and pass the product"
        )


# --- sizes of transforms --------------------------------------------------------------------------


def transform_size(
    shape: tuple[int, ...],
    axes: tuple[int, int] | None,
    pad: str = "none",
    algorithm: str | None = None,
    kind: str | None = None,
) -> tuple[int, int]:
    """Return the rows and columns of the transform of an image of an array of some shape."""
    choose("pad", pad, PADS)
    rows, columns = image_axes(shape, axes)
    size = (shape[rows], shape[columns])
    return size if pad in UNPADDED else padded_size(size, algorithm, kind, pad)


def padded_size(
    size: tuple[int, int],
    algorithm: str | None = None,
    kind: str | None = None,
    pad: str | None = None,
) -> tuple[int, int]:
    """Return the rows and columns of a padded image, both at least half as long again.

    They are fast lengths: smooth ones, or powers of two if the algorithm takes no other lengths.
    The kind "imagej" with `pad` "mirror" has ImageJ's square.
    """
    if (kind, pad) == IMAGEJS:
        return imagej_square(size)
    solver = BY_NAME.get(algorithm or "")
    fast = next_power_of_two if solver and solver.powers_of_two else next_fast_len
    rows, columns = (padded_length(n, fast) for n in size)
    return rows, columns


def padded_length(length: int, fast: Callable[[int], int] = next_fast_len) -> int:
    """Return the next fast length that is at least half as long again."""
    return fast(length + (length + 1) // 2)


def mask_size(
    mask: tuple[int, ...],
    shape: tuple[int, ...],
    axes: tuple[int, int] | None,
    pad: str = "none",
    algorithm: str | None = None,
) -> tuple[int, int]:
    """Return the rows and columns of the transform that a mask of some shape is for.

    They are those of ImageJ's square if the mask, or the half of a spectrum, has only this shape.
    """
    sizes = [transform_size(shape, axes, pad, algorithm, kind) for kind in (None, IMAGEJS[0])]
    fitting = (size for size in sizes if mask in (size, (size[0], size[1] // 2 + 1)))
    return next(fitting, sizes[0])


# --- arrays ---------------------------------------------------------------------------------------


def image_array(image: Any) -> Any:
    """Return an image as an array of a dtype that the kernels read.

    Parameters
    ----------
    image : array_like or pyopencl.array.Array
        The parameter of `filter_image`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        The image, converted if it has to be; its dtype is a key of `PIXELS`.

    Raises
    ------
    PlanError
        The pixels are no real numbers of at most 64 bits.
    """
    array = image if isinstance(image, cl_array.Array | np.ndarray) else on_host(image)
    dtype = array.dtype.newbyteorder("=")
    if dtype.kind == "c":
        raise PlanError(
            f"an image has real pixels, not {dtype}: filter its real and its imaginary part, or "
            "multiply its fft2 by filter_mask"
        )
    if dtype not in PIXELS:
        raise PlanError(
            f"an image's pixels cannot be {dtype}: convert it, for example with "
            'image.astype("float32")'
        )
    return array if dtype == array.dtype else array.astype(dtype)


def mask_array(mask: Any, precision: str) -> Any:
    """Return gains as an array of a dtype that the kernels read.

    Parameters
    ----------
    mask : array_like or pyopencl.array.Array
        The parameter of `filter_image`.
    precision : {"single", "double"}
        The precision of the transforms.

    Returns
    -------
    ndarray or pyopencl.array.Array
        A device array as it is; an array of the host contiguous and in this precision.

    Raises
    ------
    PlanError
        The gains are no finite numbers.
    """
    if isinstance(mask, cl_array.Array):
        return mask
    array = on_host(mask)
    if array.dtype.kind not in "biufc":
        raise PlanError(f"mask holds gains, which are numbers, not {array.dtype}")
    if not np.isfinite(array).all():
        raise PlanError("mask holds NaN or infinity: give these bins a gain first")
    dtypes = COMPLEX_DTYPE if array.dtype.kind == "c" else REAL_DTYPE
    return np.asarray(array, dtypes[precision], order="C")


def layout_of(array: Any) -> Layout:
    """Return where an array's elements lie; a NumPy array is read from a contiguous copy."""
    if not isinstance(array, cl_array.Array):
        return plain_layout(array.shape)
    item = array.dtype.itemsize
    if any(number % item for number in (array.offset, *array.strides)):
        raise PlanError(
            f"elements of a device array lie at multiples of their {item} bytes, not at offset "
            f"{array.offset} in strides of {array.strides}: copy the array"
        )
    strides = tuple(stride // item for stride in array.strides)
    return Layout(tuple(array.shape), strides, array.offset // item)


def require_finite(array: np.ndarray, what: str = "image", elements: str = "pixels") -> None:
    """Refuse what holds NaN or infinity, because all values of its filtered result would be NaN."""
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise PlanError(f"the {what} holds NaN or infinity: give these {elements} a value first")
