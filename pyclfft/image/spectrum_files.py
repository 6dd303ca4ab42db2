"""Files of an image's spectrum: a picture, its numbers as JSON, and its radial profile as CSV."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ..figures import encode
from ..files import atomic_write
from .peaks import Peak
from .spectrum import Spectrum
from .spectrum_picture import draw

File = str | os.PathLike[str]


@dataclass(frozen=True)
class SpectrumOfFile:
    """The spectrum of the image in a file.

    Attributes
    ----------
    spectrum : Spectrum
        The spectrum.
    name : str
        The name of the file, for people.
    size : (int, int)
        The height and the width of the image.
    window : str or None
        The window by which the image was multiplied.
    pad : str
        What surrounded the image.
    """

    spectrum: Spectrum
    name: str
    size: tuple[int, int]
    window: str | None = None
    pad: str = "none"

    @property
    def words(self) -> str:
        """How the spectrum was made, for people."""
        height, width = self.size
        window = "without a window" if self.window is None else f"in a {self.window} window"
        return f"{width} x {height} pixels, {window}" + f", pad {self.pad}" * (self.pad != "none")


class Writer(NamedTuple):
    """How a spectrum becomes a file.

    Attributes
    ----------
    write : callable
        Writes a spectrum to a file.
    ending : str
        What follows the image's name in the file's; ``{}`` stands for a picture's format.
    """

    write: Callable[[File, SpectrumOfFile], None]
    ending: str


def write_picture(path: File, found: SpectrumOfFile) -> None:
    """Draw the spectrum, in the format of the name: .png, .svg or .pdf."""
    data = encode(draw(found.spectrum, Path(found.name).name, found.words), path)
    with atomic_write(path) as file:
        file.write(data)


def write_json(path: File, found: SpectrumOfFile) -> None:
    """Write the peaks and the radial profile, with their frequencies in cycles a pixel."""
    spectrum, (height, width) = found.spectrum, found.size
    rows, columns = spectrum.magnitude.shape
    content = {
        "image": found.name,
        "height": height, "width": width, "rows": rows, "columns": columns,
        "window": found.window, "pad": found.pad,
        "peaks": [numbers_of(peak) for peak in spectrum.peaks],
        "radial_profile": {
            "frequency": spectrum.radii.tolist(), "magnitude": spectrum.profile.tolist(),
        },
    }  # fmt: skip
    with atomic_write(path) as file:
        file.write(json.dumps(content, indent=1).encode() + b"\n")


def write_csv(path: File, found: SpectrumOfFile) -> None:
    """Write the radial profile: a row for each frequency, in cycles a pixel."""
    spectrum = found.spectrum
    with atomic_write(path) as file:
        file.write(b"frequency,magnitude\n")
        for radius, magnitude in zip(spectrum.radii, spectrum.profile, strict=True):
            file.write(f"{radius:.9g},{magnitude:.9g}\n".encode())


def numbers_of(peak: Peak) -> dict[str, float]:
    """Return what is known of a peak, by name."""
    return {
        "fy": peak.fy, "fx": peak.fx, "period": peak.period, "angle": peak.angle,
        "magnitude": peak.magnitude, "prominence": peak.prominence,
    }  # fmt: skip


def peak_rows(peaks: Sequence[Peak]) -> list[tuple[str, ...]]:
    """Return a row of words for each peak: period, angle, frequencies and prominence."""
    return [
        (f"{p.period:.2f}", f"{p.angle:.1f}", _signed(p.fy), _signed(p.fx), f"{p.prominence:.0f}")
        for p in peaks
    ]


def _signed(frequency: float) -> str:
    """Return a frequency with its sign; what is rounded to 0 is +0."""
    return f"{round(frequency, 4) + 0.0:+.4f}"


PEAK_HEADER = ("period (px)", "angle (deg)", "fy", "fx", "prominence")

# In the order in which the files are written.
WRITERS = {
    "json": Writer(write_json, "_spectrum.json"),
    "csv": Writer(write_csv, "_spectrum.csv"),
    "picture": Writer(write_picture, "_spectrum.{}"),
}
