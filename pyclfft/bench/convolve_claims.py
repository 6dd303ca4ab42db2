"""What a thesis claims of direct convolution on GPUs, and our targets: both beside results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import exp, inf, log, nan
from typing import NamedTuple

from .convolve_cases import DRY, HALL, IR, NOISE, ROOMS, SHORT, SINGLE
from .convolve_contenders import CUPY_FFT, DEVICE, HOST, SCIPY_DIRECT, SCIPY_FFT, SCIPY_OA
from .convolve_sweeps import OUR_AUTO, OUR_DIRECT, OUR_FFT, Point, Results
from .statistics import geometric_mean

Answer = Callable[[Results], str]
Line = tuple[str, str]  # a contender's name, and where its arrays are


class Claim(NamedTuple):
    """A claim of the thesis, or a target of ours.

    Attributes
    ----------
    text : str
        What it says.
    answer : callable
        Takes the results; returns what was measured, or "" if that was left out.
    """

    text: str
    answer: Answer


def our_direct(results: Results) -> str:
    """Return where pyclfft's direct sums are measured: on the device, or else on the host."""
    on_device = any(
        point.entry(OUR_DIRECT, DEVICE) for point in results.points if point.case.sweep != SINGLE
    )
    return DEVICE if on_device else HOST


def _best_gain(sweep: str) -> Answer:
    """Return how many times as fast as the host's direct sums the device's are, at most."""

    def answer(results: Results) -> str:
        where = our_direct(results)
        gains = {
            point.case.name: point.ms(SCIPY_DIRECT) / point.ms(OUR_DIRECT, where)
            for point in results.of(sweep)
        }
        known = {name: gain for name, gain in gains.items() if gain > 0}
        if not known:
            return ""
        best = max(known, key=known.__getitem__)
        return f"{OUR_DIRECT} is {known[best]:.3g} times as fast as {SCIPY_DIRECT} ({best})"

    return answer


def responses(results: Results, room: str) -> list[Point]:
    """Return the points of both sweeps over impulse responses of a room, the shortest first."""
    points = (*results.of(SHORT, room), *results.of(IR, room))
    return sorted(points, key=lambda point: point.case.taps)


def crossing(points: Sequence[Point], direct: Line, other: Line) -> float:
    """Return from which length of the impulse response on transforms beat direct sums.

    Parameters
    ----------
    points : sequence of Point
        Points over impulse responses, the shortest first.
    direct, other : tuple of (str, str)
        Name and place of the two contenders.

    Returns
    -------
    float
        Seconds, on a line of logarithms between the longest response for which direct sums are
        quicker and the next one. 0 if they are never quicker, infinity if they are for the longest,
        NaN if nothing is known.
    """
    ratios = [
        (point.case.ir_s, ratio)
        for point in points
        if (ratio := point.ms(*direct) / point.ms(*other)) > 0
    ]
    if not ratios:
        return nan
    faster = [n for n, (_, ratio) in enumerate(ratios) if ratio <= 1]
    if not faster:
        return 0.0
    if faster[-1] == len(ratios) - 1:
        return inf
    (low, before), (high, after) = ratios[faster[-1] :][:2]
    share = log(before) / (log(before) - log(after))
    return exp(log(low) + share * (log(high) - log(low)))


def crossing_text(points: Sequence[Point], seconds: float) -> str:
    """Say where transforms begin to beat direct sums."""
    lengths = [point.case.ir_s for point in points]
    if seconds == 0:
        return f"at no length from {_duration(min(lengths))} on"
    if seconds == inf:
        return f"at every length up to {_duration(max(lengths))}"
    return f"up to {_duration(seconds)}"


def _duration(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 0.1 else f"{1000 * seconds:.3g} ms"


def rivalries(results: Results) -> tuple[tuple[Line, Line], ...]:
    """Return the pairs of direct sums and transforms whose crossings are shown."""
    ours = our_direct(results)
    return (
        ((OUR_DIRECT, ours), (OUR_FFT, ours)),
        ((OUR_DIRECT, ours), (SCIPY_FFT, HOST)),
        ((SCIPY_DIRECT, HOST), (SCIPY_FFT, HOST)),
    )


def _crossings(results: Results) -> str:
    """Say up to which impulse response direct sums are quicker, by room and pair."""
    said = []
    for room in ROOMS:
        points = responses(results, room)
        for direct, other in rivalries(results):
            seconds = crossing(points, direct, other)
            if seconds >= 0:
                beats = f"{direct[0]} beats {other[0]} {crossing_text(points, seconds)}"
                said.append(f"{beats} ({room})")
    return "; ".join(said)


def _frequency_domain_wins(results: Results) -> str:
    """Say at how many dry sounds SciPy's transforms beat our direct sums."""
    where = our_direct(results)
    ratios = [point.ms(OUR_DIRECT, where) / point.ms(SCIPY_FFT) for point in results.of(DRY)]
    known = [each for each in ratios if each > 0]
    if not known:
        return ""
    wins = sum(each > 1 for each in known)
    return f"{SCIPY_FFT} beats {OUR_DIRECT} at {wins} of {len(known)} dry sounds"


def _by_signal(results: Results) -> str:
    """Say how far times in the hall and in noise of the same length are apart."""
    where = our_direct(results)
    said = []
    for name, place in ((OUR_DIRECT, where), (SCIPY_FFT, HOST)):
        pairs = zip(
            results.of(IR, HALL), results.of(IR, NOISE), strict=False
        )  # one may be cut short
        ratios = [one.ms(name, place) / other.ms(name, place) for one, other in pairs]
        known = [max(each, 1 / each) for each in ratios if each > 0]
        if known:
            apart = f"{100 * geometric_mean(known) - 100:.0f} %"
            said.append(f"the times of {name} differ by {apart} on average")
    return "; ".join(said)


def _growth(results: Results) -> str:
    """Say by which power of the response's length the time of SciPy's direct sums grows."""
    known = [
        (each.case.taps, ms) for each in results.of(IR, HALL) if (ms := each.ms(SCIPY_DIRECT)) > 0
    ]
    if len(known) < 2:
        return ""
    (few, short), (many, long) = known[0], known[-1]
    power = log(long / short) / log(many / few)
    return f"the time of {SCIPY_DIRECT} grows as the power {power:.2f} of the response's length"


HARDWARE = "GPUs (GTX 260 and Tesla C2050) and a CPU (Xeon E5320)"
CLAIMS = (
    Claim("At the best length of the impulse response, the GPU's direct sums are 125 times as fast "
          "as the CPU's.", _best_gain(IR)),
    Claim("At the best length of the dry sound, the GPU's direct sums are 133 times as fast as "
          "the CPU's.", _best_gain(DRY)),
    Claim("Direct sums beat transforms for impulse responses of up to about 1 s; if the response "
          "is white noise, they do so only for the shortest one.", _crossings),
    Claim("The CPU's transforms beat the GPU's direct sums at every length of the dry sound.",
          _frequency_domain_wins),
    Claim("The time of direct sums depends only on lengths, and the time of transforms also on "
          "the signal (we compare the hall with noise).", _by_signal),
    Claim("The time of the CPU's direct sums grows linearly.", _growth),
)  # fmt: skip


def _speed(sweep: str, name: str, ours: Line, rival: Line) -> Answer:
    """Return how many times as fast as a rival one of ours is at the case whose name begins so."""

    def answer(results: Results) -> str:
        found = (each for each in results.of(sweep) if each.case.name.startswith(name))
        ratio = next((each.ms(*rival) / each.ms(*ours) for each in found), nan)
        return f"{ours[0]} is {ratio:.3g} times as fast" if ratio > 0 else ""

    return answer


IMAGES, SIGNALS, REVERB = "1024 x 1024", "1,000,000", "30 s stereo"
TARGETS = (
    Claim("fftconvolve of 1024 x 1024 with 1024 x 1024 points is at least 2 times as fast as "
          "SciPy's.", _speed(SINGLE, IMAGES, (OUR_FFT, HOST), (SCIPY_FFT, HOST))),
    Claim("fftconvolve of 1,000,000 with 10,000 points is at least 2 times as fast as SciPy's.",
          _speed(SINGLE, SIGNALS, (OUR_FFT, HOST), (SCIPY_FFT, HOST))),
    Claim("30 s of stereo with 112,608 taps take at most half the time of SciPy's oaconvolve.",
          _speed(SINGLE, REVERB, (OUR_AUTO, HOST), (SCIPY_OA, HOST))),
    Claim("On a GPU, direct sums of 30 s with a response of 2.5 s are faster than SciPy's FFT on "
          "its host.", _speed(DRY, "30 s", (OUR_DIRECT, DEVICE), (SCIPY_FFT, HOST))),
    Claim("On a GPU, fftconvolve of 1,000,000 with 10,000 points is faster than CuPy's, between "
          "device arrays.", _speed(SINGLE, SIGNALS, (OUR_FFT, DEVICE), (CUPY_FFT, DEVICE))),
    Claim("On a GPU, fftconvolve of 1024 x 1024 with 1024 x 1024 points is faster than CuPy's, "
          "between device arrays.", _speed(SINGLE, IMAGES, (OUR_FFT, DEVICE), (CUPY_FFT, DEVICE))),
)  # fmt: skip


def beside_results(claims: Sequence[Claim], results: Results) -> Iterator[str]:
    """Yield each claim with what was measured."""
    for each in claims:
        yield f"{each.text} Here: {each.answer(results) or 'not measured'}."
