"""How many frames share a work-group of a GPU."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyclfft.audio.frame_plans import frame_parameters, framing_problem, stft_schedule
from pyclfft.audio.framing import Magnitudes
from pyclfft.planning.parameters import parameters_for
from pyclfft.planning.problem import Layout
from pyclfft.tuning.frames import FramesCase
from tests.recorded_traits import RECORDED

H200 = RECORDED["h200"]


def group_of(case, **values):
    """The work-group of the only launch."""
    parameters = parameters_for(H200).over(values, "test")
    (only,) = case.task(H200, parameters, None).start.schedule.passes
    return only.work.group


@pytest.mark.parametrize(
    ("n_fft", "frames", "precision", "expected"),
    [
        (2048, 8000, "single", 4),  # 32 bytes are a sector
        (2048, 8004, "single", 4),
        (2048, 8001, "single", 16),  # sectors that two groups share
        (2048, 8002, "single", 16),
        (2048, 65537, "single", 16),
        (1024, 8000, "single", 8),
        (1024, 8002, "single", 16),
        (4096, 8002, "single", 8),  # local memory has no room for more
        (2048, 8002, "double", 4),
        (2048, 8001, "double", 8),  # 128 bytes are a line
        (1024, 8001, "double", 8),
    ],
)
def test_groups_store_whole_sectors_or_long_runs(n_fft, frames, precision, expected):
    case = FramesCase(n_fft, n_fft // 4, frames, precision=precision)
    assert group_of(case).transforms == expected


@pytest.mark.parametrize(
    ("n_fft", "hop", "columns", "frames", "meets"),
    [
        (2048, 1024, False, 4, False),  # groups that do not meet transform 4/3 of all frames
        (2048, 1024, True, 8, True),
        (2048, 512, True, 8, True),  # 8/5 of all frames
        (2048, 512, False, 4, True),
        (1024, 256, True, 8, True),
        (1024, 256, False, 8, True),
        (1024, 512, False, 8, False),
        (512, 128, True, 16, False),  # 16/13 of all frames
        (4096, 1024, False, 4, True),  # else two launches
        (4096, 2048, False, 2, True),  # long frames
        (4096, 4096, False, 4, False),  # frames that do not overlap
    ],
)
def test_groups_meet_instead_of_much_double_work(n_fft, hop, columns, frames, meets):
    case = FramesCase(n_fft, hop, 8001, "istft", columns)
    parameters = parameters_for(H200)
    (only,) = case.task(H200, parameters, None).start.schedule.passes
    assert dict(only.defines).get("MEETS", "0") == str(int(meets))
    assert dict(only.defines)["TRANSFORMS"] == str(frames)
    passes = case.task(replace(H200, groups_may_wait=False), parameters, None).start.schedule.passes
    assert "MEETS" not in dict(passes[0].defines)


def test_groups_that_meet_take_a_little_more_local_memory():
    """They keep one part of their points at a time where both just fill local memory."""
    case, parameters = FramesCase(1024, 256, 8001, "istft", False), parameters_for(H200)

    def only_pass(local_mem_bytes):
        traits = replace(H200, local_mem_bytes=local_mem_bytes)
        (only,) = case.task(traits, parameters, None).start.schedule.passes
        assert only.local_bytes <= local_mem_bytes
        return dict(only.defines)

    (usual,) = case.task(H200, parameters, None).start.schedule.passes
    points = usual.work.group.local_bytes
    assert usual.local_bytes >= points + 8  # what the counters of two borders were
    for local_mem_bytes, split in ((usual.local_bytes, "0"), (points, "1")):
        macros = only_pass(local_mem_bytes)
        assert (macros["MEETS"], macros["SPLIT"]) == ("1", split)


@pytest.mark.parametrize(("n_fft", "radices"), [(2048, (16, 4, 16)), (4096, (16, 8, 16))])
def test_stages_of_frames_that_were_found_by_trial(n_fft, radices):
    case = FramesCase(n_fft, n_fft // 4, 8001, columns=False)
    assert group_of(case).stages.radices == radices
    assert group_of(replace(case, precision="double")).stages.radices != radices
    assert group_of(case, stockham_radices=((8, 8, n_fft // 128),)).stages.radices[0] == 8


def test_other_frames_keep_the_stages_of_the_rules():
    """Frames of 3001 samples take convolutions, and frames of 2^21 samples several steps."""
    for n_fft in (1500, 3001, 2**21):
        case = FramesCase(n_fft, n_fft // 4, 9, columns=False)
        framing, parameters = case.job().framing, parameters_for(H200)
        changed = frame_parameters(parameters, framing, framing_problem(framing).target, H200)
        assert not changed["stockham_radices"]


def test_a_parameter_has_its_way():
    assert group_of(FramesCase(2048, 512, 8001), stft_columns=4).transforms == 4


def test_magnitudes_are_half_as_long():
    """Four real numbers are half of a sector, and eight are a whole one."""
    for frames, expected in ((8000, 8), (8004, 16)):
        framing = FramesCase(2048, 512, frames).job().framing
        target = Layout((1, frames, 1025), (1025 * frames, 1, frames), real=True)
        schedule = stft_schedule(
            framing, H200, None, parameters_for(H200), target=target, magnitudes=Magnitudes()
        )
        assert schedule.passes[0].work.group.transforms == expected


@pytest.mark.parametrize(
    ("n_fft", "hop", "columns", "expected"),
    [
        (2048, 1024, True, (4, True)),
        (2048, 1024, False, (4, False)),
        (2048, 512, False, (8, True)),  # a group of four would transform most frames a second time
        (1024, 512, True, (8, False)),
        (1024, 512, False, (8, False)),
        (512, 128, False, (16, False)),
    ],
)
def test_groups_that_add_frames_up(n_fft, hop, columns, expected):
    """How many frames groups that do not meet take, and whether they keep one part at a time."""
    group = group_of(FramesCase(n_fft, hop, 8001, "istft", columns), istft_meets=0)
    assert (group.transforms, group.shape.split) == expected
