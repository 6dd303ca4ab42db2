"""Convolution reverb: a dry sound, as a room answers to it.

The impulse response of a room is what a microphone hears there of a single click. The wet sound is
the dry one convolved with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyopencl as cl
from scipy.signal import resample_poly  # type: ignore[import-untyped]

from ..errors import PlanError
from .functions import convolve

TRUE_STEREO = 4  # the channels of an impulse response from two inputs to two outputs


def paths_of(ir: np.ndarray, inputs: int) -> np.ndarray:
    """Return an impulse response by its paths from inputs to outputs.

    Parameters
    ----------
    ir : ndarray, shape (channels, taps)
        The impulse response. One channel serves every input by itself; with as many channels as
        inputs, each input has its own; one input goes to all channels. Four channels for two inputs
        are true stereo: left to left, left to right, right to left, right to right.
    inputs : int
        The number of channels of the dry sound.

    Returns
    -------
    ndarray, shape (1 or inputs, outputs, taps), or (channels, taps)
        With three dimensions every input goes to every output. With two, each input goes to its own
        output only, or the one input or the one channel serves for all.

    Raises
    ------
    PlanError
        Channels and inputs do not fit.
    """
    channels, taps = ir.shape
    if channels in (1, inputs) or inputs == 1:
        return ir
    if (inputs, channels) == (2, TRUE_STEREO):
        return ir.reshape(2, 2, taps)
    raise PlanError(
        f"the impulse response has {channels} channels and the sound has {inputs}: take a response "
        f"with 1 or {inputs} channels" + (", or 4 for true stereo" if inputs == 2 else "")
    )


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


def of_unit_energy(ir: np.ndarray) -> np.ndarray:
    """Return an impulse response whose loudest channel has the energy 1: noise stays as loud.

    Raises
    ------
    PlanError
        The impulse response is silent.
    """
    energy = np.square(ir, dtype=np.float64).sum(axis=-1).max()
    if not energy:
        raise PlanError("the impulse response is silent and cannot be normalized: take another one")
    return (ir / np.sqrt(energy)).astype(ir.dtype)


def reverberate(
    sound: np.ndarray,
    ir: np.ndarray,
    *,
    wet: float = 1.0,
    dry: float = 0.0,
    method: str = "auto",
    queue: cl.CommandQueue | None = None,
) -> np.ndarray:
    """Return a sound as a room answers to it.

    Parameters
    ----------
    sound : ndarray, shape (inputs, samples)
        The dry sound.
    ir : ndarray, shape (channels, taps)
        The impulse response; `paths_of` says which channels serve which inputs.
    wet, dry : float
        The factors of the answer and of the sound itself in the result.
    method : {"auto", "direct", "fft", "partitioned"}
        The method of `convolve`.
    queue : cl.CommandQueue, optional
        The queue to run on.

    Returns
    -------
    ndarray, shape (outputs, samples + taps - 1)

    Raises
    ------
    PlanError
        The channels do not fit, or the method is unknown.
    """
    paths = paths_of(ir, len(sound))
    options: dict[str, Any] = {"method": method, "axes": -1, "queue": queue}
    if paths.ndim == 2:
        result = convolve(sound, paths, **options)
    else:
        result = convolve(sound[:, None], paths, **options).sum(axis=0)
    result *= np.float32(wet)
    if dry:
        result[:, : sound.shape[1]] += np.float32(dry) * sound
    return result
