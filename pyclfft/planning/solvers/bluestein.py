"""Bluestein's algorithm: a transform of any length as a cyclic convolution of a smooth length.

As jk = (j^2 + k^2 - (k - j)^2) / 2, the transform multiplies the points by a chirp, convolves them
with the conjugate chirp, and multiplies the results by the chirp again. The convolution takes a
transform of m >= 2n - 1 points, a product with a spectrum that is known beforehand, and a transform
back.

If a leaf takes m points, all of this is one launch. Otherwise the points of the convolution stand
as a matrix whose rows it takes. The first launches transform the columns, in steps as in the
four-step algorithm, but leave the results where the points were; one launch convolves all rows; the
last launches transform the columns back.

References
----------
L. I. Bluestein, "A linear filtering approach to the computation of discrete Fourier transform",
IEEE Trans. Audio Electroacoustics AU-18 (1970).
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from ..batch import Dimension
from ..parameters import Parameters
from ..passes import Pass
from ..problem import Problem
from ..tables import ChirpSpectrum
from ..traits import Traits
from .ends import (
    CONJUGATE_OUT,
    INVERSE_IN,
    INVERSE_OUT,
    Ends,
    in_one_launch,
    whole_ends,
    with_real_stage,
)
from .leaf import Convolution, Factors, L, Leaf, Step, launches_of, passes_of
from .solver import Solver
from .steps import axis_batch, axis_length, columns_in_place, layout_bytes

MANY = 2**31  # more launches than any convolution takes


def solver(
    leaf: Leaf[L], name: str, requirement: str, launches: tuple[int, int] = (1, MANY)
) -> Solver:
    """Return the solver that plans Bluestein's algorithm on a leaf.

    Parameters
    ----------
    leaf : Leaf
        What does the transforms.
    name, requirement : str
        The solver's name and requirement (see `Solver`).
    launches : (int, int)
        The least and the largest number of launches.
    """

    def plan(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...] | None:
        if not leaf.takes(problem, traits):
            return None
        found = quickest(leaf, problem, traits, parameters, launches)
        return None if found is None else passes_of(problem, found)

    return Solver(name, requirement, plan)


def quickest(
    leaf: Leaf[L],
    problem: Problem,
    traits: Traits,
    parameters: Parameters,
    launches: tuple[int, int] = (1, MANY),
) -> tuple[L, ...] | None:
    """Return the launches of the quickest convolution that a leaf takes, or None if it takes none.

    Of the leaf's lists the first one with a convolution that fits decides.
    """
    for choices in leaf.convolutions(problem, traits, parameters):
        fitting = [
            found
            for each in choices
            if launches[0] <= 2 * len(each.factors) - 1 <= launches[1]
            and (
                found := launches_of(leaf, problem, _steps(leaf, problem, each), traits, parameters)
            )
        ]
        if fitting:
            # If two are as quick by this reckoning, longer rows are better: they stay in a group.
            return min(fitting, key=lambda each: (leaf.time(each, traits), -_longest(each)))
    return None


def _longest(launches: tuple[L, ...]) -> int:
    return max(each.step.batch.n for each in launches)


def _steps(leaf: Leaf[L], problem: Problem, convolution: Convolution) -> list[Step]:
    if len(convolution.factors) == 1:
        return [convolution_step(problem, convolution)]
    return _in_steps(leaf, problem, convolution.factors)


def convolution_step(problem: Problem, convolution: Convolution) -> Step:
    """Return the step that does a whole convolution."""
    (m,), radix = convolution.factors, convolution.real_radix
    batch, ends = with_real_stage(problem, radix, m) if radix else in_one_launch(problem, m)
    ends = replace(
        ends,
        chirp_first=True,
        chirp_last=True,
        spectrum=ChirpSpectrum(ends.length // (radix or 1), (m,), problem.precision),
        real_origin=problem.kind == "r2c" and not ends.packed,
    )
    return Step(batch, ends)


def _in_steps(leaf: Leaf[L], problem: Problem, factors: Factors) -> list[Step]:
    """Return the steps that transform columns, convolve rows, and transform columns back.

    All but the first and the last launch work in place.
    """
    n, m = axis_length(problem), prod(factors)
    place = leaf.between(problem, m)
    nbytes = layout_bytes(problem, place)
    *columns, row = factors
    forward, back = [], []
    for number, factor in enumerate(columns):
        if number == 0:
            there, here = _outer_ends(problem, m)
        else:
            left = prod(factors[number:])
            there = Ends("COMPLEX", "COMPLEX", factor, left, left, twist=left)
            here = replace(there, twist_first=True)
        source, target = (place, place) if number else (problem.source, problem.target)
        batches = (
            columns_in_place(problem, factors, number, source, place),
            columns_in_place(problem, factors, number, place, target),
        )
        forward.append(Step(batches[0], there, nbytes))
        back.append(Step(batches[1], here, nbytes if number else 0))
    rows = axis_batch(
        problem, row, [Dimension(m // row, row, row, column=1)], source=place, target=place
    )
    spectrum = ChirpSpectrum(n, factors, problem.precision)
    ends = Ends("COMPLEX", "COMPLEX", row, row, row, spectrum=spectrum)
    return [*forward, Step(rows, ends, nbytes), *reversed(back)]


def _outer_ends(problem: Problem, m: int) -> tuple[Ends, Ends]:
    """Return the ends of the first and of the last step of a convolution of m points in steps.

    For r2c all results are computed, and the first half is stored.
    """
    whole, real = whole_ends(problem), problem.kind == "r2c"
    first = replace(
        whole,
        target="COMPLEX",
        outputs=m,
        flags=0 if real else whole.flags & ~INVERSE_OUT,
        twist=m,
        chirp_first=True,
    )
    last = replace(
        whole,
        source="COMPLEX",
        filled=m,
        flags=whole.flags & (CONJUGATE_OUT if real else ~INVERSE_IN),
        twist=m,
        twist_first=True,
        chirp_last=True,
        real_origin=real,
    )
    return first, last
