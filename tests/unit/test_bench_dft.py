"""bench dft without a measurement: which jobs there are, and what is said of given figures."""

from __future__ import annotations

import json
from math import nan

import pytest

from pyclfft.bench import dft, dft_plots, dft_sweeps, dft_view
from pyclfft.bench.dft_sweeps import GROUPS, LENGTHS, RANKS, Entry, Job, Results
from pyclfft.bench.statistics import spread
from pyclfft.distributed.ranks import Ranks
from pyclfft.errors import FormatError

STEPS = {"compute": 2.0, "gather": 0.5, "wait": 0.5, "total": 3.0}


def entry(variant, points, ms, ranks=0, group=0, **more):
    more = {"error": 1e-16, "parts": {**STEPS, "total": ms}, **more}
    return Entry(Job(variant, points, ranks, group), spread([ms]), **more)


@pytest.fixture
def results():
    return Results(
        {"device": "a device", "date": "today", "commit": "c"},
        threads=4,
        limit_s=20.0,
        entries={
            LENGTHS: (
                entry("sequential", 2000, 100.0),
                entry("sequential", 20_000, 9000.0),
                entry("sequential", 50_000, 56_000.0, scaled=True, error=nan),
                entry("global", 2000, 40.0),
                entry("global", 20_000, 900.0),
                Entry(Job("local", 20_000), reason="too large"),
                entry("tiled", 20_000, 90.0),
                entry("fft", 20_000, 0.2),
                entry("sequential", 2000, 25.0, 8),
                entry("sequential", 20_000, 1500.0, 8),
            ),
            RANKS: (
                entry("sequential", 20_000, 9000.0, 1),
                entry("sequential", 20_000, 3000.0, 4),
                entry("sequential", 20_000, 1600.0, 8),
            ),
            GROUPS: (entry("global", 5000, 7.0, 0, 64, occupancy=0.5),),
        },
    )


def row(table, name):
    return next(list(cells) for cells in table.rows if cells[0] == name)


def test_the_tables(results):
    lengths = dft_view.lengths_table(results)
    assert lengths.headings == ["ms", "2,000", "20,000", "50,000"]
    assert row(lengths, "sequential") == ["sequential", "100", "9000", "~5.6e+04"]
    assert row(lengths, "local") == ["local", "-", "-", "-"]
    assert row(lengths, "sequential, 8 ranks") == ["sequential, 8 ranks", "25", "1500", "-"]
    ranks = dft_view.ranks_table(results)
    four = dict(zip(ranks.headings[1:], row(ranks, "sequential, 4 ranks")[1:], strict=True))
    assert (four["compute"], four["wait"], four["total"]) == ("2", "0.5", "3000")
    assert four["1 rank / this"] == "3.00"
    groups = dft_view.groups_table(results)
    assert row(groups, "global, groups of 64")[-2:] == ["7", "50%"]


def test_beside_the_report(results):
    found = {cells[0]: cells[1:] for cells in dft_view.beside_the_report(results).rows}
    assert found["sequential loop"] == ["24 s", "9 s"]
    assert found["the loop over MPI's ranks"] == ["2 s", "1.5 s with 8 ranks"]
    assert found["on the GPU; here global, on the device"] == ["1 s", "0.9 s"]
    assert found["the whole input in local memory"][1] == "-"
    gain = found["MPI's ranks over the sequential loop"]
    assert gain == ["5 to 10 times", "6 times, on 4 hardware threads"]
    assert found["best number of ranks"][1] == "8 ranks, 2 times the hardware threads"
    ahead = found["the loop over MPI's ranks ahead of the GPU"]
    assert ahead == ["below 5,000 samples", "8 ranks are ahead at 2,000"]


def test_without_results_nothing_is_claimed():
    empty = Results({"device": "a"}, 4, 20.0, {})
    assert {cells[2] for cells in dft_view.beside_the_report(empty).rows} == {"-"}
    assert dft_view.as_text(empty)


def test_a_wrong_result_is_marked(results):
    assert not results.wrong
    wrong = results.with_entry(LENGTHS, entry("tiled", 2000, 1.0, error=1e-3))
    assert wrong.wrong
    assert row(dft_view.lengths_table(wrong), "tiled")[1] == "1 WRONG"
    assert results.with_entry(LENGTHS, entry("tiled", 2000, 1.0, error=nan)).wrong


def test_why_a_contender_is_missing(results):
    said = dft_view.as_markdown(results)
    assert "Not measured: local with 20,000 samples. The reason, for 20,000 samples: too" in said
    assert "The occupancy is not known" not in said
    unknown = Results(results.environment, 4, 20.0, {GROUPS: (entry("global", 5000, 1.0, 0, 64),)})
    assert "The occupancy is not known" in dft_view.as_text(unknown)


def test_json_and_back(results, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(dft_sweeps.as_json(results))
    assert json.loads(path.read_text())["schema"] == dft_sweeps.SCHEMA
    assert dft_view.as_text(dft_sweeps.read(path)) == dft_view.as_text(results)
    path.write_text("{}")
    with pytest.raises(FormatError, match="no file of pyclfft bench dft --json"):
        dft_sweeps.read(path)


def test_the_pictures(results, tmp_path):
    pytest.importorskip("matplotlib")
    dft_plots.write_plots(str(tmp_path / "a.png"), results)
    assert {each.name for each in tmp_path.iterdir()} == {
        "a-lengths.png", "a-ranks.png", "a-groups.png",
    }  # fmt: skip


def test_times_beyond_the_limit_are_scaled(monkeypatch):
    measured = []

    def measure(ranks, job, queue, samples):
        measured.append((job.variant, job.points))
        return entry(job.variant, job.points, 1e-3 * job.points**2)

    monkeypatch.setattr(dft_sweeps, "measure", measure)
    jobs = [Job(variant, n) for variant in ("sequential", "fft") for n in (100, 200, 400, 800)]
    found = list(dft_sweeps.measure_all(Ranks(), jobs, None, 3, limit_s=0.05))
    # 10 ms of 100 samples are expected to be 40 of 200, and those 160 of 400.
    assert measured == [("sequential", 100), ("sequential", 200), *(("fft", n) for n in
                        (100, 200, 400, 800))]  # fmt: skip
    assert [each.ms.median for each in found[:4]] == pytest.approx([10, 40, 160, 640])
    assert [each.scaled for each in found] == [False, False, True, True] + 4 * [False]


def test_jobs():
    assert {each.variant for each in dft_sweeps.jobs_alone((100,))} == set(dft_sweeps.ALONE)
    assert {each.ranks for each in dft_sweeps.jobs_of_ranks((100, 200), 3)} == {3}
    assert max(each.group for each in dft_sweeps.jobs_of_groups(5000, 256)) == 256


@pytest.mark.parametrize(
    ("option", "text"), [("--sweep", "sizes"), ("--points", "0"), ("--limit", "0")]
)
def test_options_that_make_no_sense(option, text, capsys):
    with pytest.raises(SystemExit, match="2"):
        dft.parser().parse_args([option, text])
    assert option in capsys.readouterr().err
