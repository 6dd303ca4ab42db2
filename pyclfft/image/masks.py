"""Masks: gains for the bins of an image's spectrum, a caller's own or those of a rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import PlanError
from ..planning.problem import Layout, plain_layout
from .kinds import Rule, computed_gains

# dtype of a mask -> its type in OpenCL C
MASK_TYPES: dict[np.dtype, str] = {
    np.dtype(name): c_type
    for name, c_type in (
        ("bool", "uchar"),
        ("int8", "char"), ("uint8", "uchar"), ("int16", "short"), ("uint16", "ushort"),
        ("int32", "int"), ("uint32", "uint"), ("int64", "long"), ("uint64", "ulong"),
        ("float32", "float"), ("float64", "double"),
        ("complex64", "float2"), ("complex128", "double2"),
    )
}  # fmt: skip


@dataclass(frozen=True)
class Mask:
    """A mask as planning knows it: where its gains lie, but not their values.

    Attributes
    ----------
    layout : Layout
        Where the rows and columns lie in memory.
    dtype : dtype
        The dtype of the gains, a key of `MASK_TYPES`.
    half : bool
        The mask has the columns 0 .. n // 2 of a spectrum of n columns, as the result of `rfft2`.
    rule : Rule or None
        What computes the gains; None if the caller gives them.
    """

    layout: Layout
    dtype: np.dtype
    half: bool
    rule: Rule | None = None

    def __str__(self) -> str:
        if self.rule is not None:
            return str(self.rule)
        rows, columns = self.layout.shape
        return f"mask of {columns} x {rows} {self.dtype}, {'half' if self.half else 'whole'}"

    @property
    def macros(self) -> dict[str, int | str]:
        """The macros of gain.cl that describe the mask."""
        row, column = self.layout.strides
        return {
            "MASK_TYPE": MASK_TYPES[self.dtype],
            "COMPLEX_MASK": int(self.dtype.kind == "c"),
            "HALF_MASK": int(self.half),
            "MASK_BEGIN": self.layout.offset,
            "MASK_ROW": row,
            "MASK_COLUMN": column,
        }


def mask_of_rule(rule: Rule, dtype: np.dtype, plane: tuple[int, int]) -> Mask:
    """Return the mask of a rule: half of it where this tells all."""
    rows, columns = plane
    columns = columns // 2 + 1 if rule.symmetric else columns
    return Mask(plain_layout((rows, columns)), dtype, half=rule.symmetric, rule=rule)


def gains_of_rule(mask: Mask, plane: tuple[int, int]) -> np.ndarray:
    """Compute the gains of a mask that has a rule, for a transform of `plane`."""
    assert mask.rule is not None
    return computed_gains(mask.rule, plane, mask.half, mask.dtype)


def gains_of_function(
    function: Callable[[np.ndarray, np.ndarray], Any], plane: tuple[int, int]
) -> np.ndarray:
    """Call a caller's function of frequencies for all bins of a transform.

    Parameters
    ----------
    function : callable
        It takes the frequencies fy, of shape (rows, 1), and fx, of shape (1, columns), in cycles a
        pixel, and returns gains that can be broadcast to (rows, columns).
    plane : (int, int)
        The rows and columns of the transform.

    Returns
    -------
    ndarray, shape (rows, columns)

    Raises
    ------
    PlanError
        A ValueError: the function returns something of another shape.
    """
    rows, columns = plane
    fy, fx = np.fft.fftfreq(rows)[:, np.newaxis], np.fft.fftfreq(columns)[np.newaxis, :]
    gains = np.asarray(function(fy, fx))
    try:
        return np.broadcast_to(gains, plane)
    except ValueError:
        raise PlanError(
            f"the function given as mask returns the shape {gains.shape} for fy of the shape "
            f"{fy.shape} and fx of the shape {fx.shape}: its gains have to fit the shape {plane}"
        ) from None


def make_mask(layout: Layout, dtype: np.dtype, plane: tuple[int, int]) -> Mask:
    """Check that an array of gains fits the spectrum of a transform.

    Parameters
    ----------
    layout : Layout
        Where the array's elements lie.
    dtype : dtype
        The dtype of the elements.
    plane : (int, int)
        The rows and columns of the transform.

    Returns
    -------
    Mask

    Raises
    ------
    PlanError
        A ValueError: the array has neither the shape of the whole spectrum nor that of its half, or
        its elements are no numbers.
    """
    rows, columns = plane
    half = (rows, columns // 2 + 1)
    if layout.shape not in (plane, half):
        raise PlanError(
            f"mask must have the shape of the transform's spectrum, {plane}, or of its half, "
            f"{half}, with DC at [0, 0], not {layout.shape}: filter_mask(..., pad=...) returns one "
            "of the right shape"
        )
    if dtype not in MASK_TYPES:
        raise PlanError(f'mask cannot hold {dtype}: convert it with mask.astype("float32")')
    return Mask(layout, dtype, half=layout.shape != plane)
