"""Frames of signals and their spectra, planned: one launch for framing, window and transform."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod
from typing import NamedTuple

import numpy as np

from ..planning.arguments import Buffer, Role, Scalar
from ..planning.hooks import Hooks, Parameter, Snippet
from ..planning.lookup import COLUMNS, ISTFT, ROWS, STFT, Workclass
from ..planning.parameters import Parameters
from ..planning.pass_parts import defines, device_size, extrema_group, uint
from ..planning.passes import Pass, Schedule, assign_buffers
from ..planning.planner import plan_passes
from ..planning.precision import COMPLEX_DTYPE, REAL_DTYPE
from ..planning.problem import Layout, Problem, make_problem, plain_layout
from ..planning.solvers.stockham import LINE_BYTES, SECTOR_BYTES
from ..planning.solvers.textbook import local_radix2
from ..planning.traits import Traits
from .framing import PADDINGS, Framing, Magnitudes
from .summed_frames import summed

GREATEST = Buffer("greatest")
# The weights of a frame's points, which the caller gives to an executable: those of the window, or
# on the way back those of the dual window.
WINDOW = Buffer("window")

LEAST_REACH = 4  # stretches are at least so many times as long as the frames that hold a sample
WIDEST = 16  # the most samples that a work-item of a CPU computes at once
ALIGNED = 16  # the first frame of a stretch is a multiple of it, so that lines of the cache fit
MIRRORED = ("reflect", "symmetric")  # paddings that may mirror a short signal several times

# How many frames share a work-group of a GPU if the frames of a bin are neighbours in memory: on an
# H200, the first of these numbers with which groups store whole sectors of the cache was quickest.
WHOLE_SECTORS = (4, 8)
LEAST_OF_FOUR = 2048  # the fewest points of a frame of which groups have 4
MOST_FRAMES = 16  # that a group has if it cannot store whole sectors: as many as fill a line, or so
# The radices of frames whose bins are neighbours, as was quickest on an H200 in single precision.
# Two samples are a point, so that these are frames of 2048 and of 4096 samples.
FRAME_RADICES = ((16, 4, 16), (16, 8, 16))
LEAST_GROUP = 128  # work-items that these radices need


def framing_problem(framing: Framing, target: Layout | None = None) -> Problem:
    """Return the transform of all frames, as though an array in memory held them.

    Parameters
    ----------
    framing : Framing
        How the signals are framed.
    target : Layout, optional
        Where spectra lie, in the shape (signals, frames, bins); one behind the other by default.

    Returns
    -------
    Problem
        The transform, without the hooks that read frames from signals.
    """
    shape = (framing.signals, framing.frames, framing.n_fft)
    problem = make_problem(shape, framing.dtype, 2, "r2c")
    return replace(problem, target=target) if target else problem


def stft_schedule(
    framing: Framing,
    traits: Traits,
    algorithm: str | None,
    parameters: Parameters,
    *,
    target: Layout | None = None,
    magnitudes: Magnitudes | None = None,
) -> Schedule:
    """Plan the way from signals to spectra or to magnitudes.

    Parameters
    ----------
    framing : Framing
        How the signals are framed.
    traits, parameters
        The traits of the device, and the parameters of kernels.
    algorithm : str or None
        The algorithm of the transforms.
    target : Layout, optional
        The parameter of `framing_problem`.
    magnitudes : Magnitudes, optional
        The real numbers that are wanted instead of spectra.

    Returns
    -------
    Schedule
        The passes, in which "in" are the samples and "out" is the result.

    Raises
    ------
    PlanError, PrecisionError
        As `plan_passes` raises them.
    """
    problem = framing_problem(framing, target)
    real = magnitudes is not None
    parameters = frame_parameters(parameters, framing, problem.target, traits, real=real)
    relates = magnitudes is not None and (magnitudes.relative or magnitudes.decibels)
    finds = relates and algorithm == local_radix2.NAME and framing.precision == "single"
    store = magnitude_hook(framing, magnitudes, problem.target, finds) if magnitudes else None
    hooked = replace(problem, hooks=Hooks(frame_hook(framing), store))
    passes = plan_passes(hooked, traits, algorithm, parameters)
    if magnitudes and relates:
        passes = related(passes, framing, magnitudes, traits, parameters, found=finds)
    # A result of real numbers, or one with gaps, has no room for complex numbers between passes.
    ours = 0 if magnitudes or not problem.target.is_dense else problem.nbytes
    return assign_buffers(passes, ours)


def frame_parameters(
    parameters: Parameters, framing: Framing, target: Layout, traits: Traits, *, real: bool = False
) -> Parameters:
    """Return parameters with those of frames in the places of the Stockham kernel's own.

    Parameters
    ----------
    parameters : Parameters
        The parameters of kernels.
    framing : Framing
        How the signals are framed.
    target : Layout
        Where spectra lie, in the shape (signals, frames, bins).
    traits : Traits
        The traits of the device.
    real : bool
        Whether the results are real numbers, such as magnitudes, instead of spectra.

    Returns
    -------
    changed : Parameters
    """
    if framing.n_fft < parameters["stft_points"]:
        return parameters
    names = ("columns", "parts") if by_bins(target) else ("group",)
    values = {f"stockham_{name}": parameters[f"stft_{name}"] for name in names}
    if not by_bins(target):
        values["stockham_radices"] = _radices_of(framing, traits, parameters)
    elif values["stockham_columns"] < 0:
        dtype = (REAL_DTYPE if real else COMPLEX_DTYPE)[framing.precision]
        values["stockham_columns"] = _frames_of_group(framing.n_fft, target, dtype.itemsize)
    return parameters.over({name: each for name, each in values.items() if each}, STFT)


def _radices_of(
    framing: Framing, traits: Traits, parameters: Parameters
) -> tuple[tuple[int, ...], ...]:
    """Return the radices of frames whose bins are neighbours; none if rules choose them.

    The steps of longer frames may have as many points, but they are columns.
    """
    chosen = parameters["stockham_radices"] or parameters["stockham_points"] > 0
    fits = traits.max_work_group_size >= LEAST_GROUP and not traits.is_cpu
    if chosen or not fits or framing.precision != "single":
        return ()
    return tuple(each for each in FRAME_RADICES if 2 * prod(each) == framing.n_fft)


def _frames_of_group(n_fft: int, target: Layout, itemsize: int) -> int:
    """Return how many frames share a work-group if the frames of a bin are neighbours.

    A group of few frames leaves room for other groups on its multiprocessor. But a sector of the
    cache of which two groups store a part each takes twice as long. So if runs of frames cannot
    begin and end with sectors, the runs are long, and have few ends.
    """
    signals, _, bins = target.strides
    begins = target.offset, bins, signals if target.shape[0] > 1 else 0
    for frames in WHOLE_SECTORS if n_fft >= LEAST_OF_FOUR else WHOLE_SECTORS[1:]:
        if not any(each * itemsize % SECTOR_BYTES for each in (*begins, frames)):
            return frames
    return min(LINE_BYTES // itemsize, MOST_FRAMES)


def by_bins(layout: Layout | None) -> bool:
    """Return whether the frames of a bin are nearer to each other than the bins of a frame."""
    return layout is not None and layout.strides[1] < layout.strides[2]


def workclass_of(
    framing: Framing, layout: Layout | None, algorithm: str | None, back: bool
) -> Workclass:
    """Return the class under which parameters are measured and found.

    Parameters
    ----------
    framing : Framing
        How the signals are framed. Windows and paddings make no difference.
    layout : Layout or None
        Where spectra lie in memory; frame by frame by default.
    algorithm : str or None
        The algorithm of the transforms.
    back : bool
        Whether spectra become signals, rather than signals spectra.

    Returns
    -------
    Workclass
    """
    return Workclass(
        ISTFT if back else STFT,
        framing.precision,
        (framing.n_fft, framing.hop),
        COLUMNS if by_bins(layout) else ROWS,
        max(1, framing.signals * framing.frames).bit_length() - 1,
        algorithm or "",
    )


def istft_schedule(
    framing: Framing,
    source: Layout,
    traits: Traits,
    algorithm: str | None,
    parameters: Parameters,
) -> Schedule:
    """Plan the way from spectra to signals.

    Parameters
    ----------
    framing : Framing
        How the signals are framed: `samples` of each are wanted, `first` and `pitch` say where the
        signals go.
    source : Layout
        Where spectra lie, in the shape (signals, frames, bins).
    traits, parameters
        The traits of the device, and the parameters of kernels.
    algorithm : str or None
        The algorithm of the transforms.

    Returns
    -------
    Schedule

    Raises
    ------
    PlanError, PrecisionError
        As `plan_passes` raises them.
    """
    schedules = [
        _stretch_schedule(each, framing, source, traits, algorithm, parameters)
        for each in stretches_of(framing, parameters["istft_chunk"])
    ]
    workspace: dict[str, int] = {}
    for schedule in schedules:
        for name, nbytes in schedule.workspace:
            workspace[name] = max(nbytes, workspace.get(name, 0))
    passes = tuple(each for schedule in schedules for each in schedule.passes)
    return Schedule(passes, tuple(sorted(workspace.items())))


class Stretch(NamedTuple):
    """Samples of signals that are computed together, and the frames that hold them.

    Attributes
    ----------
    signal, signals : int
        The number of the first signal, and how many signals there are.
    sample, samples : int
        The number of the first sample of each signal, and how many samples there are.
    frame, frames : int
        The number of the first frame of each signal, and how many frames there are.
    """

    signal: int
    signals: int
    sample: int
    samples: int
    frame: int
    frames: int


def stretches_of(framing: Framing, chunk: int) -> list[Stretch]:
    """Return the stretches in which signals are computed from their frames.

    Parameters
    ----------
    framing : Framing
        How the signals are framed.
    chunk : int
        About how many bytes the frames of a stretch have; 0 for one stretch with all of them.

    Returns
    -------
    list of Stretch
        Together they have each sample once. Frames that reach into two stretches are in both, and
        so are some before them.
    """
    item = framing.n_fft * framing.dtype.itemsize
    each = framing.frames * item
    if not chunk or each * framing.signals <= chunk:
        return [Stretch(0, framing.signals, 0, framing.samples, 0, framing.frames)]
    together = max(1, chunk // each)
    reach = -(-framing.n_fft // framing.hop)  # frames that hold a sample
    hops = max(chunk // item - reach, LEAST_REACH * reach) if each > chunk else framing.frames
    step = hops * framing.hop if each > chunk else framing.samples
    return [
        _stretch(framing, signal, min(together, framing.signals - signal), sample, step)
        for signal in range(0, framing.signals, together)
        for sample in range(0, framing.samples, step)
    ]


def _stretch(framing: Framing, signal: int, signals: int, sample: int, step: int) -> Stretch:
    """Return the stretch of at most `step` samples, with all frames that hold one of them."""
    samples = min(step, framing.samples - sample)
    at = sample + framing.before
    first = max(0, -(-(at - framing.n_fft + 1) // framing.hop)) // ALIGNED * ALIGNED
    first = min(first, framing.frames - 1)
    end = min(framing.frames, (at + samples - 1) // framing.hop + 1)
    return Stretch(signal, signals, sample, samples, first, max(1, end - first))


def _stretch_schedule(
    stretch: Stretch,
    framing: Framing,
    source: Layout,
    traits: Traits,
    algorithm: str | None,
    parameters: Parameters,
) -> Schedule:
    """Plan the way from the spectra of a stretch to its samples."""
    by_signal, by_frame, _ = source.strides
    offset = source.offset + stretch.signal * by_signal + stretch.frame * by_frame
    shape = (stretch.signals, stretch.frames, *source.shape[2:])
    part = replace(framing, signals=stretch.signals, frames=stretch.frames)
    problem = spectra_problem(part, Layout(shape, source.strides, offset, source.real))
    frames = plan_passes(problem, traits, algorithm, parameters)
    before, start = _wanted(stretch, part)
    wanted = stretch.samples, before, start
    joined = summed(frames, part, source.strides, wanted, WINDOW, traits, parameters)
    if joined:
        return assign_buffers((joined,), 0)
    return assign_buffers((*frames, _overlap_add(stretch, part, traits, parameters)), 0)


def _wanted(stretch: Stretch, part: Framing) -> tuple[int, int]:
    """Return which sample of the first frame is a stretch's first one, and where it goes."""
    before = part.before + stretch.sample - stretch.frame * part.hop
    return before, part.first + stretch.signal * part.pitch + stretch.sample


def _overlap_add(stretch: Stretch, part: Framing, traits: Traits, parameters: Parameters) -> Pass:
    """Return the pass that adds the frames of a stretch up; `part` says how these are framed."""
    item = part.dtype.itemsize
    lanes = traits.lanes // (1 + (part.precision == "double"))
    width = min(lanes, WIDEST) if traits.is_cpu and part.hop >= 2 * lanes else 1
    before, start = _wanted(stretch, part)
    end = before + stretch.samples
    sizes: tuple[int, ...]
    local: tuple[int, ...]
    if width > 1:
        hops = -(-end // part.hop) - before // part.hop
        shares = min(hops, parameters["lanes_groups"] * traits.compute_units)
        sizes, local = (shares, 1, stretch.signals), (1, 1, 1)
    else:
        items = (stretch.samples, 1, stretch.signals)
        sizes, local = device_size(items, parameters["group"], traits)
    macros = {
        "FRAME_POINTS": part.n_fft,
        "WIDTH": width,
        "FAR": int(end + part.n_fft >= 2**32),
        "VECTOR_BITS": 32 * traits.lanes if width > 1 else 0,
    }
    return Pass(
        kernel="overlapAdd",
        source="audio/overlapAdd.cl",
        defines=defines(part.precision, **macros),
        global_size=sizes,
        local_size=local,
        arguments={
            "data": Role.SOURCE,
            "signals": Role.TARGET,
            "dual": WINDOW,
            "samples": Scalar("uint64", stretch.samples),
            "frames": uint(stretch.frames),
            "hop": uint(part.hop),
            "reach": uint(-(-part.n_fft // part.hop)),
            "before": Scalar("uint64", before),
            "start": Scalar("uint64", start),
            "pitch": Scalar("uint64", part.pitch),
        },
        reads=part.points * item,
        writes=stretch.signals * stretch.samples * item,
        step=f"{stretch.frames} frames of {part.n_fft}, {part.hop} apart",
    )


def spectra_problem(framing: Framing, source: Layout) -> Problem:
    """Return the transform of all spectra back to frames."""
    shape = (framing.signals, framing.frames, framing.n_fft)
    problem = make_problem(
        (*shape[:2], framing.bins), COMPLEX_DTYPE[framing.precision], 2, "c2r", "inverse",
        s=framing.n_fft,
    )  # fmt: skip
    return replace(problem, shape=shape, source=source, target=plain_layout(shape, real=True))


def frame_hook(framing: Framing) -> Snippet:
    """Return the hook that takes the place of a transform's first load, and reads frames."""
    numbers = (
        Parameter("first", "ulong", Scalar("uint64", framing.first)),
        Parameter("pitch", "ulong", Scalar("uint64", framing.pitch)),
        Parameter("samples", "ulong", Scalar("uint64", framing.samples)),
        Parameter("frames", "uint", uint(framing.frames)),
        Parameter("hop", "uint", uint(framing.hop)),
        Parameter("before", "long", Scalar("int64", framing.before)),
        Parameter("pad", "uint", uint(framing.pad)),
    )
    places = (framing.first, framing.pitch, framing.samples, framing.hop, framing.before)
    macros = {
        "PADDING": PADDINGS.index(framing.padding),
        "FRAME_POINTS": framing.n_fft,
        "SIGNALS": int(framing.signals > 1),
        "WINDOWED": int(framing.windowed),
        "NEAR": int(framing.padding not in MIRRORED or framing.pad < framing.samples),
        "PAIRS": int(not any(each % 2 for each in places)),
        "FAR": int(max(framing.points, framing.samples + framing.n_fft) >= 2**31),
    }
    return Snippet(
        code="value = frame_point(src, index, FRAMING);",
        vector="value = frame_vector(src, index, offset, FRAMING);",
        preamble=_preamble(macros, "audio/frames.cl"),
        parameters=(Parameter("window", "global const real * restrict", WINDOW), *numbers),
        replaces=True,
    )


def magnitude_hook(
    framing: Framing, magnitudes: Magnitudes, target: Layout, finds: bool = False
) -> Snippet:
    """Return the hook that takes the place of a transform's last store, and stores magnitudes.

    Parameters
    ----------
    framing, magnitudes
        The parameters of `stft_schedule`.
    target : Layout
        Where all bins would lie; the bins that are wanted have the same strides.
    finds : bool
        The kernel also finds the greatest number of all: localRadix2 in single precision.

    Returns
    -------
    Snippet
    """
    exponent = Scalar(framing.dtype.name, magnitudes.exponent)
    apart = Scalar("uint64", target.strides[2])
    macros = _hook_macros(framing, magnitudes)
    parameters = [Parameter("exponent", "real", exponent), Parameter("apart", "ulong", apart)]
    if finds:
        macros["MAXIMUM"] = magnitudes.bins or framing.bins
        parameters.append(Parameter("greatest", "volatile global uint *", GREATEST))
    return Snippet(
        code="store_magnitude((global real *)dst, index, value, exponent, apart);",
        vector="store_magnitudes((global real *)dst, index, value, exponent, apart);",
        preamble=_preamble(macros, "audio/magnitudes.cl"),
        parameters=tuple(parameters),
        replaces=True,
    )


def _hook_macros(framing: Framing, magnitudes: Magnitudes) -> dict[str, int | str]:
    return {
        "EXPONENT": int(magnitudes.exponent) if magnitudes.exponent in (1, 2) else 0,
        "FRAME_BINS": framing.bins,
        "BINS": magnitudes.bins or framing.bins,
    }


def _preamble(macros: Mapping[str, int | str], file: str) -> str:
    lines = (f"#define {name} {value}" for name, value in macros.items())
    return "\n".join([*lines, f'#include "{file}"'])


def related(
    passes: tuple[Pass, ...],
    framing: Framing,
    magnitudes: Magnitudes,
    traits: Traits,
    parameters: Parameters,
    *,
    found: bool,
) -> tuple[Pass, ...]:
    """Return passes to magnitudes, with the passes that relate these to the greatest of all.

    Parameters
    ----------
    passes : tuple of Pass
        The passes from signals to magnitudes.
    framing, magnitudes, traits, parameters
        The parameters of `stft_schedule`.
    found : bool
        Whether `passes` find the greatest number, if another pass has set it to 0 before.

    Returns
    -------
    tuple of Pass
    """
    count = framing.signals * framing.frames * (magnitudes.bins or framing.bins)
    relation = _relation(count, framing, magnitudes, traits, parameters)
    if found:
        forgetting = replace(
            relation,
            kernel="forgetGreatest",
            global_size=(1,),
            local_size=(1,),
            arguments={"greatest": GREATEST},
            reads=0,
            writes=framing.dtype.itemsize,
            step="so that the next kernel finds it",
        )
        return (forgetting, *passes, relation)
    return (*passes, *_greatest(count, relation, framing, traits, parameters), relation)


def _greatest(
    count: int, relation: Pass, framing: Framing, traits: Traits, parameters: Parameters
) -> tuple[Pass, Pass]:
    """Return the two passes that find the greatest of `count` numbers."""
    item = framing.dtype.itemsize
    group = extrema_group(traits, parameters, item)
    groups = max(1, min(parameters["extrema_groups"], count // group))
    parts = replace(
        relation,
        kernel="greatest",
        global_size=(groups * group,),
        local_size=(group,),
        arguments={
            "values": Role.DATA,
            "parts": Buffer("parts"),
            "count": Scalar("uint64", count),
        },
        reads=count * item,
        writes=groups * item,
        step=f"of {groups} groups",
        scratch=(("parts", groups * item),),
        local_bytes=group * item,
    )
    top = replace(
        parts,
        global_size=(group,),
        arguments={
            "values": Buffer("parts"),
            "parts": GREATEST,
            "count": Scalar("uint64", groups),
        },
        reads=groups * item,
        writes=item,
        step="of all",
        scratch=(),
    )
    return parts, top


def _relation(
    count: int,
    framing: Framing,
    magnitudes: Magnitudes,
    traits: Traits,
    parameters: Parameters,
) -> Pass:
    """Return the pass that relates `count` numbers to the greatest of them."""
    item = framing.dtype.itemsize
    sizes, local = device_size((count,), parameters["group"], traits)
    factor = 20 / magnitudes.exponent
    least = max(magnitudes.least, float(np.finfo(framing.dtype).tiny))
    numbers = {
        "reference": magnitudes.reference,
        "factor": factor,
        "least": least,
        "range": magnitudes.span,
    }
    return Pass(
        kernel="relate",
        source="audio/relate.cl",
        defines=defines(
            framing.precision,
            GROUP=extrema_group(traits, parameters, item),
            RELATIVE=int(magnitudes.relative),
            DECIBELS=int(magnitudes.decibels),
        ),
        global_size=sizes,
        local_size=local,
        arguments={
            "values": Role.DATA,
            "top": GREATEST,
            "count": Scalar("uint64", count),
            **{name: Scalar(framing.dtype.name, value) for name, value in numbers.items()},
        },
        reads=count * item,
        writes=count * item,
        step="decibels" if magnitudes.decibels else "divided by the greatest",
        scratch=((GREATEST.name, item),),
    )
