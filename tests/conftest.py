"""Fixtures: every test that takes `device` runs on each usable device of the machine."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pyopencl as cl
import pytest

# A cache of our own, before pyclfft looks for it: tests neither use nor fill the user's. CI names
# one that its steps share, so that kernels are compiled once.
os.environ.setdefault("PYCLFFT_CACHE_DIR", tempfile.mkdtemp(prefix="pyclfft-tests-"))
os.environ["PYCLFFT_DATA_DIR"] = tempfile.mkdtemp(prefix="pyclfft-tests-data-")
os.environ.pop("PYCLFFT_DEVICE", None)  # tests choose their devices themselves

import pyclfft
from pyclfft.runtime import describe, pieces, wisdom

ROOT = Path(__file__).resolve().parents[1]
STARTED = time.monotonic()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--traits",
        metavar="NAME=NUMBER,...",
        default="",
        help="let plans be made as for devices with other traits, such as "
        "compute_units=16,lanes=8: no test may depend on how large this machine is",
    )
    parser.addoption(
        "--begin-within",
        metavar="SECONDS",
        type=float,
        default=float("inf"),
        help="leave out each test that would begin more than so many seconds after the start; the "
        "summary says how many were left out. CI gives this option, because its time is limited",
    )


def pytest_configure(config: pytest.Config) -> None:
    pairs = [each.split("=") for each in config.getoption("--traits").split(",") if each]
    if pairs:
        changes = {name: int(number) for name, number in pairs}
        real = describe.traits
        describe.traits = lambda device: replace(real(device), **changes)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "device" in metafunc.fixturenames:
        found = pyclfft.devices()
        ids = [describe.device_label(each) for each in found]
        metafunc.parametrize("device", found, ids=ids, indirect=True, scope="module")


@pytest.hookimpl(tryfirst=True)  # before tests marked `full` are left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep what is marked `one_cpu` to the first CPU device, but in the full tier."""
    others = [each for each in pyclfft.devices() if each.type & cl.device_type.CPU][1:]
    for item in items:
        device = getattr(item, "callspec", None) and item.callspec.params.get("device")
        if device in others and item.get_closest_marker("one_cpu"):
            item.add_marker("full")


@pytest.hookimpl(tryfirst=True)  # before the test's fixtures
def pytest_runtest_setup(item: pytest.Item) -> None:
    limit = item.config.getoption("--begin-within")
    if time.monotonic() - STARTED > limit:
        pytest.skip(f"left out, since {limit:.0f} s are over")


def pytest_report_header() -> list[str]:
    labels = [describe.device_label(each) for each in pyclfft.devices()]
    return [f"OpenCL device: {label}" for label in labels] or ["no OpenCL device"]


def module_path():
    """PYTHONPATH for a process that imports this checkout, and all else as this process does."""
    return os.pathsep.join([str(ROOT), *filter(None, sys.path)])


def place_of(device):
    """What PYCLFFT_DEVICE has to be: the numbers of its platform and of the device there."""
    platforms = []
    for each in pyclfft.devices():
        if each.platform not in platforms:
            platforms.append(each.platform)
    same = [each for each in pyclfft.devices() if each.platform == device.platform]
    return f"{platforms.index(device.platform)}:{same.index(device)}"


@pytest.fixture(scope="module")
def device(request):
    """A usable device, the default one while the test runs."""
    pyclfft.use_device(request.param)
    yield request.param
    pyclfft.use_device(None)


@pytest.fixture
def queue(device):
    """This thread's queue on the device."""
    return pyclfft.default_queue()


@pytest.fixture
def fp64(device):
    """Skip where the device has no double precision."""
    if not describe.traits(device).fp64:
        pytest.skip(f"{device.name} has no double precision")


@pytest.fixture
def other_context(device):
    """A second context of the same device."""
    return cl.Context([device])


@pytest.fixture
def untuned(monkeypatch):
    """Plan by rules alone: neither by what comes with pyclfft for a device nor by the user's."""
    for entries in ("shipped_entries", "user_entries"):
        monkeypatch.setattr(wisdom, entries, lambda *_: ())
    wisdom._found.cache_clear()
    yield
    wisdom._found.cache_clear()


@pytest.fixture
def change_traits(monkeypatch):
    """Make the planner believe in another device."""

    def change(**changes):
        real = describe.traits
        changed = lambda device: replace(real(device), **changes)  # noqa: E731
        monkeypatch.setattr(describe, "traits", changed)

    return change


@pytest.fixture
def counted(monkeypatch):
    """The numbers of pieces of each sweep of a call that goes through a device in pieces."""
    numbers = []
    run = pieces.Conveyor.run

    def counting(self, works):
        works = list(works)
        numbers.append(len(works))
        run(self, works)

    monkeypatch.setattr(pieces.Conveyor, "run", counting)
    return numbers


@pytest.fixture
def small_groups(monkeypatch, device):
    """Make the planner believe in groups so small that short lengths take several steps.

    And in no vectors, by which CPUs take whole rows.
    """

    def limit(items):
        real = describe.traits
        changes = {"max_work_group_size": items, "max_work_item_sizes": (items,) * 3, "lanes": 1}
        monkeypatch.setattr(describe, "traits", lambda each: replace(real(each), **changes))

    return limit
