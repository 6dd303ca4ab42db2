"""Work-groups of the textbook's kernels: every size is right, and each kernel gets its own."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest

import pyclfft
from pyclfft.image.filtering import image_filter
from pyclfft.image.jobs import filter_job
from pyclfft.planning import database
from pyclfft.planning.lookup import Workclass
from pyclfft.planning.parameters import GROUPED, parameters_for
from pyclfft.planning.problem import make_problem
from pyclfft.runtime import describe, queues, wisdom
from pyclfft.tuning import command, groups, measure, tuner
from pyclfft.tuning.asked import cases_of
from pyclfft.tuning.groups import BLOCKED, DEFAULT, FLAT, SIZES, tune_groups
from pyclfft.tuning.search import Found
from tests.conftest import place_of
from tests.oracle import bound, noise, relative_error

IMAGE = ((64, 64), "c8")


@pytest.fixture(autouse=True)
def own_database(tmp_path, monkeypatch):
    monkeypatch.setenv("PYCLFFT_DATA_DIR", str(tmp_path))
    wisdom.forget_entries()
    for name in ("SAMPLE_S", "WARM_S", "EVENTS_S"):
        monkeypatch.setattr(measure, name, 1e-5)
    yield tmp_path / "tuning.json"
    wisdom.forget_entries()
    pyclfft.clear_cache()


@pytest.fixture
def told(monkeypatch):
    """Times as they are told, in the place of measured ones: by kernel and size."""

    def tell(times, trusted=True):
        def add(self, size, executable, kernels):
            local = {each.kernel: each.local_size for each in executable.schedule.passes}
            for kernel in kernels:
                ms = times.get((kernel, groups._size_name(local[kernel])), times[kernel])
                self._runs.setdefault(size, {}).setdefault(kernel, []).append(ms)

        monkeypatch.setattr(groups._Measurement, "_add", add)
        monkeypatch.setattr(groups._Measurement, "_trusts_events", lambda _: trusted)

    return tell


def tuned(device, *problem, **options):
    parameters = parameters_for(describe.traits(device))
    return tune_groups(make_problem(*problem, **options), device, parameters)


ALL = {**dict.fromkeys(GROUPED, 4.0), BLOCKED: 3.0}


@pytest.mark.one_cpu
def test_each_kernel_gets_the_size_that_is_fastest_for_it(device, told):
    best = {
        "spinFact": "16", "bitReverse": "8x8", "butterfly": "16x16", "norm": "64",
        "transpose": "16x4", "highPassFilter": "32",
    }  # fmt: skip
    told(ALL | dict.fromkeys(best.items(), 1.0))
    found = tuned(device, *IMAGE)
    assert {each.kernel: each.size for each in found.kernels} == best
    assert all((each.ms, each.default_ms) == (1.0, 4.0) for each in found.kernels)
    sizes = {f"group_{kernel}": size for kernel, size in best.items()}
    assert found.values == {**sizes, "transpose_tile": 0}  # the textbook's transpose is faster
    assert found.complete
    assert not found.failed


@pytest.mark.one_cpu
def test_what_is_hardly_faster_is_left_as_it_is(device, told):
    told(ALL | {("butterfly", "16x16"): 3.95, BLOCKED: 1.0, ("transpose", "16x4"): 2.0})
    found = tuned(device, *IMAGE)
    assert found.values == {"group_transpose": "16x4"}  # which is slower than the blocked one
    assert {each.kernel: each.ms for each in found.kernels}["butterfly"] == 4.0


@pytest.mark.one_cpu
@pytest.mark.parametrize(
    ("problem", "kernels"),
    [
        (((4, 64), "c8", 1), ("spinFact", "bitReverse", "butterfly", "norm")),
        (((64, 4), "c8", 0), ("spinFact", "bitReverse", "butterfly", "norm", "transpose")),
        (((2, 8, 16), "c8", (1, 2)), GROUPED),
        (((4, 64), "f4", 1, "r2c"), ("spinFact", "bitReverse", "butterfly", "norm")),
        (((4, 64), "c8", 1, "c2r"), ("spinFact", "bitReverse", "butterfly", "norm")),
    ],
)
def test_kernels_that_a_problem_has(device, told, problem, kernels):
    told(ALL)
    found = tuned(device, *problem)
    assert tuple(each.kernel for each in found.kernels) == kernels
    assert found.values == {}


@pytest.mark.parametrize("size", SIZES)
def test_transforms_in_groups_of_every_size(device, size):
    """Against NumPy; the groups are exactly of that size where the device allows them."""
    limit = describe.traits(device).max_work_group_size
    x = noise((16, 64), "c8")
    sides = tuple(map(int, size.split("x")))
    kernels = [kernel for kernel in GROUPED if "x" not in size or kernel not in FLAT]
    values = {f"group_{kernel}": size for kernel in kernels}
    plan = pyclfft.Plan(
        (16, 64), "c8", direction="inverse", algorithm="radix2",
        parameters={**values, "transpose_tile": 0},
    )  # fmt: skip
    assert {each.kernel for each in plan.passes} == set(GROUPED) - {"highPassFilter"}
    for each in plan.passes:
        if np.prod(sides) <= limit and f"group_{each.kernel}" in values:
            assert each.local_size[: len(sides)] == sides
            assert np.prod(each.local_size) == np.prod(sides)
    context = queues.context_of(device)
    sized = [each for each in plan.passes if each.kernel in kernels]
    if all(groups.is_allowed(context, each, size) for each in sized):
        error = relative_error(plan(x), np.fft.ifft2(x.astype("c16")))
        assert error <= 2 * bound("radix2", x.dtype, x.size)


@pytest.mark.one_cpu
def test_a_size_with_a_wrong_result_cannot_win(device, told, monkeypatch):
    told(ALL | {("norm", "64"): 0.1, ("norm", "32"): 1.0})
    real = groups.textbook_schedule

    def one_group_too_few(problem, traits, parameters):
        schedule = real(problem, traits, parameters)
        if parameters["group_norm"] != "64":
            return schedule
        passes = (
            replace(each, global_size=(each.global_size[0] - 64,))
            if each.kernel == "norm"
            else each
            for each in schedule.passes
        )
        return groups.Schedule(tuple(passes), schedule.workspace)

    monkeypatch.setattr(groups, "textbook_schedule", one_group_too_few)
    found = tuned(device, *IMAGE)
    assert found.values["group_norm"] == "32"
    assert found.failed["groups of 64"].startswith("relative error ")


@pytest.mark.one_cpu
def test_events_that_lie_decide_nothing(device, told):
    told(ALL, trusted=False)
    found = tuned(device, *IMAGE)
    assert found.values == {}
    assert "events do not agree" in found.failed["groups of single kernels"]


@pytest.mark.one_cpu
def test_no_time(device, told):
    parameters = parameters_for(describe.traits(device))
    problem = make_problem(*IMAGE)
    found = tune_groups(problem, device, parameters, deadline=0.0, clock=lambda: 1.0)
    assert (found.kernels, found.complete) == ((), False)
    ticks = iter([0.0, *[2.0] * 100])
    told(ALL)
    found = tune_groups(problem, device, parameters, deadline=1.0, clock=lambda: next(ticks))
    assert not found.complete
    assert found.values == {}


@pytest.mark.one_cpu
def test_sizes_over_the_devices_limits_are_not_tried(device, told, change_traits):
    change_traits(max_work_group_size=64, max_work_item_sizes=(64, 8, 8))
    told(ALL | {("butterfly", "8x8"): 1.0, ("butterfly", "4x16"): 0.5, ("norm", "128"): 0.5})
    sizes = {each.kernel: each.size for each in tuned(device, *IMAGE).kernels}
    assert (sizes["butterfly"], sizes["norm"]) == ("8x8", "64")


@pytest.mark.one_cpu
def test_the_command_and_the_filter_that_takes_what_it_found(
    device, told, capsys, own_database, monkeypatch
):
    # Nothing is left to chance: the search finds the default best, and no groups make it slower.
    monkeypatch.setattr(tuner.Search, "run", lambda self, step: Found({}, 1.0, 1.0, 0))
    monkeypatch.setattr(tuner, "LOSS", inf)
    told(ALL | {("butterfly", "16x4"): 1.0, ("highPassFilter", "8x8"): 1.0, BLOCKED: 1.0})
    arguments = ["--device", place_of(device), "--algorithm", "radix2", "--shape", "32x32"]
    assert command.main(arguments) == 0
    out = capsys.readouterr().out
    for kernel in GROUPED:
        assert f"\n  {kernel:<14} in groups of " in out
    assert "butterfly      in groups of 16x4  1 ms; 4 ms in groups of " in out
    (entry,) = database.load(own_database)
    assert entry.workclass == Workclass.parse("c2c single 32x32 rows 2^0 by radix2")
    job = filter_job(np.zeros((32, 32), np.uint8), algorithm="radix2")
    schedule = image_filter(job, queues.context_of(device)).schedule
    local = {each.kernel: each.local_size for each in schedule.passes}
    assert local["highPassFilter"] == (8, 8, 1)
    assert local["butterfly"] == (16, 4)


@pytest.mark.one_cpu
def test_usual_problems_are_those_that_the_algorithm_takes(device, monkeypatch):
    """And images one at a time, as the filter transforms them."""
    traits = describe.traits(device)
    options = command.parser().parse_args(["--algorithm", "radix2"])
    found = [str(each.workclass("radix2")) for each in cases_of(options, [], None, traits)]
    assert found[0] == "c2c single 512x512 rows 2^0 by radix2"
    assert not [each for each in found if "1000" in each]
    others = cases_of(command.parser().parse_args([]), [], None, traits)
    assert [each for each in others if each.workclass(None).lengths == (1000,)]


def test_default_is_no_size():
    """Which tells a kernel's own parameter that `group` decides."""
    assert DEFAULT == ""
    assert tuner.ALGORITHMS == ("radix2",)
