"""Transforms of NumPy arrays and of device arrays, with SciPy's signatures."""

from .fourier import fft, fft2, fftn, ifft, ifft2, ifftn
from .hankel import fht, fhtoffset, ifht
from .helpers import fftfreq, fftshift, ifftshift, next_fast_len, prev_fast_len, rfftfreq
from .in_pieces import transform_in_pieces
from .real import (
    hfft,
    hfft2,
    hfftn,
    ihfft,
    ihfft2,
    ihfftn,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftn,
)
from .trigonometric import dct, dctn, dst, dstn, idct, idctn, idst, idstn
from .workers import get_workers, set_workers

__all__ = [
    "dct",
    "dctn",
    "dst",
    "dstn",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "fht",
    "fhtoffset",
    "get_workers",
    "hfft",
    "hfft2",
    "hfftn",
    "idct",
    "idctn",
    "idst",
    "idstn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ifht",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "next_fast_len",
    "prev_fast_len",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
    "set_workers",
    "transform_in_pieces",
]
