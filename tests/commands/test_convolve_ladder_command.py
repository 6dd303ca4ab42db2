"""The command `bench convolve --ladder` on every device. Speed is never asserted."""

from __future__ import annotations

import json
from dataclasses import replace
from math import isnan

import pytest

from pyclfft.bench import command, convolve_ladder, render
from pyclfft.bench.convolve_ladder import Climb, Step, published_factor
from pyclfft.bench.multiply_adds import MultiplyAdds
from pyclfft.bench.statistics import spread
from pyclfft.convolution import ladder
from pyclfft.convolution.ladder import OFFLINE, REAL_TIME, has_textures, products_of
from pyclfft.runtime import describe

SHORT = (
    "convolve",
    "--ladder",
    "--dry",
    "0.1",
    "--ir",
    "0.02",
    "--chunk",
    "1024",
    "--samples",
    "2",
)
NEEDS_TEXTURES = ("texture", "both")


@pytest.mark.one_cpu
def test_every_rung_is_measured_and_right(device, queue, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    names = {kind: tmp_path / kind for kind in ("json", "markdown", "plot")}
    files = [word for kind, name in names.items() for word in (f"--{kind}", str(name))]
    assert command.main([*SHORT, *files]) == 0
    out = capsys.readouterr().out
    assert describe.device_label(device) in out
    assert out.endswith("Wrong results: none.\n")
    document = json.loads(names["json"].read_text())
    for climb, rungs in zip(document["climbs"], (OFFLINE, REAL_TIME), strict=True):
        assert [each["name"] for each in climb["steps"]] == [each.name for each in rungs]
        for step in climb["steps"]:
            if step["name"] in NEEDS_TEXTURES and not has_textures(queue.context):
                assert "no image1d_buffer_t" in step["note"]
                assert step["ms"]["median"] is None
            else:
                assert step["ms"]["count"] == 2
                assert 0 < step["error"] <= 1e-6
                assert 0 < step["part"] <= 1
    assert names["markdown"].read_text().count("\n| plain |") == 2
    assert names["plot"].read_bytes()
    stored = convolve_ladder.read(names["json"])
    assert render.text_of(convolve_ladder.parts(stored)) in out


@pytest.mark.one_cpu
def test_long_work_is_measured_in_part(device, capsys):
    assert command.main([*SHORT, "--limit", "1e-9"]) == 0
    out = capsys.readouterr().out
    assert "* Only a part was measured" in out
    assert out.endswith("Wrong results: none.\n")


def test_a_wrong_result_is_reported(device, monkeypatch, capsys):
    make = ladder.ladder

    def wrong(context, rung, dry, ir, *more, **named):
        made = make(context, rung, dry, ir, *more, **named)
        if rung.name != "local":
            return made
        return replace(made, download=lambda queue: 1.1 * made.download(queue))

    monkeypatch.setattr(convolve_ladder, "ladder", wrong)
    assert command.main(list(SHORT)) == 1
    assert capsys.readouterr().out.endswith("Wrong results: offline local, real time local.\n")


def test_multiply_adds_are_counted(queue, fp64):
    for precision in ("single", "double"):
        assert MultiplyAdds(queue.context, precision).rate() > 1e6


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ladder", "--ir", "0"], "'0' is no number above 0"),
        (["--ladder", "--ir", "long"], "'long' is no number above 0"),
        (
            ["--ladder", "--chunk", "100", "--ir", "0.01", "--dry", "0.01"],
            "multiple of the group's",
        ),
    ],
    ids=["no seconds", "words", "chunk"],
)
def test_what_the_command_refuses(arguments, message, capsys):
    try:
        status = command.main(["convolve", *arguments])
    except SystemExit as ended:
        status = ended.code
    assert status == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(("frames", "taps"), [(5, 3), (3, 5), (4, 4), (7, 1)])
def test_products_of_the_first_results(frames, taps):
    meeting = [sum(0 <= n - k < frames for k in range(taps)) for n in range(frames + taps - 1)]
    for results in range(frames + taps):
        assert products_of(results, frames, taps) == sum(meeting[:results])


def step(name, ms):
    return Step(name, spread([ms]), error=1e-7)


def test_factors_are_against_the_published_rung():
    steps = (step("plain", 8.0), step("both", 4.0), step("prefetch", 5.0), step("ours", 1.0))
    published = {"both": ("plain", 1.84), "prefetch": ("both", 1.04)}
    climb = Climb("offline", steps, published, {"ours": "plain"}, {})
    assert [climb.factor(each.name) for each in steps[1:]] == [2.0, 0.8, 8.0]
    assert published_factor(climb, "prefetch") == pytest.approx(1.84 * 1.04)
    assert isnan(published_factor(climb, "ours"))


def test_without_textures_local_memory_takes_the_place_of_both():
    steps = (step("local", 6.0), Step("both", note="none"), step("prefetch", 3.0))
    climb = Climb("offline", steps, {"prefetch": ("both", 1.04)}, {}, {})
    assert climb.base("prefetch") == "local"
    assert climb.factor("prefetch") == 2.0
