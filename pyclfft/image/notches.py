"""Peaks of an image's spectrum that are worth a notch: stripes, moire and halftones."""

from __future__ import annotations

from dataclasses import replace
from functools import partial, reduce
from typing import Any

import numpy as np
import pyopencl as cl

from ..errors import DeviceMemoryError, PlanError
from ..planning.arguments import Role, Vector
from ..planning.hooks import Hooks
from ..planning.parameters import Parameters
from ..planning.passes import Pass, Schedule, assign_buffers
from ..planning.planner import plan_passes
from ..planning.precision import REAL_DTYPE
from ..planning.traits import Traits
from ..runtime.operation import queue_for
from ..runtime.parts import Part
from .filter_plans import PIXELS, FilterJob, launch, real_problems
from .jobs import filter_job, image_array
from .peaks import Peak, find_peaks
from .spectrum import at_once, half_in_pieces, load_hook, whole

Point = tuple[float, float]

LOWEST = 0.02  # cycles a pixel: below it, and below `LOWEST_BINS`, the picture itself has peaks
LOWEST_BINS = 6
MOST = 64  # points that are returned
PROMINENCE = 9.0  # of a peak that is removed unseen; what is only shown may be less certain
WINDOW = "hann"  # it keeps the edges of the images out, and a peak within three bins
NORM_DTYPE = np.dtype(np.float32)


def find_notches(
    image: Any, *, axes: tuple[int, int] | None = None, queue: cl.CommandQueue | None = None
) -> list[Point]:
    """Find the frequencies of stripes, moire and halftones.

    They are what ``filter_image(image, "notch", points="auto")`` removes.

    Parameters
    ----------
    image : array_like or pyopencl.array.Array
        An image or a stack of images, as `filter_image` takes it. The peaks are those of the mean
        power spectrum of all images and colours.
    axes : (int, int), optional
        The axes of a stack's rows and columns, as for `filter_image`.
    queue : cl.CommandQueue, optional
        The queue to run on. The default is the queue of a device array, or `default_queue`.

    Returns
    -------
    list of (float, float)
        The frequencies (fy, fx) of peaks, in cycles a pixel, the strongest one first. Of each peak
        and its mirror image (-fy, -fx), the one with fy > 0 is there, or with fy = 0 and fx > 0.
        The list is empty if there is no peak.

    Raises
    ------
    PlanError
        A ValueError: the array is no image, its pixels are no real numbers, or one is NaN or
        infinite.
    DeviceError
        A device array has a dtype that needs double precision, and the device has none. Arrays of
        the host are converted to float32 instead.
    DeviceMemoryError
        A MemoryError: one image on the device leaves no room for its transform. Stacks that are too
        large are transformed in parts, and images of the host that are too large in pieces.

    See Also
    --------
    filter_image : Remove what belongs to these frequencies, by the kind "notch".
    spectrum : Show what stands out of a spectrum, with a less strict test.

    Notes
    -----
    The pixels of a device array stay on the device, and so do the spectra of all images and
    colours. One number for each bin of half a spectrum is downloaded in single precision, which is
    ``rows * (columns // 2 + 1) * 4`` bytes however many images there are: the root of the sum of
    the power of all of them. The host looks for peaks in these numbers.

    A peak is a bin of the spectrum that exceeds both half and nearly all of the bins around it by
    constant factors, as `find_peaks` does it with the value "ring" of `around`. A peak below 0.02
    cycles a pixel, or less than 6 bins away from DC, is not looked for, because so slow a pattern
    looks like the picture itself. Lines of text, brickwork and whatever else repeats in the picture
    have peaks, too: look at the list before you remove them.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> y, x = np.mgrid[:128, :128]
    >>> noise = np.random.default_rng(0).normal(size=(128, 128))
    >>> pyclfft.find_notches(noise + np.cos(2 * np.pi * 0.2 * x))
    [(0.0, 0.2)]
    """
    array = image_array(image)
    if isinstance(array, np.ndarray) and PIXELS[array.dtype].precision == "double":
        array = array.astype(np.float32)
    norms = _norms(array, axes, queue_for(queue, array))
    if not np.isfinite(norms).all():
        raise PlanError("the image holds NaN or infinity: give these pixels a value first")
    magnitude = whole(norms, _job(array, axes).plane[1])
    peaks = find_peaks(
        magnitude, window=WINDOW, around="ring", prominence=PROMINENCE, lowest_bins=LOWEST_BINS,
        lowest=LOWEST, limit=MOST,
    )  # fmt: skip
    strongest_first = sorted(peaks, key=lambda peak: -peak.magnitude)
    return [_rounded(peak, magnitude.shape) for peak in strongest_first]


def _rounded(peak: Peak, plane: tuple[int, ...]) -> Point:
    """Return a peak's frequencies to a tenth of a bin, which is as well as they can be known.

    They lie within half a cycle a pixel. Of the peak and its mirror image, the one with fy > 0
    counts.
    """
    y, x = (
        max(-0.5, min(0.5, float(round(each * length, 1)) / length))
        for each, length in zip((peak.fy, peak.fx), plane, strict=True)
    )
    if y < 0 or (y == 0 and x < 0):
        y, x = -y, -x
    return y + 0.0, x + 0.0  # 0.0 rather than -0.0


# --- planning and running -------------------------------------------------------------------------


def _job(array: Any, axes: tuple[int, int] | None) -> FilterJob:
    """Return a filter's job that tells where pixels lie; it filters nothing here."""
    return filter_job(array, "lowpass", axes=axes, scale="none")


def norms_schedule(job: FilterJob, traits: Traits, parameters: Parameters) -> Schedule:
    """Plan what the planes of a job have in common at each frequency.

    Parameters
    ----------
    job : FilterJob
        Where the pixels lie.
    traits, parameters
        The device's traits, and the parameters of the kernels.

    Returns
    -------
    Schedule
        A real transform of pixels in a window, and a launch that joins the spectra of all planes.
    """
    forward = replace(real_problems(job)[0], hooks=Hooks(load_hook(job, WINDOW)))
    passes = plan_passes(forward, traits, None, parameters)
    return assign_buffers((*passes, _join(job, traits, parameters)), 0)


def _join(job: FilterJob, traits: Traits, parameters: Parameters) -> Pass:
    rows, columns = _half(job)
    spectra = real_problems(job)[0].target
    complex_bytes = 2 * REAL_DTYPE[job.precision].itemsize
    return launch(
        "planeNorms", "image/norms.cl", {"DOUBLE": int(job.precision == "double")},
        (columns, rows), traits, parameters,
        {
            "spectra": Role.SOURCE,
            "norms": Role.TARGET,
            "sizes": Vector("uint32", (job.planes, rows, columns, spectra.strides[1])),
        },
        reads=job.planes * rows * columns * complex_bytes,
        writes=rows * columns * NORM_DTYPE.itemsize,
        step=f"of {job.planes} spectra",
    )  # fmt: skip


def _half(job: FilterJob) -> tuple[int, int]:
    """Return the rows and columns of half a spectrum."""
    rows, columns = job.plane
    return rows, columns // 2 + 1


def _norms(array: Any, axes: tuple[int, int] | None, queue: cl.CommandQueue) -> np.ndarray:
    """Return the norms of all planes at each bin of half a spectrum, on the host.

    A stack for which the device has no room is halved, and a single image goes in pieces.
    """
    job = _job(array, axes)
    is_on_host = isinstance(array, np.ndarray)
    try:
        plan = partial(norms_schedule, job)
        norms = at_once(job, array, queue, "norms", plan, _half(job), NORM_DTYPE)
        return norms if is_on_host else norms.get()
    except DeviceMemoryError:
        if not job.stack and not is_on_host:
            raise
    if job.stack:
        return np.hypot(*(_norms(array[half], axes, queue) for half in _halves(job)))
    colours = [array] if job.channel_axis is None else [array[..., each] for each in range(3)]
    planes = (half_in_pieces(_job(each, job.axes), WINDOW, each, queue) for each in colours)
    return reduce(np.hypot, planes)


def _halves(job: FilterJob) -> tuple[Part, Part]:
    """Return the places of both halves of a stack, which is cut along its longest axis."""
    longest = max(job.stack, key=lambda axis: job.shape[axis])
    before, middle = (slice(None),) * longest, job.shape[longest] // 2
    return (*before, slice(middle)), (*before, slice(middle, None))
