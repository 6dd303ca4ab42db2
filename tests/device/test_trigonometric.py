"""Cosine and sine transforms beside scipy.fft in float64."""

from __future__ import annotations

from math import prod

import numpy as np
import pyopencl.array as cl_array
import pytest
import scipy.fft

import pyclfft
from pyclfft.errors import PlanError
from pyclfft.runtime import describe
from tests.oracle import bound, noise, relative_error
from tests.pairwise import pairwise

ONE_AXIS = ("dct", "idct", "dst", "idst")
MANY_AXES = ("dctn", "idctn", "dstn", "idstn")
TYPES = (1, 2, 3, 4)
LENGTHS = (2, 3, 4, 5, 8, 17, 30, 31, 64, 101)


def check(name, x, *args, **options):
    ours = getattr(pyclfft, name)(x, *args, **options)
    wide = x.astype(np.result_type(x.dtype, np.float64))
    expected = getattr(scipy.fft, name)(wide, *args, **options)
    assert ours.shape == expected.shape
    assert ours.dtype == x.dtype
    assert relative_error(ours, expected) <= 2 * bound("bluestein", ours.dtype, ours.size)


@pytest.mark.one_cpu
@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("name", ONE_AXIS)
def test_every_type(device, name, type):
    fp64 = describe.traits(device).fp64
    for n in LENGTHS:
        dtype = "f8" if n % 2 and fp64 else "f4"
        for shape, axis in (((3, n), 1), ((n, 4), 0), ((2, n, 3), 1)):
            check(name, noise(shape, dtype), type, axis=axis)


@pytest.mark.one_cpu
@pairwise({"type": list(TYPES), "name": list(ONE_AXIS), "norm": ["ortho", "forward"]})
def test_norms_and_factors_at_the_ends(device, name, type, norm):
    for orthogonalize in (None, False, True):
        for n in (2, 7, 12):
            check(name, noise((3, n), "f4"), type, norm=norm, orthogonalize=orthogonalize)


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", ONE_AXIS)
def test_single_numbers(device, name):
    for type in TYPES[name.endswith("ct") :]:
        check(name, noise((4, 1), "f4"), type)


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", ONE_AXIS)
def test_cut_filled_and_of_any_strides(device, name):
    x = noise((6, 40), "f4")
    for n in (9, 64):
        check(name, x, 2, n)
        check(name, x, 3, n, 0)
    check(name, x[:, ::3], 4)
    check(name, x.T, 1)
    check(name, x[::-1], 2, axis=0)


@pytest.mark.one_cpu
def test_complex_numbers_are_two(device):
    for type in TYPES:
        check("dct", noise((3, 10), "c8"), type, norm="ortho")
        check("dst", noise((5, 4), "c8").T, type, axis=0)
        check("dctn", noise((3, 4), "c8"), type)


@pytest.mark.one_cpu
@pairwise(
    {
        "type": list(TYPES),
        "orthogonalize": [True, False],
        "name": ["dct", "idct", "dst", "idst", "dctn", "idstn"],
    }
)
def test_factors_at_the_ends_of_complex_numbers_too(device, name, type, orthogonalize):
    """SciPy leaves `orthogonalize` out of account there: each of its parts is the reference."""
    x = noise((3, 10), "c8")
    options = {"type": type, "norm": "backward" if orthogonalize else "ortho"}
    options["orthogonalize"] = orthogonalize
    theirs = getattr(scipy.fft, name)
    real, imaginary = (theirs(part.astype("f8"), **options) for part in (x.real, x.imag))
    ours = getattr(pyclfft, name)(x, **options)
    assert relative_error(ours, real + 1j * imaginary) < 1e-6


@pytest.mark.one_cpu
@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("name", MANY_AXES)
def test_many_axes(device, name, type):
    x = noise((4, 5, 6), "f4")
    check(name, x, type)
    check(name, x, type, (3, 8), (0, 2), "ortho")
    check(name, x, type, axes=1, norm="forward")


@pytest.mark.one_cpu
def test_large_images(device):
    for type in TYPES:
        check("dctn", noise((300, 500), "f4"), type)


@pytest.mark.parametrize("kind", ["dct2", "dst4", "dct1"])
def test_plans(queue, kind):
    """In place, to an array with gaps, and what they say of themselves."""
    x = noise((5, 24), "f4")
    plan = pyclfft.Plan(x.shape, x.dtype, 1, kind, context=queue.context)
    expected = getattr(scipy.fft, kind[:3])(x.astype("f8"), int(kind[3]))
    there = cl_array.to_device(queue, x)
    plan(there, out=there)
    assert relative_error(there.get(), expected) < 1e-6
    gaps = cl_array.zeros(queue, (5, 48), np.float32)
    plan(cl_array.to_device(queue, x), out=gaps[:, ::2])
    result = gaps.get()
    assert relative_error(result[:, ::2], expected) < 1e-6
    assert not result[:, 1::2].any()
    names = [each.kernel for each in plan.passes]
    one_launch = names in (["row"], ["small"], ["stockham"])
    assert one_launch or (names[0], names[-1]) == ("dctBefore", "dctAfter")
    assert kind in str(plan)


WITHIN_GROUPS = (
    ((5, 24), 1, "stockham"),
    ((3, 15, 4), 1, "stockham"),
    ((133, 17), 1, "stockham"),
    ((17, 3), 0, "bluestein_groups"),
)


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", ["dct", "dst"])
@pytest.mark.parametrize("type", TYPES)
def test_work_groups_take_one_launch(queue, name, type):
    """Rows and columns, of even, odd and prime lengths, in place too: in the load and the store."""
    for shape, axis, algorithm in WITHIN_GROUPS[
        3 if type == 1 else 0 :
    ]:  # the others have no stages
        x = noise(shape, "f4")
        options = {"norm": "ortho", "algorithm": algorithm, "context": queue.context}
        plan = pyclfft.Plan(x.shape, x.dtype, axis, f"{name}{type}", **options)
        assert [each.kernel for each in plan.passes] == ["stockham"]
        expected = getattr(scipy.fft, name)(x.astype("f8"), type, axis=axis, norm="ortho")
        assert relative_error(plan(x), expected) < 1e-6
        there = cl_array.to_device(queue, x)
        plan(there, out=there)
        assert relative_error(there.get(), expected) < 1e-6


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", ["dct", "dst"])
@pytest.mark.parametrize("type", [2, 3])
@pytest.mark.parametrize("norm", ["backward", "ortho"])
def test_rows_of_odd_lengths_need_no_roots(queue, name, type, norm):
    """Rows that work-items share, in more groups than one, and rows with a real stage."""
    traits = describe.traits(queue.device)
    shared = (17, 61) if traits.is_cpu else (9, 17, 61)
    fp64 = traits.fp64
    for n, code in ((1, "f4"), (9, "f4"), (17, "f8"), (61, "f4"), (225, "f8")):
        x = noise((130, n), code if fp64 else "f4")
        options = {"norm": norm, "algorithm": "stockham" if n > 1 else None}
        plan = pyclfft.Plan(x.shape, x.dtype, 1, f"{name}{type}", context=queue.context, **options)
        rows = [dict(each.defines).get("COSINE_ROWS") for each in plan.passes]
        assert rows == (["1"] if n in shared else [None] * len(plan.passes))
        assert not any("roots" in each.arguments for each in plan.passes)
        expected = getattr(scipy.fft, name)(x.astype("f8"), type, axis=1, norm=norm)
        assert relative_error(plan(x), expected) < (1e-6 if x.dtype == "f4" else 1e-14)


@pytest.mark.one_cpu
@pairwise(
    {
        "radices, points, mirrored": [
            ((2, 4), 4, False),
            ((4, 4, 8), 8, False),
            ((4, 4, 8), 16, True),
            ((5, 10, 5), 10, False),
            ((5, 10, 10), 10, False),
            ((5, 10, 10), 20, True),
        ],
        "norm": ["backward", "ortho", "forward"],
        "name": ["dct", "dst"],
    }
)
def test_four_numbers_at_once(queue, name, norm, radices, points, mirrored):
    """Type 2 loads four neighbours at once, type 3 stores them: with even and odd radices.

    On the side of the spectrum, mirror images belong to two work-items, or to one.
    """
    n = 2 * prod(radices)
    for type, order in ((2, radices), (3, radices[::-1])):
        values = {"stockham_radices": [order], "stockham_points": points}
        values["stockham_mirrored"] = n // 2 // points if mirrored else n
        for code, limit in (("f4", 1e-6), ("f8", 1e-14)):
            if code == "f8" and not describe.traits(queue.device).fp64:
                continue
            plan = pyclfft.Plan(
                (2, 4, n), code, 2, f"{name}{type}", norm=norm, algorithm="stockham",
                context=queue.context, parameters=values,
            )  # fmt: skip
            (only,) = plan.passes
            macros = dict(only.defines)
            assert (macros["QUADS"], macros["COSINE_PAIRS"]) == ("1", "1")
            items, all_butterflies = int(macros["ITEMS"]), n // 2 // radices[-1]
            owned = all_butterflies % (2 * items) == 0 and items >= int(macros["FEWEST"])
            assert (owned and radices[-1] % 2 == 0) == mirrored
            assert only.hooks == ""
            x = noise((2, 4, n), code)
            expected = getattr(scipy.fft, name)(x.astype("longdouble"), type, norm=norm)
            result = plan(x)
            assert relative_error(result, expected) < limit
            there = cl_array.to_device(queue, x)
            plan(there, out=there)
            assert relative_error(there.get(), expected) < limit
            x[1, 2, 3] = np.nan  # stays in its row
            np.testing.assert_array_equal(plan(x)[0], result[0])
            np.testing.assert_array_equal(plan(x)[1, [0, 1, 3]], result[1, [0, 1, 3]])


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", ["dct", "dst"])
@pytest.mark.parametrize("type", TYPES)
def test_work_groups_take_several_launches(queue, small_groups, name, type):
    """The first launch loads the numbers of long rows and columns, the last one stores results."""
    small_groups(4)
    more = (1 if name == "dct" else -1) if type == 1 else 0  # then 2 (n - 1) or 2 (n + 1) points
    for shape, axis in (((3, 225 + more), 1), ((250 + more, 4), 0)):
        x = noise(shape, "f4")
        options = {"algorithm": "four_step_groups", "context": queue.context}
        plan = pyclfft.Plan(shape, x.dtype, axis, f"{name}{type}", **options)
        assert len(plan.passes) > 1
        assert {each.kernel for each in plan.passes} == {"stockham"}
        expected = getattr(scipy.fft, name)(x.astype("f8"), type, axis=axis)
        assert relative_error(plan(x), expected) < 1e-6
        there = cl_array.to_device(queue, x)
        plan(there, out=there)
        assert relative_error(there.get(), expected) < 1e-6


def test_hooks(queue):
    x = noise((4, 30), "f4")
    hooks = {"load": pyclfft.Hook("value *= 3;"), "store": pyclfft.Hook("value += index;")}
    for type in TYPES:
        plan = pyclfft.Plan(x.shape, x.dtype, 1, f"dct{type}", hooks=hooks, context=queue.context)
        expected = scipy.fft.dct(3 * x.astype("f8"), type) + np.arange(x.size).reshape(x.shape)
        assert relative_error(plan(x), expected) < 1e-6


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", ["dct", "idst", "dctn"])
@pytest.mark.parametrize("type", ["2", 2.0, None, [2]])
def test_a_type_is_an_integer(device, name, type):
    x = np.ones(4, "f4")
    if type != 2.0:  # SciPy lets the inverse transforms, and those only, have it
        with pytest.raises(TypeError):
            getattr(scipy.fft, name)(x, type=type)
    with pytest.raises(TypeError, match="type must be an integer"):
        getattr(pyclfft, name)(x, type=type)


@pytest.mark.one_cpu
def test_integers_of_other_kinds_are_types(device):
    check("dct", noise((2, 8), "f4"), np.int64(3))
    check("dct", noise((2, 8), "f4"), True)


def test_errors(device):
    with pytest.raises(ValueError, match="1, 2, 3, 4"):
        pyclfft.dct([1.0], type=5)
    with pytest.raises(PlanError, match="at least 2 numbers"):
        pyclfft.dct(np.ones((3, 1), "f4"), type=1)
    with pytest.raises(ValueError, match="invalid number of data points"):
        pyclfft.dst(np.ones((3, 0), "f4"))
    with pytest.raises(IndexError):
        pyclfft.dct(np.ones(3, "f4"), axis=1)
    with pytest.raises(PlanError, match="real input"):
        pyclfft.Plan(8, "complex64", kind="dct2")
