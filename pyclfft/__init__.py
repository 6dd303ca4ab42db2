"""pyclfft: fast Fourier transforms on any OpenCL device.

The whole public interface is listed here; the names are defined in

- `pyclfft.transforms`: `fft`, `ifft`, `fft2`, `ifft2`, `fftn`, `ifftn`
- `pyclfft.apps.imaging`: `filter_image`, `filter_mask`
- `pyclfft.runtime.plan`: `Plan`; `pyclfft.runtime.hooks`: `Hook`
- `pyclfft.runtime.device`: `devices`, `default_device`, `default_queue`, `use_device`
- `pyclfft.runtime.memory`: `allocator`
- `pyclfft.caches`: `cache_info`, `clear_cache`
- `pyclfft.errors`: `PyclfftError` and its subclasses
"""

from .apps.imaging import filter_image, filter_mask
from .caches import CacheInfo, cache_info, clear_cache
from .errors import (
    BuildError,
    DeviceError,
    DeviceMemoryError,
    FormatError,
    PlanError,
    PyclfftError,
)
from .runtime.device import default_device, default_queue, devices, use_device
from .runtime.hooks import Hook
from .runtime.memory import allocator
from .runtime.plan import Plan
from .transforms import fft, fft2, fftn, ifft, ifft2, ifftn

__version__ = "0.1.0"

__all__ = [
    "BuildError",
    "CacheInfo",
    "DeviceError",
    "DeviceMemoryError",
    "FormatError",
    "Hook",
    "Plan",
    "PlanError",
    "PyclfftError",
    "allocator",
    "cache_info",
    "clear_cache",
    "default_device",
    "default_queue",
    "devices",
    "fft",
    "fft2",
    "fftn",
    "filter_image",
    "filter_mask",
    "ifft",
    "ifft2",
    "ifftn",
    "use_device",
]
