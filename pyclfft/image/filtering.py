"""Image filters in the frequency domain: pixels up, every step on the device, pixels down."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import prod
from typing import Any, TypeVar

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import DeviceMemoryError
from ..planning.parameters import GIVEN, Values, parameters_for
from ..planning.passes import assign_buffers
from ..planning.planner import plan_passes
from ..planning.problem import choose, make_problem, plain_layout
from ..runtime import describe, memory, wisdom
from ..runtime.batches import in_batches
from ..runtime.cache import BoundedCache, registered
from ..runtime.executable import Executable
from ..runtime.limit import max_device_bytes
from ..runtime.operation import new_like, queue_for, run
from ..runtime.parts import Part, in_parts
from ..runtime.pieces import Room, room_of
from ..runtime.profile import Recorder
from .bands import Cutoff
from .filter_plans import (
    MASK,
    PADS,
    PIXELS,
    UNPADDED,
    FilterJob,
    filter_pass,
    filter_schedule,
    transform_problem,
)
from .in_pieces import filter_one_by_one, gains_by_host
from .jobs import (
    filter_job,
    image_array,
    layout_of,
    mask_array,
    padded_size,
    require_finite,
    transform_size,
)
from .kinds import AUTO, Rule, computed_gains, make_rule
from .masks import Mask, gains_of_function, gains_of_rule
from .notches import find_notches

MAX_PLANES = 2**15  # in one launch, because some drivers allow less than 2^16 along dimension 3

Result = TypeVar("Result")
Gains = bytes | cl.Buffer | None  # a mask's gains: copied from the host, or a buffer of the device


class ImageFilter:
    """A filter made ready for one context, for arrays of one shape.

    Parameters
    ----------
    job : FilterJob
        The job of the filter.
    context : cl.Context
        The context to run in, of one device.
    gains : bytes or cl.Buffer, optional
        The gains of the job's mask, if it has one. Each call reads a buffer anew.

    Attributes
    ----------
    schedule : Schedule
        The passes that a call launches.
    executable : Executable
        What launches them.

    Raises
    ------
    PlanError
        The algorithm cannot transform these lengths.
    DeviceError, DeviceMemoryError, BuildError
        The device cannot do the job.
    """

    def __init__(self, job: FilterJob, context: cl.Context, gains: Gains = None) -> None:
        self.job = job
        traits = describe.traits(context.devices[0])
        forward = transform_problem(job, "forward")
        parameters = wisdom.parameters_of(
            context.devices[0], forward, job.algorithm, within=job.workclass
        ).over(dict(job.given), GIVEN)
        self.schedule = filter_schedule(job, traits, parameters)
        image_bytes = prod(job.shape) * job.dtype.itemsize
        result_bytes = prod(job.shape) * job.result_dtype.itemsize
        memory.require_fits(
            traits, {"in": image_bytes, "out": result_bytes, **dict(self.schedule.workspace)}
        )
        if job.images > 1 and job.planes > MAX_PLANES:
            raise DeviceMemoryError(f"one launch filters {MAX_PLANES} planes at most")
        if isinstance(job.band, Mask) and job.band.rule is not None:
            gains = memory.constant(context, gains_of_rule(job.band, job.plane))
        elif isinstance(gains, bytes) and isinstance(job.band, Mask):
            gains = memory.constant(context, np.frombuffer(gains, job.band.dtype))
        given: Any = {} if gains is None else {MASK.name: gains}
        self.executable = Executable(context, self.schedule, given)

    @property
    def buffer_bytes(self) -> int:
        """The bytes of device memory that a call needs in all."""
        pixels = prod(self.job.shape)
        image = pixels * (self.job.dtype.itemsize + self.job.result_dtype.itemsize)
        return image + self.schedule.workspace_bytes

    def __call__(
        self,
        image: Any,
        queue: cl.CommandQueue,
        recorder: Recorder | None = None,
        *,
        out: Any = None,
        wait_for: Sequence[cl.Event] = (),
    ) -> Any:
        """Filter an array of the job's shape, dtype and layout.

        Parameters
        ----------
        image : ndarray or pyopencl.array.Array
            The array.
        queue : cl.CommandQueue
            The queue to run on.
        recorder : Recorder, optional
            An object that remembers every event; it needs a profiling queue.
        out : like image, optional
            The array that receives the result; a new one by default.
        wait_for : sequence of cl.Event, optional
            Events to wait for, beside those that the arrays carry.

        Returns
        -------
        ndarray or pyopencl.array.Array
            The result. A device array carries the event of its completion.
        """
        if out is None:
            out = new_like(image, self.job.shape, self.job.result_dtype, queue)
        run(self.executable, queue, image, out, wait_for, recorder)
        return out


def filter_image(
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
    queue: cl.CommandQueue | None = None,
    **options: Any,
) -> Any:
    """Filter an image, or a stack of images, in the frequency domain.

    Parameters
    ----------
    image : array_like or pyopencl.array.Array
        Real numbers of any dtype and any size. One image has the shape (height, width), (height,
        width, 1), (height, width, 3), or (height, width, 4) with alpha, which is copied. With
        `axes` the array is a stack.
    kind : str, optional
        Which frequencies r pass: "highpass" passes r >= cutoff, "lowpass" r < cutoff, "bandpass"
        low <= r < high, and "bandstop" all others. Further kinds have options of their own, and are
        described there: "notch", "directional", "unsharp", "highboost", "homomorphic", "imagej".
        The default is "highpass", unless there is a `mask`.
    cutoff : number or (number, number), optional
        The frequency at which the filter goes from pass to stop, or (low, high) for a band. The
        default is an eighth of the shorter side, in bins.
    mask : array_like, pyopencl.array.Array or function, optional
        Gains of your own, real or complex, in place of `kind` and of its options. An array has a
        gain for each bin of the transform, with DC at [0, 0], and so the shape that `filter_mask`
        returns for the same `pad`. It may also have only the first ``columns // 2 + 1`` columns,
        like the result of `rfft2`. A function takes the frequencies fy, of the shape (rows, 1), and
        fx, of the shape (1, columns), in cycles a pixel, and returns gains that broadcast to (rows,
        columns).
    axes : (int, int), optional
        The axes of the array that are the rows and columns of an image. All other axes are those of
        a stack, whose images are filtered independently. One exception is the last axis: if it
        comes directly behind rows and columns and has the length 3 or 4, it holds the colours of a
        pixel, as it does without `axes`.
    unit : {"bin", "nyquist", "cycles/px", "px-period"}, optional
        The unit of the cut-off: bins of the image's transform, counted alike along both sides (the
        default); a fraction of the Nyquist frequency; cycles a pixel (0 .. 0.5); or pixels a
        period.
    shape : {"ideal", "gaussian", "butterworth"}, optional
        How the filter goes from pass to stop: at once; as a Gaussian whose low pass falls to
        exp(-1/2) at the cut-off; or as 1 / (1 + (r / cutoff)^(2 order)). The default is "ideal" for
        the kinds that have a cut-off by themselves, and "gaussian" for all others.
    order : float, optional
        The order of a Butterworth filter, 2 by default; higher orders cut more sharply. Other
        filters have no order.
    sigma : number or (number, number), optional
        In place of `cutoff`, `unit` and `shape`: the standard deviation, in pixels, of the Gaussian
        that a Gaussian low pass convolves with; two of them for a band.
    pad : {"none", "periodic", "zero", "edge", "mirror"}
        What surrounds the image while it is transformed. With "zero", "edge" and "mirror" the
        transform is at least half as long again along both sides, so that opposite edges do not
        leak into each other. With "periodic" the image is divided into a part whose opposite edges
        fit together, which is filtered, and a smooth part, which gets the gain of DC.
    keep_dc : bool
        Leave the mean of the image as it is.
    channels : {"each", "luma"}
        Filter every channel of a colour image, or only its brightness (ITU-R BT.601).
    scale : {"max", "stretch", "clip", "none"}, optional
        How the filtered values become pixels from 0 to `maxval`. "max" maps 0 .. the greatest value
        to them, "stretch" the least .. the greatest value, and "clip" cuts off values below 0 and
        above `maxval`; "none" returns real numbers as they are. The least and the greatest are
        those of all colours of an image together. For uint8 and uint16 images the default is "max"
        if the default of `part` is "magnitude", and "clip" if it is "real". For all other dtypes it
        is "none".
    part : {"magnitude", "real"}, optional
        The real number that each filtered, complex value becomes. The default is "magnitude" for a
        high pass and a band pass; it is "real" for all other kinds, any kind with `keep_dc`, and a
        mask.
    maxval : number, optional
        The greatest value of a scaled result. The default is 255 for uint8, 65535 for uint16, and 1
        for all other dtypes.
    algorithm : str, optional
        The algorithm of the transforms, as for `Plan`.
    parameters : mapping, optional
        Values of parameters of the kernels, as for `Plan`.
    queue : cl.CommandQueue, optional
        The queue to run on. The default is the queue of a device array, or `default_queue`.
    **options
        The options of a kind:

        - "notch" stops the frequencies around `points`, a list of (fy, fx) in cycles a pixel, up to
          the distance `radius` in cycles a pixel (by default 3 divided by the shorter side). If
          `mirrored` is true (the default), it also stops those around the points' mirror images.
          With `points` "auto" it takes the points that `find_notches` finds;
        - "directional" passes the waves that run at an `angle`, which is counted in degrees
          anticlockwise and is 0 for vertical stripes. The range of angles that pass has a `width`
          of 30 degrees from end to end. If `stop` is true, it stops these waves instead;
        - "unsharp" adds `amount` (1) times the high pass;
        - "highboost" subtracts the low pass from `boost` (1.5) times the image;
        - "homomorphic" multiplies the low and the high frequencies of the logarithm of the
          brightness by `gains` (0.5, 1.5);
        - "imagej" is ImageJ's band pass. It suppresses structures larger than `large` (40) pixels,
          structures smaller than `small` (3) pixels, and `stripes` ("none", "horizontal",
          "vertical") with a `tolerance` (5) in percent. With `pad` "mirror" the transform is
          ImageJ's, too: a square whose side is the least power of two that is at least 1.5 times
          the longer side.

        "unsharp", "highboost" and "homomorphic" have a low pass, which is described by `sigma` (2
        pixels; a sixteenth of the shorter side for "homomorphic"), or by `cutoff`, `unit`, `shape`
        and `order`. "notch" and "directional" take `shape` and `order`, too.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape of `image`
        The filtered image. uint8 and uint16 images keep their dtype, unless the scale is "none".
        Otherwise the result has real numbers of the precision of the transforms: float32 for uint8,
        uint16, float16 and float32; float64 for float64, bool and all other integers. The result of
        a device array is a device array, and no pixel leaves the device: it is returned at once and
        carries the event of its completion.

    Raises
    ------
    PlanError
        A ValueError: an option, a cut-off or an image makes no sense, a kind does not have an
        option, or a mask is given together with a kind. A single image on the host that holds NaN
        or infinity is refused, too, because all its pixels would become NaN. In a stack, and on the
        device, only the images that hold one become NaN.
    DeviceError
        The dtype needs double precision, and the device has none.
    DeviceMemoryError
        A MemoryError: one image on the device leaves no room for its transform. Stacks and images
        of the host that are larger than the device, or than the limit that `limit_device_memory`
        has set, are filtered in pieces; one image is only refused if `algorithm` is given, or if
        one of its sides is so long that a piece cannot hold it, and has no factors.

    See Also
    --------
    filter_mask : The gains of a kind.
    find_notches : The frequencies of stripes and moire.
    wiener : Undo a known blur.

    Notes
    -----
    Each call reads a device array given as `mask` anew, so that its gains may change in between. A
    mask on the host is uploaded once, but each call compares its gains with those of earlier calls.
    So keep a large mask on the device.

    References
    ----------
    R. C. Gonzalez, R. E. Woods, "Digital Image Processing", chapter 4, for the filters' shapes and
    kinds.

    L. Moisan, "Periodic plus smooth image decomposition", J. Math. Imaging Vis. 39 (2011), for
    `pad` "periodic".

    J. Walter, FFTFilter, the plugin behind ImageJ's "FFT > Bandpass Filter...", for "imagej".

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> stripes = np.tile(np.uint8([0, 200]), (8, 4))
    >>> pyclfft.filter_image(stripes, "lowpass", 2)[0, :3]
    array([100, 100, 100], dtype=uint8)

    A stack of 10 images, and one with gains of one's own:

    >>> stack = np.ones((10, 32, 48), "float32")
    >>> pyclfft.filter_image(stack, "lowpass", 4, axes=(1, 2)).shape
    (10, 32, 48)
    >>> gains = pyclfft.filter_mask((8, 8), "lowpass", 2) * np.float32(0.5)
    >>> pyclfft.filter_image(stripes, mask=gains)[0, :3]
    array([50, 50, 50], dtype=uint8)

    Remove the stripes, of 2 pixels a period, by a notch:

    >>> pyclfft.filter_image(stripes, "notch", points=[(0, 0.5)], radius=0.1)[0, :3]
    array([100, 100, 100], dtype=uint8)
    """
    array = image_array(image)
    if callable(mask):
        mask = gains_of_function(mask, transform_size(array.shape, axes, pad, algorithm))
    gains = None if mask is None else mask_array(mask, PIXELS[array.dtype].precision)

    def result_of(array: Any) -> Any:
        job = filter_job(
            array, kind, cutoff, mask=gains, axes=axes, unit=unit, shape=shape, order=order,
            sigma=sigma, pad=pad, keep_dc=keep_dc, channels=channels, scale=scale, part=part,
            maxval=maxval, algorithm=algorithm, parameters=parameters,
            **with_found_points(array, kind, options, axes, queue),
        )  # fmt: skip
        if isinstance(array, np.ndarray) and job.images == 1:
            require_finite(array)
        return filtered(job, array, gains, queue_for(queue, array, gains))

    if isinstance(array, np.ndarray) and finds_points(kind, options):
        result = with_one_upload(result_of, array, queue_for(queue, gains))
        return result if isinstance(result, np.ndarray) else result.get()
    return result_of(array)


def with_found_points(
    image: Any,
    kind: str | None,
    options: Mapping[str, Any],
    axes: tuple[int, int] | None = None,
    queue: cl.CommandQueue | None = None,
) -> dict[str, Any]:
    """Return the options of a kind with the points of a notch, where they are to be found.

    Parameters
    ----------
    image : ndarray or pyopencl.array.Array
        The image, as `image_array` returns it.
    kind, axes, queue
        The parameters of `filter_image`.
    options : mapping
        The options of the kind.

    Returns
    -------
    dict

    Raises
    ------
    PlanError, DeviceError, DeviceMemoryError
        As `find_notches` raises them.
    """
    if finds_points(kind, options):
        return {**options, "points": find_notches(image, axes=axes, queue=queue)}
    return dict(options)


def finds_points(kind: Any, options: Mapping[str, Any]) -> bool:
    """Return whether the points of a notch are to be found in the image.

    Parameters
    ----------
    kind
        The parameter of `filter_image`.
    options : mapping
        The options of the kind.

    Returns
    -------
    bool
    """
    points = options.get("points")
    return isinstance(kind, str) and kind == "notch" and isinstance(points, str) and points == AUTO


def with_one_upload(
    result_of: Callable[[Any], Result],
    image: np.ndarray,
    queue: cl.CommandQueue,
    recorder: Recorder | None = None,
) -> Result:
    """Return a result for which an image of the host is read twice, and uploaded once.

    A CPU reads the image where it is. So does a device that has no room for the image as a whole,
    or for which `limit_device_memory` says so: the image then goes in pieces.

    Parameters
    ----------
    result_of : callable
        A function of the image, which is called with a copy of it on the device, or with `image`
        itself. If there is no room for its work beside the copy, it is called again with `image`.
    image : ndarray
        The image.
    queue : cl.CommandQueue
        The queue of the copy.
    recorder : Recorder, optional
        An object that remembers the upload.

    Returns
    -------
    object
        What `result_of` returns.

    Raises
    ------
    PlanError, DeviceError, DeviceMemoryError
        As `result_of` raises them.
    """
    if not describe.traits(queue.device).is_cpu and max_device_bytes() is None:
        allocate = memory.allocator(queue.context)
        with suppress(DeviceMemoryError), memory.refusals(queue, image.nbytes):
            there = cl_array.to_device(queue, memory.contiguous(image), allocator=allocate)
            if recorder is not None and there.events:
                recorder.add("write", "host to device", image.nbytes, there.events[-1])
            return result_of(there)
    return result_of(image)


def filter_mask(
    size: tuple[int, int],
    kind: str = "highpass",
    cutoff: Cutoff = None,
    *,
    pad: str = "none",
    algorithm: str | None = None,
    queue: cl.CommandQueue | None = None,
    **options: object,
) -> np.ndarray:
    """Return the gain of every frequency.

    The filter's own kernel computes the gains of "highpass", "lowpass", "bandpass" and "bandstop".
    The host computes the gains of all other kinds, and all gains if the device has no room.

    Parameters
    ----------
    size : (int, int)
        The height and the width of the image.
    kind, cutoff
        The parameters of `filter_image`.
    pad, algorithm
        The parameters of `filter_image`, which decide how many frequencies the transform has. With
        the kind "imagej" and `pad` "mirror" it is ImageJ's square.
    queue : cl.CommandQueue, optional
        The queue to run on; `default_queue` by default.
    **options
        The parameters ``unit``, ``shape``, ``order``, ``sigma`` and ``keep_dc`` of `filter_image`,
        and the options of the kind.

    Returns
    -------
    ndarray of float32, shape `size`, or that of the padded transform
        The gains, with DC at [0, 0]. The gains of the four kinds above are 0 to 1. You may change
        the array and pass it to `filter_image` as `mask`.

    Raises
    ------
    PlanError
        As `filter_image` raises it.

    See Also
    --------
    filter_image : Filter an image, by these gains or by others.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.filter_mask((4, 6), "lowpass", 2)[0]
    array([1., 1., 0., 0., 0., 1.], dtype=float32)
    >>> pyclfft.filter_mask((4, 6), "lowpass", 2, pad="mirror").shape
    (6, 9)
    """
    choose("pad", pad, PADS)
    plane = size if pad in UNPADDED else padded_size(size, algorithm, kind, pad)
    given = {"cutoff": cutoff, **options, "keep_dc": options.get("keep_dc") or None}
    band = make_rule(size, plane, kind, {k: v for k, v in given.items() if v is not None})
    queue = queue_for(queue)
    if isinstance(band, Rule):
        return computed_gains(band, plane, half=False, dtype=np.float32)
    traits = describe.traits(queue.device)
    problem = make_problem(plane, np.float32)
    parameters = parameters_for(traits)
    (copy,) = plan_passes(replace(problem, axes=()), traits)
    passes = (copy, filter_pass(band, (1, *plane), "single", traits, parameters))
    sizes = {"in": problem.nbytes // 2, "out": problem.nbytes}
    if sum(sizes.values()) > (max_device_bytes() or np.inf) or not traits.holds(sizes):
        return gains_by_host(band, plane)
    executable = Executable(queue.context, assign_buffers(passes, problem.nbytes))
    gains = np.empty(plane, np.complex64)
    run(executable, queue, np.ones(plane, np.float32), gains)
    return gains.real.copy()


# --- running --------------------------------------------------------------------------------------

_filters: BoundedCache[ImageFilter] = registered("filters", BoundedCache(16))


def image_filter(job: FilterJob, context: cl.Context, mask: Any = None) -> ImageFilter:
    """Return the filter of a job, which is kept for the next equal job.

    Parameters
    ----------
    job : FilterJob
        The job of the filter.
    context : cl.Context
        The context to run in, of one device.
    mask : ndarray or pyopencl.array.Array, optional
        The gains, if the job has a mask.

    Returns
    -------
    ImageFilter

    Raises
    ------
    PlanError, DeviceError, DeviceMemoryError, BuildError
        As `ImageFilter` raises them.
    """
    gains: Any = mask.base_data if isinstance(mask, cl_array.Array) else None
    if isinstance(mask, np.ndarray):
        gains = mask.tobytes()
    return _filters.get((context, job, gains), lambda: ImageFilter(job, context, gains))


def filtered(
    job: FilterJob,
    image: Any,
    mask: Any,
    queue: cl.CommandQueue,
    recorder: Recorder | None = None,
) -> Any:
    """Return an array filtered; if the device has no room for it, in pieces or in parts.

    Parameters
    ----------
    job : FilterJob
        The job of the filter.
    image : ndarray or pyopencl.array.Array
        An array of the job's shape, dtype and layout.
    mask : ndarray or pyopencl.array.Array or None
        The gains, if the job has a mask.
    queue : cl.CommandQueue
        The queue to run on; pieces have queues of their own.
    recorder : Recorder, optional
        An object that remembers every event, but for those of pieces and parts.

    Returns
    -------
    ndarray or pyopencl.array.Array

    Raises
    ------
    PlanError, DeviceError, DeviceMemoryError, BuildError
        As `filter_image` raises them.
    """
    is_on_host = isinstance(image, np.ndarray)
    limit = max_device_bytes() if is_on_host else None
    refusal: DeviceMemoryError | None = None
    try:
        if limit is None or image_filter(job, queue.context, mask).buffer_bytes <= limit:
            return _filtered_at_once(job, image, mask, None, queue, recorder)
    except DeviceMemoryError as error:
        if job.images == 1 and not is_on_host:
            raise
        refusal = error.with_traceback(None)  # whose frames would keep memory alive
    try:
        result = new_like(image, job.shape, job.result_dtype, queue)
    except (MemoryError, ValueError) as error:  # there is no room for the result either
        raise refusal or error from None
    # A stack's axes come first, so that no part of an axis behind the rows and columns is taken for
    # colours.
    order = (*job.stack, *(axis for axis in range(len(job.shape)) if axis not in job.stack))
    images, targets = image.transpose(order), result.transpose(order)
    rows, columns = (order.index(axis) for axis in job.axes)
    job = replace(
        job, source=layout_of(images), target=layout_of(targets), axes=(rows, columns)
    )  # fmt: skip
    whole = range(len(job.stack), len(job.shape))
    if is_on_host:
        room = room_of(queue.context, limit)
        if not _filled_in_pieces(job, images, mask, targets, whole, room):
            filter_one_by_one(job, images, mask, targets, room)
        return result

    def filter_part(part: Part) -> None:
        source, target = images[part], targets[part]
        fewer = replace(job, source=layout_of(source), target=layout_of(target))
        _filtered_at_once(fewer, source, mask, target, queue)

    in_parts(filter_part, job.shape, whole)
    return result


def _filled_in_pieces(
    job: FilterJob,
    images: np.ndarray,
    mask: Any,
    result: np.ndarray,
    whole: Sequence[int],
    room: Room,
) -> bool:
    """Filter a stack on the host in pieces of whole images; return False if no image fits."""
    if job.images == 1:
        return False
    if isinstance(mask, cl_array.Array):
        cl.wait_for_events(mask.events)

    def make(shape: tuple[int, ...]) -> Executable:
        layout = plain_layout(shape)
        fewer = replace(job, source=layout, target=layout)
        return image_filter(fewer, room.context, mask).executable

    try:
        in_batches(images, result, whole, room, make)
    except DeviceMemoryError:
        return False
    return True


def _filtered_at_once(
    job: FilterJob,
    image: Any,
    mask: Any,
    out: Any,
    queue: cl.CommandQueue,
    recorder: Recorder | None = None,
) -> Any:
    """Return an array filtered as a whole, in `out` if it is given."""
    wait_for = mask.events if isinstance(mask, cl_array.Array) else ()
    ready = image_filter(job, queue.context, mask)
    return ready(image, queue, recorder, out=out, wait_for=wait_for)
