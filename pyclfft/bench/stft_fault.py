"""What the fault in a report's kernel does to its spectra, computed on the host.

The report's output does not match its reference: the greatest magnitude should be 200, and is 24 in
one case and 48 in another. Its butterfly overwrites the centre with the sum before it computes the
difference from the centre, so that the lower result becomes the old centre. With this fault, sample
n takes part in bin k only if k and the reversed bits of n have no set bit in common. So a bin whose
number has b set bits is the sum of only 1 / 2^b of the samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

PUBLISHED_REFERENCE, PUBLISHED_WRONG = 200.0, (24.0, 48.0)  # the report's greatest magnitudes


@dataclass(frozen=True)
class Greatest:
    """The greatest magnitude in the spectra of a song.

    Attributes
    ----------
    reference : float
        The true value, by NumPy in double precision.
    ours : dict of str to float
        The values of pyclfft's kernels, by the kernels' names.
    faulty : float
        The value with the report's butterfly.
    """

    reference: float
    ours: dict[str, float]
    faulty: float


def faulty_fft(frames: np.ndarray) -> np.ndarray:
    """Transform rows by radix 2, decimated in time, with the report's fault.

    Parameters
    ----------
    frames : ndarray, shape (count, n)
        The rows to transform; n is a power of two.

    Returns
    -------
    ndarray of complex128, shape (count, n)
        The spectra, as the fault makes them.
    """
    count, n = frames.shape
    bits = n.bit_length() - 1
    order = np.arange(n)
    order = sum(((order >> bit) & 1) << (bits - 1 - bit) for bit in range(bits))
    x = frames[:, order].astype(np.complex128)
    span = 1
    while span < n:
        blocks = x.reshape(count, -1, 2, span)
        turned = np.exp(-1j * np.pi * np.arange(span) / span) * blocks[:, :, 1]
        blocks[:, :, 0] += turned  # overwrites the centre ...
        blocks[:, :, 1] = blocks[:, :, 0] - turned  # ... so that this is the old centre
        span *= 2
    return x
