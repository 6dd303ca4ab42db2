"""The names of a pass's arguments are those of its kernel's parameters, in the kernel's order."""

from __future__ import annotations

import re
import shutil
import subprocess

import numpy as np
import pytest

from pyclfft.audio.frame_plans import istft_schedule, stft_schedule
from pyclfft.audio.framing import Framing, Magnitudes
from pyclfft.distributed.bins import wanted_bins
from pyclfft.distributed.direct_plans import DftJob, dft_schedule
from pyclfft.errors import PyclfftError
from pyclfft.image.filter_plans import filter_schedule
from pyclfft.image.jobs import filter_job
from pyclfft.planning.parameters import parameters_for
from pyclfft.planning.problem import make_problem, plain_layout
from pyclfft.planning.schedule import schedule_of
from pyclfft.runtime.program import source_text
from tests.recorded_traits import RECORDED
from tests.unit.test_golden import FORCED, PROBLEMS

CLANG = shutil.which("clang-15") or shutil.which("clang")


def transforms(traits):
    """Passes of all golden plans."""
    rows = [(None, *row) for row in PROBLEMS]
    rows += [(name, *row) for name, several in FORCED.items() for row in several]
    for algorithm, _, arguments, options in rows:
        try:
            problem = make_problem(*arguments, **options)
            yield from schedule_of(problem, traits, algorithm, parameters_for(traits)).passes
        except PyclfftError:
            pass


def filters(traits):
    """Passes of image filters: by hooks, and by kernels of their own."""
    image = np.zeros((16, 64), np.uint8)
    mask = np.ones((16, 64), np.float32)
    for options in (
        {}, {"keep_dc": True}, {"shape": "gaussian"}, {"scale": "none"}, {"mask": mask},
    ):  # fmt: skip
        for algorithm in (None, "radix2"):
            job = filter_job(image, algorithm=algorithm, **options)
            yield from filter_schedule(job, traits).passes


def frames(traits):
    """Passes from signals to spectra, to relative magnitudes, and back."""
    framing = Framing(16, 8, 5, 40)
    parameters = parameters_for(traits)
    for algorithm in (None, "local-radix2"):
        for magnitudes in (None, Magnitudes(), Magnitudes(relative=True)):
            planned = stft_schedule(framing, traits, algorithm, parameters, magnitudes=magnitudes)
            yield from planned.passes
    spectra = plain_layout((1, 5, 9))
    yield from istft_schedule(framing, spectra, traits, None, parameters).passes


def direct_transforms(traits):
    """Passes of direct transforms, by every kernel."""
    wanted = wanted_bins([3, -1], 64, real=True, sign=-1)
    for variant in ("tiled", "global", "local"):
        layouts = plain_layout((2, 64), real=True), plain_layout((2, 2))
        job = DftJob(wanted, None, None, *layouts, 1, "single", variant)
        yield from dft_schedule(job, traits).passes


def parameter_names(each):
    """What a kernel's parameters are called, after the preprocessor."""
    defines = [f"-D{name}={value}" for name, value in each.defines]
    done = subprocess.run(
        [CLANG, "-E", "-P", "-x", "cl", "-cl-std=CL1.2", *defines, "-"],
        input=source_text(each.source, each.hooks), capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = re.search(rf"\bvoid\s+{each.kernel}\s*\(([^)]*)\)", done.stdout)
    return [re.search(r"(\w+)\s*$", parameter)[1] for parameter in found[1].split(",")]


@pytest.mark.skipif(not CLANG, reason="clang is not installed")
@pytest.mark.parametrize("name", ["h200", "intel-cpu", "single"])
def test_arguments_are_named_as_the_kernels_parameters(name):
    traits, checked = RECORDED[name], set()
    for passes in (transforms, filters, frames, direct_transforms):
        for each in passes(traits):
            macros = frozenset(name for name, _ in each.defines)
            key = each.kernel, tuple(each.arguments), macros
            if key not in checked:
                assert list(each.arguments) == parameter_names(each), each.kernel
                checked.add(key)
    assert len({kernel for kernel, *_ in checked}) >= 10
