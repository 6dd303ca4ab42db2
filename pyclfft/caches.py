"""One place to look at all that pyclfft keeps between calls, and to throw it away."""

from __future__ import annotations

from typing import NamedTuple

from .runtime import cache
from .runtime import disk as disk_cache
from .runtime.cache import CacheCounts


class CacheInfo(NamedTuple):
    """The state of the caches; each field has the name of a registered cache (`runtime.cache`).

    Attributes
    ----------
    plans : CacheCounts
        Plans that functions such as `fft` have made.
    arrived : CacheCounts
        Plans that other processes have sent.
    columns : CacheCounts
        Plans for the columns of single rows that MPI's ranks transform together.
    pinned : CacheCounts
        Host memory through which arrays move to a device in pieces, one set for each context.
    filters : CacheCounts
        Filters that `filter_image` has made.
    volumes : CacheCounts
        Filters that `filter_volume` has made.
    spectra : CacheCounts
        Transforms of images that `spectrum` and `find_notches` have made.
    frames : CacheCounts
        Transforms of frames that `stft`, `istft` and `spectrogram` have made.
    convolvers : CacheCounts
        Convolutions that `convolve` and its relatives have planned.
    correlators : CacheCounts
        Correlations that `phase_cross_correlation` has planned.
    deconvolutions : CacheCounts
        Pairs of transforms by which `wiener` restores images.
    dfts : CacheCounts
        Direct transforms that `dft` has planned, with their roots of unity.
    chirps : CacheCounts
        Chirp z-transforms that `czt` and `zoom_fft` have planned.
    programs : CacheCounts
        Built kernels in memory.
    results : CacheCounts
        Host memory of large results that nobody uses any more. `max_size` and `size` are in bytes.
    rooms : CacheCounts
        Device memory for intermediate results of convolutions that no call uses at the moment.
        `max_size` and `size` are in bytes.

    See Also
    --------
    cache_info : Return the state of the caches.
    clear_cache : Empty the caches.
    pyclfft.runtime.cache.CacheCounts : The state of one cache.
    """

    plans: CacheCounts
    arrived: CacheCounts
    columns: CacheCounts
    pinned: CacheCounts
    filters: CacheCounts
    volumes: CacheCounts
    spectra: CacheCounts
    frames: CacheCounts
    convolvers: CacheCounts
    correlators: CacheCounts
    deconvolutions: CacheCounts
    dfts: CacheCounts
    chirps: CacheCounts
    programs: CacheCounts
    results: CacheCounts
    rooms: CacheCounts


def cache_info() -> CacheInfo:
    """Return the hits, the misses, the bound and the size of each cache in memory.

    Returns
    -------
    CacheInfo

    See Also
    --------
    clear_cache : Empty the caches.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> pyclfft.clear_cache()
    >>> for _ in range(3):
    ...     x = pyclfft.fft(np.ones(8, "complex64"))
    >>> pyclfft.cache_info().plans
    CacheCounts(hits=2, misses=1, max_size=128, size=1)
    """
    return CacheInfo(**{name: cache.counts_of(name) for name in CacheInfo._fields})


def clear_cache(*, disk: bool = False) -> None:
    """Empty all caches in memory, and free the memory on the device and the host that they hold.

    The caches keep plans, filters, transforms of frames, convolutions, programs, and memory that
    nobody uses any more: of results on the host, of intermediate results on the device.

    Parameters
    ----------
    disk : bool
        Whether to delete the compiled programs and the tables on the disk too.

    Raises
    ------
    OSError
        The files on the disk cannot be deleted.

    See Also
    --------
    cache_info : Return the state of the caches.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.clear_cache()
    >>> pyclfft.cache_info().plans.size
    0
    """
    cache.clear()
    if disk:
        disk_cache.clear()
