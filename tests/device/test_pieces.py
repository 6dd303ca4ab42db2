"""Host arrays that go through the device in pieces, against SciPy in long double."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np
import pyopencl.array as cl_array
import pytest
import scipy.fft

import pyclfft
from pyclfft import selftest_memory
from pyclfft.errors import DeviceMemoryError, PlanError
from pyclfft.runtime import conveyor, limit, pieces
from tests.conftest import place_of
from tests.oracle import FUNCTIONS, algorithm_for, bound, noise, of_few, relative_error

PRECISIONS = ["single", "double"]
INPUT = {"single": ("f4", "c8"), "double": ("f8", "c16")}
TIMEOUT = 180  # seconds until a hanging test gives up


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    """Chunks so small that pieces have several."""
    monkeypatch.setattr(conveyor, "CHUNK_BYTES", 4096)
    monkeypatch.setattr(pieces, "FEW_BYTES", 1024)


@pytest.fixture(params=PRECISIONS)
def precision(request):
    if request.param == "double":
        request.getfixturevalue("fp64")
    return request.param


def wide(x):
    return np.asarray(x).astype(np.clongdouble if np.dtype(x.dtype).kind == "c" else np.longdouble)


def expected_of(x, axes, kind, direction="forward", norm="backward", s=None):
    """The transform by SciPy in NumPy's longest float."""
    if kind[:3] in ("dct", "dst"):
        names = {"forward": kind[:3] + "n", "inverse": "i" + kind[:3] + "n"}
        return getattr(scipy.fft, names[direction])(wide(x), int(kind[3]), s, axes, norm)
    function = FUNCTIONS[kind, direction]
    return getattr(scipy.fft, function)(wide(x), s, axes, norm)


def input_of(kind, shape, precision, seed=0):
    real, cplx = INPUT[precision]
    return noise(shape, cplx if kind in ("c2c", "c2r") else real, seed)


def agrees(result, expected, lengths, factor=1.0):
    """Require the error bound of an in-core transform; a row that is cut is two transforms."""
    points = int(np.prod(lengths))
    allowed = bound(algorithm_for(lengths), result.dtype, points) * factor
    assert result.shape == expected.shape
    assert relative_error(result, expected) < allowed * of_few(result.size)


# shape, axes, s: batches along either axis, several axes, cropped and padded
SHAPES = [
    ((100, 64), (1,), None),
    ((64, 60, 7), (0,), (70,)),
    ((5, 40, 6), (1,), (33,)),
    ((16, 18, 20), (0, 1, 2), None),
    ((16, 18, 20), (0, 1, 2), (20, 10, 24)),
    ((16, 18, 20), (2, 0), None),
    ((4, 6, 8, 10), (3, 1, 0), None),
    ((37, 41), (0, 1), None),
]
KINDS = [("c2c", "forward"), ("c2c", "inverse"), ("r2c", "forward"), ("r2c", "inverse"),
         ("c2r", "forward"), ("c2r", "inverse"), ("dct2", "forward"), ("dst3", "inverse"),
         ("dct1", "forward")]  # fmt: skip


@pytest.mark.parametrize(("shape", "axes", "s"), SHAPES)
@pytest.mark.parametrize(("kind", "direction"), KINDS)
@pytest.mark.one_cpu
def test_arrays(device, precision, kind, direction, shape, axes, s):
    x = input_of(kind, shape, precision)
    norm = ("backward", "ortho", "forward")[(KINDS.index((kind, direction)) + len(shape)) % 3]
    kept = x.copy()
    expected = expected_of(x, axes, kind, direction, norm, s)
    result = pyclfft.transform_in_pieces(
        x, None, axes, kind, direction, norm, s=s, max_device_bytes=60_000
    )
    lengths = [expected.shape[axis] if kind != "r2c" else (s or [shape[a] for a in axes])[0]
               for axis in axes]  # fmt: skip
    assert result.dtype == INPUT[precision][expected.dtype.kind == "c"]
    agrees(result, expected, lengths, 1.5)
    np.testing.assert_array_equal(x, kept)


@pytest.mark.parametrize(("limit", "least"), [(10**6, 1), (60_000, 3), (24_000, 7), (22_000, 8)])
def test_number_of_pieces(device, monkeypatch, counted, limit, least):
    """One, several and many; the last ones are shorter."""
    monkeypatch.setattr(pieces, "FEW_BYTES", 2**20)
    x = noise((50, 64), "c8")
    result = pyclfft.transform_in_pieces(x, axes=1, max_device_bytes=limit)
    agrees(result, expected_of(x, (1,), "c2c"), [64])
    (count,) = counted
    assert least <= count <= (1 if limit == 10**6 else 50)


# --- one long row ---------------------------------------------------------------------------------


@pytest.mark.one_cpu
@pytest.mark.parametrize("length", [4096, 4095, 4026, 33 * 35, 63 * 64, 61 * 59])
@pytest.mark.parametrize(("kind", "direction"), KINDS[:6])
def test_long_row(device, precision, kind, direction, length):
    x = input_of(kind, length // 2 + 1 if kind == "c2r" else length, precision)
    expected = expected_of(x, (0,), kind, direction, "ortho", (length,))
    memory = 28_000 if precision == "single" else 56_000
    result = pyclfft.transform_in_pieces(
        x, None, 0, kind, direction, "ortho", s=length, max_device_bytes=memory
    )
    agrees(result, expected, [length, 61], 1.2)


@pytest.fixture
def square(monkeypatch):
    """Short runs will do; the shapes of the rows that are transformed in place."""
    monkeypatch.setattr(pieces, "LEAST_RUN", 4)
    shapes = []
    run = pieces.SquareRow.run

    def noting(self, *arguments):
        shapes.append(self.shape)
        run(self, *arguments)

    monkeypatch.setattr(pieces.SquareRow, "run", noting)
    return shapes


@pytest.mark.one_cpu
@pytest.mark.parametrize("length", [2**14, 16 * 16 * 9 * 5, 7**4 * 5])
@pytest.mark.parametrize("direction", ["forward", "inverse"])
@pytest.mark.parametrize("given", ["real", "complex", "strided", "padded"])
def test_row_with_a_square_factor(device, precision, square, length, direction, given):
    """It needs no memory on the host beside the result, and may be in place."""
    real, cplx = INPUT[precision]
    x = noise(length, real if given == "real" else cplx)
    if given == "strided":
        x = noise((length, 2), cplx)[::-1, 1]
    if given == "padded":
        x = x[: length - 100]
    memory = 150_000 if precision == "single" else 300_000
    expected = expected_of(x, (0,), "c2c", direction, "ortho", (length,))
    options = {"direction": direction, "norm": "ortho", "max_device_bytes": memory}
    result = pyclfft.transform_in_pieces(x, s=length, **options)
    assert len(square) == 1
    agrees(result, expected, [length], 1.2)
    if given in ("complex", "strided"):
        assert pyclfft.transform_in_pieces(x, x, **options) is x
        np.testing.assert_array_equal(x, result)


def test_long_rows_with_a_square_factor_of_an_array(device, square):
    x = noise((2, 11520, 3), "c8")
    result = pyclfft.transform_in_pieces(x, axes=1, max_device_bytes=150_000)
    assert len(square) == 6
    agrees(result, expected_of(x, (1,), "c2c"), [11520])


@pytest.mark.parametrize(("shape", "axis", "n"), [((3, 5000, 2), 1, None), ((2, 3000), 1, 3600)])
def test_long_rows_of_an_array(device, precision, shape, axis, n):
    x = input_of("c2c", shape, precision)
    with pyclfft.limit_device_memory(30_000):
        result = pyclfft.fft(x, n, axis)
    agrees(result, scipy.fft.fft(wide(x), n, axis), [result.shape[axis]])


def test_equal_runs_are_equal_to_the_bit(device):
    """Even where bins of half a spectrum come from two places."""
    x = noise(4096, "f4")
    with pyclfft.limit_device_memory(16_000):
        results = [pyclfft.rfft(x) for _ in range(4)]
    for each in results[1:]:
        np.testing.assert_array_equal(each, results[0])


def test_a_prime_row_has_no_factors(device):
    with (
        pyclfft.limit_device_memory(16_000),
        pytest.raises(DeviceMemoryError, match=r"4,099.*another length.*allow more memory"),
    ):
        pyclfft.fft(noise(4099, "c8"))


def test_cosine_rows_cannot_be_cut(device):
    with (
        pyclfft.limit_device_memory(16_000),
        pytest.raises(DeviceMemoryError, match="cosine and sine transforms cannot cut a row"),
    ):
        pyclfft.dct(noise(4096, "f4"))


# --- functions of scipy.fft -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "shape", "options"),
    [
        ("fft", (100, 64), {}),
        ("ifft", (64, 60), {"axis": 0, "norm": "ortho"}),
        ("fft2", (60, 70), {}),
        ("fftn", (16, 18, 20), {"s": (16, 20, 20)}),
        ("rfft", (133, 100), {"n": 128}),
        ("irfft", (133, 51), {}),
        ("rfftn", (16, 18, 20), {}),
        ("irfftn", (16, 18, 11), {}),
        ("hfft", (100, 33), {}),
        ("ihfft", (100, 64), {}),
        ("dctn", (100, 70), {"type": 3}),
        ("idst", (150, 64), {"type": 1}),
        ("fft", (2**14,), {}),
        ("rfft", (2**14,), {}),
    ],
)
@pytest.mark.parametrize("why", ["limit", "device"])
def test_functions(device, change_traits, counted, why, name, shape, options):
    real = name in ("rfft", "rfftn", "ihfft", "dctn", "idst")
    x = noise(shape, "f4" if real else "c8")
    pyclfft.clear_cache()
    if why == "device":
        change_traits(global_mem_bytes=46_000, max_alloc_bytes=30_000)
        result = getattr(pyclfft, name)(x, **options)
    else:
        with pyclfft.limit_device_memory(36_000):
            result = getattr(pyclfft, name)(x, **options)
    pyclfft.clear_cache()
    expected = getattr(scipy.fft, name)(wide(x), **options)
    assert result.dtype == ("c8" if expected.dtype.kind == "c" else "f4")
    agrees(result, expected, result.shape, 1.2)
    assert counted


@pytest.mark.parametrize("name", ["fft", "fft2", "fftn", "rfft"])
@pytest.mark.parametrize("limit", [2**17, 2**19])
def test_buffers_stay_below_the_limit(device, monkeypatch, counted, name, limit):
    """All buffers that live at one time, of the second call: pinned memory of the host exists."""

    class Most(selftest_memory.Counter):
        most = 0

        def add(self, buffers, nbytes):
            super().add(buffers, nbytes)
            self.most = max(self.most, self.nbytes)

    monkeypatch.setattr(selftest_memory, "Counter", Most)
    x = noise((64, 64, 64), "f4" if name == "rfft" else "c8")
    with pyclfft.limit_device_memory(limit):
        getattr(pyclfft, name)(x)
        with selftest_memory.counted_buffers() as counter:
            result = getattr(pyclfft, name)(x)
    agrees(result, getattr(scipy.fft, name)(wide(x)), [64, 64, 64])
    assert counted
    assert 0 < counter.most <= limit


def test_what_fits_goes_at_once(device, counted):
    x = noise((10, 64), "c8")
    with pyclfft.limit_device_memory(2**20):
        pyclfft.fft(x)
    pyclfft.fft(x)
    assert not counted


# --- inputs and results ---------------------------------------------------------------------------


def layouts():
    big = noise((40, 90, 3), "c16")
    return {
        "transposed": big[:, :, 0].T,
        "reversed": big[::-1, ::-1, 1],
        "every_other": big[::2, 1::3, 2],
        "fortran": np.asfortranarray(big[:, :, 0]),
    }


@pytest.mark.parametrize("layout", layouts())
@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1)])
def test_inputs_that_are_not_contiguous(device, fp64, layout, axes):
    x = layouts()[layout]
    out = np.full(x.shape[::-1], np.nan, "c16").T  # neither is the result
    pyclfft.transform_in_pieces(x, out, axes, max_device_bytes=20_000)
    agrees(out, expected_of(x, axes, "c2c"), [x.shape[axis] for axis in axes])


@pytest.mark.parametrize("dtype", ["f2", "i2", "u1", ">f4", ">c8", "?"])
def test_inputs_are_converted_piece_by_piece(device, fp64, dtype):
    x = (noise((60, 64), "c8") * 100).real.astype(dtype)
    expected = np.fft.fft(x.astype("c16"))
    result = pyclfft.transform_in_pieces(x, axes=1, max_device_bytes=20_000)
    assert result.dtype == pyclfft.fft(x).dtype
    agrees(result, expected, [64])


@pytest.mark.parametrize(
    ("shape", "axes"), [((100, 64), (1,)), ((20, 18, 16), (0, 1, 2)), ((4096,), (0,))]
)
def test_in_place(device, shape, axes):
    x = noise(shape, "c8")
    expected = expected_of(x, axes, "c2c")
    assert pyclfft.transform_in_pieces(x, x, axes, max_device_bytes=20_000) is x
    agrees(x, expected, [shape[axis] for axis in axes])


def test_cosine_transform_in_place(device):
    x = noise((30, 40), "f4")
    expected = expected_of(x, (0, 1), "dct2")
    pyclfft.transform_in_pieces(x, x, kind="dct2", max_device_bytes=6_000)
    agrees(x, expected, [30, 40])


@pytest.mark.parametrize(
    ("kind", "shape", "axes"),
    [("c2c", (100, 64), (1,)), ("c2c", (20, 18, 16), (0, 1, 2)), ("r2c", (4096,), (0,)),
     ("c2r", (20, 18, 9), (0, 1, 2)), ("c2c", (4096,), (0,))],
)  # fmt: skip
def test_files(device, tmp_path, kind, shape, axes):
    x = np.memmap(tmp_path / "in", input_of(kind, shape, "single").dtype, "w+", shape=shape)
    x[...] = input_of(kind, shape, "single")
    expected = expected_of(x, axes, kind, "inverse" if kind == "c2r" else "forward")
    dtype = "f4" if kind == "c2r" else "c8"
    out = np.memmap(tmp_path / "out", dtype, "w+", shape=expected.shape)
    direction = "inverse" if kind == "c2r" else "forward"
    pyclfft.transform_in_pieces(x, out, axes, kind, direction, max_device_bytes=20_000)
    out.flush()
    stored = np.fromfile(tmp_path / "out", dtype).reshape(expected.shape)
    agrees(stored, expected, expected.shape)


@pytest.mark.parametrize(
    ("kind", "shape", "axes"),
    [("c2c", (100, 64), (1,)), ("c2c", (20, 18, 16), (0, 1, 2)), ("c2c", (4096,), (0,)),
     ("r2c", (3, 4096), (1,)), ("c2r", (2049,), (0,))],
)  # fmt: skip
def test_zarr(device, kind, shape, axes):
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    values = input_of(kind, shape, "single")
    direction = "inverse" if kind == "c2r" else "forward"
    expected = expected_of(values, axes, kind, direction)
    chunks = tuple(max(1, n // 3) for n in shape)
    x = zarr.zeros(shape=shape, chunks=chunks, dtype=values.dtype)
    x[...] = values
    out = zarr.zeros(
        shape=expected.shape,
        chunks=tuple(max(1, n // 3) for n in expected.shape),
        dtype="f4" if kind == "c2r" else "c8",
    )
    given = pyclfft.transform_in_pieces(x, out, axes, kind, direction, max_device_bytes=20_000)
    assert given is out
    agrees(out[...], expected, expected.shape)


def test_nothing_and_padding_of_nothing(device):
    assert pyclfft.transform_in_pieces(np.ones((0, 8), "c8"), axes=1).shape == (0, 8)
    result = pyclfft.transform_in_pieces(np.ones((3, 0), "c8"), axes=1, s=4)
    np.testing.assert_array_equal(result, np.zeros((3, 4)))


# --- refusals -------------------------------------------------------------------------------------


def test_refusals(device):
    x = noise((8, 8), "c8")
    read_only = np.empty((8, 8), "c8")
    read_only.flags.writeable = False
    for out, message in (
        (np.empty((8, 9), "c8"), r"must be complex64 of shape \(8, 8\), not complex64 of .*9"),
        (np.empty((8, 8), "c16"), "not complex128"),
        (read_only, "read-only"),
        (x[:], "overlaps x"),
        (x[::-1], "overlaps x"),
        (pyclfft.fft(np.ones((8, 8), "c8")).real, "not float32"),
    ):
        with pytest.raises(PlanError, match=message):
            pyclfft.transform_in_pieces(x, out)
    with pytest.raises(PlanError, match="positive"):
        pyclfft.transform_in_pieces(x, max_device_bytes=0)
    with pytest.raises(PlanError, match="r2c transforms real input"):
        pyclfft.transform_in_pieces(x, kind="r2c")
    with pytest.raises(PlanError, match="at least 1 axis"):
        pyclfft.transform_in_pieces(x, axes=())


def test_too_little_memory_for_any_piece(device):
    x = noise((8, 64), "c8")
    kept = x.copy()
    with pytest.raises(DeviceMemoryError, match="allow more memory"):
        pyclfft.transform_in_pieces(x, x, max_device_bytes=10)
    np.testing.assert_array_equal(x, kept)


def test_a_device_array_is_refused(queue):
    x = pyclfft.fft(np.ones(4, "c8"))
    with pytest.raises(PlanError, match="on the device already"):
        pyclfft.transform_in_pieces(cl_array.to_device(queue, x))


def test_limits_nest_and_are_of_one_thread(device):
    assert limit.max_device_bytes() is None
    with pyclfft.limit_device_memory(100):
        with pyclfft.limit_device_memory(None):
            assert limit.max_device_bytes() is None
        assert limit.max_device_bytes() == 100
        seen = []
        thread = threading.Thread(target=lambda: seen.append(limit.max_device_bytes()))
        thread.start()
        thread.join()
        assert seen == [None]
    for wrong in (0, -1):
        with pytest.raises(PlanError, match="positive"), pyclfft.limit_device_memory(wrong):
            pass
    with pytest.raises(TypeError), pyclfft.limit_device_memory(1.5):
        pass


@pytest.mark.parametrize(
    ("text", "shown"), [("4096", "4096"), ("much", "PYCLFFT_MAX_DEVICE_BYTES")]
)
def test_limit_of_the_environment(text, shown):
    code = "from pyclfft.runtime import limit\nprint(limit.max_device_bytes())"
    run = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYCLFFT_MAX_DEVICE_BYTES": text},
        capture_output=True, text=True, timeout=TIMEOUT,
    )  # fmt: skip
    assert shown in run.stdout + run.stderr


# --- failures and interrupts ----------------------------------------------------------------------


def test_smaller_pieces_where_the_runtime_refuses(device, monkeypatch):
    monkeypatch.setattr(pieces, "FEW_BYTES", 2**20)
    x = noise((64, 64), "c8")
    allocate, asked = conveyor.memory.allocate, []

    def refusing(context, nbytes):
        asked.append(nbytes)
        if nbytes > 2048:
            raise DeviceMemoryError("did not allocate")
        return allocate(context, nbytes)

    monkeypatch.setattr(conveyor.memory, "allocate", refusing)
    result = pyclfft.transform_in_pieces(x, axes=1, max_device_bytes=80_000)
    agrees(result, expected_of(x, (1,), "c2c"), [64])
    assert max(asked) > 2048 >= asked[-1]


class Failing:
    """An array that fails in the middle of being read."""

    def __init__(self, values, error):
        self.values, self.error, self.left = values, error, 5
        self.shape, self.dtype = values.shape, values.dtype

    def __getitem__(self, part):
        self.left -= 1
        if self.left < 0:
            raise self.error
        return self.values[part]


@pytest.mark.parametrize("error", [OSError("the disk is gone"), KeyboardInterrupt()])
def test_an_error_in_mid_run_comes_out_and_the_next_call_works(device, error):
    values = noise((64, 64), "c8")
    before = threading.active_count()
    with pytest.raises(type(error)):
        pyclfft.transform_in_pieces(Failing(values, error), axes=1, max_device_bytes=10_000)
    assert threading.active_count() == before
    result = pyclfft.transform_in_pieces(values, axes=1, max_device_bytes=10_000)
    agrees(result, expected_of(values, (1,), "c2c"), [64])


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
import pyclfft

x = np.ones((4000, 1024), "complex64")
class Slow:
    shape, dtype = x.shape, x.dtype
    def __getitem__(self, part):
        time.sleep(0.02)
        return x[part]

threading.Timer(1.5, os.kill, [os.getpid(), signal.SIGINT]).start()
begin = time.time()
try:
    pyclfft.transform_in_pieces(Slow(), axes=1, max_device_bytes=100_000)
except KeyboardInterrupt:
    print("interrupted", (x == 1).all(), time.time() - begin < 60)
print(pyclfft.fft(x[:2])[0, 0].real)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_control_c(device):
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=TIMEOUT,
        env={**os.environ, "PYCLFFT_DEVICE": place_of(device)},
    )  # fmt: skip
    assert run.stdout.split() == ["interrupted", "True", "True", "1024.0"], run.stderr


def test_threads_at_once(device):
    x = [noise((50, 64), "c8", seed) for seed in range(4)]
    results = [None] * 4

    def work(number):
        results[number] = pyclfft.transform_in_pieces(x[number], axes=1, max_device_bytes=10_000)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for given, result in zip(x, results, strict=True):
        agrees(result, expected_of(given, (1,), "c2c"), [64])


# --- image filters and short-time Fourier transforms ----------------------------------------------


@pytest.mark.one_cpu
@pytest.mark.parametrize("dtype", ["u1", "f4"])
@pytest.mark.parametrize(
    ("shape", "axes"), [((40, 20, 24), (1, 2)), ((20, 24, 40), (0, 1)), ((6, 5, 16, 18, 3), (2, 3))]
)
def test_stacks_of_images(device, counted, dtype, shape, axes):
    stack = (np.random.default_rng(0).random(shape) * 255).astype(dtype)
    expected = pyclfft.filter_image(stack, "lowpass", 4, axes=axes)
    assert not counted
    with pyclfft.limit_device_memory(120_000):
        result = pyclfft.filter_image(stack, "lowpass", 4, axes=axes)
    assert counted[0] > 1
    if dtype == "u1":
        assert np.abs(result.astype(int) - expected).max() <= 1  # at most one rounds otherwise
    else:
        assert relative_error(result, expected.astype("f8")) < 1e-6


def test_stacks_with_a_mask(device, counted):
    stack = noise((40, 16, 16), "f4")
    gains = pyclfft.filter_mask((16, 16), "highpass", 3).astype("f4") / 2
    expected = np.fft.ifft2(np.fft.fft2(stack.astype("f8")) * gains).real
    with pyclfft.limit_device_memory(60_000):
        result = pyclfft.filter_image(stack, mask=gains, axes=(1, 2))
    assert relative_error(result, expected) < 1e-6
    assert counted[0] > 1


@pytest.mark.parametrize("shape", [(20_000,), (3, 7000)])
def test_short_time_transforms(device, monkeypatch, shape):
    y = noise(shape, "f4")
    expected = pyclfft.stft(y, 256)
    asked = []
    real = pyclfft.audio.streaming.FrameStream._executable
    monkeypatch.setattr(
        pyclfft.audio.streaming.FrameStream,
        "_executable",
        lambda self, framing: asked.append(framing.frames) or real(self, framing),
    )
    with pyclfft.limit_device_memory(200_000):
        result = pyclfft.stft(y, 256)
    assert len(asked) > 3
    assert relative_error(result, expected.astype("c16")) < 1e-6
