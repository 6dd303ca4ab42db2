"""The command `bench dft` on every device, with few samples. Speed is never asserted."""

from __future__ import annotations

import json
import shutil
from math import isfinite

import pytest

from pyclfft.bench import command, dft, dft_ranks, dft_sweeps, launch
from pyclfft.bench.dft_sweeps import BOUND, Job
from pyclfft.runtime import describe
from tests.conftest import place_of
from tests.mpi import require_mpi

FEW = ("dft", "--points", "10,30", "--rank-points", "30", "--ranks", "1,2", "--samples", "2")


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(dft_sweeps, "GROUP_SIZES", (16, 64, 2**30))
    monkeypatch.setattr(dft, "GROUP_POINTS", 50)
    monkeypatch.setattr(dft, "REPORTS_RANKS", 2)
    monkeypatch.setattr(dft, "cores", lambda: 2)


@pytest.fixture
def beside(monkeypatch):
    """Skip where ranks cannot be started; CI installs what they need."""
    require_mpi()


@pytest.mark.one_cpu
def test_everything_is_measured_and_right(device, fp64, small, beside, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    pytest.importorskip("numba")
    files = {kind: tmp_path / name for kind, name in
             {"json": "d.json", "markdown": "d.md", "plot": "d.png"}.items()}  # fmt: skip
    named = [word for kind, path in files.items() for word in (f"--{kind}", str(path))]
    assert command.main([*FEW, "--device", place_of(device), *named]) == 0
    said = capsys.readouterr().out
    assert describe.device_label(device) in said
    entries = json.loads(files["json"].read_text())["entries"]
    alone = [(variant, n) for variant in dft_sweeps.ALONE for n in (10, 30)]
    over = [(variant, n) for variant in dft_sweeps.OVER_RANKS for n in (10, 30)]
    jobs = [(each["job"]["variant"], each["job"]["points"]) for each in entries["lengths"]]
    assert jobs == alone + over
    assert [each["job"]["ranks"] for each in entries["ranks"]] == [1, 1, 2, 2]
    assert [each["job"]["group"] for each in entries["groups"]] == [16, 64, 16, 64]
    for each in (each for sweep in entries.values() for each in sweep):
        assert each["reason"] == ""
        assert each["error"] <= BOUND
        assert each["ms"]["median"] > 0
        assert isfinite(each["parts"]["total"])
    assert "| ms | 10 | 30 |" in files["markdown"].read_text()
    assert {each.name for each in tmp_path.glob("*.png")} == {
        "d-lengths.png", "d-ranks.png", "d-groups.png",
    }  # fmt: skip


def test_without_mpiexec(device, monkeypatch):
    monkeypatch.setattr(launch, "mpiexec", lambda: "")
    (entry,) = dft_ranks.measure_over_ranks([Job("tiled", 8, 2)], None, 1, 1.0)
    assert "no mpiexec: pip install mpi4py mpich" in entry.reason


def test_ranks_that_fail_say_why(device, beside):
    (entry,) = dft_ranks.measure_over_ranks([Job("tiled", 8, 2)], "nobody's", 1, 1.0)
    assert "no OpenCL device fits" in entry.reason


@pytest.mark.skipif(not shutil.which("false"), reason="no program that fails")
def test_a_launcher_that_fails(device, monkeypatch):
    monkeypatch.setattr(launch, "mpiexec", lambda: shutil.which("false"))
    (entry,) = dft_ranks.measure_over_ranks([Job("tiled", 8, 2)], None, 1, 1.0)
    assert entry.reason == "mpiexec has failed"
