"""``pyclfft bench convolve --realtime``: streams at the pace of a sound card."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pyclfft.bench import command
from pyclfft.bench import convolve_realtime as realtime
from pyclfft.bench import convolve_soak as soak
from pyclfft.runtime import memory

pytest.importorskip("miniaudio")
SHORT = ["convolve", "--realtime", "--dry", "0.5", "--ir", "0.05", "--runs", "2"]


@pytest.mark.one_cpu
def test_runs_and_loads_are_measured(device, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(realtime, "TURNS", 2)
    path, page = tmp_path / "results.json", tmp_path / "page.md"
    options = ["--device", device.name, "--json", str(path), "--markdown", str(page)]
    assert command.main([*SHORT, "--method", "uniform", *options]) == 0
    said = capsys.readouterr().out
    assert "by the method uniform, in blocks of 256 frames, which last 5.33 ms each" in said
    assert "(target: below 50%)" in said
    assert "pyclfft" in said
    document = json.loads(path.read_text())
    assert document["setting"]["latency"] == 2
    assert len(document["runs"]) == 2
    for run in document["runs"]:
        assert run["ms"] == sorted(run["ms"])
        assert 0 <= run["late"] <= run["missed"]
    assert document["loads"]["pyclfft"] > 0
    assert [each["streams"] for each in document["overlaps"]] == [1, 2]
    for each in document["overlaps"]:
        assert 0 < each["copying"] <= each["block"] + each["computing"]
        assert each["both"] <= min(each["copying"], each["computing"])
    assert document["overlaps"][0]["both"] == 0  # one queue runs one command after the other
    assert "none to overlap: within the memory" in said
    assert "# Convolution in real time" in page.read_text()


def test_percentiles_and_deadlines(monkeypatch, queue):
    """Of known times: 99 blocks that are quick, and one that is late."""

    def known(blocks, times):
        times += [0.0] * 5 + [1e-3] * 99 + [1.0]
        yield np.zeros((2, 24_000))

    monkeypatch.setattr(realtime, "_timed", known)
    run, _ = realtime.measure_run(realtime.Setting(0.5, 0.01, 256, 2, "uniform", "null"), queue)
    assert run.ms[0] == pytest.approx(1)
    assert run.ms[-1] == pytest.approx(1000)
    assert (run.missed, run.late) == (1, 1)


@pytest.mark.one_cpu
def test_a_soak(device, capsys, tmp_path):
    path, page = tmp_path / "soak.json", tmp_path / "soak.md"
    options = ["--device", device.name, "--json", str(path), "--markdown", str(page)]
    status = command.main(["convolve", "--soak", "0.02", "--ir", "0.05", *options])
    document = json.loads(path.read_text())
    assert status == int(document["grows"])
    assert [each["name"] for each in document["moments"]] == ["start", "middle", "end"]
    assert [each["allocated"] for each in document["moments"]] == [0, 0, 0]
    assert all(each["resident"] > 2**20 for each in document["moments"])
    assert "resident set, MiB" in capsys.readouterr().out
    assert "# Convolution for minutes" in page.read_text()


@pytest.mark.parametrize("kept", ["on the host", "on the device"])
def test_a_soak_sees_growth(queue, monkeypatch, kept):
    """Of blocks that leave something behind."""
    left = []

    def leaking(stream, setting):
        block = np.zeros((2, 256), "f4")
        while True:
            left.append(
                np.ones(2**17) if kept == "on the host" else memory.allocate(queue.context, 64)
            )
            yield block

    monkeypatch.setattr(soak, "_endless", leaking)
    setting = realtime.Setting(1.0, 0.01, 256, 2, "uniform", "null")
    measured = soak.measure_soak(0.01, setting, queue)
    start, _, end = measured.moments
    assert measured.grows
    assert (end.allocated > start.allocated) == (kept == "on the device")
    assert "The memory grows." in "".join(map(str, soak.parts(measured)))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["--plot", "x.png"], "draw no picture"), (["--sink", "here"], "invalid choice: 'here'")],
)
def test_what_the_command_refuses(arguments, words, capsys):
    try:
        status = command.main([*SHORT, *arguments])
    except SystemExit as ended:
        status = ended.code
    assert status == 2
    assert words in capsys.readouterr().err
