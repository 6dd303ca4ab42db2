"""Few combinations of parameters, in which still every two values meet.

A fault that shows only where two parameters have certain values is found by these as by all of
them; where it takes three, it may not be.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations, product
from typing import Any

import pytest


def one_in(count: int, cases: Iterable[Any]) -> list[Any]:
    """Leave the first one of every `count` cases to the quick tier, and mark the others `full`.

    Examples
    --------
    >>> @pytest.mark.parametrize("length", one_in(2, [60, 72, 84, 96]))
    ... def test(length): ...
    """
    marked = []
    for number, case in enumerate(cases):
        values = case if isinstance(case, tuple) else (case,)
        marked.append(pytest.param(*values, marks=pytest.mark.full) if number % count else case)
    return marked


def pairwise(axes: Mapping[str, Sequence[Any]], quick: int = 1) -> pytest.MarkDecorator:
    """Parametrize a test by combinations in which every two values of different axes meet.

    Parameters
    ----------
    axes : mapping of str to sequence
        The name of a parameter, or several with commas between them, and the values: tuples
        where there are several names.
    quick : int, default: 1
        The quick tier runs the first one of every so many combinations. Take a number that has no
        factor in common with the lengths of the last axes: else it always meets the same values.

    Examples
    --------
    >>> @pairwise({"kind": ["c2c", "r2c"], "shape, axis": [((3, 8), 1), ((8, 3), 0)]})
    ... def test(kind, shape, axis): ...
    """
    counts = [len(values) for values in axes.values()]
    cases = []
    for chosen in covering(counts):
        case: list[Any] = []
        for (names, values), index in zip(axes.items(), chosen, strict=True):
            case += values[index] if "," in names else [values[index]]
        cases.append(tuple(case))
    return pytest.mark.parametrize(", ".join(axes), one_in(quick, cases))


def covering(counts: Sequence[int]) -> list[tuple[int, ...]]:
    """Return choices of an index below each count, so that every two indices meet in one of them.

    Each next choice is the first one with the most pairs that have not met yet.
    """
    choices = list(product(*map(range, counts)))
    missing = set().union(*map(pairs_in, choices))
    chosen = []
    while missing:
        best = max(choices, key=lambda choice: len(pairs_in(choice) & missing))
        chosen.append(best)
        missing -= pairs_in(best)
    return chosen


def pairs_in(choice: tuple[int, ...]) -> set[Hashable]:
    """Return every two of a choice's indices, with their places."""
    return set(combinations(enumerate(choice), 2))
