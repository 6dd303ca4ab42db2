"""What the methods of a `StreamingConvolver` have in common."""

from __future__ import annotations

from typing import Protocol

import numpy as np


class Engine(Protocol):
    """Convolves frames with one impulse response, in blocks.

    Frames are fed into the current block, and launched together. What one launch has computed is
    fetched in the order of the launches.
    """

    @property
    def room(self) -> int:
        """How many frames the current block still takes."""

    def feed(self, frames: np.ndarray) -> None:
        """Take the next frames, of shape (inputs, frames), no more than there is room for."""

    def launch(self) -> None:
        """Start to compute what has been fed since the last launch.

        Unless each launch is fetched before the next one, whole blocks only may be launched, and
        no more of them at a time than the engine has been made for.
        """

    def fetch(self, result: np.ndarray) -> None:
        """Write the result of the oldest launch, of shape (outputs, frames)."""

    @property
    def seconds(self) -> float:
        """What the device has taken for what was fetched last, from its launch to its end."""
