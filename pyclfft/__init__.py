"""pyclfft: fast Fourier transforms on any OpenCL device.

The whole public interface is listed here; the names are defined in

- `pyclfft.transforms`: `fft` and all else that scipy.fft has
- `pyclfft.transforms.chirp_z`: `czt`, `zoom_fft` and their relatives of scipy.signal
- `pyclfft.array_api_fft`: the array API standard's functions
- `pyclfft.backend`: what makes the package a backend of scipy.fft, and `scipy_backend`
- `pyclfft.image.volumes`: `filter_volume`
- `pyclfft.image.spectrum`: `spectrum`, `Spectrum`; `pyclfft.image.peaks`: `Peak`
- `pyclfft.image.filtering`: `filter_image`, `filter_mask`; `pyclfft.image.notches`: `find_notches`
- `pyclfft.image.restoration`: `wiener`
- `pyclfft.convolution.functions`: `convolve`, `correlate` and their relatives of scipy.signal
- `pyclfft.convolution.registration`: `phase_cross_correlation`
- `pyclfft.convolution.streaming`: `StreamingConvolver`
- `pyclfft.distributed.direct`: `dft`
- `pyclfft.audio.stft`: `stft`, `istft`, `spectrogram`
- `pyclfft.audio.streaming`: `StreamingSTFT`
- `pyclfft.audio.denoising`: `denoise`
- `pyclfft.audio.griffin_lim`: `griffinlim`
- `pyclfft.audio.mel`: `melspectrogram`, `mfcc`
- `pyclfft.audio.onsets`, `chroma`, `notes`: `onsets`, `chroma`, `notes`, `Note`
- `pyclfft.audio.spectral_editing`: `edit_spectrogram`, `Region`
- `pyclfft.audio.units`: `frames_to_time` and other units of music
- `pyclfft.runtime.plan`: `Plan`; `pyclfft.runtime.hooks`: `Hook`
- `pyclfft.runtime.runtimes`: `devices`; `pyclfft.runtime.choice`: `default_device`, `use_device`
- `pyclfft.runtime.queues`: `default_queue`
- `pyclfft.runtime.memory`: `allocator`; `pyclfft.runtime.limit`: `limit_device_memory`
- `pyclfft.transforms.in_pieces`: `transform_in_pieces`
- `pyclfft.tuning.tuner`: `tune`
- `pyclfft.caches`: `cache_info`, `clear_cache`
- `pyclfft.distributed`: `fftn` and its relatives over MPI ranks and over devices
- `pyclfft.errors`: `PyclfftError` and its subclasses
"""

from . import array_api_fft, backend, distributed
from .audio.chroma import chroma
from .audio.denoising import denoise
from .audio.griffin_lim import griffinlim
from .audio.mel import melspectrogram, mfcc
from .audio.notes import Note, notes
from .audio.onsets import onsets
from .audio.spectral_editing import Region, edit_spectrogram
from .audio.stft import istft, spectrogram, stft
from .audio.streaming import StreamingSTFT
from .audio.units import (
    amplitude_to_db,
    db_to_amplitude,
    db_to_power,
    fft_frequencies,
    frames_to_samples,
    frames_to_time,
    hz_to_midi,
    hz_to_note,
    midi_to_hz,
    midi_to_note,
    note_to_hz,
    note_to_midi,
    power_to_db,
    samples_to_frames,
    samples_to_time,
    time_to_frames,
    time_to_samples,
)
from .backend import scipy_backend
from .caches import CacheInfo, cache_info, clear_cache
from .convolution.functions import (
    choose_conv_method,
    convolve,
    correlate,
    fftconvolve,
    oaconvolve,
)
from .convolution.registration import phase_cross_correlation
from .convolution.streaming import StreamingConvolver
from .distributed.direct import dft
from .errors import (
    BuildError,
    DeviceError,
    DeviceMemoryError,
    FormatError,
    PlanError,
    PrecisionError,
    PyclfftError,
    RankError,
)
from .image.filtering import filter_image, filter_mask
from .image.notches import find_notches
from .image.peaks import Peak
from .image.restoration import wiener
from .image.spectrum import Spectrum, spectrum
from .image.volumes import filter_volume
from .runtime import icd as _icd
from .runtime import pinning as _pinning
from .runtime.choice import default_device, use_device
from .runtime.hooks import Hook
from .runtime.limit import limit_device_memory
from .runtime.memory import allocator
from .runtime.plan import Plan
from .runtime.queues import default_queue
from .runtime.runtimes import devices
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
    fhtoffset,
    get_workers,
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
    set_workers,
    transform_in_pieces,
)
from .transforms.chirp_z import CZT, ZoomFFT, czt, czt_points, zoom_fft
from .tuning.tuner import Tuned, tune

__version__ = "0.1.0"

# Before anybody lists OpenCL's platforms, which loads the runtimes:
_icd.point_loader()
_pinning.pin_pocl()

# scipy.fft.set_backend(pyclfft) asks the package for these.
__ua_domain__ = backend.DOMAIN
__ua_function__ = backend.call

__all__ = [
    "CZT",
    "BuildError",
    "CacheInfo",
    "DeviceError",
    "DeviceMemoryError",
    "FormatError",
    "Hook",
    "Note",
    "Peak",
    "Plan",
    "PlanError",
    "PrecisionError",
    "PyclfftError",
    "RankError",
    "Region",
    "Spectrum",
    "StreamingConvolver",
    "StreamingSTFT",
    "Tuned",
    "ZoomFFT",
    "allocator",
    "amplitude_to_db",
    "array_api_fft",
    "cache_info",
    "choose_conv_method",
    "chroma",
    "clear_cache",
    "convolve",
    "correlate",
    "czt",
    "czt_points",
    "db_to_amplitude",
    "db_to_power",
    "dct",
    "dctn",
    "default_device",
    "default_queue",
    "denoise",
    "devices",
    "dft",
    "distributed",
    "dst",
    "dstn",
    "edit_spectrogram",
    "fft",
    "fft2",
    "fft_frequencies",
    "fftconvolve",
    "fftfreq",
    "fftn",
    "fftshift",
    "fht",
    "fhtoffset",
    "filter_image",
    "filter_mask",
    "filter_volume",
    "find_notches",
    "frames_to_samples",
    "frames_to_time",
    "get_workers",
    "griffinlim",
    "hfft",
    "hfft2",
    "hfftn",
    "hz_to_midi",
    "hz_to_note",
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
    "limit_device_memory",
    "melspectrogram",
    "mfcc",
    "midi_to_hz",
    "midi_to_note",
    "next_fast_len",
    "note_to_hz",
    "note_to_midi",
    "notes",
    "oaconvolve",
    "onsets",
    "phase_cross_correlation",
    "power_to_db",
    "prev_fast_len",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
    "samples_to_frames",
    "samples_to_time",
    "scipy_backend",
    "set_workers",
    "spectrogram",
    "spectrum",
    "stft",
    "time_to_frames",
    "time_to_samples",
    "transform_in_pieces",
    "tune",
    "use_device",
    "wiener",
    "zoom_fft",
]
