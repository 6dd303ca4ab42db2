"""Printed plans, compared with recorded ones, so that a change of planning shows what it changes.

``tests/golden/<device>.txt`` holds the plans of every problem below on a device of
`recorded_traits`. After a change on purpose, write them anew and read the difference:

    PYCLFFT_GOLDEN=write python -m pytest tests/unit/test_golden.py && git diff tests/golden
"""

from __future__ import annotations

import os
import textwrap
from math import prod
from pathlib import Path

import pytest

from pyclfft.errors import PyclfftError
from pyclfft.planning.parameters import parameters_for
from pyclfft.planning.problem import make_problem
from pyclfft.planning.schedule import schedule_into, schedule_of
from tests.recorded_traits import RECORDED

GOLDEN = Path(__file__).parents[1] / "golden"
WRITE = os.environ.get("PYCLFFT_GOLDEN") == "write"

# Each dimension ends before the next one begins.
MANY = (8 * 8 * 3 * 40 * 50, 8 * 8 * 3 * 40 * 20, 8 * 8 * 3 * 12, 8 * 8 * 3 * 5, 8 * 9, 8)

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
    ("real to complex", ((5, 12), "f4", 1), {"kind": "r2c"}),
    ("complex to real", ((5, 12), "c8", 1), {"kind": "c2r", "direction": "inverse"}),
    ("real to complex, odd length", ((5, 15), "f4", 1), {"kind": "r2c"}),
    ("real to complex, two numbers", ((5, 2), "f4", 1), {"kind": "r2c"}),
    ("complex to real, twice a prime", ((5, 34), "c8", 1), {"kind": "c2r"}),
    ("real to complex, columns", ((12, 7), "f8", 0), {"kind": "r2c"}),
    ("real image", ((31, 48), "f4"), {"kind": "r2c"}),
    ("spectrum of an image", ((31, 48), "c8"), {"kind": "c2r", "direction": "inverse"}),
    ("real, too long", ((2**16,), "f4"), {"kind": "r2c", "direction": "inverse"}),
    ("complex to real, too long", ((3, 2**16), "c8", 1), {"kind": "c2r"}),
    ("prime", ((6, 17), "c8", 1), {"direction": "inverse"}),
    ("prime, real, columns", ((101, 6), "f4", 0), {"kind": "r2c"}),
    ("large prime factors", ((64, 1023), "c8", 1), {}),
    ("large prime factors, real", ((64, 1025), "f4", 1), {"kind": "r2c"}),
    ("rows that work-items share, real", ((64, 31), "c8", 1), {"kind": "c2r"}),
    ("large prime factors, too long", ((17 * 2**12,), "c8"), {}),
    ("long rows that fill the caches", ((512, 2**14), "c8", 1), {}),
    ("stages that end in whole rows of work-items", ((300, 120), "c8", 1), {}),
    ("long row of no power of two", ((100, 7680), "c8", 1), {}),
    ("longer row, odd radices first", ((100, 12000), "c8", 1), {}),
    ("longer row, exchanged in halves", ((100, 12288), "c8", 1), {}),
    ("long row of no power of two, complex to real", ((100, 15360), "c8", 1), {"kind": "c2r"}),
    ("long columns of a long row", ((8, 2**23), "c8", 1), {}),
    ("cosine transform, too long", ((3, 2**17), "f4", 1), {"kind": "dct2"}),
    ("cosine transform of type 3, too long", ((3, 48000), "f4", 1), {"kind": "dct3"}),
    ("large prime", ((10007,), "c8"), {}),
    ("large prime, complex to real", ((10007,), "c8"), {"kind": "c2r"}),
    ("column order", ((48, 32), "c8"), {"strides": (8, 384)}),
    (
        "every other, of many dimensions",
        ((2, 3, 4, 6), "c8", (1, 3)),
        {"strides": (1152, 384, 96, 16)},
    ),
    ("more dimensions than a kernel walks", ((3, 2, 3, 2, 3, 8), "c8", 5), {"strides": MANY}),
    ("cosine transform", ((5, 12), "f4", 1), {"kind": "dct2"}),
    ("cosine transform of type 1", ((5, 12), "f4", 1), {"kind": "dct1", "norm": "ortho"}),
    ("sine transform of type 3, columns", ((12, 7), "f4", 0), {"kind": "dst3"}),
    ("cosine transform of type 4", ((5, 12), "f8", 1), {"kind": "dct4"}),
    ("cosine transform of an image, padded", ((30, 40), "f4"), {"kind": "dct2", "s": (32, 64)}),
    ("image, padded", ((30, 40), "c8"), {"s": (32, 64)}),
    ("real image, padded and cropped", ((30, 40), "f4"), {"s": (16, 64), "kind": "r2c"}),
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
    "ladder1": (
        ("power of two", ((16,), "c8"), {}),
        ("two points, batch, double, inverse", ((5, 2), "c16", 1), {"direction": "inverse"}),
        ("not a power of two", ((1000,), "c8"), {}),
    ),
    "ladder2": (("inverse, batch, double", ((20, 8), "c16", 1), {"direction": "inverse"}),),
    "ladder3": (("middle axis", ((5, 8, 3), "c8", 1), {}),),
    "ladder4": (
        ("power of two", ((16,), "c8"), {}),
        ("image", ((4, 8), "c8"), {"norm": "ortho"}),
    ),
    "compact": (
        ("rows", ((20, 1024), "c8", 1), {}),
        ("inverse, double", ((512,), "c16"), {"direction": "inverse"}),
        ("too long", ((2**19,), "c8"), {}),
    ),
    "autosort": (
        ("rows, inverse", ((20, 256), "c8", 1), {"direction": "inverse"}),
        ("two points, double", ((3, 2), "c16", 1), {}),
        ("too long", ((2**19,), "c8"), {}),
    ),
    "in-registers": (
        ("a power of 16", ((20, 4096), "c8", 1), {}),
        ("of 8, double", ((6, 512), "c16", 1), {}),
        ("of 4, columns", ((64, 6), "c8", 0), {}),
        ("of 2", ((32,), "c8"), {}),
        ("not a power of two", ((1000,), "c8"), {}),
    ),
    "local-radix2": (
        ("rows", ((20, 1024), "c8", 1), {}),
        ("columns, inverse, double", ((16, 6), "c16", 0), {"direction": "inverse"}),
        ("real to complex", ((5, 64), "f4", 1), {"kind": "r2c"}),
        ("padded", ((10,), "c8"), {"s": 16}),
        ("too long", ((2**19,), "c8"), {}),
    ),
    "four_step_groups": (
        ("short", ((12,), "c8"), {}),
        ("short, real", ((12,), "f4"), {"kind": "r2c"}),
        ("middle axis", ((5, 64, 3), "c8", 1), {}),
    ),
    "bluestein_groups": (
        ("smooth length", ((5, 12), "c8", 1), {}),
        ("real to complex", ((5, 12), "f4", 1), {"kind": "r2c"}),
    ),
}

# In steps of their own: these are slow to plan where there is next to no local memory.
LONG = (
    ("images that fill a cache many times", ((256, 512, 512), "c8", (1, 2)), {}),
    ("three steps", ((2**26,), "c8"), {}),
    ("three steps, real", ((2**26,), "f4"), {"kind": "r2c"}),
    ("columns too long for a work-group", ((2**16, 2**10), "c8", 0), {}),
    ("real columns too long for a work-group", ((2**16, 2**10), "f4", 0), {"kind": "r2c"}),
    ("largest prime", ((999983,), "c8"), {}),
    ("real images", ((64, 1024, 1024), "f4", (1, 2)), {"kind": "r2c"}),
    ("spectra of images", ((64, 1024, 1024), "c8", (1, 2)), {"kind": "c2r"}),
    ("real volume", ((4, 128, 128, 128), "f4", (1, 2, 3)), {"kind": "r2c"}),
    ("spectra of volumes", ((4, 128, 128, 128), "c8", (1, 2, 3)), {"kind": "c2r"}),
)
POOR = ("embedded", "single")


def printed(traits):
    """All plans of a device, out of place and in place."""
    long = () if traits in [RECORDED[name] for name in POOR] else LONG
    sections = [plan_text(traits, None, *row) for row in (*PROBLEMS, *long)]
    for algorithm, rows in FORCED.items():
        sections += [plan_text(traits, algorithm, *row) for row in rows]
    return f"{traits}\n\n" + "\n\n".join(sections) + "\n"


def plan_text(traits, algorithm, title, arguments, options):
    problem = make_problem(*arguments, **options)
    lines = [f"{f'{algorithm}, ' if algorithm else ''}{title}: {problem}"]
    try:
        schedule = schedule_of(problem, traits, algorithm, parameters_for(traits))
    except PyclfftError as error:
        lines.append(f"{type(error).__name__}: {error}")
    else:
        lines.append(str(schedule))
        lines += [macro_text(each) for each in schedule.passes if each.radices]
        if problem.source.is_plain and same_bytes(problem):
            lines.append(printed_in_place(problem, traits, algorithm, lines[1]))
    return "\n".join(lines)


def same_bytes(problem):
    size = prod(problem.source.shape) * problem.source_dtype.itemsize
    return size == problem.nbytes


# Left out: what the work-groups above and the problem imply.
IMPLIED = ("DOUBLE", "ELEMENTS", "ROOM", "PITCH", "BANKS")


def macro_text(each):
    """What a plan does not print of a pass that transforms: its work-groups, ends and stages."""
    shown = [f"{k}={v}" for k, v in each.defines if k not in IMPLIED and v != "0"]
    return textwrap.fill(
        " ".join(shown), 100, initial_indent="    ", subsequent_indent="      ",
        break_on_hyphens=False,
    )  # fmt: skip


def printed_in_place(problem, traits, algorithm, out_of_place):
    parameters = parameters_for(traits)
    schedule = str(schedule_into(problem, traits, algorithm, parameters, in_place=True))
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
