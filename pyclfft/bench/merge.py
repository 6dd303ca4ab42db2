"""A measurement in parts: which cases each part measures, and how the parts become one again."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from ..errors import FormatError
from . import stored
from .cases import CASES, Case
from .render import Results

# Entries of the environment that may differ between the parts of one measurement.
MAY_DIFFER = ("date", "clock")
ORDER = {case.name: number for number, case in enumerate(CASES)}


class Part(NamedTuple):
    """One of several parts into which the cases are split; a command measures each part.

    Attributes
    ----------
    number : int
        Number of this part, counted from 1.
    parts : int
        Number of parts in all.
    """

    number: int
    parts: int

    @classmethod
    def parse(cls, text: str) -> Part:
        """Return the part that a text names: ``"2/6"`` is the second of six.

        Raises
        ------
        ValueError
            If the text names no part.
        """
        number, slash, parts = text.partition("/")
        if slash and number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts):
            return cls(int(number), int(parts))
        raise ValueError(f"{text!r} is no part: the second of six is 2/6")

    def of(self, cases: Sequence[Case]) -> tuple[Case, ...]:
        """Return every `parts`-th case, so that all parts take about equally long."""
        return tuple(cases[self.number - 1 :: self.parts])


def merge(names: Sequence[str | os.PathLike[str]]) -> Results:
    """Join the parts of one measurement.

    Parameters
    ----------
    names : sequence of str or path
        Files that ``pyclfft bench --part K/N --json`` has written.

    Returns
    -------
    Results
        The rows of all files in the order of `CASES`; everything else is from the first file.

    Raises
    ------
    FormatError
        If ``pyclfft bench --json`` has not written one of the files; if devices, versions,
        settings or the measured code differ between the files; or if two files have one case.
    """
    first, *others = (stored.read(name) for name in names)
    for name, other in zip(names[1:], others, strict=True):
        if found := _difference(first, other):
            raise FormatError(
                f"{os.fspath(names[0])} and {os.fspath(name)} are not parts of one measurement: "
                f"{found}"
            )
    parts = (first, *others)
    rows = list(chain.from_iterable(part.rows for part in parts))
    counts = Counter(row.name for row in rows)
    if twice := sorted(name for name, count in counts.items() if count > 1):
        raise FormatError(f"measured in more than one of the files: {', '.join(twice)}")
    return replace(
        first,
        rows=tuple(sorted(rows, key=lambda row: ORDER.get(row.workload.case.name, len(ORDER)))),
        startup=tuple(chain.from_iterable(part.startup for part in parts)),
        calls=tuple(chain.from_iterable(part.calls for part in parts)),
        crossing=tuple(chain.from_iterable(part.crossing for part in parts)),
        numpy_calls=tuple(chain.from_iterable(part.numpy_calls for part in parts)),
    )


def _difference(one: Results, other: Results) -> str:
    """Say why two files are no parts of one measurement; "" if they may be."""
    names = dict.fromkeys((*one.environment, *other.environment))
    compared = {
        **{
            name: (one.environment.get(name, ""), other.environment.get(name, ""))
            for name in names
            if name not in MAY_DIFFER
        },
        "contenders": (", ".join(one.contenders), ", ".join(other.contenders)),
        "elements": (one.elements, other.elements),
        "settings": (one.settings, other.settings),
        "devices": (one.devices, other.devices),
    }
    return "; ".join(
        f"{name} {left or 'not given'} and {right or 'not given'}"
        for name, (left, right) in compared.items()
        if left != right
    )
