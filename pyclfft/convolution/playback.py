"""Playing a sound in a room: block by block through a stream, to a sound card or in its place."""

from __future__ import annotations

import threading
import time
import wave
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..advice import pip_install
from ..errors import PlanError
from ..files import atomic_write
from .streaming import StreamingConvolver

FULL_SCALE = 32767
BUFFER_SECONDS = 0.02  # the least that the sound card is given at a time
DEFAULT, NULL, JACK = "default", "null", "jack"
BACKENDS = {DEFAULT: None, NULL: "NULL", JACK: "JACK"}  # sinks, and miniaudio's names of backends
QUIET = -99.0  # decibels of silence


def to_int16(frames: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Convert frames to integers of 16 bits, the channels of a frame beside each other.

    Parameters
    ----------
    frames : ndarray, shape (frames,) or (channels, frames)
        Real numbers; -1 to 1 is full scale. Numbers beyond are clipped, and NaN becomes silence.
    out : ndarray of int16, shape (frames, channels), optional
        Receives the result.

    Returns
    -------
    ndarray of int16, shape (frames, channels)
    """
    scaled: Any = np.clip(np.atleast_2d(frames).T, -1, 1) * FULL_SCALE
    result = np.empty(scaled.shape, np.int16) if out is None else out
    result[...] = np.rint(np.nan_to_num(scaled, copy=False))
    return result


def wet_blocks(
    stream: StreamingConvolver, dry: np.ndarray, block: int, total: int
) -> Iterator[np.ndarray]:
    """Yield the result of a stream block by block; zeros follow the sound until the tail is out.

    Parameters
    ----------
    stream : StreamingConvolver
        A stream that has taken no frames yet.
    dry : ndarray, shape (channels, frames)
        The sound.
    block : int
        The frames of each block.
    total : int
        The frames to yield in all.

    Yields
    ------
    ndarray, shape (outputs, frames)
        At most a block of frames, or none while the stream is late.
    """
    begin = returned = 0
    while returned < total:
        part = dry[:, begin : begin + block]
        if part.shape[1] < block:
            part = np.pad(part, ((0, 0), (0, block - part.shape[1])))
        begin += block
        wet = np.atleast_2d(stream.push(part))[:, : total - returned]
        returned += wet.shape[1]
        yield wet


class Player:
    """Frames on demand, as a sound card asks for them.

    Parameters
    ----------
    blocks : iterator of ndarray, shape (channels, frames)
        What to play.
    channels : int
        The number of channels.
    total : int
        The frames of all blocks together.
    record : bool
        Whether to keep all that is played.

    Attributes
    ----------
    played : int
        The frames that have been asked for so far, without the silence at the end.
    level : float
        The greatest magnitude of the last frames, in decibels of full scale.
    ended : threading.Event
        Set when everything has been asked for, or a block has failed.
    error : Exception or None
        What has gone wrong. Silence is played from then on.
    recording : list of ndarray
        The blocks that were played, if they are kept.
    """

    def __init__(
        self, blocks: Iterator[np.ndarray], channels: int, total: int, record: bool = False
    ) -> None:
        self.played, self.level = 0, QUIET
        self.ended = threading.Event()
        self.error: Exception | None = None
        self.recording: list[np.ndarray] = []
        self._blocks, self._channels, self._total, self._record = blocks, channels, total, record
        self._left = np.empty((channels, 0))

    def take(self, count: int) -> np.ndarray:
        """Return the next frames as integers, shape (count, channels); zeros follow the last."""
        result = np.zeros((count, self._channels), np.int16)
        written = 0
        try:
            while written < count and self.played < self._total:
                if not self._left.shape[1]:
                    self._left = next(self._blocks)
                    continue
                part = self._left[:, : count - written]
                self._left = self._left[:, part.shape[1] :]
                to_int16(part, result[written : written + part.shape[1]])
                written += part.shape[1]
                self.played += part.shape[1]
                if self._record:
                    self.recording.append(part)
        except Exception as error:  # a callback of the sound card must not raise
            self.error = error
            self._total = self.played
            result[written:] = 0
        peak = np.abs(result.astype(np.int32)).max(initial=0) / FULL_SCALE
        self.level = 20 * np.log10(peak) if peak else QUIET
        if self.played >= self._total:
            self.ended.set()
        return result

    def on_demand(self) -> Generator[bytes, int, None]:
        """Yield bytes of as many frames as are sent to this generator."""
        count = yield b""
        while True:
            count = yield self.take(count).tobytes()


def require_sink(sink: str) -> None:
    """Refuse a sink that cannot be played to.

    Raises
    ------
    PlanError
        The sink is neither known nor the name of a WAV file, or needs miniaudio, which is missing.
    """
    if sink in BACKENDS:
        _miniaudio()
    elif Path(sink).suffix.lower() != ".wav":
        raise PlanError(
            f"{sink!r} is no sink: take {', '.join(BACKENDS)} or the name of a WAV file"
        )


def play(player: Player, sink: str, channels: int, sr: int, show: Callable[[Player], None]) -> None:
    """Play everything, and return when it has been heard.

    Parameters
    ----------
    player : Player
        What to play.
    sink : str
        "default" for the sound card, "null" for a card that nobody hears and that keeps the pace of
        one, "jack" for a JACK server, or the name of a WAV file, which is written without pauses.
    channels, sr : int
        The number of channels, and the sample rate in Hz.
    show : function
        Takes the player, about ten times a second.

    Raises
    ------
    PlanError
        There is no sound card, or no server.
    Exception
        What has gone wrong while blocks were made.
    """
    if sink in BACKENDS:
        _play_to_card(player, sink, channels, sr, show)
    else:
        _play_to_file(player, sink, channels, sr, show)
    if player.error is not None:
        raise player.error


def _play_to_card(
    player: Player, sink: str, channels: int, sr: int, show: Callable[[Player], None]
) -> None:
    miniaudio = _miniaudio()
    name = BACKENDS[sink]
    try:
        device = miniaudio.PlaybackDevice(
            output_format=miniaudio.SampleFormat.SIGNED16, nchannels=channels, sample_rate=sr,
            buffersize_msec=round(1000 * BUFFER_SECONDS), app_name="pyclfft",
            backends=[getattr(miniaudio.Backend, name)] if name else None,
        )  # fmt: skip
    except miniaudio.MiniaudioError as error:
        raise PlanError(
            f"no sound can be played to {sink!r} ({error.args[0]}): try --sink {NULL}, or leave "
            "--realtime out to write a file"
        ) from None
    if name is None and device.backend == "Null":
        device.close()
        raise PlanError(
            f"this machine has no sound card: try --sink {NULL}, or leave --realtime out to write "
            "a file"
        )
    frames = player.on_demand()
    next(frames)
    try:
        device.start(frames)
        while not player.ended.wait(0.1):
            show(player)
        time.sleep(2 * BUFFER_SECONDS)  # until the card has played what it was given
    finally:
        device.close()
        frames.close()


def _play_to_file(
    player: Player, path: str, channels: int, sr: int, show: Callable[[Player], None]
) -> None:
    size = max(1, round(sr * BUFFER_SECONDS))
    with atomic_write(path) as file, wave.open(file, "wb") as writer:
        writer.setnchannels(channels)
        writer.setsampwidth(2)
        writer.setframerate(sr)
        while not player.ended.is_set():
            before = player.played
            frames = player.take(size)
            writer.writeframes(frames[: player.played - before].astype("<i2").tobytes())
            show(player)
        if player.error is not None:
            raise player.error


def _miniaudio() -> Any:
    try:
        import miniaudio  # type: ignore[import-untyped]
    except ImportError:
        raise PlanError(f"playing needs miniaudio: {pip_install('playing')}") from None
    return miniaudio
