"""bench stft without a measurement: what follows from figures."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from math import nan

import pytest

from pyclfft.bench import stft
from pyclfft.bench.statistics import Spread
from pyclfft.bench.stft_contenders import DEVICE, HOST, OURS, Entry
from pyclfft.bench.stft_launches import KERNELS, Point
from pyclfft.bench.stft_overlap import Overlap, overlap_of


def results(**changes):
    entries = (
        Entry(OURS, HOST, Spread(10.0, 9.0, 11.0, 5), 1e-7),
        Entry("librosa", HOST, Spread(80.0, 79.0, 82.0, 5), 1e-8),
        Entry("torch.stft", DEVICE, word="-", reason="No module named 'torch'"),
        Entry(OURS, DEVICE, Spread(2.0, 2.0, 2.0, 5), 1e-7),
    )
    curve = tuple(
        Point(
            frames,
            dict.fromkeys(KERNELS, 4.0),
            dict.fromkeys(KERNELS, 5.0),
            dict.fromkeys(KERNELS, 1e-7),
        )
        for frames in (1, 1024)
    )
    given = {"entries": entries, "curve": curve, "song": {"FFTW, one core": 4.5}, **changes}
    return stft.Results({"device": "a GPU", "date": "today"}, 180, 5, **given)


def test_the_published_curve():
    """Of all launches: the report's 29.7 ms at 1 frame a launch and 7.04 ms at 1024."""
    one, most = results().curve
    assert one.published_ms == pytest.approx(29.7, abs=0.02)
    assert most.published_ms == pytest.approx(7.04, abs=0.01)


def test_tables():
    text = stft.as_text(results())
    (line,) = (line for line in text.splitlines() if line.startswith("librosa"))
    assert re.split(" {2,}", line) == ["librosa, NumPy to NumPy", "80", "1.9", "8", "1.0e-08"]
    assert "torch.stft (on the device): No module named 'torch'" in text
    assert "a stream of" not in text
    page = stft.as_markdown(results())
    assert page.startswith("# Short-time Fourier transforms\n\n- device: a GPU\n")
    assert "| pyclfft, on the device | 2 | 0.0 | 1 | 1.0e-07 |" in page


def test_wrong_results_show():
    (entry, *others) = results().entries
    bad = Entry(OURS, HOST, entry.ms, 1e-3)
    assert bad.wrong
    assert not entry.wrong
    assert not Entry("librosa", HOST, entry.ms, 1e-3).wrong
    point = results().curve[0]
    assert not point.wrong
    for error in (1e-3, nan):
        assert replace(point, error={**point.error, "engine": error}).wrong
    assert "WRONG" in stft.as_text(results(entries=(bad, *others)))


def test_json_has_everything():
    document = json.loads(stft.as_json(results(overlap=Overlap(60, {"upload": 2.0}, 2.0, 2.5))))
    assert document["schema"] == stft.SCHEMA
    assert document["curve"][0]["kernel_ms"] == {"local-radix2": 4.0, "engine": 4.0}
    assert document["published"]["us_of_a_launch"]["1024"] == 3522
    assert document["overlap"]["span_ms"] == 2.5


def test_overlap():
    """Two uploads of 3 ms, two kernels of 1 ms and two downloads of 4 ms, in 11 ms."""
    ms = 1_000_000
    overlap = overlap_of(
        60,
        [
            ("write", 0, 3 * ms), ("stockham", 3 * ms, 4 * ms), ("read", 3 * ms, 7 * ms),
            ("write", 3 * ms, 6 * ms), ("stockham", 6 * ms, 7 * ms), ("read", 7 * ms, 11 * ms),
        ],
    )  # fmt: skip
    assert overlap.busy_ms == {"upload": 6, "compute": 2, "download": 8}
    assert overlap.any_ms == overlap.span_ms == 11
    assert overlap.hidden == pytest.approx(1 - 11 / 16)
    alone = overlap_of(60, [("write", 0, ms), ("k", ms, 2 * ms), ("k", 2 * ms, 3 * ms)])
    assert alone.hidden == 0
    assert overlap_of(1, [("k", 0, 2), ("k", 1, 3)]).busy_ms == {"compute": 3e-6}


def test_plot(tmp_path):
    pytest.importorskip("matplotlib")
    stft.write_plot(tmp_path / "curve.png", results())
    assert (tmp_path / "curve.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize("argument", ["--seconds=0", "--seconds=x", "--samples=-1"])
def test_bad_arguments(argument, capsys):
    with pytest.raises(SystemExit) as raised:
        stft.main([argument])
    assert raised.value.code == 2
    assert capsys.readouterr().err.startswith("pyclfft bench stft: error: ")
