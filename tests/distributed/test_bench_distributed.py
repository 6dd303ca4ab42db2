"""`pyclfft bench distributed`: its cases, the wave that it checks results with, and the command."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pyclfft.__main__ import main
from pyclfft.bench.distributed_cases import CASES, case_of, error_of, wave
from pyclfft.distributed.layout import Layout
from tests.conftest import place_of
from tests.mpi import require_mpi


@pytest.mark.parametrize("name", CASES)
def test_the_spectrum_of_the_wave_is_known(name):
    case = case_of(name, 3, 2**15)
    x = wave(case, Layout(case.shape).block(0))
    spectrum = np.fft.fftn(x, axes=case.axes)
    layout = Layout(case.shape, ((0, 2),))
    for rank in range(2):
        block = layout.block(rank)
        assert error_of(case, spectrum[block], block) < 1e-6
        assert error_of(case, np.zeros_like(spectrum[block]) + 1, block) > 1e-6


@pytest.mark.one_cpu
def test_the_command(device, tmp_path, capsys):
    require_mpi()
    file = tmp_path / "a.json"
    options = "--bytes", "32768", "--ranks", "1,2", "--samples", "1", "--json", str(file)
    assert main(["bench", "distributed", *options, "--device", place_of(device)]) == 0
    rows = json.loads(file.read_text())["rows"]
    assert {(row["name"], row["over"], row["count"]) for row in rows} >= {
        (name, "ranks", count) for name in CASES for count in (1, 2)
    }
    assert all(row["copies"] > 0 for row in rows)
    assert all(0 <= row["transfer"] < 1 for row in rows)
    assert "efficiency" in capsys.readouterr().out


def test_an_unknown_case_is_refused(capsys):
    assert main(["bench", "distributed", "--cases", "circle"]) == 2
    assert "choose from batch, 3-D, row" in capsys.readouterr().err
