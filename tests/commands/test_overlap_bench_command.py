"""``pyclfft bench overlap``: both ways write the same files, and everything is reported."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import pyclfft
from pyclfft.bench import overlap, render
from tests.conftest import place_of

pytestmark = pytest.mark.one_cpu

SMALL = ("--pages", "3", "--side", "48", "--samples", "2")


@pytest.fixture
def kept(monkeypatch):
    """The folder of the files is looked at before it is deleted."""
    seen = {}
    real = overlap._measured

    def measured(folder, *arguments):
        row = real(folder, *arguments)
        seen.update({path: path.read_bytes() for path in folder.rglob("*.*")})
        return row

    monkeypatch.setattr(overlap, "_measured", measured)
    return seen


def test_all_cases_are_measured_and_written(device, tmp_path, capsys, kept):
    path = tmp_path / "overlap.json"
    options = ["--device", place_of(device), "--json", str(path), "--folder", str(tmp_path)]
    assert overlap.main([*SMALL, *options]) == 0
    out = capsys.readouterr().out
    for name in ("pages of a TIFF file", "TIFF files", "PNG files", "times as fast", "s in turn"):
        assert name in out
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    assert [(row["case"]["files"], row["case"]["pages"]) for row in rows] == [
        (1, 3),
        (3, 1),
        (3, 1),
    ]
    assert all(row["same"] for row in rows)
    for row in rows:
        assert sum(row["steps"].values()) > 0
        assert row["in_turn"]["count"] == row["overlapped"]["count"] == 2
    assert render.text_of(overlap.parts_of(overlap.read(path))) in out
    assert [each.name for each in tmp_path.iterdir()] == ["overlap.json"]
    assert len(kept) == 3 * (1 + 3 + 3)


def test_the_results_are_filtered_pages(device, tmp_path, kept):
    options = ["--device", place_of(device), "--folder", str(tmp_path)]
    assert overlap.main([*SMALL, *options]) == 0
    folder = next(path.parent for path in kept if path.parent.name == "PNG-files")
    for way in ("turn", "overlap"):
        (tmp_path / "page.png").write_bytes(kept[folder / "0.png"])
        (tmp_path / "result.png").write_bytes(kept[folder / f"{way}-0.png"])
        page, result = (
            np.asarray(Image.open(tmp_path / f"{name}.png")) for name in ("page", "result")
        )
        expected = pyclfft.filter_image(page, "lowpass", 20, shape="gaussian", pad="mirror")
        np.testing.assert_array_equal(result, expected)
        assert (result != page).any()


def test_a_difference_is_noticed(device, tmp_path, monkeypatch, capsys):
    real = overlap.filtered
    monkeypatch.setattr(overlap, "filtered", lambda *arguments: real(*arguments) ^ 1)
    options = ["--device", place_of(device), "--folder", str(tmp_path)]
    assert overlap.main([*SMALL, *options]) == 1
    assert (
        "Both ways differ in a result: pages of a TIFF file, TIFF files" in capsys.readouterr().out
    )


@pytest.mark.parametrize("option", ["--json", "--folder"])
def test_a_missing_folder_is_named_before_the_measurement(option, capsys):
    assert overlap.main([option, str(Path("/nowhere/at/all"))]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "/nowhere/at/all" in line
