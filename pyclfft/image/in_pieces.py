"""Filters of single images that are larger than the device's memory.

The transforms go through the device in pieces (`runtime/pieces.py`). The host does what is quick
beside them: it pads the image and multiplies the spectrum by the gains while pieces are read, and
it turns values into pixels, row by row, as pixels.cl does on the device.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from numpy.lib.stride_tricks import as_strided

from ..errors import DeviceMemoryError
from ..planning.precision import COMPLEX_DTYPE, REAL_DTYPE
from ..planning.slabs import ranges
from ..runtime.operation import queue_for
from ..runtime.pieces import Request, Room, transform
from .bands import Band, band_gains, bin_distances
from .filter_plans import FilterJob, grey_step
from .masks import Mask

LUMA = (0.299, 0.587, 0.114)  # the weights of red, green and blue in brightness (ITU-R BT.601)
NOISE = {"single": 2.0**-18, "double": 2.0**-47}  # as in pixels.cl
PAD_MODE: dict[str, dict[str, Any]] = {
    "none": {},
    "zero": {"constant_values": -1},
    "edge": {"mode": "edge"},
    "mirror": {"mode": "symmetric"},
}  # how numpy.pad continues the indices of pixels; -1 is the index of a pixel that is zero
PIXELS_AT_ONCE = 2**20  # which the host turns into results together

Place = tuple[Any, Any]  # what an array of two axes is indexed with: a slice or an int for each


class Computed:
    """An array of two axes whose values are computed as they are read.

    Parameters
    ----------
    shape : (int, int)
        The shape of the array.
    dtype : dtype
        The dtype of the values.
    compute : function
        Takes what the array is indexed with and returns the values there.
    """

    takes_threads = True

    def __init__(
        self, shape: tuple[int, ...], dtype: np.dtype, compute: Callable[[Place], np.ndarray]
    ) -> None:
        self.shape, self.dtype = shape, dtype
        self._compute = compute

    def __getitem__(self, place: Place) -> np.ndarray:
        return self._compute(place)


def filter_one_by_one(
    job: FilterJob, images: np.ndarray, mask: Any, result: np.ndarray, room: Room
) -> None:
    """Filter each image of an array by transforms in pieces.

    Parameters
    ----------
    job : FilterJob
        The job of the filter.
    images, result : ndarray
        The image or the stack of images, and the array that receives the result.
    mask : ndarray or pyopencl.array.Array, optional
        The gains, if the job has a mask.
    room : Room
        The memory that the pieces may take.

    Raises
    ------
    DeviceMemoryError
        The job names an algorithm, or there is no way of cutting the image into pieces that the
        device can hold.
    """
    if job.algorithm is not None:
        raise DeviceMemoryError(
            f"an image does not fit {room.nbytes:,} bytes on {room.traits.name}, and pieces of an "
            f"image have algorithms of their own: leave out algorithm={job.algorithm!r}, or allow "
            "more memory"
        )
    gains = _gains(job, mask)
    given, wanted = _by_image(job, images), _by_image(job, result)
    for index in np.ndindex(given.shape[:-3]):
        colours = given[index][..., :3]
        planes = [_luma(job, colours)] if job.luma else list(np.moveaxis(colours, -1, 0))
        filtered = [_filtered(job, plane, gains, room) for plane in planes]
        store_pixels(job, given[index], planes, filtered, wanted[index])


def _by_image(job: FilterJob, array: np.ndarray) -> np.ndarray:
    """Return an array as a view of the shape (..., rows, columns, values of a pixel)."""
    if job.channel_axis is None:
        return np.moveaxis(array, job.axes, (-2, -1))[..., np.newaxis]
    return np.moveaxis(array, (*job.axes, job.channel_axis), (-3, -2, -1))


def _luma(job: FilterJob, colours: np.ndarray) -> np.ndarray:
    """Return the brightness of each pixel."""
    real = REAL_DTYPE[job.precision]
    red, green, blue = (
        real.type(weight) * colours[..., colour].astype(real) for colour, weight in enumerate(LUMA)
    )
    return red + green + blue


def gains_by_host(band: Band, plane: tuple[int, int]) -> np.ndarray:
    """Return the gains of a band for all bins of a transform, as float32.

    Parameters
    ----------
    band : Band
        The band.
    plane : (int, int)
        The rows and columns of the transform.
    """
    gains = np.empty(plane, np.float32)
    down, across = map(bin_distances, plane)
    for rows in _blocks(plane):
        gains[rows] = band_gains(band, down[rows], across)
    return gains


def _blocks(size: tuple[int, int]) -> tuple[slice, ...]:
    """Return ranges of rows that the host computes together."""
    rows, columns = size
    return ranges(rows, -(-rows * columns // PIXELS_AT_ONCE))


# --- gains ----------------------------------------------------------------------------------------


def _has_half(job: FilterJob) -> bool:
    """Return whether the gains make real images of real images: the half of a spectrum tells all.

    The gains of bands are symmetric, and half a mask is completed so that it is.
    """
    return not isinstance(job.band, Mask) or job.band.half


def _gains(job: FilterJob, mask: Any) -> Callable[[Place], np.ndarray]:
    """Return a function from a place in the spectrum, which may be a half, to the gains there."""
    band = job.band
    if not isinstance(band, Mask):
        down, across = map(bin_distances, job.plane)
        across = across[: job.plane[1] // 2 + 1]
        return lambda place: band_gains(band, down[place[0]], across[place[1]])
    if band.rule is not None:
        return _computed(band, job.plane)
    values = _on_host(mask, band) if isinstance(mask, cl_array.Array) else mask
    dtypes = COMPLEX_DTYPE if band.dtype.kind == "c" else REAL_DTYPE
    known = np.asarray(values, dtypes[job.precision])
    return lambda place: known[place]


def _computed(band: Mask, plane: tuple[int, int]) -> Callable[[Place], np.ndarray]:
    """Return a function from a place in the spectrum to the gains of a rule there."""
    rule, width = band.rule, band.layout.shape[1]
    assert rule is not None
    down, across = np.arange(plane[0]), np.arange(width)

    def gains(place: Place) -> np.ndarray:
        rows, columns = down[place[0]], across[place[1]]
        some = rule.gains(np.atleast_1d(rows), np.atleast_1d(columns), plane)
        return some.reshape(rows.shape + columns.shape)

    return gains


def _on_host(mask: cl_array.Array, band: Mask) -> np.ndarray:
    """Return a copy of a mask on the device, whose elements may lie in any strides."""
    item, layout, buffer = band.dtype.itemsize, band.layout, mask.base_data
    assert isinstance(buffer, cl.Buffer)
    stored = np.empty(buffer.size // item, band.dtype)
    cl.enqueue_copy(queue_for(None, mask), stored, buffer, wait_for=mask.events)
    strides = tuple(item * stride for stride in layout.strides)
    return as_strided(stored[layout.offset :], layout.shape, strides)


# --- one plane ------------------------------------------------------------------------------------


def _filtered(
    job: FilterJob, plane: np.ndarray, gains: Callable[[Place], np.ndarray], room: Room
) -> np.ndarray:
    """Return the filtered values of a plane, in the image's size, complex or real."""
    half = _has_half(job)
    forward = Request(
        "r2c" if half else "c2c", "forward", "backward", (0, 1), job.plane, job.precision
    )
    inverse = replace(forward, kind="c2r" if half else "c2c", direction="inverse")
    spectrum = np.empty(forward.result_shape(job.plane), forward.dtype)
    transform(_padded(job, plane), spectrum, forward, room)
    smooth = _smooth_part(job, plane, forward, room) if job.pad == "periodic" else None

    def passed_at(place: Place) -> np.ndarray:
        if smooth is None:
            return spectrum[place] * gains(place)
        return (spectrum[place] - smooth[place]) * gains(place) + smooth[place] * gains((0, 0))

    passed = Computed(spectrum.shape, spectrum.dtype, passed_at)
    values = np.empty(job.plane, inverse.dtype)
    transform(passed, values, inverse, room)
    rows, columns = (
        slice(begin, begin + extent) for begin, extent in zip(_margins(job), job.size, strict=True)
    )
    return values[rows, columns]


def _smooth_part(job: FilterJob, plane: np.ndarray, forward: Request, room: Room) -> np.ndarray:
    """Return the spectrum of the smooth part of a plane: `smooth_passes` says what that is."""
    edges = np.zeros(job.plane, REAL_DTYPE[job.precision])
    for axis in (0, 1):
        first, last = (_plane_values(job, plane.take(i, axis)).astype(edges.dtype) for i in (0, -1))
        outer = np.moveaxis(edges, axis, 0)
        outer[0] += last - first
        outer[-1] += first - last
    smooth = np.empty(forward.result_shape(job.plane), forward.dtype)
    transform(edges, smooth, forward, room)
    down, across = (np.sin(np.pi * np.arange(n) / n) ** 2 for n in job.plane)
    eigenvalues = -4 * np.add.outer(down, across[: smooth.shape[1]])
    eigenvalues[0, 0] = -np.inf
    smooth /= eigenvalues.astype(edges.dtype)
    return smooth


def _margins(job: FilterJob) -> list[int]:
    """Return how many rows and columns of a transform come before the image."""
    return [(outer - inner) // 2 for outer, inner in zip(job.plane, job.size, strict=True)]


def _padded(job: FilterJob, plane: np.ndarray) -> Any:
    """Return a plane of an image in the middle of what is transformed."""
    dtype = REAL_DTYPE[job.precision] if job.logarithmic else plane.dtype
    if job.plane == job.size:
        return Computed(job.plane, dtype, lambda place: _plane_values(job, plane[place]))
    around = zip(job.plane, job.size, _margins(job), strict=True)
    sides = [_indices(job, *each) for each in around]

    def pixels(place: Place) -> np.ndarray:
        rows, columns = (side[each] for side, each in zip(sides, place, strict=True))
        down, across = rows.reshape(-1, 1), columns.reshape(1, -1)
        values = plane[down, across]
        if job.pad == "zero":
            values[np.broadcast_to((down < 0) | (across < 0), values.shape)] = 0
        return _plane_values(job, values.reshape(rows.shape + columns.shape))

    return Computed(job.plane, dtype, pixels)


def _indices(job: FilterJob, outer: int, inner: int, before: int) -> np.ndarray:
    """Return which row, or which column, of an image stands at each place of a transform."""
    more = (
        (outer - inner) % 2 if job.odd_before else 0
    )  # it lies before place 0, so at the last one
    sides = before + more, outer - inner - before - more
    return np.roll(np.pad(np.arange(inner), sides, **PAD_MODE[job.pad]), -more)


def _plane_values(job: FilterJob, pixels: np.ndarray) -> np.ndarray:
    """Return what a plane holds of some pixels: their brightness, or its logarithm."""
    if not job.logarithmic:
        return pixels
    real = REAL_DTYPE[job.precision]
    return np.log1p(np.maximum(pixels.astype(real), 0) / real.type(grey_step(job)))


# --- pixels ---------------------------------------------------------------------------------------


def store_pixels(
    job: FilterJob,
    image: np.ndarray,
    planes: list[np.ndarray],
    filtered: list[np.ndarray],
    result: np.ndarray,
) -> None:
    """Turn the filtered planes of an image into the pixels of its result, as pixels.cl does.

    Parameters
    ----------
    job : FilterJob
        The job of the filter.
    image, result : ndarray, shape (rows, columns, values)
        The image, and the array that receives the result.
    planes, filtered : list of ndarray, shape (rows, columns)
        The planes before and after the filter: one for each colour, or the brightness.
    """
    blocks = _blocks(job.size)
    low, high = _range(job, planes, filtered, blocks)
    real = REAL_DTYPE[job.precision].type
    top = real(job.maxval)
    colours = min(job.values, 3)
    for rows in blocks:
        for channel in range(colours):
            value = _values(job, filtered[0 if job.luma else channel][rows])
            if high > low:
                value = (value - low) * (top / (high - low))
            elif job.scale in ("max", "stretch"):
                value = np.where(np.isnan(value), value, 0)
            if job.luma:
                value = value + (image[rows, :, channel].astype(real) - planes[0][rows])
            if job.scale != "none":
                value = np.clip(np.rint(value) if result.dtype.kind == "u" else value, 0, top)
            result[rows, :, channel] = value
        result[rows, :, colours:] = image[rows, :, colours:]  # alpha


def _values(job: FilterJob, filtered: np.ndarray) -> np.ndarray:
    """Return the real numbers that filtered values become."""
    if job.logarithmic:
        return np.expm1(filtered.real) * REAL_DTYPE[job.precision].type(grey_step(job))
    return np.abs(filtered) if job.part == "magnitude" else filtered.real


def _range(
    job: FilterJob, planes: list[np.ndarray], filtered: list[np.ndarray], blocks: Sequence[slice]
) -> tuple[Any, Any]:
    """Return the values of an image that become 0 and `maxval`; equal ones if nothing is spread.

    Nothing is spread if the values differ by no more than rounding errors: a flat image stays flat.
    """
    real = REAL_DTYPE[job.precision].type
    if job.scale not in ("max", "stretch"):
        return real(0), real(0)
    least, greatest, brightest = [], [], []
    for rows in blocks:
        for plane, values in zip(planes, filtered, strict=True):
            block = _values(job, values[rows])
            least.append(np.fmin.reduce(block, axis=None))
            greatest.append(np.fmax.reduce(block, axis=None))
            brightest.append(np.abs(plane[rows].astype(real)).max())
    low = np.fmin.reduce(least) if job.scale == "stretch" else real(0)
    high = np.fmax.reduce(greatest)
    return low, high if high - low > NOISE[job.precision] * max(brightest) else low


# --- spectra --------------------------------------------------------------------------------------


def spectrum_in_pieces(
    job: FilterJob, image: np.ndarray, window: Sequence[np.ndarray] | None, room: Room
) -> np.ndarray:
    """Return half the spectrum of an image's brightness, as `rfft2` does.

    Parameters
    ----------
    job : FilterJob
        Where the pixels lie, and how they are padded.
    image : ndarray
        The image.
    window : (ndarray, ndarray), optional
        What the rows, and what the columns of the image are multiplied by.
    room : Room
        The memory that the pieces may take.

    Returns
    -------
    ndarray of complex, shape (rows, columns // 2 + 1)

    Raises
    ------
    DeviceMemoryError
        There is no way of cutting the image into pieces that the device can hold.
    """
    pixels = _by_image(job, image)
    pixels = pixels.reshape(pixels.shape[-3:])
    plane = _luma(job, pixels) if job.luma else pixels[..., 0].astype(REAL_DTYPE[job.precision])
    if window is not None:
        plane = plane * window[0][:, None] * window[1]
    request = Request("r2c", "forward", "backward", (0, 1), job.plane, job.precision)
    spectrum = np.empty(request.result_shape(job.plane), request.dtype)
    transform(_padded(job, plane), spectrum, request, room)
    return spectrum
