"""pyclfft: fast Fourier transforms on any OpenCL device.

The whole public interface is listed here; the names are defined in

- `pyclfft.transforms`: `fft` and all else that scipy.fft has
- `pyclfft.array_api_fft`: the array API standard's functions
- `pyclfft.backend`: what makes the package a backend of scipy.fft
- `pyclfft.apps.imaging`: `filter_image`, `filter_mask`
- `pyclfft.apps.shorttime`: `stft`, `istft`, `spectrogram`
- `pyclfft.apps.streaming`: `StreamingSTFT`
- `pyclfft.runtime.plan`: `Plan`; `pyclfft.runtime.hooks`: `Hook`
- `pyclfft.runtime.device`: `devices`, `default_device`, `default_queue`, `use_device`
- `pyclfft.runtime.memory`: `allocator`
- `pyclfft.tuning.tuner`: `tune`
- `pyclfft.caches`: `cache_info`, `clear_cache`
- `pyclfft.errors`: `PyclfftError` and its subclasses
"""

from . import array_api_fft, backend
from .apps.imaging import filter_image, filter_mask
from .apps.shorttime import istft, spectrogram, stft
from .apps.streaming import StreamingSTFT
from .caches import CacheInfo, cache_info, clear_cache
from .errors import (
    BuildError,
    DeviceError,
    DeviceMemoryError,
    FormatError,
    PlanError,
    PrecisionError,
    PyclfftError,
)
from .runtime.device import default_device, default_queue, devices, use_device
from .runtime.hooks import Hook
from .runtime.memory import allocator
from .runtime.plan import Plan
from .transforms import (
    dct,
    dctn,
    dst,
    dstn,
    fft,
    fft2,
    fftfreq,
    fftn,
    fftshift,
    fht,
    hfft,
    hfft2,
    hfftn,
    idct,
    idctn,
    idst,
    idstn,
    ifft,
    ifft2,
    ifftn,
    ifftshift,
    ifht,
    ihfft,
    ihfft2,
    ihfftn,
    irfft,
    irfft2,
    irfftn,
    next_fast_len,
    prev_fast_len,
    rfft,
    rfft2,
    rfftfreq,
    rfftn,
)
from .tuning.tuner import Tuned, tune

__version__ = "0.1.0"

# scipy.fft.set_backend(pyclfft) asks the package for these.
__ua_domain__ = backend.DOMAIN
__ua_function__ = backend.call

__all__ = [
    "BuildError",
    "CacheInfo",
    "DeviceError",
    "DeviceMemoryError",
    "FormatError",
    "Hook",
    "Plan",
    "PlanError",
    "PrecisionError",
    "PyclfftError",
    "StreamingSTFT",
    "Tuned",
    "allocator",
    "array_api_fft",
    "cache_info",
    "clear_cache",
    "dct",
    "dctn",
    "default_device",
    "default_queue",
    "devices",
    "dst",
    "dstn",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "fht",
    "filter_image",
    "filter_mask",
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
    "istft",
    "next_fast_len",
    "prev_fast_len",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
    "spectrogram",
    "stft",
    "tune",
    "use_device",
]
