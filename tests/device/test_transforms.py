"""Every transform on every device: accuracy; dtypes, shapes and errors as SciPy has them."""

from __future__ import annotations

import os
from itertools import permutations
from math import prod

import numpy as np
import pyopencl.array as cl_array
import pytest
import scipy.fft

import pyclfft
from pyclfft.planning.factor import is_smooth
from pyclfft.runtime import describe
from tests.oracle import algorithm_for, bound, exact_dft, noise, reference, relative_error

COMPLEX = [np.complex64, np.complex128]
NAMES = ["fft", "ifft", "fft2", "ifft2", "fftn", "ifftn"]


NARROW = ["f2", ">f2", "f4", ">f4", "c8", ">c8"]  # transformed in single precision


def require(device, dtype):
    """Skip where the device lacks the precision that a dtype is transformed in."""
    wide = np.dtype(dtype) not in map(np.dtype, NARROW)
    if wide and not describe.traits(device).fp64:
        pytest.skip(f"{device.name} has no double precision")


def lengths(name, shape, n=None, axis=-1, s=None, axes=None, norm=None):
    """The lengths that a call transforms, given the shape of its result."""
    if name in ("fft", "ifft"):
        return [shape[axis]]
    if axes is None:
        count = 2 if name.endswith("2") else len(shape) if s is None else np.size(s)
        axes = range(-count, 0)
    return [shape[a] for a in np.atleast_1d(axes)]


def check(name, x, **options):
    """Transform; compare dtype and shape with SciPy's, values with the exact ones."""
    before = np.copy(x)
    result = getattr(pyclfft, name)(x, **options)
    np.testing.assert_array_equal(x, before)
    like = getattr(scipy.fft, name)(x, **options)
    assert type(result) is np.ndarray
    assert (result.dtype, result.shape) == (like.dtype, like.shape)
    transformed = lengths(name, result.shape, **options)
    limit = bound(algorithm_for(transformed), result.dtype, prod(transformed))
    assert relative_error(result, reference(name, x, **options)) <= limit


# --- accuracy -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("n", [2**k for k in (*range(1, 19), 20)])
def test_power_of_two(device, dtype, n):
    require(device, dtype)
    x = noise(n, dtype)
    check("fft", x)
    check("ifft", x)


PRIMES = [71, 97, 127, 257, 509, 1009, 1999, 10007]


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("n", [*range(1, 30), 31, 35, 37, 49, 55, 60, 62, 67, *PRIMES, 1000])
def test_any_length(device, dtype, n):
    """In so many rows that the error is the algorithm's: that of 30 numbers is partly chance."""
    require(device, dtype)
    x = noise((2 + 400 // n, n), dtype)
    check("fft", x)
    check("ifft", x)


@pytest.mark.parametrize("n", [1, 2, 3, 8, 13, 64, 100])
@pytest.mark.parametrize("dtype", COMPLEX)
def test_against_many_digits(device, dtype, n):
    require(device, dtype)
    x = noise(n, dtype, seed=n)
    for result, sign in ((pyclfft.fft(x), -1), (pyclfft.ifft(x, norm="forward"), 1)):
        exact = np.array([complex(v) for v in exact_dft(x, sign)])
        assert relative_error(result, exact) <= bound(algorithm_for([n]), dtype, n)


@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((1, 8), -1),
        ((7, 64), -1),
        ((2, 3, 5, 16), -1),
        ((3, 4096), -1),
        ((4096, 3), 0),
        ((33, 12), -1),
        ((70000, 8), 1),  # more than 65535 rows: more groups than some devices count along y or z
        ((70000, 3), 1),
        ((70000, 4, 2), 1),
        ((8, 70000), 0),
    ],
)
def test_batch(device, shape, axis):
    check("fft", noise(shape, np.complex64), axis=axis)


@pytest.mark.parametrize(
    "shape",
    [(8, 8), (16, 64), (12, 20), (1, 8), (8, 1), (17, 33), (4, 6, 8), (3, 1, 5, 4), (100, 64)],
)
@pytest.mark.parametrize("name", ["fft2", "ifft2", "fftn", "ifftn"])
def test_many_dimensions(device, name, shape):
    check(name, noise(shape, np.complex64))


@pytest.mark.parametrize(
    "axes", [*permutations(range(3), 2), *permutations((0, 1, -1)), (1,), 2, ()]
)
def test_axes_in_any_order(device, axes):
    x = noise((4, 6, 5), np.complex64)
    if axes == ():
        np.testing.assert_array_equal(pyclfft.fftn(x, axes=axes), x)
    else:
        check("fftn", x, axes=axes)
        check("ifft2", x, axes=axes)


@pytest.mark.parametrize("axis", range(-4, 4))
def test_one_axis(device, axis):
    check("fft", noise((2, 8, 5, 6), np.complex64), axis=axis)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("fft", {"n": 8}),
        ("fft", {"n": 5}),
        ("ifft", {"n": 3, "axis": 0}),
        ("ifft", {"n": 16, "axis": 0}),
        ("fft", {"n": 1}),
        ("fft2", {"s": (8, 4)}),
        ("ifft2", {"s": (3, 16), "axes": (1, 0)}),
        ("fftn", {"s": 4}),
        ("fftn", {"s": (-1, 8)}),
        ("ifftn", {"s": (4, -1, 8)}),
        ("fftn", {"s": (4, 8), "axes": (2, 0)}),
        ("fftn", {"s": [2, 3], "axes": np.array([-1, 0])}),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_crop_and_pad(device, dtype, name, options):
    check(name, noise((5, 6, 7), dtype), **options)


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize("name", NAMES)
def test_norms(device, name, norm):
    check(name, noise((6, 8), np.complex64), norm=norm)


# --- what goes in ---------------------------------------------------------------------------------

DTYPES = [*NARROW, "?", "i1", "u1", "i2", ">i4", "u8", "f8", ">f8", "c16", ">c16", "O"]


@pytest.mark.parametrize("code", DTYPES)
def test_dtype(device, code):
    require(device, code)
    x = (100 * noise((3, 12), np.complex64 if "c" in code else np.float32)).astype(code)
    if code == ">f2":  # SciPy refuses it; as float16 it is no different from the others
        np.testing.assert_array_equal(pyclfft.fft(x), pyclfft.fft(x.astype("f4")))
    else:
        check("fft", x)
        check("ifftn", x)


def unaligned(x):
    """A copy whose elements do not begin at multiples of their size."""
    memory = np.empty(x.nbytes + 1, np.uint8)
    view = memory[1:].view(x.dtype).reshape(x.shape)
    view[...] = x
    assert not view.flags.aligned
    return view


def read_only(x):
    x.flags.writeable = False
    return x


LAYOUTS = {
    "every second": lambda x: x[::2, 1::2],
    "backwards": lambda x: x[::-1, ::-1],
    "column order": np.asfortranarray,
    "transposed": np.transpose,
    "broadcast": lambda x: np.broadcast_to(x[0], (4, x.shape[1])),
    "unaligned": unaligned,
    "read-only": read_only,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_layout(device, dtype, layout):
    check("fft", LAYOUTS[layout](noise((6, 8), dtype)))


@pytest.mark.one_cpu
@pytest.mark.parametrize("axes", [*permutations(range(3))])
def test_device_arrays_that_are_converted_in_every_order(device, queue, fp64, axes):
    """pyopencl's own astype takes the elements of a Fortran array in C order."""
    x = np.arange(2 * 3 * 8, dtype="i4").reshape(2, 3, 8) ** 2
    stored = cl_array.to_device(queue, np.ascontiguousarray(x.transpose(axes)))
    result = pyclfft.fft(stored.transpose([axes.index(axis) for axis in range(3)]))
    np.testing.assert_allclose(result.get(), np.fft.fft(x), atol=1e-9)


@pytest.mark.parametrize("x", [[1, 2, 3], [[1, 2j], [3, 4]], (0.5, 1), range(5)])
def test_array_like(device, fp64, x):
    check("fft", x)


@pytest.mark.parametrize(
    ("name", "shape", "options"),
    [
        ("fft", (0, 8), {}),
        ("fft", (8, 0), {"axis": 0}),
        ("fft", (3, 0, 5), {"axis": 2}),
        ("fftn", (4, 0), {"axes": 0}),
        ("fft", (0,), {"n": 4}),  # all of it is padding
        ("fft", (3, 0), {"n": 5}),
        ("ifftn", (0, 4), {"s": (2, 2)}),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_empty(device, dtype, name, shape, options):
    check(name, np.empty(shape, dtype), **options)


@pytest.mark.parametrize("x", [3.0, [1, 2], np.arange(3)])
def test_without_axes_nothing_happens(device, x):
    result, like = pyclfft.fftn(x, axes=()), scipy.fft.fftn(x, axes=())
    assert (type(result), result.dtype) == (type(like), like.dtype)
    np.testing.assert_array_equal(result, like)


@pytest.mark.parametrize("dtype", ["g", ">g", "G"])
@pytest.mark.skipif(np.dtype("g").itemsize == 8, reason="long double is double here")
def test_longdouble_names_the_remedy(device, dtype):
    narrower = "complex128" if dtype == "G" else "float64"
    with pytest.raises(TypeError, match=rf'x\.astype\("{narrower}"\)'):
        pyclfft.fft(np.ones(4, dtype))


@pytest.mark.parametrize("n", [8, 12, 17])
def test_real_input_is_uploaded_as_it_is(device, n):
    plan = pyclfft.Plan((5, n), "float32", axes=1)
    (only,) = plan.passes
    assert only.reads == 5 * n * 4
    write = plan.profile(noise((5, n), np.float32))[0]
    assert (write.name, write.nbytes) == ("write", 5 * n * 4)


def test_overwrite_and_workers_are_accepted(device):
    check("fft", x := noise(8, np.complex64))
    for options in ({"overwrite_x": True}, {"workers": 2}, {"workers": -1}, {"plan": None}):
        np.testing.assert_array_equal(pyclfft.fft(x, **options), pyclfft.fft(x))


def test_arguments_by_position(device):
    x = noise((4, 8), np.complex64)
    np.testing.assert_array_equal(
        pyclfft.fft(x, 6, 0, "ortho", False, 1), pyclfft.fft(x, n=6, axis=0, norm="ortho")
    )
    np.testing.assert_array_equal(
        pyclfft.fftn(x, (6,), (0,), "ortho", False, 1), pyclfft.fft(x, 6, 0, "ortho")
    )


# --- errors ---------------------------------------------------------------------------------------

X = np.zeros((3, 4), np.float32)
EMPTY = np.zeros((3, 0), np.float32)
FEWEST_WORKERS = -(os.cpu_count() or 1)

ERRORS = [
    ("fft", X, {"n": 0}),
    ("fft", X, {"n": -3}),
    ("fft", X, {"n": 7.5}),
    ("fft", X, {"n": "4"}),
    ("fft", X, {"axis": 2}),
    ("fft", X, {"axis": -3}),
    ("fft", X, {"axis": 1.0}),
    ("fft", X, {"axis": 2, "n": 4}),
    ("fft", X, {"norm": "other"}),
    ("fft", X, {"norm": ""}),
    ("fft", X, {"norm": 3}),
    ("fft", X, {"norm": []}),
    ("fft", X, {"workers": 0}),
    ("fft", X, {"workers": FEWEST_WORKERS - 1}),
    ("fft", X, {"workers": "all"}),
    ("fft", X, {"n": 0, "workers": 1, "norm": "backward"}),
    ("ifft", EMPTY, {}),
    ("fft", np.float32(3), {}),
    ("fft", [[1], [1, 2]], {}),
    ("fft", "abc", {}),
    ("fftn", X, {"s": (0, 4)}),
    ("fftn", X, {"s": (-2, 4)}),
    ("fftn", X, {"s": (2, 2, 2)}),
    ("fftn", X, {"s": (2,), "axes": (0, 1)}),
    ("fftn", X, {"s": (1.5, 2)}),
    ("fftn", X, {"s": 2.0}),
    ("fftn", X, {"s": "ab"}),
    ("fftn", X, {"axes": (0, 0)}),
    ("fftn", X, {"axes": (0, -2)}),
    ("fftn", X, {"axes": (0, 5)}),
    ("fftn", X, {"axes": (-3,)}),
    ("fftn", X, {"axes": 0.5}),
    ("fftn", X, {"axes": "ab"}),
    ("ifftn", X, {"norm": "other"}),
    ("ifftn", X, {"axes": (), "workers": 0}),
    ("fftn", EMPTY, {}),
    ("fft2", X[0], {}),
    ("fft2", X, {"s": (4,)}),
    ("ifft2", X, {"axes": (1, 1)}),
]
# Here the kind of error is the same, and the words are our own or the interpreter's.
SAME_TYPE_ONLY = [
    ("fft", X, {"n": 2.5}),
    ("fft", X, {"workers": 1.5}),
    ("fft", X, {"plan": 1}),
    ("fftn", X, {"plan": 1}),
]


def error_of(function, *args, **options):
    with pytest.raises(Exception) as caught:
        function(*args, **options)
    return caught


@pytest.mark.parametrize(("name", "x", "options"), SAME_TYPE_ONLY)
def test_type_of_error_is_scipys(device, name, x, options):
    theirs = error_of(getattr(scipy.fft, name), x, **options)
    ours = error_of(getattr(pyclfft, name), x, **options)
    assert issubclass(ours.type, theirs.type)


@pytest.mark.parametrize(("name", "x", "options"), ERRORS)
def test_error_is_scipys(device, name, x, options):
    theirs = error_of(getattr(scipy.fft, name), x, **options)
    ours = error_of(getattr(pyclfft, name), x, **options)
    assert issubclass(ours.type, theirs.type)
    assert str(ours.value) == str(theirs.value)


# --- properties -----------------------------------------------------------------------------------


@pytest.fixture(params=[64, 60, 62])  # a power of two, other codelets, and none: 31 is prime
def n(request):
    return request.param


@pytest.fixture(params=COMPLEX, ids=["single", "double"])
def dtype(request, device):
    require(device, request.param)
    return request.param


@pytest.fixture
def limit(n, dtype):
    return bound(algorithm_for([n]), dtype, n)


@pytest.fixture
def x(n, dtype):
    return noise(n, dtype)


def test_linearity(device, x, limit):
    other, a, b = noise(x.shape, x.dtype, seed=1), x.dtype.type(2), x.dtype.type(-0.5)
    apart = a * pyclfft.fft(x) + b * pyclfft.fft(other)
    assert relative_error(pyclfft.fft(a * x + b * other), apart) <= 3 * limit


def test_impulse(device, n, dtype, limit):
    """Every impulse becomes a wave: row j of the identity, exp(-2 pi i j k / n)."""
    k = np.arange(n)
    waves = np.exp(-2j * np.pi * (np.outer(k, k) % n) / n)
    result = pyclfft.fft(np.eye(n, dtype=dtype))
    assert np.abs(result - waves).max() <= 4 * limit
    if is_smooth(n):  # no convolution
        np.testing.assert_array_equal(result[0], np.ones(n))


def test_constant(device, n, dtype, limit):
    result = pyclfft.fft(np.ones(n, dtype))
    assert relative_error(result, n * np.eye(1, n)[0]) <= limit


@pytest.mark.parametrize("shift", [1, 7, 32])
def test_shift(device, x, n, limit, shift):
    wave = np.exp(-2j * np.pi * (shift * np.arange(n) % n) / n)
    shifted = pyclfft.fft(np.roll(x, shift))
    assert relative_error(shifted, wave * pyclfft.fft(x)) <= 3 * limit


def test_parseval(device, x, n, limit):
    energy = np.linalg.norm(pyclfft.fft(x).astype(complex)) / np.sqrt(n)
    assert energy == pytest.approx(np.linalg.norm(x.astype(complex)), rel=2 * limit)


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
def test_round_trip(device, x, limit, norm):
    there = pyclfft.fft(x, norm=norm)
    assert relative_error(pyclfft.ifft(there, norm=norm), x) <= 2 * limit


def test_round_trip_of_an_image(device):
    x = noise((3, 32, 40), np.complex64)
    back = pyclfft.ifft2(pyclfft.fft2(x))
    assert relative_error(back, x) <= 2 * bound("stockham", x.dtype, 32 * 40)


def test_real_input_has_a_symmetric_spectrum(device, x, limit):
    spectrum = pyclfft.fft(x.real)
    mirrored = np.roll(spectrum[::-1], 1).conj()
    assert relative_error(mirrored, spectrum) <= 2 * limit


def swapped(z):
    """With real and imaginary parts swapped."""
    return z.conj() * z.dtype.type(1j)


def test_inverse_is_forward_between_two_reflections(device, x):
    """To the last bit, the same operations in the same order: at the diagonal or the real axis.

    The latter, conjugates, is what lanes.cl does.
    """
    inverse = pyclfft.ifft(x, norm="forward")
    expected = [reflect(pyclfft.fft(reflect(x))) for reflect in (swapped, np.conj)]
    assert any(np.array_equal(inverse, each) for each in expected)


def test_inverse_is_forward_of_the_conjugate(device, x, limit):
    expected = pyclfft.fft(x.conj()).conj()
    assert relative_error(pyclfft.ifft(x, norm="forward"), expected) <= 2 * limit


def test_the_same_bits_every_time(device, x):
    first = pyclfft.fft(x)
    pyclfft.fft(noise(x.shape, x.dtype, seed=5))
    pyclfft.clear_cache()
    np.testing.assert_array_equal(pyclfft.fft(x).view(np.uint8), first.view(np.uint8))


@pytest.mark.parametrize("poison", [np.nan, np.inf])
def test_nan_and_inf_spread_over_their_row_alone(device, n, dtype, poison):
    x = noise((3, n), dtype)
    clean = pyclfft.fft(x)
    x[1, n // 3] = poison
    result = pyclfft.fft(x)
    assert not np.isfinite(result[1]).any()
    np.testing.assert_array_equal(result[[0, 2]], clean[[0, 2]])
