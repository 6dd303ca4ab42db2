"""Too little memory, failed launches, interrupts, and many threads and processes at once."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pyopencl.elementwise
import pytest
import scipy.fft

import pyclfft
from pyclfft import DeviceError, DeviceMemoryError, PlanError
from tests.conftest import place_of
from tests.oracle import noise, relative_error

TIMEOUT = 180  # seconds until a hanging test gives up
SINGLE = 2e-6  # bound of the relative error


# --- memory ---------------------------------------------------------------------------------------


@pytest.fixture
def little_memory(change_traits):
    """A device with room for 48 KiB, and plans made anew before and behind."""
    pyclfft.clear_cache()
    change_traits(global_mem_bytes=49152, max_alloc_bytes=32768)
    yield
    pyclfft.clear_cache()


@pytest.mark.one_cpu
@pytest.mark.parametrize("place", ["host", "device"])
@pytest.mark.parametrize(
    ("name", "shape", "options"),
    [
        ("fft", (100, 64), {}),
        ("ifft", (64, 60), {"axis": 0}),
        ("fft", (2, 64, 3, 9), {"axis": 1, "n": 100}),
        ("fft2", (19, 16, 16), {}),
        ("rfft", (133, 100), {"n": 128}),
        ("irfft", (133, 51), {}),
        ("dct", (150, 64), {"type": 1}),
        ("fft", (5, 7, 1024), {}),  # along both axes: 5 transforms are too many
        ("fft", (100, 67), {"norm": "ortho"}),  # Bluestein's algorithm, with workspace
    ],
)
def test_batches_are_parted(device, queue, little_memory, place, name, shape, options):
    real = name in ("rfft", "dct")
    x = noise(shape, np.float32 if real else np.complex64)
    expected = getattr(scipy.fft, name)(x.astype("f8" if real else "c16"), **options)
    with pytest.raises(DeviceMemoryError):
        pyclfft.Plan(shape if name != "irfft" else (133, 100), x.dtype, context=queue.context)
    given = cl_array.to_device(queue, x) if place == "device" else x
    result = getattr(pyclfft, name)(given, **options)
    assert type(result) is type(given)
    values = result.get() if place == "device" else result
    assert values.shape == expected.shape
    assert values.dtype == (np.complex64 if expected.dtype.kind == "c" else np.float32)
    assert relative_error(values, expected) < SINGLE
    if place == "device":
        assert pyclfft.cache_info().plans.size >= 1  # of the parts


def test_parts_of_an_array_without_a_queue(queue, little_memory):
    x = noise((100, 64), np.complex64)
    there = cl_array.to_device(queue, x)
    queue.finish()
    result = pyclfft.fft(there.with_queue(None))
    assert relative_error(result.with_queue(queue).get(), np.fft.fft(x)) < SINGLE


def test_what_cannot_be_parted_on_the_device(queue, little_memory):
    for shape in (4096, (1, 4096), (8, 4096)):
        x = cl_array.to_device(queue, np.ones(shape, "c8"))
        with pytest.raises(DeviceMemoryError, match=r"needs 65,536.*49,152.*32,768") as error:
            pyclfft.fft(x)
        assert isinstance(error.value, MemoryError)
    with pytest.raises(DeviceMemoryError):
        pyclfft.fft2(cl_array.to_device(queue, np.ones((64, 64), "c8")))


def test_parts_when_the_runtime_refuses(queue, monkeypatch):
    """As where other programs have most of the memory, which no plan can foresee."""
    x = cl_array.to_device(queue, noise((32, 4096), np.complex64))
    expected = pyclfft.fft(x).get()
    run = pyclfft.Plan.__call__
    shapes = []

    def refusing(plan, given, *args, **options):
        shapes.append(given.shape)
        if given.shape[0] > 10:
            raise DeviceMemoryError("did not allocate")
        return run(plan, given, *args, **options)

    monkeypatch.setattr(pyclfft.Plan, "__call__", refusing)
    np.testing.assert_array_equal(pyclfft.fft(x).get(), expected)
    assert [shape[0] for shape in shapes] == [32, 16, 8, 8, 8, 8]


# --- failed launches ------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [64, 2**15])  # on copies and where the arrays are
def test_an_event_that_fails(queue, n):
    """Neither a call nor what follows returns what the kernels have not computed."""
    x = noise((4, n), np.complex64)
    plan = pyclfft.Plan(x.shape, x.dtype, axes=1, context=queue.context)
    expected = plan(x)
    failing = cl.UserEvent(queue.context)
    timer = threading.Timer(0.1, failing.set_status, [-5])
    timer.start()
    with pytest.raises(DeviceError, match=r"did not finish.*wait_for="):
        plan(x, wait_for=[failing])
    timer.join()
    np.testing.assert_array_equal(plan(x), expected)


def test_an_event_that_has_failed(queue):
    """Nothing is launched behind it: PoCL would wait for ever."""
    x = cl_array.to_device(queue, noise((4, 64), np.complex64))
    spectrum = pyclfft.fft(x)
    expected = spectrum.get()
    failed = cl.UserEvent(queue.context)
    failed.set_status(-5)
    x.add_event(failed)
    for given in (x, x[1:], x[:, ::2]):
        with pytest.raises(DeviceError, match=r"status -5.*do again"):
            pyclfft.fft(given)
    x.events.remove(failed)
    np.testing.assert_array_equal(pyclfft.fft(x).get(), expected)


class Lost(cl.RuntimeError):
    """An error as pyopencl raises it where a driver has lost the device."""

    code = -9999


@pytest.mark.parametrize("n", [64, 2**13])
def test_a_launch_that_fails(queue, monkeypatch, n):
    x = noise((4, n), np.complex64)
    expected = pyclfft.fft(x)
    for given in (x, cl_array.to_device(queue, x)):
        with monkeypatch.context() as patch:

            def lost(*args, **options):
                raise Lost("clEnqueueNDRangeKernel failed")

            patch.setattr(cl, "enqueue_nd_range_kernel", lost)
            with pytest.raises(DeviceError, match="new process"):
                pyclfft.fft(given)
    np.testing.assert_array_equal(pyclfft.fft(x), expected)


OTHER_OPERATIONS = {
    "filter_image": lambda x: pyclfft.filter_image(x, "lowpass", 9),
    "stft": lambda x: pyclfft.stft(x[0], 64),
    "spectrogram": lambda x: pyclfft.spectrogram(x[0], 64),
}


@pytest.mark.parametrize("name", OTHER_OPERATIONS)
def test_a_launch_of_another_operation_that_fails(queue, monkeypatch, name):
    x = noise((64, 64), np.float32)
    expected = OTHER_OPERATIONS[name](x)
    for given in (x, cl_array.to_device(queue, x)):
        with monkeypatch.context() as patch:

            def lost(*args, **options):
                raise Lost("clEnqueueNDRangeKernel failed")

            patch.setattr(cl, "enqueue_nd_range_kernel", lost)
            with pytest.raises(DeviceError, match="new process"):
                OTHER_OPERATIONS[name](given)
    np.testing.assert_array_equal(OTHER_OPERATIONS[name](x), expected)


# --- queues and contexts --------------------------------------------------------------------------

ANY_QUEUE = {
    "in order": 0,
    "out of order": cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE,
}


@pytest.mark.parametrize("order", ANY_QUEUE)
def test_results_meet_pyopencls_own_kernels_without_a_wait(device, queue, order):
    other = cl.CommandQueue(queue.context, properties=ANY_QUEUE[order])
    host = noise((64, 256), np.float32)
    for name in ("fft", "rfft", "dct", "dstn", "ihfft", "fftshift"):
        x = cl_array.to_device(other, host)
        doubled = 2 * getattr(pyclfft, name)(x) + 1  # elementwise kernels
        reference = getattr(scipy.fft, name)(host.astype("f8"))
        assert relative_error(doubled.get(), 2 * reference + 1) < SINGLE
        back = getattr(pyclfft, name)(2 * x)
        assert relative_error(back.get(), 2 * reference) < SINGLE
    # A kernel of the user's own is told to wait, as pyopencl has it.
    spectrum = pyclfft.fft(cl_array.to_device(other, host))
    square = pyopencl.elementwise.ElementwiseKernel(
        other.context, "float *power, cfloat_t *z", "power[i] = cfloat_abs_squared(z[i])"
    )
    power = cl_array.empty(other, host.shape, np.float32)
    square(power, spectrum, wait_for=spectrum.events + power.events)
    expected = np.abs(np.fft.fft(host.astype("f8"))) ** 2
    other.finish()
    assert relative_error(power.get(), expected) < 2 * SINGLE


@pytest.mark.one_cpu
def test_functions_take_the_context_of_their_array(device, other_context):
    host = noise((8, 12), np.float32)
    there = cl_array.to_device(cl.CommandQueue(other_context), host)
    for name in ("rfft2", "dctn", "idst", "hfft", "ifftshift"):
        result = getattr(pyclfft, name)(there)
        assert result.context == other_context
        assert relative_error(result.get(), getattr(scipy.fft, name)(host.astype("f8"))) < SINGLE


def test_plans_of_any_kind_refuse_another_context(device, queue, other_context):
    there = cl_array.to_device(cl.CommandQueue(other_context), noise((8, 12), np.float32))
    for kind in ("r2c", "dct2", "dst1"):
        plan = pyclfft.Plan((8, 12), "float32", 1, kind, context=queue.context)
        with pytest.raises(PlanError, match="another context"):
            plan(there)


# --- threads and processes ------------------------------------------------------------------------

MIXED = [
    ("fft", (64,)), ("fft", (5, 1000)), ("ifft2", (2, 48, 34)), ("rfft", (3, 101)),
    ("irfft", (6, 33)), ("rfftn", (4, 6, 8)), ("hfft", (4, 20)), ("dct", (7, 32)),
    ("idst", (2, 45)), ("dctn", (12, 10)), ("fft", (2, 8192)), ("fftn", (3, 5, 7)),
]  # fmt: skip
REAL = ("rfft", "rfftn", "dct", "idst", "dctn")


def test_sixteen_threads_with_calls_of_all_kinds(device):
    """The first calls too: plans, programs and tables are made by whoever comes first."""
    inputs, expected = [], []
    for name, shape in MIXED:
        x = noise(shape, np.float32 if name in REAL else np.complex64)
        inputs.append(x)
        expected.append(getattr(scipy.fft, name)(x.astype("f8" if name in REAL else "c16")))
    begin = threading.Barrier(16)
    pyclfft.clear_cache()

    def work(number):
        begin.wait(TIMEOUT)
        for step in range(24):
            which = (number * 5 + step) % len(MIXED)
            result = getattr(pyclfft, MIXED[which][0])(inputs[which])
            assert relative_error(result, expected[which]) < SINGLE, MIXED[which]
        return True

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(work, range(16))) == [True] * 16


SPAWN = """
import multiprocessing, sys
import numpy as np
import pyclfft

def work(number):
    pyclfft.use_device(sys.argv[1])
    return pyclfft.fft(np.full((2, 100), number, "c8"))[1, 0].real

if __name__ == "__main__":
    work(1)
    with multiprocessing.get_context(sys.argv[2]).Pool(2) as pool:
        print(pool.map(work, range(4)))
"""


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_after_the_first_use(device, tmp_path, method):
    if method == "forkserver" and sys.platform == "win32":
        pytest.skip("Windows does not fork")
    script = tmp_path / "script.py"
    script.write_text(SPAWN)
    done = subprocess.run(
        [sys.executable, script, place_of(device), method],
        capture_output=True, text=True, timeout=TIMEOUT, check=False,
    )  # fmt: skip
    assert "[" in done.stdout, done.stderr
    numbers = done.stdout.strip().rpartition("[")[2].rstrip("]").split(",")
    assert [float(each.strip().removeprefix("np.float32(").rstrip(")")) for each in numbers] == [
        0, 100, 200, 300
    ]  # fmt: skip


INTERRUPT = """
import random, signal, sys
import numpy as np
import pyclfft

pyclfft.use_device(sys.argv[1])
rng = np.random.default_rng(0)
inputs = [rng.random(shape, "f4") for shape in ((64,), (5, 1000), (256, 1024), (3, 101))]
names = ("fft", "rfft", "dct")
expected = {(name, n): getattr(pyclfft, name)(x) for name in names for n, x in enumerate(inputs)}

is_armed = False

def stop(*_):
    # The system may give the signal to a thread of the runtime. Python then hears of it late, when
    # the call that it was to interrupt is over.
    global is_armed
    if is_armed:
        is_armed = False
        raise KeyboardInterrupt

signal.signal(signal.SIGALRM, stop)
stopped = 0
for step in range(400):
    if step % 100 == 0:
        pyclfft.clear_cache()
    name, n = random.choice(names), random.randrange(len(inputs))
    try:
        is_armed = True
        signal.setitimer(signal.ITIMER_REAL, random.choice((1e-5, 1e-4, 3e-4, 1e-3)))
        getattr(pyclfft, name)(inputs[n])
        is_armed = False
    except KeyboardInterrupt:
        stopped += 1
    signal.setitimer(signal.ITIMER_REAL, 0)
    for (name, n), known in expected.items():
        if n == step % len(inputs):
            assert np.array_equal(getattr(pyclfft, name)(inputs[n]), known), (step, name, n)
print("stopped", stopped)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no interval timers")
def test_interrupts_leave_no_broken_state(device):
    """Control-C at any moment of a call or of its planning: the next calls are right."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPT, place_of(device)],
        capture_output=True, text=True, timeout=TIMEOUT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split("stopped")[1]) > 40


@pytest.mark.parametrize(
    "call",
    [
        lambda queue: pyclfft.filter_image(np.ones((8, 8)), "lowpass", 2, queue=queue),
        lambda queue: pyclfft.filter_mask((8, 8), "lowpass", 2, queue=queue),
        lambda queue: pyclfft.stft(np.ones(64), 16, queue=queue),
        lambda queue: pyclfft.istft(np.ones((9, 5), complex), queue=queue),
        lambda queue: pyclfft.spectrogram(np.ones(64), 16, queue=queue),
        lambda queue: pyclfft.chroma(np.ones(4096), 8000.0, queue=queue),
        lambda queue: pyclfft.notes(np.ones(9000), 8000.0, queue=queue),
        lambda queue: pyclfft.StreamingSTFT(16, queue=queue),
        lambda queue: pyclfft.Plan(8, "complex64")(np.ones(8, "complex64"), queue=queue),
    ],
)
@pytest.mark.parametrize("queue", ["gpu", 0, object()])
def test_what_is_no_queue_is_refused(call, queue):
    with pytest.raises(PlanError, match=r"queue must be a pyopencl\.CommandQueue, not \w+: "):
        call(queue)
