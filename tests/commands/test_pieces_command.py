"""``pyclfft bench pieces``: every case is measured, compared, and written."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pyclfft.bench import pieces, render
from pyclfft.runtime import conveyor
from tests.conftest import place_of

SMALL = ("--bytes", "2^24", "--max-device-bytes", "2^23", "--samples", "2")


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(conveyor, "CHUNK_BYTES", 2**18)


@pytest.mark.one_cpu
def test_all_cases_are_measured_right_and_written(device, tmp_path, capsys):
    path = tmp_path / "pieces.json"
    assert pieces.main([*SMALL, "--device", place_of(device), "--json", str(path)]) == 0
    out = capsys.readouterr().out
    for name in ("batched rows", "one long row", "3-D array", "pinned memory alone", "of link"):
        assert name in out
    document = json.loads(path.read_text(encoding="utf-8"))
    crossed = [row["crossed"] for row in document["rows"]]
    assert crossed == [2 * 2**24, 4 * 2**24, 4 * 2**24]  # once each way; twice; twice
    assert all(0 < row["error"] < 1e-6 for row in document["rows"])
    assert min(document["rates"].values()) > 0
    assert render.text_of(pieces.parts_of(pieces.read(path))) in out


@pytest.mark.one_cpu
def test_a_wrong_result_is_noticed(device, monkeypatch, capsys):
    real = pieces.transform

    def wrong(x, out, *args, **options):
        real(x, out, *args, **options)
        np.multiply(out, 1.01, out=out)

    monkeypatch.setattr(pieces, "transform", wrong)
    assert pieces.main([*SMALL, "--device", place_of(device)]) == 1


def test_a_missing_folder_is_named_before_the_measurement(capsys):
    assert pieces.main(["--json", "/nowhere/at/all.json"]) == 2
    assert "/nowhere/at/all.json" in capsys.readouterr().err
