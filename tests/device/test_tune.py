"""Tuning on a device: what wins is right and kept, and plans take it from there."""

from __future__ import annotations

import json
from dataclasses import asdict
from math import inf
from types import SimpleNamespace

import numpy as np
import pyopencl as cl
import pytest

import pyclfft
from pyclfft.errors import PlanError
from pyclfft.planning import database
from pyclfft.planning.lookup import Entry, Workclass
from pyclfft.planning.parameters import parameters_for
from pyclfft.planning.problem import make_problem
from pyclfft.runtime import describe, queues, wisdom
from pyclfft.tuning import measure, tuner
from pyclfft.tuning.measure import DeviceMeasure
from pyclfft.tuning.space import KNOBS, Candidate, Task, neighbours
from tests.oracle import bound, expected_of, noise, relative_error

QUICK = {"time_limit": 0.0}  # the default and nothing else


@pytest.fixture(autouse=True)
def own_database(tmp_path, monkeypatch):
    """Nothing is known but what a test measures: no entries, and no trials of earlier searches."""
    monkeypatch.setenv("PYCLFFT_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(tuner, "cache_dir", lambda: tmp_path / "cache")
    monkeypatch.setattr(wisdom, "shipped_entries", lambda identity: ())
    wisdom.forget_entries()
    yield tmp_path / "tuning.json"
    wisdom.forget_entries()


@pytest.fixture
def short(monkeypatch):
    """Samples too short to mean anything, which is not asked for."""
    for name in ("SAMPLE_S", "WARM_S", "EVENTS_S"):
        monkeypatch.setattr(measure, name, 1e-5)


def task_of(device, *problem, **options):
    traits = describe.traits(device)
    return Task(make_problem(*problem, **options), traits, parameters_for(traits))


# --- what is right --------------------------------------------------------------------------------

PROBLEMS = {
    "rows": ((40, 64), "c8", 1),
    "image": ((64, 48), "c8"),
    "columns": ((100, 33), "c8", 0),
}


@pytest.mark.one_cpu
@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_every_candidate_is_right(device, problem):
    """Plans with the values of each, compared with a reference of ours."""
    task = task_of(device, *problem)
    x = noise(problem[0], "c8")
    expected = expected_of(task.problem, x.reshape(-1))
    for knob in KNOBS:
        for each in neighbours(task, task.start, knob, thorough=False):
            plan = pyclfft.Plan(*problem, parameters=each.values)
            assert plan.passes == each.schedule.passes
            error = relative_error(plan(x), expected)
            assert error <= 2 * bound("stockham", x.dtype, x.size), each.values


@pytest.mark.parametrize(
    ("shape", "dtype", "axes", "options"),
    [
        ((6, 20), "c8", 1, {}),
        ((6, 20), "c16", 0, {"direction": "inverse"}),
        ((3, 20, 4), "c8", (0, 2), {}),
        ((3, 5, 8), "f4", (1, 2), {"kind": "r2c"}),
        ((3, 5, 8), "c8", (2, 1), {"kind": "c2r", "direction": "inverse"}),
        ((3, 5, 8), "c8", (1, 2), {"kind": "c2r"}),
        ((4, 9), "f4", 1, {"kind": "r2c", "direction": "inverse"}),
        ((5, 12), "f4", 1, {"kind": "dct2"}),
        ((5, 12), "f8", None, {"kind": "dst3", "direction": "inverse"}),
        ((7,), "f4", None, {}),
    ],
)
def test_results_of_all_kinds_are_checked(device, short, shape, dtype, axes, options):
    """Against NumPy and SciPy, which agree with the default's result."""
    task = task_of(device, shape, dtype, axes, **options)
    if task.problem.precision == "double" and not task.traits.fp64:
        pytest.skip("no double precision")
    (timing,) = DeviceMeasure(queues.context_of(device), task.problem)([task.start])
    assert timing.reason == ""
    assert 0 < timing.ms < inf


def test_a_wrong_result_cannot_win(device, short):
    """Be it ever so fast: here the passes of another transform."""
    task, other = (
        task_of(device, (4, 64), "c8", 1, direction=way) for way in ("forward", "inverse")
    )
    right = task.start
    wrong = Candidate(right.parameters, other.start.schedule)
    ours = DeviceMeasure(queues.context_of(device), task.problem)
    first, second, third = ours([right, wrong, right])
    assert first.reason == third.reason == ""
    assert second.ms == inf
    assert second.reason.startswith("relative error ")


def test_what_fails_cannot_win(device, short, monkeypatch):
    task = task_of(device, (4, 64), "c8", 1)
    right = task.start
    ours = DeviceMeasure(queues.context_of(device), task.problem)

    def fail(*_):
        raise pyclfft.BuildError("no compiler today\nand much more")

    monkeypatch.setattr(measure, "Executable", fail)
    (timing,) = ours([right])
    assert (timing.ms, timing.reason) == (inf, "BuildError: no compiler today")


# --- whose clock ----------------------------------------------------------------------------------


class Told:
    """A queue, a call and a host's clock that say what a test wants."""

    def __init__(self, host_s, event_s, order):
        self.host_s, self.event_s, self.order = host_s, event_s, order
        self.host_now = self.event_now = 0.0

    def perf_counter(self):
        return self.host_now

    def call(self):
        self.host_now += self.host_s
        self.event_now += self.event_s * 1e9
        names = ("queued", "submit", "start", "end")
        times = {name: self.event_now + n for name, n in zip(names, self.order, strict=True)}
        return SimpleNamespace(profile=SimpleNamespace(**times), wait=lambda: None)

    def finish(self):
        pass


@pytest.mark.parametrize(
    ("event_s", "order", "trusted"),
    [
        (1e-3, (0, 1, 2, 3), True),
        (0.8e-3, (0, 1, 2, 3), True),
        (1e-4, (0, 1, 2, 3), False),  # far less than the host has waited
        (2e-3, (0, 1, 2, 3), False),  # more than that
        (0.0, (0, 1, 2, 3), False),
        (1e-3, (0, 1, 2, 2), False),  # over when it begins
        (1e-3, (0, 2, 1, 3), False),  # begun before it was submitted
    ],
)
def test_events_that_lie_are_found_out(monkeypatch, event_s, order, trusted):
    told = Told(1e-3, event_s, order)
    monkeypatch.setattr(measure, "time", told)
    assert measure.trusts_events(told.call, told) == trusted


def test_events_without_times_are_found_out(device):
    queue = cl.CommandQueue(queues.context_of(device))
    buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 1024)

    def call():
        return cl.enqueue_fill_buffer(queue, buffer, np.uint8(1), 0, 1024)

    assert not measure.trusts_events(call, queue)


# --- what is kept ---------------------------------------------------------------------------------


@pytest.mark.one_cpu
def test_tuned_once_and_taken_by_every_plan(device, short, own_database, monkeypatch):
    """Timings are made up, so that the outcome is known: one value wins."""
    traits = describe.traits(device)
    wanted = {"stream_bytes": 0} if traits.is_cpu and traits.lanes >= 4 else {"stockham_points": 4}
    (name,) = wanted
    real = DeviceMeasure.__call__

    def rigged(self, candidates):
        timings = real(self, candidates)
        return [
            timing
            if timing.reason
            else type(timing)(1.0 if wanted.items() <= each.values.items() else 2.0)
            for each, timing in zip(candidates, timings, strict=True)
        ]

    shape = (2**19 // 64, 64) if traits.is_cpu else (64, 64)
    monkeypatch.setattr(DeviceMeasure, "__call__", rigged)
    steps = []
    tuned = pyclfft.tune(shape, axes=1, step=lambda: steps.append(1))
    assert tuned.parameters == wanted
    assert (tuned.gain, tuned.complete, len(steps)) == (2.0, True, tuner.STEPS)
    assert tuned.measured > 1
    assert tuned.clock in ("events", "host")
    (entry,) = database.load(own_database)
    assert str(entry.workclass) == tuned.problem
    assert entry.values == wanted
    assert (entry.ms, entry.default_ms, entry.effort) == (1.0, 2.0, "measure")
    plan = pyclfft.Plan(shape, "c8", 1)
    assert plan.parameters.origins == {name: "user"}
    assert f"{name} {wanted[name]} (user)" in str(plan)
    assert pyclfft.Plan(shape, "c8", 1, "c2c", "inverse").parameters.origins == {name: "user"}
    given = pyclfft.Plan(shape, "c8", 1, parameters={name: 8})
    assert given.parameters.origins == {name: "given"}
    x = noise(shape, "c8")
    error = relative_error(plan(x), expected_of(plan.problem, x.reshape(-1)))
    assert error <= 2 * bound("stockham", x.dtype, x.size)


def test_functions_plan_anew_after_tuning(device, short):
    x = noise((4, 64), "c8")
    pyclfft.fft(x)
    assert pyclfft.cache_info().plans.size > 0
    pyclfft.tune((4, 64), axes=1, **QUICK)
    assert pyclfft.cache_info().plans.size == 0


def test_another_database_is_not_the_users(device, short, tmp_path, own_database):
    other = tmp_path / "other.json"
    tuned = pyclfft.tune((4, 64), axes=1, db=other, **QUICK)
    assert [str(each.workclass) for each in database.load(other)] == [tuned.problem]
    assert not own_database.exists()


@pytest.mark.one_cpu
def test_whatever_was_made_with_other_parameters_is_made_anew(device, short):
    def sizes():
        known = pyclfft.cache_info()
        return known.plans.size, known.filters.size, known.frames.size

    pyclfft.clear_cache()
    pyclfft.fft(np.ones(64, np.complex64))
    pyclfft.filter_image(np.ones((8, 8), np.float32), "lowpass", 2)
    pyclfft.stft(np.ones(64, np.float32), 16)
    assert min(sizes()) >= 1
    pyclfft.tune((4, 64), axes=1, **QUICK)
    assert sizes() == (0, 0, 0)


@pytest.mark.one_cpu
def test_plans_that_measure_do_so_once(device, short, own_database, monkeypatch):
    calls = []
    real = tuner.tune_problem

    def counted(*args):
        calls.append(args)
        return real(*args[:4], 0.0, *args[5:])  # no time for more than the default

    monkeypatch.setattr(tuner, "tune_problem", counted)
    monkeypatch.setattr(tuner.Search, "run", complete(tuner.Search.run))
    for _ in range(2):
        plan = pyclfft.Plan((4, 64), "c8", 1, effort="measure")
        assert str(plan.parameters) == "default"
    assert len(calls) == 1
    pyclfft.Plan((4, 64), "c8", 1, "c2c", "inverse", effort="measure")  # of the same class
    assert len(calls) == 1
    pyclfft.Plan((4, 64), "c8", 1, effort="exhaustive")  # more than is known
    pyclfft.Plan((4, 64), "c8", 1, effort="measure")  # less
    assert len(calls) == 2
    pyclfft.Plan((4, 64), "c8", 1, algorithm="direct", effort="measure")
    assert len(calls) == 3
    pyclfft.Plan((4, 0), "c8", 0, effort="measure")  # nothing to measure
    assert len(calls) == 3


def complete(run):
    """A search that is cut short and does not know it."""

    def wrapped(self, *args):
        from dataclasses import replace

        return replace(run(self, *args), complete=True)

    return wrapped


@pytest.mark.one_cpu
def test_taken_up_after_an_interrupt(device, short, own_database, monkeypatch, tmp_path):
    # What that measures, to leave out values, an earlier search may have measured.
    monkeypatch.setattr(tuner.Search, "_simplify", lambda self: None)
    real = DeviceMeasure.__call__
    seen = []

    def interrupted(self, candidates):
        if len(seen) == 2:
            raise KeyboardInterrupt
        seen.append([each.key for each in candidates])
        return real(self, candidates)

    monkeypatch.setattr(DeviceMeasure, "__call__", interrupted)
    shape = (40, 64)
    with pytest.raises(KeyboardInterrupt):
        pyclfft.tune(shape, axes=1)
    assert not own_database.exists()
    (trials,) = (tmp_path / "cache" / "tuning").iterdir()
    known = json.loads(trials.read_text())
    assert known.keys() == {key for call in seen for key in call[1:]}
    later = []

    def on(self, candidates):
        later.append([each.key for each in candidates])
        return real(self, candidates)

    monkeypatch.setattr(DeviceMeasure, "__call__", on)
    tuned = pyclfft.tune(shape, axes=1)
    assert tuned.complete
    assert not known.keys() & {key for call in later[:-3] for key in call[1:]}
    assert not trials.exists()
    assert own_database.exists()


@pytest.mark.parametrize(
    "text", ["", "[1]", '{"a": "b"}', '{"a": null}', f'{{"a": 1{"0" * 400}}}', "[" * 100_000]
)
def test_damaged_trials_cost_time_only(device, short, monkeypatch, text):
    pyclfft.tune((4, 64), axes=1, **QUICK)
    real = tuner._Trials.__init__

    def damaged(self, *args):
        real(self, *args)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(text)
        self.ratios = self._known()

    monkeypatch.setattr(tuner._Trials, "__init__", damaged)
    assert not pyclfft.tune((4, 64), axes=1, **QUICK).complete


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (((0, 4), "c8", 1), {}, "nothing to tune"),
        (((4, 8), "c8", ()), {}, "nothing to tune"),
        (((4, 8), "c8"), {"effort": "much"}, "invalid effort 'much', should be one of measure"),
        (((4, 8), "c8"), {"algorithm": "magic"}, "invalid algorithm 'magic'"),
        (((4, 60), "c8", 1), {"algorithm": "radix2"}, "power of two"),
        (((4, 8), "i4"), {}, "no transform reads int32"),
    ],
)
def test_what_makes_no_sense_is_refused(device, arguments, options, message):
    with pytest.raises(PlanError, match=message):
        pyclfft.tune(*arguments, **options, **QUICK)


def test_plans_refuse_parameters_that_there_are_not(device):
    with pytest.raises(PlanError, match="unknown parameter 'grup'"):
        pyclfft.Plan((4, 8), "c8", parameters={"grup": 3})
    with pytest.raises(PlanError, match=r"algorithm must be one of .*small, .*, not 'stokham'"):
        pyclfft.Plan((4, 8), "c8", parameters={"algorithm": "stokham"})
    with pytest.raises(PlanError, match="parameters are a mapping of names to values, not 5"):
        pyclfft.Plan((4, 8), "c8", parameters=5)
    with pytest.raises(PlanError, match="invalid effort 'patient'"):
        pyclfft.Plan((4, 8), "c8", effort="patient")


@pytest.mark.parametrize(
    ("algorithm", "values"),
    [
        ("radix2", {"group": 0}),
        ("direct", {"direct_tile": 0}),
        ("local-radix2", {"local_items": 0}),
        ("four_step_groups", {"factors": [[12]]}),
        (None, {"lanes_groups": 0}),
        (None, {"stockham_group": inf}),
    ],
)
def test_plans_refuse_values_out_of_range(device, own_database, caplog, algorithm, values):
    """What a plan refuses, an entry of a file does not bring in either: a warning names it."""
    ((name, _),) = values.items()
    n = 12 if algorithm == "four_step_groups" else 16
    with pytest.raises(PlanError, match=rf"parameter {name} must be .* (from|to) \d+.*, not "):
        pyclfft.Plan((4, n), "c8", 1, algorithm=algorithm, parameters=values)
    problem = Workclass.of(make_problem((4, n), "c8", 1), algorithm)
    entry = Entry(describe.identity(device), problem, values, wisdom.sources_hash(), 1.0, 1.0)
    own_database.write_text(database.text_of([entry]))
    wisdom.forget_entries()
    for _ in range(2):
        plan = pyclfft.Plan((4, n), "c8", 1, algorithm=algorithm)
        assert str(plan.parameters) == "default"
    (warning,) = caplog.records
    assert f"the entry for '{problem}' on {describe.identity(device).name!r}" in warning.message
    assert f"parameter {name} must be " in warning.message


@pytest.mark.parametrize("entries", ["null", "5", "[5]", '{"a": Infinity}', "1e400", "[" * 10**5])
def test_transforms_need_no_tuning_file(device, own_database, caplog, entries):
    device_known = json.dumps(asdict(describe.identity(device)))
    own_database.write_text(
        f'{{"schema": 1, "devices": [{{"device": {device_known}, "entries": {entries}}}]}}'
    )
    wisdom.forget_entries()
    pyclfft.clear_cache()
    for n in (8, 9):
        x = noise(n, "c8")
        np.testing.assert_allclose(pyclfft.fft(x), np.fft.fft(x), atol=1e-5)
    assert len(caplog.records) == 1
    assert "out" in caplog.text
