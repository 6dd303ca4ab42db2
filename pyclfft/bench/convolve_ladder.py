"""What each optimisation of direct convolution buys, for ``bench convolve --ladder``.

Two tables, offline and in real time, stand beside the published factors of a master's thesis on
convolution reverb, which measured 16 s of sound and an impulse response of 2.5 s at 44.1 kHz.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib import import_module
from math import ceil, isnan, nan
from typing import Any

import numpy as np
import pyopencl as cl

from ..convolution.ladder import (
    CHANNELS,
    OFFLINE,
    REAL_TIME,
    Ladder,
    Rung,
    has_textures,
    ladder,
    products_of,
    without_textures,
)
from ..errors import PlanError
from ..planning.accuracy import relative_error
from ..runtime.profile import profiling_queue
from .documents import numbers, read_document
from .multiply_adds import MultiplyAdds
from .plot import pyplot, save
from .render import Part, Table
from .statistics import Spread, spread
from .table import number

RATE = 44100
DRY_S, IR_S = 16.0, 2.5
BOUND = 1e-6  # the largest relative L2 error allowed
LIMIT_S = 20.0  # what would take longer is measured in part, and extrapolated
FIRST = 2048  # results of the first, short measurement
TARGET = 0.5  # of the measured multiply-add rate, by our kernel with responses of 1 s or more

# Published factors: rung -> (rung it is compared with, how many times as fast).
PUBLISHED_OFFLINE: Mapping[str, tuple[str, float]] = {
    "texture": ("plain", 1.61),
    "local": ("plain", 1.36),
    "both": ("plain", 1.84),
    "prefetch": ("both", 1.04),
    "unroll 8": ("prefetch", 1.75),
}
PUBLISHED_REAL_TIME: Mapping[str, tuple[str, float]] = {
    "texture": ("plain", 1.22),
    "local": ("plain", 1.22),
    "both": ("plain", 1.23),
    "prefetch": ("both", 0.97),
    "unroll 4": ("both", 0.90),
}
# What the factor of a rung is measured against where nothing is published.
AGAINST_OFFLINE = {"unroll 4": "prefetch", "no outer loop": "unroll 8", "ours": "plain"}
AGAINST_REAL_TIME = {"unroll 8": "both", "no outer loop": "both", "ours": "plain"}
REMARKS_OFFLINE = {"unroll 8": "3.34 against plain", "no outer loop": "slightly slower"}
REMARKS_REAL_TIME = {"no outer loop": "6 ms less"}


@dataclass(frozen=True)
class Step:
    """A rung, measured.

    Attributes
    ----------
    name : str
        The rung.
    ms : Spread
        Milliseconds of the whole convolution; in real time the sum over its launches.
    rate : float
        The multiply-adds in a second that results need.
    peak : float
        The multiply-adds in a second that the device did in registers, in turns with the rung.
    error : float
        Relative L2 error.
    part : float
        The measured part of the work; below 1, the time is extrapolated.
    note : str
        Why the rung has not been measured, or what it does without.
    """

    name: str
    ms: Spread = field(default_factory=Spread)
    rate: float = nan
    peak: float = nan
    error: float = nan
    part: float = 1.0
    note: str = ""

    @property
    def wrong(self) -> bool:
        """Whether the rung was measured and its result is wrong."""
        return bool(self.ms.count) and not self.error <= BOUND


@dataclass(frozen=True)
class Climb:
    """One ladder, measured.

    Attributes
    ----------
    title : str
        "offline" or "real time".
    steps : tuple of Step
        Its rungs.
    published : mapping
        For a rung: the one that it was compared with, and how many times as fast it was.
    against : mapping
        For other rungs: what they are compared with.
    remarks : mapping
        For a rung: what else is published.
    """

    title: str
    steps: tuple[Step, ...]
    published: Mapping[str, tuple[str, float]]
    against: Mapping[str, str]
    remarks: Mapping[str, str]

    def ms(self, name: str) -> float:
        """Return a rung's median, NaN if it has none."""
        return next((each.ms.median for each in self.steps if each.name == name), nan)

    def base(self, name: str) -> str:
        """Return the rung that another one is compared with, or "".

        Where there are no textures, "local" takes the place of "both".
        """
        base = self.published[name][0] if name in self.published else self.against.get(name, "")
        return "local" if base == "both" and isnan(self.ms(base)) else base

    def factor(self, name: str) -> float:
        """Return how many times as fast a rung is as the one that it is compared with."""
        return self.ms(self.base(name)) / self.ms(name)


@dataclass(frozen=True)
class Results:
    """Both ladders.

    Attributes
    ----------
    environment : dict of str to str
        Where it was measured.
    dry_s, ir_s : float
        The seconds of the sound and of the impulse response.
    chunk : int
        The frames of a chunk in real time.
    samples : int
        How often each rung was measured.
    climbs : tuple of Climb
        The ladders.
    """

    environment: dict[str, str]
    dry_s: float
    ir_s: float
    chunk: int
    samples: int
    climbs: tuple[Climb, ...] = ()

    @property
    def wrong(self) -> bool:
        """Whether a result is wrong."""
        return any(step.wrong for climb in self.climbs for step in climb.steps)


# --- measuring ------------------------------------------------------------------------------------


def measure_climbs(
    context: cl.Context, dry_s: float, ir_s: float, chunk: int, samples: int, limit_s: float
) -> tuple[Climb, ...]:
    """Measure both ladders.

    Parameters
    ----------
    context : cl.Context
        A context of one device.
    dry_s, ir_s : float
        The seconds of the sound and of the impulse response, both noise.
    chunk : int
        The frames of a chunk in real time.
    samples : int
        How often to measure each rung.
    limit_s : float
        The seconds that a whole convolution may take; longer ones are measured in part.

    Returns
    -------
    tuple of Climb
    """
    rng = np.random.default_rng(0)
    dry, ir = (
        rng.uniform(-0.5, 0.5, (max(1, round(each * RATE)), CHANNELS)).astype(np.float32)
        for each in (dry_s, ir_s)
    )
    signal = import_module("scipy.signal")
    expected = signal.fftconvolve(dry.astype(np.float64), ir.astype(np.float64), axes=0)
    peak = MultiplyAdds(context)
    adapt = tuple if has_textures(context) else without_textures
    measure = partial(_measure, context, peak, dry, ir, expected, samples=samples, limit_s=limit_s)
    return (
        Climb(
            "offline",
            tuple(measure(each, None) for each in adapt(OFFLINE)),
            PUBLISHED_OFFLINE,
            AGAINST_OFFLINE,
            REMARKS_OFFLINE,
        ),
        Climb(
            "real time",
            tuple(measure(each, chunk) for each in adapt(REAL_TIME)),
            PUBLISHED_REAL_TIME,
            AGAINST_REAL_TIME,
            REMARKS_REAL_TIME,
        ),
    )


def _measure(
    context: cl.Context,
    peak: MultiplyAdds,
    dry: np.ndarray,
    ir: np.ndarray,
    expected: np.ndarray,
    rung: Rung,
    chunk: int | None,
    *,
    samples: int,
    limit_s: float,
) -> Step:
    """Measure a rung on as much of the result as the limit allows."""
    make = partial(ladder, context, rung, dry, ir, chunk)
    queue = profiling_queue(context)
    try:
        short = make() if chunk else make(most=FIRST)
    except PlanError as error:
        return Step(rung.name, note=str(error).split(":")[0])
    whole = short if chunk else make()
    everything = whole.multiply_adds * whole.chunks
    _seconds(queue, short, 1)  # the first launch may compile
    rate = short.multiply_adds / _seconds(queue, short, 1)
    affordable = rate * limit_s / (1 + samples)
    launches = max(1, min(whole.chunks, int(affordable / short.multiply_adds))) if chunk else 1
    if not chunk and everything > affordable:
        whole = make(most=max(FIRST, _affordable(len(expected), affordable / everything)))
    taken, peaks = [], []
    for _ in range(samples):
        peaks.append(peak.rate())
        taken.append(_seconds(queue, whole, launches))
    got = whole.download(queue)
    last = (launches - 1) * whole.results if chunk else 0
    part = whole.multiply_adds * launches / everything
    ms = spread([1e3 * each / part for each in taken])
    useful = CHANNELS * products_of(len(expected), len(dry), len(ir))
    wanted = expected[last : last + len(got)]
    found = relative_error(got[: len(wanted)], wanted)
    return Step(rung.name, ms, 1e3 * useful / ms.median, float(np.median(peaks)), found, part)


def _affordable(results: int, part: float) -> int:
    """Return how many first results may be made; those need no more products than later ones."""
    return ceil(results * part)


def _seconds(queue: cl.CommandQueue, work: Ladder, launches: int) -> float:
    """Return the time of the first launches by events, without the uploads."""
    events = []
    for chunk in range(launches):
        work.upload(queue, chunk)
        events += work.launch(queue, chunk)
    cl.wait_for_events(events)
    return sum(each.profile.end - each.profile.start for each in events) * 1e-9


# --- what is shown --------------------------------------------------------------------------------


def parts(results: Results) -> Iterator[Part]:
    """Yield the paragraphs and tables."""
    yield (
        f"Each rung convolves {results.dry_s:g} s of stereo noise with an impulse response of "
        f"{results.ir_s:g} s, at {RATE} frames a second, by direct sums. "
        f"In real time the sound comes in chunks of {results.chunk} "
        "frames, and the time is the sum over all launches. Each time is the median of "
        f"{results.samples} samples, measured by events. "
        '"faster" says how many times as fast the rung is as the rung in the column "against". '
        '"G/s" is 10^9 multiply-adds a second. "of peak" is this rate in percent of the rate of a '
        "kernel that only multiplies and adds in registers, measured in turns with the rung."
    )
    for climb in results.climbs:
        rows = [_row(climb, each) for each in climb.steps]
        yield Table((climb.title, *HEADINGS), rows)
        yield from (f"{each.name}: {each.note}" for each in climb.steps if each.note)
    if any(each.part < 1 for climb in results.climbs for each in climb.steps):
        yield "* Only a part was measured, and the time of the whole was computed in proportion."
    ours = [climb.steps[-1] for climb in results.climbs]
    said = " and ".join(
        f"{number(step.rate / step.peak, '.0%')} {climb.title}"
        for step, climb in zip(ours, results.climbs, strict=True)
    )
    yield (
        f'Of the rate of multiply-adds in registers, the rung "{ours[0].name}" reaches {said} '
        f"(target: {TARGET:.0%} for responses of 1 s or more)."
    )
    wrong = [f"{c.title} {s.name}" for c in results.climbs for s in c.steps if s.wrong]
    yield f"Wrong results: {', '.join(wrong) or 'none'}."


HEADINGS = (
    "ms", "+-%", "G/s", "of peak", "faster", "against", "published", "also published", "error",
)  # fmt: skip


def _row(climb: Climb, step: Step) -> list[str]:
    name = step.name
    published = climb.published.get(name)
    return [
        name,
        number(step.ms.median, ".4g") + ("*" if step.part < 1 else ""),
        number(step.ms.percent, ".0f"),
        number(step.rate / 1e9, ".3g"),
        number(step.rate / step.peak, ".0%"),
        number(climb.factor(name), ".2f"),
        climb.base(name),
        f"{published[1]:.2f}" if published else "",
        climb.remarks.get(name, ""),
        "WRONG" if step.wrong else number(step.error, ".1e"),
    ]


def document_of(results: Results) -> dict[str, Any]:
    """Return everything that was measured, and the published factors, for JSON."""
    return asdict(results)


def read(path: str | os.PathLike[str]) -> Results:
    """Read a file of ``bench convolve --ladder --json``; `read_document` says how it can fail."""
    return read_document(path, _results_of, "pyclfft bench convolve --ladder")


def _results_of(document: Mapping[str, Any]) -> Results:
    return Results(
        **{
            **{name: each for name, each in document.items() if name != "schema"},
            "climbs": tuple(_climb_of(each) for each in document["climbs"]),
        }
    )


def _climb_of(climb: Mapping[str, Any]) -> Climb:
    steps = (
        Step(**{**numbers(each), "ms": Spread(**numbers(each["ms"]))}) for each in climb["steps"]
    )
    published = {name: (base, factor) for name, (base, factor) in climb["published"].items()}
    return Climb(**{**climb, "steps": tuple(steps), "published": published})


def write_plot(path: str, results: Results) -> None:
    """Draw how many times as fast as the plain kernel each rung is, measured and published.

    Parameters
    ----------
    path : str
        Name of the file. Its extension gives the format: png, svg or pdf; png without one.
    results : Results
        The results to draw.
    """
    plots = pyplot()
    figure, panels = plots.subplots(1, 2, figsize=(11, 4.6), layout="constrained", sharey=True)
    for axes, climb in zip(panels, results.climbs, strict=True):
        names = [each.name for each in climb.steps]
        places = np.arange(len(names))
        measured = [climb.ms("plain") / climb.ms(name) for name in names]
        axes.bar(places - 0.2, measured, 0.4, label="this device")
        published = [published_factor(climb, name) for name in names]
        axes.bar(places + 0.2, published, 0.4, color="silver", label="published")
        for place, factor in zip(places, measured, strict=True):
            if np.isfinite(factor):
                axes.annotate(f"{factor:.3g}", (place - 0.2, factor), ha="center", va="bottom")
            else:
                axes.annotate("none", (place - 0.2, 1), ha="center", rotation=90)
        axes.set_xticks(places, names, rotation=45, ha="right")
        axes.set(yscale="log", title=climb.title)
        axes.yaxis.set_major_formatter("{x:g}")
        axes.axhline(1, color="grey", linewidth=0.8)
        axes.legend()
    panels[0].set_ylabel("times as fast as the plain kernel")
    about = results.environment
    figure.suptitle(f"{about['device']}, {about['date']}", fontsize="medium", wrap=True)
    save(figure, path)
    plots.close(figure)


def published_factor(climb: Climb, name: str) -> float:
    """Return how many times as fast as the plain kernel a published rung was, NaN if unknown."""
    if name == "plain":
        return 1.0
    if name not in climb.published:
        return nan
    base, factor = climb.published[name]
    return factor * published_factor(climb, base)
