"""``pyclfft bench threads``: the calls of all threads are counted, and everything is reported."""

from __future__ import annotations

import json
import threading
import time

import pytest

from pyclfft.bench import render, threads
from tests.conftest import place_of

pytestmark = pytest.mark.one_cpu


def test_all_shapes_are_measured_and_written(device, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(threads, "SHAPES", ((1, 16), (3, 8)))
    path = tmp_path / "threads.json"
    options = ["--samples", "2", "--seconds", "0.02", "--threads", "3", "--json", str(path)]
    assert threads.main(["--device", place_of(device), *options]) == 0
    out = capsys.readouterr().out
    assert "calls/s of 3 threads" in out
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    assert [row["shape"] for row in rows] == [[1, 16], [3, 8]]
    for row in rows:
        assert row["alone"]["count"] == row["together"]["count"] == 2
        assert min(row["alone"]["low"], row["together"]["low"]) > 0
    assert render.text_of(threads.parts_of(threads.read(str(path)))) in out


def test_calls_of_all_threads_count(monkeypatch):
    """Each thread makes one call before the start, and exactly two that count."""
    calls = []

    def fft(x):
        calls.append((threading.current_thread(), x.shape))
        if len([each for each, _ in calls if each is threading.current_thread()]) == 3:
            time.sleep(0.6)  # until the time of this thread is over, however slow the machine is

    monkeypatch.setattr(threads, "fft", fft)
    rate = threads.calls_per_second((2, 5), 4, 0.5)
    assert len({thread for thread, _ in calls}) == 4
    assert {shape for _, shape in calls} == {(2, 5)}
    assert len(calls) == 4 * 3
    assert 0 < rate < 4 * 2 / 0.5


def test_a_missing_folder_is_named_before_the_measurement(capsys):
    assert threads.main(["--json", "/nowhere/at/all"]) == 2
    assert "/nowhere/at/all" in capsys.readouterr().err
