"""The table of work sizes without a device: what is published, and what is shown of results."""

from __future__ import annotations

import json
import math
import re

import pytest

from pyclfft.bench import command, worksize
from pyclfft.bench.statistics import spread
from pyclfft.bench.worksize import (
    BLOCKED,
    KERNELS,
    PUBLISHED,
    ROWS,
    SIZES,
    Figures,
    Results,
    Run,
    Time,
    in_groups_of,
)
from pyclfft.planning.passes import Pass

TESLA, FIREPRO = PUBLISHED


def run(size, ms, rows=("write", *KERNELS, "read"), error=0.5):
    """A run whose every step takes as long."""
    return Run(size, {row: Time(2, spread([ms, ms, 9 * ms])) for row in rows}, error)


def results(*runs):
    return Results({"device": "A device", "date": "today"}, 64, 3, runs)


# As on a device that allows 64 work-items, and 16 for a butterfly; with a wrong result for 32.
MADE = results(
    run("1", 8.0),
    run("16", 2.0),
    run("32", 0.5, error=200.0),
    run("64", 4.0, [row for row in ("write", *KERNELS, "read") if row != "butterfly"]),
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
    figures = Figures("x", {"norm": {"1": 2.0, "16": math.nan, "32": 3.0}, BLOCKED: {}})
    assert figures.best("norm") == ("1",)
    assert figures.best(BLOCKED) == ()
    assert Figures("x", {"norm": {"1": math.nan}}).best("norm") == ()


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
    assert "64 x 64 pixels, filtered 3 times" in text
    assert "Launches: spinFact 2, bitReverse 2," in text
    assert "4,096 bytes" in text
    assert max(map(len, text.splitlines())) <= 120


def test_published_tables_and_best_sizes_stand_below():
    *_, tesla, firepro, best, wrong = worksize.as_text(MADE).split("\n\n")
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
    assert len(tables) == 4
    for lines in map(str.splitlines, tables):
        assert len({line.count("|") for line in lines}) == 1


def test_json():
    document = json.loads(worksize.as_json(MADE), parse_constant=pytest.fail)
    assert (document["schema"], document["image"], document["samples"]) == (1, 64, 3)
    assert document["environment"]["device"] == "A device"
    assert [each["size"] for each in document["runs"]] == ["1", "16", "32", "64", "16x16"]
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


# ---------------------------------------------------------------- groups


@pytest.mark.parametrize(
    ("size", "items", "sizes"),
    [
        (64, (256, 512), ((256, 512), (64, 1))),
        (512, (256, 512), ((512, 512), (512, 1))),  # half of the range lies beyond the row
        (16, (8,), ((16,), (16,))),
        (1, (4, 4, 1), ((4, 4, 1), (1, 1, 1))),
    ],
)
def test_groups_of_so_many_work_items_along_the_first_dimension(size, items, sizes):
    planned = Pass("norm", "norm.cl", (), items, tuple(min(2, n) for n in items), (), 0, 0)
    changed = in_groups_of(size, planned)
    assert (changed.global_size, changed.local_size) == sizes
    assert changed.kernel == "norm"


# ---------------------------------------------------------------- the command line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--image", "500"], "'500' is no power of two from 2 to"),
        (["--image", "1"], "'1' is no power of two"),
        (["--image", "2^40"], "'2^40' is no power of two"),
        (["--image", "large"], "'large' is no power of two"),
        (["--samples", "0"], "'0' is no positive whole number"),
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
