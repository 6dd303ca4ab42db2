"""bench stft without a measurement: what follows from figures."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from math import nan

import numpy as np
import pytest

from pyclfft.bench import occupancy, stft, stft_fault, stft_launches
from pyclfft.bench.occupancy import Group
from pyclfft.bench.runner import Settings
from pyclfft.bench.statistics import Spread, spread
from pyclfft.bench.stft_contenders import DEVICE, HOST, OURS, Entry
from pyclfft.bench.stft_fault import Greatest
from pyclfft.bench.stft_launches import HOP, KERNELS, Point, measure_song
from pyclfft.bench.stft_overlap import Overlap, overlap_of
from pyclfft.bench.stft_profile import (
    DOMAIN,
    FFT,
    LEVELS,
    NOTES,
    ONSETS,
    READ,
    STFT,
    WHOLE,
    Part,
    melody,
    parts_of,
    percent,
)
from pyclfft.errors import FormatError
from pyclfft.runtime.describe import Unit
from pyclfft.runtime.profile import PassTime


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
            dict(zip(KERNELS, (0.5, nan), strict=True)),
        )
        for frames in (1, 1024)
    )
    profile = tuple(
        Part(name, Spread(ms, ms, ms, 3))
        for name, ms in zip((*WHOLE, STFT, FFT), range(1, 7), strict=True)
    )
    given = {
        "entries": entries, "curve": curve, "song": {"FFTW, one core": 4.5}, "profile": profile,
        "greatest": Greatest(200.0, {"engine": 200.0}, 50.0), **changes,
    }  # fmt: skip
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


def table_of(text, first):
    """The cells of the table with this first heading, by row."""
    lines = next(part for part in text.split("\n\n") if part.startswith(first)).splitlines()
    return [re.split(" {2,}", line) for line in lines]


def test_the_published_table_stands_beside_ours():
    headings, one, most = table_of(stft.as_text(results()), "frames  launches")
    assert headings[:3] == ["frames", "launches", "us: published"]
    assert one[:6] == ["1", "1164", "25.5", "3.436", "3.436", "29.68"]  # 4 ms / 1164
    assert most[:6] == ["1024", "2", "3522", "2000", "2000", "7.044"]
    headings, one, most = table_of(stft.as_text(results()), "frames  speed-up")
    assert one[1:] == ["1", "1", "1", "0.50", "-"]
    assert most[1] == "4.21"  # 29.68 / 7.044


def test_the_greatest_and_the_profile():
    text = stft.as_text(results())
    rows = {cells[0]: cells[1:] for cells in table_of(text, "greatest magnitude")}
    assert rows["with the report's fault"] == ["50", "24 and 48"]
    assert rows["reference"] == ["200", "200"]
    rows = {cells[0]: cells[1:] for cells in table_of(text, "part of the program")}
    assert rows["onset detection"] == ["3", "30.0", "39.3"]  # of 1 + 2 + 3 + 4 ms
    assert rows["of which its FFT"][2] == "35.5"
    parts = results().profile
    assert sum(percent(parts, each) for each in parts if each.name in WHOLE) == pytest.approx(100)


def test_no_part_of_the_program_exceeds_its_whole():
    """The FFT is in the same STFT, not in another call, which may have taken longer than that."""
    host = {READ: 1.0, LEVELS: 2.0, ONSETS: 3.0, NOTES: 4.0}
    runs = [
        parts_of(
            {**host, STFT: each},
            [
                PassTime("write", "host to device", 0.25 * each, 8),
                PassTime("stockham", "frames", 0.5 * each, 8),
                PassTime("divide", "by the greatest", 0.125 * each, 8),
                PassTime("read", "device to host", 0.125 * each, 8),
            ],
        )
        for each in (4.0, 8.0, 16.0)
    ]
    assert runs[0] == {READ: 1, DOMAIN: 6, STFT: 4, FFT: 2.5, ONSETS: 3, NOTES: 4}
    parts = tuple(Part(name, spread([run[name] for run in runs])) for name in runs[0])
    by_name = {each.name: percent(parts, each) for each in parts}
    assert by_name[DOMAIN] == pytest.approx(100 * 10 / (1 + 10 + 3 + 4))
    assert by_name[FFT] == pytest.approx(100 * 5 / 18)
    assert by_name[FFT] <= by_name[STFT] <= by_name[DOMAIN]


@pytest.mark.parametrize("numba", [True, False])
def test_one_recursion_of_the_two(monkeypatch, numba):
    """The one over lists is slow, which flatters others: it runs only where Numba is not there."""

    def compiled():
        if not numba:
            raise ImportError
        return np.fft.fft

    monkeypatch.setattr(stft_launches, "compiled_recursion", compiled)
    monkeypatch.setattr(stft_launches, "_song", lambda: np.ones(3 * HOP, np.float32))
    found = measure_song(Settings(samples=1, sample_s=0, slow_s=0))
    assert ("recursive, compiled" in found, "recursive, Python" in found) == (numba, not numba)


@pytest.mark.parametrize("names", [("Python",), ("Python", "compiled"), ("compiled",)])
def test_stored_recursions(tmp_path, names):
    """Files of former versions have both: then the tables leave out the one over lists."""
    path = tmp_path / "s.json"
    song = {f"recursive, {name}": 5.0 for name in names}
    path.write_text(stft.as_json(results(song=song)))
    old = stft.read(path)
    assert old.song == song
    rows = {cells[0]: cells[1:] for cells in table_of(stft.as_text(old), "ms of a song")}
    shown = [name for name in ("Python", "compiled") if f"recursive, {name}" in rows]
    assert shown == list(names)[-1:]


def test_read_back(tmp_path):
    path = tmp_path / "s.json"
    for made in (results(), results(overlap=Overlap(60, {"upload": 2.0}, 2.0, 2.5))):
        path.write_text(stft.as_json(made))
        assert stft.as_json(stft.read(path)) == stft.as_json(made)
    document = json.loads(stft.as_json(results()))
    for name in ("profile", "greatest"):
        del document[name]
    for point in document["curve"]:
        del point["occupancy"]
    path.write_text(json.dumps(document | {"schema": 1}))
    old = stft.read(path)
    assert (old.profile, old.greatest) == ((), None)
    assert "part of the program" not in stft.as_text(old)
    path.write_text("[]")
    with pytest.raises(FormatError, match=r"s\.json: no file of pyclfft bench stft --json"):
        stft.read(path)


# A multiprocessor of compute capability 9.0.
H200 = Unit(2048, 32, 228 * 1024, 65536, 32, "")


@pytest.mark.parametrize(
    ("group", "groups", "expected"),
    [
        (Group(1024, 16384), 1, 0.5),  # as the report's, at 1 frame a launch
        (Group(1024, 16384, 32), 1000, 1.0),
        (Group(1024, 16384, 33), 1000, 0.5),  # 40 registers at a time: a second group has no room
        (Group(64, 16384), 132, 64 / 2048),
        (Group(64, 16384), 10**6, 13 * 64 / 2048),  # local memory of 13 groups, 1 KiB more of each
        (Group(32, 0), 10**6, 0.5),  # 32 groups at most
        (Group(256, 0, 255), 10**6, 256 / 2048),
    ],
)
def test_occupancy(group, groups, expected):
    assert occupancy.occupancy(H200, group, groups, 132) == pytest.approx(expected)


def test_registers_are_found_in_the_compilers_report():
    log = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'other' for 'sm_90'
ptxas info    : Used 12 registers, 400 bytes cmem[0]
ptxas info    : Compiling entry function 'localRadix2' for 'sm_90'
ptxas info    : Function properties for localRadix2
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 16388 bytes smem, 472 bytes cmem[0]
"""
    assert occupancy.registers_in(log, "localRadix2") == 40
    assert occupancy.registers_in(log, "other") == 12
    assert occupancy.registers_in(log, "none") == 0
    assert occupancy.registers_in("", "other") == 0


def test_what_the_fault_does():
    """Sample n is in bin k only where k and the reversed bits of n have no bit in common."""
    n, bits = 64, 6
    x = np.random.default_rng(1).standard_normal((3, n))
    found = stft_fault.faulty_fft(x)
    k = np.arange(n)
    reverse = np.array([int(f"{i:0{bits}b}"[::-1], 2) for i in range(n)])
    roots = np.exp(-2j * np.pi * np.outer(k, k) / n)
    apart = (reverse & k[:, None]) == 0
    np.testing.assert_allclose(found, x @ (roots * apart).T, atol=1e-12)
    ones = [f"{each:b}".count("1") for each in k]
    np.testing.assert_array_equal(apart.sum(axis=1), [n / 2**count for count in ones])


def test_the_melody():
    y = melody(100_000)
    assert (y.shape, y.dtype) == ((100_000,), np.float32)
    assert np.abs(y).max() == pytest.approx(0.9)


@pytest.mark.parametrize("known", [True, False])
def test_plot(tmp_path, monkeypatch, known):
    """Times, and a second picture of speed-ups; where there is any, with occupancy."""
    pytest.importorskip("matplotlib")
    drawn = []
    real = stft.save

    def save(figure, *arguments, **options):
        drawn.append(figure)
        real(figure, *arguments, **options)

    monkeypatch.setattr(stft, "save", save)
    made = results()
    if not known:
        made = replace(made, curve=tuple(replace(each, occupancy={}) for each in made.curve))
    stft.write_plot(tmp_path / "curve.png", made)
    assert (tmp_path / "curve.png").read_bytes()[:4] == b"\x89PNG"
    labels = [axes.get_ylabel() for axes in drawn[0].axes]
    assert labels[1] == "speed-up over 1 frame a launch, kernels alone"
    assert labels[2:] == ["occupancy"] * known
    assert not any(axes.get_legend() for axes in drawn[0].axes)


@pytest.mark.parametrize("argument", ["--seconds=0", "--seconds=x", "--samples=-1"])
def test_bad_arguments(argument, capsys):
    with pytest.raises(SystemExit) as raised:
        stft.main([argument])
    assert raised.value.code == 2
    assert capsys.readouterr().err.startswith("pyclfft bench stft: error: ")
