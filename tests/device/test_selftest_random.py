"""Random cases of the self-test: they pass, they find planted faults, and a run goes on."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace

import numpy as np
import pytest

from pyclfft import selftest, selftest_cases, selftest_random, selftest_tally
from pyclfft.errors import FormatError
from pyclfft.planning.problem import KINDS
from pyclfft.selftest_random import BLOCK, PLAIN, PLANS, Arrangement, Case, Transform
from tests.conftest import place_of

SEED = 27
QUICK = range(0, 12 * BLOCK)  # the first plan of each kind
SMALL = 512  # points: what takes long is compiling, and long transforms take more of it


def failures(device, until, **options):
    tally = selftest_tally.new_tally(device, SEED, SMALL)
    run = selftest_tally.advance(tally, device, place_of(device), until, math.inf, **options)
    return [each for each in run if each], tally


# --- drawing --------------------------------------------------------------------------------------


def test_a_case_of_a_seed_is_always_the_same():
    """Recorded: a change of what is drawn takes the meaning from numbers that users have noted."""
    transform = Transform(
        kind="r2c", precision="double", shape=(2753,), direction="inverse", norm="ortho",
        target=Arrangement((0,), (1,), 16), load="place", store="number",
    )  # fmt: skip
    recorded = Case(transform, 258004102, place="device", placement="out")
    assert selftest_random.case(27, 300, 4096) == recorded
    x = selftest_random.memory_of(PLAIN.layout((2,)), np.dtype("c8"), 5)
    assert x[:2].tolist() == pytest.approx([-0.27800682 + 0.3707323j, -0.29328084 + 0.4186109j])


def test_cases_have_everything():
    cases = [selftest_random.case(SEED, number) for number in range(0, PLANS * BLOCK, 7)]
    transforms = {each.transform for each in cases}
    assert {each.kind for each in transforms} == set(KINDS)
    assert len(transforms) == PLANS
    for name, values in {
        "precision": 2, "direction": 2, "norm": 3, "real": 2, "orthogonalize": 3,
        "load": 4, "store": 4,
    }.items():  # fmt: skip
        assert len({getattr(each, name) for each in transforms}) == values, name
    for name, values in {"place": 2, "placement": 3, "poison": 4}.items():
        assert len({getattr(each, name) for each in cases}) == values, name
    assert {len(each.shape) for each in transforms} == {1, 2, 3, 4}
    assert {len(each.axes) for each in transforms} == {1, 2, 3}
    assert max(math.prod(each.shape) for each in transforms) > selftest_random.POINTS / 4
    for test in (
        lambda each: each.s is not None,
        lambda each: each.source is not None and min(each.source.steps) < 0,
        lambda each: each.rows > 1,
    ):
        assert any(map(test, transforms))


def test_no_array_is_larger_than_asked():
    for number in range(0, 200 * BLOCK, BLOCK):
        assert math.prod(selftest_random.case(1, number, 100).transform.shape) <= 100


def test_plans_come_again_with_other_inputs():
    first, again = (selftest_random.case(SEED, number) for number in (3, 3 + PLANS * BLOCK))
    assert first.transform == again.transform
    assert first.seed != again.seed


@pytest.mark.parametrize(
    ("arrangement", "strides", "offset"),
    [
        (PLAIN, (12, 4, 1), 0),
        (Arrangement((2, 0, 1)), (3, 1, 6), 0),
        (Arrangement((), (1, 2, -1), 5), (24, 8, -1), 8),
    ],
)
def test_arrangements(arrangement, strides, offset):
    layout = arrangement.layout((2, 3, 4))
    assert (layout.strides, layout.offset) == (strides, offset)


# --- running --------------------------------------------------------------------------------------


def test_random_cases(device):
    failed, tally = failures(device, QUICK.stop)
    assert not failed
    assert sum(each.cases for each in tally.kinds.values()) + tally.skipped == QUICK.stop
    assert {name.split()[0] for name in tally.kinds} == set(KINDS)


def test_a_poisoned_element_is_one_that_counts(queue):
    """Of half a spectrum, too, of which a shorter length takes less."""
    spectrum = Transform(kind="c2r", shape=(64, 8), s=(6,), norm="forward")
    for seed in range(8):
        assert selftest_random.examine(Case(spectrum, seed, poison="nan"), queue).passed


EASY = Transform(shape=(6, 8), axes=(1,))


@pytest.fixture
def judged(queue, monkeypatch):
    """Let something happen to a call of a plan, and judge a case."""
    real = selftest_random.Plan

    def judge(case, change):
        class Bent(real):
            def __call__(self, x, out=None, queue=None):
                return change(super().__call__, x, out, queue)

        monkeypatch.setattr(selftest_random, "Plan", Bent)
        return selftest_random.examine(case, queue)

    return judge


def bleed(run, x, out, queue):
    """The NaN of a row reaches the next one."""
    result = run(x, out, queue)
    if np.isnan(result).any():
        result[2, 3] += 1e-6
    return result


def behind(run, x, out, queue):
    """A call writes behind its result."""
    result = run(x, out, queue)
    np.lib.stride_tricks.as_strided(out, (out.size + 1,), (8,))[-1] = 0
    return result


def into_input(run, x, out, queue):
    result = run(x, out, queue)
    x[1, 1] = 0
    return result


def times(factor):
    return lambda run, *given: run(*given) * factor


def without_poison(run, x, *given):
    return run(np.nan_to_num(x, posinf=1), *given)


# Each wrong behaviour: the case that meets it, what a call does, and what is said of it.
OUT = Case(EASY, placement="out")
WRONG = {
    "a little": (Case(EASY), times(np.float32(1 + 1e-6)), ""),
    "no number": (Case(EASY), times(np.float32(np.nan)), ""),
    "dtype": (Case(EASY), lambda run, *given: run(*given).astype("c16"), "complex128"),
    "another array": (OUT, lambda run, *given: run(*given).copy(), "another array"),
    "crash": (Case(EASY), lambda *_: 1 / 0, "ZeroDivisionError"),
    "input": (Case(EASY), into_input, "changed its input"),
    "input there": (Case(EASY, place="device"), into_input, "changed its input"),
    "behind": (OUT, behind, "beside its result"),
    "bleed": (Case(EASY, poison="nan", seed=3), bleed, "changed another row"),
    "lost": (Case(EASY, poison="inf"), without_poison, "has not reached"),
}


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_found(judged, name):
    case, change, words = WRONG[name]
    outcome = judged(case, change)
    assert not outcome.passed
    assert bool(outcome.problem) == bool(words)
    assert words in outcome.problem
    assert judged(case, lambda run, *given: run(*given)).passed


def test_bounds_are_those_of_the_targets():
    many = Transform(shape=(1000, 100_000), axes=(1,))
    assert selftest_random.bound(many) == pytest.approx(2.0e-7, rel=1e-3)
    prime = replace(many, shape=(1000, 100_003), precision="double")
    assert selftest_random.bound(prime) == pytest.approx(1.1e-15, rel=1e-3)


def test_one_line_runs_a_case_again(device, capsys):
    case = replace(selftest_random.case(SEED, 5, 100), seed=4)
    exec(selftest_random.line_of(case, place_of(device)), {})
    assert capsys.readouterr().out.startswith("pass: error ")
    assert "poison" not in selftest_random.brief(Case(EASY))


# --- the state ------------------------------------------------------------------------------------


def test_a_run_goes_on(device, tmp_path):
    path = tmp_path / "folder" / "state.json"
    _, whole = failures(device, 40)
    tally = selftest_tally.new_tally(device, SEED, SMALL)
    run = selftest_tally.advance(tally, device, "0", 40, math.inf, path)
    for _ in range(11):
        next(run)
    run.close()  # as an interrupt does
    again = selftest_tally.load(path)
    assert again.next == 11
    list(selftest_tally.advance(again, device, "0", 40, math.inf, path))
    known = {**asdict(whole), "seconds": 0}
    assert {**asdict(selftest_tally.load(path)), "seconds": 0} == known


def test_no_state(tmp_path):
    assert selftest_tally.load(tmp_path / "missing.json") is None


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[:50],
        lambda text: "[]",
        lambda text: text.replace('"next": 3', '"next": "3"'),
        lambda text: text.replace('"schema": 1', '"schema": 2'),
        lambda text: text.replace('"cases"', '"houses"'),
        lambda text: text.replace('"kinds"', '"sorts"'),
    ],
)
def test_a_damaged_state(tmp_path, change):
    worst = {"c2c single": selftest_tally.Worst(3)}
    tally = selftest_tally.Tally("a", "b", "c", 1, 2, next=3, kinds=worst)
    selftest_tally.save(tmp_path / "state", tally)
    assert selftest_tally.load(tmp_path / "state") == tally
    text = (tmp_path / "state").read_text()
    assert change(text) != text
    (tmp_path / "state").write_text(change(text))
    with pytest.raises(FormatError, match="--restart"):
        selftest_tally.load(tmp_path / "state")


# --- the command ----------------------------------------------------------------------------------


def command(device, *arguments):
    return selftest.main(["--device", place_of(device), "--points", "64", *arguments])


@pytest.mark.one_cpu
def test_the_command(device, tmp_path, capsys, monkeypatch):
    file = tmp_path / "results.json"
    assert command(device, "--cases", "20", "--seed", "5", "--json", str(file)) == 0
    out = capsys.readouterr().out
    assert "Random cases of seed 5 on" in out
    assert "pass: 20 random cases of 1 plans in" in out
    assert "checks" not in out  # the fixed ones
    document = json.loads(file.read_text())
    assert document["command"].startswith("pyclfft selftest --device")
    (run,) = document["runs"]
    assert (run["next"], run["seed"], run["points"], run["failures"]) == (20, 5, 64, [])
    assert command(device, "--cases", "30", "--seed", "5") == 0
    out = capsys.readouterr().out
    assert "  20 cases of earlier calls count" in out
    assert "pass: 30 random cases of 2 plans in" in out
    monkeypatch.setattr(selftest_random, "relative_error", lambda *_: 1.0)
    assert command(device, "--cases", "2", "--seed", "5", "--restart") == 1
    out = capsys.readouterr().out
    assert "earlier" not in out
    assert "FAIL: 2 of 2 random cases" in out
    assert out.count("from pyclfft.selftest_random import *; print(repeat(Case(") == 2
    assert command(device, "--cases", "2", "--seed", "5", "-q") == 1  # as it failed before
    assert capsys.readouterr().out.count("FAIL: case") == 2


@pytest.mark.one_cpu
def test_minutes_and_full(device, capsys, monkeypatch):
    assert command(device, "--minutes", "0.01") == 0
    assert "random cases of" in capsys.readouterr().out
    monkeypatch.setattr(selftest, "FULL_ON_CPU", 2)
    monkeypatch.setattr(selftest, "FULL", 2)
    monkeypatch.setattr(selftest, "run", lambda *_, **__: ["a fixed check"])
    assert command(device, "--full", "--seed", "6", "-q") == 1
    assert capsys.readouterr().out == "a fixed check\n"


@pytest.mark.parametrize(
    "option", [["--seed", "1"], ["--points", "9"], ["--restart"], ["--json", "x"]]
)
def test_options_of_random_cases_alone(option, capsys):
    assert selftest.main(option) == 2
    assert f"{option[0]} is about random cases: add --full" in capsys.readouterr().err


def test_no_double_precision(device, change_traits, monkeypatch):
    change_traits(fp64=False)
    monkeypatch.setattr(selftest_random, "planned", lambda *_: None)
    passed = selftest_cases.Outcome("any", "single", 0.0, 1.0)
    monkeypatch.setattr(selftest_random, "examine", lambda *_: passed)
    _, tally = failures(device, QUICK.stop)
    double = [selftest_random.case(SEED, each, SMALL).transform.precision for each in QUICK]
    assert tally.skipped == double.count("double") > 0
    assert tally.kinds["any single"].cases == QUICK.stop - tally.skipped
