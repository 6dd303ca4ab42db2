"""The benchmark of the ladder without a device: its baselines, and what it shows."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from pyclfft.bench import command, ladder, render, table
from pyclfft.bench.cases import Case
from pyclfft.bench.ladder import RUNGS, NumPy, Recursive, recursive_fft
from pyclfft.bench.plot import pyplot
from pyclfft.bench.rivals import Ours
from pyclfft.bench.runner import CopyRate, Noise, Outcome, Row, Settings, measure
from pyclfft.bench.statistics import Spread
from pyclfft.errors import PlanError
from tests.oracle import noise

CONTENDERS = ("pyclfft", *RUNGS, "numpy", "recursive")

# Milliseconds, by points: of our own, of the rungs, of NumPy and of the recursion.
TIMES = {
    2: (1.0, 8.0, 4.0, 2.0, 2.0, 1.0, 0.5, 0.25),
    2**10: (1.0, 64.0, 16.0, 4.0, 8.0, 2.0, 1.0, 400.0),
    2**20: (2.0, 200.0, 50.0, 10.0, 20.0, math.nan, 40.0, math.nan),
}


def row(points, times):
    outcomes = (
        Outcome(name, Spread(ms, ms, ms, 3), 1, 0.1, 1e-7, word="" if ms > 0 else "refused",
                reason="" if ms > 0 else "PlanError: too long")
        for name, ms in zip(CONTENDERS, times, strict=True)
    )  # fmt: skip
    return Row(Case((points,), batch=1).sized(1), tuple(outcomes))


RESULTS = render.Results(
    environment={"device": "A device", "date": "today"},
    contenders=CONTENDERS,
    elements=2**20,
    settings=Settings(),
    copy=CopyRate(2**23, Spread(0.5, 0.5, 0.5, 3)),
    view=ladder.VIEW,
    rows=tuple(row(points, times) for points, times in TIMES.items()),
)


# ---------------------------------------------------------------- contenders


@pytest.mark.parametrize("n", [1, 2, 8, 256])
def test_recursion(n):
    x = noise(n, np.complex128)
    np.testing.assert_allclose(recursive_fft(x.tolist()), np.fft.fft(x), atol=1e-13)


@pytest.mark.parametrize("kind", [NumPy, Recursive])
def test_contenders_of_the_host(kind):
    short = Settings(samples=2, sample_s=1e-6)
    (outcome,) = measure(Case((64,), batch=1).sized(1), [kind()], Noise(), short).outcomes
    assert outcome.word == ""
    assert outcome.ms.median > 0
    assert outcome.error < 2e-7


def test_a_recursion_that_takes_too_long_is_refused():
    with pytest.raises(PlanError, match=r"over 2\^20 points it takes too long"):
        Recursive().prepare(Case((2**21,), batch=1).sized(1), np.empty(0))


def test_rungs_may_be_less_exact():
    case = Case((1024,))
    usual = Ours(None).bound(case)
    assert Ours(None, "radix2").bound(case) == usual
    for name in RUNGS:
        assert Ours(None, name).bound(case) == pytest.approx(1.5 * usual)


# ---------------------------------------------------------------- what is shown


def test_table():
    columns = ladder.columns(RESULTS)
    assert table.header(columns).split() == [
        "points", *CONTENDERS, "GB/s", "/pyclfft", "/numpy", "/recursive",
    ]  # fmt: skip
    first, second, last = (table.line(columns, each).split() for each in RESULTS.rows)
    assert first[-5:] == ["0.25", "3.2e-05", "1", "0.5", "0.25"]
    assert second[:6] == ["1024", "1", "64", "16", "4", "8"]
    assert second[-4:] == ["0.00819", "0.5", "0.5", "200"]
    assert last[0] == "2^20"
    assert last[6:] == ["refused", "40", "refused", "1.68", "0.2", "4", "-"]


def test_summary():
    found = list(render.summary(RESULTS))
    mean = (2 * 4 * 4) ** (1 / 3)
    assert found == [
        f"ladder1 / ladder2, geometric mean of 3 of 3 lengths: {mean:.3f}, 2 (2) to 4 (2^20)",
        f"ladder2 / ladder3, geometric mean of 3 of 3 lengths: {40 ** (1 / 3):.3f}, 2 (2) to "
        "5 (2^20)",
        f"ladder3 / ladder4, geometric mean of 3 of 3 lengths: {0.25 ** (1 / 3):.3f}, 0.5 (1024) "
        "to 1 (2)",
        "ladder3 / compact, geometric mean of 2 of 3 lengths: 2.000, 2 (2) to 2 (1024)",
        f"pyclfft / fastest rung, geometric mean of 3 of 3 lengths: {0.1 ** (1 / 3):.3f}, "
        "0.2 (2^20) to 1 (2)",
        "numpy / fastest rung, geometric mean of 3 of 3 lengths: 1.000, 0.5 (2) to 4 (2^20)",
        f"recursive / fastest rung, geometric mean of 2 of 3 lengths: {50**0.5:.3f}, 0.25 (2) to "
        "200 (1024)",
        "ladder1 is the fastest rung for: none",
        "ladder2 is the fastest rung for: none",
        "ladder3 is the fastest rung for: 2^20",
        "ladder4 is the fastest rung for: none",
        "compact is the fastest rung for: 2, 1024",
        "wrong results: none",
        "compact refused: one-2^20: PlanError: too long",
        "recursive refused: one-2^20: PlanError: too long",
    ]


def test_json():
    document = json.loads(render.as_json(RESULTS), parse_constant=pytest.fail)
    first, _, last = (each["outcomes"] for each in document["rows"])
    assert first["ladder3"]["gb_per_s"] == pytest.approx(2 * 2 * 8 / 2.0 / 1e6)
    assert first["ladder3"]["speedup"] == {"pyclfft": 0.5, "numpy": 0.25, "recursive": 0.125}
    assert last["ladder3"]["speedup"] == {"pyclfft": 0.2, "numpy": 4.0, "recursive": None}
    assert last["compact"]["gb_per_s"] is None


def test_markdown():
    text = render.as_markdown(RESULTS)
    assert "one transform at a time of up to 1,048,576 points; copy of" in text
    assert "| 2^20 | 2 | 200 |" in text


@pytest.mark.parametrize("suffix", [".svg", ""])
def test_plots(tmp_path, monkeypatch, suffix):
    """Three files; on logarithmic axes, with the device in the title, and all in the legend."""
    pytest.importorskip("matplotlib")
    kept = []
    monkeypatch.setattr(pyplot(), "close", kept.append)
    ladder.write_plots(str(tmp_path / f"l{suffix}"), RESULTS)
    names = [f"l-{word}{suffix or '.png'}" for word in ("bandwidth", "speedup", "time")]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    for name in names:
        content = (tmp_path / name).read_bytes()
        assert content.startswith(b"<?xml" if suffix == ".svg" else b"\x89PNG")
    shown = []
    for figure in kept:
        (axes,) = figure.axes
        assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
        assert axes.get_title() == "A device, today"
        shown.append(
            {line.get_label(): line.get_ydata()[1] for line in axes.lines if len(line.get_ydata())}
        )
    time, bandwidth, speedup = shown
    assert tuple(time) == tuple(bandwidth) == CONTENDERS
    assert time["ladder3"] == 4.0
    assert bandwidth["ladder3"] == pytest.approx(2 * 2**10 * 8 / 4.0 / 1e6)
    assert speedup == {"of pyclfft": 0.5, "of numpy": 0.5, "of recursive": 200}


# ---------------------------------------------------------------- the command


def test_help_names_the_benchmarks_of_their_own(capsys):
    with pytest.raises(SystemExit):
        command.main(["--help"])
    words = " ".join(capsys.readouterr().out.split())
    for name, (_, what) in command.SUBCOMMANDS.items():
        assert f"pyclfft bench {name}: {what}" in words
