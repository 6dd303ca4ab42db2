"""The pages of work sizes, spectrograms and convolutions say what the files in docs/results say."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

from pyclfft.bench import dft_plots
from pyclfft.bench.convolve_plots import PICTURES
from pyclfft.bench.ladder_plots import path_of
from pyclfft.bench.worksize import KERNELS

BENCHMARKS = ("worksize", "stft", "convolve", "realtime", "dft", "pieces")
DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def reports(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    return importlib.import_module("make_reports")


def text(name):
    return (DOCS / name).read_text(encoding="utf-8")


def cells(page, *beginning):
    """Return the cells of the rows of a page's tables that begin so."""
    start = f"| {' | '.join(beginning)} |"
    return [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in page.splitlines()
        if line.startswith(start)
    ]


def test_the_pages_are_what_the_script_writes(reports):
    reports.main(["--check"])


def test_a_page_that_was_edited_is_refused(reports, tmp_path, monkeypatch):
    for name in reports.PAGES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text(name), encoding="utf-8")
    monkeypatch.setattr(reports, "DOCS", tmp_path)
    reports.main(["--check"])
    page = tmp_path / "explanation/worksize.md"
    edited = text("explanation/worksize.md").replace("| 41.83 |", "| 41.84 |")
    page.write_text(edited, encoding="utf-8")
    with pytest.raises(SystemExit, match=r"worksize\.md is not what docs/make_reports\.py writes"):
        reports.main(["--check"])
    reports.main([])
    assert page.read_text(encoding="utf-8") == text("explanation/worksize.md")
    page.write_text("<!-- results: other -->\n<!-- end of results -->\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"results of \['other'\]"):
        reports.main([])


def test_every_stored_file_is_shown(reports):
    every = (
        *reports.WORKSIZES, *reports.STFTS, *reports.CONVOLUTIONS, *reports.REALTIMES,
        *reports.DFTS, *reports.LADDERS, *reports.PIECES,
    )  # fmt: skip
    names = {each.path.name for each in every}
    stored = {path.name for path in (DOCS / "results").glob("*.json")}
    assert names == {name for name in stored if name.startswith(BENCHMARKS)}
    for stored in (*reports.WORKSIZES, *reports.STFTS, *reports.LADDERS):
        assert stored.path.with_suffix(".png").exists()


def test_every_stored_picture_is_shown(reports):
    """Of runs that left sweeps out, some pictures are missing."""
    for several, pictures, page in (
        (reports.CONVOLUTIONS, reports.CONVOLUTION_PICTURES, "convolution"),
        (reports.DFTS, reports.DFT_PICTURES, "dft-parallel"),
    ):
        shown = text(f"explanation/{page}.md")
        for stored in several:
            found = set((DOCS / "results").glob(f"{stored.name}-*.png"))
            named = {path_of(str(stored.path.with_suffix(".png")), name) for name in pictures}
            assert found
            assert found <= named
            assert all(f"(../results/{each.name})" in shown for each in found)


def test_every_picture_is_named(reports):
    assert set(reports.CONVOLUTION_PICTURES) == set(PICTURES)
    assert set(reports.DFT_PICTURES) == set(dft_plots.PICTURES)


def test_commands_write_the_files_that_are_shown(reports, capsys):
    reports.main(["--commands"])
    lines = capsys.readouterr().out.splitlines()
    every = (
        reports.WORKSIZES, reports.STFTS, reports.CONVOLUTIONS, reports.REALTIMES,
        reports.DFTS, reports.LADDERS, reports.PIECES,
    )  # fmt: skip
    assert len(lines) == sum(map(len, every))
    assert (
        "pyclfft bench stft --device gpu --json docs/results/stft-h200.json "
        "--plot docs/results/stft-h200.png" in lines
    )
    for line in lines:
        assert line.split()[2] in BENCHMARKS
        assert (DOCS.parent / line.split(" --json ")[1].split()[0]).exists()


def test_times_of_work_sizes(reports):
    """From the files alone."""
    page = text("explanation/worksize.md")
    for stored in reports.WORKSIZES:
        runs = json.loads(stored.path.read_text(encoding="utf-8"))["runs"]
        one = next(run["times"] for run in runs if run["size"] == "1")
        for kernel in KERNELS:
            assert cells(page, kernel, f"{one[kernel]['ms']['median']:.4g}")


def test_times_of_convolutions(reports):
    """From the files alone: who takes how long at the impulse responses of the hall."""
    page = text("explanation/convolution.md")
    for stored in reports.CONVOLUTIONS:
        points = json.loads(stored.path.read_text(encoding="utf-8"))["points"]
        sweep = [each for each in points if each["case"]["name"].startswith("hall, ")]
        for entries in zip(*(each["entries"] for each in sweep), strict=True):
            if not any(each["word"] for each in entries):
                first = entries[0]
                times = [
                    "~" * (each["share"] < 1) + f"{each['ms']['median']:.4g}" for each in entries
                ]
                assert cells(page, f"{first['name']}, {first['where']}", *times)


def test_times_of_parallel_transforms(reports):
    """From the file alone: the total times of each contender, by the number of samples."""
    page = text("explanation/dft-parallel.md")
    for stored in reports.DFTS:
        entries = json.loads(stored.path.read_text(encoding="utf-8"))["entries"]["lengths"]
        for ranks in {each["job"]["ranks"] for each in entries}:
            loop = [
                each for each in entries
                if (each["job"]["variant"], each["job"]["ranks"]) == ("sequential", ranks)
            ]  # fmt: skip
            times = ["~" * each["scaled"] + f"{each['ms']['median']:.4g}" for each in loop]
            assert cells(page, "sequential" + f", {ranks} ranks" * (ranks > 1), *times)


def test_times_of_spectrograms(reports):
    """From the files alone: who takes how long, and the report's table beside ours."""
    page = text("explanation/stft.md")
    for stored in reports.STFTS:
        document = json.loads(stored.path.read_text(encoding="utf-8"))
        for each in document["entries"]:
            if not each["word"]:
                ms = f"{each['ms']['median']:.4g}"
                assert cells(page, each["name"], each["where"], ms)
        for point in document["curve"]:
            launches = -(-1164 // point["frames"])
            published = document["published"]["us_of_a_launch"][str(point["frames"])]
            ours = [f"{1e3 * ms / launches:.4g}" for ms in point["kernel_ms"].values()]
            row = [str(point["frames"]), str(launches), f"{published:g}", *ours]
            assert cells(page, *row)
