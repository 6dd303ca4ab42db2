"""What Mesa's runtime rusticl 22.3 cannot do, and that pyclfft does without it.

Each of the first three tests shows a fault of the runtime, with the smallest program that has it.
Where a newer version has lost the fault, they are skipped, and what they name can go:

    OCL_ICD_VENDORS=libRusticlOpenCL.so.1 RUSTICL_ENABLE=llvmpipe python -m pytest FILE
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyopencl as cl
import pytest

import pyclfft
from pyclfft.runtime import describe, runtimes
from tests.oracle import noise, relative_error

NAME = "rusticl"

# Each ends its process, with a signal, after "before" is printed: rusticl 22.3.6 on llvmpipe.
CRASHES = {
    # rusticl splits an option at its quotes. "1 + 1" then is the name of a second file to compile,
    # and clang's destructor fails. So program.py puts macros into the text.
    "an option with quotes": """
program = cl.Program(context, "kernel void one(global int *x) { x[0] = WORDS; }")
print("before", flush=True)
program.build(['-DWORDS="1 + 1"'])
""",
    # The translator to SPIR-V 15.0 takes the flags of a barrier for a constant before anything is
    # folded. So wait_for_group in group.cl has an `if`.
    "a barrier whose flags are no constant": """
text = "kernel void wait(global int *x) { barrier(x[0] ? 3 : CLK_LOCAL_MEM_FENCE); }"
program = cl.Program(context, text)
print("before", flush=True)
program.build()
""",
    # A panic in Rust, where OpenCL wants INVALID_BINARY. program.py stores a hash with each binary.
    "a binary of nobody": """
print("before", flush=True)
cl.Program(context, context.devices, [b"no binary"])
""",
}
PRELUDE = f"""
import pyopencl as cl
platform = next(each for each in cl.get_platforms() if each.name == {NAME!r})
context = cl.Context(platform.get_devices())
"""


@pytest.fixture(scope="module")
def mesa():
    """The runtime's device, the default one while these tests run."""
    found = [each for each in runtimes.devices() if describe.runtime_name(each) == NAME]
    if not found:
        pytest.skip("rusticl shows no device")
    pyclfft.use_device(found[0])
    yield found[0]
    pyclfft.use_device(None)


@pytest.fixture
def old(mesa):
    """The device, where its version is one whose faults are known."""
    if not mesa.driver_version.startswith("22.3."):
        pytest.skip(f"Mesa {mesa.driver_version} may have lost this fault of 22.3")
    return mesa


@pytest.mark.parametrize("what", CRASHES)
def test_what_crashes(old, what):
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + CRASHES[what]],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.stdout == "before\n"
    assert done.returncode < 0, done.stderr


def test_a_mapping_cannot_end_before_it_has_begun(old):
    """Why devices have the trait unmaps_ahead."""
    assert not describe.traits(old).unmaps_ahead
    context = cl.Context([old])
    queue = cl.CommandQueue(context)
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 64)
    begin = cl.UserEvent(context)
    mapped, event = cl.enqueue_map_buffer(
        queue, buffer, cl.map_flags.READ, 0, (64,), np.uint8, wait_for=[begin], is_blocking=False
    )
    try:
        with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
            mapped.base.release(queue, [event])
    finally:
        begin.set_status(cl.command_execution_status.COMPLETE)
        queue.finish()


def test_events_tell_no_times(old):
    """Why docs/howto/devices.md says that profiles are useless there."""
    plan = pyclfft.Plan((64, 1024), "complex64", axes=-1)
    assert {each.ms for each in plan.profile(noise((64, 1024), "complex64"))} == {1e-6}


@pytest.mark.parametrize("n", [1, 2, 60, 97, 1009, 2048, 4099])
def test_arrays_of_any_place_in_memory(mesa, n):
    """NumPy arrays are mapped, wherever they begin."""
    memory = noise((8 * n + 1,), "complex64")
    for begin in (0, 1):
        x = memory[begin : begin + 8 * n].reshape(8, n)
        expected = np.fft.fft(x.astype("complex128"))
        assert relative_error(pyclfft.fft(x), expected) < 5e-7
