"""The page of a sound: NiceGUI's controls, and the spectrogram that spectrogram.js draws."""

from __future__ import annotations

from typing import Any

from nicegui import Client, ui
from nicegui.element import Element

from ..errors import PyclfftError
from .frame import head
from .guard import MAX_BODY_BYTES
from .sound_tabs import Piece, SoundTab
from .sounds import CHOICES, Sound, View

LABELS = {
    "n_fft": "Frame (n_fft)",
    "overlap": "Hop, of a frame",
    "window": "Window",
    "db": "Range, dB",
    "axis": "Frequency axis",
}
# What people read of a choice, where it is not the value itself.
WORDS: dict[Any, str] = {
    2: "1/2", 4: "1/4", 8: "1/8", "log": "Notes (logarithmic)", "linear": "Linear", "mel": "Mel",
}  # fmt: skip


class Spectrogram(Element, component="spectrogram.js", dependencies=["exchange.js"]):
    """The spectrogram of a sound."""

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._props["tab"] = client.id
        self._props["max-bytes"] = MAX_BODY_BYTES
        self.style("width: 100%")


class SoundControls:
    """The controls of one tab.

    Parameters
    ----------
    client : nicegui.Client
        The tab, as NiceGUI knows it.
    tab : SoundTab
        The tab's state.
    """

    def __init__(self, client: Client, tab: SoundTab) -> None:
        self._tab = tab
        head(tab.device, lambda device: self._do(tab.use, device), "Play with an image", "/")
        with ui.element("div").classes("lab-controls"):
            for name, choices in CHOICES.items():
                ui.select(
                    {each: WORDS.get(each, str(each).capitalize()) for each in choices},
                    label=LABELS[name], value=getattr(View(), name),
                    on_change=lambda event, name=name: self._do(tab.set, name, event.value),
                ).props(f"dense outlined data-name={name}")  # fmt: skip
        self._view = Spectrogram(client)
        tab.on_open = lambda is_new: self._opened(client, is_new)

    def show(self, sound: Sound | None) -> None:
        """Show a sound, if there is one."""
        if sound is not None:
            self._tab.show(Piece(sound), sound)

    def _do(self, change: Any, *given: Any) -> None:
        """Change the tab's state and let the browser ask for the result; an error is shown."""
        try:
            change(*given)
        except PyclfftError as error:
            self._view.run_method("say", str(error))
        else:
            if self._tab.sound is not None:
                self._view.run_method("changed", self._tab.version)

    def _opened(self, client: Client, is_new: bool) -> None:
        """Tell the browser of another sound; this is called by a request, outside the page."""
        sound, piece = self._tab.sound, self._tab.piece
        if sound is None or piece is None:
            return
        info = {
            "name": sound.name, "words": sound.words, "isWet": piece.room is not None,
            "edits": len(piece.edits), "isNew": is_new, "version": self._tab.version,
        }  # fmt: skip
        with client:
            self._view.run_method("opened", info)
