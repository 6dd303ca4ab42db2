"""Gains as pictures: what a filter leaves of each frequency, DC in the middle, and back again."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from ..errors import FormatError
from .filter_plans import FilterJob
from .imagefile import ImageFile, read_image
from .in_pieces import gains_by_host
from .kinds import computed_gains
from .masks import Mask

EXACT = (".tif", ".tiff")  # the formats that hold gains as they are
WHITE = 255
ROUNDING = 1e-6  # so far beyond 0 and 1 are gains that a kernel has rounded

File = str | os.PathLike[str]


def gains_of(job: FilterJob, mask: np.ndarray | None = None) -> np.ndarray:
    """Return the gains of all bins of a filter's transform, DC at [0, 0].

    Parameters
    ----------
    job : FilterJob
        The filter.
    mask : ndarray, optional
        The gains of the whole spectrum, if the caller has given them.

    Returns
    -------
    ndarray of real numbers, shape ``job.plane``
    """
    if not isinstance(job.band, Mask):
        return gains_by_host(job.band, job.plane)
    if job.band.rule is None:
        assert mask is not None
        return mask
    return computed_gains(job.band.rule, job.plane, half=False, dtype=np.float32)


def draw_gains(gains: np.ndarray, file: File, white: int = WHITE) -> ImageFile:
    """Return the picture of gains that a file is to hold.

    Parameters
    ----------
    gains : ndarray, shape (rows, columns)
        The gains, DC at [0, 0].
    file : str or path
        The file. A TIFF holds the gains as they are; other formats hold 0 as black and 1 as white.
    white : int, optional
        The pixel that means 1, where the format is no TIFF: 255, or 65535 in a PNG of 16 bits.

    Returns
    -------
    ImageFile
        The picture, DC in the middle. `gains_in` returns its gains.

    Raises
    ------
    FormatError
        Some gain is below 0 or above 1, which only a TIFF can hold.
    """
    middle = np.fft.fftshift(gains)
    if Path(file).suffix.lower() in EXACT:
        return ImageFile(middle.astype(np.float32), 1)
    least, greatest = float(gains.min()), float(gains.max())
    if least < -ROUNDING or greatest > 1 + ROUNDING:
        raise FormatError(
            f"{file}: this filter's gains go from {least:.3g} to {greatest:.3g}, and a picture's "
            f"from 0 (black) to 1 (white): name a {EXACT[0]} file, which holds them as they are"
        )
    levels = np.rint(white * np.clip(middle.astype(np.float64), 0, 1))
    return ImageFile(levels.astype(np.min_scalar_type(white)), white)


def read_gains(file: File) -> np.ndarray:
    """Read gains that were drawn, by `draw_gains` or by hand.

    Parameters
    ----------
    file : str or path
        A grey picture: black means 0 and white 1, DC lies in the middle.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        The gains, DC at [0, 0].

    Raises
    ------
    FormatError, OSError
        As `read_image`, or the picture is coloured.
    """
    return gains_in(read_image(file), file)


def gains_in(image: ImageFile, file: File) -> np.ndarray:
    """Return the gains that a picture holds.

    Parameters
    ----------
    image : ImageFile
        The picture, as `draw_gains` returns it or as `read_image` reads it.
    file : str or path
        The name of its file, for the error.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        The gains, DC at [0, 0].

    Raises
    ------
    FormatError
        The picture is coloured.
    """
    grey = image.pixels
    if grey.ndim == 3:
        if (grey != grey[..., :1]).any():
            raise FormatError(f"{file}: gains are grey, and this picture is coloured: make it grey")
        grey = grey[..., 0]
    return np.fft.ifftshift(grey.astype(np.float32) / np.float32(image.maxval))
