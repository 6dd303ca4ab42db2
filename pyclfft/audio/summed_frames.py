"""Signals from their spectra in one launch: each work-group adds up the frames that it transforms.

Otherwise one launch writes all frames, and another one reads them (overlapAdd.cl). At the border of
two work-groups lie samples that frames of both groups hold. Either both groups transform the frames
at the border, or they meet: each has frames of its own, and they add up what they have of these
samples (storeFrames.cl).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..planning.arguments import Buffer, Vector
from ..planning.batch import Dimension
from ..planning.factor import best_stages
from ..planning.parameters import Parameters, factors_of
from ..planning.passes import COUNTERS, Argument, Pass
from ..planning.solvers.stockham import (
    Group,
    GroupLaunch,
    Shape,
    StockhamPass,
    group_of,
    stockham_pass,
)
from ..planning.traits import Traits
from .framing import Framing

FRAMES = (16, 8, 4, 2)  # of a work-group: powers of two were best on an H100 and on an H200
GROUP_POINTS = 4096  # complex points of all frames of a group, about: a frame has n_fft / 2
MOST_ITEMS = 512  # the most work-items of a group
# If the frames of a bin are neighbours, and a frame has at least so many complex points, a group
# exchanges points in two parts even where local memory holds both: 9 % less time on an H200.
SPLIT_COLUMNS = 1024
LEAST_APART = 4  # the fewest frames of groups that do not meet
LEAST_MEETING = 2  # of groups that meet, so that each border has a work-item that sees to it
FOUND_BYTES = 16  # more local memory that such a group takes, at most: what its counters were
MEETING_COLUMNS = 8  # the frames of groups that meet, if the frames of a bin are neighbours
# Groups meet if frames have at least so many complex points: the first number is for frames whose
# bins are neighbours, the second one if the frames of a bin are. Groups of shorter frames meet if
# groups that do not meet would not fit, or would transform at least MOST_REPEATED times as many
# frames as there are. In other cases meeting took longer on an H200.
MEETING_POINTS = 2048, 1024
MOST_REPEATED = 1.5
LEAST_ITEMS = 16  # the fewest of a frame whose bins are neighbours, so that their loads are, too


def summed(
    passes: Sequence[Pass],
    framing: Framing,
    strides: Sequence[int],
    wanted: tuple[int, int, int],
    dual: Argument,
    traits: Traits,
    parameters: Parameters,
) -> Pass | None:
    """Return the pass from spectra to signals that takes the place of a transform, or None.

    Parameters
    ----------
    passes : sequence of Pass
        The passes from spectra to frames.
    framing : Framing
        How the signals are framed.
    strides : (int, int, int)
        Elements from one signal's spectra to the next one's, and from one frame's to the next
        one's; the third number does not matter.
    wanted : (int, int, int)
        How many samples of each signal are wanted, which sample of the first frame is the first of
        them, and where it goes.
    dual : Argument
        The dual window's values.
    traits, parameters
        The device's traits, and the parameters of its kernels.

    Returns
    -------
    Pass or None
        None if work-groups cannot do it, or should not.
    """
    (each, *others) = passes
    if others or not isinstance(each, StockhamPass) or traits.is_cpu:
        return None
    work, hop = each.work, framing.hop // 2
    ends = work.ends
    packed = ends.packed and ends.source == "HERMITIAN" and not ends.spectrum
    if not packed or framing.hop % 2 or not 0 < hop <= work.batch.n:
        return None
    by_signal, by_frame, _ = strides
    along = Dimension(framing.frames, by_frame, framing.n_fft)
    outer = (Dimension(framing.signals, by_signal, 0),) if framing.signals > 1 else ()
    batch = replace(work.batch, dimensions=(along, *outer))
    work = replace(work, step=replace(work.step, batch=batch))
    chosen = _group(work, hop, traits, parameters)
    if chosen is None:
        return None
    group, meets = chosen
    changed = stockham_pass(replace(work, group=group))
    count, before, start = wanted
    shared = lap(work.batch.n, hop)
    stretches = -(-(before + count) // framing.hop)
    # Groups that meet need no frames behind the last one.
    frames = max(min(stretches, framing.frames), stretches - shared) if meets else stretches
    own = group.transforms - (0 if meets else shared)
    groups = -(-frames // own)
    pairs = not any(number % 2 for number in (before, start, framing.pitch))
    macros = {"HOP": hop, "SAMPLE_PAIRS": int(pairs)}
    if meets:
        macros |= {"MEETS": 1, "PTX": int(traits.ptx)}
    item = framing.dtype.itemsize
    summing = replace(
        changed,
        defines=(*changed.defines, *((name, str(value)) for name, value in macros.items())),
        global_size=(groups * framing.signals * group.items,),
        arguments={
            **changed.arguments,
            "dual": dual,
            "signals": Vector("uint64", (count, before, start, framing.pitch)),
        },
        writes=framing.signals * count * item,
        step=f"{changed.step}, {framing.hop} apart, {own} of {group.transforms}",
        aliases=False,
    )
    return _with_counters(summing, groups * framing.signals) if meets else summing


def _with_counters(summing: Pass, groups: int) -> Pass:
    """Return a pass with counters for all borders: fewer than there are groups."""
    return replace(
        summing,
        arguments={**summing.arguments, "counters": Buffer(COUNTERS)},
        scratch=(*summing.scratch, (COUNTERS, 4 * groups)),
        local_bytes=summing.local_bytes + FOUND_BYTES,
    )


def lap(points: int, hop: int) -> int:
    """Return how many frames of a group hold samples that the next group's frames hold, too."""
    return (points - 1) // hop


def _group(
    work: GroupLaunch, hop: int, traits: Traits, parameters: Parameters
) -> tuple[Group, bool] | None:
    """Return the best group that fits the device, and whether it meets others, or None."""
    wanted, meets = parameters["istft_frames"], parameters["istft_meets"]
    n, shared = work.batch.n, lap(work.batch.n, hop)
    if not wanted:
        return None
    by_bins = work.batch.loads_columns
    size = MEETING_COLUMNS * n if by_bins else GROUP_POINTS
    least = max(LEAST_APART, 2 * shared) if wanted < 0 else shared + 1
    apart = _first_group(work, GROUP_POINTS, least, traits, parameters)
    may = shared and traits.groups_may_wait and meets
    long = n >= MEETING_POINTS[by_bins]
    if may and (meets == 1 or apart is None or long or _repeats_much(apart.transforms, shared)):
        least = max(LEAST_MEETING, shared)
        left = replace(traits, local_mem_bytes=traits.local_mem_bytes - FOUND_BYTES)
        meeting = _first_group(work, size, least, left, parameters)
        if meeting:
            return meeting, True
    return (apart, False) if apart else None


def _repeats_much(frames: int, shared: int) -> bool:
    """Return whether groups of so many frames that do not meet transform too many twice."""
    return frames >= MOST_REPEATED * (frames - shared)


def _first_group(
    work: GroupLaunch, size: int, least: int, traits: Traits, parameters: Parameters
) -> Group | None:
    """Return the group with about `size` points, and at least so many frames, or None."""
    wanted, n = parameters["istft_frames"], work.batch.n
    choices = sorted(FRAMES, key=lambda frames: abs(frames * n - size))
    for frames in choices if wanted < 0 else (wanted,):
        group = _group_of(work, frames, traits, parameters) if frames >= least else None
        if group:
            return group
    return None


def _group_of(
    work: GroupLaunch, frames: int, traits: Traits, parameters: Parameters
) -> Group | None:
    """Return the group of so many frames, or None if it does not fit the device."""
    n = work.batch.n
    limit = min(MOST_ITEMS, traits.max_work_group_size, traits.max_work_item_sizes[0])
    stages = best_stages(
        n,
        1 if work.batch.loads_columns else LEAST_ITEMS,
        limit // frames,
        split=True,
        wanted=factors_of(parameters, "stockham_radices", n),
        points=parameters["stockham_points"],
    )
    if stages is None or len(stages.radices) == 1:
        return None
    parts = parameters["stockham_parts"]
    in_parts = parts > 1 if parts > 0 else work.batch.loads_columns and n >= SPLIT_COLUMNS
    for split in (True,) if in_parts else (False, True):
        shape = Shape(frames, split=split, served=work.group.shape.served)
        group = group_of(work.batch, work.ends, stages.reversed, shape, work.problem.precision)
        if group.local_bytes <= traits.local_mem_bytes:
            return replace(group, apart=True, mirrored=work.group.mirrored)
    return None
