"""``python -m pyclfft.dft``: the discrete Fourier transform of samples by its definition."""

from __future__ import annotations

from . import commandline
from .distributed import direct

commandline.make_callable(__name__, direct.dft)
