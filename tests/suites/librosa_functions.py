"""A pytest plugin: librosa's own tests, with pyclfft's stft and istft in the place of librosa's.

librosa's wheels hold no tests, so a checkout of its repository is needed, with its test data. From
there, without the options of its setup.cfg, which want plugins that pyclfft does not::

    git clone --branch 0.11.0 --recurse-submodules https://github.com/librosa/librosa
    cd librosa
    PYTHONPATH=/path/to/pyclfft python -m pytest -c /dev/null -p tests.suites.librosa_functions \
        tests/test_core.py tests/test_multichannel.py -k "stft or griffinlim or phase_vocoder"

What librosa builds on the two functions, such as griffinlim and the effects, calls ours as well.
`test_stft` is expected to fail, and it is a failure if one of its cases passes: pyclfft transforms
float32 signals in single precision, librosa in double precision. With the option ``--in-double``
the plugin asks pyclfft for double precision, too, and expects that every test passes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from librosa.util.exceptions import ParameterError

import pyclfft

from .counts import SERVED, count
from .counts import pytest_sessionfinish as pytest_sessionfinish
from .counts import pytest_terminal_summary as pytest_terminal_summary

# Every module of librosa 0.11 that has stft or istft by name. `librosa.effects` and `librosa.beat`
# ask `librosa.core` at each call.
MODULES = (
    "librosa", "librosa.core", "librosa.core.spectrum", "librosa.core.constantq",
    "librosa.feature.rhythm",
)  # fmt: skip
NOT_APPLICABLE = {
    "test_stft": "it compares float32 signals with double precision, to 1e-8; ours are in single",
}


def in_double(ours: Callable[..., Any]) -> Callable[..., Any]:
    """Return our stft, that transforms float32 in double precision and rounds, as librosa does."""

    @functools.wraps(ours)
    def call(y: Any, **options: Any) -> Any:
        if np.asarray(y).dtype != np.float32 or options.keys() & {"dtype", "out"}:
            return ours(y, **options)
        return ours(y, dtype=np.complex128, **options).astype(np.complex64)

    return call


def served(ours: Callable[..., Any]) -> Callable[..., Any]:
    """Return our function, that raises librosa's error where ours is a PlanError, and counts."""

    @functools.wraps(ours)
    def call(given: Any, **options: Any) -> Any:
        try:
            result = ours(given, **options)
        except pyclfft.PlanError as error:
            raise ParameterError(str(error)) from error
        count(SERVED, given)
        return result

    return call


def replace(name: str, ours: Callable[..., Any]) -> None:
    """Put a function of ours in the place of librosa's wherever librosa's modules have it."""
    call = served(ours)
    for module in map(import_module, MODULES):
        if hasattr(module, name):
            setattr(module, name, call)


def pytest_addoption(parser):
    parser.addoption(
        "--in-double", action="store_true", help="transform float32 signals in double precision"
    )


def pytest_configure(config):
    double = config.getoption("--in-double")
    replace("stft", in_double(pyclfft.stft) if double else pyclfft.stft)
    replace("istft", pyclfft.istft)


def pytest_collection_modifyitems(config, items):
    if config.getoption("--in-double"):
        return
    for item in items:
        reason = NOT_APPLICABLE.get(item.originalname)
        if reason:
            item.add_marker(pytest.mark.xfail(reason=reason, raises=AssertionError, strict=True))
