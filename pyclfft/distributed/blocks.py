"""Blocks as callers see them: what each rank passes to a transform, and what it gets.

Only single rows need more than a look at their layout: they are seen as rows and columns inside,
and as one axis outside.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

import numpy as np

from ..runtime import memory
from .layout import Block, Layout, extents
from .route import Route


def on_root(layout: Layout) -> Layout:
    """Return the layout in which rank 0 holds the whole array."""
    return replace(layout, cuts=())


def given_block(route: Route, layout: Layout, rank: int) -> Block:
    """Return a rank's block of the input, in places of the caller's array."""
    return _seen(route, layout, rank, route.request.shape, (0, 1))


def result_block(route: Route, layout: Layout, rank: int) -> Block:
    """Return a rank's block of the result, in places of the caller's array."""
    return _seen(route, layout, rank, route.request.result_shape, (1, 0))


def _seen(
    route: Route, layout: Layout, rank: int, shape: tuple[int, ...], order: tuple[int, int]
) -> Block:
    block, axis = layout.block(rank), route.row_axis
    if axis is None:
        return block
    outer, inner = order
    width, length = layout.shape[inner], shape[axis]
    seen = [slice(0, min(1, block[outer].stop)) for _ in shape]
    seen[axis] = slice(
        min(block[outer].start * width, length), min(block[outer].stop * width, length)
    )
    return tuple(seen)


def prepared(route: Route, layout: Layout, rank: int, x: np.ndarray) -> np.ndarray:
    """Return a rank's block of the input as the first stage takes it.

    Parameters
    ----------
    route : Route
        The route.
    layout : Layout
        The blocks of the input.
    rank : int
        This rank.
    x : ndarray
        The block as the caller passes it.

    Returns
    -------
    ndarray
        The block itself if it can be used, otherwise a copy. A single row is padded with zeros
        until its last line is full. Half of a row's spectrum is cropped to the points that the
        transform uses; its first and its middle point are halved, because the other half, which
        stays zero, has no counterpart of them.
    """
    if route.row_axis is None:
        return memory.contiguous(x)
    shape = extents(layout.block(rank))
    if route.request.kind != "c2r" and x.size == prod(shape):
        return memory.contiguous(x).reshape(shape)
    block = np.zeros(prod(shape), x.dtype)
    block[: x.size] = x.ravel()
    if route.request.kind == "c2r":
        begin = given_block(route, layout, rank)[route.row_axis].start
        length = route.request.lengths[-1]
        block[max(0, length // 2 + 1 - begin) :] = 0
        for place in {0, length // 2} if length % 2 == 0 else {0}:
            if begin <= place < begin + block.size:
                block[place - begin] /= 2
    return block.reshape(shape)


def room(route: Route, layout: Layout, rank: int, dtype: np.dtype) -> np.ndarray:
    """Return a new array for a rank's block of the result, as the last stage leaves it."""
    lengths = extents(layout.block(rank))
    return memory.empty(tuple(lengths[axis] for axis in route.result_order), dtype)


def finished(route: Route, layout: Layout, rank: int, out: np.ndarray) -> np.ndarray:
    """Return a rank's block of the result as the caller gets it."""
    shape = extents(result_block(route, layout, rank))
    return out.reshape(-1)[: prod(shape)].reshape(shape)
