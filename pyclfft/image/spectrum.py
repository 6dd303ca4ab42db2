"""The spectrum of an image: magnitudes over frequencies, their radial profile, and their peaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import DeviceMemoryError, PlanError
from ..planning.hooks import Hooks, Parameter, Snippet
from ..planning.parameters import Parameters
from ..planning.passes import Schedule, assign_buffers
from ..planning.planner import plan_passes
from ..planning.precision import REAL_DTYPE
from ..planning.problem import choose
from ..planning.slabs import ranges
from ..planning.tables import Table
from ..planning.traits import Traits
from ..runtime import describe, memory, wisdom
from ..runtime.cache import BoundedCache, registered
from ..runtime.executable import Executable
from ..runtime.limit import max_device_bytes
from ..runtime.operation import new_like, queue_for, run
from ..runtime.pieces import room_of
from .filter_plans import PADS_OF_LOADS, FilterJob, pixel_preamble, places, real_problems
from .in_pieces import spectrum_in_pieces
from .jobs import filter_job, image_array, require_finite
from .peaks import Peak, find_peaks

WINDOWS = (None, "hann")
FLOOR = 200.0  # decibels below the greatest magnitude, to which all that is less is raised
BINS_AT_ONCE = 2**20  # whose radii the host computes together


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The spectrum of an image.

    Attributes
    ----------
    magnitude : ndarray or pyopencl.array.Array of float, shape (rows, columns)
        The magnitudes of the transform of the image's brightness, with DC in the middle. They are
        on the device if the image was there.
    fy, fx : ndarray of float64, shapes (rows,) and (columns,)
        The frequencies of the rows and of the columns, in cycles a pixel, from -1/2 up.
    radii, profile : ndarray of float64, shape (points,)
        The radial profile: the mean magnitude of all bins around each radius, from 0 to 1/2 cycle a
        pixel.
    peaks : tuple of Peak
        What stands out of the spectrum, the most prominent first; see `find_peaks`.

    See Also
    --------
    spectrum : Compute the spectrum of an image.
    """

    magnitude: Any
    fy: np.ndarray
    fx: np.ndarray
    radii: np.ndarray
    profile: np.ndarray
    peaks: tuple[Peak, ...]

    @property
    def decibels(self) -> np.ndarray:
        """The logarithm of the magnitudes, in dB below the greatest one: -200 at least, 0 at most.

        It is computed on the host.
        """
        magnitude = _on_host(self.magnitude)
        greatest = magnitude.max()
        if not greatest > 0:
            return np.full_like(magnitude, -FLOOR)
        with np.errstate(divide="ignore"):
            return np.maximum(20 * np.log10(magnitude / greatest), -FLOOR)


def spectrum(
    image: Any,
    *,
    window: str | None = None,
    pad: str = "none",
    queue: cl.CommandQueue | None = None,
) -> Spectrum:
    """Return the spectrum of an image: magnitudes, their radial profile, and their peaks.

    Parameters
    ----------
    image : array_like or pyopencl.array.Array
        Real numbers of any dtype, of shape (height, width), (height, width, 1), (height, width, 3),
        or (height, width, 4) with alpha, which is left out. The brightness (ITU-R BT.601) of a
        colour image is transformed.
    window : {None, "hann"}
        The window by which the image is multiplied. "hann" lets the image fade to black towards its
        edges. Without it, edges that do not match those opposite draw a bright cross into the
        spectrum, and a wave leaks into all bins of its row and its column.
    pad : {"none", "zero", "edge", "mirror"}
        What surrounds the image while it is transformed, as for `filter_image`. Unless it is
        "none", the spectrum has more bins than the image has pixels, and they lie closer.
    queue : cl.CommandQueue, optional
        The queue to run on. The default is the queue of a device array, or `default_queue`.

    Returns
    -------
    Spectrum
        With the attributes `magnitude`, `fy`, `fx`, `radii`, `profile`, `peaks` and `decibels`. The
        magnitudes of a device array are a device array; only for the profile and the peaks they are
        copied to the host, once.

    Raises
    ------
    PlanError
        A ValueError: the array is no image, its pixels are NaN or infinite, or an option makes no
        sense.
    DeviceError
        The dtype needs double precision, and the device has none.
    DeviceMemoryError
        A MemoryError: an image on the device leaves no room for its transform. Images of the host
        that are larger than the device are transformed in pieces.

    See Also
    --------
    filter_image : Filter an image by its frequencies.

    Notes
    -----
    The transform has single precision for uint8, uint16, float16 and float32, and double precision
    for all other dtypes. `magnitude` is what ``abs(fftshift(fft2(brightness * window)))`` gives.

    Examples
    --------
    Vertical stripes, 8 pixels apart:

    >>> import numpy as np, pyclfft
    >>> stripes = np.tile(100 + 50 * np.sin(2 * np.pi * np.arange(64) / 8), (48, 1))
    >>> found = pyclfft.spectrum(stripes.astype("float32"))
    >>> found.magnitude.shape, float(found.fx[0])
    ((48, 64), -0.5)
    >>> [(round(peak.period, 3), round(peak.angle, 3)) for peak in found.peaks]
    [(8.0, 0.0)]
    """
    magnitude = magnitudes(image, window=window, pad=pad, queue=queue)
    known = _on_host(magnitude)
    if not np.isfinite(known).all():
        raise PlanError("the image holds NaN or infinity: give these pixels a value first")
    fy, fx = (np.fft.fftshift(np.fft.fftfreq(n)) for n in known.shape)
    radii, profile = radial_profile(known, fy, fx)
    peaks = find_peaks(known, window=window if pad == "none" else "other")
    return Spectrum(magnitude, fy, fx, radii, profile, peaks)


def magnitudes(
    image: Any,
    *,
    window: str | None = None,
    pad: str = "none",
    queue: cl.CommandQueue | None = None,
) -> Any:
    """Return the magnitudes of an image's spectrum alone, without their profile and their peaks.

    Parameters
    ----------
    image, window, pad, queue
        The parameters of `spectrum`.

    Returns
    -------
    ndarray or pyopencl.array.Array of float, shape (rows, columns)
        The magnitudes, DC in the middle, where the image is.

    Raises
    ------
    PlanError, DeviceError, DeviceMemoryError
        As `spectrum` raises them; but NaN and infinity in a device array are not refused.
    """
    if window not in WINDOWS:
        raise PlanError(f'invalid window {window!r}, should be None or "hann"')
    choose("pad", pad, PADS_OF_LOADS)
    array = image_array(image)
    # A filter's job tells where the pixels lie and how they are padded; it filters nothing here.
    job = filter_job(array, "lowpass", channels="luma", pad=pad, scale="none")
    queue = queue_for(queue, array)
    if isinstance(array, np.ndarray):
        require_finite(array)
    return _magnitude(job, window, array, queue)


def radial_profile(
    magnitude: np.ndarray, fy: np.ndarray, fx: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean magnitude of all bins around each radius, from 0 to 1/2 cycle a pixel.

    Parameters
    ----------
    magnitude : ndarray of float, shape (rows, columns)
        The magnitudes.
    fy, fx : ndarray of float64, shapes (rows,) and (columns,)
        The frequencies of the rows and the columns, in cycles a pixel.

    Returns
    -------
    radii, profile : ndarray of float64, shape (points,)
        Multiples of a frequency step, which is the one along the image's longer side; and the means
        over all bins whose radius rounds to each of them.
    """
    longer = max(magnitude.shape)
    points = longer // 2 + 1
    sums, counts = np.zeros(points), np.zeros(points)
    for rows in ranges(len(fy), -(-magnitude.size // BINS_AT_ONCE)):
        radius = np.rint(np.hypot(fy[rows, None], fx) * longer).astype(np.intp).ravel()
        inside = radius < points
        near, values = radius[inside], magnitude[rows].ravel()[inside]
        counts += np.bincount(near, minlength=points)
        sums += np.bincount(near, values, minlength=points)
    return np.arange(points) / longer, sums / np.maximum(counts, 1)


def _on_host(magnitude: Any) -> np.ndarray:
    return magnitude.get() if isinstance(magnitude, cl_array.Array) else magnitude


# --- planning and running -------------------------------------------------------------------------


@dataclass(frozen=True)
class Hann(Table):
    """The periodic Hann window."""

    length: int
    precision: str

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (length,)."""
        steps = np.arange(self.length) / self.length
        window = 0.5 - 0.5 * np.cos(2 * np.pi * steps) if self.length > 1 else np.ones(1)
        return window.astype(REAL_DTYPE[self.precision])


def spectrum_schedule(
    job: FilterJob, window: str | None, traits: Traits, parameters: Parameters
) -> Schedule:
    """Plan a spectrum: a real transform that reads pixels and stores magnitudes.

    Parameters
    ----------
    job : FilterJob
        Where the pixels lie, and how they are padded.
    window : {None, "hann"}
        The parameter of `spectrum`.
    traits, parameters
        The device's traits, and the parameters of the kernels.

    Returns
    -------
    Schedule
    """
    hooks = Hooks(load_hook(job, window), _store_hook(job))
    passes = plan_passes(replace(real_problems(job)[0], hooks=hooks), traits, None, parameters)
    # The magnitudes are half as large as what the last pass reads: it cannot work in place.
    last = replace(passes[-1], aliases=False, stays=False)
    return assign_buffers((*passes[:-1], last), 0)


def load_hook(job: FilterJob, window: str | None) -> Snippet:
    """Return the hook in the place of the first load: pixels in a window."""
    where = "(global const PIXEL *)src, index"
    code = f"value = plane_point({where}, first, pitch, axes);"
    vector = f"value = plane_vector({where}, offset, first, pitch, axes);"
    parameters = places(job, job.source)
    if window:
        code += " value *= window_at(index, down, across);"
        vector += " value = windowed(value, index + offset, down, across);"
        parameters += tuple(
            Parameter(name, "global const real *", Hann(length, job.precision))
            for name, length in zip(("down", "across"), job.size, strict=True)
        )
    return Snippet(code, _preamble(job), parameters, replaces=True, vector=vector)


def _store_hook(job: FilterJob) -> Snippet:
    """Return the hook in the place of the last store: magnitudes of a whole spectrum."""
    code = "store_magnitude((global real *)dst, index, value);"
    return Snippet(code, _preamble(job), replaces=True)


def _preamble(job: FilterJob) -> str:
    rows, columns = job.plane
    pitch = real_problems(job)[0].target.strides[1]
    macros: dict[str, int | str] = {
        "SPECTRUM_ROWS": rows, "SPECTRUM_COLUMNS": columns, "SPECTRUM_PITCH": pitch,
    }  # fmt: skip
    return pixel_preamble(job, "image/spectrum.cl", macros)


_executables: BoundedCache[Executable] = registered("spectra", BoundedCache(16))

# From the traits of a device and the parameters of its kernels to the passes of a product.
Planner = Callable[[Traits, Parameters], Schedule]


def at_once(
    job: FilterJob,
    image: Any,
    queue: cl.CommandQueue,
    product: str | None,
    plan: Planner,
    shape: tuple[int, ...],
    dtype: np.dtype,
) -> Any:
    """Compute a product of images as a whole; what computes it is kept for the next equal job.

    Parameters
    ----------
    job : FilterJob
        Where the pixels lie, and how they are padded.
    image : ndarray or pyopencl.array.Array
        An array of the job's shape, dtype and layout.
    queue : cl.CommandQueue
        The queue to run on.
    product : str or None
        What tells this product from others of an equal job.
    plan : callable
        The planner of the product.
    shape, dtype
        The shape and the dtype of the product.

    Returns
    -------
    ndarray or pyopencl.array.Array
        The product, where the image is.

    Raises
    ------
    DeviceError, DeviceMemoryError, BuildError
        The device cannot do the job, or an image on the host needs more of its memory than
        `limit_device_memory` allows.
    """
    device = queue.context.devices[0]
    ends = {
        "in": prod(job.shape) * job.dtype.itemsize,
        "out": prod(shape) * dtype.itemsize,
    }

    def make() -> Executable:
        traits = describe.traits(device)
        schedule = plan(traits, wisdom.parameters_of(device, real_problems(job)[0]))
        memory.require_fits(traits, {**ends, **dict(schedule.workspace)})
        return Executable(queue.context, schedule)

    executable = _executables.get((queue.context, job, product), make)
    needed = sum(ends.values()) + executable.schedule.workspace_bytes
    if isinstance(image, np.ndarray) and needed > (max_device_bytes() or needed):
        raise DeviceMemoryError(f"a spectrum at once needs {needed} bytes of the device")
    result = new_like(image, shape, dtype, queue)
    run(executable, queue, image, result)
    return result


def _magnitude(job: FilterJob, window: str | None, image: Any, queue: cl.CommandQueue) -> Any:
    """Return the magnitudes; if the device has no room for an image of the host, in pieces."""
    try:
        plan = partial(spectrum_schedule, job, window)
        return at_once(job, image, queue, window, plan, job.plane, REAL_DTYPE[job.precision])
    except DeviceMemoryError:
        if not isinstance(image, np.ndarray):
            raise
    return whole(half_in_pieces(job, window, image, queue), job.plane[1])


def half_in_pieces(
    job: FilterJob, window: str | None, image: np.ndarray, queue: cl.CommandQueue
) -> np.ndarray:
    """Return the magnitudes of half a spectrum, as `rfft2` returns it, by transforms in pieces."""
    fades = [Hann(n, job.precision).values() for n in job.size] if window else None
    room = room_of(queue.context, max_device_bytes())
    return np.abs(spectrum_in_pieces(job, image, fades, room))


def whole(half: np.ndarray, columns: int) -> np.ndarray:
    """Return the magnitudes of a whole spectrum, DC in the middle, from those of its half."""
    rows, known = half.shape
    result = np.empty((rows, columns), half.dtype)
    left = columns // 2
    result[:, (np.arange(known) + left) % columns] = np.fft.fftshift(half, axes=0)
    mirrored = np.arange(1, (columns + 1) // 2)
    opposite = np.fft.fftshift(half[-np.arange(rows) % rows], axes=0)
    result[:, left - mirrored] = opposite[:, mirrored]
    return result
