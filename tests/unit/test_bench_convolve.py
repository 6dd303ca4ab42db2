"""bench convolve without a measurement: its cases, and what follows from figures."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from math import inf, isnan, nan
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import signal

from pyclfft.bench import (
    convolve,
    convolve_claims,
    convolve_contenders,
    convolve_streams,
    convolve_sweeps,
)
from pyclfft.bench.convolve_cases import (
    DRY,
    DRY_SECONDS,
    HALL,
    IR,
    IR_SECONDS,
    NOISE,
    RATE,
    SHORT,
    SINGLE,
    SWEEPS,
    Case,
    cases_of,
)
from pyclfft.bench.convolve_claims import crossing, crossing_text
from pyclfft.bench.convolve_contenders import (
    DEVICE,
    HOST,
    SCIPY_DIRECT,
    SCIPY_FFT,
    Contender,
    Entry,
    Ready,
    Work,
    measure_case,
)
from pyclfft.bench.convolve_plots import PICTURES, band_levels, write_plots
from pyclfft.bench.convolve_sweeps import OUR_AUTO, OUR_DIRECT, OUR_FFT, Point, Results
from pyclfft.bench.convolve_view import as_markdown, as_text
from pyclfft.bench.ladder_plots import path_of
from pyclfft.bench.runner import Settings
from pyclfft.bench.statistics import Spread
from pyclfft.errors import FormatError

QUICK = Settings(samples=2, sample_s=0, min_calls=1, slow_s=0, budget_s=100)


def entry(name, ms, error=1e-7, **others):
    return Entry(name, HOST, Spread(ms, ms, ms, 3), error=error, **others)


def point(case, **ms):
    """A point where direct sums of ours, ours by transforms and SciPy's take so many ms."""
    names = {
        "direct": OUR_DIRECT, "fft": OUR_FFT, "auto": OUR_AUTO, "scipy": SCIPY_FFT,
        "slow": SCIPY_DIRECT,
    }  # fmt: skip
    entries = [entry(names[key], each) for key, each in ms.items()]
    return Point(case, tuple(entries), "fft", {"direct": 4.0, "fft": 2.5})


def results(*changes, **ms):
    """Results of all sweeps over sounds; the times are those of a second of response or of dry."""
    ms = {"direct": 10.0, "fft": 4.0, "auto": 4.0, "scipy": 8.0, "slow": 800.0, **ms}
    growing = {"direct", "slow"}
    points = [
        point(case, **{k: v * (case.ir_s if k in growing else 1) for k, v in ms.items()})
        for sweep in (IR, SHORT, DRY)
        for case in cases_of(sweep, 60)
    ]
    return Results({"device": "a device", "date": "today"}, 20.0, 3, (*points, *changes))


# --- cases ----------------------------------------------------------------------------------------


def test_the_sweeps_of_the_thesis():
    cases = list(cases_of(IR, 300))
    assert [each.room for each in cases] == [HALL] * 9 + [NOISE] * 9
    assert tuple(each.ir_s for each in cases[:9]) == IR_SECONDS
    assert {each.first for each in cases} == {(2, 16 * RATE)}
    cases = list(cases_of(DRY, 300))
    assert tuple(each.dry_s for each in cases) == DRY_SECONDS == tuple(range(30, 301, 30))
    assert {(each.room, each.taps) for each in cases} == {(HALL, round(2.5 * RATE))}


def test_shorter_sweeps():
    assert [each.dry_s for each in cases_of(DRY, 75)] == [30, 60]
    assert [each.dry_s for each in cases_of(DRY, 2)] == [2]
    for sweep in (IR, SHORT):
        assert {each.dry_s for each in cases_of(sweep, 0.5)} == {0.5}


def test_the_single_cases():
    images, signals, sound = cases_of(SINGLE, 300)
    assert images.first == images.second == (1024, 1024)
    assert (signals.first, signals.second) == ((1_000_000,), (10_000,))
    assert (sound.first, sound.second) == ((2, 30 * RATE), (2, 112_608))
    assert images.products == 1024**4
    assert sound.products == 2 * 30 * RATE * 112_608


@pytest.mark.parametrize("room", [HALL, NOISE])
def test_inputs_of_sounds(room):
    case = Case(IR, room, (2, 4410), (2, 2205), True, room)
    dry, ir = case.inputs()
    assert (dry.shape, ir.shape) == (case.first, case.second)
    assert dry.dtype == ir.dtype == np.float32
    assert np.abs(ir).max() == 1


# --- contenders -----------------------------------------------------------------------------------

CASES = (
    Case(SINGLE, "signals", (3000,), (200,)),
    Case(SINGLE, "images", (60, 70), (30, 20)),
    Case(IR, "stereo", (2, 4410), (2, 2205), True, HALL),
)


def work_of(case):
    return Work(case, *case.inputs(), SimpleNamespace(device=SimpleNamespace(name="none")))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_reference(case):
    """The checked elements are those of SciPy's convolution in double precision."""
    work = work_of(case)
    axes = case.axes
    whole = signal.fftconvolve(work.first.astype("f8"), work.second.astype("f8"), axes=axes)
    places = convolve_contenders._places(whole.shape)
    expected = np.array([whole[place] for place in places])
    found = convolve_contenders._expected(work)
    np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(whole).max())
    assert convolve_contenders._error(whole, case, found) < 1e-12
    assert convolve_contenders._error(1.001 * whole, case, found) == pytest.approx(1e-3)
    with pytest.raises(ValueError, match="the result has the shape"):
        convolve_contenders._error(whole[..., 1:], case, found)


# By the rival's name, the cases that it takes.
TAKEN = {
    SCIPY_DIRECT: ("signals", "stereo"),
    SCIPY_FFT: ("signals", "images", "stereo"),
    "scipy oaconvolve": ("signals", "images", "stereo"),
    "pedalboard": ("stereo",),
    "torch FFT, CPU": ("signals", "images", "stereo"),
    "torch conv1d, CPU": ("signals", "stereo"),
}


@pytest.mark.parametrize("name", TAKEN)
def test_rivals_compute_what_we_compute(name):
    """A rival that computed something else would be compared unfairly."""
    pytest.importorskip(name.partition(" ")[0])
    (rival,) = (each for each in convolve_contenders.CONTENDERS if each.name == name)
    for case in (each for each in CASES if each.name in TAKEN[name]):
        work = work_of(case)
        ready = rival.prepare(work)
        found = ready.fetch(ready.call())
        error = convolve_contenders._error(found, case, convolve_contenders._expected(work))
        assert error < 2e-6, case


@pytest.mark.parametrize(("name", "case"), [("pedalboard", 0), ("torch conv1d, CPU", 1)])
def test_rivals_leave_out_what_they_cannot_compute(name, case):
    pytest.importorskip(name.partition(" ")[0])
    (rival,) = (each for each in convolve_contenders.CONTENDERS if each.name == name)
    with pytest.raises(ImportError, match="convolves"):
        rival.prepare(work_of(CASES[case]))


@pytest.mark.parametrize(
    ("seconds", "limit", "share"), [(1.0, 2.0, 1.0), (100.0, 20.0, 0.05), (1000.0, 20.0, 0.02)]
)
def test_slow_contenders_are_measured_on_a_part(monkeypatch, seconds, limit, share):
    """Here all of the signal takes so many seconds, and the first try is a 50th of it."""
    case = Case(IR, "a", (2, 20_000), (2, 4410), True, HALL)
    monkeypatch.setattr(convolve_contenders, "PILOT_PRODUCTS", case.products // 50)
    monkeypatch.setattr(convolve_contenders, "_seconds", lambda ready: ready.call())

    def prepare(work):
        return Ready(lambda: seconds * work.first.shape[-1] / 20_000)

    slow = Contender("slow", HOST, prepare, True)
    found = convolve_contenders._fitting(slow, work_of(case), limit)
    assert found.first.shape[-1] / 20_000 == pytest.approx(share, rel=0.01)
    assert found.case.first == found.first.shape
    assert (found.first == case.inputs()[0][:, : found.first.shape[-1]]).all()


def test_a_time_is_scaled_by_the_part(monkeypatch):
    case = Case(IR, "a", (2, 8000), (2, 2205), True, HALL)
    one = next(each for each in convolve_contenders.CONTENDERS if each.name == SCIPY_DIRECT)
    monkeypatch.setattr(convolve_contenders, "taking_part", lambda case, queue: [one])
    half = lambda contender, work, limit: convolve_contenders._beginning(work, 4000)  # noqa: E731
    monkeypatch.setattr(convolve_contenders, "_fitting", half)

    class Turn:
        def __init__(self, call, synchronize, settings):
            assert call().shape == (2, 4000 + 2204)
            self.ms = []

        def take(self):
            self.ms.append(7.0)

    monkeypatch.setattr(convolve_contenders, "Turn", Turn)
    (found,) = measure_case(case, None, QUICK, 1.0)
    assert (found.share, found.ms.median, found.ms.count) == (0.5, 14.0, 2)
    assert found.extrapolated
    assert found.error < 1e-6


def test_failures_are_the_rivals_own(monkeypatch):
    case = Case(SINGLE, "a", (300,), (20,))

    def breaks(work):
        raise RuntimeError("no luck\nat all")

    def lacks(work):
        raise ImportError("not installed")

    def set_contenders(*names):
        made = [Contender(name, HOST, {"lacks": lacks}.get(name, breaks)) for name in names]
        monkeypatch.setattr(convolve_contenders, "taking_part", lambda case, queue: made)

    set_contenders("breaks", "lacks")
    failed, absent = measure_case(case, None, QUICK, 1.0)
    assert (failed.word, failed.reason) == ("failed", "no luck")
    assert (absent.word, absent.reason) == ("-", "not installed")
    assert isnan(failed.ms.median)
    set_contenders(OUR_FFT)
    with pytest.raises(RuntimeError, match="no luck"):
        measure_case(case, None, QUICK, 1.0)


# --- what follows from figures --------------------------------------------------------------------


def table_after(text, beginning):
    """The cells of the table after the paragraph that begins so, by the first cell of each row."""
    parts = text.split("\n\n")
    table = parts[next(n for n, part in enumerate(parts) if part.startswith(beginning)) + 1]
    rows = [re.split(" {2,}", line) for line in table.splitlines()]
    return {row[0]: row[1:] for row in rows}


def test_times_stand_by_length():
    text = as_text(results())
    rows = table_after(text, f"Times for {SWEEPS[IR]}, hall:")
    assert rows["ms"] == [f"{each:g} s" for each in IR_SECONDS]
    assert rows[f"{OUR_DIRECT}, {HOST}"][:4] == ["2.5", "5", "10", "15"]
    rows = table_after(text, f"Times for {SWEEPS[DRY]}:")
    assert rows["ms"] == ["30 s in the hall", "60 s in the hall"]


def test_marks():
    case = next(cases_of(SINGLE, 1))
    entries = (
        entry(OUR_FFT, 5.0, error=2e-6),
        entry(OUR_DIRECT, 5.0, error=nan),
        entry("other", 5.0, error=1.0),
        entry("slow", 5.0, share=0.25),
        Entry("lost", HOST, word="-", reason="not installed"),
    )
    made = Results({}, 20, 3, (Point(case, entries, "fft", {"fft": 3.0}),))
    assert [each.wrong for each in entries] == [True, True, False, False, False]
    assert made.wrong
    assert not results().wrong
    rows = table_after(as_text(made), f"Times for {SWEEPS[SINGLE]}:")
    cells = {name.partition(",")[0]: cell for name, (cell,) in rows.items()}
    assert cells[OUR_FFT] == "5 WRONG"
    assert (cells["other"], cells["slow"]) == ("5", "~5")
    assert "lost (NumPy to NumPy): not installed" in as_text(made)


def test_what_auto_takes_stands_beside_costs():
    rows = table_after(as_text(results()), "The next table shows which method auto takes")
    assert rows["hall, 1 s"] == ["fft", "fft", "4", "10", "2.5", "4"]
    assert rows["hall, 0.25 s"][1] == "direct"  # 2.5 ms instead of 4


def crossing_of(ratios):
    """The crossing of direct sums that take so many times as long, by the number of taps."""
    points = [
        point(Case(IR, "", (2, RATE), (2, taps), True, HALL), direct=ratio, fft=1.0)
        for taps, ratio in ratios.items()
    ]
    return crossing(points, (OUR_DIRECT, HOST), (OUR_FFT, HOST))


def test_crossings():
    assert crossing_of({441: 0.5, 1764: 2.0}) == pytest.approx(882 / RATE)
    assert crossing_of({441: 2.0, 1764: 0.5, 4410: 0.25, 44100: 25.0}) == pytest.approx(
        10 ** (-1 + np.log(4) / np.log(100))
    )
    assert crossing_of({441: 2.0, 1764: 3.0}) == 0
    assert crossing_of({441: 0.2, 1764: 0.3}) == inf
    assert isnan(crossing([], (OUR_DIRECT, HOST), (OUR_FFT, HOST)))
    points = results().of(IR, HALL)
    assert crossing_text(points, 0.0) == "at no length from 0.25 s on"
    assert crossing_text(points, inf) == "at every length up to 5 s"
    assert crossing_text(points, 0.8) == "up to 0.8 s"
    assert crossing_text(points, 0.02) == "up to 20 ms"


def test_claims_of_the_thesis():
    """10 ms for each second of response, by us, and 800 by SciPy; its transforms take 8 ms."""
    text = as_text(results())
    said = {
        line.partition(" Here: ")[0]: line.partition(" Here: ")[2] for line in text.splitlines()
    }
    found = [said[claim.text] for claim in convolve_claims.CLAIMS]
    assert found[0].startswith(f"{OUR_DIRECT} is 80 times as fast as {SCIPY_DIRECT} (hall, ")
    assert found[1] == f"{OUR_DIRECT} is 80 times as fast as {SCIPY_DIRECT} (30 s in the hall)."
    assert f"{OUR_DIRECT} beats {OUR_FFT} up to 0.4 s (hall)" in found[2]
    assert f"{OUR_DIRECT} beats {SCIPY_FFT} up to 0.8 s (noise)" in found[2]
    assert found[3] == f"{SCIPY_FFT} beats {OUR_DIRECT} at 2 of 2 dry sounds."
    assert found[4].startswith(f"the times of {OUR_DIRECT} differ by 0 %")
    assert "as the power 1.00 of" in found[5]


def test_what_was_left_out_is_said_to_be_so():
    made = Results({}, 20, 3, ())
    assert {line for line in as_text(made).splitlines() if " Here: " in line} == {
        f"{each.text} Here: not measured."
        for each in (*convolve_claims.CLAIMS, *convolve_claims.TARGETS)
    }


def test_claims_of_a_gpu_are_about_device_arrays():
    made = results()
    first, *others = made.points
    on_device = replace(entry(OUR_DIRECT, 0.5), where=DEVICE)
    made = replace(made, points=(replace(first, entries=(*first.entries, on_device)), *others))
    assert convolve_claims.our_direct(made) == DEVICE
    answer = convolve_claims.CLAIMS[0].answer(made)
    assert answer == f"{OUR_DIRECT} is 400 times as fast as {SCIPY_DIRECT} (hall, 0.25 s)"


def test_targets():
    images, signals, sound = cases_of(SINGLE, 300)
    made = results(
        point(images, fft=10.0, scipy=25.0), point(signals, fft=10.0, scipy=15.0), point(sound)
    )
    answers = [each.answer(made) for each in convolve_claims.TARGETS]
    said = [f"{OUR_FFT} is {ratio} times as fast" for ratio in (2.5, 1.5)]
    assert answers == [*said, "", "", "", ""]


def test_the_mean_speed():
    text = as_text(results(point(next(cases_of(SINGLE, 1)), auto=1.0, scipy=3.0)))
    cases = len(results().points) + 1
    mean = (2 ** (cases - 1) * 3) ** (1 / cases)  # 8 ms over 4 ms at all others
    assert f"{OUR_AUTO} is {mean:.3f} times as fast as {SCIPY_FFT} " in text


def test_read_back(tmp_path):
    path = tmp_path / "c.json"
    absent = Entry("lost", HOST, word="-", reason="not installed")
    made = results(Point(next(cases_of(SINGLE, 1)), (absent,), "fft", {"fft": 3.0}))
    path.write_text(convolve_sweeps.as_json(made))
    assert json.loads(path.read_text())["points"][-1]["entries"][0]["error"] is None
    assert convolve_sweeps.as_json(convolve_sweeps.read(path)) == convolve_sweeps.as_json(made)
    assert as_text(convolve_sweeps.read(path)) == as_text(made)
    path.write_text("[]")
    with pytest.raises(FormatError, match=r"c\.json: no file of pyclfft bench convolve --json"):
        convolve_sweeps.read(path)


def test_markdown():
    page = as_markdown(results())
    assert page.startswith("# Convolution\n\n- device: a device\n")
    assert f"| {OUR_DIRECT}, {HOST} | 2.5 | 5 | 10 |" in page


def test_band_levels():
    """A click is as loud in all bands; a tone is in its band only."""
    click = np.zeros(RATE)
    click[7] = 1
    frequencies, levels = band_levels(click, RATE)
    np.testing.assert_allclose(levels, 0, atol=1e-9)
    tone = np.sin(2 * np.pi * 1000 * np.arange(RATE) / RATE)
    frequencies, levels = band_levels(tone, RATE)
    assert frequencies[levels.argmax()] == pytest.approx(1000, rel=0.06)
    assert np.sort(levels)[-2] < -100


def test_pictures(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setitem(PICTURES, "waveforms", ((), PICTURES["spectra"][1]))  # that needs a device
    made = results()
    made = replace(made, points=made.points + tuple(point(each) for each in cases_of(SINGLE, 1)))
    write_plots(str(tmp_path / "c.png"), made)
    for name in PICTURES:
        assert path_of(str(tmp_path / "c.png"), name).read_bytes()[:4] == b"\x89PNG"
    write_plots(str(tmp_path / "d.svg"), replace(made, points=made.of(DRY)))
    assert {each.name for each in tmp_path.glob("d*")} == {
        "d-dry.svg", "d-spectra.svg", "d-waveforms.svg",
    }  # fmt: skip


# --- streams --------------------------------------------------------------------------------------


def test_overlap_of_copies_and_kernels():
    """Of events with known times, in nanoseconds."""
    times = [
        ("copy", 0, 100), ("kernel", 50, 250), ("copy", 240, 300), ("copy", 280, 320),
        ("kernel", 310, 450), ("copy", 500, 510),
    ]  # fmt: skip
    trace = [
        (kind, SimpleNamespace(profile=SimpleNamespace(start=begin, end=end)))
        for kind, begin, end in times
    ]
    found = convolve_streams.overlap_of(2, trace)
    milliseconds = [100 + 80 + 10, 200 + 140, 50 + 10 + 10, 400]
    expected = [1e-6 * each / 2 for each in milliseconds]  # of each of the two blocks
    got = [found.copying, found.computing, found.both, found.block]
    assert got == pytest.approx(expected)


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("--sweep=ir,long", "there is no sweep 'long': choose from ir, short, dry, single, all"),
        ("--seconds=0", "'0' is no number above 0"),
        ("--seconds=nan", "'nan' is no number above 0"),
        ("--limit=soon", "'soon' is no number above 0"),
    ],
)
def test_bad_arguments(argument, said, capsys):
    with pytest.raises(SystemExit) as raised:
        convolve.main([argument])
    assert raised.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("pyclfft bench convolve: error: ")
    assert said in error


def test_sweeps_are_named():
    assert convolve.parser().parse_args([]).sweep == tuple(SWEEPS)
    assert convolve.parser().parse_args(["--sweep=dry,ir"]).sweep == (IR, DRY)
    assert convolve.parser().parse_args(["--sweep=all"]).sweep == tuple(SWEEPS)
