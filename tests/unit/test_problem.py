"""What a caller asks for, checked and described."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
import scipy.fft

from pyclfft.errors import PlanError
from pyclfft.planning.problem import (
    Source,
    contiguous_strides,
    lengths_and_axes,
    make_problem,
    norm_scale,
    plain_source,
)


@pytest.mark.parametrize(
    ("dtype", "precision", "real", "result"),
    [
        ("complex64", "single", False, "complex64"),
        ("complex128", "double", False, "complex128"),
        ("float32", "single", True, "complex64"),
        (float, "double", True, "complex128"),
    ],
)
def test_dtypes(dtype, precision, real, result):
    problem = make_problem((8,), dtype)
    assert (problem.precision, problem.source.real) == (precision, real)
    assert problem.dtype == result
    assert problem.nbytes == 8 * np.dtype(result).itemsize


SHAPE = (3, 4, 5)


@pytest.mark.parametrize(
    ("s", "axes", "expected"),
    [
        (None, None, (SHAPE, (0, 1, 2))),
        (None, -1, ((5,), (2,))),
        (None, (2, 0), ((5, 3), (2, 0))),
        (None, np.array([-3, 1]), ((3, 4), (0, 1))),
        (None, (axis for axis in (1, 2)), ((4, 5), (1, 2))),
        (None, (), ((), ())),
        (7, None, ((7,), (2,))),
        ((7, 8), None, ((7, 8), (1, 2))),
        ((-1, 8), None, ((4, 8), (1, 2))),
        ((7, -1), (2, 0), ((7, 3), (2, 0))),
        (np.int64(2), np.int32(0), ((2,), (0,))),
    ],
)
def test_lengths_and_axes(s, axes, expected):
    assert lengths_and_axes(SHAPE, s, axes) == expected


@pytest.mark.parametrize(
    ("s", "axes"),
    [
        (None, (0, 3)),
        (None, (-4,)),
        (None, (0, 0)),
        (None, (0, -3)),
        (None, 1.5),
        (None, ("a",)),
        ((1, 2, 3, 4), None),
        ((1, 2), (0,)),
        ((0,), None),
        ((-2,), None),
        ((2.0,), None),
        ("ab", None),
    ],
)
def test_lengths_and_axes_are_refused_in_scipys_words(s, axes):
    with pytest.raises(ValueError) as of_scipy:
        scipy.fft.fftn(np.zeros(SHAPE), s, axes)
    with pytest.raises(PlanError) as ours:
        lengths_and_axes(SHAPE, s, axes)
    assert str(ours.value) == str(of_scipy.value)


@pytest.mark.parametrize(
    ("norm", "direction", "scale"),
    [
        (None, "forward", 1),
        ("backward", "forward", 1),
        ("backward", "inverse", 1 / 12),
        ("ortho", "forward", 1 / sqrt(12)),
        ("ortho", "inverse", 1 / sqrt(12)),
        ("forward", "forward", 1 / 12),
        ("forward", "inverse", 1),
    ],
)
def test_norms(norm, direction, scale):
    assert norm_scale(norm, direction, 12) == scale
    assert make_problem((3, 4), "c8", direction=direction, norm=norm).scale == scale


def test_crop_and_pad_change_the_result_and_not_the_source():
    problem = make_problem((3, 4), "c8", s=(8, 2))
    assert problem.shape == (8, 2)
    assert problem.source == plain_source((3, 4))
    assert not problem.source_is_plain


@pytest.mark.parametrize(
    ("dtype", "options", "plain"),
    [
        ("c8", {}, True),
        ("c8", {"strides": (32, 8)}, True),
        ("c8", {"s": (3, 4)}, True),
        ("f4", {}, False),
        ("c8", {"strides": (8, 24)}, False),
        ("c8", {"strides": (32, -8), "offset": 24}, False),
        ("c8", {"offset": 8}, False),
        ("c8", {"s": (3, 5)}, False),
    ],
)
def test_plain_source(dtype, options, plain):
    assert make_problem((3, 4), dtype, **options).source_is_plain is plain


def test_strides_and_offset_become_elements():
    source = make_problem((3, 4), "f8", strides=(-64, 16), offset=128).source
    assert source == Source((3, 4), (-8, 2), 16, real=True)


def test_strides_of_single_elements_do_not_matter():
    assert make_problem((1, 4, 1), "c8", strides=(800, 8, 0)).source_is_plain


@pytest.mark.parametrize("shape", [(), (5,), (2, 3, 4), (2, 0, 4)])
def test_contiguous_strides(shape):
    array = np.empty(shape, "i1")
    if array.size:  # NumPy has zeros for empty arrays
        assert contiguous_strides(shape) == array.strides
    assert len(contiguous_strides(shape)) == len(shape)


def test_a_shape_is_what_numpy_takes():
    expected = make_problem((8,), "c8")
    for shape in (8, [8], np.array([8]), (np.int64(8),)):
        assert make_problem(shape, "c8") == expected
        assert hash(make_problem(shape, "c8")) == hash(expected)


@pytest.mark.parametrize(
    ("shape", "dtype", "options", "words"),
    [
        ((8,), "i4", {}, "no transform reads int32: convert the input to one of complex64"),
        ((8,), "f2", {}, "no transform reads float16"),
        ((8,), ">c8", {}, "no transform reads >c8"),
        ((-1, 8), "c8", {"axes": 1}, "extents are not negative"),
        ((2.5, 8), "c8", {"axes": 1}, "shape must be a scalar or iterable of integers"),
        ((8,), "c8", {"kind": "r2r"}, "invalid kind 'r2r', should be one of c2c"),
        ((8,), "c8", {"direction": "up"}, "invalid direction 'up', should be one of forward, inv"),
        ((8,), "c8", {"norm": ""}, "Invalid norm value ''"),
        ((8,), "c8", {"strides": (8, 8)}, "2 strides for 1 dimensions"),
        ((8,), "c8", {"strides": (4,)}, "multiples of 8 bytes"),
        ((8,), "c8", {"offset": 12}, "multiples of 8 bytes"),
        ((8, 8), "c8", {"axes": 0, "transposed": "out"}, "exactly the last two axes"),
        ((8, 8, 8), "c8", {"axes": (0, 1), "transposed": "in"}, "exactly the last two axes"),
    ],
)
def test_refused(shape, dtype, options, words):
    with pytest.raises(PlanError) as error:
        make_problem(shape, dtype, **options)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (make_problem((4, 8), "f4"), "fft c2c complex64 4x8 along axes 0, 1, scale 1"),
        (
            make_problem((4, 8), "c16", -1, direction="inverse"),
            "ifft c2c complex128 4x8 along axes 1, scale 0.125",
        ),
        (
            make_problem((4, 8), "c8", transposed="out"),
            "fft c2c complex64 4x8 along axes 0, 1, scale 1, transposed out",
        ),
    ],
)
def test_printed(problem, text):
    assert str(problem) == text
