"""Each test that the page of promises names exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "explanation" / "promises.md").read_text(encoding="utf-8")
PROMISES = re.findall(r"^\| (?!pyclfft promises|---)(.*?) \| (.*) \|$", PAGE, re.MULTILINE)


def test_there_are_promises():
    assert len(PROMISES) > 15


@pytest.mark.parametrize(("promise", "tests"), PROMISES)
def test_every_promise_is_tested(promise, tests):
    named = re.findall(r"`([\w/]+\.py)::(test_\w+)`", tests)
    assert named
    for file, name in named:
        assert f"def {name}(" in (ROOT / "tests" / file).read_text(encoding="utf-8")
