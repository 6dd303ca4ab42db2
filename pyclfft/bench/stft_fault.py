"""What the fault of a report's kernel does to its spectra, computed on the host.

The report's output does not match its reference: the greatest magnitude is 24, and 48, where it
should be 200. In its butterfly the sum is stored over the centre before the difference is formed
from it, so that the lower result becomes the old centre. Then sample n takes part in bin k only
where k and the reversed bits of n have no bit in common: a bin whose number has b ones is a sum of
1 / 2^b of the samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

PUBLISHED_REFERENCE, PUBLISHED_WRONG = 200.0, (24.0, 48.0)  # greatest magnitudes


@dataclass(frozen=True)
class Greatest:
    """The greatest magnitude of a song's spectra.

    Attributes
    ----------
    reference : float
        In double precision, by NumPy.
    ours : dict of str to float
        By kernel.
    faulty : float
        With the report's butterfly.
    """

    reference: float
    ours: dict[str, float]
    faulty: float


def faulty_fft(frames: np.ndarray) -> np.ndarray:
    """Transform rows by radix 2 in time, with the report's fault.

    Parameters
    ----------
    frames : ndarray, shape (count, n)
        n a power of two.

    Returns
    -------
    ndarray of complex128, shape (count, n)
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
        blocks[:, :, 0] += turned  # over the centre ...
        blocks[:, :, 1] = blocks[:, :, 0] - turned  # ... which is what this is then
        span *= 2
    return x
