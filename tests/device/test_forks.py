"""Forked processes: they work before the first use, and otherwise say what to do instead."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

from tests.conftest import place_of

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows does not fork")

# What the scripts below share: a child for each way, which is killed where it does not end.
CHILDREN = """
import json, os, signal, sys, time
import numpy as np, pyopencl as cl, pyopencl.array as cl_array

def said_by_children(ways, seconds=20):
    said = {}
    for name, way in ways.items():
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            try:
                way()
                text = "it worked"
            except BaseException as error:
                text = f"{type(error).__name__}: {error}"
            os.write(writer, text.encode()[:1000])
            os._exit(0)
        os.close(writer)
        end = time.monotonic() + seconds
        while os.waitpid(child, os.WNOHANG)[0] == 0:
            if time.monotonic() > end:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                break
            time.sleep(0.01)
        said[name] = os.read(reader, 1000).decode() or "it hung"
        os.close(reader)
    return said
"""

AFTER_USE = """
import pyclfft, scipy.fft
from pyclfft import array_api_fft

queue = pyclfft.default_queue()
x = np.ones((4, 100), "c8")
there, bytes_there = (cl_array.to_device(queue, x.real.astype(t)) for t in ("f4", "u1"))
signal_, image = np.ones(4096, "f4"), np.ones((16, 20), "u1")
sound = cl_array.to_device(queue, signal_)
plan = pyclfft.Plan(x.shape, "c8", -1)
large = np.ones((64, 4096), "c8")
large_plan = pyclfft.Plan(large.shape, "c8", -1)
there_c = cl_array.to_device(queue, x)
stream = pyclfft.StreamingSTFT(n_fft=256)
convolver = pyclfft.StreamingConvolver(signal_)

ways = {
    "fft": lambda: pyclfft.fft(x),
    "fft of a device array": lambda: pyclfft.fft(there).get(),
    "fft of bytes": lambda: pyclfft.fft(bytes_there).get(),
    "a plan": lambda: plan(x),
    "a plan on a queue": lambda: plan(x, queue=queue),
    "a large plan on a queue": lambda: large_plan(large, queue=queue),
    "a plan of a device array": lambda: plan(there_c).get(),
    "in place": lambda: plan(there_c, out=there_c).get(),
    "profile": lambda: plan.profile(x),
    "profile of a device array": lambda: plan.profile(there_c),
    "a new plan": lambda: pyclfft.Plan(32, "c8"),
    "a new plan of a context": lambda: pyclfft.Plan(32, "c8", context=queue.context),
    "a stream": lambda: stream.push(signal_),
    "a new stream": lambda: pyclfft.StreamingSTFT(n_fft=256, queue=queue).push(signal_),
    "a convolver": lambda: convolver.push(signal_),
    "a convolver's end": convolver.close,
    "a new convolver": lambda: pyclfft.StreamingConvolver(signal_),
    "stft": lambda: pyclfft.stft(signal_, n_fft=256),
    "stft on a queue": lambda: pyclfft.stft(signal_, n_fft=256, queue=queue),
    "stft of a device array": lambda: pyclfft.stft(sound, n_fft=256).get(),
    "istft": lambda: pyclfft.istft(np.ones((129, 9), "c8")),
    "spectrogram": lambda: pyclfft.spectrogram(sound, n_fft=256).get(),
    "notes": lambda: pyclfft.notes(signal_, sr=8000),
    "filter_image": lambda: pyclfft.filter_image(image),
    "filter_image on a queue": lambda: pyclfft.filter_image(image, queue=queue),
    "filter_mask": lambda: pyclfft.filter_mask((16, 20), queue=queue),
    "fftshift": lambda: pyclfft.fftshift(there).get(),
    "dctn": lambda: pyclfft.dctn(there).get(),
    "fht": lambda: pyclfft.fht(there, 0.1, 0.5).get(),
    "frequencies": lambda: array_api_fft.fftfreq(8, dtype="f4", device=queue).get(),
    "allocator": lambda: pyclfft.allocator(queue.context)(2**23),
    "default_queue": pyclfft.default_queue,
    "tune": lambda: pyclfft.tune(64, "c8", device=queue.device),
    "measure": lambda: pyclfft.Plan(64, "c8", effort="measure"),
    "scipy's backend": lambda: backend_fft(),
}

def backend_fft():
    with scipy.fft.set_backend(pyclfft, only=True):
        scipy.fft.fft(x)

for name, way in ways.items():
    if name not in ("tune", "measure"):  # which take long
        way()
for _ in range(50):  # a queue that has something to do while it forks
    busy = large_plan(cl_array.to_device(queue, large))
print(json.dumps(said_by_children(ways)))
"""

AFTER_OTHERS = """
import pyclfft
devices = [device for platform in cl.get_platforms() for device in platform.get_devices()]
(device,) = [each for each in devices if each.platform.name == os.environ["PLATFORM"]][:1]
context = cl.Context([device])
queue = cl.CommandQueue(context)
there = cl_array.to_device(queue, np.ones((4, 100), "f4"))
ways = {
    "fft": lambda: pyclfft.fft(np.ones(100)),
    "fft of a device array": lambda: pyclfft.fft(there).get(),
    "a plan on a queue": lambda: pyclfft.Plan(9, "c8", context=queue.context)(np.ones(9, "c8")),
}
print(json.dumps(said_by_children(ways)))
"""

BEFORE_USE = """
import pyclfft
def use():
    assert abs(pyclfft.fft(np.ones(100, "c8"))[0] - 100) < 1e-3
ways = {"first": use, "second": use}
said = said_by_children(ways, 120)
use()
print(json.dumps(said))
"""


def said(script, device):
    done = subprocess.run(
        [sys.executable, "-c", CHILDREN + script],
        capture_output=True, text=True, timeout=600,
        env={**os.environ, "PYCLFFT_DEVICE": place_of(device), "PLATFORM": device.platform.name},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_fork_before_the_first_use_works(device):
    assert said(BEFORE_USE, device) == {"first": "it worked", "second": "it worked"}


@pytest.mark.parametrize("script", [AFTER_USE, AFTER_OTHERS], ids=["pyclfft", "others"])
def test_behind_the_first_use_every_way_in_says_what_to_do_instead(device, script):
    if script == AFTER_OTHERS and sys.platform != "linux":
        pytest.skip("other systems do not say which libraries a process has loaded")
    by_way = said(script, device)
    expected = 'DeviceError: this process was forked .* method "spawn"'
    assert {way: text for way, text in by_way.items() if not re.match(expected, text)} == {}


LOCKED = """
import pyclfft
from pyclfft.transforms import call

queue = pyclfft.default_queue()
there = cl_array.to_device(queue, np.ones((4, 100), "f4"))
pyclfft.fft(there)
call._plans._lock.acquire()  # as another thread might while this one forks
print(json.dumps(said_by_children({"fft": lambda: pyclfft.fft(there)})))
"""


def test_a_lock_that_another_thread_held_does_not_matter(device):
    assert said(LOCKED, device)["fft"].startswith("DeviceError: this process was forked")


AT_EXIT = """
import pyclfft
from pyclfft.errors import DeviceError

x = cl_array.to_device(pyclfft.default_queue(), np.ones((4, 100), "f4"))
pyclfft.fft(x).get()
time.sleep(0.2)  # until the runtime's threads rest: what they lock would stay locked in the child
child = os.fork()
if not child:
    sys.exit(3)  # with all that a process does at its end
print(json.dumps(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))
"""


ALONE = """
import pyclfft  # which only tells the loader where runtimes are
devices = [device for platform in cl.get_platforms() for device in platform.get_devices()]
(device,) = [each for each in devices if each.platform.name == os.environ["PLATFORM"]][:1]
context = cl.Context([device])
queue = cl.CommandQueue(context)
x = cl_array.to_device(queue, np.ones((4, 100), "f4"))
child = os.fork()
if not child:
    sys.exit(3)
print(json.dumps(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))
"""


def test_a_child_ends_as_it_wishes(device):
    """Unless the runtime ends children that release pyopencl's objects alone, as NVIDIA's does."""
    assert said(AT_EXIT, device) in (3, said(ALONE, device))
