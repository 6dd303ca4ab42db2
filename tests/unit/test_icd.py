"""Which runtimes the loader is told of, and the choice among devices; no device is needed."""

from __future__ import annotations

import functools
import importlib.metadata
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pyopencl as cl
import pytest

from pyclfft.errors import DeviceError
from pyclfft.runtime import choice, describe, icd, runtimes, vendors
from pyclfft.runtime.icd import Entry

GPU, CPU, ACCELERATOR = cl.device_type.GPU, cl.device_type.CPU, cl.device_type.ACCELERATOR

no_windows = pytest.mark.skipif(
    sys.platform == "win32", reason="the loader of Windows takes no folder"
)

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


# ---------------------------------------------------------------- the folder for the loader


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache."""
    monkeypatch.setenv("PYCLFFT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "runtimes"


@pytest.fixture
def pointer(monkeypatch):
    """A loader that nobody has been pointed to any runtimes."""
    monkeypatch.setattr(icd, "_pointer", icd._Pointer())
    return icd._pointer


TWO = icd.files_of([Entry("same", "liba.so"), Entry("same", "libb.so")])


def test_the_folder_holds_the_files_and_is_written_once(cache):
    folder = icd.lasting_folder(TWO)
    assert folder.is_absolute()
    assert [entry.library for entry in icd.entries_in(folder)] == ["liba.so", "libb.so"]
    before = [path.stat().st_ino for path in sorted(folder.iterdir())]
    assert icd.lasting_folder(TWO) == folder
    assert [path.stat().st_ino for path in sorted(folder.iterdir())] == before
    assert list(cache.iterdir()) == [folder]


def test_other_runtimes_get_another_folder(cache):
    first = icd.lasting_folder(TWO)
    second = icd.lasting_folder(icd.files_of([Entry("same", "liba.so")]))
    assert first != second
    assert [entry.library for entry in icd.entries_in(first)] == ["liba.so", "libb.so"]
    assert [entry.library for entry in icd.entries_in(second)] == ["liba.so"]


def test_nobody_sees_a_part_of_the_folder(cache, monkeypatch):
    """It has all its files when it gets its name."""
    seen = []
    rename = Path.rename

    def look(path, target):
        seen.append((target.exists(), sorted(each.name for each in path.iterdir())))
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", look)
    folder = icd.lasting_folder(TWO)
    assert seen == [(False, sorted(TWO))]
    assert sorted(path.name for path in folder.iterdir()) == sorted(TWO)


@pytest.mark.parametrize("damage", ["gone", "other text", "no text"])
def test_a_damaged_folder_is_mended(cache, damage):
    folder = icd.lasting_folder(TWO)
    victim = folder / sorted(TWO)[1]
    if damage == "gone":
        victim.unlink()
    else:
        victim.write_bytes(b"libother.so\n" if damage == "other text" else b"\xff\xfe")
    assert icd.lasting_folder(TWO) == folder
    assert [entry.library for entry in icd.entries_in(folder)] == ["liba.so", "libb.so"]


def test_another_process_writes_the_same_folder_first(cache, monkeypatch):
    rename = Path.rename

    def be_late(path, target):
        monkeypatch.setattr(Path, "rename", rename)
        icd.lasting_folder(TWO)
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", be_late)
    folder = icd.lasting_folder(TWO)
    assert [entry.library for entry in icd.entries_in(folder)] == ["liba.so", "libb.so"]
    assert list(cache.iterdir()) == [folder]


def test_folders_that_nobody_has_used_for_long_are_deleted(cache):
    old, new = (icd.lasting_folder({"a.icd": text}) for text in (b"liba.so", b"libb.so"))
    (cache / "mine").mkdir()
    long_ago = 0, 0
    os.utime(old, long_ago)
    os.utime(cache / "mine", long_ago)
    folder = icd.lasting_folder(TWO)
    assert set(cache.iterdir()) == {new, folder, cache / "mine"}
    os.utime(new, long_ago)
    icd.lasting_folder({"a.icd": b"libb.so"})  # is used
    icd.lasting_folder({"a.icd": b"libc.so"})
    assert new.exists()


@no_windows
def test_a_path_that_is_no_text(cache, tmp_path):
    library = tmp_path / os.fsdecode(b"caf\xe9") / "libfirst.so"
    library.parent.mkdir()
    library.touch()
    folder = icd.lasting_folder(icd.files_of([Entry("first", str(library))]))
    assert icd.entries_in(folder) == [Entry("00-first", str(library))]


def test_a_relative_cache_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYCLFFT_CACHE_DIR", "cache")
    assert icd.lasting_folder(TWO).is_absolute()


# ---------------------------------------------------------------- the loader's variable


@no_windows
def test_the_loader_is_pointed_to_the_folder_until_platforms_are_listed(
    machine, cache, pointer, library, monkeypatch
):
    monkeypatch.setattr(icd, "intel_from_pip", lambda: library)
    monkeypatch.setattr(icd, "_ask_loader", lambda: pytest.fail("asked for platforms"))
    icd.point_loader()
    folder = Path(os.environ["OCL_ICD_VENDORS"])
    assert folder.parent == cache
    assert [entry.library for entry in icd.entries_in(folder)] == [str(library)]
    assert icd.user_setting() == ""

    seen = []
    monkeypatch.setattr(icd, "_ask_loader", lambda: seen.append(dict(os.environ)) or [])
    icd._found.__wrapped__()
    assert seen[0]["OCL_ICD_VENDORS"] == str(folder)
    assert "OCL_ICD_VENDORS" not in os.environ
    assert folder.exists()  # for others that inherited the variable


@no_windows
def test_the_folder_follows_the_machine(machine, cache, pointer, library, monkeypatch):
    monkeypatch.setattr(icd, "intel_from_pip", lambda: library)
    icd.point_loader()
    icd_file(machine / "vendors", "pocl", "libpocl.so.2")
    icd.point_loader()
    folder = Path(os.environ["OCL_ICD_VENDORS"])
    assert [entry.library for entry in icd.entries_in(folder)] == ["libpocl.so.2", str(library)]


@no_windows
@pytest.mark.parametrize("name", icd._LOADER_VARIABLES)
def test_setting_of_the_user_is_left_alone(machine, cache, pointer, library, monkeypatch, name):
    monkeypatch.setattr(icd, "intel_from_pip", lambda: library)
    monkeypatch.setattr(icd, "_ask_loader", list)
    monkeypatch.setenv(name, "mine")
    before = dict(os.environ)
    icd.point_loader()
    assert dict(os.environ) == before
    icd._found.__wrapped__()
    assert dict(os.environ) == before
    assert not cache.exists()
    assert f"{name}=mine" in icd.hint([])
    assert icd.asked_too_early([]) == ""


@no_windows
def test_a_setting_of_the_user_after_the_import_stays(
    machine, cache, pointer, library, monkeypatch
):
    monkeypatch.setattr(icd, "intel_from_pip", lambda: library)
    monkeypatch.setattr(icd, "_ask_loader", list)
    icd.point_loader()
    monkeypatch.setenv("OCL_ICD_VENDORS", "mine")
    icd._found.__wrapped__()
    assert os.environ["OCL_ICD_VENDORS"] == "mine"


@no_windows
def test_a_folder_that_was_inherited_is_no_setting_of_the_user(
    machine, cache, pointer, library, monkeypatch
):
    """Such as from a program that imports pyclfft and starts another one before it transforms."""
    monkeypatch.setattr(icd, "intel_from_pip", lambda: library)
    monkeypatch.setenv("OCL_ICD_VENDORS", "/elsewhere/pyclfft-vendors-0123456789abcdef")
    icd.point_loader()
    assert Path(os.environ["OCL_ICD_VENDORS"]).parent == cache
    icd._pointer.take_back()
    assert "OCL_ICD_VENDORS" not in os.environ


@no_windows
def test_a_loader_that_needs_no_help_is_left_alone(machine, cache, pointer):
    icd_file(machine / "vendors", "pocl", "libpocl.so.2")
    icd.point_loader()
    assert "OCL_ICD_VENDORS" not in os.environ
    assert not cache.exists()


@no_windows
def test_a_cache_that_cannot_be_written(machine, pointer, library, monkeypatch, tmp_path):
    """Then a temporary folder holds the files, and only the process that made it deletes it."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("PYCLFFT_CACHE_DIR", str(tmp_path / "file" / "below"))
    monkeypatch.setattr(icd.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(icd, "intel_from_pip", lambda: library)
    at_exit = []
    monkeypatch.setattr(icd.atexit, "register", lambda *call: at_exit.append(call))
    icd.point_loader()
    folder = Path(os.environ["OCL_ICD_VENDORS"])
    assert folder.parent == tmp_path
    assert [entry.library for entry in icd.entries_in(folder)] == [str(library)]
    ((remove, _, owner),) = at_exit
    remove(folder, owner + 1)
    assert folder.exists()
    remove(folder, owner)
    assert not folder.exists()
    icd._pointer.take_back()


@no_windows
def test_without_any_folder_the_systems_runtimes_remain(
    machine, pointer, library, monkeypatch, tmp_path
):
    def refuse(**_):
        raise OSError("no space left on device")

    (tmp_path / "file").touch()
    monkeypatch.setenv("PYCLFFT_CACHE_DIR", str(tmp_path / "file" / "below"))
    monkeypatch.setattr(icd, "intel_from_pip", lambda: library)
    monkeypatch.setattr(icd.tempfile, "mkdtemp", refuse)
    monkeypatch.setattr(icd, "_ask_loader", lambda: [Platform("PoCL")])
    icd.point_loader()
    assert "OCL_ICD_VENDORS" not in os.environ
    assert [platform.name for platform in icd._found.__wrapped__()] == ["PoCL"]
    assert "no space left" in icd.hint(["PoCL"])


def test_the_loader_of_windows_gets_the_library_once(machine, pointer, library, monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(icd, "intel_from_pip", lambda: library)
    mine = "C.dll"
    monkeypatch.setenv("OCL_ICD_FILENAMES", mine)
    icd.point_loader()
    assert os.environ["OCL_ICD_FILENAMES"] == os.pathsep.join([mine, str(library)])
    icd.point_loader()  # as a child does that has inherited it
    assert os.environ["OCL_ICD_FILENAMES"] == os.pathsep.join([mine, str(library)])
    icd._pointer.take_back()
    assert os.environ["OCL_ICD_FILENAMES"] == mine


def test_the_variable_becomes_what_it_was(monkeypatch, pointer):
    monkeypatch.setenv("PYCLFFT_TEST", "before")
    pointer.set("PYCLFFT_TEST", "within")
    assert os.environ["PYCLFFT_TEST"] == "within"
    pointer.take_back()
    assert os.environ["PYCLFFT_TEST"] == "before"


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


def test_hint_says_why_intel_is_absent(machine, pointer, library, monkeypatch):
    assert icd.hint([]) == ""
    monkeypatch.setattr(icd, "intel_from_pip", lambda: library)  # an empty file is no library
    assert "cannot be loaded" in icd.hint(["Portable Computing Language"])
    assert icd.asked_too_early(["Portable Computing Language"]) == ""
    assert icd.hint(["Intel(R) OpenCL"]) == ""
    monkeypatch.setattr(icd.ctypes, "CDLL", lambda _: None)
    assert "listed in this process before pyclfft was imported" in icd.hint([])
    assert icd.hint([]) == icd.asked_too_early([])
    assert icd.asked_too_early(["Intel(R) OpenCL"]) == ""


def test_who_asked_too_early_is_told_so_once(machine, pointer, library, monkeypatch, caplog):
    monkeypatch.setattr(icd, "intel_from_pip", lambda: library)
    monkeypatch.setattr(icd.ctypes, "CDLL", lambda _: None)
    monkeypatch.setattr(icd, "_ask_loader", lambda: [Platform("PoCL")])
    icd._found.__wrapped__()
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "before pyclfft was imported" in caplog.text


def test_an_error_begins_with_what_was_asked_too_early(monkeypatch):
    monkeypatch.setattr(runtimes, "every_device", lambda: ())
    monkeypatch.setattr(icd, "platforms", list)
    monkeypatch.setattr(icd, "_missing", lambda names: Path("libintelocl.so"))
    monkeypatch.setattr(icd, "user_setting", str)
    monkeypatch.setattr(icd, "_why_absent", lambda library: "")
    assert choice._failure("", []).startswith(
        "OpenCL's platforms were listed in this process before"
    )
    assert "(no OpenCL device" in choice._failure("", [])


def test_a_setting_that_hides_intels_runtime_is_named_before_what_to_install(monkeypatch):
    monkeypatch.setenv("OCL_ICD_VENDORS", "/empty")
    monkeypatch.setattr(icd, "intel_from_pip", lambda: Path("libintelocl.so"))
    monkeypatch.setattr(icd, "platforms", list)
    remedy = "OCL_ICD_VENDORS=/empty hides Intel's CPU runtime, which is installed: unset OCL_ICD_V"
    for found, spec in (((), ""), ((), "intel"), ((World.pocl,), "intel")):
        monkeypatch.setattr(runtimes, "every_device", lambda found=found: found)
        message = choice._failure(spec, [])
        assert remedy in message
        before, _, behind = message.partition(remedy)
        assert vendors.remedies() not in before
        assert (vendors.remedies() in behind) == (not found)
    assert "hides" not in icd.hint(["Intel(R) OpenCL"])


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
    assert runtimes.in_order(world.all()) == [
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
    names = [device.name for device in runtimes.in_order(world.all())]
    assert [device.name for device in runtimes.in_order(reversed(world.all()))] == names


def test_platforms_are_numbered_in_order_of_preference(world):
    groups = runtimes.by_platform(runtimes.in_order(world.all()))
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
        ("authenticamd", ""),  # a vendor
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
        ("1", "pocl_cuda pocl"),
        ("0", "first second"),
        ("99", ""),
        ("0:", ""),
        ("3.1", ""),  # a version, of PoCL
        ("3.0", ""),  # of all
        ("mesa", ""),  # a vendor, of rusticl
        ("oclgrind", "oclgrind"),
    ],
)
def test_what_a_person_may_call_a_device(world, spec, expected):
    found = choice.matching(spec, runtimes.in_order(world.all()))
    assert found == [getattr(world, name) for name in expected.split()]


# ---------------------------------------------------------------- several that fit, and none


@pytest.fixture
def all_sound(world, monkeypatch):
    """Every device of paper is usable, and there are two runtimes without devices."""
    asleep = [Platform("rusticl", "Mesa/X.org"), Platform("Clover", "Mesa")]
    found = {device.platform: None for device in world.all()}
    monkeypatch.setattr(icd, "platforms", lambda: [*found, *asleep])
    monkeypatch.setattr(icd, "hint", lambda names: "")
    monkeypatch.setattr(icd, "asked_too_early", lambda names: "")
    monkeypatch.setattr(runtimes, "defect", lambda device: "")
    monkeypatch.setattr(runtimes, "every_device", lambda: tuple(runtimes.in_order(world.all())))
    choice._select.cache_clear()
    yield asleep
    choice._select.cache_clear()


@pytest.mark.parametrize(
    ("spec", "taken", "places"),
    [
        ("nvidia", "0:0", "0:0, 0:1, 1:0"),
        ("portable", "1:0", "1:0, 1:1"),
        ("gpu", "", ""),
        ("CPU", "", ""),
        ("accelerator", "", ""),
        ("0", "", ""),
        ("1:1", "", ""),
        ("radeon", "", ""),
    ],
)
def test_a_name_that_fits_several_says_which_was_taken(all_sound, caplog, spec, taken, places):
    for _ in range(2):  # it is said once
        choice.select_device(spec)
    warned = [record.message for record in caplog.records if record.levelname == "WARNING"]
    if not taken:
        assert warned == []
        return
    (line,) = warned
    assert repr(spec) in line
    assert f"({places}): taking {taken} " in line


def test_runtimes_without_devices(all_sound):
    assert [platform.name for platform, _ in runtimes.without_devices()] == ["rusticl", "Clover"]
    (_, rusticl), (_, clover) = runtimes.without_devices()
    assert "RUSTICL_ENABLE" in rusticl
    assert clover == ""


def test_the_error_names_runtimes_without_devices(all_sound, monkeypatch):
    with pytest.raises(
        DeviceError, match=r"there is: 0:0 .*rusticl shows no device.*RUSTICL_ENABLE"
    ):
        choice.select_device("voodoo")
    with pytest.raises(
        DeviceError, match="no OpenCL platform has the number '3090'; there is: 0:0 "
    ):
        choice.select_device("3090")
    monkeypatch.setattr(icd, "platforms", lambda: all_sound)
    monkeypatch.setattr(runtimes, "every_device", lambda: ())
    choice._select.cache_clear()
    with pytest.raises(DeviceError) as caught:
        choice.select_device("gpu")
    message = str(caught.value)
    assert message.startswith("no OpenCL device on this machine; the runtime rusticl shows no dev")
    assert "RUSTICL_ENABLE" in message
    assert "the runtime Clover shows no device. Ways to get one" in message


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


PIP = "pip install intel-opencl-rt intel-cmplr-lib-rt"


@pytest.mark.parametrize(
    ("system", "machine", "expected", "unexpected"),
    [
        ("linux", "x86_64", PIP, "conda"),
        ("linux", "aarch64", "pocl-opencl-icd", PIP),
        ("win32", "AMD64", PIP, "apt"),
        ("win32", "ARM64", "driver", PIP),
        ("darwin", "arm64", "conda", PIP),
        ("freebsd14", "amd64", "PoCL", PIP),
    ],
)
def test_remedies_fit_the_system(monkeypatch, system, machine, expected, unexpected):
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(vendors.host, "machine", lambda: machine)
    assert expected in vendors.remedies()
    assert unexpected not in vendors.remedies()
    assert "\n" not in vendors.remedies()


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
    assert runtimes._end_of(log).startswith(end)


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
    traits = describe.traits(Refusing())
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
    traits = describe.traits(type("Some", (Refusing,), {"svm_capabilities": answer})())
    assert (traits.shared_buffers, traits.system_svm) == (buffers, system)


def test_whose_compiler_makes_vectors(world):
    for type_, platform, expected in (
        (CPU, world.pocl.platform, False),
        (GPU, world.pocl_cuda.platform, True),
        (CPU, world.intel.platform, True),
    ):
        some = type("Some", (Refusing,), {"type": type_, "platform": platform})()
        assert describe.traits(some).vectorizes == expected
    assert describe.traits(type("Some", (Refusing,), {"type": CPU})()).vectorizes


@pytest.mark.parametrize(
    ("answers", "lanes"),
    [({"warp_size_nv": 32}, 32), ({"wavefront_width_amd": 64}, 64), ({}, 32)],
)
def test_lanes_of_a_gpu(answers, lanes):
    gpu = type("Gpu", (Refusing,), {"type": GPU, "extensions": "cl_khr_fp64", **answers})()
    traits = describe.traits(gpu)
    assert (traits.lanes, traits.is_cpu, traits.fp64) == (lanes, False, True)
    assert not traits.unified_memory


def test_a_simulator_of_every_type_is_no_cpu():
    both = type("Both", (Refusing,), {"type": GPU | CPU})()
    assert not describe.traits(both).is_cpu
