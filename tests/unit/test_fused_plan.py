"""Which passes are joined in one launch, and how their work is cut: no device needed."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from pyclfft.errors import PlanError
from pyclfft.planning.arguments import Buffer, Vector
from pyclfft.planning.parameters import parameters_for
from pyclfft.planning.passes import COUNTERS, assign_buffers
from pyclfft.planning.planner import plan_passes
from pyclfft.planning.problem import make_problem, with_target
from pyclfft.planning.solvers.fused import DEFAULTS, chunks_of, cut, fused_schedule
from pyclfft.runtime.program import kernel_folder
from tests.recorded_traits import RECORDED

H200 = RECORDED["h200"]
PARAMETERS = {"fused_chunks": 24, "fused_lag": 4}
MIB = 2**20


def schedule(shape, axes, traits=H200, in_place=False, dtype="c8", **options):
    problem = make_problem(shape, dtype, axes, **options)
    passes = plan_passes(problem, traits)
    parameters = parameters_for(traits)
    return fused_schedule(passes, problem.nbytes, traits, parameters, in_place=in_place)


def kernels(*args, **options):
    planned = schedule(*args, **options)
    return None if planned is None else [each.kernel for each in planned.passes]


@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((1024, 2**16), 1),
        ((256, 2**18), 1),
        ((64, 2**20), 1),
        ((256, 512, 512), (1, 2)),
        ((64, 1024, 1024), (1, 2)),
        ((67, 1000, 1000), (1, 2)),
        ((1, 2**16), 1),
        ((1, 1024, 1024), (1, 2)),
    ],
)
def test_two_passes_become_one(shape, axes):
    planned = schedule(shape, axes)
    (fused,) = planned.passes
    assert [fused.kernel, fused.source] == ["fused", "gpu/fused.cl"]
    assert [each.name for each in fused.arguments.values() if isinstance(each, Buffer)] == [
        "in", "out", "out", COUNTERS,
    ]  # fmt: skip
    chunks = next(each.values for each in fused.arguments.values() if isinstance(each, Vector))
    assert dict(planned.workspace) == {COUNTERS: 4 * (1 + chunks[0])}
    groups = fused.global_size[0] // fused.local_size[0]
    assert groups == chunks[0] * (chunks[2] + chunks[3])
    assert 1 <= chunks[1] <= chunks[0]


def test_of_three_passes_the_first_two_and_the_third_walks_backward():
    planned = schedule((32, 128, 128, 128), (1, 2, 3))
    assert [each.kernel for each in planned.passes] == ["fused", "stockham"]
    assert planned.passes[1].arguments["flags"].value & 16


def test_in_place_what_lies_between_is_elsewhere_if_it_must_be():
    one_axis = schedule((1024, 2**16), 1, in_place=True)
    assert [one_axis.passes[0].arguments[name].name for name in ("src", "middle", "dst")] == [
        "in",
        "a",
        "out",
    ]
    two_axes = schedule((256, 512, 512), (1, 2), in_place=True)
    assert len(dict(two_axes.workspace)) == 1


@pytest.mark.parametrize(
    ("shape", "axes", "options"),
    [
        ((16, 2**22), 1, {}),  # a unit is too large for the cache, and three passes
        ((4, 4096, 4096), (1, 2), {}),
        ((1024, 2**16), 1, {"dtype": "c16"}),
        ((1024, 2**16), 1, {"dtype": "f4", "kind": "r2c"}),
        ((1024, 2**16), 1, {"dtype": "c8", "kind": "c2r"}),
        ((1024, 2**16), 1, {"dtype": "f4"}),
        ((256, 512, 512), (1, 2), {"dtype": "f4", "kind": "r2c"}),
        ((256, 512, 512), (1, 2), {"dtype": "c8", "kind": "c2r"}),
        ((1024, 512), 1, {}),
        ((64, 10007), 1, {}),
    ],
)
def test_what_is_left_apart(shape, axes, options):
    assert kernels(shape, axes, **options) is None


@pytest.mark.parametrize("name", sorted(set(RECORDED) - {"h200"}))
def test_devices_that_are_not_made_for_it(name):
    assert kernels((64, 2**14), 1, traits=RECORDED[name]) is None


def test_units_must_not_touch_each_other():
    """Written back into memory that other units have yet to read: one chunk, or none at all."""
    shape = (256, 64, 64)
    problem = make_problem(shape, "c8", (1, 2))
    # The same buffer, but every image lands where the next but one is read.
    moved = with_target(problem, tuple(8 * n for n in (4096, 64, 1)), 8 * 2 * 4096)
    parameters = parameters_for(H200)
    passes = plan_passes(moved, H200, "stockham")
    planned = fused_schedule(passes, 0, H200, parameters, in_place=True)
    for each in planned.passes if planned else ():
        if each.kernel == "fused":
            chunks = next(a.values for a in each.arguments.values() if isinstance(a, Vector))
            assert chunks[0] == 1
    apart = fused_schedule(passes, 0, H200, parameters)
    chunks = next(a.values for a in apart.passes[0].arguments.values() if isinstance(a, Vector))
    assert chunks[0] > 1


@pytest.mark.parametrize("units", [1, 2, 3, 24, 1000])
@pytest.mark.parametrize("unit_bytes", [8 * 1024, MIB // 2, 8 * MIB])
@pytest.mark.parametrize("tiles", [(16, 16), (4, 24), (7, 8)])
def test_chunks(units, unit_bytes, tiles):
    transforms = (256, 96)
    chunks = cut(transforms, tiles, units, unit_bytes, 50 * MIB, PARAMETERS)
    if chunks is None:
        assert min(units, 2) * unit_bytes > 5 * MIB
        return
    size = chunks.nbytes // unit_bytes
    assert chunks.count == -(-units // size)
    assert 1 <= chunks.lag <= chunks.count
    assert min(chunks.count, chunks.lag + 1) * chunks.nbytes <= 25 * MIB
    for count, tile, per_chunk in zip(transforms, tiles, chunks.tiles, strict=True):
        assert per_chunk * tile >= size * count
        if chunks.count > 1:  # no tile is of two chunks
            assert per_chunk * tile == size * count


def tickets(count, lag, first, second):
    """What the kernel makes of each ticket, in order: (is of the first pass, tile)."""
    turn, ahead = first + second, lag * first
    turns = (count - lag) * turn
    for ticket in range(count * turn):
        if ticket < ahead:
            yield True, ticket
        elif ticket - ahead < turns:
            chunk, place = divmod(ticket - ahead, turn)
            if place < first:
                yield True, ahead + chunk * first + place
            else:
                yield False, chunk * second + place - first
        else:
            yield False, (count - lag) * second + ticket - ahead - turns


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("lag", [1, 2, 5])
@pytest.mark.parametrize("tiles", [(1, 1), (4, 3), (2, 8)])
def test_every_tile_has_a_ticket_after_those_that_it_waits_for(count, lag, tiles):
    if lag > count:
        return
    order = list(tickets(count, lag, *tiles))
    for is_first, per_chunk in zip((True, False), tiles, strict=True):
        assert [tile for which, tile in order if which == is_first] == list(
            range(count * per_chunk)
        )
    done = [0] * count
    for is_first, tile in order:
        if is_first:
            done[tile // tiles[0]] += 1
        else:
            assert done[tile // tiles[1]] == tiles[0]


def test_defaults_are_those_of_the_kernels():
    files = [kernel_folder() / "gpu" / f"{name}.cl" for name in ("batch", "numbers", "group")]
    text = "".join(file.read_text() for file in files)
    for name, value in DEFAULTS.items():
        assert re.search(rf"#ifndef {name}\n#define {name} {re.escape(value)}(\s|$)", text), name


def test_no_part_of_the_text_asks_for_what_differs():
    """Files that both passes share: a macro that differs must not decide what their text is."""
    plans = [schedule((128, n), 1) for n in (2**17, 2**19)]
    defines = [define for each in plans for define in each.passes[0].defines]
    differing = {name for name, value in defines if "BOTH" in value}
    assert {"N", "SPLIT", "HALVES", "RADICES", "TWIST"} <= differing
    shared = ("radix.cl", *(f"gpu/{name}.cl" for name in ("group", "batch", "numbers", "fused")))
    text = "".join((kernel_folder() / name).read_text() for name in shared)
    asked = re.findall(r"^#(?:el)?if (.*)", text, re.MULTILINE)
    words = set(re.findall(r"\w+", " ".join(asked)))
    # TWIST decides on the type of an index: 64 bits only for lengths that no cache holds.
    assert not (differing & words) - {"TWIST", "DIGITS"}


def test_forced_or_not():
    problem = make_problem((64, 2**16), "c8", 1)
    assert plan_passes(problem, H200, "fused") == plan_passes(problem, H200)
    with pytest.raises(PlanError, match="fused"):
        plan_passes(problem, H200, "no such")


def test_chunks_of_passes_that_do_not_follow_each_other():
    problem = make_problem((64, 2**16), "c8", 1)
    passes = assign_buffers(plan_passes(problem, H200), problem.nbytes).passes
    assert chunks_of(*passes, H200, parameters_for(H200)) is not None
    assert chunks_of(passes[1], passes[0], H200, parameters_for(H200)) is None
    small = replace(H200, l2_bytes=2**16)
    assert chunks_of(*passes, small, parameters_for(small)) is None


@pytest.mark.parametrize(
    ("shape", "axes", "name", "launches"),
    [
        ((256, 512, 512), (1, 2), "h200", ["fused"]),
        ((32, 128, 128, 128), (1, 2, 3), "h200", ["fused", "stockham"]),
        ((1, 512, 512), (1, 2), "h200", ["fused"]),  # saves the host a launch
        ((8, 512, 512), (1, 2), "h200", None),  # fits the cache as it is
        ((16384, 64, 64), (1, 2), "h200", None),  # too short to hide waits
        ((67, 100, 100, 100), (1, 2, 3), "h200", ["fused", "stockham"]),
        ((1398, 48000), (1,), "h200", ["fused"]),  # 200 x 240
        ((699, 96000), (1,), "h200", ["fused"]),  # 240 x 400, whose groups are smaller
        ((335, 200000), (1,), "h200", None),  # groups that transform parts of rows are too large
        ((64, 1024, 1024), (1, 2), "h200", ["fused"]),  # the cache has room for 6 images
        ((64, 512, 2048), (1, 2), "h200", ["fused"]),
        ((64, 2048, 512), (1, 2), "h200", None),  # groups of one size hold too few columns
        ((67, 1000, 1000), (1, 2), "h200", None),  # groups of 400 work-items are too large
        ((17, 2048, 2048), (1, 2), "h200", None),  # the cache has room for one image
        ((64, 2**20), (1,), "h200", None),  # steps of a long one need room for 12 units
        ((256, 512, 512), (1, 2), "gfx90a", None),
    ],
)
def test_where_it_pays(shape, axes, name, launches):
    problem, traits = make_problem(shape, "c8", axes), RECORDED[name]
    passes = plan_passes(problem, traits)
    parameters = parameters_for(traits)
    planned = fused_schedule(passes, problem.nbytes, traits, parameters, forced=False)
    assert launches == (planned and [each.kernel for each in planned.passes])
