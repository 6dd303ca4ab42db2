"""Signals from their spectra in one launch: each work-group adds up the frames that it transforms.

Otherwise one launch writes all frames, and another one reads them (overlapAdd.cl). Work-groups of
this launch share the frames at their borders, which both of them transform.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..planning.arguments import Vector
from ..planning.batch import Dimension
from ..planning.factor import best_stages
from ..planning.parameters import Parameters, factors_of
from ..planning.passes import Argument, Pass
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

FRAMES = (16, 8, 4)  # of a work-group: powers of two were best on an H100 and on an H200
GROUP_POINTS = 4096  # complex points of all frames of a group, about: a frame has n_fft / 2
MOST_ITEMS = 512  # the most work-items of a group
# If the frames of a bin are neighbours, and a frame has at least so many complex points, a group
# exchanges points in two parts even where local memory holds both: 9 % less time on an H200.
SPLIT_COLUMNS = 1024
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
    group = _group(work, hop, traits, parameters)
    if group is None:
        return None
    changed = stockham_pass(replace(work, group=group))
    count, before, start = wanted
    own = group.transforms - lap(work.batch.n, hop)
    groups = -(-(before + count) // (framing.hop * own))
    pairs = not any(number % 2 for number in (before, start, framing.pitch))
    macros = {"HOP": hop, "SAMPLE_PAIRS": int(pairs)}
    item = framing.dtype.itemsize
    return replace(
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


def lap(points: int, hop: int) -> int:
    """Return how many frames of a group its neighbour transforms too."""
    return (points - 1) // hop


def _group(work: GroupLaunch, hop: int, traits: Traits, parameters: Parameters) -> Group | None:
    """Return the first group that fits the device and does little twice, or None."""
    wanted, shared = parameters["istft_frames"], lap(work.batch.n, hop)
    if not wanted:
        return None
    n = work.batch.n
    choices = sorted(FRAMES, key=lambda frames: abs(frames * n - GROUP_POINTS))
    for frames in choices if wanted < 0 else (wanted,):
        group = _group_of(work, frames, traits, parameters)
        enough = frames >= 2 * shared if wanted < 0 else frames > shared
        if group and enough:
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
