"""Lengths: which ones are fast."""

from __future__ import annotations


def next_fast_len(n: int) -> int:
    """Return the smallest length of at least `n` that has a fast algorithm: a power of two.

    Parameters
    ----------
    n : int
        At least 1.

    Returns
    -------
    int
    """
    return 1 << (n - 1).bit_length()
