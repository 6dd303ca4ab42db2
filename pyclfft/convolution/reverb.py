"""Convolution reverb: a dry sound, as a room answers to it.

The impulse response of a room is what a microphone hears there of a single click. The wet sound is
the dry one convolved with it.
"""

from __future__ import annotations

import numpy as np
import pyopencl as cl
from numpy.typing import ArrayLike
from scipy.signal import resample_poly  # type: ignore[import-untyped]

from ..errors import PlanError
from .functions import convolve
from .responses import checked_ir, response_for


def resampled(ir: np.ndarray, sr: int, wanted: int) -> np.ndarray:
    """Return an impulse response at another sample rate, in Hz, as loud as before.

    References
    ----------
    The polyphase filter is scipy.signal.resample_poly's.
    """
    if sr == wanted:
        return ir
    common = int(np.gcd(sr, wanted))
    rate = np.float32(sr / wanted)  # so many fewer taps sum up to the same loudness
    return resample_poly(ir, wanted // common, sr // common, axis=-1) * rate


def reverberate(
    sound: np.ndarray,
    ir: ArrayLike,
    *,
    wet: float = 1.0,
    dry: float = 0.0,
    normalize: bool = False,
    method: str = "auto",
    queue: cl.CommandQueue | None = None,
) -> np.ndarray:
    """Return a sound as a room answers to it.

    Parameters
    ----------
    sound : ndarray of float, shape (inputs, samples)
        The dry sound.
    ir : array_like, shape (channels, taps) or (outputs, inputs, taps)
        The impulse response, as `StreamingConvolver` takes it: one channel serves every input by
        itself; with as many channels as inputs, each input has its own; one input goes to all
        channels. Four channels for two inputs are true stereo: left to left, left to right, right
        to left, right to right.
    wet, dry : float
        The factors of the answer and of the sound itself in the result.
    normalize : bool
        Whether to scale the impulse response so that its loudest output has the energy 1: noise
        then stays as loud as it was.
    method : {"auto", "direct", "fft", "partitioned"}
        The method of `convolve`.
    queue : cl.CommandQueue, optional
        The queue to run on.

    Returns
    -------
    ndarray, shape (outputs, samples + taps - 1)
        The sound, of the dtype of the dry one.

    Raises
    ------
    PlanError
        The channels do not fit, the impulse response is empty, not finite, or silent and to be
        normalized, or the method is unknown.
    """
    response = response_for(checked_ir(ir), len(sound))
    if normalize and not response.energy:
        raise PlanError("the impulse response is silent and cannot be normalized: take another one")
    gain = wet / response.energy**0.5 if normalize else wet
    taps, routing = response.scaled(gain).taps.astype(sound.dtype), response.routing
    # Along axis 1 are the inputs that each output hears.
    heard = sound[:, None] if routing.terms == 1 else sound[None]
    result = convolve(heard, taps, method=method, axes=-1, queue=queue).sum(axis=1)
    if dry:
        if routing.inputs not in (1, routing.outputs):
            raise PlanError(
                f"dry= needs as many inputs as outputs, not {routing.inputs} and "
                f"{routing.outputs}: leave it out, or add the dry sound yourself"
            )
        result[:, : sound.shape[1]] += sound.dtype.type(dry) * sound
    return result
