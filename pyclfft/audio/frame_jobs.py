"""Executables for frames, each of which is made once for all signals of one shape."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyopencl as cl

from ..planning.lookup import Workclass
from ..planning.parameters import GIVEN, Given, Parameters
from ..planning.passes import Schedule
from ..planning.problem import Layout, Problem
from ..planning.traits import Traits
from ..runtime import describe, memory, wisdom
from ..runtime.cache import BoundedCache, registered
from ..runtime.executable import Executable
from .frame_plans import (
    WINDOW,
    framing_problem,
    istft_schedule,
    spectra_problem,
    stft_schedule,
    workclass_of,
)
from .framing import Framing, Magnitudes
from .windows import dual_window

MAX_TRANSFORMS = 32

_transforms: BoundedCache[Executable] = registered("frames", BoundedCache(MAX_TRANSFORMS))


@dataclass(frozen=True)
class Job:
    """What an executable does; equal jobs share one executable.

    Attributes
    ----------
    framing : Framing
        How the signals are framed.
    window : bytes
        The values of the window, float64.
    magnitudes : Magnitudes or None
        The numbers that are wanted instead of spectra.
    algorithm : str or None
        The algorithm of the transforms.
    layout : Layout or None
        Where spectra lie in memory; frame by frame by default.
    back : bool
        The job turns spectra into signals, rather than signals into spectra.
    values : tuple of (str, object)
        Parameters of the kernels that count more than any that were measured.
    """

    framing: Framing
    window: bytes
    magnitudes: Magnitudes | None = None
    algorithm: str | None = None
    layout: Layout | None = None
    back: bool = False
    values: Given = ()

    @property
    def samples_bytes(self) -> int:
        """The bytes of the signals, without gaps that a device array may have between them."""
        return self.framing.signals * self.framing.samples * self.framing.dtype.itemsize

    @property
    def results_bytes(self) -> int:
        """The bytes of the spectra, or of the numbers that they become."""
        framing, numbers = self.framing, self.magnitudes
        bins = (numbers.bins if numbers else 0) or framing.bins
        item = framing.dtype.itemsize * (1 if numbers else 2)
        return framing.signals * framing.frames * bins * item

    @property
    def weights(self) -> np.ndarray:
        """The weight of each point of a frame: the window, or on the way back the dual window."""
        window, framing = np.frombuffer(self.window), self.framing
        weights = dual_window(window, framing.hop, framing.dtype) if self.back else window
        return weights.astype(framing.dtype)

    @property
    def problem(self) -> Problem:
        """The transform of all frames, there or back."""
        if self.back:
            assert self.layout is not None
            return spectra_problem(self.framing, self.layout)
        return framing_problem(self.framing, self.layout)

    @property
    def workclass(self) -> Workclass:
        """The class under which parameters are measured and found."""
        return workclass_of(self.framing, self.layout, self.algorithm, self.back)

    def schedule(self, chosen: cl.Device) -> Schedule:
        """Return what is launched on a device."""
        found = wisdom.parameters_of(chosen, self.problem, self.algorithm, within=self.workclass)
        parameters = found.over(dict(self.values), GIVEN) if self.values else found
        return self.schedule_with(describe.traits(chosen), parameters)

    def schedule_with(self, traits: Traits, parameters: Parameters) -> Schedule:
        """Return what is launched on a device with these traits, with these parameters."""
        if self.back:
            assert self.layout is not None
            return istft_schedule(self.framing, self.layout, traits, self.algorithm, parameters)
        return stft_schedule(
            self.framing, traits, self.algorithm, parameters,
            target=self.layout, magnitudes=self.magnitudes,
        )  # fmt: skip


def executable_of(context: cl.Context, job: Job) -> Executable:
    """Return the executable of a job, which is kept for the next job like it.

    Raises
    ------
    PlanError, DeviceError, DeviceMemoryError, BuildError
        The device cannot do the job.
    """

    def make() -> Executable:
        schedule = job.schedule(context.devices[0])
        memory.require_fits(
            describe.traits(context.devices[0]),
            {"in": job.samples_bytes, "out": job.results_bytes, **dict(schedule.workspace)},
        )
        return Executable(context, schedule, {WINDOW.name: memory.constant(context, job.weights)})

    return _transforms.get((context, job), make)
