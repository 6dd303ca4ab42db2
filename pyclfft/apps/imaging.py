"""Image filters in the frequency domain: pixels up, every step on the device, pixels down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, prod
from typing import Any

import numpy as np
import pyopencl as cl
from numpy.typing import ArrayLike

from ..errors import PlanError
from ..planning.factor import next_fast_len, next_power_of_two
from ..planning.hooks import Hooks, Parameter, Snippet
from ..planning.passes import Argument, Buffer, Pass, Role, Scalar, Schedule, Vector, assign_buffers
from ..planning.planner import plan_passes
from ..planning.problem import COMPLEX_DTYPE, REAL_DTYPE, Problem, choose, make_problem
from ..planning.solvers import BY_NAME
from ..planning.solvers.rows import kernel_size, uint
from ..planning.traits import Traits
from ..runtime import device, memory, wisdom
from ..runtime.cache import BoundedCache
from ..runtime.executable import Executable, run_on_host
from ..runtime.profile import Recorder
from ..tuning.lookup import Parameters, parameters_for
from .bands import KINDS, SHAPES, Band, Cutoff, make_band

PADS = ("none", "zero", "edge", "mirror")
CHANNELS = ("each", "luma")
SCALES = ("none", "clip", "max", "stretch")  # in the order of pixels.cl
PARTS = ("real", "magnitude")  # likewise
PAD_MACRO = {"none": 0, "zero": 0, "edge": 1, "mirror": 2}

# dtype of an image -> (type in OpenCL C, precision of the transform, greatest value by default)
PIXELS: dict[np.dtype, tuple[str, str, int]] = {
    np.dtype(np.uint8): ("uchar", "single", 255),
    np.dtype(np.uint16): ("ushort", "single", 65535),
    np.dtype(np.float32): ("real", "single", 1),
    np.dtype(np.float64): ("real", "double", 1),
}

EXTREMA_GROUP = 128  # work-items in a group that looks for the extrema
EXTREMA_GROUPS = 256  # groups at most


@dataclass(frozen=True)
class FilterJob:
    """Everything that decides how an image is filtered; equal jobs share one `ImageFilter`.

    Attributes
    ----------
    shape : tuple of int
        Of the image: (height, width) or (height, width, 3).
    dtype : dtype
        Of its pixels, a key of `PIXELS`.
    plane : (int, int)
        Rows and columns of the transform.
    band : Band
        What passes.
    pad, channels, scale, part : str
        As for `filter_image`.
    maxval : float
        Greatest value of the result's pixels.
    algorithm : str or None
        Of the transforms.
    """

    shape: tuple[int, ...]
    dtype: np.dtype
    plane: tuple[int, int]
    band: Band
    pad: str = "none"
    channels: str = "each"
    scale: str = "max"
    part: str = "magnitude"
    maxval: float = 255
    algorithm: str | None = None

    @property
    def precision(self) -> str:
        """Of the transform."""
        return PIXELS[self.dtype][1]

    @property
    def colours(self) -> int:
        """Values a pixel."""
        return self.shape[2] if len(self.shape) == 3 else 1

    @property
    def luma(self) -> bool:
        """Whether brightness alone is filtered."""
        return self.channels == "luma" and self.colours == 3

    @property
    def planes(self) -> int:
        """Transforms in a batch."""
        return 1 if self.luma else self.colours

    @property
    def result_dtype(self) -> np.dtype:
        """The image's, or a real number's for values without a scale."""
        return REAL_DTYPE[self.precision] if self.scale == "none" else self.dtype


class ImageFilter:
    """A filter made ready for one context, for images of one shape.

    Parameters
    ----------
    job : FilterJob
        What to do.
    context : cl.Context
        Of one device.

    Attributes
    ----------
    schedule : Schedule
        What a call launches.

    Raises
    ------
    PlanError
        The algorithm does not take these lengths.
    DeviceError, DeviceMemoryError, BuildError
        The device cannot do it.
    """

    def __init__(self, job: FilterJob, context: cl.Context) -> None:
        self.job = job
        traits = device.traits(context.devices[0])
        forward = transform_problem(job, "forward")
        parameters = wisdom.parameters_of(context.devices[0], forward, job.algorithm)
        self.schedule = filter_schedule(job, traits, parameters)
        image_bytes = prod(job.shape) * job.dtype.itemsize
        result_bytes = prod(job.shape) * job.result_dtype.itemsize
        memory.require_fits(
            traits, {"in": image_bytes, "out": result_bytes, **dict(self.schedule.workspace)}
        )
        self._executable = Executable(context, self.schedule)

    def __call__(
        self, image: np.ndarray, queue: cl.CommandQueue, recorder: Recorder | None = None
    ) -> np.ndarray:
        """Filter one image of the job's shape and dtype: one upload, one download."""
        if image.dtype.kind == "f" and not np.isfinite(image).all():
            raise PlanError("the image holds NaN or infinity: give these pixels a value first")
        result = memory.empty(self.job.shape, self.job.result_dtype)
        run_on_host(self._executable, queue, np.ascontiguousarray(image), result, recorder)
        return result


def filter_image(
    image: ArrayLike,
    kind: str = "highpass",
    cutoff: Cutoff = None,
    *,
    unit: str = "bin",
    shape: str = "ideal",
    order: float = 2,
    pad: str = "none",
    keep_dc: bool = False,
    channels: str = "each",
    scale: str = "max",
    part: str = "magnitude",
    maxval: float | None = None,
    algorithm: str | None = None,
    queue: cl.CommandQueue | None = None,
) -> np.ndarray:
    """Filter an image in the frequency domain.

    Parameters
    ----------
    image : array_like, shape (height, width) or (height, width, 3)
        uint8, uint16, float32 or float64, of any size.
    kind : {"highpass", "lowpass", "bandpass", "bandstop"}
        What passes: frequencies r >= cutoff, r < cutoff, low <= r < high, or all but these.
    cutoff : number or (number, number), optional
        One, or (low, high) for a band. An eighth of the shorter side, in bins, by default.
    unit : {"bin", "nyquist", "cycles/px", "px-period"}
        Of the cut-off: bins of the image's transform, counted alike along both sides; a fraction
        of the Nyquist frequency; cycles a pixel (0 .. 0.5); pixels a period.
    shape : {"ideal", "gaussian", "butterworth"}
        How the filter goes from pass to stop: at once; as a Gaussian whose low pass falls to
        exp(-1/2) at the cut-off; as 1 / (1 + (r / cutoff)^(2 order)).
    order : float
        Of a Butterworth filter.
    pad : {"none", "zero", "edge", "mirror"}
        What stands around the image for its transform, which is then at least half as long again
        along both sides, so that opposite edges do not leak into each other.
    keep_dc : bool
        Leave the mean as it is.
    channels : {"each", "luma"}
        Filter every channel of a colour image, or its brightness (ITU-R BT.601) alone.
    scale : {"max", "stretch", "clip", "none"}
        Which values become 0 .. maxval: 0 .. the greatest, the least .. the greatest, or 0 ..
        maxval itself; "none" returns real numbers as they are. The least and greatest are those
        of all channels together.
    part : {"magnitude", "real"}
        Of the filtered, complex values.
    maxval : number, optional
        Greatest value of the result's pixels: 255, 65535, or 1 for float images by default.
    algorithm : str, optional
        Of the transforms, as for `Plan`.
    queue : cl.CommandQueue, optional
        Where to run; `default_queue` by default.

    Returns
    -------
    ndarray, shape of `image`
        Of its dtype; float32 or float64 for scale "none".

    Raises
    ------
    PlanError
        A ValueError: an option, a cut-off or an image that makes no sense.
    DeviceError
        A float64 image on a device without double precision.
    DeviceMemoryError
        A MemoryError: the image is too large for the device.

    References
    ----------
    R. C. Gonzalez, R. E. Woods, "Digital Image Processing", chapter 4, for the filters' shapes.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> stripes = np.tile(np.uint8([0, 200]), (8, 4))
    >>> pyclfft.filter_image(stripes, "lowpass", 2)[0, :3]
    array([255, 255, 255], dtype=uint8)
    """
    array = np.asarray(image)
    job = filter_job(
        array, kind, cutoff, unit=unit, shape=shape, order=order, pad=pad, keep_dc=keep_dc,
        channels=channels, scale=scale, part=part, maxval=maxval, algorithm=algorithm,
    )  # fmt: skip
    queue = queue or device.default_queue()
    return image_filter(job, queue.context)(array, queue)


def filter_job(
    image: np.ndarray,
    kind: str = "highpass",
    cutoff: Cutoff = None,
    *,
    unit: str = "bin",
    shape: str = "ideal",
    order: float = 2,
    pad: str = "none",
    keep_dc: bool = False,
    channels: str = "each",
    scale: str = "max",
    part: str = "magnitude",
    maxval: float | None = None,
    algorithm: str | None = None,
) -> FilterJob:
    """Check what `filter_image` is asked for, without touching a device.

    Raises
    ------
    PlanError
        As `filter_image`.
    """
    for what, value, allowed in (
        ("pad", pad, PADS),
        ("channels", channels, CHANNELS),
        ("scale", scale, SCALES),
        ("part", part, PARTS),
    ):
        choose(what, value, allowed)
    if image.dtype not in PIXELS:
        raise PlanError(
            f"an image's pixels must be {', '.join(map(str, PIXELS))}, not {image.dtype}: "
            'convert it, for example with image.astype("float32")'
        )
    if image.ndim not in (2, 3) or image.shape[2:] not in ((), (1,), (3,)) or not image.size:
        raise PlanError(
            "an image has the shape (height, width) or (height, width, 3) and at least one pixel, "
            f"not {image.shape}"
        )
    size = (image.shape[0], image.shape[1])
    greatest = PIXELS[image.dtype][2]
    limit = greatest if image.dtype.kind == "u" else np.finfo(image.dtype).max
    if maxval is not None and not 0 < maxval <= limit:
        raise PlanError(f"maxval {maxval} does not fit {image.dtype} pixels")
    plane = size if pad == "none" else padded_size(size, algorithm)
    return FilterJob(
        shape=image.shape,
        dtype=image.dtype,
        plane=plane,
        band=make_band(
            size, plane, kind, cutoff, unit=unit, shape=shape, order=order, keep_dc=keep_dc
        ),
        pad=pad,
        channels=channels,
        scale=scale,
        part=part,
        maxval=greatest if maxval is None else maxval,
        algorithm=algorithm,
    )


def padded_size(size: tuple[int, int], algorithm: str | None = None) -> tuple[int, int]:
    """Return the rows and columns of a padded image: a fast length from one and a half on.

    That is a smooth one, or a power of two for an algorithm that takes no others.
    """
    solver = BY_NAME.get(algorithm or "")
    fast = next_power_of_two if solver and solver.powers_of_two else next_fast_len
    rows, columns = (fast(n + (n + 1) // 2) for n in size)
    return rows, columns


def filter_mask(
    size: tuple[int, int],
    kind: str = "highpass",
    cutoff: Cutoff = None,
    *,
    queue: cl.CommandQueue | None = None,
    **options: object,
) -> np.ndarray:
    """Return the gain of every frequency, computed by the filter's own kernel.

    Parameters
    ----------
    size : (int, int)
        Height and width of the image.
    kind, cutoff
        As for `filter_image`.
    queue : cl.CommandQueue, optional
        Where to run; `default_queue` by default.
    **options
        ``unit``, ``shape``, ``order`` and ``keep_dc`` as for `filter_image`.

    Returns
    -------
    ndarray of float32, shape `size`
        Gains 0 .. 1, DC at [0, 0].

    Raises
    ------
    PlanError, DeviceMemoryError
        As `filter_image`.
    """
    queue = queue or device.default_queue()
    traits = device.traits(queue.device)
    band = make_band(size, size, kind, cutoff, **options)  # type: ignore[arg-type]
    problem = make_problem(size, np.float32)
    parameters = parameters_for(traits)
    (copy,) = plan_passes(replace(problem, axes=()), traits)
    passes = (copy, filter_pass(band, (1, *size), "single", traits, parameters))
    memory.require_fits(traits, {"in": problem.nbytes // 2, "out": problem.nbytes})
    executable = Executable(queue.context, assign_buffers(passes, problem.nbytes))
    gains = np.empty(size, np.complex64)
    run_on_host(executable, queue, np.ones(size, np.float32), gains)
    return gains.real.copy()


# --- planning -------------------------------------------------------------------------------------

_filters: BoundedCache[ImageFilter] = BoundedCache(16)
filter_counts = _filters.counts
forget_filters = _filters.clear


def image_filter(job: FilterJob, context: cl.Context) -> ImageFilter:
    """Return the filter of a job, kept for the next image of the same shape."""
    return _filters.get((context, job), lambda: ImageFilter(job, context))


def filter_schedule(
    job: FilterJob, traits: Traits, parameters: Parameters | None = None
) -> Schedule:
    """Plan a filter: load, transform, filter, transform back, find the range, store.

    The spectrum stays transposed between the two transforms, as in the textbook: Stockham's kernel
    then needs no transposition at all, a solver of rows one for each transform.

    The filter is a hook in the last store of the transform, or a pass of its own as in the
    textbook.

    Parameters
    ----------
    job : FilterJob
        What to do.
    traits : Traits
        Of the device.
    parameters : Parameters, optional
        Of the kernels; the device's defaults by default.

    Returns
    -------
    Schedule

    Raises
    ------
    PlanError, DeviceError
        As `plan_passes`.
    """
    parameters = parameters or parameters_for(traits)
    rows, columns = job.plane
    stored = replace(job.band, row_weight=job.band.column_weight, column_weight=job.band.row_weight)
    spectra = (job.planes, columns, rows)
    forward = transform_problem(job, "forward", "out")
    fused = _is_fused(job, parameters)
    if fused:
        forward = replace(forward, hooks=Hooks(store=filter_hook(stored, spectra, job.precision)))
    passes = (
        _load_pixels(job, traits, parameters),
        *plan_passes(forward, traits, job.algorithm, parameters),
        *(() if fused else (filter_pass(stored, spectra, job.precision, traits, parameters),)),
        *plan_passes(transform_problem(job, "inverse", "in"), traits, job.algorithm, parameters),
        *(_extrema(job, traits) if job.scale in ("max", "stretch") else ()),
        _store_pixels(job, traits, parameters),
    )
    return assign_buffers(passes, prod(job.shape) * job.result_dtype.itemsize)


def _is_fused(job: FilterJob, parameters: Parameters) -> bool:
    """Whether the filter is a hook: not for the textbook's solvers, which have passes of their own.

    On CPUs, exp and pow cost more within a transform's kernel than a pass over memory does: with
    Intel's runtime 40 ms against 13 ms for a Gaussian on 2048 x 2048 pixels.
    """
    native = job.algorithm is None or (job.algorithm in BY_NAME and BY_NAME[job.algorithm].native)
    return native and bool(job.band.shape == "ideal" or parameters["smooth_hooks"])


def transform_problem(job: FilterJob, direction: str, transposed: str = "out") -> Problem:
    """Return one of a filter's two transforms, whose spectrum lies `transposed` "in" or "out"."""
    return make_problem(
        (job.planes, *job.plane),
        COMPLEX_DTYPE[job.precision],
        (1, 2),
        direction=direction,
        transposed=transposed,
    )


def filter_pass(
    band: Band,
    spectra: tuple[int, int, int],
    precision: str,
    traits: Traits,
    parameters: Parameters,
) -> Pass:
    """Multiply spectra by a band's gains, in place.

    Parameters
    ----------
    band : Band
        With its weights for rows and columns as they are stored.
    spectra : (int, int, int)
        How many, and rows and columns of each in memory.
    precision : {"single", "double"}
        Of the spectra.
    traits, parameters
        Of the device.

    Returns
    -------
    Pass
        The textbook's highPassFilter where the band is no more than that, else bandFilter.
    """
    count, rows, columns = spectra
    numbers = tuple(each.argument for each in _gain_parameters(band, precision))
    macros = {"DOUBLE": int(precision == "double")}
    if (band.kind, band.shape, band.keep_dc) == ("highpass", "ideal", False):
        kernel, numbers = "highPassFilter", numbers[:3]
    else:
        kernel, macros = "bandFilter", macros | _gain_macros(band)
    arguments = (Role.DATA, uint(rows), uint(columns), *numbers)
    nbytes = prod(spectra) * COMPLEX_DTYPE[precision].itemsize
    return _launch(
        kernel, "highPassFilter.cl", macros, (columns, rows, count), traits, parameters, arguments,
        reads=nbytes, writes=nbytes, step=f"{band.kind}, {band.shape}",
    )  # fmt: skip


def filter_hook(band: Band, spectra: tuple[int, int, int], precision: str) -> Snippet:
    """Return a store hook that multiplies spectra by a band's gains; as `filter_pass` has them."""
    _, rows, columns = spectra
    macros = {
        **_gain_macros(band),
        "SPECTRUM_ROWS": rows,
        "SPECTRUM_COLUMNS": columns,
        "PLACE_TYPE": "uint" if prod(spectra) < 2**32 else "ulong",
    }
    parameters = _gain_parameters(band, precision)
    return Snippet(
        code=f"value *= gain_at(index, {', '.join(each.name for each in parameters)});",
        preamble="\n".join(
            [*(f"#define {name} {value}" for name, value in macros.items()), '#include "gain.cl"']
        ),
        parameters=parameters,
    )


def _gain_macros(band: Band) -> dict[str, int]:
    """Return the macros of gain.cl."""
    return {
        "KIND": KINDS.index(band.kind),
        "SHAPE": SHAPES.index(band.shape),
        "KEEP_DC": int(band.keep_dc),
    }


def _gain_parameters(band: Band, precision: str) -> tuple[Parameter, ...]:
    """Return the numbers by which gain.cl knows a band, in its order."""
    integers = {
        "row_weight": band.row_weight,
        "column_weight": band.column_weight,
        "low_first": ceil(band.low),
        "high_first": ceil(band.high),
    }
    smooth: dict[str, Fraction | float] = {
        "low_cutoff": band.low,
        "high_cutoff": band.high,
        "order": band.order,
    }
    return (
        *(Parameter(name, "ulong", Scalar("uint64", value)) for name, value in integers.items()),
        *(Parameter(name, "real", _not_negative(v, precision)) for name, v in smooth.items()),
    )


def _not_negative(value: Fraction | float, precision: str) -> Scalar:
    """Return a real argument; one that is too large or too small for its type becomes the last."""
    dtype = REAL_DTYPE[precision]
    least, greatest = float(np.finfo(dtype).tiny), float(np.finfo(dtype).max)
    return Scalar(dtype.name, min(max(float(value), least), greatest) if value else 0.0)


def _load_pixels(job: FilterJob, traits: Traits, parameters: Parameters) -> Pass:
    rows, columns = job.plane
    return _launch(
        "loadPixels", "pixels.cl", _pixel_macros(job, traits), (columns, rows, job.planes),
        traits, parameters,
        (Role.SOURCE, Role.TARGET, _frame(job)),
        reads=prod(job.shape) * job.dtype.itemsize,
        writes=_plane_bytes(job),
        step=f"{job.shape[1]}x{job.shape[0]} {job.dtype} into {job.planes} x {columns}x{rows}",
    )  # fmt: skip


def _extrema(job: FilterJob, traits: Traits) -> tuple[Pass, Pass]:
    """Return the two steps to the least and greatest value of a result."""
    macros = _pixel_macros(job, traits)
    group = int(macros["GROUP"])
    pixels = job.shape[0] * job.shape[1] * job.planes
    groups = max(1, min(EXTREMA_GROUPS, pixels // group))
    extremes = 2 * COMPLEX_DTYPE[job.precision].itemsize
    parts = Pass(
        kernel="extrema",
        source="pixels.cl",
        defines=tuple((name, str(value)) for name, value in macros.items()),
        global_size=(groups * group,),
        local_size=(group,),
        arguments=(Role.DATA, Buffer("in"), Buffer("extrema"), _frame(job), uint(job.planes)),
        reads=_plane_bytes(job) + prod(job.shape) * job.dtype.itemsize,
        writes=groups * extremes,
        step=f"of {groups} groups",
        scratch=(("extrema", groups * extremes),),
    )
    all_of_them = replace(
        parts,
        kernel="extremaOfParts",
        global_size=(group,),
        arguments=(Buffer("extrema"), Buffer("range"), uint(groups)),
        reads=groups * extremes,
        writes=extremes // 2,
        step="of all",
        scratch=(),
    )
    return parts, all_of_them


def _store_pixels(job: FilterJob, traits: Traits, parameters: Parameters) -> Pass:
    pair = COMPLEX_DTYPE[job.precision].itemsize
    return _launch(
        "storePixels", "pixels.cl", _pixel_macros(job, traits), job.shape[1::-1],
        traits, parameters,
        (
            Role.SOURCE,
            Role.TARGET,
            Buffer("range"),
            Buffer("in"),
            _frame(job),
            Scalar(REAL_DTYPE[job.precision].name, job.maxval),
        ),
        reads=_plane_bytes(job),
        writes=prod(job.shape) * job.result_dtype.itemsize,
        step=f"{job.part} to {job.result_dtype}, {job.scale}",
        scratch=(("range", pair),),
    )  # fmt: skip


def _launch(
    kernel: str,
    source: str,
    macros: Mapping[str, int | str],
    items: tuple[int, ...],
    traits: Traits,
    parameters: Parameters,
    arguments: tuple[Argument, ...],
    **details: Any,
) -> Pass:
    """Return a pass of one work-item each over a range, which is exact in its third dimension."""
    sizes, local = kernel_size(kernel, items[:2], traits, parameters)
    sizes, local = sizes + items[2:], local + (1,) * len(items[2:])
    defines = tuple((name, str(value)) for name, value in macros.items())
    return Pass(
        kernel=kernel, source=source, defines=defines, global_size=sizes, local_size=local,
        arguments=arguments, **details,
    )  # fmt: skip


def _pixel_macros(job: FilterJob, traits: Traits) -> dict[str, int | str]:
    """Return the macros of pixels.cl: the same for all of a job's passes, which share a program."""
    group = min(EXTREMA_GROUP, traits.max_work_group_size, traits.max_work_item_sizes[0])
    return {
        "DOUBLE": int(job.precision == "double"),
        "PIXEL": PIXELS[job.dtype][0],
        "RESULT": "real" if job.scale == "none" else PIXELS[job.dtype][0],
        "ROUND": int(job.dtype.kind == "u"),
        "CHANNELS": job.colours,
        "LUMA": int(job.luma),
        "PAD": PAD_MACRO[job.pad],
        "MAGNITUDE": PARTS.index(job.part),
        "SCALE": SCALES.index(job.scale),
        "GROUP": 1 << (group.bit_length() - 1),
    }


def _frame(job: FilterJob) -> Vector:
    return Vector("uint32", (*job.plane, *job.shape[:2]))


def _plane_bytes(job: FilterJob) -> int:
    return job.planes * prod(job.plane) * COMPLEX_DTYPE[job.precision].itemsize
