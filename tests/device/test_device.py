"""Finding and choosing devices on whatever runtimes this machine has.

The OpenCL loader starts once in a process, so that whatever depends on the environment runs in a
process of its own.
"""

from __future__ import annotations

import functools
import gc
import json
import os
import re
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyopencl as cl
import pytest
import scipy.fft

import pyclfft
from pyclfft.errors import DeviceError
from pyclfft.runtime import choice, describe, icd, pinning, queues, runtimes, trial, vendors
from tests.oracle import noise, relative_error

ROOT = Path(pyclfft.__path__[0]).parent
VENDORS = icd._SYSTEM_FOLDER
INTEL, POCL = "Intel(R) OpenCL", "Portable Computing Language"
# What would decide for us; the wrapper `oclgrind` puts its own loader into LD_PRELOAD.
DECIDING = (*icd._LOADER_VARIABLES, *pinning.CHOSEN_BY_USER, "PYCLFFT_DEVICE", "LD_PRELOAD")

MODULES = "from pyclfft.runtime import choice, describe, queues, runtimes"
PLATFORMS = "print(json.dumps([p.name for p, _ in runtimes.listing()]))"


def start(code: str, early: str = "", **environment: str) -> subprocess.Popen[str]:
    """Run code in a fresh process, in an environment without settings for OpenCL's loader.

    `early` runs before pyclfft is imported.
    """
    env = {name: value for name, value in os.environ.items() if name not in DECIDING}
    env["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), env.get("PYTHONPATH"))))
    code = f"{early}\nimport json, os\n{MODULES}\n{code}"
    command = [sys.executable, "-c", code]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=env | environment, stdout=pipe, stderr=pipe, text=True)


def result(process: subprocess.Popen[str]):
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return json.loads(out)


def run(code: str, early: str = "", **environment: str):
    return result(start(code, early, **environment))


def error(code: str, early: str = "", **environment: str) -> str:
    """The last line of what a failing process says."""
    process = start(code, early, **environment)
    _, err = process.communicate(timeout=300)
    assert process.returncode != 0
    return err.strip().splitlines()[-1]


@functools.cache
def platforms_here() -> list[str]:
    return run(PLATFORMS)


def need(*platforms: str) -> None:
    for platform in platforms:
        if platform not in platforms_here():
            pytest.skip(f"{platform} is not on this machine")


@pytest.fixture
def anything():
    if not runtimes.devices():
        pytest.skip("no device")


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """A module that has not examined any device yet, and an empty cache folder."""
    monkeypatch.setenv("PYCLFFT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("PYCLFFT_DEVICE", raising=False)
    monkeypatch.setattr(runtimes, "_defects", {})
    monkeypatch.setattr(choice, "_chosen", None)
    choice._select.cache_clear()
    yield
    choice._select.cache_clear()


# ---------------------------------------------------------------- runtimes


def test_every_installed_runtime_is_there_and_none_twice():
    expected = {INTEL} if icd.intel_from_pip() else set()
    libraries = " ".join(entry.library for entry in icd.entries_in(VENDORS))
    expected |= {POCL} if "libpocl" in libraries else set()
    assert expected <= set(platforms_here())
    assert len(platforms_here()) == len(set(platforms_here()))


def test_a_vendors_folder_of_the_user_is_left_alone():
    if not icd.entries_in(VENDORS):
        pytest.skip(f"{VENDORS} is empty")
    plain = "import pyopencl as cl\nprint(json.dumps([p.name for p in cl.get_platforms()]))"
    ours = (
        "names = [p.name for p, _ in [*runtimes.listing(), *runtimes.without_devices()]]\n"
        "print(json.dumps([names, os.environ['OCL_ICD_VENDORS']]))"
    )
    setting = {"OCL_ICD_VENDORS": str(VENDORS)}
    names, after = run(ours, **setting)
    assert sorted(names) == sorted(run(plain, **setting))
    assert after == str(VENDORS)


def test_an_empty_vendors_folder_of_the_user_means_no_device(tmp_path):
    message = error("choice.default_device()", OCL_ICD_VENDORS=str(tmp_path))
    assert message.startswith("pyclfft.errors.DeviceError: no OpenCL device")
    assert vendors.remedies() in message
    hidden = icd.intel_from_pip() is not None
    said = f"OCL_ICD_VENDORS={tmp_path} " + ("hides Intel's CPU runtime" if hidden else "is set")
    assert 0 < message.find(said) < message.find(vendors.remedies())
    assert run("print(len(runtimes.devices()))", OCL_ICD_VENDORS=str(tmp_path)) == 0


def test_children_inherit_nothing_and_no_folder_stays_behind(tmp_path):
    child = "import json, os; print(json.dumps(list(os.environ)))"
    start_child = f"subprocess.run([sys.executable, '-c', {child!r}])"
    code = f"import subprocess, sys\nruntimes.devices()\n{start_child}"
    names = run(code, TMPDIR=str(tmp_path))
    assert "TMPDIR" in names
    assert not set(names) & {*icd._LOADER_VARIABLES, *pinning.CHOSEN_BY_USER}
    assert not list(tmp_path.glob("pyclfft*"))


def test_children_of_a_program_that_has_only_imported_us_find_the_same(tmp_path):
    child = f"import json; {MODULES}; {PLATFORMS}"
    code = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {child!r}], check=True)"
    assert run(code) == platforms_here()


PROCESSORS_OF_THREADS = """
runtimes.devices()
threads = map(int, os.listdir("/proc/self/task"))
print(json.dumps([sorted(os.sched_getaffinity(thread)) for thread in threads]))
"""


@pytest.mark.skipif(not pinning._may_use_all_processors(), reason="some processors are not ours")
def test_each_thread_of_pocl_has_a_processor_of_its_own():
    if POCL not in platforms_here():
        pytest.skip("PoCL is not installed")
    ours = sorted(os.sched_getaffinity(0))
    if len(ours) == 1:
        pytest.skip("with one processor, each thread has it")
    found = run(PROCESSORS_OF_THREADS)
    assert sorted(each for each in found if len(each) == 1) == [[one] for one in ours]
    assert all(each == ours for each in run(PROCESSORS_OF_THREADS, POCL_AFFINITY="0"))


NO_RUNTIME = """
import pyopencl as cl
loaded = [line for line in open("/proc/self/maps") if "libintelocl" in line or "libpocl" in line]
print(json.dumps([loaded, len(os.listdir("/proc/self/task")) - threads]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux says what a process has loaded")
def test_the_import_asks_for_no_platform():
    """So that it starts no thread of a runtime, and forks stay possible."""
    early = "import pyopencl, numpy, os\nthreads = len(os.listdir('/proc/self/task'))\n"
    process = start(early + "import pyclfft" + NO_RUNTIME, early=early)
    assert result(process) == [[], 0]


# Whoever lists platforms after the import sees all of them, and pyclfft does, too.
LISTED_BETWEEN = """
import pyopencl as cl, pyclfft
names = sorted(p.name for p in cl.get_platforms())
x = __import__("numpy").ones((4, 4), "f4")
if runtimes.devices():
    assert abs(pyclfft.fft2(x)[0, 0] - 16) < 1e-6
ours = sorted(p.name for p in icd.platforms())
print(json.dumps([names, ours, os.environ.get("OCL_ICD_VENDORS")]))
"""


@pytest.mark.parametrize("cache", ["usual", "read-only"])
def test_platforms_that_are_listed_between_import_and_use(tmp_path, cache):
    setting = {}
    if cache == "read-only":  # root may write anywhere, but not below a file
        (tmp_path / "file").touch()
        setting = {"PYCLFFT_CACHE_DIR": str(tmp_path / "file/below"), "TMPDIR": str(tmp_path)}
    code = f"from pyclfft.runtime import icd\n{LISTED_BETWEEN}"
    listed, ours, after = run(code, **setting)
    assert after is None
    assert set(listed) == set(ours)
    assert set(platforms_here()) <= set(ours)
    assert [path.name for path in tmp_path.glob("pyclfft*")] == []


def test_fork_between_import_and_use(anything):
    if not hasattr(os, "fork"):
        pytest.skip("Windows does not fork")
    code = """
import sys, pyclfft, numpy as np
child = os.fork()
if child:
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert abs(pyclfft.fft(np.ones(8, "c8"))[0] - 8) < 1e-6
if child:
    print(json.dumps([p.name for p, _ in runtimes.listing()]))
"""
    assert run(code) == platforms_here()


def test_two_processes_start_at_once_with_an_empty_cache(tmp_path):
    setting = {"PYCLFFT_CACHE_DIR": str(tmp_path / "cache")}
    code = "print(json.dumps([describe.device_label(d) for d in runtimes.devices()]))"
    first, second = [result(process) for process in [start(code, **setting) for _ in range(2)]]
    assert first == second
    assert len(list((tmp_path / "cache/sound-devices").iterdir())) == len(set(first))


def test_a_cache_that_cannot_be_written_only_costs_time(tmp_path):
    (tmp_path / "file").touch()
    code = "print(len(runtimes.devices()))"
    assert run(code, PYCLFFT_CACHE_DIR=str(tmp_path / "file/below")) == run(code)


def test_enumerating_before_us_hides_intel_and_the_error_says_so():
    need(INTEL)
    early = "import pyopencl as cl\ntry: cl.get_platforms()\nexcept cl.Error: pass\n"
    if INTEL in run(PLATFORMS, early=early):
        pytest.skip("Intel's runtime is registered with the system")
    message = error("choice.select_device('intel(r) opencl')", early=early)
    assert message.startswith(
        "pyclfft.errors.DeviceError: OpenCL's platforms were listed in this process before pyclfft"
    )


def test_enumerating_before_us_is_logged_as_a_warning():
    need(INTEL)
    early = "import pyopencl as cl\ntry: cl.get_platforms()\nexcept cl.Error: pass\n"
    code = (
        "import io, logging\nlog = io.StringIO()\nlogging.basicConfig(stream=log)\n"
        "runtimes.devices()\nprint(json.dumps(['before pyclfft was imported' in log.getvalue(), "
        "[p.name for p, _ in runtimes.listing()]]))"
    )
    said, platforms = run(code, early=early)
    assert said == (INTEL not in platforms)


def test_threads_that_start_together_find_the_same_devices():
    code = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(8) as pool:\n"
        "    found = list(pool.map(lambda _: runtimes.devices(), range(8)))\n"
        "    contexts = list(pool.map(lambda _: queues.default_queue().context, range(8)))\n"
        "print(json.dumps([all(f == found[0] for f in found), len(set(contexts))]))"
    )
    if not platforms_here():
        pytest.skip("no platform")
    assert run(code) == [True, 1]


# ---------------------------------------------------------------- the default


def label(**environment: str) -> str:
    return run("print(json.dumps(describe.device_label(choice.default_device())))", **environment)


def test_gpu_first_and_intel_before_pocl(anything):
    first = runtimes.devices()[0]
    if any(d.type & cl.device_type.GPU for d in runtimes.devices()):
        assert first.type & cl.device_type.GPU
    elif {INTEL, POCL} <= {d.platform.name for d in runtimes.devices()}:
        assert first.platform.name == INTEL


def test_environment_variable_chooses():
    need(INTEL, POCL)
    assert POCL in label(PYCLFFT_DEVICE="pocl")
    assert INTEL in label(PYCLFFT_DEVICE="Intel(R) OpenCL")
    assert INTEL in label(PYCLFFT_DEVICE="cpu")
    for number, platform in enumerate(platforms_here()):
        assert platform in label(PYCLFFT_DEVICE=str(number))


def test_environment_variable_that_fits_nothing():
    if not platforms_here():
        pytest.skip("no platform")
    message = error("choice.default_device()", PYCLFFT_DEVICE="voodoo")
    assert "PYCLFFT_DEVICE=voodoo: no OpenCL device fits 'voodoo'; there is: 0:0 " in message


def test_use_device_and_back(anything, fresh):
    last = runtimes.devices()[-1]
    choice.use_device(last)
    assert choice.default_device() == last == queues.default_queue().device
    with pytest.raises(DeviceError, match="voodoo"):
        choice.use_device("voodoo")
    assert choice.default_device() == last
    choice.use_device(None)
    assert choice.default_device() == runtimes.devices()[0]


def test_use_device_outranks_the_environment(anything, fresh, monkeypatch):
    monkeypatch.setenv("PYCLFFT_DEVICE", "voodoo")
    choice.use_device("0:0")
    assert choice.default_device() == runtimes.listing()[0][1][0]


def test_select_device_changes_nothing(anything, fresh):
    before = choice.default_device()
    for platform, (_, group) in enumerate(runtimes.listing()):
        for number, device in enumerate(group):
            assert choice.select_device(device) is device
            if not runtimes.defect(device):
                assert choice.select_device(f" {platform}:{number} ") == device
    assert choice.default_device() == choice.select_device() == before


def test_select_device_by_nothing():
    with pytest.raises(DeviceError, match="empty"):
        choice.select_device(" ")


# ---------------------------------------------------------------- devices that do not work


@pytest.fixture
def examined(fresh, monkeypatch):
    """The devices that have had to build the probe."""
    seen = []
    build = runtimes._build_probe
    monkeypatch.setattr(
        runtimes, "_build_probe", lambda device: seen.append(device) or build(device)
    )
    return seen


def test_no_more_devices_are_examined_than_necessary(anything, examined):
    default = choice.default_device()
    assert examined[-1] == default
    assert len(examined) == runtimes.every_device().index(default) + 1


def test_a_sound_device_is_examined_once_for_all_processes(anything, examined, monkeypatch):
    usable = runtimes.devices()
    first = len(examined)
    monkeypatch.setattr(runtimes, "_defects", {})
    assert runtimes.devices() == usable
    assert len(examined) - first == len(runtimes.every_device()) - len(usable)


def test_a_device_without_a_working_compiler_is_skipped_with_a_warning(
    anything, examined, monkeypatch
):
    monkeypatch.setattr(
        runtimes, "_PROBE", "__kernel void probe(__global nothing *x) { x[0] = 1; }"
    )
    with pytest.warns(RuntimeWarning, match=r"skipping OpenCL device .*error: .*nothing") as caught:
        assert runtimes.devices() == []
    assert [w.category for w in caught] == [RuntimeWarning] * len(runtimes.every_device())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert runtimes.devices() == []
        with pytest.raises(DeviceError, match=r"no device works.*error: .*Ways to get one"):
            choice.default_device()
        with pytest.raises(DeviceError, match=r"no device works.*error: ") as caught_error:
            choice.select_device("0:0")
    assert "\n" not in str(caught_error.value)
    assert len(examined) == len(runtimes.every_device())


def test_a_warning_that_is_an_error_leaves_the_verdict(anything, fresh, monkeypatch):
    monkeypatch.setattr(runtimes, "_build_probe", lambda _: "broken")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="broken"):
            runtimes.defect(runtimes.every_device()[0])
        assert runtimes.defect(runtimes.every_device()[0]) == "broken"


# ---------------------------------------------------------------- devices whose compilers crash


@pytest.fixture
def suspect(anything, fresh, monkeypatch):
    """One device, whose compiler has crashed in an earlier version; the outcomes of its trials."""
    device = runtimes.devices()[0]
    monkeypatch.setattr(runtimes, "_defects", {})
    monkeypatch.setattr(runtimes, "every_device", lambda: (device,))
    monkeypatch.setattr(
        runtimes, "runtime_of", lambda device: vendors.Runtime("shaky", 1, may_crash=True)
    )
    choice._select.cache_clear()
    outcomes = []
    monkeypatch.setattr(runtimes.trial, "fault", lambda device: outcomes.pop())
    return device, outcomes


def later_process(monkeypatch):
    """Forget what only this process knows of devices."""
    monkeypatch.setattr(runtimes, "_defects", {})
    choice._select.cache_clear()


def test_a_device_is_tried_once_for_each_version_of_its_driver(suspect, monkeypatch):
    device, outcomes = suspect
    outcomes[:] = ["", "it crashes"]
    with pytest.warns(RuntimeWarning, match="it crashes: install another version of its driver"):
        assert runtimes.devices() == []
    later_process(monkeypatch)
    with pytest.warns(RuntimeWarning, match="it crashes: install another version of its driver"):
        assert runtimes.devices() == []
    assert outcomes == [""]  # the second process has read the first one's note
    later_process(monkeypatch)
    monkeypatch.setattr(runtimes, "code_identity", lambda device: ("a newer driver",))
    for _ in range(2):
        assert runtimes.devices() == [device]
        later_process(monkeypatch)
    assert outcomes == []


def test_a_trial_without_a_verdict_leaves_the_kernel_of_one_line(suspect):
    device, outcomes = suspect
    outcomes[:] = [None]
    assert runtimes.devices() == [device]


@pytest.mark.filterwarnings("ignore:skipping OpenCL device")
def test_only_a_user_who_names_it_gets_a_device_that_crashes(suspect, caplog):
    device, outcomes = suspect
    outcomes[:] = ["it crashes"]
    for spec in (None, "cpu", "gpu", "accelerator"):
        with pytest.raises(DeviceError, match=r"no device works.*it crashes|no OpenCL device fits"):
            choice.select_device(spec)
    assert caplog.records == []
    for spec in (device.name[:8], "0:0", device.platform.name.lower()):
        assert choice.select_device(spec) == device
        assert repr(spec) in caplog.records.pop().message


def test_a_user_who_names_it_gets_no_device_that_builds_nothing(anything, fresh, monkeypatch):
    monkeypatch.setattr(runtimes, "_build_probe", lambda device: "it builds nothing")
    with pytest.raises(DeviceError, match="it builds nothing"), pytest.warns(RuntimeWarning):
        choice.select_device("0:0")


def test_a_sound_device_passes_its_trial(device):
    assert trial.fault(device) == ""


def test_a_trial_sees_a_wrong_result(device, monkeypatch):
    assert trial._fault_here(device) == ""
    monkeypatch.setattr(trial, "KERNEL", trial.KERNEL.replace("me.item + r * 8]", "me.item]"))
    assert trial._fault_here(device) == "it computes a small kernel wrong"
    monkeypatch.setattr(trial, "KERNEL", "kernel void trial(nothing)")
    assert "fails" in trial._fault_here(device)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such scripts")
@pytest.mark.parametrize(
    ("script", "fault"),
    [
        ("kill -SEGV $$", r"its compiler crashes \(SIGSEGV\) at a small kernel"),
        ("kill -ABRT $$", r"its compiler crashes \(SIGABRT\) at a small kernel"),
        ("exit 77", r"its compiler crashes \(exit status 77\) at a small kernel"),
        ("exec sleep 100", "its compiler takes more than 1 s for a small kernel"),
        ("echo chatter; echo '\"it is wrong\"'", "it is wrong"),
        ("echo '\"\"'", ""),
        ("echo chatter", None),
        ("exit 1", None),  # Python has failed
        ("test $PYCLFFT_CACHE_DIR = $PWD && test $PWD != $OLDPWD && kill -BUS $$", ".*SIGBUS.*"),
    ],
)
def test_what_a_child_says(anything, monkeypatch, tmp_path, script, fault):
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n{script}\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setattr(trial, "SECONDS", 1 if "sleep" in script else 60)
    found = trial.fault(runtimes.every_device()[0])
    assert found is None if fault is None else re.fullmatch(fault, found)


@pytest.mark.parametrize("executable", [None, "", "/nowhere/python3", "/usr/bin/blender"])
def test_no_trial_without_python(anything, monkeypatch, executable):
    monkeypatch.setattr(sys, "executable", executable)
    assert trial.fault(runtimes.every_device()[0]) is None


# ---------------------------------------------------------------- traits, contexts, queues


def test_traits_and_label_of_every_device(anything):
    for device in runtimes.devices():
        traits = describe.traits(device)
        assert traits.compute_units >= 1
        assert 1 <= traits.lanes <= 1024
        assert len(traits.max_work_item_sizes) == 3
        assert min(traits.max_work_group_size, *traits.max_work_item_sizes) >= 1
        assert traits.max_alloc_bytes <= traits.global_mem_bytes
        assert traits.local_mem_bytes >= 16384
        assert describe.device_label(device).startswith(traits.name)
        assert traits.unified_memory or not traits.is_cpu


def test_one_context_for_a_device_that_outlives_its_references(anything):
    for device in runtimes.devices():
        queue = cl.CommandQueue(queues.context_of(device))
        gc.collect()
        buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 16)
        sent, received = np.arange(4, dtype=np.float32), np.empty(4, np.float32)
        cl.enqueue_copy(queue, buffer, sent)
        cl.enqueue_copy(queue, received, buffer)
        assert received.tolist() == sent.tolist()
        assert queues.context_of(device) is queues.context_of(device)


def test_a_queue_for_each_thread_in_one_context(anything, fresh):
    mine = queues.default_queue()
    assert queues.default_queue() is mine
    assert mine.context == queues.context_of(choice.default_device())
    barrier = threading.Barrier(4)

    def others(_):
        barrier.wait()
        return queues.default_queue()

    with ThreadPoolExecutor(4) as pool:
        theirs = list(pool.map(others, range(4)))
    assert len({queue.int_ptr for queue in [mine, *theirs]}) == 5
    assert {queue.context for queue in theirs} == {mine.context}


def test_a_compilers_routine_is_no_warning():
    routine = "(): Warning: Function norm is a kernel, so overriding noinline attribute. The ..."
    assert not vendors.has_warnings("")
    assert not vendors.has_warnings("Compilation started\nCompilation done\n")
    assert not vendors.has_warnings(routine)
    assert not vendors.has_warnings(
        "warning: a.cl:5:2: loop not unrolled: the optimizer was unable"
    )
    assert vendors.has_warnings(routine + "\nnorm.cl:3:1: warning: unused variable 'x'")


# ---------------------------------------------------------------- clocks


def test_clocks(device):
    text = describe.clocks(device)
    rated = device.max_clock_frequency
    assert (f"{rated} MHz at most" in text) == bool(rated)
    if device.type & cl.device_type.CPU and Path("/proc/cpuinfo").exists():
        assert ("now " in text) == ("cpu MHz" in Path("/proc/cpuinfo").read_text())


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("1980, 2619\n", "1980 MHz at most, now 1980 MHz, memory 2619 MHz"),
        ("[N/A]\n", "1980 MHz at most"),
        (OSError("no such command"), "1980 MHz at most"),
    ],
)
def test_clocks_of_a_gpu_that_its_vendor_knows(monkeypatch, answer, expected):
    asked = []

    def run(command, **_):
        asked.append(command)
        if isinstance(answer, OSError):
            raise answer
        return SimpleNamespace(stdout=answer)

    monkeypatch.setattr(describe.subprocess, "run", run)
    monkeypatch.setattr(describe, "traits", lambda device: SimpleNamespace(is_cpu=False))
    gpu = SimpleNamespace(
        vendor="NVIDIA Corporation", max_clock_frequency=1980, pci_domain_id_nv=0,
        pci_bus_id_nv=0x1B, pci_slot_id_nv=0,
    )  # fmt: skip
    assert describe.clocks(gpu) == expected
    assert asked[0][-1] == "00000000:1b:00.0"
    other = SimpleNamespace(vendor="AMD", max_clock_frequency=1700)
    assert describe.clocks(other) == "1700 MHz at most"
    assert len(asked) == 1


def test_a_part_of_a_device(device):
    """One core of a CPU, as OpenCL's sub-devices have it."""
    try:
        part = device.create_sub_devices([cl.device_partition_property.EQUALLY, 1])[0]
    except cl.Error:
        pytest.skip(f"{device.name} has no parts")
    pyclfft.use_device(part)
    try:
        for shape in ((500, 15), (8, 4099), (128, 96)):
            x = noise(shape, "f4")
            for name in ("fft", "rfft", "fft2", "dct"):
                expected = getattr(scipy.fft, name)(x.astype("f8"))
                assert relative_error(getattr(pyclfft, name)(x), expected) < 1e-6
    finally:
        pyclfft.use_device(device)
