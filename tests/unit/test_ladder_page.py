"""The page of the ladder says what the files in docs/results say."""

from __future__ import annotations

import importlib
import json
import re
from math import exp, log
from pathlib import Path

import pytest

from pyclfft.bench.cases import size_name

DOCS = Path(__file__).resolve().parents[2] / "docs"
RESULTS = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((DOCS / "results").glob("ladder-*.json"))
}
PAGE = (DOCS / "explanation" / "ladder.md").read_text(encoding="utf-8")
RUNGS = ("ladder1", "ladder2", "ladder3", "ladder4", "compact")

each_run = pytest.mark.parametrize("name", RESULTS)


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    return importlib.import_module("make_ladder")


def times_of(document):
    """The medians in the file, by length and contender; None where there is none."""
    return {
        row["lengths"][0]: {who: each["ms"]["median"] for who, each in row["outcomes"].items()}
        for row in document["rows"]
    }


def section(name):
    """What the page has of a run, its lines not broken."""
    parts = re.split(r"\n## ", PAGE)
    (found,) = (each for each in parts if f"(../results/{name}.json)" in " ".join(each.split()))
    return found.replace("\n  ", " ")


# ---------------------------------------------------------------- the script


def test_the_page_is_what_the_script_writes(script, tmp_path):
    script.main(["--check"])
    empty = tmp_path / "new.md"
    without = re.sub(r"(<!-- figures: .+? -->\n).*?(<!-- end)", r"\1\2", PAGE, flags=re.DOTALL)
    assert len(without) < len(PAGE)
    empty.write_text(without, encoding="utf-8")
    script.main(["--output", str(empty)])
    assert empty.read_text(encoding="utf-8") == PAGE


def test_a_figure_that_was_edited_is_refused(script, tmp_path):
    edited = tmp_path / "edited.md"
    edited.write_text(PAGE.replace("geometric mean of", "mean of", 1), encoding="utf-8")
    with pytest.raises(SystemExit, match=r"edited\.md is not what docs/make_ladder\.py writes"):
        script.main(["--check", "--output", str(edited)])
    with pytest.raises(SystemExit, match=r"none\.md"):
        script.main(["--output", str(tmp_path / "none.md")])


def test_without_results_it_says_what_to_do(script, tmp_path, monkeypatch):
    monkeypatch.setattr(script, "DOCS", tmp_path)
    with pytest.raises(SystemExit, match="run pyclfft bench ladder --json"):
        script.main(["--check"])


def test_the_text_by_hand_names_no_measured_number():
    """What a run may change stands in the regions that the script writes."""
    by_hand = re.sub(r"<!-- figures: .*?<!-- end of figures -->", "", PAGE, flags=re.DOTALL)
    assert re.findall(r"\d+\.\d+|\bXeon\b|\bEPYC\b|\bH200\b", by_hand) == ["3.0", "2.0"]


# ---------------------------------------------------------------- the runs


def test_there_are_results():
    assert RESULTS


@each_run
def test_every_run_is_from_a_commit(name):
    assert re.fullmatch(r"[0-9a-f]{7,40}", RESULTS[name]["environment"]["commit"])


@each_run
def test_every_run_has_the_report_s_contenders_with_threads_stated(name):
    contenders = RESULTS[name]["contenders"]
    assert {*RUNGS, "radix2", "stockham", "recursive", "FFTW 1 thread"} <= set(contenders)
    cores = int(re.search(r", (\d+) cores?$", RESULTS[name]["environment"]["host"])[1])
    assert cores == 1 or f"FFTW {cores} threads" in contenders


@each_run
def test_every_picture_is_shown(name):
    shown = re.findall(rf"\(\.\./results/({name}-\w+\.png)\)", section(name))
    assert shown == [f"{name}-{each}.png" for each in ("time", "bandwidth", "speedup", "kernels")]
    assert all((DOCS / "results" / each).exists() for each in shown)


@each_run
def test_every_row_is_shown(name):
    lines = section(name).splitlines()
    for points, times in times_of(RESULTS[name]).items():
        cells = [f"{ms:.4g}" if ms else "refused" for ms in times.values()]
        assert any(
            line.startswith(f"| {size_name((points,))} | {' | '.join(cells)} |") for line in lines
        )


@each_run
def test_steps_are_those_of_the_times(name, script):
    machine = RESULTS[name]["environment"]["device"].partition(", driver")[0] + ")"
    for slower, faster in re.findall(r"<!-- figures: step (\w+) (\w+) -->", PAGE):
        region = PAGE.partition(f"<!-- figures: step {slower} {faster} -->")[2]
        headings, *lines = (
            [cell.strip() for cell in line.split("|")[1:-1]]
            for line in region.partition("<!-- end")[0].strip().splitlines()
        )
        (cells,) = (line[1:] for line in lines if line[0] == machine)
        for heading, cell in zip(headings[1:], cells, strict=True):
            ratios = [
                f"{times[slower] / times[faster]:.3g}"
                for points, times in times_of(RESULTS[name]).items()
                if size_name((points,)) == heading and times[slower] and times[faster]
            ]
            assert [cell] == (ratios or ["-"])


@each_run
def test_answers_to_the_claims_are_those_of_the_times(name):
    claims = PAGE.partition("<!-- figures: claims -->")[2].partition("<!-- end")[0]
    claims = " ".join(claims.split())
    times = times_of(RESULTS[name])
    ratios = [each["ladder1"] / each["ladder2"] for each in times.values()]
    mean = exp(sum(map(log, ratios)) / len(ratios))
    assert (
        f"ladder2 is {mean:.3f} times as fast as ladder1 "
        f"(geometric mean of {len(times)} of {len(times)} lengths; "
    ) in claims
    for fftw in (who for who in RESULTS[name]["contenders"] if who.startswith("FFTW")):
        over = {n: each[fftw] / each["ladder3"] for n, each in times.items()}
        most = max(over, key=over.__getitem__)
        at = f"at {size_name((most,))} points"
        assert f"ladder3 is at most {over[most]:.3g} times as fast as {fftw}, {at}" in claims
        won = [n for n, ratio in over.items() if ratio > 1]
        if won:
            first = re.escape(size_name((won[0],)))
            assert re.search(rf"ladder3 is faster than {fftw} at [^;]*\b{first}\b", claims)
        else:
            assert f"ladder3 is faster than {fftw} at no length" in claims
