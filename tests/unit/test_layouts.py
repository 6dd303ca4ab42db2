"""Layouts and routes of transforms over ranks: every element has one place, on some rank."""

from __future__ import annotations

import numpy as np
import pytest

from pyclfft.distributed.blocks import given_block, result_block
from pyclfft.distributed.layout import Layout, Pieces, extents, in_pieces, shared, within
from pyclfft.distributed.route import Request, plan_route
from pyclfft.errors import PlanError

RANKS = (1, 2, 3, 4, 6, 7)


def covered(shape, blocks):
    """How many of the blocks each element lies in."""
    count = np.zeros(shape, int)
    for block in blocks:
        count[block] += 1
    return count


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("partition", ["auto", "slab", "pencil"])
@pytest.mark.parametrize("kind", ["c2c", "r2c"])
@pytest.mark.parametrize("shape", [(5, 4, 9), (2, 3, 4, 5), (16, 16, 16)])
def test_blocks_cover_the_array_once(shape, kind, partition, ranks):
    axes = tuple(range(len(shape)))
    route = plan_route(Request(kind, "forward", shape, axes, shape), ranks, partition)
    assert sorted(axis for stage in route.stages for axis in stage.axes) == list(axes)
    for stage in route.stages:
        assert not set(stage.axes) & set(stage.before.cut_axes)
        for layout in (stage.before, stage.after):
            blocks = [layout.block(rank) for rank in range(ranks)]
            assert (covered(layout.shape, blocks) == 1).all()
    # The inverse begins where the forward transform ends, and ends where that begins.
    request = Request(
        {"c2c": "c2c", "r2c": "c2r"}[kind], "inverse", route.result.shape, axes, shape
    )
    back = plan_route(request, ranks, partition)
    assert (back.given, back.result) == (route.result, route.given)


@pytest.mark.parametrize("ranks", RANKS[1:])
@pytest.mark.parametrize("n", [1024, 360, 997, 15, 2])
@pytest.mark.parametrize("kind", ["c2c", "r2c"])
def test_blocks_cover_a_row_once(n, kind, ranks):
    request = Request(kind, "forward", (n,), (0,), (n,))
    route = plan_route(request, ranks, "auto")
    given = [given_block(route, route.given, rank) for rank in range(ranks)]
    result = [result_block(route, route.result, rank) for rank in range(ranks)]
    assert (covered((n,), given) == 1).all()
    assert (covered(request.result_shape, result) == 1).all()
    inverse = Request(
        {"c2c": "c2c", "r2c": "c2r"}[kind], "inverse", request.result_shape, (0,), (n,)
    )
    back = plan_route(inverse, ranks, "auto")
    assert [given_block(back, back.given, rank) for rank in range(ranks)] == result
    assert [result_block(back, back.result, rank) for rank in range(ranks)] == given


def test_slabs_give_way_to_pencils_if_ranks_would_idle():
    def parts(ranks):
        request = Request("c2c", "forward", (4, 64, 64), (0, 1, 2), (4, 64, 64))
        return len(plan_route(request, ranks, "auto").stages[0].before.cuts)

    assert (parts(4), parts(8)) == (1, 2)


def test_pencils_need_three_axes():
    with pytest.raises(PlanError, match='take partition="slab"'):
        plan_route(Request("c2c", "forward", (8, 8), (0, 1), (8, 8)), 4, "pencil")


def test_parts_of_blocks():
    layout = Layout((6, 10), ((0, 2), (1, 3)))
    assert layout.block(4) == (slice(3, 6), slice(4, 7))
    assert extents(layout.block(6)) == (0, 0)
    part = shared(layout.block(4), (slice(0, 4), slice(5, 9)))
    assert part == (slice(3, 4), slice(5, 7))
    assert within(part, layout.block(4)) == (slice(0, 1), slice(1, 3))
    assert shared(layout.block(0), layout.block(1)) is None


def test_pieces_cover_a_block():
    block = (slice(3, 10), slice(0, 4))
    pieces = in_pieces(block, (0, 1), (1,), 3)
    assert pieces == Pieces(0, 3)
    assert [pieces.piece(block, number)[0] for number in range(3)] == [
        slice(3, 6), slice(6, 8), slice(8, 10),
    ]  # fmt: skip
    assert in_pieces(block, (0, 1), (1,), 50) == Pieces(0, 7)
    assert in_pieces(block, (0, 1), (), 50) == Pieces(0, 7)
    assert in_pieces(block, (1, 0), (), 4) == Pieces(1, 4)
    assert in_pieces(block, (0, 1), (0, 1), 4) == Pieces(0, 1)
