"""The lab that the tests of this folder talk to."""

from __future__ import annotations

import pytest

from tests.lab_process import SAMPLES, Lab


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A lab that shows an image of 16 bits, 96 x 64 pixels."""
    pytest.importorskip("nicegui")
    folder = tmp_path_factory.mktemp("lab")
    result = Lab(folder / "log", SAMPLES / "depth12.pgm")
    result.enter()
    yield result
    result.end()
