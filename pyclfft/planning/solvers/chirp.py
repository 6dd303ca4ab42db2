"""Bluestein's algorithm on CPUs: the lanes of a vector hold neighbouring convolutions.

References
----------
L. I. Bluestein, "A linear filtering approach to the computation of discrete Fourier transform",
IEEE Trans. Audio Electroacoustics AU-18 (1970).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from math import prod

from ..factor import RADICES, best_lane_radices, lane_cost, next_fast_len
from ..parameters import Parameters
from ..problem import Problem
from ..traits import Traits
from .cols import Columns, columns_of, idles, solver_of, whole, with_real_stage
from .lanes import radices_for

LENGTHS_TRIED = 12  # the number of lengths of convolutions that are compared, from the shortest on


def _columns(problem: Problem, traits: Traits, parameters: Parameters) -> Columns | None:
    ends, batch = whole(problem)
    alone, radices = with_real_stage(replace(ends, chirp="ALONE"), lambda n: _passes(n, parameters))
    found = columns_of(problem, batch, alone, radices, traits, parameters)
    return None if found and idles(problem, found, traits, parameters) else found


def _passes(n: int, parameters: Parameters) -> tuple[int, ...] | None:
    """Return the radices of a convolution for n points: tuned ones, or else the quickest."""
    quickest = convolution_radices(n)
    return radices_for(prod(quickest), parameters) if quickest else None


@lru_cache(maxsize=1024)
def convolution_radices(n: int, among: tuple[int, ...] = RADICES) -> tuple[int, ...] | None:
    """Return the radices of the quickest convolution that is long enough for `n` points.

    The result is None if every such convolution takes more stages than a launch may have.
    """
    found = (
        best_lane_radices(m, among) for m in islice(fast_lengths(max(2, 2 * n - 1)), LENGTHS_TRIED)
    )
    return min(
        (radices for radices in found if radices),
        key=lambda each: prod(each) * lane_cost(each),
        default=None,
    )


def fast_lengths(least: int) -> Iterator[int]:
    """Yield the smooth lengths from `least` on, in ascending order."""
    while True:
        least = next_fast_len(least)
        yield least
        least += 1


SOLVER = solver_of(
    "chirp", "neighbouring transforms of any length, on a CPU with vectors", _columns
)
