"""The passes of an image filter: pixels in, two transforms with gains between them, pixels out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, prod
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ..errors import PlanError
from ..planning.arguments import Buffer, Role, Scalar, Vector
from ..planning.hooks import Hooks, Parameter, Snippet
from ..planning.lookup import ROWS, Workclass
from ..planning.parameters import Given, Parameters, parameters_for
from ..planning.pass_parts import defines, extrema_group, kernel_size, uint
from ..planning.passes import Argument, Pass, Schedule, assign_buffers
from ..planning.planner import aligned_spectra, plan_passes
from ..planning.precision import COMPLEX_DTYPE, REAL_DTYPE
from ..planning.problem import Layout, Problem, lengths_and_axes, make_problem
from ..planning.solvers import BY_NAME
from ..planning.solvers.cols import there_and_back
from ..planning.solvers.lanes import MIN_LANES
from ..planning.tables import Constants, Laplacian
from ..planning.traits import Traits
from .bands import KINDS, SHAPES, Band, band_gains
from .masks import Mask

PADS = ("none", "periodic", "zero", "edge", "mirror")
CHANNELS = ("each", "luma")
SCALES = ("none", "clip", "max", "stretch")  # in the order of their numbers in pixels.cl
SPREADING = ("max", "stretch")  # the scales that depend on the range of all values
PARTS = ("real", "magnitude")  # in the order of their numbers in pixels.cl
PAD_MACRO = {"none": 0, "periodic": 0, "zero": 0, "edge": 1, "mirror": 2}
PADS_OF_LOADS = ("none", "zero", "edge", "mirror")  # that need no pass beside the first load
COLOURS = (3, 4)  # how many values a coloured pixel has: red, green and blue, perhaps alpha

UNPADDED = ("none", "periodic")  # the values of pad that leave the transform as large as the image

NO_PICTURE = ("highpass", "bandpass")  # the kinds that remove the mean brightness of a picture

MASK = Buffer("mask")  # the buffer of a caller's own gains
SMOOTH = Buffer("smooth")  # the workspace for spectra of the smooth parts of images

IMAGE_PLACE = "(global const PIXEL *)src, index"  # what load hooks pass on: the image and the place
IMAGE_PLACE_OF_VECTOR = f"{IMAGE_PLACE}, offset"


class Pixel(NamedTuple):
    """How a filter treats the pixels of a dtype.

    Attributes
    ----------
    c_type : str
        The type's name in OpenCL C.
    precision : {"single", "double"}
        The precision of the transforms.
    white : int or None
        The value of white in a picture; the result then has the dtype of the image. None if the
        pixels are numbers without a white; the result then has real numbers of the precision.
    """

    c_type: str
    precision: str
    white: int | None = None


# Pictures of 8 and 16 bits keep their dtype; all other pixels become real numbers.
PIXELS: dict[np.dtype, Pixel] = {
    np.dtype(np.uint8): Pixel("uchar", "single", 255),
    np.dtype(np.uint16): Pixel("ushort", "single", 65535),
    np.dtype(np.float16): Pixel("half", "single"),
    np.dtype(np.float32): Pixel("real", "single"),
    np.dtype(np.float64): Pixel("real", "double"),
    np.dtype(np.bool_): Pixel("uchar", "double"),
    np.dtype(np.int8): Pixel("char", "double"),
    np.dtype(np.int16): Pixel("short", "double"),
    np.dtype(np.int32): Pixel("int", "double"),
    np.dtype(np.uint32): Pixel("uint", "double"),
    np.dtype(np.int64): Pixel("long", "double"),
    np.dtype(np.uint64): Pixel("ulong", "double"),
}


@dataclass(frozen=True)
class FilterJob:
    """Everything but a mask's gains that decides how images are filtered; equal jobs share filters.

    Attributes
    ----------
    source, target : Layout
        Where the pixels of the array and those of the result lie.
    dtype : dtype
        The dtype of the array's pixels, a key of `PIXELS`.
    axes : (int, int)
        The axes of the array that are rows and columns, not negative.
    plane : (int, int)
        The rows and columns of the transform.
    band : Band or Mask
        The frequencies that pass, or the gains of a mask.
    pad, channels, scale, part : str
        The parameters of `filter_image`.
    maxval : float
        The greatest value of the result's pixels.
    algorithm : str or None
        The algorithm of the transforms.
    given : tuple of (str, object)
        Parameters of the kernels that count more than any that were measured.
    odd_before : bool
        If an odd number of rows, or of columns, surrounds the image, there is one more before it
        than behind it, as ImageJ has it. Otherwise there is one more behind it. The size of the
        transform decides, whatever the kind, because a mask does not know of which kind it is.
    """

    source: Layout
    target: Layout
    dtype: np.dtype
    axes: tuple[int, int]
    plane: tuple[int, int]
    band: Band | Mask
    pad: str = "none"
    channels: str = "each"
    scale: str = "max"
    part: str = "magnitude"
    maxval: float = 255
    algorithm: str | None = None
    given: Given = ()
    odd_before: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array, which is also that of the result."""
        return self.source.shape

    @property
    def size(self) -> tuple[int, int]:
        """Height and width of an image."""
        return self.shape[self.axes[0]], self.shape[self.axes[1]]

    @property
    def precision(self) -> str:
        """The precision of the transform."""
        return PIXELS[self.dtype].precision

    @property
    def workclass(self) -> Workclass:
        """The class under which parameters are measured and found."""
        batch = max(1, self.planes).bit_length() - 1
        kind = f"filter-{self.scale}"
        return Workclass(kind, self.precision, self.plane, ROWS, batch, self.algorithm or "")

    @property
    def channel_axis(self) -> int | None:
        """The axis of a pixel's values, if it has several."""
        return channel_axis(self.shape, self.axes)

    @property
    def values(self) -> int:
        """How many values a pixel has: 1, 3, or 4 with alpha."""
        return 1 if self.channel_axis is None else self.shape[self.channel_axis]

    @property
    def stack(self) -> tuple[int, ...]:
        """The axes of a stack of images."""
        others = {*self.axes, self.channel_axis}
        return tuple(a for a, n in enumerate(self.shape) if a not in others and n > 1)

    @property
    def images(self) -> int:
        """How many images the array holds."""
        return prod(self.shape[axis] for axis in self.stack)

    @property
    def luma(self) -> bool:
        """Whether brightness alone is filtered."""
        return self.channels == "luma" and self.values in COLOURS

    @property
    def planes(self) -> int:
        """How many transforms a batch has: one for each image, or for each of its colours."""
        return self.images * (1 if self.luma else min(self.values, 3))

    @property
    def is_real(self) -> bool:
        """Whether real transforms do: filtered values are real, or only their real part counts."""
        mirrored = isinstance(self.band, Band) or self.band.half
        return self.algorithm is None and (mirrored or self.part == "real")

    @property
    def logarithmic(self) -> bool:
        """Whether the planes hold logarithms of the brightness."""
        return isinstance(self.band, Mask) and bool(self.band.rule and self.band.rule.logarithmic)

    @property
    def needs_values(self) -> bool:
        """Whether a pixel of the result needs more than one filtered value, or the image itself."""
        return self.scale in SPREADING or self.luma or self.values > len("RGB")

    @property
    def result_dtype(self) -> np.dtype:
        """The image's dtype; a real one if there is no scale, or if the pixels have no white."""
        keeps = self.scale != "none" and PIXELS[self.dtype].white
        return self.dtype if keeps else REAL_DTYPE[self.precision]


def image_axes(shape: tuple[int, ...], axes: int | Sequence[int] | None = None) -> tuple[int, int]:
    """Return the axes of an array that are an image's rows and columns.

    Parameters
    ----------
    shape : tuple of int
        The shape of the array.
    axes : (int, int), optional
        The parameter of `filter_image`.

    Returns
    -------
    (int, int)
        The two axes, not negative.

    Raises
    ------
    PlanError
        A ValueError: the array does not have these axes, or it may be a stack and no axes are
        given.
    """
    if axes is not None:
        _, chosen = lengths_and_axes(shape, None, axes)
        if len(chosen) != 2:
            raise PlanError(f"axes= names two axes, the rows and the columns, not {axes}")
        rows, columns = chosen
    elif len(shape) == 2 or (len(shape) == 3 and shape[2] in (1, *COLOURS)):
        rows, columns = 0, 1
    else:
        raise PlanError(
            f"an image has the shape (height, width), (height, width, 3) or, with alpha, (height, "
            f"width, 4), not {shape}: for a stack of images name the axes of their rows and "
            "columns, such as axes=(1, 2)"
        )
    if not prod(shape):
        raise PlanError(f"an image has at least one pixel, not the shape {shape}")
    return rows, columns


def channel_axis(shape: tuple[int, ...], axes: tuple[int, int]) -> int | None:
    """Return the axis of a pixel's 3 or 4 values: the last, directly behind rows and columns."""
    last = len(shape) - 1
    return last if {last - 1, last - 2} == set(axes) and shape[last] in COLOURS else None


def usual_part(kind: str | None, keep_dc: bool) -> str:
    """Return the default part: the real number that a filtered, complex value becomes.

    If a filter removes the mean, values have both signs, and the magnitude shows their strength.
    If it keeps the mean, the result is a picture like the image, which the real part shows. A mask,
    whose kind is None, counts as a filter that keeps the mean.
    """
    return "magnitude" if kind in NO_PICTURE and not keep_dc else "real"


def usual_scale(dtype: np.dtype, kind: str | None, keep_dc: bool) -> str:
    """Return the default scale of a filter's result."""
    if not PIXELS[dtype].white:
        return "none"
    return "max" if usual_part(kind, keep_dc) == "magnitude" else "clip"


# --- passes ---------------------------------------------------------------------------------------


def filter_schedule(
    job: FilterJob, traits: Traits, parameters: Parameters | None = None
) -> Schedule:
    """Plan a filter: the passes of `real_passes` or of `complex_passes`, with their buffers.

    Parameters
    ----------
    job : FilterJob
        The job to plan.
    traits : Traits
        The traits of the device.
    parameters : Parameters, optional
        The parameters of the kernels; by default those that are usual for the device.

    Returns
    -------
    Schedule
        All passes with their buffers.

    Raises
    ------
    PlanError, DeviceError
        If `plan_passes` cannot plan one of the transforms.
    """
    parameters = parameters or parameters_for(traits)
    planned = real_passes if job.is_real else complex_passes
    passes = planned(job, traits, parameters)
    result_bytes = prod(job.shape) * job.result_dtype.itemsize
    schedule = assign_buffers(passes, 0 if job.is_real else result_bytes)  # reals stay in workspace
    if job.pad != "periodic":
        return schedule
    return _one_after_the_other(
        assign_buffers(smooth_passes(job, traits, parameters), 0), SMOOTH, schedule
    )


def _one_after_the_other(first: Schedule, result: Buffer, second: Schedule) -> Schedule:
    """Return one schedule of two; the result of the first one stays in a buffer of its own."""
    passes = tuple(
        replace(each, arguments={
            name: result if argument == Buffer("out") else argument
            for name, argument in each.arguments.items()
        })
        for each in first.passes
    )  # fmt: skip
    sizes = dict(first.workspace)
    for name, size in (*second.workspace, (result.name, first.passes[-1].target_bytes)):
        sizes[name] = max(size, sizes.get(name, 0))
    return Schedule((*passes, *second.passes), tuple(sorted(sizes.items())))


def smooth_passes(job: FilterJob, traits: Traits, parameters: Parameters) -> tuple[Pass, ...]:
    """Return the passes that leave the spectra of the smooth parts of images.

    An image is the sum of a part whose opposite edges fit together and of a smooth part, whose
    Laplacian is 0 but at the edges (L. Moisan, "Periodic plus smooth image decomposition", J. Math.
    Imaging Vis. 39, 2011). The Laplacian of the smooth part is known from the difference of
    opposite edges, and a division in the spectrum leads from there to the smooth part.
    """
    forward, _ = real_problems(job)
    load = replace(
        _load_hook(job),
        code=f"value = edge_difference({IMAGE_PLACE}, first, pitch, axes);",
        vector=f"value = edge_differences({IMAGE_PLACE_OF_VECTOR}, first, pitch, axes);",
    )
    macros = _spectrum_macros(job)
    rows, columns = job.plane
    pitch = forward.target.strides[1]
    store = Snippet(
        code="value = smooth_part(value, index, down, across);",
        vector="value = smooth_parts(value, index, down, across);",
        preamble=_preamble(macros, "gain.cl"),
        parameters=(
            Parameter("down", "global const real *", Laplacian(rows, rows, job.precision)),
            Parameter("across", "global const real *", Laplacian(columns, pitch, job.precision)),
        ),
    )
    return tuple(plan_passes(replace(forward, hooks=Hooks(load, store)), traits, None, parameters))


def real_passes(job: FilterJob, traits: Traits, parameters: Parameters) -> tuple[Pass, ...]:
    """Return the passes of a filter whose planes stay real: half of each spectrum tells all.

    The first transform reads the pixels and multiplies the spectrum by the gains. The second one
    stores pixels, too, unless it takes the range of all values to know what these become. On CPUs
    one pass ends the first transform and begins the second one, if it can (`there_and_back`).
    """
    forward, inverse = real_problems(job)
    pixels = None if job.needs_values else _store_hook(job)
    hooked = replace(forward, hooks=Hooks(_load_hook(job), filter_hook(job)))
    there = plan_passes(hooked, traits, None, parameters)
    back = plan_passes(replace(inverse, hooks=Hooks(store=pixels)), traits, None, parameters)
    passes = there_and_back(there, back)
    if pixels:
        return passes
    return (*passes, *real_planes_to_pixels(job, traits, parameters))


def real_planes_to_pixels(
    job: FilterJob, traits: Traits, parameters: Parameters
) -> tuple[Pass, ...]:
    """Return the passes that turn real planes into pixels, by rows if the device has vectors."""
    planned = _rows_to_pixels if takes_rows(traits, job) else _planes_to_pixels
    return planned(job, traits, parameters)


def complex_passes(job: FilterJob, traits: Traits, parameters: Parameters) -> tuple[Pass, ...]:
    """Return the passes of a filter of complex planes, in the textbook's order.

    The spectrum stays transposed between the two transforms, as in the textbook. So a solver of
    columns needs no transposition at all, and a solver of rows needs one for each transform.

    The filter is a store hook of the forward transform or, as in the textbook, a pass of its own.
    """
    rows, columns = job.plane
    spectra = (job.planes, columns, rows)
    forward = transform_problem(job, "forward", "out")
    fused = _takes_hooks(job.algorithm)
    if fused:
        forward = replace(forward, hooks=Hooks(store=filter_hook(job)))
    band = _transposed(job.band)
    return (
        _load_pixels(job, traits, parameters),
        *plan_passes(forward, traits, job.algorithm, parameters),
        *(() if fused else (filter_pass(band, spectra, job.precision, traits, parameters),)),
        *plan_passes(transform_problem(job, "inverse", "in"), traits, job.algorithm, parameters),
        *_planes_to_pixels(job, traits, parameters),
    )


def _transposed(band: Band | Mask) -> Band | Mask:
    """Return a band for transposed spectra. A mask stays as it is: gain.cl swaps its indices."""
    if isinstance(band, Mask):
        return band
    return replace(band, row_weight=band.column_weight, column_weight=band.row_weight)


def _takes_hooks(algorithm: str | None) -> bool:
    """Return whether an algorithm's transforms take hooks: not those of the textbook."""
    solver = BY_NAME.get(algorithm or "")
    return algorithm is None or (solver is not None and not solver.rows_only)


def transform_problem(job: FilterJob, direction: str, transposed: str = "out") -> Problem:
    """Return a transform of complex planes, whose input ("in") or output ("out") is transposed."""
    return make_problem(
        (job.planes, *job.plane),
        COMPLEX_DTYPE[job.precision],
        (1, 2),
        direction=direction,
        transposed=transposed,
    )


def real_problems(job: FilterJob) -> tuple[Problem, Problem]:
    """Return the transforms of real planes, there and back.

    Rows of a spectrum begin at lines of the cache.
    """
    shape, axes = (job.planes, *job.plane), (1, 2)
    forward = make_problem(shape, REAL_DTYPE[job.precision], axes, "r2c")
    inverse = make_problem(shape, COMPLEX_DTYPE[job.precision], axes, "c2r", "inverse")
    spectra = aligned_spectra(forward)
    return replace(forward, target=spectra), replace(inverse, source=spectra)


def filter_pass(
    band: Band | Mask,
    spectra: tuple[int, int, int],
    precision: str,
    traits: Traits,
    parameters: Parameters,
) -> Pass:
    """Return the pass that multiplies spectra by gains, in place.

    Parameters
    ----------
    band : Band or Mask
        The band, whose weights are for the rows and columns as they lie in memory; or the mask, for
        spectra that lie transposed.
    spectra : (int, int, int)
        The number of spectra, and the rows and columns of each in memory.
    precision : {"single", "double"}
        The precision of the spectra.
    traits, parameters
        The device's traits, and the parameters of the kernels.

    Returns
    -------
    Pass
        A launch of maskFilter for a mask; of the textbook's highPassFilter for an ideal highpass
        that does not keep DC; of bandFilter for any other band.
    """
    count, rows, columns = spectra
    macros: dict[str, int | str] = {"DOUBLE": int(precision == "double")}
    numbers: dict[str, Argument]
    if isinstance(band, Mask):
        kernel, numbers, step = "maskFilter", {"mask": MASK}, str(band)
        macros |= band.macros
    else:
        kernel, step = "bandFilter", f"{band.kind}, {band.shape}"
        numbers = {each.name: each.argument for each in gain_parameters(band, precision)}
        if (band.kind, band.shape, band.keep_dc) == ("highpass", "ideal", False):
            kernel = "highPassFilter"
            numbers = {
                "row_weight": numbers["row_weight"],
                "column_weight": numbers["column_weight"],
                "pass_from": numbers["low_first"],
            }
        else:
            macros |= gain_macros(band)
    nbytes = prod(spectra) * COMPLEX_DTYPE[precision].itemsize
    return launch(
        kernel, "textbook/highPassFilter.cl", macros, (columns, rows, count), traits, parameters,
        {"data": Role.DATA, "rows": uint(rows), "columns": uint(columns), **numbers},
        reads=nbytes, writes=nbytes, step=step,
    )  # fmt: skip


def filter_hook(job: FilterJob) -> Snippet:
    """Return a store hook that multiplies the spectra of the job's forward transform by gains."""
    macros = _spectrum_macros(job)
    if isinstance(job.band, Mask):
        macros |= job.band.macros
        mask = Parameter("mask", f"global const {macros['MASK_TYPE']} *", MASK)
        return _but_for_smooth_parts(job, Snippet(
            code="value = masked_at(value, index, mask);",
            vector="value = times_masked(value, index, mask);",
            preamble=_preamble(macros, "gain.cl"),
            parameters=(mask,),
        ), "masked_at(smooth_value, 0, mask)", "times_dc_masked(smooth_value, mask)")  # fmt: skip
    band = job.band if job.is_real else _transposed(job.band)
    assert isinstance(band, Band)
    macros |= gain_macros(band)
    if band.greatest_distance(*(job.plane if job.is_real else job.plane[::-1])) < 2**32:
        macros["DISTANCE_TYPE"] = "uint"
    parameters = gain_parameters(band, job.precision)
    names = ", ".join(each.name for each in parameters)
    return _but_for_smooth_parts(job, Snippet(
        code=f"value *= gain_at(index, {names});",
        vector=f"value = times_gains(value, index, {names});",
        preamble=_preamble(macros, "gain.cl"),
        parameters=parameters,
    ), *(2 * [f"smooth_value * {_gain_of_dc(band)}"]))  # fmt: skip


def _spectrum_macros(job: FilterJob) -> dict[str, int | str]:
    """Return the macros by which gain.cl knows where the bins of spectra lie."""
    rows, columns = job.plane
    macros: dict[str, int | str] = {"PLACE_TYPE": _place_type(job)}
    if not job.is_real:
        return macros | {"SPECTRUM_ROWS": columns, "SPECTRUM_COLUMNS": rows}
    pitch = real_problems(job)[0].target.strides[1]
    macros |= {"SPECTRUM_ROWS": rows, "SPECTRUM_COLUMNS": columns, "SPECTRUM_PITCH": pitch}
    return macros | {"SPECTRUM_TRANSPOSED": 0, "REAL_RESULT": 1}


def _gain_of_dc(band: Band) -> int:
    """Return what a band leaves of DC: all or nothing, whatever its shape."""
    at_dc = np.zeros(1, np.uint64)
    return int(band_gains(band, at_dc, at_dc).item())


def _but_for_smooth_parts(
    job: FilterJob, hook: Snippet, smooth: str, smooth_vector: str
) -> Snippet:
    """Return a hook that multiplies the smooth parts of images by the gain of DC alone, if need be.

    Where a function has no Laplacian, a filter that is alike in all directions multiplies it by its
    gain of DC: the mean of the function on each circle is its value in the middle.
    """
    if job.pad != "periodic":
        return hook
    return replace(
        hook,
        code=f"cplx smooth_value = smooth[index]; value -= smooth_value; {hook.code} "
        f"value += {smooth};",
        vector="target_vector smooth_value = values_at(smooth, index); value -= smooth_value; "
        f"{hook.vector} value += {smooth_vector};",
        parameters=(*hook.parameters, Parameter("smooth", "global const cplx *", SMOOTH)),
    )


def _preamble(macros: Mapping[str, int | str], file: str) -> str:
    lines = (f"#define {name} {value}" for name, value in macros.items())
    return "\n".join([*lines, f'#include "{file}"'])


def _place_type(job: FilterJob) -> str:
    """Return the type of an index over all planes, or over all of their spectra."""
    spectra = aligned_spectra(real_problems(job)[0])
    return "uint" if max(job.planes * prod(job.plane), spectra.span) < 2**32 else "ulong"


def gain_macros(band: Band) -> dict[str, int | str]:
    """Return the macros by which gain.cl knows a band's kind and shape."""
    return {
        "KIND": KINDS.index(band.kind),
        "SHAPE": SHAPES.index(band.shape),
        "KEEP_DC": int(band.keep_dc),
    }


def gain_parameters(band: Band, precision: str) -> tuple[Parameter, ...]:
    """Return the numbers that gain.cl needs of a band, in the order of `gain_at`'s parameters."""
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
    """Return a number as a real argument; if its type cannot hold it, the type's nearest one."""
    dtype = REAL_DTYPE[precision]
    least, greatest = float(np.finfo(dtype).tiny), float(np.finfo(dtype).max)
    return Scalar(dtype.name, min(max(float(value), least), greatest) if value else 0.0)


def _load_hook(job: FilterJob) -> Snippet:
    """Return the hook in the place of the first load: pixels as the numbers of planes."""
    return Snippet(
        code=f"value = plane_point({IMAGE_PLACE}, first, pitch, axes);",
        vector=f"value = plane_vector({IMAGE_PLACE_OF_VECTOR}, first, pitch, axes);",
        preamble=pixel_preamble(job),
        parameters=places(job, job.source),
        replaces=True,
    )


def _store_hook(job: FilterJob) -> Snippet:
    """Return the hook in the place of the last store: the numbers of planes as pixels."""
    top = Parameter("top", "real", Scalar(REAL_DTYPE[job.precision].name, job.maxval))
    return Snippet(
        code="store_point((global RESULT_PIXEL *)dst, index, value, first, pitch, axes, top);",
        vector="store_pixels((global RESULT_PIXEL *)dst, index, value, first, pitch, axes, top);",
        preamble=pixel_preamble(job),
        parameters=(*places(job, job.target), top),
        replaces=True,
    )


def pixel_preamble(
    job: FilterJob,
    file: str = "image/planes.cl",
    more: Mapping[str, int | str] = MappingProxyType({}),
) -> str:
    """Return the preamble of hooks that read or write pixels: macros, and the include of a file."""
    sides = zip(("PLANE_ROWS", "PLANE_COLUMNS"), job.plane, strict=True)
    image = zip(("IMAGE_ROWS", "IMAGE_COLUMNS"), job.size, strict=True)
    macros = {**_pixel_macros(job), **dict(sides), **dict(image), "PLACE_TYPE": _place_type(job)}
    return _preamble({**macros, **more}, file)


def places(job: FilterJob, layout: Layout) -> tuple[Parameter, ...]:
    """Return a hook's parameters that tell where an array lies."""
    return (
        Parameter("first", "long", Scalar("int64", layout.offset)),
        Parameter("pitch", "long", Scalar("int64", layout.strides[job.axes[0]])),
        Parameter("axes", "global const long *", _stack(job)),
    )


def _load_pixels(job: FilterJob, traits: Traits, parameters: Parameters) -> Pass:
    rows, columns = job.plane
    height, width = job.size
    return launch(
        "loadPixels", "image/pixels.cl", _kernel_macros(job, traits, parameters),
        (columns, rows, job.planes),
        traits, parameters,
        {
            "image": Role.SOURCE,
            "planes": Role.TARGET,
            "sizes": _frame(job),
            "source": _where(job, job.source),
            "axes": _stack(job),
        },
        reads=prod(job.shape) * job.dtype.itemsize,
        writes=_plane_bytes(job),
        step=f"{width}x{height} {job.dtype} into {job.planes} x {columns}x{rows}",
    )  # fmt: skip


def _planes_to_pixels(job: FilterJob, traits: Traits, parameters: Parameters) -> tuple[Pass, ...]:
    """Return the passes that find the range of filtered values, if need be, and store pixels."""
    extrema = _extrema(job, traits, parameters) if job.scale in SPREADING else ()
    return (*extrema, _store_pixels(job, traits, parameters))


def _extrema(job: FilterJob, traits: Traits, parameters: Parameters) -> tuple[Pass, Pass]:
    """Return two passes: the extrema of each group's values, then those of each whole image."""
    macros = _kernel_macros(job, traits, parameters)
    group = int(macros["GROUP"])
    values = prod(job.size) * job.planes // job.images
    groups = max(1, min(parameters["extrema_groups"], values // group))
    extremes = 2 * COMPLEX_DTYPE[job.precision].itemsize
    parts = Pass(
        kernel="extrema",
        source="image/pixels.cl",
        defines=tuple((name, str(value)) for name, value in macros.items()),
        global_size=(groups * group, job.images),
        local_size=(group, 1),
        arguments={
            "data": Role.DATA,
            "image": Buffer("in"),
            "parts": Buffer("extrema"),
            "sizes": _frame(job),
            "source": _where(job, job.source),
            "axes": _stack(job),
        },
        reads=_plane_bytes(job) + prod(job.shape) * job.dtype.itemsize,
        writes=job.images * groups * extremes,
        step=f"of {groups} groups",
        scratch=(("extrema", job.images * groups * extremes),),
        local_bytes=group * extremes,
    )  # fmt: skip
    all_of_them = replace(
        parts,
        kernel="extremaOfParts",
        global_size=(group, job.images),
        arguments={
            "parts": Buffer("extrema"),
            "range": Buffer("range"),
            "count": uint(groups),
        },
        reads=job.images * groups * extremes,
        writes=job.images * extremes // 2,
        step="of all",
        scratch=(),
    )
    return parts, all_of_them


def _store_pixels(job: FilterJob, traits: Traits, parameters: Parameters) -> Pass:
    height, width = job.size
    return launch(
        "storePixels", "image/pixels.cl", _kernel_macros(job, traits, parameters),
        (width, height, job.images),
        traits, parameters,
        {
            "planes": Role.SOURCE,
            "result": Role.TARGET,
            "range": Buffer("range"),
            "image": Buffer("in"),
            "sizes": _frame(job),
            "source": _where(job, job.source),
            "target": _where(job, job.target),
            "axes": _stack(job),
            "top": Scalar(REAL_DTYPE[job.precision].name, job.maxval),
        },
        reads=_plane_bytes(job),
        writes=prod(job.shape) * job.result_dtype.itemsize,
        step=f"{job.part} to {job.result_dtype}, {job.scale}",
        scratch=(("range", job.images * COMPLEX_DTYPE[job.precision].itemsize),),
    )  # fmt: skip


def takes_rows(traits: Traits, job: FilterJob) -> bool:
    """Return whether pixelRows.cl turns real planes into pixels: on CPUs that have vectors."""
    return traits.is_cpu and traits.lanes >= MIN_LANES * (1 + (job.precision == "double"))


def _rows_to_pixels(job: FilterJob, traits: Traits, parameters: Parameters) -> tuple[Pass, ...]:
    """Return the passes of pixelRows.cl: of the range of values, if need be, and of the pixels."""
    height, _ = job.size
    groups = min(parameters["filter_rows"] * traits.compute_units, height)
    lanes = traits.lanes // (1 + (job.precision == "double"))
    extremes = 2 * COMPLEX_DTYPE[job.precision].itemsize
    parts = job.images * groups * extremes
    store = Pass(
        kernel="storeRows",
        source="image/pixelRows.cl",
        defines=defines(
            job.precision, LANES=lanes, VECTOR_BITS=32 * traits.lanes, **_pixel_macros(job)
        ),
        global_size=(groups, job.images),
        local_size=(1, 1),
        arguments={
            "planes": Role.SOURCE,
            "result": Role.TARGET,
            "parts": Buffer("extrema"),
            "image": Buffer("in"),
            "sizes": _frame(job),
            "source": _where(job, job.source),
            "target": _where(job, job.target),
            "axes": _stack(job),
            "count": uint(groups),
            "top": Scalar(REAL_DTYPE[job.precision].name, job.maxval),
        },
        reads=_plane_bytes(job),
        writes=prod(job.shape) * job.result_dtype.itemsize,
        step=f"{job.part} to {job.result_dtype}, {job.scale}",
        scratch=(("extrema", parts),),
    )  # fmt: skip
    if job.scale not in SPREADING:
        return (store,)
    find = replace(
        store,
        kernel="extremaOfRows",
        arguments={
            "data": Role.DATA,
            "image": Buffer("in"),
            "parts": Buffer("extrema"),
            "sizes": _frame(job),
            "source": _where(job, job.source),
            "axes": _stack(job),
        },
        reads=_plane_bytes(job) + prod(job.shape) * job.dtype.itemsize,
        writes=parts,
        step=f"of {groups} groups",
    )
    return find, store


def launch(
    kernel: str,
    source: str,
    macros: Mapping[str, int | str],
    items: tuple[int, ...],
    traits: Traits,
    parameters: Parameters,
    arguments: Mapping[str, Argument],
    **details: Any,
) -> Pass:
    """Return a pass with a work-item for each of `items`; groups may round up two of its sizes."""
    sizes, local = kernel_size(kernel, items[:2], traits, parameters)
    sizes, local = sizes + items[2:], local + (1,) * len(items[2:])
    defines = tuple((name, str(value)) for name, value in macros.items())
    return Pass(
        kernel=kernel, source=source, defines=defines, global_size=sizes, local_size=local,
        arguments=arguments, **details,
    )  # fmt: skip


def _pixel_macros(job: FilterJob) -> dict[str, int | str]:
    """Return the macros of planes.cl. All passes of a job have the same ones."""
    pixel = PIXELS[job.dtype].c_type
    keeps = job.result_dtype == job.dtype
    steps = {
        f"{side}_{step}": 0 if axis is None else layout.strides[axis]
        for side, layout in (("PIXEL", job.source), ("RESULT", job.target))
        for step, axis in (("STEP", job.axes[1]), ("CHANNEL", job.channel_axis))
    }
    return {
        "PIXEL": pixel,
        "HALF_PIXELS": int(pixel == "half"),
        "RESULT_PIXEL": pixel if keeps else "real",
        "ROUND": int(job.result_dtype.kind == "u"),
        "CHANNELS": job.values,
        **steps,
        "STACK": len(job.stack),
        "LUMA": int(job.luma),
        "PAD": PAD_MACRO[job.pad],
        **({"ODD_BEFORE": 1} if job.odd_before else {}),
        "REAL_PLANES": int(job.is_real),
        "MAGNITUDE": PARTS.index(job.part),
        **_logarithm_macros(job),
        "SCALE": SCALES.index(job.scale),
    }


def _logarithm_macros(job: FilterJob) -> dict[str, int | str]:
    """Return the macros of a filter of logarithms; all others have none of them."""
    if not job.logarithmic:
        return {}
    return {"LOGARITHMIC": 1, "GREY_STEP": f"CONST({grey_step(job)!r})"}


def grey_step(job: FilterJob) -> float:
    """Return one of 255 steps from black to white: planes hold log(1 + v / step).

    So the pixels of a picture mean the same in 8 bits, in 16 bits, and as floats from 0 to 1.
    """
    return float(job.maxval) / 255


def _kernel_macros(job: FilterJob, traits: Traits, parameters: Parameters) -> dict[str, int | str]:
    """Return the macros of pixels.cl. All passes of a job have the same ones, and one program."""
    extremes = 2 * COMPLEX_DTYPE[job.precision].itemsize
    return {
        "DOUBLE": int(job.precision == "double"),
        **_pixel_macros(job),
        "GROUP": extrema_group(traits, parameters, extremes),
    }


def _frame(job: FilterJob) -> Vector:
    return Vector("uint32", (*job.plane, *job.size))


def _where(job: FilterJob, layout: Layout) -> Vector:
    """Return an array's first element, and the distance from one row to the next, in elements."""
    return Vector("int64", (layout.offset, layout.strides[job.axes[0]]))


def _stack(job: FilterJob) -> Constants:
    """Return the extent, and both arrays' strides, of every axis of the stack, last axis first."""
    values = [
        number
        for axis in reversed(job.stack)
        for number in (job.shape[axis], job.source.strides[axis], job.target.strides[axis])
    ]
    return Constants(tuple(values or [1, 0, 0]))


def _plane_bytes(job: FilterJob) -> int:
    dtypes = REAL_DTYPE if job.is_real else COMPLEX_DTYPE
    return job.planes * prod(job.plane) * dtypes[job.precision].itemsize
