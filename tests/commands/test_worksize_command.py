"""The command `bench worksize` on every device, with a small image. Speed is never asserted."""

from __future__ import annotations

import json
from math import prod

import numpy as np
import pytest

from pyclfft.bench import command, worksize
from pyclfft.bench.worksize import BLOCKED, BLOCKS, KERNELS, OF_PLANES, PUBLISHED, ROWS, SIZES
from pyclfft.runtime import describe, queues

SMALL = ("worksize", "--image", "16", "--samples", "2")
SIDE = 4  # stages of a transform of 16 points
LAUNCHES = {
    "write": 1, "spinFact": 1, "bitReverse": 4, "butterfly": 4 * SIDE, "norm": 1, "transpose": 2,
    "highPassFilter": 1, "read": 1,
}  # fmt: skip


def test_every_size_is_measured_and_right(device, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    names = {kind: tmp_path / kind for kind in ("json", "markdown", "plot")}
    files = [word for kind, name in names.items() for word in (f"--{kind}", str(name))]
    assert command.main([*SMALL, *files]) == 0
    out = capsys.readouterr().out
    assert describe.device_label(device) in out
    assert "16 x 16 pixels is filtered 2 times" in out
    assert all(f"\nms on {each.title} " in out for each in PUBLISHED)
    assert out.endswith("wrong results: none\n")

    document = json.loads(names["json"].read_text())
    runs = {each["size"]: each["times"] for each in document["runs"]}
    assert document["machine"]["units"] == device.max_compute_units
    assert document["machine"]["together"] >= 1
    for each in document["runs"]:
        if each["size"] in BLOCKS and BLOCKED not in each["times"]:
            assert set(each["times"]) == set(OF_PLANES)
    allowed = [size for size in runs if size in SIZES]
    limit = describe.traits(device).max_work_group_size  # compilers may allow kernels less
    assert allowed == list(SIZES[: len(allowed)])
    assert min(256, limit) <= int(allowed[-1]) <= limit
    assert runs["1"].keys() == LAUNCHES.keys()
    for times in runs.values():
        for row, time in times.items():
            assert time["launches"] == {**LAUNCHES, BLOCKED: 2}[row]
            assert time["ms"]["count"] == 2
            assert time["ms"]["median"] > 0
    assert all(set(document["best"][row]) <= set(allowed) for row in KERNELS)
    assert "| ms on this device |" in names["markdown"].read_text()
    assert names["plot"].read_bytes().startswith(b"\x89PNG")


@pytest.mark.one_cpu
def test_groups_are_what_they_are_said_to_be(device):
    context, traits = queues.context_of(device), describe.traits(device)
    image = np.zeros((16, 16), np.uint8)
    for each in worksize._candidates(image, context, traits):
        for launched in each.schedule.passes:
            if launched.kernel in each.rows:
                sides = [int(side) for side in each.size.split("x")]
                assert launched.local_size[: len(sides)] == tuple(sides)
                assert prod(launched.local_size) == prod(sides)


@pytest.mark.one_cpu
def test_sizes_over_the_devices_limit_are_not_tried(device, change_traits, capsys):
    change_traits(max_work_group_size=64)
    assert command.main([*SMALL]) == 0
    lines = capsys.readouterr().out.splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith("ms on this device"))
    for row, line in zip(ROWS, lines[first + 1 :], strict=False):
        cells = line.split()
        assert cells[0] == row
        assert cells[1:8].count("N/A") == (0 if row == BLOCKED else 3)
        assert row != BLOCKED or cells[1:] == ["-"] * 8


@pytest.mark.one_cpu
def test_a_kernel_with_a_lower_limit_has_groups_of_the_usual_size(device, monkeypatch):
    def is_allowed(context, each, size):
        return each.kernel != "butterfly" or prod(each.local_size) <= 16

    monkeypatch.setattr(worksize, "is_allowed", is_allowed)
    runs = {each.size: each for each in worksize.measure(device, 16, 1) if each.size in SIZES}
    for size in SIZES:
        assert ("butterfly" in runs[size].times) == (int(size) <= 16)
        assert "norm" in runs[size].times
        assert not runs[size].wrong


@pytest.mark.one_cpu
def test_a_wrong_result_makes_the_status_1(device, monkeypatch, tmp_path, capsys):
    """A kernel that leaves out its last group, with groups of one size."""
    real = worksize.filter_schedule

    def one_too_few(job, traits, parameters):
        schedule = real(job, traits, parameters)
        if parameters["group_norm"] != "32":
            return schedule
        passes = (
            worksize.replace(each, global_size=(each.global_size[0] - 32,))
            if each.kernel == "norm"
            else each
            for each in schedule.passes
        )
        return worksize.replace(schedule, passes=tuple(passes))

    monkeypatch.setattr(worksize, "filter_schedule", one_too_few)
    name = tmp_path / "w.json"
    assert command.main([*SMALL, "--json", str(name)]) == 1
    out = capsys.readouterr().out
    assert "wrong results: 32 (by " in out
    assert out.count("WRONG") == len(LAUNCHES)
    assert json.loads(name.read_text())["wrong"] == ["32"]


@pytest.mark.one_cpu
@pytest.mark.parametrize("wrong", [1.0, np.nan])
def test_results_are_compared_with_the_reference(device, monkeypatch, wrong):
    real = worksize.high_pass

    def other(image, cutoff):
        expected = real(image, cutoff)
        expected[5, 7] += wrong * expected.max() / 2
        return expected

    monkeypatch.setattr(worksize, "high_pass", other)
    assert all(each.wrong for each in worksize.measure(device, 16, 1))


@pytest.mark.one_cpu
def test_an_image_that_is_too_large_is_one_line(device, change_traits, capsys):
    change_traits(global_mem_bytes=1000)
    assert command.main([*SMALL]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "the device has 1,000" in said
