"""Few combinations of parameters, in which still every two values meet.

A fault that shows only where two parameters have certain values is found by these as by all of
them; where it takes three, it may not be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations, product
from typing import Any

import pytest


def one_in(count: int, cases: Iterable[Any]) -> list[Any]:
    """Return cases, of which the quick tier runs the first one of every `count`, the full tier all.

    Examples
    --------
    >>> @pytest.mark.parametrize("length", one_in(2, [60, 72, 84, 96]))
    ... def test(length): ...
    """
    return [full(case) if number % count else case for number, case in enumerate(cases)]


def full(case: Any) -> Any:
    """Return a case, one value or a tuple of them, that only the full tier runs."""
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.full)


def pairwise(axes: Mapping[str, Sequence[Any]], thin: bool = False) -> pytest.MarkDecorator:
    """Parametrize a test by combinations in which every two values of different axes meet.

    Parameters
    ----------
    axes : mapping of str to sequence
        The name of a parameter, or several with commas between them, and the values: tuples
        where there are several names.
    thin : bool, default: False
        Whether the quick tier runs so few of the combinations that every value just occurs. The
        full tier runs all.

    Examples
    --------
    >>> @pairwise({"kind": ["c2c", "r2c"], "shape, axis": [((3, 8), 1), ((8, 3), 0)]})
    ... def test(kind, shape, axis): ...
    """
    counts = [len(values) for values in axes.values()]
    cases = []
    choices = covering(counts)
    few = set(occurring(choices) if thin else choices)
    for chosen in choices:
        case: list[Any] = []
        for (names, values), index in zip(axes.items(), chosen, strict=True):
            case += values[index] if "," in names else [values[index]]
        cases.append(tuple(case) if chosen in few else full(tuple(case)))
    return pytest.mark.parametrize(", ".join(axes), cases)


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


def occurring(choices: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return few of some choices, in which each index occurs that occurs in all of them.

    Each next choice is the one with the most indices that are new, and then with the rarest ones.
    """
    seen: Counter[Hashable] = Counter()
    missing = {each for choice in choices for each in enumerate(choice)}
    few = []
    while missing:
        best = max(
            choices,
            key=lambda choice: (
                len(missing.intersection(enumerate(choice))),
                -sum(seen[each] for each in enumerate(choice)),
            ),
        )
        few.append(best)
        seen.update(enumerate(best))
        missing -= set(enumerate(best))
    return few


def pairs_in(choice: tuple[int, ...]) -> set[Hashable]:
    """Return every two of a choice's indices, with their places."""
    return set(combinations(enumerate(choice), 2))
