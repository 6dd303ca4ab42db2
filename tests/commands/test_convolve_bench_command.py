"""The command `bench convolve` on every device, with short sounds. Speed is never asserted."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pyclfft.bench import command, convolve, convolve_cases, convolve_contenders
from pyclfft.bench.convolve_cases import HALL, IR, SINGLE, Case
from pyclfft.bench.convolve_contenders import DEVICE, HOST, METHODS, OURS, measure_case
from pyclfft.bench.convolve_plots import PICTURES
from pyclfft.bench.runner import Settings
from pyclfft.runtime import describe

QUICK = Settings(samples=1, sample_s=0, min_calls=1, slow_s=0, budget_s=1)
SHORT_SWEEP = ("convolve", "--sweep", "ir", "--seconds", "0.1", "--samples", "1")


@pytest.fixture
def short_responses(monkeypatch):
    monkeypatch.setattr(convolve_cases, "IR_SECONDS", (0.05, 0.1))
    monkeypatch.setattr(convolve, "SETTINGS", QUICK)


@pytest.mark.one_cpu
def test_every_length_is_measured_and_right(device, short_responses, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    names = {kind: tmp_path / f"c.{kind}" for kind in ("json", "markdown", "plot.png")}
    files = [word for kind, name in names.items() for word in (f"--{kind[:8]}", str(name))]
    files = [word.replace("--plot.png", "--plot") for word in files]
    assert command.main([*SHORT_SWEEP, *files]) == 0
    out = capsys.readouterr().out
    assert describe.device_label(device) in out
    assert "WRONG" not in out.partition("\n\n")[2].partition("\n\n")[2]  # after the legend
    document = json.loads(names["json"].read_text())
    points = document["points"]
    assert [each["case"]["name"] for each in points] == [
        "hall, 0.05 s", "hall, 0.1 s", "noise, 0.05 s", "noise, 0.1 s",
    ]  # fmt: skip
    for point in points:
        measured = {each["name"]: each for each in point["entries"] if each["where"] == HOST}
        for method in METHODS:
            found = measured[f"{OURS} {method}"]
            assert found["ms"]["median"] > 0
            assert found["error"] < 1e-6
        assert point["auto"] in METHODS
        assert min(point["expected_ms"].values()) > 0
    assert "| ms | 0.05 s | 0.1 s |" in names["markdown"].read_text()
    pictures = {each.name for each in tmp_path.glob("*.png")}
    assert pictures == {
        f"c.plot-{name}.png" for name in PICTURES if name not in ("dry", "crossing")
    }


@pytest.mark.one_cpu
@pytest.mark.parametrize(
    "case",
    [
        Case(SINGLE, "images", (40, 50), (20, 30)),
        Case(SINGLE, "signals", (5000,), (300,)),
        Case(IR, "stereo", (2, 4410), (2, 2205), True, HALL),
    ],
    ids=lambda case: case.name,
)
def test_every_method_between_every_kind_of_arrays(device, queue, case):
    entries = measure_case(case, queue, QUICK, 100.0)
    ours = [each for each in entries if each.ours]
    on_device = case.sweep == SINGLE or not describe.traits(device).is_cpu
    assert {each.where for each in ours} == ({HOST, DEVICE} if on_device else {HOST})
    methods = {each.name.removeprefix(f"{OURS} ") for each in ours}
    assert methods == set(METHODS) - ({"direct"} if case.name == "images" else set())
    for each in ours:
        assert not each.wrong, each
        assert not each.extrapolated
        assert each.ms.count


@pytest.mark.one_cpu
@pytest.mark.parametrize("wrong", [1.0, np.nan])
def test_a_wrong_result_makes_the_status_1(
    device, short_responses, monkeypatch, tmp_path, capsys, wrong
):
    real = convolve_contenders.convolve

    def other(first, second, **options):
        result = real(first, second, **options)
        if options["method"] == "fft":
            result[-1, -1:] += wrong  # device arrays change no part with gaps
        return result

    monkeypatch.setattr(convolve_contenders, "convolve", other)
    name = tmp_path / "c.json"
    assert command.main([*SHORT_SWEEP, "--json", str(name)]) == 1
    out = capsys.readouterr().out
    lines = [line for line in out.splitlines() if line.startswith(f"{OURS} fft, ")]
    assert {line.count("WRONG") for line in lines} == {2}  # a GPU has more of these lines
    assert not any("WRONG" in line for line in out.splitlines() if line.startswith(f"{OURS} auto"))
