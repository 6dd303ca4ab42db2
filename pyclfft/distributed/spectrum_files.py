"""Files of a spectrum: CSV tables, arrays for NumPy, and pictures."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from ..errors import FormatError
from ..files import atomic_write
from .spectrum_picture import FORMATS, draw, encode, require_matplotlib

File = str | os.PathLike[str]

COLUMNS = ("frequency", "real", "imaginary", "magnitude", "phase")
ROWS_AT_ONCE = 65_536  # rows of a CSV table that become text at a time


@dataclass(frozen=True)
class Spectrum:
    """A spectrum with the samples that it is of.

    Attributes
    ----------
    bins : ndarray of int64, shape (bins,)
        The numbers of the bins.
    values : ndarray of complex64 or complex128, shape (bins,)
        The sums, without any factor.
    samples : ndarray of float64, shape (n,)
        The samples.
    rate : float
        Samples a second.
    hertz : bool
        Whether `rate` is known, so that frequencies are in Hz; otherwise they are in cycles a
        sample.
    title : str
        What was transformed, for people.
    """

    bins: np.ndarray
    values: np.ndarray
    samples: np.ndarray
    rate: float
    hertz: bool
    title: str

    @cached_property
    def frequencies(self) -> np.ndarray:
        """The frequencies of the bins; float64, shape (bins,)."""
        return self.bins * self.rate / len(self.samples)


def write_spectrum(path: File, spectrum: Spectrum) -> None:
    """Write a spectrum in the format that the file's name tells; the file is whole, or not there.

    Parameters
    ----------
    path : str or path
        The file: .csv, .npz, .png, .svg or .pdf.
    spectrum : Spectrum
        The spectrum.

    Raises
    ------
    FormatError
        The name ends otherwise.
    PyclfftError
        A picture needs matplotlib, which is missing.
    OSError
        The file cannot be written.
    """
    require_writer(path)
    WRITERS[_suffix(path)](path, spectrum)


def require_writer(path: File) -> None:
    """Refuse a file that `write_spectrum` could not write, before the long work for its content.

    Parameters
    ----------
    path : str or path
        The file.

    Raises
    ------
    FormatError
        The name tells no format.
    PyclfftError
        A picture needs matplotlib, which is missing.
    """
    if _suffix(path) not in WRITERS:
        raise FormatError(f"{os.fspath(path)}: a spectrum's name ends in {', '.join(WRITERS)}")
    if _suffix(path)[1:] in FORMATS:
        require_matplotlib()


def _suffix(path: File) -> str:
    return Path(path).suffix.lower()


def _write_csv(path: File, spectrum: Spectrum) -> None:
    """Write a row for each bin; every number has as many digits as tell it from its neighbours."""
    values = spectrum.values
    columns = (
        spectrum.frequencies, values.real, values.imag, np.abs(values), np.angle(values)
    )  # fmt: skip
    with atomic_write(path) as file:
        file.write((",".join(COLUMNS) + "\n").encode())
        for begin in range(0, len(values), ROWS_AT_ONCE):
            part = (map(str, column[begin : begin + ROWS_AT_ONCE].tolist()) for column in columns)
            file.write(("\n".join(map(",".join, zip(*part, strict=True))) + "\n").encode())


def _write_npz(path: File, spectrum: Spectrum) -> None:
    """Write the arrays `frequency`, in Hz if they are known, and the complex `spectrum`."""
    with atomic_write(path) as file:
        np.savez(file, frequency=spectrum.frequencies, spectrum=spectrum.values)


def _write_picture(path: File, spectrum: Spectrum) -> None:
    figure = draw(
        spectrum.frequencies, spectrum.values, spectrum.samples, spectrum.rate,
        hertz=spectrum.hertz, title=spectrum.title,
    )  # fmt: skip
    data = encode(figure, _suffix(path)[1:])
    with atomic_write(path) as file:
        file.write(data)


WRITERS: dict[str, Callable[[File, Spectrum], None]] = {
    ".csv": _write_csv,
    ".npz": _write_npz,
    **{f".{each}": _write_picture for each in FORMATS},
}
