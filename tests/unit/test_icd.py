"""Which runtimes the loader is told of, and the choice among devices; no device is needed."""

from __future__ import annotations

import contextlib
import functools
import importlib.metadata
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pyopencl as cl
import pytest

from pyclfft.runtime import device as dev
from pyclfft.runtime import icd
from pyclfft.runtime.icd import Entry

GPU, CPU, ACCELERATOR = cl.device_type.GPU, cl.device_type.CPU, cl.device_type.ACCELERATOR

# ---------------------------------------------------------------- .icd files


def icd_file(folder: Path, name: str, library: str) -> None:
    folder.mkdir(exist_ok=True, parents=True)
    (folder / f"{name}.icd").write_text(library)


@pytest.fixture
def library(tmp_path):
    path = tmp_path / "lib" / "libfirst.so.1"
    path.parent.mkdir()
    path.touch()
    return path


def test_entries_of_a_folder(tmp_path, library):
    icd_file(tmp_path, "b", "libbare.so.2")
    icd_file(tmp_path, "a", f"{library}\n")
    icd_file(tmp_path, "gone", "/opt/anaconda1anaconda2anaconda3/lib/libintelocl.so\n")
    icd_file(tmp_path, "empty", "\n")
    (tmp_path / "folder.icd").mkdir()
    (tmp_path / "other.txt").write_text("libother.so")
    assert icd.entries_in(tmp_path) == [Entry("a", str(library)), Entry("b", "libbare.so.2")]


def test_entries_of_no_folder(tmp_path):
    assert icd.entries_in(tmp_path / "none") == []


def test_merged_keeps_each_library_once(library):
    link = library.with_name("libfirst.so")
    link.symlink_to(library)
    one, other = Entry("one", str(library)), Entry("other", str(link))
    assert icd.merged([one, other]) == [one]
    assert icd.merged([one], [other]) == [one]


def test_merged_adds_no_second_copy_of_a_runtime():
    system = [Entry("pocl", "libpocl.so.2.10.0"), Entry("nvidia", "libnvidia-opencl.so.1")]
    conda = [Entry("pocl", "/conda/lib/libpocl.so.2"), Entry("intel", "/conda/libintelocl.so")]
    assert icd.merged(system, conda) == [*system, conda[1]]


def test_merged_keeps_versions_that_one_source_wants():
    rocm = [Entry(v, f"/opt/rocm-{v}/lib/libamdocl64.so") for v in ("5.7", "6.1")]
    assert icd.merged(rocm) == rocm


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with an empty vendors folder, an empty prefix and no unregistered runtime."""
    monkeypatch.setattr(icd, "_SYSTEM_FOLDER", tmp_path / "vendors")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "prefix"))
    monkeypatch.setattr(icd, "_NVIDIA_SIGN", tmp_path / "none")
    monkeypatch.setattr(icd, "intel_from_pip", lambda: None)
    for name in icd._LOADER_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_nothing_to_write_where_the_system_has_all(machine):
    assert icd.entries_to_write() == []
    icd_file(machine / "vendors", "pocl", "libpocl.so.2")
    icd_file(machine / "prefix/etc/OpenCL/vendors", "pocl", "libpocl.so.2")
    assert icd.entries_to_write() == []


def test_system_environment_pip_and_container_are_merged(machine, library, monkeypatch):
    icd_file(machine / "vendors", "pocl", "libpocl.so.2")
    icd_file(machine / "prefix/etc/OpenCL/vendors", "rusticl", "libRusticlOpenCL.so")
    monkeypatch.setattr(icd, "intel_from_pip", lambda: library)
    monkeypatch.setattr(icd, "_NVIDIA_SIGN", library)
    assert [entry.library for entry in icd.entries_to_write()] == [
        "libpocl.so.2",
        "libRusticlOpenCL.so",
        str(library),
        "libnvidia-opencl.so.1",
    ]


def test_written_files_read_back(tmp_path):
    entries = [Entry("same", "liba.so"), Entry("same", "libb.so")]
    icd.write(entries, tmp_path)
    assert [entry.library for entry in icd.entries_in(tmp_path)] == ["liba.so", "libb.so"]


@pytest.mark.skipif(sys.platform == "win32", reason="the loader of Windows takes no folder")
def test_loader_sees_the_folder_only_for_a_while(machine, library, monkeypatch):
    monkeypatch.setattr(icd, "intel_from_pip", lambda: library)
    with icd._all_runtimes_visible():
        folder = Path(os.environ["OCL_ICD_VENDORS"])
        assert [entry.library for entry in icd.entries_in(folder)] == [str(library)]
    assert not folder.exists()
    assert "OCL_ICD_VENDORS" not in os.environ


@pytest.mark.parametrize("name", icd._LOADER_VARIABLES)
def test_setting_of_the_user_is_left_alone(machine, library, monkeypatch, name):
    monkeypatch.setattr(icd, "intel_from_pip", lambda: library)
    monkeypatch.setenv(name, "mine")
    before = dict(os.environ)
    with icd._all_runtimes_visible():
        assert dict(os.environ) == before
    assert f"{name}=mine" in icd.hint([])


def test_environment_is_restored_after_an_error(monkeypatch):
    monkeypatch.setenv("PYCLFFT_TEST", "before")
    with contextlib.suppress(KeyError), icd._environment("PYCLFFT_TEST", "within"):
        assert os.environ["PYCLFFT_TEST"] == "within"
        raise KeyError
    assert os.environ["PYCLFFT_TEST"] == "before"


def test_without_a_temporary_folder_the_systems_runtimes_remain(machine, library, monkeypatch):
    def refuse(**_):
        raise OSError("no space left on device")

    monkeypatch.setattr(icd, "intel_from_pip", lambda: library)
    monkeypatch.setattr(icd.tempfile, "TemporaryDirectory", refuse)
    monkeypatch.setattr(icd, "_ask_loader", lambda: [Platform("PoCL")])
    assert [platform.name for platform in icd._found.__wrapped__()] == ["PoCL"]


# ---------------------------------------------------------------- Intel's runtime from pip


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A list of installed files, all of them below the temporary folder."""

    def install(*names: str) -> None:
        found = [
            SimpleNamespace(name=n, locate=functools.partial(Path, tmp_path, n)) for n in names
        ]
        monkeypatch.setattr(importlib.metadata, "files", lambda _: found)

    return install


def test_intel_is_found_among_the_installed_files(tmp_path, installed):
    installed("libOpenCL.so", "libintelocl.so")
    assert icd.intel_from_pip() is None  # as pip install --target leaves it
    (tmp_path / "libintelocl.so").touch()
    assert icd.intel_from_pip() == (tmp_path / "libintelocl.so").resolve()


def test_intel_is_not_installed(monkeypatch):
    def absent(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "files", absent)
    assert icd.intel_from_pip() is None


def test_hint_says_why_intel_is_absent(machine, library, monkeypatch):
    assert icd.hint([]) == ""
    monkeypatch.setattr(icd, "intel_from_pip", lambda: library)  # an empty file is no library
    assert "cannot be loaded" in icd.hint(["Portable Computing Language"])
    assert icd.hint(["Intel(R) OpenCL"]) == ""
    monkeypatch.setattr(icd.ctypes, "CDLL", lambda _: None)
    assert "before anything else lists OpenCL platforms" in icd.hint([])


# ---------------------------------------------------------------- platforms and devices of paper


@dataclass(eq=False)
class Platform:
    name: str
    vendor: str = ""
    version: str = "OpenCL 3.0"
    devices: list = field(default_factory=list)

    def get_devices(self):
        return self.devices

    def add(self, name: str, kind: int = GPU, **more) -> Device:
        self.devices.append(Device(name, kind, self, **more))
        return self.devices[-1]


@dataclass(eq=False)
class Device:
    name: str
    type: int
    platform: Platform
    vendor: str = ""
    host_unified_memory: bool = False
    driver_version: str = "1.0"


class World:
    """One device of every sort."""

    oclgrind = Platform("Oclgrind", "Oclgrind").add("Oclgrind Simulator", GPU | CPU | ACCELERATOR)
    emulator = Platform("Intel(R) FPGA Emulation Platform for OpenCL(TM)").add("emu", ACCELERATOR)
    rusticl = Platform("rusticl", "Mesa/X.org").add("AMD Radeon RX 6800 (radeonsi)")
    pocl_platform = Platform("Portable Computing Language", version="OpenCL 3.0 PoCL 3.1")
    pocl = pocl_platform.add("pthread-AMD EPYC", CPU, vendor="AuthenticAMD")
    pocl_cuda = pocl_platform.add("NVIDIA H200")
    intel = Platform("Intel(R) OpenCL", "Intel(R) Corporation").add("AMD EPYC", CPU)
    iris = Platform("Intel(R) OpenCL Graphics").add("Intel(R) Iris(R) Xe", host_unified_memory=True)
    cuda = Platform("NVIDIA CUDA", "NVIDIA Corporation")
    first, second = cuda.add("NVIDIA H200"), cuda.add("NVIDIA H200")
    fpga = Platform("Some FPGA").add("card", ACCELERATOR)

    def all(self) -> list[Device]:
        return [value for value in vars(World).values() if isinstance(value, Device)]


@pytest.fixture
def world():
    return World()


def test_order_of_preference(world):
    assert dev.in_order(world.all()) == [
        world.first,
        world.second,
        world.pocl_cuda,
        world.rusticl,
        world.iris,
        world.fpga,
        world.intel,
        world.pocl,
        world.oclgrind,
        world.emulator,
    ]


def test_order_does_not_depend_on_the_loader(world):
    names = [device.name for device in dev.in_order(world.all())]
    assert [device.name for device in dev.in_order(reversed(world.all()))] == names


def test_platforms_are_numbered_in_order_of_preference(world):
    groups = dev.by_platform(dev.in_order(world.all()))
    assert [platform.name for platform, _ in groups[:2]] == [
        "NVIDIA CUDA",
        "Portable Computing Language",
    ]
    assert groups[1][1] == [world.pocl_cuda, world.pocl]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("nvidia", "first second pocl_cuda"),
        ("NVIDIA cuda", "first second"),
        ("pocl", "pocl_cuda pocl"),
        ("portable", "pocl_cuda pocl"),
        ("epyc", "intel pocl"),
        ("authenticamd", "pocl"),
        ("intel", "iris intel emulator"),
        ("cpu", "intel pocl oclgrind"),
        ("GPU", "first second pocl_cuda rusticl iris oclgrind"),
        ("accelerator", "fpga oclgrind emulator"),
        ("0:0", "first"),
        ("0:1", "second"),
        ("1:1", "pocl"),
        ("0:2", ""),
        ("99:0", ""),
        ("H200", "first second pocl_cuda"),
        ("voodoo", ""),
    ],
)
def test_what_a_person_may_call_a_device(world, spec, expected):
    found = dev.matching(spec, dev.in_order(world.all()))
    assert found == [getattr(world, name) for name in expected.split()]


def test_one_runtime_from_two_files_is_kept_once():
    twice = [Platform("PoCL", version="3.1"), Platform("PoCL", version="3.1")]
    for platform in twice:
        platform.add("pthread", CPU)
    newer = Platform("PoCL", version="6.0")
    newer.add("pthread", CPU)
    assert icd.without_repeats([*twice, newer]) == [twice[0], newer]


def test_platforms_for_two_families_of_gpus_are_both_kept():
    both = [Platform("Intel(R) OpenCL Graphics"), Platform("Intel(R) OpenCL Graphics")]
    both[0].add("Arc A770")
    both[1].add("Iris Xe")
    assert icd.without_repeats(both) == both


@pytest.mark.parametrize(
    ("system", "machine", "expected", "unexpected"),
    [
        ("linux", "x86_64", "pyclfft[cpu]", "conda"),
        ("linux", "aarch64", "pocl-opencl-icd", "pyclfft[cpu]"),
        ("win32", "AMD64", "pyclfft[cpu]", "apt"),
        ("win32", "ARM64", "driver", "pyclfft[cpu]"),
        ("darwin", "arm64", "conda", "pyclfft[cpu]"),
        ("freebsd14", "amd64", "PoCL", "pyclfft[cpu]"),
    ],
)
def test_remedies_fit_the_system(monkeypatch, system, machine, expected, unexpected):
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(dev.host, "machine", lambda: machine)
    assert expected in dev.remedies()
    assert unexpected not in dev.remedies()
    assert "\n" not in dev.remedies()


@pytest.mark.parametrize(
    ("log", "end"),
    [
        ("1:1: error: unknown target CPU 'generic'\n  note\n", "1:1: error: unknown target CPU"),
        ("\0\n  Compilation failed \n\n", "Compilation failed"),
        ("a\nb\nc\n", "b; c"),
        ("", ""),
    ],
)
def test_end_of_a_log(log, end):
    assert dev._end_of(log).startswith(end)


# ---------------------------------------------------------------- traits


class Refusing:
    """A device that answers only what OpenCL 1.0 knows, as old or odd runtimes do."""

    type = CPU
    name = " Old CPU "
    max_compute_units = 2
    max_work_group_size = 1024
    max_work_item_sizes = (1024, 1, 1)
    local_mem_size = 32768
    global_mem_size = 2**32
    max_mem_alloc_size = 2**30

    def __getattr__(self, name):
        raise cl.LogicError(f"clGetDeviceInfo failed: INVALID_VALUE ({name})")


def test_traits_of_a_device_that_refuses_questions():
    traits = dev.traits(Refusing())
    assert (traits.name, traits.is_cpu, traits.lanes) == ("Old CPU", True, 1)
    assert (traits.fp64, traits.fp16, traits.unified_memory) == (False, False, True)
    assert traits.max_work_item_sizes == (1024, 1, 1)
    assert not traits.shared_buffers
    assert not traits.system_svm


@pytest.mark.parametrize(
    ("answer", "buffers", "system"),
    [(0, False, False), (1, False, False), (11, True, False), (15, True, True)],
)
def test_what_host_and_kernels_share(answer, buffers, system):
    traits = dev.traits(type("Some", (Refusing,), {"svm_capabilities": answer})())
    assert (traits.shared_buffers, traits.system_svm) == (buffers, system)


def test_whose_compiler_makes_vectors(world):
    for type_, platform, expected in (
        (CPU, world.pocl.platform, False),
        (GPU, world.pocl_cuda.platform, True),
        (CPU, world.intel.platform, True),
    ):
        some = type("Some", (Refusing,), {"type": type_, "platform": platform})()
        assert dev.traits(some).vectorizes == expected
    assert dev.traits(type("Some", (Refusing,), {"type": CPU})()).vectorizes


@pytest.mark.parametrize(
    ("answers", "lanes"),
    [({"warp_size_nv": 32}, 32), ({"wavefront_width_amd": 64}, 64), ({}, 32)],
)
def test_lanes_of_a_gpu(answers, lanes):
    gpu = type("Gpu", (Refusing,), {"type": GPU, "extensions": "cl_khr_fp64", **answers})()
    traits = dev.traits(gpu)
    assert (traits.lanes, traits.is_cpu, traits.fp64) == (lanes, False, True)
    assert not traits.unified_memory


def test_a_simulator_of_every_type_is_no_cpu():
    both = type("Both", (Refusing,), {"type": GPU | CPU})()
    assert not dev.traits(both).is_cpu
