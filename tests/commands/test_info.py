"""The command `info`, its self-test and its report, on every runtime found."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyopencl as cl
import pytest

import pyclfft
from pyclfft import __main__ as commands
from pyclfft import info, report, selftest, selftest_cases
from pyclfft.errors import DeviceError
from pyclfft.runtime import describe, icd, queues, runtimes, vendors

ROOT = Path(pyclfft.__path__[0]).parent
SINGLE = sum("single" in case.precisions for case in selftest_cases.CASES)
DOUBLE = sum("double" in case.precisions for case in selftest_cases.CASES)


def run(*arguments, command="info", cwd=None, **environment):
    """Run the command in a process of its own, with no choice of device but what is given."""
    env = {name: value for name, value in os.environ.items() if name != "PYCLFFT_DEVICE"}
    env["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), env.get("PYTHONPATH"))))
    return subprocess.run(
        [sys.executable, "-m", "pyclfft", command, *arguments],
        env=env | environment,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=600,
    )


def index_of(device):
    return next(index for index, each in info.numbered(runtimes.listing()) if each == device)


def checks(device):
    return SINGLE + (DOUBLE if describe.traits(device).fp64 else 0)


def checked_lines(text):
    """Words of every line that a check has printed."""
    lines = [line.split() for line in text.splitlines() if line.startswith("  ")]
    return [words for words in lines if {"single", "double"} & set(words)]


@pytest.fixture
def all_devices():
    if not (found := pyclfft.devices()):
        pytest.skip("no device")
    return found


# ---------------------------------------------------------------- the tables


def marked(text):
    """What stands behind the marks: the chosen device's index, once in each table."""
    return [line.split()[1] for line in text.splitlines() if line.startswith("* ")]


def test_every_runtime_and_device_is_shown(all_devices):
    process = run()
    assert process.returncode == 0, process.stderr
    assert process.stderr == ""
    words = " ".join(process.stdout.split())
    for platform, _ in runtimes.listing():
        assert " ".join(platform.name.split()) in words
        assert " ".join(platform.version.split()) in words
    for index, device in info.numbered(runtimes.listing()):
        assert f"{index} {' '.join(device.name.split())}, OpenCL" in words
        assert f"driver {device.driver_version.strip()}" in words
        assert f" {index} {info.type_of(device)} {device.max_compute_units} " in words
        # A CPU's is the machine's, which grows on some virtual machines between two processes.
        size = device.local_mem_size if describe.traits(device).is_cpu else device.global_mem_size
        assert info.in_bytes(size) in words
    for version in (pyclfft.__version__, cl.VERSION_TEXT, np.__version__):
        assert version in words
    assert str(pyclfft.files.cache_dir()) in words
    assert max(map(len, process.stdout.splitlines())) <= report.WIDTH
    assert marked(process.stdout) == [index_of(all_devices[0])] * 2


def test_it_says_where_tuned_parameters_come_from(device, monkeypatch):
    monkeypatch.setattr(info.wisdom, "origins_of", lambda device: {"user": 3, "device": 12})
    text = " ".join(info.overview(info.examined(), device).split())
    assert "; tuned problems: 3 by user, 12 by device" in text
    monkeypatch.setattr(info.wisdom, "origins_of", lambda device: {})
    assert "tuned" not in info.overview(info.examined(), device)


def test_a_device_is_marked(device, capsys):
    index = index_of(device)
    assert info.main(["--device", index]) == 0
    out = capsys.readouterr().out
    assert marked(out) == [index, index]
    assert f"(* --device {index})" in out


def test_the_environment_marks_the_default(all_devices):
    index = index_of(all_devices[-1])
    process = run(PYCLFFT_DEVICE=index)
    assert process.returncode == 0, process.stderr
    assert marked(process.stdout) == [index, index]


LONG = "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition"


class Imagined(SimpleNamespace):
    """A device that does not exist. Like a real one it can be the key of a cache."""

    __hash__ = object.__hash__


def imagined(name, **more):
    """A device that answers what `traits` and the tables ask."""
    answers = {
        "name": name,
        "type": cl.device_type.GPU | cl.device_type.DEFAULT,
        "version": "OpenCL 3.0 CUDA",
        "driver_version": "580.65.06",
        "extensions": "cl_khr_fp64",
        "max_compute_units": 188,
        "max_work_group_size": 1024,
        "max_work_item_sizes": [1024, 1024, 64],
        "local_mem_size": 48 * 2**10,
        "global_mem_size": 102_002_000_000,
        "max_mem_alloc_size": 25_500_500_000,
        "platform": SimpleNamespace(name="NVIDIA CUDA", vendor="", version="OpenCL 3.0"),
    }
    return Imagined(**answers | more)


def test_four_gpus_with_long_names_are_readable(monkeypatch):
    monkeypatch.setattr(info, "defect", lambda device: "")
    gpus = [imagined(f"{LONG} {n}") for n in range(4)]
    platforms = [(gpus[0].platform, gpus), (SimpleNamespace(name="other", version="OpenCL 3"), [])]
    text = info.overview(platforms, gpus[2])
    lines = text.splitlines()
    assert max(map(len, lines)) <= report.WIDTH
    assert marked(text) == ["0:2", "0:2"]
    for n in range(4):
        assert (
            sum(f"0:{n}  {LONG} {n}, OpenCL 3.0, driver 580.65.06" in each for each in lines) == 1
        )
    row = [
        "GPU",
        "188",
        "1024",
        "1024x1024x64",
        "48",
        "KiB",
        "95",
        "GiB",
        "23.7",
        "GiB",
        "yes",
        "no",
    ]
    assert [line.split()[1:] for line in lines if "1024x" in line and "*" not in line] == [row] * 3


def test_a_device_that_is_not_usable_is_shown_with_the_reason(monkeypatch):
    good, broken, silent = (imagined(name) for name in ("good", "broken", "silent"))
    del silent.max_compute_units
    reasons = {"broken": "error: unknown target CPU 'generic' " + 20 * "and so on "}
    monkeypatch.setattr(info, "defect", lambda device: reasons.get(device.name, ""))

    def traits(device):
        if device is silent:
            raise cl.LogicError("clGetDeviceInfo failed: INVALID_VALUE")
        return describe.traits(device)

    monkeypatch.setattr(info, "traits", traits)
    text = info.overview([(good.platform, [good, broken, silent])], good)
    words = " ".join(text.split())
    assert f"broken, OpenCL 3.0, driver 580.65.06 not used: {reasons['broken'].strip()}" in words
    assert max(map(len, text.splitlines())) <= report.WIDTH
    limits = text[text.index("units") :].splitlines()[1:4]
    assert [line.split()[0] for line in limits[:2]] == ["*", "0:2"]
    assert set(limits[1].split()[1:]) == {"?"}
    assert limits[2] == ""


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (49152, "48 KiB"), (3 * 2**29, "1.5 GiB"),
     (2**44, "16384 GiB")],
)  # fmt: skip
def test_bytes(count, text):
    assert info.in_bytes(count) == text


def test_types():
    both = SimpleNamespace(type=cl.device_type.CPU | cl.device_type.GPU | cl.device_type.DEFAULT)
    assert info.type_of(both) == "CPU|GPU"


# ---------------------------------------------------------------- without a device


def check_one_line(process, *parts):
    assert process.returncode == 2
    assert process.stderr.startswith("pyclfft info: error: ")
    assert process.stderr.count("\n") == 1
    assert all(part in process.stderr for part in parts)


def test_no_device_names_the_ways_to_get_one(tmp_path):
    process = run("--selftest", OCL_ICD_VENDORS=str(tmp_path))
    check_one_line(process, "no OpenCL device on this machine", vendors.remedies())
    assert f"pyclfft   {pyclfft.__version__}" in process.stdout
    assert "Runtimes" not in process.stdout


def test_a_report_without_a_device(tmp_path):
    process = run("--report", cwd=tmp_path, OCL_ICD_VENDORS=str(tmp_path))
    check_one_line(process, "no OpenCL device")
    text = (tmp_path / info.REPORT).read_text()
    assert "No device: no OpenCL device on this machine" in text
    assert "OCL_ICD_VENDORS" in text


@pytest.mark.parametrize("name", ["missing/a.txt", "."])
def test_a_report_that_cannot_be_written_is_refused_before_the_checks(name, tmp_path, capsys):
    path = tmp_path / name
    assert info.main(["--report", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"pyclfft info: error: {path}: ")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_device(all_devices):
    process = run("--device", "voodoo", "--selftest")
    check_one_line(process, "'voodoo'", "there is: 0:0 ")
    assert "Runtimes and devices" in process.stdout
    assert not checked_lines(process.stdout)


# ---------------------------------------------------------------- self-test


def test_the_cases_cover_what_they_have_to():
    transforms = [
        case for case in selftest_cases.CASES if isinstance(case, selftest_cases.Transform)
    ]
    lengths = [[case.shape[axis] for axis in case.axes] for case in transforms]
    assert {case.direction for case in transforms} == {"forward", "inverse"}
    assert any(n & (n - 1) for each in lengths for n in each)
    assert any(len(each) == 2 and each[0] != each[1] for each in lengths)
    assert any(len(case.axes) < len(case.shape) for case in transforms)
    assert any(isinstance(case, selftest_cases.HighPass) for case in selftest_cases.CASES)
    assert SINGLE >= 12
    assert DOUBLE >= 11


@pytest.mark.one_cpu
def test_every_check_passes(device):
    outcomes = list(selftest_cases.check(device))
    assert len(outcomes) == checks(device)
    assert [each for each in outcomes if not each.passed] == []
    assert all(each.error > 0 for each in outcomes)  # two ways to compute it, not one


def test_selftest_of_one_device(device, capsys):
    assert info.main(["--selftest", "--device", index_of(device)]) == 0
    out = capsys.readouterr().out
    assert out.count("Self-test of") == 1
    assert f"Self-test of {index_of(device)} {describe.device_label(device)}" in out
    lines = checked_lines(out)
    assert len(lines) == checks(device)
    assert all(words[-1] == "pass" for words in lines)
    assert f"  pass: {checks(device)} checks in " in out


def test_selftest_of_all_devices(all_devices):
    process = run("--selftest")
    assert process.returncode == 0, process.stdout + process.stderr
    assert process.stderr == ""
    assert process.stdout.count("  pass: ") == len(all_devices)
    assert len(checked_lines(process.stdout)) == sum(map(checks, all_devices))


def test_selftest_is_a_command_and_says_at_its_start_how_long_it_takes(device, capsys):
    assert commands.main(["selftest", "--device", index_of(device)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert f"{checks(device)} checks on one device take up to " in out.splitlines()[1]
    assert "and seconds from then on; --quick makes a few of them" in out.splitlines()[2]
    assert len(checked_lines(out)) == checks(device)


def test_a_quick_selftest_is_a_part_of_it_with_every_family(device, capsys):
    assert selftest.main(["--quick", "--device", index_of(device)]) == 0
    quick = selftest_cases.count(device, quick=True)
    lines = checked_lines(capsys.readouterr().out)
    assert len(lines) == quick <= 5
    assert {"batch", "half", "high"} < {words[0] for words in lines}
    assert any("1009" in words for words in lines)  # a length for Bluestein's algorithm
    known = {
        (case.name, precision) for case in selftest_cases.CASES for precision in case.precisions
    }
    assert known >= selftest_cases.QUICK


def test_the_selftest_of_info_can_be_quick(device, capsys):
    assert info.main(["--selftest", "--quick", "--device", index_of(device)]) == 0
    assert len(checked_lines(capsys.readouterr().out)) == selftest_cases.count(device, quick=True)


def test_quick_without_checks_is_refused(capsys):
    assert info.main(["--quick"]) == 2
    assert "add --selftest or --report" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("checks", "devices", "quick", "said"),
    [
        (10, 2, True, "10 checks on 2 devices take up to 14 s the first time, "),
        (71, 2, False, "71 checks on 2 devices take up to 2 minutes the first time, "),
        (35, 1, False, "35 checks on one device take up to 49 s the first time, "),
    ],
)
def test_how_long_it_takes(checks, devices, quick, said):
    text = selftest.expectation(checks, devices, quick)
    assert text.startswith(said)
    assert ("--quick" in text) != quick


def test_a_quiet_selftest_tells_only_failures(all_devices, monkeypatch, capsys):
    monkeypatch.setattr(selftest_cases, "CASES", selftest_cases.CASES[:1])
    here = ["-q", "--device", index_of(all_devices[0])]
    assert selftest.main(here) == 0
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(selftest_cases, "relative_error", lambda *_: 1.0)
    assert selftest.main(here) == 1
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith("1-D forward, 1024 ")
    assert f"on {index_of(all_devices[0])} {describe.device_label(all_devices[0])}" in out


def test_selftest_without_a_device(tmp_path):
    process = run(command="selftest", OCL_ICD_VENDORS=str(tmp_path))
    assert process.returncode == 2
    assert process.stdout == ""
    assert process.stderr.startswith("pyclfft selftest: error: no OpenCL device")
    assert process.stderr.count("\n") == 1


@pytest.fixture
def bent(monkeypatch):
    """Let something happen to every result of a plan."""

    def bend(change):
        class Bent(selftest_cases.Plan):
            def __call__(self, x, *args, **kwargs):
                return change(super().__call__(x, *args, **kwargs))

        monkeypatch.setattr(selftest_cases, "Plan", Bent)

    return bend


WRONG = {
    "a little": lambda y: y * (1 + 2e-6),
    "one element": lambda y: np.where(np.arange(y.size).reshape(y.shape) == 5, y + 1, y),
    "not a number": lambda y: y * math.nan,
    "nothing": np.zeros_like,
    "conjugate": lambda y: np.conj(y) if y.dtype.kind == "c" else -y,
    "shape": lambda y: y[..., :-1],
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_results_fail(device, bent, capsys, wrong):
    bent(WRONG[wrong])
    assert info.main(["--selftest", "--device", index_of(device)]) == 1
    lines = checked_lines(capsys.readouterr().out)
    assert len(lines) == checks(device)
    for words in lines:
        filtered = words[:2] == ["high", "pass"]
        assert (words[-1] == "pass") == filtered
        assert any(word.startswith("FAIL") for word in words) != filtered


def test_single_precision_is_no_double(device, bent, fp64):
    bent(lambda y: y.astype(np.complex64 if y.dtype.kind == "c" else np.float32))
    for each in selftest_cases.check(device):
        assert each.passed == (each.precision == "single" or "high pass" in each.name), each


def test_an_exception_fails_its_check_alone(device, monkeypatch, capsys):
    def crash(*_, **__):
        raise cl.RuntimeError("clEnqueueNDRangeKernel failed: OUT_OF_RESOURCES\nmore")

    monkeypatch.setattr(selftest_cases, "filter_image", crash)
    assert info.main(["--selftest", "--device", index_of(device)]) == 1
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    failed = [line for line in out.splitlines() if "OUT_OF_RESOURCES" in line]
    assert len(failed) == (3 if describe.traits(device).fp64 else 2)
    assert all("FAIL: RuntimeError: clEnqueueNDRangeKernel failed" in line for line in failed)
    assert f"FAIL: {len(failed)} of {checks(device)} checks" in out
    assert "more" not in out


def test_a_failing_device_leaves_the_others_alone(all_devices, monkeypatch, capsys):
    first, *others = all_devices
    context_of = queues.context_of

    def refuse(device):
        if device == first:
            raise DeviceError("in exclusive use")
        return context_of(device)

    monkeypatch.setattr(queues, "context_of", refuse)
    assert info.main(["--selftest"]) == 1
    out = capsys.readouterr().out
    assert out.count("FAIL: DeviceError: in exclusive use") == checks(first)
    assert f"  FAIL: {checks(first)} of {checks(first)} checks" in out
    assert out.count("  pass: ") == len(others)


def test_a_device_without_answers_or_double_precision(monkeypatch):
    no_double = SimpleNamespace(fp64=False)
    monkeypatch.setattr(describe, "traits", lambda device: no_double)
    assert selftest_cases.precisions_of(None) == ("single",)

    def refuse(device):
        raise cl.LogicError("INVALID_DEVICE")

    monkeypatch.setattr(describe, "traits", refuse)
    assert selftest_cases.precisions_of(None) == ("single", "double")
    outcomes = list(selftest_cases.check(None))
    assert len(outcomes) == SINGLE + DOUBLE
    assert not any(each.passed for each in outcomes)


def test_an_unusable_device_is_named_and_counts_neither_way(all_devices, monkeypatch):
    said = []
    monkeypatch.setattr(selftest, "defect", lambda device: "it cannot build")
    monkeypatch.setattr(selftest_cases, "check", lambda device, quick: pytest.fail("tested"))
    assert selftest.run([("0:0", all_devices[0])], said.append) == []
    assert said[-1] == "  not used: it cannot build"


# ---------------------------------------------------------------- report


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home folder, known by its name."""
    folder = tmp_path / "home" / "ada"
    folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    monkeypatch.setenv("LOGNAME", "ada")
    return folder


def test_report(all_devices, home, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    index = index_of(all_devices[0])
    process = run(
        "--report", "--device", index, cwd=work,
        POCL_EXAMPLE=f"{home}/kernels", OCL_EXAMPLE="/scratch/ada/x", SECRET_KEY="abc123",
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    assert process.stderr == ""
    assert [path.name for path in work.iterdir()] == ["pyclfft-report.txt"]
    assert process.stdout.endswith(f"\nreport  {work / 'pyclfft-report.txt'}\n")

    text = (work / "pyclfft-report.txt").read_text()
    shown = process.stdout.rpartition("\nreport")[0]
    assert report.without_names(shown).replace(str(home), "~").strip() in text
    assert len(checked_lines(text)) == checks(all_devices[0])
    words = " ".join(text.split())
    for platform, _ in runtimes.listing():
        assert " ".join(platform.extensions.split()) in words
    for number, device in info.numbered(runtimes.listing()):
        section = words.partition(f"Properties of {number} ")[2]
        section = section.partition("Properties of")[0]
        assert section.startswith("ADDRESS_BITS ")
        assert f"EXTENSIONS {' '.join(device.extensions.split())} " in section
        assert f" MAX_COMPUTE_UNITS {device.max_compute_units} " in section
        assert f" VERSION {' '.join(device.version.split())}" in section
        assert f" TYPE {info.type_of(device)} " in section

    assert "POCL_EXAMPLE ~/kernels" in words
    assert "OCL_EXAMPLE /scratch/USER/x" in words
    assert str(home) not in text
    assert "abc123" not in text


def test_a_report_tells_failures_in_full(all_devices, monkeypatch, tmp_path, capsys):
    def crash(*_, **__):
        raise RuntimeError("first line\nand the compiler's log")

    monkeypatch.setattr(selftest_cases, "filter_image", crash)
    target = tmp_path / "out.txt"
    assert info.main(["--report", str(target), "--device", index_of(all_devices[0])]) == 1
    assert "FAIL: RuntimeError: first line" in capsys.readouterr().out
    text = target.read_text()
    assert "RuntimeError: first line\nand the compiler's log" in text
    assert describe.device_label(all_devices[0]) in text


def test_a_report_that_cannot_be_written(all_devices, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(selftest_cases, "CASES", selftest_cases.CASES[:1])
    target = tmp_path / "missing" / "report.txt"
    assert info.main(["--report", str(target)]) == 2
    assert capsys.readouterr().err == f"pyclfft info: error: {target}: No such file or directory\n"
    (tmp_path / "folder").mkdir()
    assert info.main(["--report", str(tmp_path / "folder")]) == 2
    assert f"error: {tmp_path / 'folder'}: " in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@pytest.mark.skipif(sys.platform == "win32", reason="variables are no bytes there")
def test_a_report_of_bytes_that_are_no_text(tmp_path, monkeypatch):
    monkeypatch.setenv("POCL_EXAMPLE", os.fsdecode(b"a\xffb"))
    info._write_report(str(tmp_path / "out.txt"), list(info.details([])))
    assert "  POCL_EXAMPLE " in (tmp_path / "out.txt").read_text()


def test_names_in_paths_are_replaced_and_nothing_else(home):
    before = f"{home}/.cache {home}, {home}2/x /scratch/ada/x /ada ada adapter /adapter {home}"
    after = f"~/.cache ~, {home.parent}/ada2/x /scratch/USER/x /USER ada adapter /adapter ~"
    assert report.without_names(before) == after


def test_a_home_at_the_root_replaces_nothing(monkeypatch):
    monkeypatch.setenv("HOME", "/")
    monkeypatch.setenv("USERPROFILE", "/")
    monkeypatch.setenv("LOGNAME", "nobody-here")
    assert report.without_names("/usr/lib a/b") == "/usr/lib a/b"


def test_a_user_without_a_home_or_a_name(monkeypatch):
    def nobody(*_):
        raise KeyError("uid not found: 12345")

    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(report.getpass, "getuser", nobody)
    monkeypatch.setattr(report.Path, "home", homeless)
    assert report.without_names("/usr/lib") == "/usr/lib"


def test_variables():
    given = {"PATH": "x", "OCL_B": "2", "OCL_A": "1", "PYCLFFT_DEVICE": "gpu", "AWS_SECRET": "s"}
    given |= {"PYOPENCL_CTX": "0", "POCL_DEBUG": "all"}
    names = ["OCL_A", "OCL_B", "POCL_DEBUG", "PYCLFFT_DEVICE", "PYOPENCL_CTX"]
    assert list(report.variables(given)) == names
    assert report.variables(given)["OCL_B"] == "2"


def test_constant_names():
    name = report.constant_names
    assert name(cl.device_local_mem_type, cl.device_local_mem_type.GLOBAL) == "GLOBAL"
    assert name(cl.device_fp_config, 0) == "0"
    both = cl.device_fp_config.FMA | cl.device_fp_config.INF_NAN
    assert name(cl.device_fp_config, both) == "FMA|INF_NAN"


def test_runtimes_that_no_file_names_are_in_the_details():
    text = "\n".join(info.details([]))
    for entry in icd.unregistered():
        assert entry.library in " ".join(text.split())
    assert "Environment" in text
