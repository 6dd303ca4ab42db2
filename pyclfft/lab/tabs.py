"""What the lab remembers: one state for each of the browser's tabs, bounded, freed at its end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pyopencl as cl

from ..errors import PlanError, PyclfftError
from ..runtime import runtimes
from ..runtime.choice import select_device
from ..runtime.describe import device_label
from ..runtime.queues import queue_on
from .brush import MAX_STROKES, Stroke
from .kinds import Settings
from .notches import Switch
from .pictures import Job, Painted, Picture, unpainted

MAX_TABS = 16


class DeviceChoice:
    """The device of a tab, which its user chooses.

    Attributes
    ----------
    device : str
        The device, in the words of `use_device`; empty for the default one.
    version : int
        Counts the changes, so that the newest result is known.
    is_shown : callable
        Returns whether a browser shows the tab.
    changing : asyncio.Lock
        Held while a request changes the tab, so that no change is lost.
    """

    def __init__(self, device: str = "") -> None:
        self.device = device
        self.version = 0
        self.is_shown: Callable[[], bool] = lambda: False
        self.changing = asyncio.Lock()

    def use(self, device: str) -> None:
        """Choose a device.

        Raises
        ------
        DeviceError
            None fits.
        """
        select_device(device or None)
        self.device = device
        self.version += 1

    @property
    def queue(self) -> cl.CommandQueue:
        """The queue of the tab's device in this thread."""
        return queue_on(self.device)


class Tab(DeviceChoice):
    """The state of a tab that shows an image.

    Its fields change as a whole, so that other threads may read them.

    Attributes
    ----------
    picture : Picture or None
        The image that is open.
    settings : Settings
        What the controls say.
    strokes : tuple of Stroke
        What the brush has drawn.
    off : frozenset of int
        The places, among the picture's notches, of those that are switched off.
    on_open : callable
        Called when another image has been opened.
    """

    def __init__(self, picture: Picture | None = None, device: str = "") -> None:
        super().__init__(device)
        self.picture = picture
        self.settings = Settings()
        self.strokes: tuple[Stroke, ...] = ()
        self.off: frozenset[int] = frozenset()
        self.on_open: Callable[[], None] = lambda: None
        self._painted: Painted | None = None
        self._lock = threading.Lock()

    def open(self, picture: Picture) -> None:
        """Show another image; the strokes and the notches go, the settings stay."""
        self.picture, self.strokes, self._painted = picture, (), None
        self.off = frozenset()
        self.version += 1
        self.on_open()

    def set(self, name: str, value: Any) -> None:
        """Change a setting.

        Raises
        ------
        PlanError
            As `Settings.changed` raises it.
        """
        self.settings = self.settings.changed(name, value)
        self.version += 1

    def paint(self, stroke: Stroke) -> None:
        """Add a stroke.

        Raises
        ------
        PlanError
            There are too many.
        """
        if len(self.strokes) >= MAX_STROKES:
            raise PlanError(f"there are {MAX_STROKES} strokes: undo some, or download the mask")
        self.strokes = (*self.strokes, stroke)
        self.version += 1

    def undo(self) -> None:
        """Take the last stroke away."""
        self.strokes = self.strokes[:-1]
        self.version += 1

    def clear(self) -> None:
        """Take all strokes away."""
        self.strokes = ()
        self.version += 1

    def switch(self, switch: Switch) -> None:
        """Switch a notch off or on."""
        place = {switch.index}
        self.off = self.off - place if switch.is_on else self.off | place
        self.version += 1

    def job(self) -> Job:
        """Return what the tab shows now.

        Raises
        ------
        PlanError
            No image is open.
        """
        picture, settings, strokes = self.picture, self.settings, self.strokes
        off, device = self.off, self.device
        if picture is None:
            raise PlanError("no image is open: open one first")
        with self._lock:
            plane, painted = settings.plane(picture.size), self._painted
            if painted is None or (painted.size, painted.gains.shape) != (picture.size, plane):
                painted = unpainted(picture.size, plane)
            if painted.strokes != strokes:
                painted = painted.drawn(strokes)
            self._painted = painted
        return Job(picture, settings, painted, off, device)


class Tabs:
    """The states of all tabs.

    Parameters
    ----------
    limit : int
        How many there may be.
    """

    def __init__(self, limit: int = MAX_TABS) -> None:
        self._limit = limit
        self._known: dict[str, DeviceChoice] = {}

    def __len__(self) -> int:
        return len(self._known)

    def add(self, name: str, tab: DeviceChoice) -> None:
        """Remember a tab; if there are too many, forget one that no browser shows.

        Raises
        ------
        PyclfftError
            A browser shows all of them.
        """
        hidden = [each for each, known in self._known.items() if not known.is_shown()]
        if len(self._known) >= self._limit and hidden:
            self.remove(hidden[0])
        if len(self._known) >= self._limit:
            raise PyclfftError(
                f"the lab is open in {self._limit} tabs, which is its limit: close one and "
                "load this page again"
            )
        self._known[name] = tab

    def get(self, name: str) -> DeviceChoice | None:
        """Return the state of a tab, or None if there is no such tab."""
        return self._known.get(name)

    def remove(self, name: str) -> None:
        """Forget a tab, and all that it holds."""
        self._known.pop(name, None)


def device_choices(given: str = "") -> dict[str, str]:
    """Return the devices: the words by which `use_device` knows each, and its name.

    Parameters
    ----------
    given : str
        The words with which the lab was started. Copied commands repeat them; empty stands for the
        default device, which commands need not name.
    """
    usable = set(runtimes.devices())
    numbered = {
        f"{p}:{d}": device
        for p, (_, group) in enumerate(runtimes.by_platform(runtimes.every_device()))
        for d, device in enumerate(group)
    }
    first = f"{device_label(select_device(given or None))} ({given or 'default'})"
    return {
        given: first,
        **{place: device_label(each) for place, each in numbered.items() if each in usable},
    }
