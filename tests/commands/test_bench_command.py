"""The command `bench` on every device, with few elements. Speed is never asserted."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import pyclfft
from pyclfft import backend
from pyclfft.bench import calls, command, crossing, ladder, runner
from pyclfft.bench.calls import measure_calls
from pyclfft.bench.cases import Case, select
from pyclfft.bench.kernels import kernel_times
from pyclfft.bench.rivals import Ours, OursOnHost, VkFFT, VkFFTOnCPU
from pyclfft.bench.runner import Noise, Settings, copy_rate, measure
from pyclfft.bench.startup import measure_startup, programs
from pyclfft.errors import BuildError, DeviceMemoryError, PlanError
from pyclfft.runtime import describe, runtimes

pytestmark = pytest.mark.one_cpu

SHORT = Settings(samples=3, sample_s=1e-4, budget_s=0.1)
SHORT_LADDER = ("ladder", "--longest", "16", "--samples", "2")
FEW = ("--elements", "4096", "--samples", "2", "--rivals", "none")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Let the command measure no longer than it must."""
    for module in (command, ladder):
        monkeypatch.setattr(module, "SETTINGS", SHORT)
    monkeypatch.setattr(calls, "SAMPLES", 3)
    monkeypatch.setattr(crossing, "SAMPLES", 2)
    monkeypatch.setattr(crossing, "LENGTHS", (64, 4096))


@pytest.fixture
def contender(queue):
    return Ours(queue)


def measured(contender, name, elements=4096):
    (case,) = select([name])
    return measure(case.sized(elements), [contender], Noise(), SHORT)


# ---------------------------------------------------------------- measuring


@pytest.mark.parametrize(
    "case",
    [
        Case((64,)), Case((60,)), Case((7,)), Case((64,), direction="inverse"), Case((16, 32)),
        Case((8, 8, 8)), Case((32,), columns=True), Case((32,), batch=1),
    ],
    ids=str,
)  # fmt: skip
def test_a_case_is_measured_and_right(contender, case):
    row = measure(case.sized(1024), [contender], Noise(), SHORT)
    assert row.ours.status == "", row.ours
    assert row.ours.ms.count == 3
    assert row.ours.ms.median > 0
    assert row.ours.calls >= 3
    assert row.ours.error <= row.ours.bound < 1e-6


def test_double_is_compared_with_more_than_double(contender, fp64):
    row = measured(contender, "double-1024")
    assert row.ours.status == ""
    assert row.ours.error < 1e-15


@pytest.mark.parametrize(("kind", "direction"), [("r2c", "forward"), ("c2r", "inverse")])
def test_real_kinds_are_right_or_refused(contender, kind, direction):
    row = measure(Case((64,), kind, direction).sized(1024), [contender], Noise(), SHORT)
    assert row.ours.status in ("", "refused"), row.ours


@pytest.mark.parametrize(
    "case",
    [Case((64,)), Case((64,), direction="inverse"), Case((16, 32)), Case((32,), columns=True)],
    ids=str,
)
def test_from_numpy_to_numpy_is_measured_and_right(queue, case):
    contender = OursOnHost(queue)
    row = measure(case.sized(1024), [contender], Noise(), SHORT)
    assert row.ours.status == "", row.ours
    assert row.ours.ms.median > 0
    assert row.ours.error <= row.ours.bound < 1e-6
    assert contender._result is None


class Wrong(Ours):
    """Confuses the batch's last transform with the first."""

    def fetch(self, indices):
        return super().fetch([0 for _ in indices])


class WrongLater(Ours):
    """Is right at first, and then not a number."""

    answers = 0

    def fetch(self, indices):
        self.answers += 1
        return super().fetch(indices) * (1 if self.answers == 1 else np.nan)


@pytest.mark.parametrize("kind", [Wrong, WrongLater])
def test_a_wrong_result_is_found(queue, kind):
    assert measured(kind(queue), "256").ours.status == "WRONG"


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (PlanError("no"), "refused"),
        (DeviceMemoryError("no"), "memory"),
        (BuildError("no"), "failed"),
        (ZeroDivisionError("no"), "failed"),
    ],
)
def test_a_failure_is_an_outcome_and_concerns_nobody_else(queue, error, word):
    class Failing(Ours):
        name = "other"

        def prepare(self, workload, source):
            raise error

    (case,) = select(["256"])
    row = measure(case.sized(512), [Ours(queue), Failing(queue)], Noise(), SHORT)
    ours, other = row.outcomes
    assert ours.status == ""
    assert (other.word, other.reason) == (word, f"{type(error).__name__}: no")
    assert np.isnan(other.ms.median)


def test_a_failure_while_measuring_is_an_outcome_too(queue):
    class Failing(Ours):
        def prepare(self, workload, source):
            call, self.calls = super().prepare(workload, source), 0

            def sometimes():
                self.calls += 1
                if self.calls > 20:
                    raise RuntimeError("lost")
                return call()

            return sometimes

    (case,) = select(["256"])
    row = measure(case.sized(512), [Failing(queue)], Noise(), Settings(samples=50))
    assert (row.ours.status, row.ours.reason) == ("failed", "RuntimeError: lost")


def test_memory_is_given_back(queue):
    ours = Ours(queue)
    arrays = []
    upload = ours._upload
    ours._upload = lambda *arguments: arrays.extend(upload(*arguments)) or tuple(arrays)
    measured(ours, "256")
    assert len(arrays) == 2
    for array in arrays:
        with pytest.raises(Exception, match=r"(?i)invalid|released"):
            array.base_data.release()


def test_a_slow_call_is_measured_once(queue, monkeypatch):
    made = []
    turn = runner.Turn(lambda: made.append(1), lambda: None, Settings(slow_s=0.0, sample_s=0.0))
    assert (len(made), turn.calls, len(turn.ms)) == (1, 1, 1)


def test_copy_rate(queue):
    rate = copy_rate(queue, 2**16, SHORT)
    assert rate.nbytes == 2**16
    assert rate.ms.count == 3
    assert rate.gb_per_s > 0


def test_vkfft(queue):
    if importlib.util.find_spec("pyvkfft") is None:
        pytest.skip("pyvkfft is not installed")
    rival = VkFFT(queue)
    for kind, direction in (
        ("c2c", "forward"),
        ("c2c", "inverse"),
        ("r2c", "forward"),
        ("c2r", "inverse"),
    ):
        case = Case((16, 64), kind, direction)
        row = measure(case.sized(4096), [rival], Noise(), SHORT)
        assert row.ours.reason == ""
        assert row.ours.error < 1e-6


FATAL = """
import os
import pyopencl.array

def vkfft_version():
    return "0"

class VkFFTApp:
    def __init__(self, shape, *args, **kwargs):
        if shape[-1] > 64:
            os.abort()

    def fft(self, x, y):
        pass
"""


def test_a_rival_that_ends_its_process(queue, tmp_path, monkeypatch):
    """Only that of its rehearsal."""
    (tmp_path / "pyvkfft").mkdir()
    (tmp_path / "pyvkfft" / "__init__.py").touch()
    (tmp_path / "pyvkfft" / "version.py").touch()
    (tmp_path / "pyvkfft" / "opencl.py").write_text(FATAL)
    paths = (tmp_path, Path(pyclfft.__file__).parents[1], os.environ.get("PYTHONPATH", ""))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, paths)))
    for name in [name for name in sys.modules if name.split(".")[0] == "pyvkfft"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("pyvkfft.opencl", "pyvkfft.version", "pyvkfft"):  # to be forgotten afterwards
        importlib.import_module(name)
        monkeypatch.setitem(sys.modules, name, sys.modules.pop(name))
    rival = VkFFTOnCPU(queue)
    for n, word in ((64, ""), (128, "failed")):
        row = measure(Case((n,), "c2c", "forward").sized(256), [rival], Noise(), SHORT)
        assert row.ours.status == word
    assert row.ours.reason == "RuntimeError: it ends its process: exit status -6"


# ---------------------------------------------------------------- beside the cases


def test_calls(queue):
    for cost in measure_calls(queue):
        assert cost.passes >= 1
        assert min(way.median for way in (cost.plan, cost.raw, cost.allocating)) > 0
        assert np.isfinite([cost.per_pass, cost.beside_plan]).all()


def test_calls_leave_out_what_an_algorithm_does_not_do(queue):
    assert {cost.case for cost in measure_calls(queue, "stockham")} <= {
        "one-1024", "one-4096", "one-2^16", "one-512^2",
    }  # fmt: skip


def test_single_calls_beside_scipys(device, monkeypatch):
    """On the device of the queue, which is not the default device afterwards either."""
    served = []
    monkeypatch.setattr(backend.ScipyBackend, "__ua_function__", serving(served))
    queue = pyclfft.default_queue()
    pyclfft.use_device(pyclfft.devices()[-1])
    times = crossing.measure_crossing(queue)
    assert pyclfft.default_device() == pyclfft.devices()[-1]
    assert {each.points for each in times} == {64, 4096}
    assert {each.dtype for each in times} >= {"complex64", "float32"}
    assert all(each.ours.median > 0 < each.scipy.median for each in times)
    assert {device for device, _ in served} == {device}
    pyclfft.use_device(device)


def serving(served):
    """The backend's function, which notes the device and the function."""
    real = backend.ScipyBackend.__ua_function__

    def serve(self, method, args, kwargs):
        served.append((pyclfft.default_device(), method.__name__))
        return real(self, method, args, kwargs)

    return serve


def test_startup(device, monkeypatch):
    monkeypatch.setattr("pyclfft.bench.startup.REPEATS", 1)
    monkeypatch.setattr("pyclfft.bench.startup.LARGEST", 2)
    limits = describe.traits(device)
    found = measure_startup(index_of(device), limits, 1024)
    assert [each.case for each in found] == ["1024", "1009"]
    for each in found:
        assert each.programs >= 1
        assert each.cold.median > 0 < each.warm.median


def test_programs_of_what_cannot_be_planned(device):
    (case,) = select(["256"])
    limits = describe.traits(device)
    assert programs(case.sized(1), limits) >= 1
    assert programs(case.sized(1), limits, "no such algorithm") == 0


# ---------------------------------------------------------------- the command


def index_of(device):
    groups = runtimes.listing()
    return next(
        f"{p}:{d}"
        for p, (_, found) in enumerate(groups)
        for d, each in enumerate(found)
        if each == device
    )


@pytest.mark.parametrize("calls", [False, pytest.param(True, marks=pytest.mark.full)])
def test_everything_is_written(device, tmp_path, capsys, calls):
    names = {kind: str(tmp_path / f"b.{kind}") for kind in ("json", "markdown")}
    files = [word for kind, name in names.items() for word in (f"--{kind}", name)]
    status = command.main(
        [*FEW, "--cases", "256,r2c-1024", "--device", index_of(device), *files] + ["--call"] * calls
    )
    out = capsys.readouterr().out
    assert status == 0, out
    document = json.loads((tmp_path / "b.json").read_text())
    assert [row["case"] for row in document["rows"]] == ["256", "r2c-1024"]
    assert document["environment"]["device"] == describe.device_label(device)
    assert document["elements"] == 4096
    if calls:
        assert len(document["calls"]) >= 1
        assert len(document["crossing"]) >= 4
        assert "single calls from NumPy to NumPy are faster" in out
    text = (tmp_path / "b.markdown").read_text()
    assert "| 256 | 16 |" in text
    assert "wrong results: none" in out
    assert "wrong results: none" in text


def test_wrong_results_make_the_status_1(device, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "Ours", Wrong)
    name = tmp_path / "b.json"
    assert command.main([*FEW, "--cases", "256", "--json", str(name)]) == 1
    out = capsys.readouterr().out
    assert "wrong results: 256" in out
    (row,) = json.loads(name.read_text())["rows"]
    assert row["outcomes"]["pyclfft"]["status"] == "WRONG"


def test_what_is_too_long_is_named(device, capsys):
    assert command.main([*FEW, "--cases", "256,2^16"]) == 0
    assert "longer than 4,096, left out: 2^16" in capsys.readouterr().out


# ---------------------------------------------------------------- every CPU device


@pytest.fixture
def cpus():
    """Names of the CPU devices, which are measured together."""
    found = [each for each in runtimes.devices() if describe.traits(each).is_cpu]
    if not found:
        pytest.skip("no CPU device")
    return [describe.runtime_name(each) for each in found]


def test_every_cpu_device_is_measured_beside_scipy(cpus, tmp_path, capsys):
    names = {kind: str(tmp_path / f"b.{kind}") for kind in ("json", "markdown")}
    files = [word for kind, name in names.items() for word in (f"--{kind}", name)]
    arguments = ["--cpu", "--rivals", "scipy", "--cases", "256,one-512^2,one-1024"]
    status = command.main([*FEW, *arguments, *files])
    out = capsys.readouterr().out
    assert status == 0, out
    document = json.loads((tmp_path / "b.json").read_text())
    assert document["contenders"] == ["pyclfft", "pyclfft NumPy", "scipy"]
    assert len(document["devices"]) == len(cpus)
    assert [(row["case"], row["device"]) for row in document["rows"]] == [
        (name, device) for name in ("256", "one-1024") for device in document["devices"]
    ]
    for row in document["rows"]:
        assert all(each["ms"]["median"] > 0 for each in row["outcomes"].values())
        assert row["outcomes"]["scipy"]["error"] < 1e-6
    scipy = [row["outcomes"]["scipy"]["ms"] for row in document["rows"] if row["case"] == "256"]
    assert all(each == scipy[0] for each in scipy)
    assert "longer than 4,096, left out: one-512^2" in out
    ours = re.escape(f"pyclfft on {document['devices'][0]}")
    assert re.search(rf"{ours} is \S+ times as fast as scipy \(geometric mean of 1 of 1 ", out)
    assert "launch" in out
    assert f"| 256 | {document['devices'][0]} | 16 |" in (tmp_path / "b.markdown").read_text()


def test_filters_are_measured_beside_filters_in_steps(cpus, monkeypatch, tmp_path, capsys):
    small = replace(select(["filter-512^2"])[0], lengths=(40, 70))
    monkeypatch.setattr(command, "select", lambda patterns: (small, Case((256,))))
    file = tmp_path / "b.json"
    status = command.main([*FEW[:-1], "scipy", "--cpu", "--json", str(file)])
    assert status == 0, capsys.readouterr().out
    filters, others = {}, {}
    for row in json.loads(file.read_text())["rows"]:
        (filters if row["kind"] == "filter" else others)[row["device"]] = row["outcomes"]
    assert len(filters) == len(others) == len(cpus)
    for outcomes in filters.values():
        assert set(outcomes) == {"pyclfft", "pyclfft NumPy", "pyclfft rfft2", "scipy"}
        assert all(each["ms"]["median"] > 0 for each in outcomes.values())
        assert all(each["error"] < 2e-3 for each in outcomes.values())
    for outcomes in others.values():
        assert outcomes["pyclfft rfft2"]["ms"]["median"] is None
        assert outcomes["pyclfft rfft2"]["status"] == ""


def test_each_side_is_named_as_the_device_that_it_runs_on(cpus):
    options = command.parser().parse_args(["--cpu", "--rivals", "scipy"])
    field = command._cpu_devices(options, select(["256"]))
    for device, side in zip(field.devices, field.sides, strict=True):
        ours, numpy, scipy = side.contenders
        assert side.device.startswith(describe.runtime_name(device))
        assert {each.queue.device for each in (ours, numpy)} == {device}
        assert [type(each) for each in (ours, numpy)] == [Ours, OursOnHost]
        assert scipy is field.sides[0].contenders[2]


def test_a_wrong_result_from_numpy_makes_the_status_1(cpus, monkeypatch, capsys):
    class WrongOnHost(OursOnHost):
        def fetch(self, indices):
            return super().fetch([0 for _ in indices])

    monkeypatch.setattr(command, "OursOnHost", WrongOnHost)
    assert command.main([*FEW, "--cpu", "--cases", "256"]) == 1
    assert f"wrong results: 256 on {cpus[0]}" in capsys.readouterr().out


def test_rivals_of_gpus_are_unknown_there(cpus, capsys):
    assert command.main([*FEW, "--cpu", "--rivals", "cufft"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "unknown rival 'cufft'" in said


def test_without_a_cpu_device_a_remedy_is_named(monkeypatch, capsys):
    monkeypatch.setattr(runtimes, "devices", list)
    assert command.main([*FEW, "--cpu"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "no CPU device. Ways to get one" in said


def test_two_devices_of_one_runtime_are_told_apart(monkeypatch):
    monkeypatch.setattr(describe, "runtime_name", lambda device: device)
    assert command._short_names(["PoCL", "Intel", "PoCL"]) == ["PoCL", "Intel", "PoCL 2"]


def test_list_for_cpus(capsys):
    assert command.main(["--list", "--cpu"]) == 0
    first, *_ = capsys.readouterr().out.splitlines()[1:]
    assert " ".join(first.split()) == "256 16384 x 256 complex64 target, cpu, cpu-target, 1d"


def test_list(capsys):
    assert command.main(["--list", "--cases", "3d", "--elements", "2^21"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert " ".join(out[1].split()) == "128^3 1 x 128 x 128 x 128 complex64 target, cpu, 3d"
    assert out[-1].startswith("groups: all, target")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--cases", "nothing"], "no case or group 'nothing'"),
        (["--elements", "none"], "'none' is not a positive whole number"),
        (["--elements", "0"], "not a positive whole number"),
        (["--samples", "1.5"], "not a positive whole number"),
        (["--rivals", "fftw"], "unknown rival 'fftw'"),
        (["--device", "no such device"], "no such device"),
        (["--algorithm", "no-such"], "no-such"),
        (["--json", "/no/such/folder/b.json"], "/no/such/folder/b.json"),
        (["--plot", "bars.txt"], "bars.txt: a plot's name ends in png, svg, pdf"),
        (["--compare", "/no/such.json", "/no/such.json"], "/no/such.json"),
        (["--compare", "one.json"], "--compare"),
        (["something"], "something"),
        (["--cpu", "--device", "cpu"], "it does not go with --device"),
        (["--cpu", "--plan-time"], "it does not go with --plan-time"),
        (["--cpu", "--call"], "it does not go with --call"),
        (["--cpu", "--compare", "one.json", "two.json"], "it does not go with --compare"),
    ],
)
def test_bad_arguments_are_one_line_and_status_2(device, arguments, message, capsys):
    assert message in refused([*FEW, *arguments], capsys)


def refused(arguments, capsys):
    """What the command says of arguments that it cannot take."""
    try:
        status = command.main(arguments)
    except SystemExit as end:
        status = end.code
    said = capsys.readouterr().err
    assert status == 2
    assert said.count("\n") == 1
    return said


# ---------------------------------------------------------------- the ladder


def test_the_ladder_is_measured_right_and_written(device, tmp_path, capsys):
    names = {kind: str(tmp_path / f"l.{kind}") for kind in ("json", "markdown")}
    files = [word for kind, name in names.items() for word in (f"--{kind}", name)]
    status = command.main([*SHORT_LADDER, "--device", index_of(device), *files])
    out = capsys.readouterr().out
    assert status == 0, out
    document = json.loads((tmp_path / "l.json").read_text())
    assert [row["lengths"] for row in document["rows"]] == [[2], [4], [8], [16]]
    assert document["environment"]["device"] == describe.device_label(device)
    for row in document["rows"]:
        outcomes = row["outcomes"]
        assert set(outcomes) >= {"pyclfft", *ladder.RUNGS, *ladder.OUTLOOK, "numpy"}
        for each in outcomes.values():
            assert (row["batch"], each["status"]) == (1, ""), each["reason"]
            assert each["gb_per_s"] > 0
            assert each["error"] < 2e-7
            assert set(each["speedup"]) == set(outcomes) - {*ladder.RUNGS, *ladder.OUTLOOK}
    launches = {
        (each["algorithm"], each["kernel"]): each["launches"]
        for each in document["kernels"]
        if each["points"] == 16 and each["ms"]["median"] > 0
    }
    assert launches == {
        ("ladder1", "ladder1"): 4, ("ladder2", "ladder2"): 4,
        ("ladder3", "bitReverse"): 1, ("ladder3", "ladder3"): 4,
        ("ladder4", "bitReverse"): 1, ("ladder4", "ladder4"): 4, ("ladder4", "permuteArray"): 4,
        ("compact", "compact"): 1,
        ("radix2", "spinFact"): 1, ("radix2", "bitReverse"): 1, ("radix2", "butterfly"): 4,
        ("stockham", "stockham"): 1,
    }  # fmt: skip
    assert (
        "the report says: ladder3 is faster than FFTW from 2^14 points on; measured here: " in out
    )
    assert re.search(
        r"ladder3 is \S+ times as fast as ladder2 \(geometric mean of 4 of 4 lengths; from ", out
    )
    assert "| 16 |" in (tmp_path / "l.markdown").read_text()


def test_a_rung_refuses_all_lengths_for_one_reason(queue):
    rung, reasons = ladder.Rung(queue, "compact"), set()
    for n in (2**23, 2**24):
        with pytest.raises(PlanError) as error:
            rung.plan(Case((n,), batch=1).sized(1))
        reasons.add(str(error.value))
    assert reasons == {"it takes a length that is a power of two and fits local memory"}


def test_kernels_alone_without_what_is_refused(queue):
    """compact refuses a row that local memory cannot hold. ladder3 is slow, and has one sample."""
    rungs = [ladder.Rung(queue, name) for name in ("compact", "ladder3")]
    slow = replace(SHORT, budget_s=0.0)
    fitting = describe.traits(queue.device).local_mem_bytes // np.dtype("c8").itemsize
    stages = fitting.bit_length()  # 2^stages points are more than fit
    found = list(kernel_times(rungs, Case((2**stages,), batch=1), Noise(), slow))
    assert [(each.kernel, each.launches, each.ms.count) for each in found] == [
        ("bitReverse", 1, 1), ("ladder3", stages, 1),
    ]  # fmt: skip
    found = list(kernel_times(rungs, Case((16,), batch=1), Noise(), SHORT))
    assert [(each.algorithm, each.ms.count) for each in found] == [
        ("compact", 3), ("ladder3", 3), ("ladder3", 3),
    ]  # fmt: skip


def test_a_wrong_rung_makes_the_status_1(monkeypatch, tmp_path, capsys):
    class WrongRung(ladder.Rung):
        def fetch(self, indices):
            return super().fetch(indices).conj()

    monkeypatch.setattr(ladder, "Rung", WrongRung)
    name = tmp_path / "l.json"
    assert command.main([*SHORT_LADDER, "--json", str(name)]) == 1
    assert "wrong results: one-2, one-4, one-8, one-16" in capsys.readouterr().out
    outcomes = json.loads(name.read_text())["rows"][-1]["outcomes"]
    assert {name for name, each in outcomes.items() if each["status"]} == {
        *ladder.RUNGS, *ladder.OUTLOOK,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--longest", "12"], "'12' is no power of two from 2 to 2^24"),
        (["--longest", "1"], "'1' is no power of two"),
        (["--longest", "2^25"], "'2^25' is no power of two"),
        (["--longest", "long"], "'long' is not a positive whole number"),
        (["--samples", "0"], "not a positive whole number"),
        (["--device", "no such device"], "no such device"),
        (["--json", "/no/such/folder/l.json"], "/no/such/folder/l.json"),
        (["--cases", "256"], "--cases"),
    ],
)
def test_bad_arguments_of_the_ladder(arguments, message, capsys):
    said = refused([*SHORT_LADDER, *arguments], capsys)
    assert said.startswith("pyclfft bench ladder: error: ")
    assert message in said
