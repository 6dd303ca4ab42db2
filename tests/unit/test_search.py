"""The tuner's decisions, replayed with timings that were written down: no device takes part."""

from __future__ import annotations

import json
from math import inf
from pathlib import Path

import pytest

from pyclfft.errors import DeviceError
from pyclfft.planning.lookup import Workclass
from pyclfft.planning.parameters import checked, parameters_for
from pyclfft.planning.problem import make_problem
from pyclfft.tuning.search import FIELD, GAIN, Search, Timing
from pyclfft.tuning.space import KNOBS, Task
from tests.recorded_traits import RECORDED

TRAITS = RECORDED["intel-cpu"]
RECORDINGS = sorted((Path(__file__).parent / "timings").glob("*.json"))


def task(shape=(4096, 1024), axes=1):
    return Task(make_problem(shape, "c8", axes), TRAITS, parameters_for(TRAITS))


class Replay:
    """Answers with times by what is launched; `drift` multiplies them from one call to the next."""

    def __init__(self, ms, drift=1.0):
        self.ms, self.drift, self.speed = ms, drift, 1.0
        self.calls = []

    def __call__(self, candidates):
        self.calls.append([each.values for each in candidates])
        self.speed *= self.drift
        return [self._timing(each) for each in candidates]

    def _timing(self, candidate):
        answer = self.ms(candidate)
        return answer if isinstance(answer, Timing) else Timing(answer * self.speed)


def by_values(**known):
    """A time that is the product of a factor for every value that is known."""

    def ms(candidate):
        product = 10.0
        for name, factors in known.items():
            product *= factors.get(candidate.values.get(name), 1.0)
        return product

    return ms


def test_what_is_fastest_wins():
    replay = Replay(by_values(lanes_width={8: 0.8, 4: 1.3}, stream_bytes={0: 0.5}))
    found = Search(task(), replay).run()
    assert found.values == {"lanes_width": 8, "stream_bytes": 0}
    assert found.ms == pytest.approx(4.0)
    assert found.default_ms == pytest.approx(10.0)
    assert found.complete
    # Then two that leave out one value each, and three that confirm the rest.
    assert found.measured == sum(len(each) - 1 for each in replay.calls[:-5])


@pytest.mark.parametrize("drift", [0.7, 1.4])
def test_a_machine_that_changes_its_speed_changes_nothing(drift):
    """Only times of one call are compared with each other."""
    replay = Replay(by_values(lanes_width={8: 0.8}, stream_bytes={0: 0.5}), drift)
    assert Search(task(), replay).run().values == {"lanes_width": 8, "stream_bytes": 0}


def test_no_better_than_the_default():
    found = Search(task(), Replay(by_values())).run()
    assert found.values == {}
    assert found.ms == found.default_ms == 10


def test_an_accident_is_no_gain():
    found = Search(task(), Replay(by_values(stream_bytes={0: GAIN + 0.005}))).run()
    assert found.values == {}


def test_values_that_bring_nothing_are_dropped():
    """One that was better by accident, when the machine was busy, and is not without."""
    seen = []

    def ms(candidate):
        seen.append(candidate.values)
        streams = candidate.values.get("stream_bytes") == 0
        accident = candidate.values == {"lanes_width": 8} and seen.count(candidate.values) == 1
        return (5.0 if streams else 10.0) * (0.9 if accident else 1.0)

    assert Search(task(), Replay(ms)).run().values == {"stream_bytes": 0}


def test_the_best_has_to_win_again():
    """What was fast once, and is not when it is measured against the default at the end."""
    once = []

    def ms(candidate):
        if candidate.values.get("stream_bytes") == 0 and not once:
            once.append(candidate)
            return 1.0
        return 10.0

    assert Search(task(), Replay(ms)).run().values == {}


def test_what_is_wrong_never_wins():
    def ms(candidate):
        return Timing(inf, "relative error 1e+00") if "lanes_width" in candidate.values else 10.0

    found = Search(task(), Replay(ms)).run()
    assert found.values == {}
    assert found.failed
    assert all(reason == "relative error 1e+00" for reason in found.failed.values())
    assert all("lanes_width" in values for values in found.failed)


def test_a_wrong_default_is_an_error():
    with pytest.raises(DeviceError, match="nothing to compare with: relative error"):
        Search(task(), Replay(lambda _: Timing(inf, "relative error 1e+00"))).run()


def test_few_take_turns_at_once():
    replay = Replay(by_values())
    Search(task((4096, 64)), replay, "exhaustive").run()
    assert max(map(len, replay.calls)) == FIELD
    assert all(each[0] == {} for each in replay.calls)  # what is best so far


def test_a_thorough_search_finds_what_takes_two_changes():
    """Neither of which is better alone."""

    def ms(candidate):
        values = candidate.values
        narrow, small = values.get("lanes_width") == 8, values.get("lanes_radices") == ((2, 4),)
        return 5.0 if narrow and small else 11.0 if narrow or small else 10.0

    short = task((4096, 64))
    assert Search(short, Replay(ms)).run().values == {}
    found = Search(short, Replay(ms), "exhaustive").run()
    assert found.values == {"lanes_width": 8, "lanes_radices": ((2, 4),)}


def test_taken_up_again():
    """After an interrupt nothing is measured twice, and the result is the same."""
    ms = by_values(lanes_width={8: 0.8}, stream_bytes={0: 0.5})
    whole = Search(task(), Replay(ms))
    expected = whole.run()
    ratios, kept = {}, []

    class Interrupted(Replay):
        def __call__(self, candidates):
            if len(self.calls) == 3:
                raise KeyboardInterrupt
            return super().__call__(candidates)

    first = Interrupted(ms)
    with pytest.raises(KeyboardInterrupt):
        Search(task(), first, ratios=ratios, keep=lambda: kept.append(dict(ratios))).run()
    assert kept[-1] == ratios  # of all that was measured
    second = Replay(lambda each: 7 * ms(each))  # a slower machine
    found = Search(task(), second, ratios=ratios).run()
    assert found.values == expected.values
    tried = [values for call in (*first.calls, *second.calls[:-5]) for values in call[1:]]
    assert len(tried) == len({str(each) for each in tried}) == expected.measured
    assert ratios == pytest.approx(whole.ratios)


def test_time_is_up():
    """The best so far counts."""
    seconds = iter(range(100))
    replay = Replay(by_values(lanes_width={8: 0.8}, stream_bytes={0: 0.5}))
    search = Search(task(), replay, deadline=2, clock=lambda: next(seconds))
    found = search.run()
    assert not found.complete
    assert found.values == {"lanes_width": 8}
    assert len(replay.calls) == 2 + 1 + 3  # and one without its value, and those that confirm it
    at_once = Search(task(), Replay(by_values()), deadline=-1.0).run()
    assert (at_once.values, at_once.measured, at_once.complete) == ({}, 0, False)


def test_steps_are_counted_once():
    steps = []
    Search(task(), Replay(by_values(stream_bytes={0: 0.5}))).run(lambda: steps.append(1))
    assert len(steps) == len(KNOBS)


# --- recorded timings -----------------------------------------------------------------------------


def test_there_are_recordings():
    assert RECORDINGS


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_recorded_timings(path):
    """A search on a device, written down by tests/record_timings.py, ends as it did there."""
    recorded = json.loads(path.read_text())
    workclass = Workclass.parse(recorded["problem"])
    problem = make_problem((2**workclass.batch, *workclass.lengths), "c8", recorded["axes"])
    assert Workclass.of(problem) == workclass
    traits = RECORDED[recorded["traits"]]
    times = recorded["ms"]

    def ms(candidate):
        return times.get(json.dumps(candidate.values, sort_keys=True), inf)

    found = Search(Task(problem, traits, parameters_for(traits)), Replay(ms)).run()
    assert found.values == checked(recorded["best"])
    assert found.default_ms >= found.ms


@pytest.mark.parametrize(("factor", "wins"), [(0.5, True), (1.5, False)])
def test_a_hint_is_tried_first(factor, wins):
    """And the search goes on from there where it is faster."""
    hint = {"lanes_width": 8, "stream_bytes": 0}
    replay = Replay(by_values(lanes_width={8: factor}))
    found = Search(task(), replay, hint=hint).run()
    assert replay.calls[0] == [{}, hint]
    assert found.values == ({"lanes_width": 8} if wins else {})


def test_no_hint_takes_no_turn():
    calls = [Replay(by_values()), Replay(by_values())]
    for replay, hint in zip(calls, (None, {"group": 64}), strict=True):  # which changes nothing
        Search(task(), replay, hint=hint).run()
    assert calls[0].calls == calls[1].calls
