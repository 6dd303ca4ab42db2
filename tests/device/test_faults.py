"""Faults at the boundary to OpenCL and to the disk: one clear error, or the right result.

After each fault the next call is right: nothing half made stays in a cache or on the disk.
"""

from __future__ import annotations

import os
import random
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest
import scipy.fft

import pyclfft
from pyclfft import files
from pyclfft.errors import BuildError, DeviceError, DeviceMemoryError
from pyclfft.planning import database
from pyclfft.planning.lookup import Entry, Identity
from pyclfft.runtime import describe, disk
from pyclfft.runtime.vendors import runtime_of
from tests.conftest import place_of
from tests.oracle import noise, relative_error

TIMEOUT = 180  # seconds until a hanging test gives up
LIMIT = 2e-6  # of the relative error
SHAPES = [(3, 2**15), (64, 67), (5, 12)]  # several launches; tables and workspace; a small one


class Refused(cl.MemoryError):
    """An error as pyopencl raises it where the device's memory is full."""

    code = cl.status_code.MEM_OBJECT_ALLOCATION_FAILURE


class Broken(cl.RuntimeError):
    """An error as pyopencl raises it where a driver refuses."""

    code = cl.status_code.OUT_OF_RESOURCES


class Nth:
    """A function that fails once, at its n-th call."""

    def __init__(self, function, n, error):
        self.function, self.left, self.error = function, n, error

    def __call__(self, *args, **options):
        self.left -= 1
        if self.left == 0:
            raise self.error
        return self.function(*args, **options)


@pytest.fixture
def cold(tmp_path, monkeypatch):
    """Empty caches, on disk and in memory."""
    monkeypatch.setenv("PYCLFFT_CACHE_DIR", str(tmp_path / "cache"))
    pyclfft.clear_cache()
    yield tmp_path / "cache"
    pyclfft.clear_cache()


def transform(given):
    """Plan and run; return the result on the host."""
    result = pyclfft.Plan(given.shape, given.dtype, axes=1)(given)
    return result.get() if isinstance(result, cl_array.Array) else result


def fail_at_each(patch, given, expected, errors):
    """Let the first call fail, then the second and so on, until there are no more; count errors."""
    raised = 0
    for n in range(1, 200):
        pyclfft.clear_cache()
        with pytest.MonkeyPatch.context() as patching:
            nth = patch(patching, n)
            try:
                result = transform(given)
            except errors:
                raised += 1
            else:
                assert relative_error(result, expected) < LIMIT
        assert relative_error(transform(given), expected) < LIMIT
        if nth.left > 0:
            return raised
    raise AssertionError("there is no end")


def stand_in(real, make):
    """Return a class in the place of pyopencl's, whose objects `make` makes."""

    class Kind(type):
        def __call__(cls, *args, **options):
            return make(*args, **options)

        def __instancecheck__(cls, value):
            return isinstance(value, real)

    return Kind(real.__name__, (), {})


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("place", ["host", "device"])
def test_each_allocation_in_turn(device, queue, place, shape):
    host = noise(shape, np.complex64)
    given = cl_array.to_device(queue, host) if place == "device" else host

    def patch(patching, n):
        nth = Nth(cl.Buffer, n, Refused("clCreateBuffer failed"))
        patching.setattr(cl, "Buffer", stand_in(cl.Buffer, nth))
        return nth

    raised = fail_at_each(patch, given, scipy.fft.fft(host.astype("c16")), DeviceMemoryError)
    assert raised or place == "host"  # where host arrays are used as they lie, nothing is allocated


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("place", ["host", "device"])
def test_each_launch_in_turn(device, queue, place, shape):
    host = noise(shape, np.complex64)
    given = cl_array.to_device(queue, host) if place == "device" else host

    def patch(patching, n):
        nth = Nth(cl.enqueue_nd_range_kernel, n, Broken("clEnqueueNDRangeKernel failed"))
        patching.setattr(cl, "enqueue_nd_range_kernel", nth)
        return nth

    errors = (DeviceError, DeviceMemoryError)
    raised = fail_at_each(patch, given, scipy.fft.fft(host.astype("c16")), errors)
    assert raised >= len(pyclfft.Plan(shape, "complex64", axes=1).passes)


@pytest.mark.one_cpu
def test_each_build_in_turn(device, cold):
    host = noise((3, 2**15), np.complex64)

    def patch(patching, n):
        pyclfft.clear_cache(disk=True)
        nth = Nth(cl._Program._build, n, Broken("clBuildProgram failed"))
        patching.setattr(cl._Program, "_build", lambda *args, **options: nth(*args, **options))
        return nth

    raised = fail_at_each(patch, host, scipy.fft.fft(host.astype("c16")), BuildError)
    assert raised or runtime_of(device).header  # a build without the runtime's header is repeated


def test_each_copy_in_turn(device, queue):
    host = noise((64, 67), np.complex64)
    given = cl_array.to_device(queue, host)
    copied = 0

    def patch(patching, n):
        nonlocal copied
        nth = Nth(cl.enqueue_copy, n, Broken("clEnqueueReadBuffer failed"))
        patching.setattr(cl, "enqueue_copy", nth)
        copied = n
        return nth

    errors = (DeviceError, DeviceMemoryError, cl.RuntimeError)  # the last one by get(), not by us
    fail_at_each(patch, given, scipy.fft.fft(host.astype("c16")), errors)
    assert copied


# --- a lost device --------------------------------------------------------------------------------


class Unavailable(cl.RuntimeError):
    """An error as pyopencl raises it where a device has been taken away."""

    code = cl.status_code.DEVICE_NOT_AVAILABLE


class Invalid(cl.LogicError):
    """An error as pyopencl raises it where a driver has ended a queue."""

    code = cl.status_code.INVALID_COMMAND_QUEUE


class Gone:
    """Lets all commands of one queue fail, from the first one of a kind on."""

    def __init__(self, patching, queue, kind, error):
        self.queue, self.error, self.is_lost = queue, error, False
        for name in ("enqueue_nd_range_kernel", "enqueue_copy", "enqueue_marker"):
            patching.setattr(cl, name, self.failing(getattr(cl, name), kind == name))
        patching.setattr(cl.CommandQueue, "finish", self.failing(cl.CommandQueue.finish, False))
        patching.setattr(cl.Event, "wait", self.failing(cl.Event.wait, kind == "wait"))

    def failing(self, function, is_first):
        def call(subject, *args, **options):
            queue = subject.command_queue if isinstance(subject, cl.Event) else subject
            if queue == self.queue:
                self.is_lost = self.is_lost or is_first
                if self.is_lost:
                    raise self.error
            return function(subject, *args, **options)

        return call


@pytest.fixture
def by_transfers(change_traits):
    """Let arrays be copied to the device and back, as where it has memory of its own."""
    pyclfft.clear_cache()
    change_traits(is_cpu=False, shared_buffers=False, system_svm=False)
    yield
    pyclfft.clear_cache()


@pytest.mark.parametrize("error", [Unavailable("gone"), Broken("gone"), Invalid("gone")])
@pytest.mark.parametrize("kind", ["enqueue_nd_range_kernel", "enqueue_copy", "wait"])
@pytest.mark.parametrize("size", [64, 2**15])
def test_a_lost_device(device, request, kind, error, size):
    """The call says so; what belonged to the queue is forgotten; other queues go on."""
    if kind == "enqueue_copy":
        request.getfixturevalue("by_transfers")
    x = noise((4, size), np.complex64)
    expected = scipy.fft.fft(x.astype("c16"))
    queue = pyclfft.default_queue()
    other = cl.CommandQueue(queue.context)
    plan = pyclfft.Plan(x.shape, x.dtype, axes=1, context=queue.context)
    assert relative_error(pyclfft.fft(x), expected) < LIMIT
    with pytest.MonkeyPatch.context() as patching:
        gone = Gone(patching, queue, kind, error)
        if kind == "wait" and not describe.traits(device).is_cpu:
            pytest.skip("only a CPU's results are waited for by their event")
        for call in (lambda: pyclfft.fft(x), lambda: plan(x, queue=queue)):
            with pytest.raises(DeviceError, match=r"is lost .*gone.* new process.*use_device"):
                call()
        assert gone.is_lost
        info = pyclfft.cache_info()
        assert (info.plans.size, info.programs.size) == (0, 0)
        assert relative_error(plan(x, queue=other), expected) < LIMIT
        assert pyclfft.default_queue() != queue
        assert relative_error(pyclfft.fft(x), expected) < LIMIT
    assert relative_error(plan(x), expected) < LIMIT


def test_a_lost_device_while_arrays_are_on_it(device):
    queue = pyclfft.default_queue()
    x = cl_array.to_device(queue, noise((4, 64), np.complex64))
    expected = pyclfft.fft(x).get()
    with pytest.MonkeyPatch.context() as patching:
        Gone(patching, queue, "enqueue_nd_range_kernel", Invalid("gone"))
        with pytest.raises(DeviceError, match=r"is lost .*arrays on the device"):
            pyclfft.fft(x)
    np.testing.assert_array_equal(pyclfft.fft(x).get(), expected)


@pytest.mark.parametrize("place", ["host", "transferred", "device"])
def test_too_little_memory_is_no_lost_device(device, request, place):
    """A launch may fail so, too; then the queue still answers, and nothing is forgotten.

    Where arrays are copied to the device, `fft` would go on in pieces, and a plan does not.
    """
    if place == "transferred":
        request.getfixturevalue("by_transfers")
    x, queue = noise((4, 64), np.complex64), pyclfft.default_queue()
    given = cl_array.to_device(queue, x) if place == "device" else x
    plan = pyclfft.Plan(x.shape, x.dtype, axes=1)
    expected = pyclfft.fft(x)
    with pytest.MonkeyPatch.context() as patching:
        nth = Nth(cl.enqueue_nd_range_kernel, 1, Broken("clEnqueueNDRangeKernel failed"))
        patching.setattr(cl, "enqueue_nd_range_kernel", nth)
        with pytest.raises((DeviceError, DeviceMemoryError)) as caught:
            plan(given)
    assert "lost (" not in str(caught.value)
    assert pyclfft.cache_info().plans.size
    assert pyclfft.default_queue() == queue
    np.testing.assert_array_equal(pyclfft.fft(x), expected)


# --- the disk -------------------------------------------------------------------------------------

ENTRY = Entry(Identity("platform", "name", "driver", "", "vendor", "cpu"), None, {})


@pytest.fixture
def full_disk(monkeypatch):
    """What is written goes to a device that is full."""
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    names = []

    def temporary(target):
        handle, name = real(target)
        os.close(handle)
        names.append(name)
        return os.open("/dev/full", os.O_WRONLY), name

    real = files._temporary_beside
    monkeypatch.setattr(files, "_temporary_beside", temporary)
    return names


def test_a_full_disk_costs_only_time(device, cold, full_disk):
    x = noise((2, 67), np.complex64)
    assert relative_error(transform(x), scipy.fft.fft(x.astype("c16"))) < LIMIT
    disk.store(disk.folder("tables") / "a.bin", [b"some bytes"], 100)
    assert full_disk
    assert not [each for each in cold.rglob("*.bin*") if each.is_file()]


def test_a_full_disk_leaves_the_tuning_database_as_it_was(tmp_path, request):
    path = tmp_path / "tuning.json"
    database.update(path, lambda known: [ENTRY])
    before = path.read_bytes()
    request.getfixturevalue("full_disk")
    with pytest.raises(OSError, match="No space left"):
        database.update(path, lambda known: [])
    assert path.read_bytes() == before
    assert sorted(each.name for each in tmp_path.iterdir()) <= ["tuning.json", "tuning.json.lock"]


@pytest.mark.parametrize(
    "damage", [lambda data: data[: len(data) // 2], lambda data: b"", bytes.swapcase]
)
def test_a_damaged_cache_is_made_again(device, cold, damage):
    x = noise((2, 67), np.complex64)
    expected = transform(x)
    pyclfft.clear_cache()
    for path in cold.rglob("*.bin"):
        path.write_bytes(damage(path.read_bytes()))
    np.testing.assert_array_equal(transform(x), expected)


KILLED = """
import itertools, sys
from pathlib import Path
from pyclfft.planning import database
from pyclfft.runtime import describe, disk
folder = Path(sys.argv[1])
print("ready", flush=True)
for number in itertools.count():
    disk.store(folder / f"{number % 5}.bin", [bytes([number % 251]) * 2_000_000] * 2, 2**24)
    database.update(folder / "tuning.json", lambda known: known)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_process_that_is_killed_while_it_writes(tmp_path):
    draw = random.Random(27)
    for _ in range(6):
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, tmp_path], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.02 + 0.1 * draw.random())
        process.send_signal(signal.SIGKILL)
        process.wait(TIMEOUT)
        for path in tmp_path.glob("[0-9].bin"):
            content = path.read_bytes()
            assert content == content[:1] * 4_000_000
    disk.store(tmp_path / "last.bin", [b"some bytes"], 2**24)  # no lock stays
    assert database.update(tmp_path / "tuning.json", lambda known: [ENTRY]) == (ENTRY,)
    disk.store(tmp_path / "last.bin", [b"some bytes"], 10)  # what was left behind goes, too
    assert [each.name for each in tmp_path.glob("*.bin*")] == ["last.bin"]


COLD = """
import sys
import numpy as np
import pyclfft
pyclfft.use_device(sys.argv[1])
x = np.arange(2 * 67, dtype="c8").reshape(2, 67)
assert abs(pyclfft.fft(x) - np.fft.fft(x)).max() < 1e-2
"""


@pytest.mark.full
def test_twenty_processes_on_a_cold_cache(device, cold):
    command = [sys.executable, "-W", "error", "-c", COLD, place_of(device)]
    environment = {**os.environ, "POCL_KERNEL_CACHE": "0"}
    started = [
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        for _ in range(20)
    ]
    for each in started:
        _, error = each.communicate(timeout=TIMEOUT)
        assert each.returncode == 0, error
    names = [each.name for each in cold.rglob("*.bin*")]
    assert names
    assert all(name.endswith(".bin") for name in names)


# --- who may enter --------------------------------------------------------------------------------


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_folders_are_the_users_alone(device, cold, tmp_path, monkeypatch):
    monkeypatch.setenv("POCL_KERNEL_CACHE", "0")
    before = os.umask(0)
    try:
        transform(noise((2, 67), np.complex64))
        database.update(tmp_path / "data" / "tuning.json", lambda known: [ENTRY])
        disk.store(disk.folder("tables") / "a.bin", [b"some bytes"], 2**20)
    finally:
        os.umask(before)
    made = [cold, tmp_path / "data", *(each for each in cold.rglob("*") if each.is_dir())]
    assert len(made) >= 3
    assert {mode_of(each) for each in made} == {0o700}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_folders_of_earlier_versions_are_closed_and_those_of_others_stay(tmp_path, monkeypatch):
    monkeypatch.setenv("PYCLFFT_CACHE_DIR", str(tmp_path))
    tmp_path.chmod(0o755)  # a user has named it
    (tmp_path / "tables").mkdir(mode=0o755)
    disk.store(disk.folder("tables") / "a.bin", [b"some bytes"], 100)
    assert (mode_of(tmp_path), mode_of(tmp_path / "tables")) == (0o755, 0o700)


def test_a_file_in_the_place_of_a_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        files.private_folder(tmp_path / "file" / "folder")
