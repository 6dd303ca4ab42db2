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
    ("smooth length", ((1000,), "c8"), {}),
    ("any length", ((1009,), "c8"), {}),
    ("too long for one work-group", ((2**16,), "c8"), {}),
    ("too long, double, batch, inverse", ((3, 30000), "c16", 1), {"direction": "inverse"}),
    ("too long, any length", ((2**16 + 1,), "c8"), {}),
    ("inverse, batch, double", ((20, 32), "c16", 1), {"direction": "inverse"}),
    ("inverse of a smooth length", ((12,), "c8"), {"direction": "inverse", "norm": "ortho"}),
    ("many tiny ones", ((70000, 8), "c8", 1), {}),
    ("real", ((4, 16), "f4", 1), {}),
    ("padded", ((10,), "c8"), {"s": 16}),
    ("cropped real double", ((20,), "f8"), {"s": 10}),
    ("strided", ((6, 8), "c8"), {"strides": (8, 48), "offset": 16}),
    ("first axis", ((8, 10), "c8", 0), {}),
    ("middle axis", ((5, 8, 3), "c8", 1), {}),
    ("long columns", ((2**14, 6), "c8", 0), {}),
    ("image", ((32, 48), "c8"), {}),
    ("image of any size", ((31, 37), "c8"), {}),
    ("image, transposed out", ((3, 32, 48), "c8", (1, 2)), {"transposed": "out"}),
    (
        "image, transposed in",
        ((3, 32, 48), "c8", (1, 2)),
        {"transposed": "in", "direction": "inverse"},
    ),
    ("mixed lengths", ((4, 1, 6, 8), "c8"), {}),
    ("axes in another order", ((4, 6, 8), "c8", (2, 0)), {"norm": "forward"}),
)

# The same by a named algorithm.
FORCED = {
    "radix2": (
        ("power of two", ((128,), "c8"), {}),
        ("inverse, batch, double", ((20, 32), "c16", 1), {"direction": "inverse"}),
        ("many tiny ones", ((70000, 8), "c8", 1), {}),
        ("real", ((4, 16), "f4", 1), {}),
        ("padded", ((10,), "c8"), {"s": 16}),
        ("middle axis", ((5, 8, 3), "c8", 1), {}),
        ("square image", ((32, 32), "c8"), {}),
        ("image, transposed out", ((3, 8, 16), "c8", (1, 2)), {"transposed": "out"}),
        ("image, transposed in", ((3, 8, 16), "c8", (1, 2)), {"transposed": "in"}),
        ("axes in another order", ((4, 6, 8), "c8", (2, 0)), {"norm": "forward"}),
        ("not a power of two", ((1000,), "c8"), {}),
    ),
    "direct": (
        ("any length", ((1000,), "c8"), {}),
        ("inverse", ((12,), "c8"), {"direction": "inverse", "norm": "ortho"}),
        ("cropped real double", ((20,), "f8"), {"s": 10}),
        ("first axis", ((8, 10), "c8", 0), {}),
        ("mixed lengths", ((4, 1, 6, 8), "c8"), {}),
    ),
    "four_step": (
        ("short", ((12,), "c8"), {}),
        ("middle axis", ((5, 64, 3), "c8", 1), {}),
    ),
}


def printed(traits):
    """All plans of a device, out of place and in place."""
    sections = [plan_text(traits, None, *row) for row in PROBLEMS]
    for algorithm, rows in FORCED.items():
        sections += [plan_text(traits, algorithm, *row) for row in rows]
    return f"{traits}\n\n" + "\n\n".join(sections) + "\n"


def plan_text(traits, algorithm, title, arguments, options):
    problem = make_problem(*arguments, **options)
    lines = [f"{f'{algorithm}, ' if algorithm else ''}{title}: {problem}"]
    try:
        passes = plan_passes(problem, traits, algorithm)
    except PyclfftError as error:
        lines.append(f"{type(error).__name__}: {error}")
    else:
        lines.append(str(assign_buffers(passes, problem.nbytes)))
        lines += [group_text(each) for each in passes if each.source == "stockham.cl"]
        if problem.source_is_plain:
            lines.append(printed_in_place(problem, passes, traits, lines[1]))
    return "\n".join(lines)


def group_text(each):
    """What a plan does not print of a stockham pass: how its work-groups are made up."""
    macros = dict(each.defines)
    names = ("N", "ITEMS", "TRANSFORMS", "SPLIT", "LOAD_COLUMNS", "STORE_COLUMNS", "TWIST")
    shown = " ".join(f"{name}={macros[name]}" for name in names if macros[name] != "0")
    return f"    {shown} {macros['STAGES'][1:-1]}"


def printed_in_place(problem, passes, traits, out_of_place):
    if sum(each.moves for each in passes) == 1 and not passes[0].aliases:
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
