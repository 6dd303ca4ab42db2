"""The benchmark of the ladder without a device: its baselines, and what it shows."""

from __future__ import annotations

import dataclasses
import json
import math
import sys

import numpy as np
import pytest

from pyclfft.bench import command, ladder_plots, ladder_view, render, stored, table
from pyclfft.bench.cases import Case
from pyclfft.bench.environment import host
from pyclfft.bench.kernels import KernelTime
from pyclfft.bench.ladder import BASELINES, NumPy, Recursive
from pyclfft.bench.ladder_view import OUTLOOK, RUNGS
from pyclfft.bench.plot import pyplot
from pyclfft.bench.recursion import compiled_recursion, recursive_fft
from pyclfft.bench.rivals import FFTW, Ours, cores, find_rivals
from pyclfft.bench.runner import CopyRate, Noise, Outcome, Row, Settings, measure
from pyclfft.bench.statistics import Spread
from tests.oracle import noise, relative_error

FFTWS = ("FFTW 1 thread", "FFTW 8 threads")
CONTENDERS = ("pyclfft", *RUNGS, *OUTLOOK, *FFTWS, "numpy", "recursive")

# Milliseconds, by points: of our own, of the rungs, of the outlook, of FFTW, of NumPy and of the
# recursion.
TIMES = {
    2: (1.0, 8.0, 4.0, 2.0, 2.0, 1.0, 3.0, 1.0, 0.25, 0.5, 0.5, 0.25),
    2**10: (1.0, 64.0, 16.0, 4.0, 8.0, 2.0, 5.0, 1.0, 1.0, 5.0, 1.0, 40.0),
    2**20: (2.0, 200.0, 50.0, 10.0, 20.0, math.nan, 8.0, math.nan, 40.0, 20.0, 40.0, 400.0),
}


def row(points, times):
    outcomes = (
        Outcome(name, Spread(ms, ms, ms, 3), 1, 0.1, 1e-7, word="" if ms > 0 else "refused",
                reason="" if ms > 0 else "PlanError: too long")
        for name, ms in zip(CONTENDERS, times, strict=True)
    )  # fmt: skip
    return Row(Case((points,), batch=1).sized(1), tuple(outcomes))


def alone(algorithm, kernel, points, launches, ms):
    return KernelTime(algorithm, kernel, points, launches, Spread(ms, ms, ms, 3))


KERNELS = (
    alone("ladder3", "bitReverse", 2**10, 1, 0.5),
    alone("ladder3", "ladder3", 2**10, 10, 3.0),
    alone("radix2", "butterfly", 2**10, 10, 2.0),
    alone("ladder3", "bitReverse", 2**20, 1, 1.5),
    alone("ladder3", "ladder3", 2**20, 20, 8.0),
    alone("ladder4", "ladder4", 2**20, 20, 5.0),
    alone("ladder4", "permuteArray", 2**20, 20, 12.0),
)
RESULTS = render.Results(
    environment={"device": "A device", "date": "today", "host": "A processor, 8 cores"},
    contenders=CONTENDERS,
    elements=2**20,
    settings=Settings(),
    copy=CopyRate(2**23, Spread(0.5, 0.5, 0.5, 3)),
    view=ladder_view.VIEW,
    rows=tuple(row(points, times) for points, times in TIMES.items()),
    kernels=KERNELS,
)


# ---------------------------------------------------------------- contenders


@pytest.mark.parametrize("n", [1, 2, 8, 256])
def test_recursion(n):
    x = noise(n, np.complex128)
    np.testing.assert_allclose(recursive_fft(x.tolist()), np.fft.fft(x), atol=1e-13)


@pytest.mark.parametrize("n", [1, 2, 8, 4096])
def test_compiled_recursion(n):
    pytest.importorskip("numba")
    x = noise(n, np.complex64)
    given = x.copy()
    result = compiled_recursion()(x)
    expected = np.fft.fft(x.astype(np.complex128))
    assert result.dtype == np.complex64
    assert relative_error(result, expected) < 3e-7
    np.testing.assert_array_equal(x, given)


def outcome_of(contender):
    """Return how a contender transforms 64 points."""
    short = Settings(samples=2, sample_s=1e-6)
    (outcome,) = measure(Case((64,), batch=1).sized(1), [contender], Noise(), short).outcomes
    return outcome


@pytest.mark.parametrize("kind", [NumPy, Recursive])
def test_contenders_of_the_host(kind):
    if kind is Recursive:
        pytest.importorskip("numba")
    outcome = outcome_of(kind())
    assert outcome.word == ""
    assert outcome.ms.median > 0
    assert outcome.error < 2e-7


@pytest.mark.parametrize(("threads", "name"), [(1, "FFTW 1 thread"), (2, "FFTW 2 threads")])
def test_fftw_says_its_threads(threads, name):
    pytest.importorskip("pyfftw")
    contender = FFTW(threads)
    assert contender.name == name
    assert contender.version.endswith(f"FFTW_MEASURE{name.replace('FFTW', ',')}")
    assert outcome_of(contender).error < 2e-7


def test_fftw_takes_part_with_one_thread_and_with_all(monkeypatch):
    monkeypatch.setattr("pyclfft.bench.ladder.FFTW", lambda threads: threads)
    for count, expected in ((1, [1]), (2, [1, 2]), (16, [1, 16])):
        monkeypatch.setattr("pyclfft.bench.ladder.cores", lambda count=count: count)
        assert BASELINES["fftw"](None) == expected


def test_baselines_that_are_not_there_are_named(monkeypatch):
    compiled_recursion.cache_clear()
    for library in ("numba", "pyfftw"):
        monkeypatch.setitem(sys.modules, library, None)
    found, absent = find_rivals("auto", None, BASELINES)
    assert [each.name for (each,) in found] == ["numpy"]
    assert [line.partition(":")[0] for line in absent] == [
        "fftw does not take part", "recursive does not take part",
    ]  # fmt: skip


def test_the_host_is_named():
    assert host().endswith(f", {cores()} core{'s' * (cores() > 1)}")
    assert not host().startswith(",")


def test_rungs_may_be_less_exact():
    case = Case((1024,))
    usual = Ours(None).bound(case)
    assert Ours(None, "radix2").bound(case) == usual
    for name in RUNGS:
        assert Ours(None, name).bound(case) == pytest.approx(1.5 * usual)


# ---------------------------------------------------------------- what is shown


def test_table():
    columns = ladder_view.columns(RESULTS)
    heading = " ".join(table.header(columns).split())
    assert heading == f"points {' '.join(CONTENDERS)} GB/s"
    first, second, last = (table.line(columns, each).split() for each in RESULTS.rows)
    assert first == ["2", *(f"{ms:g}" for ms in TIMES[2]), "3.2e-05"]
    assert second[:6] == ["1024", "1", "64", "16", "4", "8"]
    assert second[-1] == "0.00819"
    assert last[0] == "2^20"
    assert last[6:] == ["refused", "8", "refused", "40", "20", "40", "400", "1.68"]


def test_tables_of_speedups_and_kernels():
    speedups, kernels = ladder_view.tables(RESULTS)
    assert speedups.headings == [
        "points: speed / speed", "fastest rung / pyclfft", "fastest rung / FFTW 1 thread",
        "fastest rung / FFTW 8 threads", "fastest rung / numpy", "fastest rung / recursive",
        "ladder3 / FFTW 1 thread", "ladder3 / FFTW 8 threads",
    ]  # fmt: skip
    assert speedups.rows[1] == ["1024", "0.5", "0.5", "2.5", "0.5", "20", "0.25", "1.25"]
    assert kernels == render.Table(
        ["kernel alone, ms of all its launches", "1024", "2^20"],
        [
            ["ladder3: bitReverse", "0.5", "1.5"],
            ["ladder3: ladder3", "3", "8"],
            ["radix2: butterfly", "2", "-"],
            ["ladder4: ladder4", "-", "5"],
            ["ladder4: permuteArray", "-", "12"],
        ],
    )
    assert len([*ladder_view.tables(dataclasses.replace(RESULTS, kernels=()))]) == 1


# Who is how many times as fast as whom: the mean over how many lengths, the least and the most.
COMPARED = (
    ("ladder2", "ladder1", 32 ** (1 / 3), 3, "2 times at 2", "4 times at 2^20"),
    ("ladder3", "ladder2", 40 ** (1 / 3), 3, "2 times at 2", "5 times at 2^20"),
    ("ladder4", "ladder3", 0.25 ** (1 / 3), 3, "0.5 times at 1024", "1 times at 2"),
    ("compact", "ladder3", 2, 2, "2 times at 2", "2 times at 1024"),
    ("radix2", "ladder3", (2 / 3) ** (1 / 3), 3, "0.667 times at 2", "1.25 times at 2^20"),
    ("stockham", "ladder4", 4, 2, "2 times at 2", "8 times at 1024"),
    ("the fastest rung", "pyclfft", 0.1 ** (1 / 3), 3, "0.2 times at 2^20", "1 times at 2"),
    ("the fastest rung", FFTWS[0], 0.5 ** (1 / 3), 3, "0.25 times at 2", "4 times at 2^20"),
    ("the fastest rung", FFTWS[1], 2.5 ** (1 / 3), 3, "0.5 times at 2", "2.5 times at 1024"),
    ("the fastest rung", "numpy", 1, 3, "0.5 times at 2", "4 times at 2^20"),
    ("the fastest rung", "recursive", 200 ** (1 / 3), 3, "0.25 times at 2", "40 times at 2^20"),
)
MEANS = [
    f"{name} is {mean:.3f} times as fast as {other} "
    f"(geometric mean of {lengths} of 3 lengths; from {least} points to {most} points)"
    for name, other, mean, lengths, least, most in COMPARED
]


def test_summary():
    assert list(render.summary(RESULTS)) == [
        *MEANS,
        "ladder1 is the fastest rung at no length",
        "ladder2 is the fastest rung at no length",
        "ladder3 is the fastest rung at 2^20 points",
        "ladder4 is the fastest rung at no length",
        "compact is the fastest rung at 2 to 1024 points",
        *(f"the report says: {claim}; measured here: {answer}" for claim, answer in ANSWERS),
        "wrong results: none",
        "compact refused: one-2^20: PlanError: too long",
        "stockham refused: one-2^20: PlanError: too long",
    ]


# The report's claims, and what the times above say of them.
ANSWERS = [
    (
        "the device was a GeForce GTX 1650, and its host a Ryzen 5 5600H",
        "the device is A device, and its host A processor, 8 cores",
    ),
    ("ladder2 is no big improvement on ladder1", MEANS[0]),
    (
        "ladder3 is the best rung that launches a kernel for each stage",
        "ladder3 is faster than ladder1, ladder2 and ladder4 at 1024 to 2^20 points",
    ),
    (
        "ladder3 is faster than FFTW from 2^14 points on",
        "ladder3 is faster than FFTW 1 thread at 2^20 points; "
        "ladder3 is faster than FFTW 8 threads at 1024 to 2^20 points",
    ),
    (
        "ladder3 is at most 3 times as fast as FFTW",
        "ladder3 is at most 4 times as fast as FFTW 1 thread, at 2^20 points; "
        "ladder3 is at most 2 times as fast as FFTW 8 threads, at 2^20 points",
    ),
    (
        "ladder4 gains time in its stages and loses it in its additional passes",
        "at 2^20 points, ladder4 computes the stages 1.6 times as fast as ladder3, and the whole "
        "transform 0.5 times as fast",
    ),
    (
        "compact wins below 2^6 and up to 2^10 points, which may mean: against the other rungs",
        "compact is the fastest rung at 2 to 1024 points",
    ),
    (
        "compact wins below 2^6 and up to 2^10 points, which may mean: against FFTW",
        "compact is faster than FFTW 1 thread at no length; "
        "compact is faster than FFTW 8 threads at 1024 points",
    ),
]


def test_claims_beside_ours():
    assert list(ladder_view.claims(RESULTS).items()) == ANSWERS


def test_claims_without_fftw_or_kernels():
    few = tuple(dataclasses.replace(each, outcomes=each.outcomes[:6]) for each in RESULTS.rows)
    results = dataclasses.replace(RESULTS, contenders=CONTENDERS[:6], rows=few, kernels=())
    answers = ladder_view.claims(results)
    assert answers["ladder3 is faster than FFTW from 2^14 points on"] == "FFTW was not measured"
    lost = answers["ladder4 gains time in its stages and loses it in its additional passes"]
    assert "computes the stages - times as fast" in lost


def test_json():
    document = json.loads(render.as_json(RESULTS), parse_constant=pytest.fail)
    first, _, last = (each["outcomes"] for each in document["rows"])
    assert first["ladder3"]["gb_per_s"] == pytest.approx(2 * 2 * 8 / 2.0 / 1e6)
    assert first["ladder3"]["speedup"] == {
        "pyclfft": 0.5, "FFTW 1 thread": 0.125, "FFTW 8 threads": 0.25, "numpy": 0.25,
        "recursive": 0.125,
    }  # fmt: skip
    assert last["ladder3"]["speedup"]["numpy"] == 4.0
    assert last["compact"]["gb_per_s"] is None
    assert document["kernels"][1] == {
        "algorithm": "ladder3", "kernel": "ladder3", "points": 1024, "launches": 10,
        "ms": {"median": 3.0, "low": 3.0, "high": 3.0, "count": 3},
    }  # fmt: skip


def test_what_was_stored_is_read_back():
    again = stored.results_of(json.loads(render.as_json(RESULTS)), ladder_view.VIEW)
    assert again.kernels == KERNELS
    assert render.as_markdown(again) == render.as_markdown(RESULTS)


def test_markdown():
    text = render.as_markdown(RESULTS)
    assert "One transform at a time of up to 1,048,576 points; a plain copy of" in text
    assert "| 2^20 | 2 | 200 |" in text
    assert "| ladder4: permuteArray | - | 12 |" in text


@pytest.fixture
def drawn(monkeypatch):
    """The figures that are closed, which here are closed after the test only."""
    pytest.importorskip("matplotlib")
    kept, close = [], pyplot().close
    monkeypatch.setattr(pyplot(), "close", kept.append)
    yield kept
    for figure in kept:
        close(figure)


def lines_of(axes):
    """What a panel shows: each line's values by its name, without lines over all lengths."""
    lines = (line for line in axes.lines if not line.get_label().startswith("_"))
    return {line.get_label(): list(line.get_ydata()) for line in lines}


@pytest.mark.parametrize("suffix", [".svg", ""])
def test_plots(tmp_path, drawn, suffix):
    """Four files; on logarithmic axes, with the device in the title, and everybody in a legend."""
    ladder_plots.write_plots(str(tmp_path / f"l{suffix}"), RESULTS)
    names = [f"l-{word}{suffix or '.png'}" for word in ladder_plots.PICTURES]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    for name in names:
        content = (tmp_path / name).read_bytes()
        assert content.startswith(b"<?xml" if suffix == ".svg" else b"\x89PNG")
    for figure in drawn:
        assert figure.get_suptitle() == "A device, today"
        for axes in figure.axes:
            assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    time, bandwidth, speedup, kernels = (list(map(lines_of, each.axes)) for each in drawn)
    assert tuple(time[0]) == tuple(bandwidth[0]) == CONTENDERS
    assert time[0]["ladder3"] == [2.0, 4.0, 10.0]
    assert bandwidth[0]["ladder3"][1] == pytest.approx(2 * 2**10 * 8 / 4.0 / 1e6)
    assert [axes.get_title() for axes in drawn[2].axes] == [
        "compared with FFTW 1 thread", "compared with FFTW 8 threads", "compared with recursive",
    ]  # fmt: skip
    assert all(tuple(panel) == (*RUNGS, *OUTLOOK) for panel in speedup)
    assert speedup[0]["ladder3"] == [0.125, 0.25, 4.0]
    assert kernels == [
        {"bitReverse": [0.5, 1.5], "ladder3": [3.0, 8.0]},
        {"butterfly": [2.0]},
        {"ladder4": [5.0], "permuteArray": [12.0]},
        {"ladder3": [3.0, 8.0], "radix2": [2.0], "ladder4": [5.0]},
    ]


def test_lines_are_told_apart(tmp_path, drawn):
    ladder_plots.write_plots(str(tmp_path / "l.svg"), RESULTS)
    lines = drawn[0].axes[0].lines
    looks = {(line.get_color(), line.get_linestyle(), line.get_marker()) for line in lines}
    assert len(looks) == len(lines) == len(CONTENDERS)


def test_legends_of_all_contenders_stand_beside_the_panels(tmp_path, drawn):
    ladder_plots.write_plots(str(tmp_path / "l.svg"), RESULTS)
    for figure, names in zip(drawn, (CONTENDERS, CONTENDERS, (*RUNGS, *OUTLOOK)), strict=False):
        (legend,) = figure.legends
        assert tuple(text.get_text() for text in legend.get_texts()) == names
        left = legend.get_window_extent().x0
        assert all(axes.get_window_extent().x1 <= left for axes in figure.axes)


def test_legends_of_kernels_stand_below_their_panels(tmp_path, drawn):
    ladder_plots.write_plots(str(tmp_path / "l.svg"), RESULTS)
    panels = drawn[3].axes
    assert len(panels) == 4
    for axes in panels:
        names = tuple(text.get_text() for text in axes.get_legend().get_texts())
        assert names == tuple(lines_of(axes))
        legend = axes.get_legend().get_window_extent()
        assert legend.y1 <= axes.xaxis.label.get_window_extent().y0
        assert legend.y0 >= 0
        others = (other.get_window_extent() for other in panels)
        assert not any(legend.overlaps(other) for other in others)


def test_without_baselines_ours_is_the_measure(tmp_path, drawn):
    few = tuple(dataclasses.replace(each, outcomes=each.outcomes[:6]) for each in RESULTS.rows)
    results = dataclasses.replace(RESULTS, contenders=CONTENDERS[:6], rows=few)
    ladder_plots.write_plots(str(tmp_path / "l.svg"), results)
    assert [axes.get_title() for axes in drawn[2].axes] == ["compared with pyclfft"]


# ---------------------------------------------------------------- the command


def test_help_names_the_benchmarks_of_their_own(capsys):
    with pytest.raises(SystemExit):
        command.main(["--help"])
    words = " ".join(capsys.readouterr().out.split())
    for name, (_, what) in command.SUBCOMMANDS.items():
        assert f"pyclfft bench {name} {what}" in words
