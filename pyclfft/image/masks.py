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
    """What planning knows of a mask: where its gains lie, not the gains.

    Attributes
    ----------
    layout : Layout
        Of its rows and columns in memory.
    dtype : dtype
        Of its gains, a key of `MASK_TYPES`.
    half : bool
        It holds the columns 0 .. n // 2 of a spectrum of n columns, as `rfft2` does.
    """

    layout: Layout
    dtype: np.dtype
    half: bool

    def __str__(self) -> str:
        rows, columns = self.layout.shape
        return f"mask of {columns} x {rows} {self.dtype}, {'half' if self.half else 'whole'}"

    @property
    def macros(self) -> dict[str, int | str]:
        """The macros of gain.cl."""
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
    """Check an array of gains against the spectrum that it is for.

    Parameters
    ----------
    layout : Layout
        Of the array.
    dtype : dtype
        Of its elements.
    plane : (int, int)
        Rows and columns of the transform.

    Returns
    -------
    Mask

    Raises
    ------
    PlanError
        A ValueError: the array is neither the whole spectrum nor its half, or of no number.
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
