"""Make the sample table of this folder, a sum of sines; every run gives the same one.

    python samples/make_sines.py [--output FILE]

The sines have frequencies of 1, 5, 20, 100 and 200 Hz, and amplitudes of 1. There are 1000 samples
of one second: a number that is no power of two, in which each sine has whole periods.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

RATE, SECONDS = 1000, 1  # samples a second, and seconds
HERTZ = (1, 5, 20, 100, 200)


def signal() -> tuple[np.ndarray, np.ndarray]:
    """Return times in seconds and the samples at these times."""
    times = np.arange(RATE * SECONDS) / RATE
    return times, sum(np.sin(2 * np.pi * hertz * times) for hertz in HERTZ)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description="Make the sample table sines.csv.")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "sines.csv")
    output = parser.parse_args(arguments).output
    words = ", ".join(map(str, HERTZ))
    rows = (f"{time:.3f},{sample:.12f}" for time, sample in zip(*signal(), strict=True))
    output.write_text("\n".join([f"# sines of {words} Hz", "time,signal", *rows]) + "\n")


if __name__ == "__main__":
    main()
