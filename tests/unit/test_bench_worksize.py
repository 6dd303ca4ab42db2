"""The table of work sizes without a device: what is published, and what is shown of results."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pyclfft.bench import command, worksize
from pyclfft.bench.statistics import spread
from pyclfft.bench.worksize import (
    BLOCKED,
    KERNELS,
    OF_PLANES,
    PUBLISHED,
    ROWS,
    SIZES,
    Figures,
    Machine,
    Results,
    Run,
    Time,
)
from pyclfft.errors import FormatError
from pyclfft.selftest_cases import high_pass

TESLA, FIREPRO = PUBLISHED


def run(size, ms, rows=("write", *KERNELS, "read"), error=0.5):
    """A run whose every step takes as long."""
    return Run(size, {row: Time(2, spread([ms, ms, 9 * ms])) for row in rows}, error)


MACHINE = Machine(together=16, units=2)


def results(*runs, machine=MACHINE):
    return Results({"device": "A device", "date": "today"}, 64, 3, runs, machine, 0.48)


# As on a device that allows 64 work-items, and 16 for a butterfly; with a wrong result for 32.
MADE = results(
    run("1", 8.0),
    run("16", 2.0),
    run("32", 0.5, error=200.0),
    run("64", 4.0, [row for row in ("write", *KERNELS, "read") if row != "butterfly"]),
    run("8x8", 0.25, OF_PLANES),
    run("16x16", 0.123, [BLOCKED]),
)


def table(text):
    """The cells of the first table of a text, by row."""
    lines = next(part for part in text.split("\n\n") if part.startswith("ms on ")).splitlines()
    return {cells[0]: cells[1:] for cells in (re.split(r" {2,}", line) for line in lines)}


# ---------------------------------------------------------------- what is published


def test_published_tables_have_all_rows_and_the_sizes_that_the_devices_allow():
    for figures, sizes in ((TESLA, SIZES), (FIREPRO, SIZES[:-1])):
        assert tuple(figures.ms) == tuple(row for row in ROWS if row != BLOCKED)
        assert {tuple(times) for times in figures.ms.values()} == {sizes}


def test_published_figures():
    """By the sums of their columns."""
    sums = [
        [round(sum(times[size] for times in figures.ms.values()), 2) for size in figures.ms["norm"]]
        for figures in PUBLISHED
    ]
    assert sums == [
        [59.84, 5.87, 4.11, 3.3, 3.21, 2.98, 3.24],
        [70.61, 11.1, 7.4, 12.58, 14.92, 14.04],
    ]


@pytest.mark.parametrize(
    ("figures", "row", "best"),
    [
        (TESLA, "spinFact", SIZES),
        (TESLA, "bitReverse", ("256",)),
        (TESLA, "butterfly", ("128", "256")),
        (FIREPRO, "butterfly", ("32",)),
        (FIREPRO, "spinFact", ("1", "16", "32")),
        (TESLA, "write", ()),
        (FIREPRO, "read", ()),
    ],
)
def test_the_best_are_those_with_the_least_time_and_transfers_have_none(figures, row, best):
    assert figures.best(row) == best


def test_a_wrong_result_is_never_the_best():
    figures = Figures("x", {"norm": {"1": 2.0, "16": math.nan, "32": 3.0}, BLOCKED: {}}, {})
    assert figures.best("norm") == ("1",)
    assert figures.best(BLOCKED) == ()
    assert Figures("x", {"norm": {"1": math.nan}}, {}).best("norm") == ()


# ---------------------------------------------------------------- what is shown


def test_table():
    text = worksize.as_text(MADE)
    shown = table(text)
    assert shown["ms on this device"] == [*SIZES, "best"]
    absent = ["N/A"] * 3
    assert shown["norm"] == ["8", "2", "WRONG", "4", *absent, "2 at 16"]
    assert shown["butterfly"] == ["8", "2", "WRONG", "N/A", *absent, "2 at 16"]
    assert shown["read"] == ["8", "2", "WRONG", "4", *absent, "-"]
    assert shown[BLOCKED] == ["-"] * 7 + ["0.123 at 16x16"]
    assert list(shown)[1:] == list(ROWS)
    assert "An image of 64 x 64 pixels is filtered 3 times" in text
    assert "these launches:\nspinFact 2, bitReverse 2," in text
    assert "4,096 bytes" in text
    assert max(map(len, text.splitlines())) <= 120


def test_published_tables_and_best_sizes_stand_below():
    *_, tesla, firepro, best, _, wrong = worksize.as_text(MADE).split("\n\n")
    assert re.search("^butterfly +41.83 .* 1.58 at 128, 256$", tesla, re.MULTILINE)
    assert re.search("^spinFact .* 0.01 at any$", tesla, re.MULTILINE)
    assert re.search("^butterfly +53 .* 6.19 +N/A +2.17 at 32$", firepro, re.MULTILINE)
    heading, first, *others = best.splitlines()
    assert re.split(r" {2,}", heading) == ["best size", "this device", TESLA.title, FIREPRO.title]
    assert re.split(r" {2,}", first) == ["spinFact", "16", "any", "1, 16, 32"]
    assert len(others) == len(KERNELS) - 1
    assert wrong == "wrong results: 32 (by 200 levels of grey)"
    assert worksize.as_text(results(run("1", 1.0))).endswith("wrong results: none")


def test_a_device_without_the_blocked_transpose_has_its_row_all_the_same():
    assert table(worksize.as_text(results(run("1", 1.0))))[BLOCKED] == ["-"] * 8


@pytest.mark.parametrize(("error", "wrong"), [(0.5, False), (0.52, True), (math.nan, True)])
def test_not_a_number_is_wrong(error, wrong):
    assert run("1", 1.0, error=error).wrong is wrong


def test_markdown():
    text = worksize.as_markdown(MADE)
    assert "- device: A device\n" in text
    assert "| norm | 8 | 2 | WRONG | 4 | N/A | N/A | N/A | 2 at 16 |" in text
    tables = [part for part in text.split("\n\n") if part.startswith("|")]
    assert len(tables) == 6
    for lines in map(str.splitlines, tables):
        assert len({line.count("|") for line in lines}) == 1


def test_json():
    document = json.loads(worksize.as_json(MADE), parse_constant=pytest.fail)
    assert (document["schema"], document["image"], document["samples"]) == (2, 64, 3)
    assert document["environment"]["device"] == "A device"
    assert [each["size"] for each in document["runs"]] == ["1", "16", "32", "64", "8x8", "16x16"]
    norm = document["runs"][0]["times"]["norm"]
    assert norm == {"launches": 2, "ms": {"median": 8, "low": 8, "high": 40, "count": 3}}
    assert document["best"]["norm"] == ["16"]
    assert document["wrong"] == ["32"]
    assert document["published"][1]["title"] == "FirePro V7900"
    assert document["published"][1]["ms"]["transpose"]["256"] == 1.91


@pytest.mark.parametrize("made", [MADE, results(run("1", 1.0, error=math.nan))])
def test_plot(tmp_path, made):
    pytest.importorskip("matplotlib")
    worksize.write_plot(tmp_path / "curves.svg", made)
    assert "</svg>" in (tmp_path / "curves.svg").read_text()


def test_no_legend_hides_a_curve(tmp_path, monkeypatch):
    """It lies below all panels, and names each line once."""
    pytest.importorskip("matplotlib")
    drawn = []
    monkeypatch.setattr(worksize, "save", lambda figure, *_, **__: drawn.append(figure))
    worksize.write_plot(tmp_path / "curves.svg", MADE)
    (figure,) = drawn
    assert [axes.get_legend() for axes in figure.axes] == [None] * 8
    (legend,) = figure.legends
    figure.canvas.draw()
    below = legend.get_window_extent().y1
    assert all(axes.get_window_extent().y0 >= below for axes in figure.axes)
    names = [text.get_text() for text in legend.get_texts()]
    assert names == [
        "this device", TESLA.title, FIREPRO.title, "this device, best of two dimensions",
        "transposeBlocked, 16x16",
    ]  # fmt: skip


# ---------------------------------------------------------------- what follows


def test_sizes_of_two_dimensions_have_a_table_of_their_own():
    (lines,) = (part for part in worksize.as_text(MADE).split("\n\n") if "best of all" in part)
    shown = {cells[0]: cells[1:] for cells in map(str.split, lines.splitlines()[1:])}
    assert shown["transpose"] == ["N/A", "0.25", *["N/A"] * 4, "0.25", "at", "8x8"]
    assert list(shown) == list(OF_PLANES)
    assert "best of all" not in worksize.as_text(results(run("1", 1.0)))


def following(figures):
    return dict(worksize.conclusions([figures]).rows)


def test_what_follows_from_the_published_tables():
    """By hand from these: 0.19 / 2 over 0.31 / 4, 1.67 / 2 over 0.30 / 4."""
    tesla, firepro = following(TESLA), following(FIREPRO)
    transpose = "time of a launch of transpose / time of a launch of bitReverse"
    assert (tesla[transpose], firepro[transpose]) == ("1.23", "11.1")
    multiples = "kernels whose best size is a multiple of this number"
    assert (tesla[multiples], firepro[multiples]) == ("6 of 6", "0 of 6")
    groups = "groups of a launch at the best size: spinFact; the fewest of all others"
    assert (tesla[groups], firepro[groups]) == ("1; 512", "8; 4096")
    small = "time of size 1 / time of the best size, mean over kernels"
    assert float(tesla[small]) > float(firepro[small]) > 9


def test_what_follows_from_ours():
    found = following(MADE.figures())
    assert found["work-items that run together"] == "16"
    assert found["kernels whose best size is a multiple of this number"] == "6 of 6"
    assert found["compute units"] == "2"
    assert found["time of size 1 / time of the best size, mean over kernels"] == "4"
    assert found["transpose: time of the best (k, 1) / time of the best in two dimensions"] == "8"
    assert found["transpose: time of the best (k, 1) / time of transposeBlocked"] == "16.3"
    unknown = following(results(run("1", math.nan, error=99.0), machine=None).figures())
    assert set(unknown.values()) == {"-"}


def test_truncation_and_rounding():
    """Of the sample that the page names, 48 % of the pixels are one level less truncated."""
    assert worksize.truncated(np.array([0.4, 0.6, 1.5, 2.0])) == 0.5
    assert "in the textbook, 48% of them" in worksize.as_text(MADE)
    root = Path(__file__).resolve().parents[2]
    scene = np.array(Image.open(root / "samples" / "scene.pgm"))
    expected = high_pass(scene, min(scene.shape) / 8)
    part = worksize.truncated(expected * (255 / expected.max()))
    page = (root / "docs" / "explanation" / "worksize.md").read_text(encoding="utf-8")
    assert f"{part:.0%}".replace("%", " %") + " of the pixels of `samples/scene.pgm`" in page


@pytest.mark.parametrize("made", [MADE, results(run("1", math.nan), machine=None)])
def test_read_back(tmp_path, made):
    (tmp_path / "w.json").write_text(worksize.as_json(made))
    found = worksize.read(tmp_path / "w.json")
    assert worksize.as_json(found) == worksize.as_json(made)


def test_files_of_before_are_read(tmp_path):
    document = json.loads(worksize.as_json(MADE))
    for name in ("machine", "truncated"):
        del document[name]
    (tmp_path / "w.json").write_text(json.dumps(document | {"schema": 1}))
    found = worksize.read(tmp_path / "w.json")
    assert found.machine is None
    assert found.runs == MADE.runs
    (tmp_path / "w.json").write_text("{}")
    with pytest.raises(FormatError, match=r"w\.json: no file of pyclfft bench worksize --json"):
        worksize.read(tmp_path / "w.json")


# ---------------------------------------------------------------- the command line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--image", "500"], "'500' is no power of two from 2 to"),
        (["--image", "1"], "'1' is no power of two"),
        (["--image", "2^40"], "'2^40' is no power of two"),
        (["--image", "large"], "'large' is no power of two"),
        (["--samples", "0"], "'0' is not a positive whole number"),
        (["--json", "/no/such/folder/w.json"], "/no/such/folder/w.json"),
        (["--markdown", "/no/such/folder/w.md"], "/no/such/folder/w.md"),
        (["--plot", "/no/such/folder/w.png"], "/no/such/folder/w.png"),
        (["--plot", "w.txt"], "w.txt: a plot's name ends in png, svg, pdf"),
        (["--cases", "1024"], "--cases"),
    ],
)
def test_bad_arguments_are_one_line_and_status_2(arguments, message, monkeypatch, capsys):
    if arguments[0] == "--plot":
        pytest.importorskip("matplotlib")
    monkeypatch.setattr(worksize, "measure", pytest.fail)
    try:
        status = command.main(["worksize", *arguments])
    except SystemExit as end:
        status = end.code
    said = capsys.readouterr().err
    assert status == 2
    assert said.count("\n") == 1
    assert said.startswith("pyclfft bench worksize: error: ")
    assert message in said


def test_bench_names_it_in_its_help(capsys):
    with pytest.raises(SystemExit):
        command.main(["--help"])
    assert "pyclfft bench worksize" in " ".join(capsys.readouterr().out.split())
