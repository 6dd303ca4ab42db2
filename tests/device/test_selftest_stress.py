"""The self-test in threads, and its count of the memory that plans leave: they find faults."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
import threading
import time

import numpy as np
import pyopencl as cl
import pytest

import pyclfft
from pyclfft import selftest, selftest_memory, selftest_random, selftest_stress
from pyclfft.runtime import queues
from pyclfft.selftest_cases import Outcome
from pyclfft.selftest_memory import Sample
from pyclfft.selftest_stress import Stress
from tests.conftest import place_of

POINTS = 64
SECONDS = 1.0
TIMEOUT = 60  # seconds until a test gives up


def command(device, *arguments):
    given = ["--device", place_of(device), "--points", str(POINTS), "--seed", "27", *arguments]
    return selftest.main(given)


# --- threads --------------------------------------------------------------------------------------


@pytest.fixture
def few(monkeypatch):
    """Few plans, since compiling their kernels takes long."""
    monkeypatch.setattr(selftest_stress, "SHARED_PLANS", 3)
    monkeypatch.setattr(selftest_stress, "CLEARING", 0.02)


@pytest.mark.one_cpu
def test_the_command(device, few, tmp_path, capsys):
    file = tmp_path / "results.json"
    assert command(device, "--stress", "--minutes", str(SECONDS / 60), "--json", str(file)) == 0
    out = capsys.readouterr().out
    assert "Random cases of seed 27 in threads on" in out
    assert "by 8 threads with 3 plans on" in out
    (run,) = json.loads(file.read_text())["runs"]
    assert (run["threads"], run["plans"]) == (8, 3)
    assert run["next"] == sum(each["cases"] for each in run["kinds"].values()) > 0


def test_threads_share_plans_and_queues(device, few, monkeypatch):
    """Every thread, plan and queue has its turn, and functions have theirs."""
    seen, real = set(), selftest_random.examine

    def examine(case, queue, plan):
        seen.add((threading.current_thread(), queue, type(plan)))
        return real(case, queue, plan)

    monkeypatch.setattr(selftest_random, "examine", examine)
    stress = Stress(device, place_of(device), 27, POINTS, threads=3)
    wanted = [3, stress.shape["queues"], 2]
    run, found = stress.run(TIMEOUT), []
    while found != wanted:
        assert next(run) is None
        found = [len(set(each)) for each in zip(*seen.copy(), strict=True)]
    run.close()


@pytest.mark.one_cpu
def test_a_wrong_result_is_found(device, few, monkeypatch, capsys):
    monkeypatch.setattr(selftest_random, "relative_error", lambda *_: 1.0)
    assert command(device, "--stress", "--minutes", "0.01") == 1
    out = capsys.readouterr().out
    assert "FAIL: case" in out
    assert "from pyclfft.selftest_random import *; print(repeat(Case(" in out
    assert "(in thread" in out


def test_a_thread_that_does_not_come_back_is_found(device, monkeypatch):
    """The other thread computes nothing, so that it comes back in time on any machine."""
    go_on = threading.Event()

    def examine(case, queue, plan):
        if threading.current_thread().name == "1":
            go_on.wait(TIMEOUT)
        time.sleep(0.01)
        return Outcome(case.transform.kind, case.transform.precision, 0.0, 1.0)

    monkeypatch.setattr(selftest_random, "planned", lambda *_: None)
    monkeypatch.setattr(selftest_random, "examine", examine)
    monkeypatch.setattr(selftest_stress, "clear_cache", lambda: None)
    monkeypatch.setattr(selftest_stress, "HANG_S", 1)
    stress = Stress(device, place_of(device), 27, POINTS, threads=2)
    (failure,) = [each for each in stress.run(0.2) if each]
    go_on.set()
    assert "has not come back for 1 s (in thread 1;" in failure.problem


def no_queue(context):
    raise RuntimeError("no queue for now")


def no_table(*arguments):
    raise KeyError("a table")


@pytest.mark.parametrize(
    ("module", "name", "broken", "problem"),
    [
        (queues, "queue_of", no_queue, "RuntimeError: no queue for now"),
        (selftest_random, "examine", no_table, "KeyError: 'a table'"),
    ],
)
def test_an_exception_of_the_selftest_is_a_failure(
    device, few, monkeypatch, capsys, module, name, broken, problem
):
    """All threads end, so that the command ends long before its ten minutes."""
    monkeypatch.setattr(selftest_random, "planned", lambda *_: None)
    monkeypatch.setattr(module, name, broken)
    assert command(device, "--stress") == 1
    out = capsys.readouterr().out
    for thread in range(selftest_stress.THREADS):
        assert f"{problem} (in thread {thread};" in out
    assert "FAIL: 8 of 8 cases by 8 threads" in out


def test_an_exception_between_cases_is_a_failure(device, few, monkeypatch):
    """Drawing a case fails, before the thread has begun one."""
    stress = Stress(device, place_of(device), 27, POINTS, threads=1)
    monkeypatch.setattr(selftest_random, "case", no_table)
    (failure,) = [each for each in stress.run(TIMEOUT) if each]
    assert "KeyError: 'a table'" in failure.problem
    assert stress.tally.next == stress.tally.failed == 1


def test_no_case_is_a_failure(device, monkeypatch, capsys):
    monkeypatch.setattr(Stress, "_work", lambda *_: None)
    assert command(device, "--stress", "--quiet") == 1
    assert "FAIL: no case has run in 0 s: give it more --minutes M" in capsys.readouterr().out


@pytest.mark.parametrize("option", [["--quick"], ["--plans", "1"], ["--cases", "2"], ["--restart"]])
def test_what_stress_does_not_go_with(option, capsys):
    assert selftest.main(["--stress", *option]) == 2
    assert f"--stress does not go with {option[0]}" in capsys.readouterr().err


# --- memory ---------------------------------------------------------------------------------------


@pytest.fixture
def few_plans(monkeypatch):
    monkeypatch.setattr(selftest_memory, "KINDS_OF_PLANS", 3)


# In a process of its own: if other tests have loaded MPICH, it keeps a record of all memory that
# `malloc_trim` gives back, so that a large process grows each time.
IN_A_NEW_PROCESS = """
import sys
from pyclfft import selftest, selftest_memory
selftest_memory.KINDS_OF_PLANS = 3
sys.exit(selftest.main(sys.argv[1:]))
"""


@pytest.mark.one_cpu
def test_plans_leave_nothing_behind(device, tmp_path):
    file = tmp_path / "results.json"
    given = ["--device", place_of(device), "--points", str(POINTS), "--seed", "27"]
    ended = subprocess.run(
        [sys.executable, "-c", IN_A_NEW_PROCESS, *given, "--plans", "200", "--json", str(file)],
        capture_output=True, text=True, timeout=10 * TIMEOUT,
    )  # fmt: skip
    assert "pass: 200 plans" in ended.stdout, ended.stdout + ended.stderr
    assert ended.returncode == 0
    (run,) = json.loads(file.read_text())["runs"]
    assert [each["plans"] for each in run["samples"]] == list(range(20, 201, 20))
    assert run["problems"] == []


@pytest.mark.one_cpu
def test_plans_that_stay_are_found(device, few_plans, monkeypatch, capsys):
    kept, real = [], selftest_random.planned

    def planned(transform, context):
        kept.append((real(transform, context), cl.Buffer(context, cl.mem_flags.READ_WRITE, 64)))
        return kept[-1][0]

    monkeypatch.setattr(selftest_random, "planned", planned)
    assert command(device, "--plans", "60") == 1
    out = capsys.readouterr().out
    assert "FAIL: " in out
    assert "the buffers on the device have grown from" in out


@pytest.mark.one_cpu
def test_caches_are_full_before_the_first_sample(device, few_plans, monkeypatch, capsys):
    """Few plans, so that some transforms come after the first sample for the first time."""
    called, real = [], selftest_random.call

    def call(case, *arguments):
        called.append(case)
        return real(case, *arguments)

    monkeypatch.setattr(selftest_random, "call", call)
    pyclfft.clear_cache()
    assert command(device, "--plans", "2") == 0
    assert len(set(called[:3])) == 3
    assert "pass: 2 plans" in capsys.readouterr().out


def test_one_plan_is_too_few(capsys):
    assert selftest.main(["--plans", "1"]) == 2
    assert "make 2 plans or more" in capsys.readouterr().err


@pytest.mark.parametrize("error", [AttributeError, OSError, TypeError])
def test_a_system_without_malloc_trim(monkeypatch, error):
    """CDLL(None) raises TypeError on Windows."""

    def refuse(name):
        raise error(name)

    monkeypatch.setattr(ctypes, "CDLL", refuse)
    selftest_memory.settle()


def test_buffers_are_counted(queue):
    context, real = queue.context, cl.Buffer
    before = real(context, cl.mem_flags.READ_WRITE, 64)
    with selftest_memory.counted_buffers() as counter:
        assert isinstance(before, cl.Buffer)
        held = cl.Buffer(context, cl.mem_flags.READ_WRITE, 256)
        assert isinstance(held, real)
        assert isinstance(held, cl.Buffer)
        with pytest.raises(cl.Error):
            cl.Buffer(context, cl.mem_flags.READ_WRITE, 0)
        assert (counter.buffers, counter.nbytes) == (1, 256)
        del held
        assert (counter.buffers, counter.nbytes) == (0, 0)
    assert cl.Buffer is real


MB = 2**20


@pytest.mark.parametrize(
    ("last", "words"),
    [
        ((100 * MB, 5, 64), ""),
        ((108 * MB, 5, 64), ""),
        ((109 * MB, 5, 64), "grown by 9.0 MiB from plan 10 to plan 100"),
        ((100 * MB, 6, 64), "from 5 to 6, and from 64 to 64 bytes"),
        ((100 * MB, 5, 65), "from 5 to 5, and from 64 to 65 bytes"),
        ((None, 5, 64), ""),
    ],
)
def test_what_counts_as_growth(last, words):
    samples = [Sample(10, 1.0, 100 * MB, 5, 64), Sample(100, 2.0, *last)]
    problems = selftest_memory.problems_of(samples)
    assert len(problems) == bool(words)
    assert words in "".join(problems)


def test_the_host_tells_its_memory():
    before = selftest_memory.resident()
    if before is None:
        pytest.skip("the operating system does not say")
    held = np.ones(8 * MB)
    assert selftest_memory.resident() > before + 32 * MB
    del held
