"""What a caller asks for, checked and described."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
import scipy.fft

from pyclfft.errors import PlanError
from pyclfft.planning.problem import (
    Layout,
    contiguous_strides,
    half_shape,
    lengths_and_axes,
    make_problem,
    norm_scale,
    plain_layout,
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
    assert problem.source == plain_layout((3, 4))
    assert problem.target == plain_layout((8, 2))


@pytest.mark.parametrize(
    ("dtype", "options", "plain"),
    [
        ("c8", {}, True),
        ("c8", {"strides": (32, 8)}, True),
        ("f4", {}, True),
        ("c8", {"strides": (8, 24)}, False),
        ("c8", {"strides": (32, -8), "offset": 24}, False),
        ("c8", {"offset": 8}, False),
        ("c8", {"transposed": "in"}, False),
        ("c8", {"transposed": "out"}, True),
    ],
)
def test_plain_source(dtype, options, plain):
    assert make_problem((3, 4), dtype, **options).source.is_plain is plain


@pytest.mark.parametrize(
    ("strides", "offset", "dense"),
    [
        ((20, 5, 1), 0, True),
        ((1, 3, 12), 0, True),
        ((5, 15, 1), 0, True),
        ((20, 5, 1), 1, False),
        ((40, 10, 2), 0, False),
        ((20, 5, -1), 0, False),
        ((0, 5, 1), 0, False),
    ],
)
def test_dense(strides, offset, dense):
    assert Layout((3, 4, 5), strides, offset).is_dense is dense


@pytest.mark.parametrize("axis", range(3))
def test_layout_along_an_axis(axis):
    layout = plain_layout((3, 4, 5), real=True).along(axis)
    assert layout.strides[axis] == 1
    assert layout.is_dense
    assert layout.real
    others = [layout.strides[d] for d in range(3) if d != axis]
    assert others == sorted(others, reverse=True)


@pytest.mark.parametrize(
    ("kind", "dtype", "axes", "given", "result", "dtypes"),
    [
        ("c2c", "c8", None, (6, 7), (6, 7), ("c8", "c8")),
        ("r2c", "f4", None, (6, 7), (6, 4), ("f4", "c8")),
        ("r2c", "f8", (1, 0), (6, 7), (4, 7), ("f8", "c16")),
        ("c2r", "c16", None, (6, 4), (6, 7), ("c16", "f8")),
        ("c2r", "c8", 0, (4, 7), (6, 7), ("c8", "f4")),
    ],
)
def test_kinds(kind, dtype, axes, given, result, dtypes):
    problem = make_problem((6, 7), dtype, axes, kind)
    assert problem.source == plain_layout(given, real=dtype[0] == "f")
    assert problem.target == plain_layout(result, real=kind == "c2r")
    assert (problem.source_dtype, problem.dtype) == dtypes
    assert problem.shape == (6, 7)
    assert problem.nbytes == np.empty(result, dtypes[1]).nbytes
    assert problem.spectrum_shape == (given if kind == "c2r" else result)


def test_crop_and_pad_of_half_a_spectrum():
    """The input is the spectrum of what `shape` says, whatever is made of it."""
    problem = make_problem((6, 8), "c8", kind="c2r", s=(4, 13), norm="forward", direction="forward")
    assert problem.source == plain_layout((6, 5))
    assert problem.target == plain_layout((4, 13), real=True)
    assert problem.spectrum_shape == (4, 7)
    assert problem.scale == 1 / 52


def test_result_of_any_strides():
    problem = make_problem((3, 4), "f4", kind="r2c", out_strides=(8, 64), out_offset=16)
    assert problem.target == Layout((3, 3), (1, 8), 2)


@pytest.mark.parametrize(
    ("shape", "axis", "half"),
    [((8,), 0, (5,)), ((7,), 0, (4,)), ((1, 3), 0, (1, 3)), ((2, 9), 1, (2, 5))],
)
def test_half_shape(shape, axis, half):
    assert half_shape(shape, axis) == half


def test_strides_and_offset_become_elements():
    source = make_problem((3, 4), "f8", strides=(-64, 16), offset=128).source
    assert source == Layout((3, 4), (-8, 2), 16, real=True)


def test_strides_of_single_elements_do_not_matter():
    assert make_problem((1, 4, 1), "c8", strides=(800, 8, 0)).source.is_plain


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
        ((8,), "c8", {"kind": "r2r"}, "invalid kind 'r2r', should be one of c2c, r2c, c2r"),
        ((8,), "c8", {"kind": "r2c"}, "r2c transforms real input, not complex64"),
        ((8,), "f4", {"kind": "c2r"}, "c2r transforms complex input, not float32"),
        ((8,), "f4", {"kind": "r2c", "axes": ()}, "r2c needs at least one axis"),
        ((8,), "c8", {"out_strides": (8, 8)}, "2 strides for 1 dimensions"),
        ((8,), "c8", {"out_offset": 4}, "multiples of 8 bytes"),
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
            make_problem((4, 9), "f4", kind="r2c"),
            "fft r2c complex64 4x9 along axes 0, 1, scale 1",
        ),
        (
            make_problem((4, 8), "c8", transposed="out"),
            "fft c2c complex64 4x8 along axes 0, 1, scale 1, transposed out",
        ),
    ],
)
def test_printed(problem, text):
    assert str(problem) == text


def test_an_array_in_the_place_of_a_name():
    with pytest.raises(
        PlanError, match=r"invalid kind array of shape \(8, 8\), should be one of c2c"
    ):
        make_problem((8,), "c8", kind=np.ones((8, 8)))
    with pytest.raises(PlanError, match="invalid kind 3, should be one of c2c"):
        make_problem((8,), "c8", kind=3)
