"""Masks: a caller's own gains for the bins of an image's spectrum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import PlanError
from ..planning.problem import Layout

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
    """

    layout: Layout
    dtype: np.dtype
    half: bool

    def __str__(self) -> str:
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
