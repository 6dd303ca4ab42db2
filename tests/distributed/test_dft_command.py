"""``pyclfft dft``, by one process: CSV in; CSV, arrays and pictures out; errors."""

from __future__ import annotations

import io
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from pyclfft.__main__ import main as commands
from pyclfft.distributed import ranked_dft
from pyclfft.runtime import describe
from tests.oracle import noise, relative_error

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
BOUND = {"double": 2e-15, "single": 1e-6}


def dft(*arguments):
    return commands(["dft", *map(str, arguments)])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(samples, name="a.csv", step=0.5):
    rows = (f"{step * n},{sample!r}" for n, sample in enumerate(samples.tolist()))
    Path(name).write_text("\n".join(["t,x", *rows]) + "\n")
    return name


def table(path):
    """The frequencies and the complex spectrum of a CSV file."""
    columns = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2).T
    return columns[0], columns[1] + 1j * columns[2]


@pytest.fixture
def precision(device):
    return "double" if describe.traits(device).fp64 else "single"


@pytest.mark.parametrize("n", [1, 2, 3, 257, 1000])
def test_a_table_beside_the_samples(folder, device, precision, n):
    samples = noise((n,), "f8")
    assert dft(write(samples), "--precision", precision, "-q") == 0
    frequencies, found = table("a_dft.csv")
    np.testing.assert_allclose(frequencies, np.fft.rfftfreq(n, 0.5 if n > 1 else 1), rtol=1e-12)
    assert relative_error(found, np.fft.rfft(samples)) <= BOUND[precision]
    assert {each.name for each in folder.iterdir()} == {"a.csv", "a_dft.csv"}


@pytest.mark.parametrize("variant", ["sequential", "global", "local", "tiled", "fft"])
def test_variants_and_bins(folder, device, precision, variant):
    if variant == "sequential":
        pytest.importorskip("numba")
    samples = noise((120,), "f8")
    bins = [0, 1, 2, 3, 119, 60, 7]
    assert dft(write(samples), "-o", "b.npz", "--bins", "0-3,119,60,7", "--variant", variant,
               "--precision", precision) == 0  # fmt: skip
    with np.load("b.npz") as arrays:
        np.testing.assert_allclose(arrays["frequency"], np.array(bins) * 2 / 120, rtol=1e-12)
        expected = np.fft.fft(samples)[bins]
        assert relative_error(arrays["spectrum"], expected) <= 2 * BOUND[precision]


def test_the_sample_shows_its_five_sines(folder, precision):
    assert dft(SAMPLES / "sines.csv", "-o", "s.csv", "--precision", precision) == 0
    frequencies, found = table("s.csv")
    amplitude = 2 * np.abs(found) / 1000
    np.testing.assert_array_equal(frequencies[amplitude > 0.5], [1, 5, 20, 100, 200])
    np.testing.assert_allclose(amplitude[amplitude > 0.5], 1, rtol=1e-5)
    assert np.sort(amplitude)[-6] < 1e-5


def test_the_script_makes_the_sample_that_is_stored(tmp_path):
    made = tmp_path / "sines.csv"
    runpy.run_path(str(SAMPLES / "make_sines.py"))["main"](["--output", str(made)])
    stored = np.loadtxt(SAMPLES / "sines.csv", delimiter=",", skiprows=2)
    np.testing.assert_allclose(
        np.loadtxt(made, delimiter=",", skiprows=2), stored, rtol=0, atol=1e-11
    )


def test_a_picture(folder, precision):
    pytest.importorskip("matplotlib")
    assert dft(SAMPLES / "sines.csv", "-o", "s.png", "--precision", precision) == 0
    assert Path("s.png").read_bytes().startswith(b"\x89PNG")


def test_standard_input_and_output(folder, precision, monkeypatch, capfdbinary):
    samples = noise((9,), "f8")
    source = io.TextIOWrapper(io.BytesIO("\n".join(map(repr, samples.tolist())).encode()))
    monkeypatch.setattr(sys, "stdin", source)
    assert dft("-", "--precision", precision) == 0
    said = capfdbinary.readouterr()
    _, found = table(io.BytesIO(said.out))
    assert relative_error(found, np.fft.rfft(samples)) <= BOUND[precision]
    assert b"input   standard input" in said.err


def test_times(folder, precision, capsys):
    samples = noise((50,), "f8")
    assert dft(write(samples), "--repeats", 3, "--timing-csv", "t.csv", "--precision",
               precision) == 0  # fmt: skip
    steps = ["read", "broadcast", "allocate", "upload", "compute", "download", "gather", "total"]
    said = capsys.readouterr().err
    assert "rank (ms)" in said
    assert all(step in said for step in steps)
    rows = [line.split(",") for line in Path("t.csv").read_text().splitlines()]
    assert rows[0] == ["repeat", "rank", *steps]
    assert [row[:2] for row in rows[1:]] == [["0", "0"], ["1", "0"], ["2", "0"]]
    seconds = np.array(rows[1:], float)
    assert (seconds[:, 2:] >= 0).all()
    assert (seconds[:, 3:-1].sum(axis=1) <= seconds[:, -1]).all()  # the total is without reading


def test_a_long_computation_is_announced(folder, precision, monkeypatch, capsys):
    name = write(noise((4,), "f8"))
    monkeypatch.setattr("pyclfft.distributed.ranked_dft.TRIAL_S", 0)
    module = sys.modules["pyclfft.dft"]
    monkeypatch.setattr(module, "LEAST_PRODUCTS", 0)
    assert dft(name, "--precision", precision) == 0
    assert "this will take" not in capsys.readouterr().err
    monkeypatch.setattr(module, "expected_seconds", lambda *_: 3 * 3600.0)
    assert dft(name, "--precision", precision) == 0
    said = capsys.readouterr().err
    assert "this will take about 3 hours: --variant fft" in said
    assert said.index("this will take") < said.index("output ")


def test_the_estimate_is_of_the_right_size(device, precision, queue):
    """Trials grow until they say something, and their time is scaled by the number of bins."""
    from time import perf_counter

    from pyclfft.distributed.ranks import Ranks

    samples = noise((6000,), {"double": "f8", "single": "f4"}[precision])
    expected = ranked_dft.expected_seconds(Ranks(), samples, None, "global", queue)
    begin = perf_counter()
    ranked_dft.dft_over_ranks(Ranks(), samples, variant="global")
    assert 0 < expected < 100 * (perf_counter() - begin)


ERRORS = {
    ("none.csv",): "none.csv: No such file or directory",
    ("a.csv", "-o", "b.txt"): "a spectrum's name ends in .csv",
    ("a.csv", "-o", "a.csv"): "a.csv is an input, too",
    ("a.csv", "-o", "no/b.csv"): "no/b.csv: No such file or directory",
    ("a.csv", "--timing-csv", "no/t.csv"): "no/t.csv: No such file or directory",
    ("a.csv", "--column", "y"): "no column 'y': choose from 1 to 2, or of t, x",
    ("a.csv", "--bins", "0,10"): "bin 10 does not exist: 10 samples",
    ("a.csv", "--bins", "10", "--variant", "fft"): "bin 10 does not exist: 10 samples",
    ("a.csv", "--device", "nobody's"): "no OpenCL device fits",
    ("gap.csv",): "gap.csv: line 3: column 'x' is empty",
    (".",): ".: Is a directory",
}


@pytest.mark.parametrize("arguments", ERRORS, ids=" ".join)
def test_errors_are_one_line(folder, arguments, capsys):
    write(noise((10,), "f8"))
    Path("gap.csv").write_text("t,x\n0,1\n1,\n")
    before = {each: each.read_bytes() for each in folder.iterdir()}
    assert dft(*arguments) == 2
    said = capsys.readouterr().err
    assert said.startswith("pyclfft dft: error: ")
    assert ERRORS[arguments] in said
    assert said.count("\n") == 1
    assert {each: each.read_bytes() for each in folder.iterdir()} == before


@pytest.mark.parametrize(
    "arguments", [["--bins", "3-1"], ["--bins", "x"], ["--sample-rate", "0"], ["--delimiter", "ab"]]
)
def test_arguments_that_make_no_sense(arguments, capsys):
    with pytest.raises(SystemExit, match="2"):
        dft("a.csv", *arguments)
    assert capsys.readouterr().err.startswith("pyclfft dft: error: argument ")


def test_nothing_is_half_written(folder, precision, monkeypatch):
    write(noise((10,), "f8"))
    Path("a_dft.csv").write_text("old")
    monkeypatch.setattr(np, "angle", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        dft("a.csv", "--precision", precision)
    assert Path("a_dft.csv").read_text() == "old"
    assert {each.name for each in folder.iterdir()} == {"a.csv", "a_dft.csv"}
