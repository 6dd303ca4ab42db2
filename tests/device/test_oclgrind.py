"""Every kernel under Oclgrind, which reports races, accesses out of bounds and unwritten values."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import pytest

from pyclfft.runtime.program import kernel_files
from tests.oclgrind_kernels import PARTS

RUNTIME = Path("/usr/lib/oclgrind/liboclgrind-rt-icd.so")
SCRIPT = Path(__file__).resolve().parents[1] / "oclgrind_kernels.py"
SECONDS = 600  # for one run
KERNEL = r"^kernel\b[^;{]*?\bvoid\s+(\w+)\s*\("  # how the text of a kernel begins

# Kernels that Oclgrind cannot run, each with its reason; they need a stress test of their own.
EXEMPT: dict[str, str] = {
    # Its groups wait for each other, and Oclgrind runs them one after the other; that order is safe
    # (tickets), but it has no notion of release and acquire, and would report each store that
    # another group loads as a race. Instead tests/stress_fused.py.
    "fused": "waits between groups",
}

OPTIONS = (
    "--data-races",
    "--uniform-writes",
    "--uninitialized",
    # Oclgrind 21.10 does not know llvm.bitreverse, which LLVM makes of bitReverse's shifts when it
    # optimises. Without optimisation every access in the source is there to be watched, too; but
    # then functions that are always put in place of their calls leave llvm.experimental.noalias
    # behind, which it does not know either.
    *("--build-options", "-O0 -DNO_INLINE"),
)

# Oclgrind 21.10 crashes where it follows unwritten values through .even and .odd of a vector: what
# runs on lanes, as transforms of streams do, is watched without, and on poisoned memory in
# test_lanes.py.
# It also calls numbers unwritten that a kernel reads through an image made of a written buffer, and
# those with which a buffer was made, once another part of it has been written: the ladder of
# convolution has both.
WITHOUT_UNWRITTEN = tuple(option for option in OPTIONS if option != "--uninitialized")
OPTIONS_OF = dict.fromkeys(("lanes", "streams", "climb"), WITHOUT_UNWRITTEN)
# Groups of istft that meet wait for each other, as those of "fused" do: what one group has stored
# and another one loads would be reported. Instead tests/device/test_meeting_groups.py.
OPTIONS_OF["meetings"] = tuple(option for option in OPTIONS if option != "--data-races")

pytestmark = pytest.mark.skipif(
    not (shutil.which("oclgrind") and RUNTIME.exists()), reason="Oclgrind is not installed"
)


def watch(folder, *arguments, options=OPTIONS):
    """Run Python under Oclgrind; return its standard output and all that is reported."""
    log = folder / "log"
    environment = {
        **os.environ,
        "OCL_ICD_VENDORS": str(RUNTIME),
        "PYCLFFT_CACHE_DIR": str(folder / "cache"),
    }
    environment.pop("PYCLFFT_DEVICE", None)
    done = subprocess.run(
        ["oclgrind", *options, "--log", str(log), sys.executable, *map(str, arguments)],
        env=environment, capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    reports = done.stderr + (log.read_text() if log.exists() else "")
    assert done.returncode == 0, reports
    return done.stdout, reports


@pytest.mark.full
def test_every_kernel_is_clean(tmp_path):
    """A process for each part: the simulator forgets what it knows of addresses used again."""
    declared, launched = set(), set(EXEMPT)
    for path in kernel_files().values():
        declared |= set(re.findall(KERNEL, path.read_text(encoding="utf-8"), re.MULTILINE))

    def run(part):
        folder = tmp_path / "-".join(part)
        folder.mkdir()
        return watch(folder, SCRIPT, *part, options=OPTIONS_OF.get(part[1], OPTIONS))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for output, reports in pool.map(run, product(("single", "double"), PARTS)):
            assert reports == ""
            launched |= set(json.loads(output))
    assert launched == declared


RUN_ONE = """
import sys
import numpy as np
import pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, open(sys.argv[1]).read()).build(cache_dir=False)
flags = cl.mem_flags.READ_WRITE
x = cl.Buffer(context, flags | cl.mem_flags.COPY_HOST_PTR, hostbuf=np.zeros(64, np.float32))
y = cl.Buffer(context, flags, 4 * 64)
(kernel,) = program.all_kernels()
kernel(queue, (64,), (16,), x, y)
queue.finish()
"""

BODIES = {  # of a kernel over 64 work-items in groups of 16; x is written before, y is not
    "sound": ("y[i] = x[63 - i];", ""),
    "race in global memory": ("y[i / 2] = x[i];", "data race"),
    "race of a read and a write": ("x[i] = i; y[i] = x[i ^ 1];", "data race"),
    "missing barrier": (
        "local float t[16]; t[i % 16] = x[i]; y[i] = t[15 - i % 16];",
        "data race",
    ),
    "one write of all": ("y[i] = 0; x[0] = 1;", "data race"),
    "write behind the end": ("y[i + 1] = x[i];", "Invalid write"),
    "read behind the end": ("y[i] = x[i + 1];", "Invalid read"),
    "read behind local memory": (
        "local float t[16]; t[i % 16] = x[i]; barrier(CLK_LOCAL_MEM_FENCE); y[i] = t[i % 16 + 1];",
        "Invalid read",
    ),
    "unwritten value": ("x[i] = y[i];", "ninitialized"),
    "unwritten local memory": ("local float t[16]; y[i] = t[i % 16];", "ninitialized"),
    "barrier for some": (
        "if (i % 16 < 8) barrier(CLK_LOCAL_MEM_FENCE); y[i] = x[i];",
        "divergence",
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_what_is_wrong_is_reported(tmp_path, name):
    body, expected = BODIES[name]
    source = tmp_path / "one.cl"
    source.write_text(
        "kernel void one(global float *x, global float *y)\n"
        f"{{\n    size_t i = get_global_id(0);\n    {body}\n}}\n"
    )
    (tmp_path / "one.py").write_text(RUN_ONE)
    _, reports = watch(tmp_path, tmp_path / "one.py", source)
    assert expected in reports
    assert bool(expected) == bool(reports)
