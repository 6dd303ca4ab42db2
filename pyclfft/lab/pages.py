"""The pages of the lab, by their addresses."""

from __future__ import annotations

from typing import Any

from nicegui import Client, ui

from ..errors import PyclfftError
from .frame import STYLE
from .page import Controls
from .pictures import Picture
from .sound_page import SoundControls
from .sound_tabs import SoundTab
from .sounds import Sound
from .tabs import DeviceChoice, Tab, Tabs


def make_pages(tabs: Tabs, first: Picture | Sound | None, device: str) -> None:
    """Add the pages to NiceGUI's application.

    Parameters
    ----------
    tabs : Tabs
        Where each tab's state is kept.
    first : Picture or Sound, optional
        What every new tab shows.
    device : str
        The device that every new tab uses, in the words of `use_device`; empty for the default one.
    """

    def fill(client: Client, tab: DeviceChoice, controls: Any, shown: Any) -> None:
        """Fill a page for a tab, which is forgotten when the browser closes it."""
        ui.add_css(STYLE)
        tab.is_shown = lambda: client.has_socket_connection
        try:
            tabs.add(client.id, tab)
        except PyclfftError as error:
            ui.label(str(error)).props('role="alert"')
            return
        client.on_delete(lambda: tabs.remove(client.id))
        with ui.element("main").classes("lab-page"):
            controls(client, tab).show(shown)

    @ui.page("/", title="pyclfft lab")
    def images(client: Client) -> None:
        fill(client, Tab(device=device), Controls, first if isinstance(first, Picture) else None)

    @ui.page("/sound", title="pyclfft lab: sound")
    def sounds(client: Client) -> None:
        fill(client, SoundTab(device), SoundControls, first if isinstance(first, Sound) else None)
