"""Voices: the rooms in which a stream sounds, and how one fades into the next.

When the impulse response changes, the input fades from the old room to the new one. Each sound
rings on in the room in which it began, so that the fade neither cuts the old room's tail off nor
makes a click.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .engines import Engine
from .loads import LoadMeter


class Fade(NamedTuple):
    """A gain that rises from 0 to 1 in a straight line.

    Attributes
    ----------
    begin : int
        The frame of the stream at which it begins to rise.
    frames : int
        How many frames it takes. After so many it is 1.
    """

    begin: int
    frames: int

    @property
    def end(self) -> int:
        """The first frame that is not part of the fade."""
        return self.begin + self.frames

    def gains(self, frames: np.ndarray, out: np.ndarray) -> None:
        """Write the gains of frames, given by their numbers as floats."""
        np.subtract(frames, self.begin - 1, out=out)
        np.divide(out, max(self.frames, 1), out=out)
        np.clip(out, 0, 1, out=out)


class Voice:
    """An engine with the gain of its input, and with its results in the order of frames.

    Parameters
    ----------
    engine : Engine
        The engine.
    taps : int
        The length of its impulse response.
    inputs, outputs : int
        The numbers of channels.
    block : int
        The frames of a block.
    dtype : dtype
        The dtype of the frames.
    fade_in : Fade
        How its input begins.
    """

    def __init__(
        self,
        engine: Engine,
        taps: int,
        inputs: int,
        outputs: int,
        block: int,
        dtype: np.dtype,
        fade_in: Fade,
    ) -> None:
        self._engine, self._taps = engine, taps
        self._fade_in = fade_in
        self._fade_out: Fade | None = None
        self._numbers, self._gains, self._falling = np.empty((3, block))
        self._counted = np.arange(block, dtype=np.float64)
        self._heard = np.empty((inputs, block), dtype)
        self._results = np.empty((outputs, block), dtype)  # of the launch that was fetched last
        self._left = 0  # how many of them have not been mixed

    def fade_out(self, fade: Fade) -> None:
        """Let the input fade out, unless it does so already."""
        self._fade_out = self._fade_out or fade

    def end(self, frames: int) -> int:
        """Return the frame behind the voice's last sound, if the stream has so many frames."""
        heard = min(frames, self._fade_out.end) if self._fade_out else frames
        return heard + self._taps - 1 if heard > self._fade_in.begin else 0

    def is_over(self, frame: int) -> bool:
        """Whether nothing of the voice sounds from a frame of the stream on."""
        return self._fade_out is not None and frame >= self._fade_out.end + self._taps - 1

    def _heard_of(self, frames: np.ndarray, at: int) -> np.ndarray:
        """Return frames, which begin at frame `at` of the stream, as the voice hears them."""
        count, falls = frames.shape[1], self._fade_out
        if at >= self._fade_in.end and (falls is None or at + count <= falls.begin):
            return frames
        numbers, gains = self._numbers[:count], self._gains[:count]
        np.add(self._counted[:count], at, out=numbers)
        self._fade_in.gains(numbers, gains)
        if falls is not None:
            falling = self._falling[:count]
            falls.gains(numbers, falling)
            np.subtract(1, falling, out=falling)
            np.multiply(gains, falling, out=gains)
        heard = self._heard[:, :count]
        heard.fill(0)
        # What is not heard may be NaN, which times 0 would not be silent.
        np.multiply(frames, gains, out=heard, where=gains > 0, casting="same_kind")
        return heard

    def play(self, frames: np.ndarray, at: int, mixed: np.ndarray) -> None:
        """Compute frames at once, and add the results to `mixed`.

        Parameters
        ----------
        frames : ndarray, shape (inputs, frames)
            At most a block of frames.
        at : int
            The number of the first one in the stream.
        mixed : ndarray, shape (outputs, frames)
            What all voices sound together.
        """
        heard, begin = self._heard_of(frames, at), 0
        while begin < heard.shape[1]:
            end = min(begin + self._engine.room, heard.shape[1])
            self._engine.feed(heard[:, begin:end])
            self._engine.launch()
            results = self._results[:, : end - begin]
            self._engine.fetch(results)
            mixed[:, begin:end] += results
            begin = end

    def feed(self, frames: np.ndarray, at: int) -> None:
        """Take frames, as `play` does, and start to compute each block that they complete."""
        heard, begin = self._heard_of(frames, at), 0
        while begin < heard.shape[1]:
            end = min(begin + self._engine.room, heard.shape[1])
            self._engine.feed(heard[:, begin:end])
            if not self._engine.room:
                self._engine.launch()
            begin = end

    def mix(self, at: int, mixed: np.ndarray, meter: LoadMeter | None) -> None:
        """Add results to `mixed`, and wait for them if they are not there yet.

        Parameters
        ----------
        at : int
            The number of the first frame of `mixed` in the stream.
        mixed : ndarray, shape (outputs, frames)
            What all voices sound together.
        meter : LoadMeter or None
            Counts the time that the device has taken.
        """
        begin, block = max(0, self._fade_in.begin - at), self._results.shape[1]
        while begin < mixed.shape[1]:
            if not self._left:
                self._engine.fetch(self._results)
                self._left = block
                if meter is not None:
                    meter.add_work(self._engine.seconds, block)
            count = min(self._left, mixed.shape[1] - begin)
            first = block - self._left
            mixed[:, begin : begin + count] += self._results[:, first : first + count]
            begin, self._left = begin + count, self._left - count
