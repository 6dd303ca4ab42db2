"""When PoCL's threads are asked to stay on processors of their own, and when they are not."""

from __future__ import annotations

import os
import sys

import pytest

from pyclfft.runtime import icd, pinning
from pyclfft.runtime.variables import Variable


@pytest.fixture(autouse=True)
def linux(monkeypatch):
    """Linux with four processors, all of them ours, and a user who has chosen nothing."""
    monkeypatch.setattr(pinning, "variable", Variable())
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)
    for name in pinning.CHOSEN_BY_USER:
        monkeypatch.delenv(name, raising=False)
    yield
    pinning.variable.take_back()


def test_the_variable_is_set_until_the_platforms_are_listed(monkeypatch):
    seen = []
    monkeypatch.setattr(icd, "_pointer", icd._Pointer())
    monkeypatch.setattr(icd, "_ask_loader", lambda: seen.append(os.environ["POCL_AFFINITY"]) or [])
    pinning.pin_pocl()
    icd._found.__wrapped__()
    assert seen == ["1"]
    assert "POCL_AFFINITY" not in os.environ


@pytest.mark.parametrize("name", pinning.CHOSEN_BY_USER)
def test_a_users_choice_counts(monkeypatch, name):
    monkeypatch.setenv(name, "0")
    pinning.pin_pocl()
    assert os.environ.get("POCL_AFFINITY", "unset") == ("0" if name == "POCL_AFFINITY" else "unset")


@pytest.mark.parametrize("allowed", [{0, 1, 2}, {3}, {0, 1, 2, 4}])
def test_a_process_on_some_processors_only_changes_nothing(monkeypatch, allowed):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: allowed)
    pinning.pin_pocl()
    assert "POCL_AFFINITY" not in os.environ


def test_other_systems_change_nothing(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity")
    pinning.pin_pocl()
    assert "POCL_AFFINITY" not in os.environ
