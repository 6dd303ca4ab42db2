"""Impulse responses: what the rooms of a `StreamingConvolver` do, and which input goes where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import PlanError

TRUE_STEREO = 4  # left to left, left to right, right to left, right to right


@dataclass(frozen=True)
class Routing:
    """Which inputs each output hears.

    Attributes
    ----------
    inputs, outputs : int
        The numbers of channels.
    terms : int
        How many inputs each output hears.
    diagonal : bool
        Whether output o hears input o alone. Otherwise it hears all inputs.
    """

    inputs: int
    outputs: int
    terms: int
    diagonal: bool


@dataclass(frozen=True, eq=False)
class Response:
    """An impulse response, for blocks of a known number of channels.

    Attributes
    ----------
    routing : Routing
        Which inputs each output hears.
    taps : ndarray of float64, shape (outputs, terms, taps)
        What each output makes of each input that it hears.
    """

    routing: Routing
    taps: np.ndarray

    @property
    def length(self) -> int:
        """The number of taps."""
        return int(self.taps.shape[-1])

    def scaled(self, factor: float) -> Response:
        """Return the response times a factor."""
        return Response(self.routing, self.taps * factor)

    @property
    def energy(self) -> float:
        """The greatest energy with which an output answers an impulse in all its inputs."""
        return float(np.max(np.sum(self.taps**2, axis=(1, 2))))


def checked_ir(ir: ArrayLike) -> np.ndarray:
    """Return an impulse response as an array of doubles, or refuse it.

    Raises
    ------
    PlanError
        The response is empty, complex, not finite, or has more than three dimensions.
    """
    array: Any = np.asarray(ir)
    if array.dtype.kind not in "biuf":
        raise PlanError(f"an impulse response has real numbers, not {array.dtype}")
    if not 1 <= array.ndim <= 3:
        raise PlanError(
            "an impulse response has the shape (taps,), (channels, taps) or (outputs, inputs, "
            f"taps), not {array.shape}"
        )
    if not array.size:
        raise PlanError(f"the impulse response is empty {array.shape}: give at least one tap")
    array = array.astype(np.float64)
    if not np.isfinite(array).all():
        raise PlanError(
            "the impulse response has taps that are NaN or infinite: repair the recording, for "
            "example with numpy.nan_to_num"
        )
    return array


def usual_inputs(ir: np.ndarray) -> int:
    """Return the number of channels that blocks most likely have, before the first one comes."""
    if ir.ndim == 1:
        return 1
    if ir.ndim == 2:
        return 2 if ir.shape[0] == TRUE_STEREO else int(ir.shape[0])
    return int(ir.shape[1])


def response_for(ir: np.ndarray, inputs: int) -> Response:
    """Return what an impulse response does with blocks of a number of channels.

    Parameters
    ----------
    ir : ndarray of float64, shape (taps,), (channels, taps) or (outputs, inputs, taps)
        A checked impulse response.
    inputs : int
        The number of channels of the blocks.

    Returns
    -------
    Response
        A response of one channel serves any number of channels, each for itself; a response of
        several channels serves as many, or makes several channels of one. A response of four
        channels makes true stereo of two: left to left, left to right, right to left, right to
        right.

    Raises
    ------
    PlanError
        The response does not fit so many channels.
    """
    if ir.ndim == 3:
        if ir.shape[1] != inputs:
            raise _misfit(ir, inputs)
        return Response(Routing(inputs, ir.shape[0], inputs, False), ir)
    rows = np.atleast_2d(ir)
    channels = rows.shape[0]
    if channels == inputs or channels == 1:
        taps = np.broadcast_to(rows, (inputs, rows.shape[1]))
        return Response(Routing(inputs, inputs, 1, inputs > 1), taps[:, None])
    if inputs == 1:
        return Response(Routing(1, channels, 1, False), rows[:, None])
    if channels == TRUE_STEREO and inputs == 2:
        by_input = rows.reshape(2, 2, -1)
        return Response(Routing(2, 2, 2, False), np.ascontiguousarray(by_input.swapaxes(0, 1)))
    raise _misfit(ir, inputs)


def _misfit(ir: np.ndarray, inputs: int) -> PlanError:
    if ir.ndim == 3:
        return PlanError(
            f"{inputs} channels do not fit an impulse response from {ir.shape[1]} inputs to "
            f"{ir.shape[0]} outputs: give one of the shape (outputs, {inputs}, taps)"
        )
    stereo = ", or 4 for true stereo" if inputs == 2 else ""
    return PlanError(
        f"{inputs} channels do not fit an impulse response of {ir.shape[0]}: give one of 1 or "
        f"{inputs} channels{stereo}"
    )
