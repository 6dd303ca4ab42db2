"""What the lab remembers of a tab that shows a sound."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .sounds import Sound, View
from .tabs import DeviceChoice


class SoundTab(DeviceChoice):
    """The state of one tab. Its fields change as a whole, so that other threads may read them.

    Attributes
    ----------
    dry : Sound or None
        The sound that was opened.
    sound : Sound or None
        The sound that is shown, which may be in a room.
    view : View
        How it is drawn.
    on_open : callable
        Called when another sound is shown.
    """

    def __init__(self) -> None:
        super().__init__()
        self.dry: Sound | None = None
        self.sound: Sound | None = None
        self.view = View()
        self.on_open: Callable[[], None] = lambda: None

    def open(self, sound: Sound) -> None:
        """Show another sound."""
        self.dry = self.sound = sound
        self.version += 1
        self.on_open()

    def show(self, sound: Sound) -> None:
        """Show the sound in a room, or without one."""
        self.sound = sound
        self.version += 1
        self.on_open()

    def set(self, name: str, value: Any) -> None:
        """Change how the sound is drawn.

        Raises
        ------
        PlanError
            As `View.changed` raises it.
        """
        self.view = self.view.changed(name, value)
        self.version += 1
