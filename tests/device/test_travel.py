"""Plans and hooks that travel: pickled in one place, made again in another."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest

import pyclfft
from tests.conftest import place_of
from tests.oracle import bound, of_few, relative_error

GAIN = pyclfft.Hook("value *= gain[index % 8] * scale;", gain=np.arange(1.0, 9.0), scale=0.5)
SUBPROCESS = """
import pickle, sys
import numpy as np
plan, x = pickle.load(sys.stdin.buffer)
sys.stdout.buffer.write(pickle.dumps((str(plan.device.platform.name), plan(x))))
"""
CASES = {
    "c2c": ({"shape": (3, 40), "dtype": "complex64", "axes": (1,)}, lambda x: np.fft.fft(x)),
    "r2c padded": (
        {
            "shape": (3, 40),
            "dtype": "float32",
            "kind": "r2c",
            "axes": (1,),
            "s": 64,
            "norm": "ortho",
        },
        lambda x: np.fft.rfft(x, 64, norm="ortho"),
    ),
    "hooks": (
        {"shape": (3, 8), "dtype": "complex64", "axes": (1,), "hooks": {"load": GAIN}},
        lambda x: np.fft.fft(x * np.arange(1.0, 9.0) * 0.5),
    ),
    "inverse": (
        {"shape": (6, 10), "dtype": "complex64", "axes": (0, 1), "direction": "inverse"},
        lambda x: np.fft.ifft2(x),
    ),
}


def assert_close(result, expected):
    allowed = bound("stockham", result.dtype, expected.size) * of_few(expected.size)
    assert relative_error(result, expected) <= allowed


def signal(plan):
    rng = np.random.default_rng(1)
    shape, dtype = plan.problem.source.shape, plan.dtype
    real = rng.standard_normal(shape)
    return (real + 1j * rng.standard_normal(shape) if dtype.kind == "c" else real).astype(dtype)


@pytest.fixture
def chosen(device):
    pyclfft.use_device(device)
    yield device
    pyclfft.use_device(None)


@pytest.mark.parametrize("name", CASES)
def test_a_plan_that_was_pickled(chosen, name):
    arguments, reference = CASES[name]
    plan = pyclfft.Plan(**{**arguments, "axes": iter(arguments["axes"])})
    x = signal(plan)
    again = pickle.loads(pickle.dumps(plan))
    assert again is not plan
    assert again.problem == plan.problem
    assert_close(again(x), reference(x.astype(np.promote_types(x.dtype, np.float64))))


def test_in_another_process(device, chosen):
    plan = pyclfft.Plan((3, 8), "complex64", axes=1, hooks={"load": GAIN})
    x = signal(plan)
    done = subprocess.run(
        [sys.executable, "-c", SUBPROCESS],
        input=pickle.dumps((plan, x)), capture_output=True, timeout=300, check=True,
        env={**os.environ, "PYCLFFT_DEVICE": place_of(device)},
    )  # fmt: skip
    platform, result = pickle.loads(done.stdout)
    assert platform == device.platform.name
    assert_close(result, np.fft.fft(x.astype("complex128") * np.arange(1.0, 9.0) * 0.5))


def test_it_is_made_once_on_each_device(chosen):
    message = pickle.dumps(pyclfft.Plan((5, 30), "complex64", axes=1))
    assert pickle.loads(message) is pickle.loads(message)
    for other in pyclfft.devices():
        pyclfft.use_device(other)
        assert pickle.loads(message).device == other


def test_all_arguments_travel(chosen):
    arguments = {
        "shape": (4, 64), "dtype": "complex64", "axes": (1,), "algorithm": "local-radix2",
        "norm": "forward", "strides": (1024, 8), "offset": 64, "parameters": {"local_items": 16},
    }  # fmt: skip
    plan = pyclfft.Plan(**arguments)
    again = pickle.loads(pickle.dumps(plan))
    assert str(again) == str(plan)


def test_a_copy_is_the_plan_itself(chosen):
    plan = pyclfft.Plan((4, 16), "complex64")
    assert copy.copy(plan) is plan
    assert copy.deepcopy({"plan": plan})["plan"] is plan


@pytest.mark.parametrize("kind", ["array", "buffer"])
def test_memory_of_a_device_stays(queue, kind):
    array = cl_array.zeros(queue, 8, np.float32)
    hook = pyclfft.Hook("", gain=array if kind == "array" else array.base_data)
    assert isinstance(array.base_data, cl.MemoryObjectHolder)
    with pytest.raises(pyclfft.PlanError, match=r"gain lies on a device.*NumPy array"):
        pickle.dumps(hook)
