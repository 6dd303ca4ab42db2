"""Printed plans, compared with recorded ones, so that a change of planning shows what it changes.

``tests/golden/<device>.txt`` holds the plans of every problem below on a device of
`recorded_traits`. After a change on purpose, write them anew and read the difference:

    PYCLFFT_GOLDEN=write python -m pytest tests/unit/test_golden.py && git diff tests/golden
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pyclfft.errors import PyclfftError
from pyclfft.planning.passes import assign_buffers
from pyclfft.planning.planner import copy_pass, plan_passes
from pyclfft.planning.problem import make_problem
from tests.recorded_traits import RECORDED

GOLDEN = Path(__file__).parents[1] / "golden"
WRITE = os.environ.get("PYCLFFT_GOLDEN") == "write"

# (title, arguments of make_problem, its options)
PROBLEMS = (
    ("one point", ((1,), "c8"), {}),
    ("power of two", ((128,), "c8"), {}),
    ("any length", ((1000,), "c8"), {}),
    ("inverse, batch, double", ((20, 32), "c16", 1), {"direction": "inverse"}),
    ("inverse of any length, ortho", ((12,), "c8"), {"direction": "inverse", "norm": "ortho"}),
    ("many tiny ones", ((70000, 8), "c8", 1), {}),
    ("real", ((4, 16), "f4", 1), {}),
    ("padded", ((10,), "c8"), {"s": 16}),
    ("cropped real double", ((20,), "f8"), {"s": 10}),
    ("strided", ((6, 8), "c8"), {"strides": (8, 48), "offset": 16}),
    ("first axis", ((8, 10), "c8", 0), {}),
    ("middle axis", ((5, 8, 3), "c8", 1), {}),
    ("image", ((32, 48), "c8"), {}),
    ("image, transposed out", ((3, 32, 48), "c8", (1, 2)), {"transposed": "out"}),
    (
        "image, transposed in",
        ((3, 32, 48), "c8", (1, 2)),
        {"transposed": "in", "direction": "inverse"},
    ),
    ("mixed lengths", ((4, 1, 6, 8), "c8"), {}),
    ("axes in another order", ((4, 6, 8), "c8", (2, 0)), {"norm": "forward"}),
)


def printed(traits):
    """All plans of a device, out of place and in place."""
    sections = []
    for title, arguments, options in PROBLEMS:
        problem = make_problem(*arguments, **options)
        lines = [f"{title}: {problem}"]
        try:
            passes = plan_passes(problem, traits)
        except PyclfftError as error:
            lines.append(f"{type(error).__name__}: {error}")
        else:
            lines.append(str(assign_buffers(passes, problem.nbytes)))
            if problem.source_is_plain:
                lines.append(printed_in_place(problem, passes, traits, lines[-1]))
        sections.append("\n".join(lines))
    return f"{traits}\n\n" + "\n\n".join(sections) + "\n"


def printed_in_place(problem, passes, traits, out_of_place):
    if sum(each.moves for each in passes) == 1:
        passes = (*passes, copy_pass(problem, traits))
    schedule = str(assign_buffers(passes, problem.nbytes, in_place=True))
    return "in place: alike" if schedule == out_of_place else f"in place:\n{schedule}"


@pytest.mark.parametrize("name", RECORDED)
def test_printed_plans(name):
    path = GOLDEN / f"{name}.txt"
    text = printed(RECORDED[name])
    if WRITE:
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_nothing_else_is_recorded():
    assert {path.stem for path in GOLDEN.iterdir()} == set(RECORDED)
