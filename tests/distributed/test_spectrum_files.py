"""Files of spectra, and the peaks that a picture labels."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from pyclfft.distributed import spectrum_picture
from pyclfft.distributed.spectrum_files import Spectrum, write_spectrum
from pyclfft.errors import FormatError, PyclfftError

RATE, N = 1000, 1000


def spectrum(hertz=(5, 200), mean=0.0, bins=None):
    times = np.arange(N) / RATE
    samples = mean + sum(np.cos(2 * np.pi * each * times) for each in hertz)
    values = np.fft.rfft(samples)
    bins = np.arange(len(values)) if bins is None else np.array(bins)
    return Spectrum(bins, values[bins], samples, RATE, True, "two cosines")


def test_csv(tmp_path):
    given = spectrum(bins=[200, 5, 7])
    write_spectrum(tmp_path / "a.csv", given)
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert lines[0] == "frequency,real,imaginary,magnitude,phase"
    numbers = np.array([line.split(",") for line in lines[1:]], float)
    np.testing.assert_array_equal(numbers[:, 0], [200, 5, 7])
    np.testing.assert_array_equal(numbers[:, 1] + 1j * numbers[:, 2], given.values)
    np.testing.assert_array_equal(numbers[:, 3], np.abs(given.values))
    np.testing.assert_array_equal(numbers[:, 4], np.angle(given.values))


def test_csv_longer_than_a_part(tmp_path, monkeypatch):
    monkeypatch.setattr("pyclfft.distributed.spectrum_files.ROWS_AT_ONCE", 7)
    write_spectrum(tmp_path / "a.csv", spectrum())
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 1 + N // 2 + 1


def test_npz(tmp_path):
    given = spectrum()
    write_spectrum(tmp_path / "a.npz", given)
    with np.load(tmp_path / "a.npz") as arrays:
        assert set(arrays) == {"frequency", "spectrum"}
        np.testing.assert_array_equal(arrays["frequency"], np.fft.rfftfreq(N, 1 / RATE))
        np.testing.assert_array_equal(arrays["spectrum"], given.values)


def test_a_picture(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    write_spectrum(tmp_path / "a.png", spectrum())
    assert Image.open(tmp_path / "a.png").size == (1200, 780)
    write_spectrum(tmp_path / "b.png", spectrum(bins=[7]))
    monkeypatch.setattr(spectrum_picture, "COLUMNS", 20)
    write_spectrum(tmp_path / "c.svg", spectrum())
    assert (tmp_path / "c.svg").read_text().rstrip().endswith("</svg>")


def test_labels_are_at_the_peaks(monkeypatch):
    pytest.importorskip("matplotlib")
    given = spectrum(mean=9.0)
    figure = spectrum_picture.draw(
        given.frequencies, given.values, given.samples, RATE, title=given.title
    )
    labels = {text.get_text(): text.xy for text in figure.axes[1].texts}
    assert set(labels) == {"5 Hz", "200 Hz"}
    for hertz in (5, 200):
        np.testing.assert_allclose(labels[f"{hertz} Hz"], (hertz, 1), rtol=1e-9)


def test_peaks():
    heights = np.array([9, 0, 1, 0, 0.04, 0, 0.5, 0, 2])
    assert spectrum_picture.peaks(heights).tolist() == [2, 6, 8]  # neither the mean nor ripples
    assert not len(spectrum_picture.peaks(np.zeros(8)))
    assert not len(spectrum_picture.peaks(np.ones(1)))
    many = np.tile([0.0, 1.0], 40) * np.linspace(1, 2, 80)
    found = spectrum_picture.peaks(many)
    assert found.tolist() == list(range(61, 80, 2))


def test_amplitudes_of_the_mean_and_of_half_the_rate():
    n, rate = 8, 8.0
    samples = 3 + 2 * np.cos(np.pi * np.arange(n)) + np.sin(np.pi / 2 * np.arange(n))
    found = spectrum_picture.amplitudes(np.arange(5.0), np.fft.rfft(samples), n, rate)
    np.testing.assert_allclose(found, [3, 0, 1, 0, 2], atol=1e-12)


def test_refused(tmp_path, monkeypatch):
    with pytest.raises(FormatError, match=r"a\.txt: a spectrum's name ends in \.csv, \.npz"):
        write_spectrum(tmp_path / "a.txt", spectrum())
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(PyclfftError, match="a picture needs matplotlib"):
        write_spectrum(tmp_path / "a.png", spectrum())
    assert not list(tmp_path.iterdir())
