"""Volumes filtered in the frequency domain: real transforms in three dimensions, radial gains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
import pyopencl as cl

from ..errors import DeviceMemoryError, PlanError
from ..planning.arguments import Scalar
from ..planning.hooks import Hooks, Parameter, Snippet
from ..planning.parameters import Parameters
from ..planning.passes import Schedule, assign_buffers
from ..planning.planner import aligned_spectra, plan_passes
from ..planning.precision import COMPLEX_DTYPE, REAL_DTYPE
from ..planning.problem import Layout, Problem, choose, make_problem, plain_layout
from ..planning.solvers.cols import there_and_back
from ..planning.traits import Traits
from ..runtime import describe, memory, wisdom
from ..runtime.cache import BoundedCache, registered
from ..runtime.executable import Executable
from ..runtime.limit import max_device_bytes
from ..runtime.operation import new_like, queue_for, run
from ..runtime.pieces import Request, Room, room_of, transform
from ..runtime.profile import Recorder
from .bands import KINDS, Band, Cutoff, band_gains, bin_distances, exact_band
from .filter_plans import (
    PADS_OF_LOADS,
    SPREADING,
    FilterJob,
    gain_macros,
    gain_parameters,
    pixel_preamble,
    real_planes_to_pixels,
)
from .in_pieces import PAD_MODE, store_pixels
from .jobs import checked_values, image_array, layout_of, padded_length, require_finite


@dataclass(frozen=True)
class VolumeBand(Band):
    """A filter of a volume: the squared distance of a bin from DC has a part along the slices, too.

    Attributes
    ----------
    slice_weight : int
        The factor of the squared number of slices, in the squared distance.
    """

    slice_weight: int = 0


@dataclass(frozen=True)
class VolumeJob(FilterJob):
    """Everything that decides how a volume is filtered: the job of its slices, and their number.

    Attributes
    ----------
    slices : int
        The slices of the transform, whose rows and columns are those of `plane`.
    """

    slices: int = 1

    @property
    def space(self) -> tuple[int, int, int]:
        """Slices, rows and columns of the transform."""
        return self.slices, *self.plane

    @property
    def padded(self) -> bool:
        """Whether something stands around the volume."""
        return self.space != self.shape

    @property
    def flat(self) -> FilterJob:
        """The job of the volume as one image: its slices below each other, not padded."""
        depth, height, width = self.shape
        size = (depth * height, width)
        source = Layout(size, self.source.strides[1:], self.source.offset)
        return FilterJob(
            source, plain_layout(size), self.dtype, (0, 1), size, self.band, scale=self.scale,
            part=self.part, maxval=self.maxval,
        )  # fmt: skip


def filter_volume(
    volume: Any,
    kind: str | None = None,
    cutoff: Cutoff = None,
    *,
    unit: str | None = None,
    shape: str | None = None,
    order: float | None = None,
    sigma: float | Sequence[float] | None = None,
    pad: str = "none",
    keep_dc: bool = False,
    scale: str | None = None,
    part: str | None = None,
    maxval: float | None = None,
    queue: cl.CommandQueue | None = None,
) -> Any:
    """Filter a volume in the frequency domain, in all three dimensions at once.

    Parameters
    ----------
    volume : array_like or pyopencl.array.Array, shape (depth, height, width)
        Real numbers of any dtype: the slices of a stack from a microscope or a scanner, the frames
        of a film. All steps between neighbours count as equally long.
    kind : {"highpass", "lowpass", "bandpass", "bandstop"}, optional
        Which frequencies r pass: "highpass" (the default) passes r >= cutoff, "lowpass" r < cutoff,
        "bandpass" low <= r < high, and "bandstop" all others.
    cutoff : number or (number, number), optional
        The frequency at which the filter goes from pass to stop, or (low, high) for a band. The
        default is an eighth of the shortest side, in bins.
    unit : {"bin", "nyquist", "cycles/px", "px-period"}, optional
        The unit of the cut-off: periods across the volume, counted alike along all sides (the
        default); a fraction of the Nyquist frequency; cycles a voxel (0 .. 0.5); or voxels a
        period.
    shape : {"ideal", "gaussian", "butterworth"}, optional
        How the filter goes from pass to stop, as for `filter_image`: "ideal" by default, and
        "gaussian" with `sigma`.
    order : float, optional
        The order of a Butterworth filter, 2 by default; higher orders cut more sharply. Other
        filters have no order.
    sigma : number or (number, number), optional
        In place of `cutoff` and `unit`: the standard deviation, in voxels, of the Gaussian by which
        a Gaussian low pass convolves the volume; two of them for a band.
    pad : {"none", "zero", "edge", "mirror"}
        What surrounds the volume while it is transformed. Unless it is "none", the transform is at
        least half as long again along every side.
    keep_dc : bool
        Leave the mean of the volume as it is.
    scale : {"max", "stretch", "clip", "none"}, optional
        How the filtered values become voxels from 0 to `maxval`, as for `filter_image`, with the
        least and the greatest value of the whole volume.
    part : {"magnitude", "real"}, optional
        The real number that each filtered value becomes: itself, or its distance from 0. The
        default is "magnitude" for a high pass and a band pass without `keep_dc`, "real" for all
        others.
    maxval : number, optional
        The greatest value of a scaled result. The default is 255 for uint8, 65535 for uint16, and 1
        for all other dtypes.
    queue : cl.CommandQueue, optional
        The queue to run on. The default is the queue of a device array, or `default_queue`.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape of `volume`
        The filtered volume, with the dtype that `filter_image` gives to an image. The result of a
        device array is a device array: it is returned at once and carries the event of its
        completion.

    Raises
    ------
    PlanError
        A ValueError: an option, a cut-off or a volume makes no sense, or a volume on the host holds
        NaN or infinity, which would make all its voxels NaN.
    DeviceError
        The dtype needs double precision, and the device has none.
    DeviceMemoryError
        A MemoryError: a volume on the device leaves no room for its transform. Volumes of the host
        that are larger than the device are filtered in pieces.

    See Also
    --------
    filter_image : Filter an image, or each image of a stack on its own.

    Examples
    --------
    Noise in 16 slices becomes smooth in all directions:

    >>> import numpy as np, pyclfft
    >>> noise = np.random.default_rng(1).random((16, 32, 32), "float32")
    >>> smooth = pyclfft.filter_volume(noise, "lowpass", 8, unit="px-period", shape="gaussian")
    >>> smooth.shape, bool(smooth.std() < noise.std() / 5)
    ((16, 32, 32), True)
    """
    array = image_array(volume)
    job = volume_job(
        array, kind, cutoff, unit=unit, shape=shape, order=order, sigma=sigma, pad=pad,
        keep_dc=keep_dc, scale=scale, part=part, maxval=maxval,
    )  # fmt: skip
    queue = queue_for(queue, array)
    if isinstance(array, np.ndarray):
        require_finite(array, "volume", "voxels")
    return filtered_volume(job, array, queue)


def volume_job(
    volume: Any,
    kind: str | None = None,
    cutoff: Cutoff = None,
    *,
    unit: str | None = None,
    shape: str | None = None,
    order: float | None = None,
    sigma: float | Sequence[float] | None = None,
    pad: str = "none",
    keep_dc: bool = False,
    scale: str | None = None,
    part: str | None = None,
    maxval: float | None = None,
) -> VolumeJob:
    """Check what `filter_volume` is asked for, without touching a device.

    Parameters
    ----------
    volume : ndarray or pyopencl.array.Array
        The volume, as `image_array` returns it.
    kind, cutoff, unit, shape, order, sigma, pad, keep_dc, scale, part, maxval
        The parameters of `filter_volume`.

    Returns
    -------
    VolumeJob

    Raises
    ------
    PlanError
        As `filter_volume` raises it.
    """
    if len(volume.shape) != 3 or not prod(volume.shape):
        raise PlanError(
            f"a volume has the shape (depth, height, width), not {volume.shape}: for images use "
            "filter_image"
        )
    kind = "highpass" if kind is None else kind
    choose("kind", kind, KINDS)
    choose("pad", pad, PADS_OF_LOADS)
    shown = checked_values(volume.dtype, kind, keep_dc, scale, part, maxval, "voxels")
    size = tuple(volume.shape)
    space = size if pad == "none" else tuple(map(padded_length, size))
    (slices, rows, columns), fields = exact_band(
        size, space, "a volume", "voxel", kind, cutoff, unit=unit, shape=shape, order=order,
        sigma=sigma, keep_dc=keep_dc,
    )  # fmt: skip
    band = VolumeBand(row_weight=rows, column_weight=columns, slice_weight=slices, **fields)
    job = VolumeJob(
        source=layout_of(volume),
        target=plain_layout(size),
        dtype=volume.dtype,
        axes=(1, 2),
        plane=(space[1], space[2]),
        band=band,
        pad=pad,
        slices=space[0],
        **shown,
    )
    _require_slices_in_line(job)
    return job


def _require_slices_in_line(job: VolumeJob) -> None:
    """Refuse a scale by the whole range of values for slices that lie apart: `flat` joins them."""
    depth, height, _ = job.shape
    slice_step, row_step, _ = job.source.strides
    if job.scale in SPREADING and depth > 1 and slice_step != height * row_step:
        raise PlanError(
            f"scale {job.scale} needs slices that lie behind one another: copy the device array"
        )


# --- planning -------------------------------------------------------------------------------------


def volume_problems(job: VolumeJob) -> tuple[Problem, Problem]:
    """Return the transforms of a volume, there and back; rows of spectra begin at cache lines."""
    axes = (0, 1, 2)
    forward = make_problem(job.space, REAL_DTYPE[job.precision], axes, "r2c")
    inverse = make_problem(job.space, COMPLEX_DTYPE[job.precision], axes, "c2r", "inverse")
    spectra = aligned_spectra(forward)
    return replace(forward, target=spectra), replace(inverse, source=spectra)


def volume_schedule(job: VolumeJob, traits: Traits, parameters: Parameters) -> Schedule:
    """Plan a filter: a transform that reads voxels and applies gains, and one that stores voxels.

    Only if the result depends on the range of all values, further passes find it and store voxels.

    Parameters
    ----------
    job : VolumeJob
        The job to plan.
    traits, parameters
        The device's traits, and the parameters of the kernels.

    Returns
    -------
    Schedule
    """
    forward, inverse = volume_problems(job)
    spreads = job.scale in SPREADING
    store = _store_hook(job) if job.padded or not spreads else None
    there = plan_passes(
        replace(forward, hooks=Hooks(_load_hook(job), _gain_hook(job))), traits, None, parameters
    )
    back = plan_passes(replace(inverse, hooks=Hooks(store=store)), traits, None, parameters)
    # What a hook stores is smaller than what the last pass reads: it cannot work in place.
    last = replace(back[-1], aliases=False, stays=False)
    pixels = real_planes_to_pixels(job.flat, traits, parameters) if spreads else ()
    passes = there_and_back(there, (*back[:-1], last))
    return assign_buffers((*passes, *pixels), 0)


def _voxel_preamble(job: VolumeJob) -> str:
    """Return the preamble of the hooks that read and store voxels."""
    macros: dict[str, int | str] = {
        "SPACE_SLICES": job.slices,
        "VOLUME_SLICES": job.shape[0],
        "VOLUME_PADDED": int(job.padded),
        "PLACE_TYPE": _place_type(job),
    }
    if job.scale in SPREADING:  # hooks leave real numbers, which become voxels later
        macros |= {"RESULT_PIXEL": "real", "ROUND": 0, "SCALE": 0, "MAGNITUDE": 0}
    return pixel_preamble(job, "image/volume.cl", macros)


def _gain_preamble(job: VolumeJob) -> str:
    assert isinstance(job.band, VolumeBand)
    slices, rows, columns = job.space
    macros: dict[str, int | str] = {
        "SPECTRUM_SLICES": slices,
        "SPECTRUM_ROWS": rows,
        "SPECTRUM_COLUMNS": columns,
        "SPECTRUM_PITCH": volume_problems(job)[0].target.strides[1],
        "PLACE_TYPE": _place_type(job),
        **gain_macros(job.band),
    }
    if _greatest_distance(job) < 2**32:
        macros["DISTANCE_TYPE"] = "uint"
    lines = (f"#define {name} {value}" for name, value in macros.items())
    return "\n".join([*lines, '#include "image/volumeGains.cl"'])


def _place_type(job: VolumeJob) -> str:
    """Return the type of an index over all that is transformed, or over its spectrum."""
    span = volume_problems(job)[0].target.span
    return "uint" if max(prod(job.space), span) < 2**32 else "ulong"


def _greatest_distance(job: VolumeJob) -> int:
    assert isinstance(job.band, VolumeBand)
    along = job.band.slice_weight * (job.slices // 2) ** 2
    return along + job.band.greatest_distance(*job.plane)


def _load_hook(job: VolumeJob) -> Snippet:
    names = ("first", "slice", "pitch")
    numbers = (job.source.offset, *job.source.strides[:2])
    return Snippet(
        code="value = voxel((global const PIXEL *)src, index, first, slice, pitch);",
        vector="value = voxels((global const PIXEL *)src, index, offset, first, slice, pitch);",
        preamble=_voxel_preamble(job),
        parameters=tuple(
            Parameter(name, "long", Scalar("int64", number))
            for name, number in zip(names, numbers, strict=True)
        ),
        replaces=True,
    )


def _gain_hook(job: VolumeJob) -> Snippet:
    assert isinstance(job.band, VolumeBand)
    weight = Parameter("slice_weight", "ulong", Scalar("uint64", job.band.slice_weight))
    parameters = (weight, *gain_parameters(job.band, job.precision))
    names = ", ".join(each.name for each in parameters)
    return Snippet(
        code=f"value *= volume_gain(index, {names});",
        vector=f"value = times_volume_gains(value, index, {names});",
        preamble=_gain_preamble(job),
        parameters=parameters,
    )


def _store_hook(job: VolumeJob) -> Snippet:
    top = Parameter("top", "real", Scalar(REAL_DTYPE[job.precision].name, job.maxval))
    return Snippet(
        code="store_voxel((global RESULT_PIXEL *)dst, index, value, top);",
        vector="store_voxels((global RESULT_PIXEL *)dst, index, value, top);",
        preamble=_voxel_preamble(job),
        parameters=(top,),
        replaces=True,
    )


# --- running --------------------------------------------------------------------------------------

_executables: BoundedCache[Executable] = registered("volumes", BoundedCache(8))


def volume_filter(job: VolumeJob, context: cl.Context) -> Executable:
    """Return what runs a job; it is kept for the next equal job.

    Raises
    ------
    DeviceError, DeviceMemoryError, BuildError
        The device cannot do the job.
    """

    def make() -> Executable:
        device = context.devices[0]
        traits = describe.traits(device)
        parameters = wisdom.parameters_of(device, volume_problems(job)[0])
        schedule = volume_schedule(job, traits, parameters)
        memory.require_fits(traits, {**_ends(job), **dict(schedule.workspace)})
        return Executable(context, schedule)

    return _executables.get((context, job), make)


def _ends(job: VolumeJob) -> dict[str, int]:
    """Return the bytes of the volume and of its result."""
    voxels = prod(job.shape)
    return {"in": voxels * job.dtype.itemsize, "out": voxels * job.result_dtype.itemsize}


def filtered_volume(
    job: VolumeJob, volume: Any, queue: cl.CommandQueue, recorder: Recorder | None = None
) -> Any:
    """Return a volume filtered; if the device has no room for one of the host, in pieces.

    Parameters
    ----------
    job : VolumeJob
        The job of the filter.
    volume : ndarray or pyopencl.array.Array
        An array of the job's shape, dtype and layout.
    queue : cl.CommandQueue
        The queue to run on; pieces have queues of their own.
    recorder : Recorder, optional
        An object that remembers every event, but for those of pieces.

    Returns
    -------
    ndarray or pyopencl.array.Array

    Raises
    ------
    DeviceError, DeviceMemoryError, BuildError
        As `filter_volume` raises them.
    """
    is_on_host = isinstance(volume, np.ndarray)
    limit = max_device_bytes() if is_on_host else None
    result = new_like(volume, job.shape, job.result_dtype, queue)
    try:
        executable = volume_filter(job, queue.context)
        needed = sum(_ends(job).values()) + executable.schedule.workspace_bytes
        if limit is None or needed <= limit:
            run(executable, queue, volume, result, recorder=recorder)
            return result
    except DeviceMemoryError:
        if not is_on_host:
            raise
    _filter_in_pieces(job, volume, result, room_of(queue.context, limit))
    return result


def _filter_in_pieces(job: VolumeJob, volume: np.ndarray, result: np.ndarray, room: Room) -> None:
    """Filter a volume by transforms in pieces; the host pads, applies gains and stores voxels."""
    forward = Request("r2c", "forward", "backward", (0, 1, 2), job.space, job.precision)
    inverse = replace(forward, kind="c2r", direction="inverse")
    margins = [(o - i) // 2 for o, i in zip(job.space, job.shape, strict=True)]
    widths = [
        (before, outer - inner - before)
        for before, outer, inner in zip(margins, job.space, job.shape, strict=True)
    ]
    mode: Any = {"zero": {}, "none": {}}.get(job.pad, PAD_MODE[job.pad])
    padded = np.pad(volume, widths, **mode) if job.padded else volume
    spectrum = np.empty(forward.result_shape(job.space), forward.dtype)
    transform(padded, spectrum, forward, room)
    gains = _slice_gains(job)
    for number, each in enumerate(spectrum):
        each *= gains(number)
    values = np.empty(job.space, inverse.dtype)
    transform(spectrum, values, inverse, room)
    inside = tuple(slice(m, m + n) for m, n in zip(margins, job.shape, strict=True))
    flat = job.flat
    size = flat.size
    plane, filtered = volume.reshape(size), values[inside].reshape(size)
    store_pixels(flat, plane[..., None], [plane], [filtered], result.reshape(*size, 1))


def _slice_gains(job: VolumeJob) -> Callable[[int], np.ndarray]:
    """Return a function from the number of a slice of half a spectrum to the gains there."""
    band = job.band
    assert isinstance(band, VolumeBand)
    along, down, across = map(bin_distances, job.space)
    across = across[: job.plane[1] // 2 + 1]
    real = REAL_DTYPE[job.precision]

    def gains(number: int) -> np.ndarray:
        start = band.slice_weight * int(along[number]) ** 2
        return band_gains(band, down, across, start).astype(real)

    return gains
