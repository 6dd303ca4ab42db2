"""What the lab remembers of a tab that shows a sound."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pyopencl as cl

from ..audio.spectral_editing import Region
from ..errors import PlanError
from .sounds import Sound, View, edited, in_room
from .tabs import DeviceChoice

MAX_EDITS = 100


@dataclass(frozen=True, eq=False)
class Piece:
    """A sound, and what is done to it.

    Attributes
    ----------
    dry : Sound
        The sound that was opened.
    edits : tuple of Region
        The regions of its spectrogram that change.
    room : Sound or None
        The impulse response of the room that it is put into afterwards.
    """

    dry: Sound
    edits: tuple[Region, ...] = ()
    room: Sound | None = None

    def with_edit(self, region: Region) -> Piece:
        """Return the piece with one more edit.

        Raises
        ------
        PlanError
            There are too many.
        """
        if len(self.edits) >= MAX_EDITS:
            raise PlanError(
                f"there are {MAX_EDITS} edits: undo some, or save the sound and open that"
            )
        return replace(self, edits=(*self.edits, region))

    def undone(self) -> Piece:
        """Return the piece without its last edit."""
        return replace(self, edits=self.edits[:-1])

    def in_room(self, room: Sound | None) -> Piece:
        """Return the piece in a room, or without one."""
        return replace(self, room=room)

    def sound(self, queue: cl.CommandQueue) -> Sound:
        """Return what is heard.

        Raises
        ------
        PlanError
            The edits or the room do not fit the sound.
        """
        result = edited(self.dry, self.edits, queue) if self.edits else self.dry
        return in_room(result, self.room, queue) if self.room else result


class SoundTab(DeviceChoice):
    """The state of one tab. Its fields change as a whole, so that other threads may read them.

    Attributes
    ----------
    piece : Piece or None
        The sound that was opened, with what is done to it.
    sound : Sound or None
        What is heard.
    view : View
        How it is drawn.
    on_open : callable
        Called when another sound is shown; its argument says whether it was just opened.
    """

    def __init__(self, device: str = "") -> None:
        super().__init__(device)
        self.piece: Piece | None = None
        self.sound: Sound | None = None
        self.view = View()
        self.on_open: Callable[[bool], None] = lambda is_new: None

    def require_piece(self) -> Piece:
        """Return the piece.

        Raises
        ------
        PlanError
            No sound is open.
        """
        if self.piece is None:
            raise PlanError("no sound is open: open one first")
        return self.piece

    def show(self, piece: Piece, sound: Sound) -> None:
        """Show a piece, which sounds like this."""
        is_new = self.piece is None or self.piece.dry is not piece.dry
        self.piece, self.sound = piece, sound
        self.version += 1
        self.on_open(is_new)

    def set(self, name: str, value: Any) -> None:
        """Change how the sound is drawn.

        Raises
        ------
        PlanError
            As `View.changed` raises it.
        """
        self.view = self.view.changed(name, value)
        self.version += 1
