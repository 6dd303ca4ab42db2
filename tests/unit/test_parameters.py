"""Whatever values parameters have, a plan comes of them or a PlanError that names their range."""

from __future__ import annotations

from math import inf, nan, prod
from random import Random

import pytest

from pyclfft.errors import PlanError, PrecisionError
from pyclfft.planning.parameters import (
    PARAMETERS,
    Amount,
    GroupSize,
    Lists,
    Names,
    OneOf,
    Range,
    Solvers,
    checked,
    parameters_for,
)
from pyclfft.planning.problem import make_problem
from pyclfft.planning.schedule import schedule_of
from pyclfft.planning.solvers import BY_NAME, REWRITERS
from pyclfft.tuning.space import KNOBS, Task
from tests.recorded_traits import RECORDED
from tests.unit.test_golden import PROBLEMS

STRANGE = (
    None, True, inf, -inf, nan, -1, 0, 1, 3, 1.5, 2**31, 10**400, "", "8", "row", [], [[]], [[1]],
    [[12]], [[2] * 9], [[2, 0]], [[-2, -2]], [["2", "4"]], {}, {"a": 1}, b"8", 8j,
)  # fmt: skip


def some_factors(random, allowed, n):
    """Return some factors of a length, as many as there may be, in any order."""
    factors = []
    among = allowed.among or range(2, 65)
    while n > 1 and len(factors) < allowed.longest:
        fitting = [each for each in among if n % each == 0]
        if not fitting:
            break
        factors.append(random.choice(fitting))
        n //= factors[-1]
    return factors if len(factors) >= allowed.shortest else [2] * allowed.shortest


def some_value(random, allowed, lengths):
    """Return one of the values that a parameter may have, more often than not an extreme one."""
    if isinstance(allowed, Range):
        inside = int(allowed.least + (allowed.most - allowed.least) * random.random() ** 8)
        return random.choice([allowed.least, allowed.most, inside, inside])
    if isinstance(allowed, OneOf):
        return random.choice(allowed.numbers)
    if isinstance(allowed, Lists):
        return [some_factors(random, allowed, n) for n in random.choices(lengths, k=3)]
    if isinstance(allowed, GroupSize):
        return random.choice(["", "1", "64", "9999", "7x3", "16x16", "1x9999", "9999x9999"])
    if isinstance(allowed, Amount):
        return random.choice([0.0, 1e-3, 7, allowed.most])
    if isinstance(allowed, Names):
        return random.choice(["", *allowed.names])
    assert isinstance(allowed, Solvers)
    return random.choice(["", *BY_NAME])


def some_problem(random):
    _, arguments, options = random.choice(PROBLEMS)
    return make_problem(*arguments, **options)


def lengths_of(problem):
    """Return lengths along which a plan of the problem may transform."""
    whole = [problem.shape[axis] for axis in problem.axes]
    return [*whole, *(n // 2 for n in whole if n > 3), 12]


def outcome(function):
    """Return a function's result, or None and the error by which it has refused."""
    try:
        return function(), ""
    except (PlanError, PrecisionError) as error:
        return None, str(error)


@pytest.mark.parametrize("name", RECORDED)
def test_plans_of_any_values_can_be_launched(name):
    traits, random = RECORDED[name], Random(name)
    for _ in range(600):
        problem = some_problem(random)
        values = checked({
            parameter: some_value(random, PARAMETERS[parameter].allowed, lengths_of(problem))
            for parameter in random.sample(list(PARAMETERS), random.randint(1, 6))
        })  # fmt: skip
        algorithm = random.choice([None, None, *(each.name for each in REWRITERS), *BY_NAME])
        parameters = parameters_for(traits).over(values, "given")
        schedule, refusal = outcome(lambda: schedule_of(problem, traits, algorithm, parameters))  # noqa: B023
        if schedule is None:  # never the parameters' fault
            wanted = f"algorithm {algorithm!r} takes "
            no_double = problem.precision == "double" and not traits.fp64
            assert "no double precision" in refusal if no_double else wanted in refusal, values
            continue
        for each in schedule.passes:
            items = list(zip(each.global_size, each.local_size, strict=True))
            assert all(size > 0 and size % group == 0 for size, group in items), values
            assert prod(each.local_size) <= traits.max_work_group_size, values
            assert all(
                group <= limit
                for group, limit in zip(each.local_size, traits.max_work_item_sizes, strict=False)
            ), values
        assert all(nbytes > 0 for _, nbytes in schedule.workspace), values


def test_strange_values_are_refused():
    """Each by an error that names the parameter and its range, or they are as good as others."""
    refused = 0
    for name, each in PARAMETERS.items():
        for value in STRANGE:
            taken, refusal = outcome(lambda: checked({name: value})[name])  # noqa: B023
            if taken is None:
                refused += 1
                assert refusal.startswith(f"parameter {name} must be {each.allowed}, not ")
            else:
                assert type(taken) is type(each.gpu)
                assert each.allowed.take(taken) == taken
    assert refused > len(PARAMETERS) * len(STRANGE) // 2


def test_the_tuner_tries_what_is_allowed():
    task = Task(
        make_problem((64, 2**12), "c8", 1), RECORDED["intel-cpu"],
        parameters_for(RECORDED["intel-cpu"]),
    )  # fmt: skip
    for knob in KNOBS:
        for value in knob.values(task, task.start, True):
            assert checked({knob.name: value}) == {knob.name: value}
