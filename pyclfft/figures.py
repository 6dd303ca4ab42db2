"""Pictures by matplotlib, which is imported when a picture is wanted: their formats and files."""

from __future__ import annotations

import io
import os
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

from .advice import pip_install
from .errors import FormatError, PyclfftError
from .overlap import warnings_lock

FORMATS = ("png", "svg", "pdf")  # by the suffixes that name them
DPI = 120  # pixels an inch


def matplotlib(module: str = "matplotlib") -> Any:
    """Return a module of matplotlib, which takes time to import.

    Raises
    ------
    PyclfftError
        matplotlib is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        raise PyclfftError(f"a picture needs matplotlib: {pip_install('pictures')}") from None


def require_picture(path: str | os.PathLike[str], shown: str = "") -> None:
    """Refuse a picture that cannot be drawn, before anything is computed.

    Parameters
    ----------
    path : str or path
        The file of the picture.
    shown : str
        What the error calls the file; its path by default.

    Raises
    ------
    FormatError
        The suffix of the file is not that of a picture.
    PyclfftError
        matplotlib is not installed.
    """
    if _format(path) not in FORMATS:
        raise FormatError(
            f"{shown or os.fspath(path)}: a picture's name ends in "
            f"{', '.join('.' + each for each in FORMATS)}"
        )
    matplotlib()


def encode(figure: Any, path: str | os.PathLike[str], dpi: float = DPI) -> bytes:
    """Return a figure of matplotlib as the content of a file, in the format of the file's suffix.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure.
    path : str or path
        A file name that ends with .png, .svg or .pdf.
    dpi : float
        Pixels an inch.

    Returns
    -------
    bytes
    """
    buffer = io.BytesIO()
    with warnings_lock, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # an unknown letter of a file's name is a box
        figure.savefig(buffer, format=_format(path), dpi=dpi)
    return buffer.getvalue()


def printable(text: str, most: int = 72) -> str:
    """Return a file's name as a title: without the middle of a long one, "?" for odd letters."""
    text = "".join(c if c.isprintable() else "?" for c in text)
    half = most // 2 - 2
    return text if len(text) <= most else f"{text[:half]} … {text[-half:]}"


def _format(path: str | os.PathLike[str]) -> str:
    return Path(path).suffix[1:].lower()
