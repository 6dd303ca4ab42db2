"""Convolution by its definition, planned: one launch of definition.cl, for all types of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from ..planning.parameters import Given
from ..runtime.shift import NUMBERS
from .shapes import Dimensions, Places

SOURCE, KERNEL = "convolution/definition.cl", "convolve_plainly"


@dataclass(frozen=True)
class DirectJob:
    """A convolution by its definition.

    Attributes
    ----------
    dimensions : tuple of Dimension
        The dimensions of the inputs and of the result.
    places : Places
        Where the inputs and the result lie in memory.
    dtypes : (dtype, dtype, dtype)
        The dtypes of the inputs and of the result: any numbers or booleans of OpenCL C.
    correlates : bool
        Whether the result is the correlation: the second input is reversed and conjugated.
    values : tuple of (str, object)
        Parameters of the kernels that count more than any that were measured.
    """

    dimensions: Dimensions
    places: Places
    dtypes: tuple[np.dtype, np.dtype, np.dtype]
    correlates: bool = False
    values: Given = ()

    @property
    def count(self) -> int:
        """The number of elements of the result."""
        return prod(each.result for each in self.dimensions)

    @property
    def array_bytes(self) -> dict[str, int]:
        """The bytes of the inputs and of the result, by their names."""
        return self.places.bytes_of(*self.dtypes)

    @property
    def precision(self) -> str:
        """The precision of the sums: that of the result; integers need none."""
        result = self.dtypes[2]
        double = result.kind in "fc" and result.itemsize >= (16 if result.kind == "c" else 8)
        return "double" if double else "single"

    @property
    def defines(self) -> tuple[tuple[str, str], ...]:
        """The macros with which the kernel is compiled."""
        first, second, result = self.dtypes
        sums = {"c": "COMPLEX", "f": "REAL"}
        macros = {
            "DOUBLE": int(self.precision == "double"),
            "SUM": sums.get(result.kind, "INTEGERS"),
            "FIRST": NUMBERS[first],
            "SECOND": NUMBERS[second],
            "RESULT": NUMBERS[result],
            "FIRST_KIND": _kind(first),
            "SECOND_KIND": _kind(second),
            "RESULT_KIND": "TRUTH" if result.kind == "b" else _kind(result),
            "CONJUGATED": int(self.correlates and second.kind == "c"),
            "DIMENSIONS": len(self.dimensions),
        }
        return tuple((name, str(value)) for name, value in macros.items())

    @property
    def table(self) -> np.ndarray:
        """The table of the kernel: where the arrays begin, and their dimensions."""
        order = sorted(range(len(self.dimensions)), key=lambda d: self.dimensions[d].convolved)
        begins = [self.places.first.offset, self.places.second.offset, self.places.target.offset]
        rows: list[int] = []
        for d in order:
            each = self.dimensions[d]
            first, second = self.places.first.strides[d], self.places.second.strides[d]
            if not each.convolved:  # an input of one place stays there
                first, second = first * (each.first > 1), second * (each.second > 1)
            if self.correlates and each.convolved:
                begins[1] += (each.second - 1) * second
                second = -second
            extents = (each.first, each.second) if each.convolved else (0, 0)
            rows += [
                each.result,
                each.start,
                *extents,
                first,
                second,
                self.places.target.strides[d],
            ]
        return np.array(begins + rows, np.int64)


def _kind(dtype: np.dtype) -> str:
    if dtype == np.float16:
        return "FLOAT16"
    return "COMPLEX" if dtype.kind == "c" else "REAL"
