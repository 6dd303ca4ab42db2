"""Buffers for passes, and sizes of launches."""

from __future__ import annotations

from itertools import product
from math import prod

import pytest

from pyclfft.planning.arguments import Buffer, Role
from pyclfft.planning.parameters import parameters_for
from pyclfft.planning.pass_parts import kernel_size
from pyclfft.planning.passes import (
    Pass,
    Schedule,
    assign_buffers,
    launch_size,
    without_repeated_tables,
)
from pyclfft.planning.traits import Traits

BYTES = 64


def make_pass(*arguments, writes=BYTES, **others):
    named = {f"parameter{number}": argument for number, argument in enumerate(arguments)}
    return Pass("kernel", "kernel.cl", (), (8,), (8,), named, BYTES, writes, **others)


def moving(**others):
    return make_pass(Role.SOURCE, Role.TARGET, **others)


def aliasing(**others):
    return moving(aliases=True, **others)


def staying(**others):
    return make_pass(Role.DATA, **others)


def flow(schedule):
    """What every pass reads and writes: "in>a a a>out"."""
    return " ".join(
        ">".join(
            argument.name for argument in each.arguments.values() if isinstance(argument, Buffer)
        )
        for each in schedule.passes
    )


@pytest.mark.parametrize(
    ("passes", "in_place", "expected", "workspace"),
    [
        ([moving()], False, "in>out", ""),
        ([moving(), staying(), staying()], False, "in>out out out", ""),
        ([moving()] * 2, False, "in>a a>out", "a"),
        ([moving()] * 3, False, "in>out out>a a>out", "a"),
        ([moving()] * 4, False, "in>a a>out out>a a>out", "a"),
        ([moving(), staying(), moving(), staying()], False, "in>a a a>out out", "a"),
        ([moving()] * 2, True, "in>a a>out", "a"),
        ([moving()] * 3, True, "in>b b>a a>out", "ab"),
        ([moving()] * 4, True, "in>a a>out out>a a>out", "a"),
        ([moving()] * 5, True, "in>b b>a a>out out>a a>out", "ab"),
        # What does not fit the output stays in the workspace.
        ([moving(writes=128), moving()], False, "in>a a>out", "a"),
        ([moving(writes=128), moving(writes=128), moving()], False, "in>b b>a a>out", "ab"),
        ([moving(writes=32), moving(), moving()], False, "in>b b>a a>out", "ab"),
        # A target that may be the source is it, but for the first pass out of place.
        ([aliasing()], False, "in>out", ""),
        ([aliasing()], True, "in>out", ""),
        ([aliasing()] * 3, False, "in>out out>out out>out", ""),
        ([aliasing()] * 3, True, "in>out out>out out>out", ""),
        ([moving(), aliasing()], False, "in>out out>out", ""),
        ([aliasing(), moving()], False, "in>a a>out", "a"),
        ([aliasing(), moving()], True, "in>a a>out", "a"),
        ([aliasing(), moving(), aliasing(), moving()], True, "in>out out>a a>a a>out", "a"),
        ([aliasing(), staying(), moving(), staying()], True, "in>a a a>out out", "a"),
        ([moving(), aliasing(), moving(), aliasing()], False, "in>a a>a a>out out>out", "a"),
        ([moving(), aliasing(), moving(), aliasing()], True, "in>a a>a a>out out>out", "a"),
        ([moving(writes=128), aliasing(writes=128), moving()], False, "in>a a>a a>out", "a"),
        # In place, the last of them brings back what the first pass had to take elsewhere.
        ([moving(), aliasing()], True, "in>a a>out", "a"),
        ([moving(), aliasing(), aliasing()], True, "in>a a>a a>out", "a"),
        ([moving(), staying(), aliasing(), staying()], True, "in>a a a>out out", "a"),
    ],
)
def test_results_alternate_and_the_last_is_out(passes, in_place, expected, workspace):
    schedule = assign_buffers(passes, BYTES, in_place=in_place)
    assert flow(schedule) == expected
    assert "".join(name for name, _ in schedule.workspace) == workspace


def test_workspace_is_as_large_as_the_largest_that_it_holds():
    passes = [moving(writes=128), moving(writes=256), moving(writes=96), moving()]
    schedule = assign_buffers(passes, BYTES)
    assert flow(schedule) == "in>a a>b b>a a>out"
    assert schedule.workspace == (("a", 128), ("b", 256))
    assert schedule.workspace_bytes == 128 + 256


def test_scratch_is_workspace():
    table = make_pass(Buffer("w"), scratch=(("w", 24),), table="w")
    schedule = assign_buffers([table, moving(), moving(scratch=(("w", 40),))], BYTES)
    assert flow(schedule) == "w in>a a>out"
    assert schedule.workspace == (("a", BYTES), ("w", 40))


@pytest.mark.parametrize(
    ("passes", "in_place", "words"),
    [
        ([], False, "out of place"),
        ([staying()], False, "out of place"),
        ([staying(), moving()], False, "out of place"),
        ([moving()], True, "one pass alone"),
        ([moving(), staying()], True, "one pass alone"),
        ([staying(), aliasing()], True, "out of place"),
    ],
)
def test_what_cannot_be_put_in_order(passes, in_place, words):
    with pytest.raises(ValueError, match=words):
        assign_buffers(passes, BYTES, in_place=in_place)


def test_a_table_before_an_aliasing_pass():
    table = make_pass(Buffer("w"), scratch=(("w", 24),), table="w")
    for in_place in (False, True):
        schedule = assign_buffers([table, aliasing(), aliasing()], BYTES, in_place=in_place)
        assert flow(schedule) == "w in>out out>out"


def test_a_table_is_filled_once():
    passes = [make_pass(table=table) for table in ("w8", "", "w4", "w8", "", "w4")]
    assert [each.table for each in without_repeated_tables(passes)] == ["w8", "", "w4", ""]


@pytest.mark.parametrize(
    ("items", "preferred", "limits", "group", "expected"),
    [
        ((1000,), 128, (1024, 1024, 64), 1024, ((1024,), (128,))),
        ((5,), 128, (1024, 1024, 64), 1024, ((8,), (8,))),
        ((8, 1000), 128, (1024, 1024, 64), 1024, ((8, 1008), (8, 16))),
        ((1, 1, 100), 128, (1024, 1024, 64), 1024, ((1, 1, 100), (1, 1, 1))),
        ((1000, 3), 128, (1024, 1, 1), 1024, ((1024, 3), (128, 1))),
        ((3, 1000), 128, (1024, 1, 1), 1024, ((4, 1000), (4, 1))),
        ((1000, 1000), 128, (64, 64, 64), 64, ((1024, 1000), (64, 1))),
        ((1000, 3), 128, (1, 1, 1), 1, ((1000, 3), (1, 1))),
        ((8, 8), 128, (1024,), 1024, ((8, 8), (8, 1))),
    ],
)
def test_launch_size(items, preferred, limits, group, expected):
    assert launch_size(items, preferred, limits, group) == expected


def test_launch_size_stays_within_every_limit():
    extents, powers = (1, 2, 3, 7, 64, 1000), (1, 16, 100, 256)
    limits = ((1024, 1024, 64), (1024, 1, 1), (100, 7, 3), (1, 1, 1))
    for x, y, preferred, limit, group in product(extents, extents, (1, 64, 256), limits, powers):
        sizes, local = launch_size((x, y), preferred, limit, group)
        assert prod(local) <= min(group, preferred)
        assert all(1 <= size <= most for size, most in zip(local, limit, strict=False))
        for size, items, step in zip(sizes, (x, y), local, strict=True):
            assert size % step == 0
            assert items <= size < items + step


def test_printed():
    passes = [
        moving(step="first"),
        make_pass(Role.SOURCE, Role.TARGET, step="second"),
    ]
    schedule = assign_buffers(passes, BYTES)
    assert str(schedule) == (
        "  1 kernel            8 / 8                    in a        first\n"
        "  2 kernel            8 / 8                    a out       second\n"
        "    workspace: 64 bytes"
    )
    wide = Pass("k", "k.cl", (), (512, 16, 1), (16, 1, 1), {}, 0, 0)
    assert str(wide) == "k                 512x16 / 16"
    assert str(Schedule((), ())).endswith("workspace: 0 bytes")


@pytest.mark.parametrize(
    ("size", "items", "sizes"),
    [
        ("64", (256, 512), ((256, 512), (64, 1))),
        ("512", (256, 512), ((512, 512), (512, 1))),  # half of the range lies beyond the row
        ("16", (8,), ((16,), (16,))),
        ("1", (4, 4, 1), ((4, 4, 1), (1, 1, 1))),
        ("16x8", (20, 20, 3), ((32, 24, 3), (16, 8, 1))),
        ("16x8", (20,), ((32,), (16,))),
        ("", (20, 20), ((32, 20), (32, 4))),  # as the parameter `group` has it
        ("1024", (20, 20), ((32, 20), (32, 4))),  # more than the device allows, too
        ("8x16", (20, 20), ((32, 20), (32, 4))),  # along the second dimension
    ],
)
def test_groups_of_a_kernel_that_is_tuned_by_itself(size, items, sizes):
    traits = Traits("a device", False, 4, 512, (512, 8, 8), 2**15, 2**30, 2**28)
    known = parameters_for(traits).over({"group_norm": size}, "test")
    assert kernel_size("norm", items, traits, known) == sizes
    assert kernel_size("another", (20, 20), traits, known) == ((32, 20), (32, 4))
