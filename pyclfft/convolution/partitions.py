"""Partitions: how an impulse response is cut for convolution in real time.

Uniform partitions are all as long as a block. With non-uniform ones (Gardner), later parts of the
response are cut into longer partitions, which take fewer products for each frame. A stage of longer
partitions begins two of its own lengths behind the response's beginning: it waits one length for
its input, and has another one to compute. So it adds nothing to the latency.

References
----------
W. G. Gardner, "Efficient convolution without input-output delay", Journal of the Audio Engineering
Society 43 (3), 1995.

F. Wefers, "Partitioned convolution algorithms for real-time auralization", dissertation, RWTH
Aachen, 2015.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

import numpy as np

from ..planning.parameters import PARTITION_COSTS, Parameters

RATIOS = (4, 8, 16, 32)  # lengths of partitions, from one stage to the next
MAX_STAGES = 4


@dataclass(frozen=True)
class Costs:
    """What blocks cost. The unit is the product of two bins.

    Attributes
    ----------
    launch : float
        The cost of a launch of the longer partitions.
    point : float
        The cost of each doubling of a transform's length, at each of its points.
    tap : float
        The cost of a product of the direct method.
    copy : float
        The cost of a copy of a channel to the direct method's buffer, or back.
    """

    launch: float
    point: float
    tap: float
    copy: float


USUAL = Costs(*(default for _, default, _ in PARTITION_COSTS))


def costs_of(parameters: Parameters) -> Costs:
    """Return what blocks cost, by the parameters of a device."""
    return Costs(*(parameters[f"partition_{name}"] for name, *_ in PARTITION_COSTS))


@dataclass(frozen=True)
class Stage:
    """Partitions of one length.

    Attributes
    ----------
    block : int
        The length of the partitions, in frames.
    begin : int
        The tap at which the first one begins.
    count : int
        The number of partitions.
    """

    block: int
    begin: int
    count: int

    @property
    def end(self) -> int:
        """The tap behind the last partition."""
        return self.begin + self.block * self.count


Stages = tuple[Stage, ...]


def uniform(taps: int, block: int) -> Stages:
    """Return the stage of partitions that are as long as a block."""
    return (Stage(block, 0, -(-taps // block)),)


def nonuniform(taps: int, block: int, ratio: int, count: int) -> Stages:
    """Return stages whose partitions become longer, each `ratio` times as long as those before.

    Parameters
    ----------
    taps : int
        The length of the response.
    block : int
        The length of a block, and of the first partitions.
    ratio : int
        How many times longer the partitions of the next stage are.
    count : int
        The most stages; there are fewer if the response ends before.
    """
    stages: list[Stage] = []
    begin, length = 0, block
    while begin < taps:
        last = len(stages) == count - 1
        end = taps if last else min(taps, 2 * ratio * length)
        stages.append(Stage(length, begin, -(-(end - begin) // length)))
        begin, length = stages[-1].end, length * ratio
    return tuple(stages)


def cheapest_stages(
    taps: int, block: int, terms: int, channels: int, costs: Costs = USUAL
) -> Stages:
    """Return the stages that cost least: the uniform one alone, or several.

    Parameters
    ----------
    taps, block : int
        The lengths of the response and of a block.
    terms : int
        The pairs of an output and an input that it hears.
    channels : int
        The inputs and outputs, each of which has a transform.
    costs : Costs, optional
        What blocks cost on the device.
    """
    choices = [nonuniform(taps, block, r, n) for r in RATIOS for n in range(2, MAX_STAGES + 1)]
    return min(
        [uniform(taps, block), *choices], key=lambda each: cost(each, terms, channels, block, costs)
    )


def several_stages(
    taps: int, block: int, terms: int, channels: int, costs: Costs = USUAL
) -> Stages:
    """Return the stages that cost least, if there are to be several."""
    choices = [nonuniform(taps, block, r, n) for r in RATIOS for n in range(2, MAX_STAGES + 1)]
    return min(choices, key=lambda each: cost(each, terms, channels, block, costs))


def cost(stages: Stages, terms: int, channels: int, block: int, costs: Costs = USUAL) -> float:
    """Return the mean cost of a block by partitions."""
    total = 0.0
    for each in stages:
        points = 2 * block * channels * log2(2 * each.block)
        total += each.count * block * terms + costs.point * points
        total += costs.launch * (each.block > block)
    return total


def direct_cost(taps: int, block: int, terms: int, channels: int, costs: Costs = USUAL) -> float:
    """Return the mean cost of a block by the direct method, as `cost` takes its parameters."""
    return costs.tap * taps * block * terms + costs.copy * channels


def spectra_of(taps: np.ndarray, stage: Stage, pitch: int, dtype: np.dtype) -> np.ndarray:
    """Return the spectra of a stage's partitions, computed in double precision and rounded once.

    Parameters
    ----------
    taps : ndarray of float64, shape (outputs, terms, taps)
        The impulse response.
    stage : Stage
        The partitions.
    pitch : int
        The bins from one row to the next; those behind a spectrum are zero.
    dtype : dtype
        The complex dtype of the spectra.

    Returns
    -------
    ndarray, shape (partitions, outputs, terms, pitch)
    """
    *rows, length = taps.shape
    result = np.zeros((stage.count, *rows, pitch), dtype)
    for number in range(stage.count):
        begin = stage.begin + number * stage.block
        part = taps[..., begin : min(begin + stage.block, length)]
        result[number, ..., : stage.block + 1] = np.fft.rfft(part, 2 * stage.block)
    return result
