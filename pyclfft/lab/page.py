"""The page of an image: NiceGUI's controls, and the views that views.js draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import Client, ui
from nicegui.element import Element
from nicegui.elements.mixins.value_element import ValueElement

from ..errors import PyclfftError
from ..image.bands import SHAPES
from ..image.filter_plans import CHANNELS
from .brush import parse_stroke
from .frame import head
from .guard import MAX_BODY_BYTES
from .kinds import KINDS, SLIDERS, Slider
from .notches import parse_switch
from .pictures import Picture
from .tabs import Tab


class Views(Element, component="views.js", dependencies=["exchange.js"]):
    """The image, its spectrum and the result, side by side."""

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._props["tab"] = client.id
        self._props["max-bytes"] = MAX_BODY_BYTES
        self.style("width: 100%")

    def describe(self, no_brush: str, has_notches: bool, device: str) -> None:
        """Tell the views why the brush does not go with the filter, and which notches it has.

        The filter may have none. Otherwise they are those that the device finds.
        """
        told = {"no-brush": no_brush, "has-notches": has_notches, "device": device}
        if any(self._props.get(name) != value for name, value in told.items()):
            self._props.update(told)
            self.update()


class QuickSlider(ValueElement[float]):
    """A slider whose every position is sent at once, and that the server does not move back."""

    LOOPBACK = False

    def __init__(self, slider: Slider, on_change: Callable[[Any], None]) -> None:
        super().__init__(
            tag="q-slider", value=slider.usual, on_value_change=lambda event: on_change(event.value)
        )
        self._props.update(min=slider.least, max=slider.most, step=slider.step)
        self._props["aria-label"] = slider.label


class Controls:
    """The controls of one tab.

    Parameters
    ----------
    client : nicegui.Client
        The tab, as NiceGUI knows it.
    tab : Tab
        The tab's state.
    """

    def __init__(self, client: Client, tab: Tab) -> None:
        self._tab = tab
        head(tab.device, self._use, "Play with a sound", "/sound")
        with ui.element("div").classes("lab-controls"):
            self._kind = self._select("kind", "Filter", {n: k.label for n, k in KINDS.items()})
            self._shape = self._select("shape", "Shape", {n: n.capitalize() for n in SHAPES})
            self._channels = self._select("channels", "Colour", dict(zip(CHANNELS, (
                "Each channel", "Brightness alone"), strict=True)))  # fmt: skip
            self._keep_dc = ui.checkbox(
                "Keep the mean brightness",
                on_change=lambda event: self._set("keep_dc", event.value),
            )
        with ui.element("div").classes("lab-controls"):
            self._sliders = {name: self._slider(name) for name in SLIDERS}
        self._views = Views(client)
        self._views.on("stroke", lambda event: self._do(tab.paint, parse_stroke, event.args))
        self._views.on("undo", lambda: self._do(tab.undo))
        self._views.on("clear", lambda: self._do(tab.clear))
        self._views.on("notch", lambda event: self._do(tab.switch, parse_switch, event.args))
        tab.on_open = lambda: self._opened(client)
        self._refresh()

    def show(self, picture: Picture | None) -> None:
        """Show an image, if there is one."""
        if picture is not None:
            self._tab.open(picture)

    # --- parts of the page ------------------------------------------------------------------------

    def _select(self, name: str, label: str, choices: dict[str, str]) -> ui.select:
        return ui.select(
            choices, label=label, value=getattr(self._tab.settings, name),
            on_change=lambda event: self._set(name, event.value),
        ).props(f"dense outlined data-name={name}")  # fmt: skip

    def _slider(self, name: str) -> Element:
        slider = SLIDERS[name]
        with ui.element("div").classes("lab-slider") as box:
            words = ui.label(f"{slider.label}: {slider.usual:g}")

            def change(position: float) -> None:
                words.text = f"{slider.label}: {position:g}"
                self._set(name, position)

            QuickSlider(slider, change).classes(f"lab-slider-{name.replace(' ', '-')}")
        return box

    # --- what happens -----------------------------------------------------------------------------

    def _use(self, device: str) -> None:
        self._do(self._tab.use, str, device)
        self._refresh()

    def _set(self, name: str, value: Any) -> None:
        self._do(lambda given: self._tab.set(name, given), lambda given: given, value)
        self._refresh()

    def _do(
        self,
        change: Callable[..., None],
        parse: Callable[[Any], Any] | None = None,
        given: Any = None,
    ) -> None:
        """Change the tab's state and let the browser ask for the result; an error is shown."""
        try:
            change(*([parse(given)] if parse else []))
        except PyclfftError as error:
            self._views.run_method("say", str(error))
        else:
            self._changed()

    def _changed(self) -> None:
        if self._tab.picture is None:
            return
        band = self._tab.settings.band
        cutoff = band.get("cutoff", ())
        circles = cutoff if isinstance(cutoff, tuple) else (cutoff,)
        self._views.run_method("changed", self._tab.version, list(circles), band.get("radius", 0))

    def _refresh(self) -> None:
        """Show the controls that have a meaning now."""
        settings, picture = self._tab.settings, self._tab.picture
        for name, box in self._sliders.items():
            box.set_visibility(name in settings.sliders)
        self._shape.set_visibility(KINDS[settings.kind].has_shape)
        self._keep_dc.set_visibility(KINDS[settings.kind].has_mean)
        self._channels.set_visibility(picture is not None and picture.file.channels == 3)
        self._views.describe(settings.no_brush, "points" in settings.band, self._tab.device)

    def _opened(self, client: Client) -> None:
        """Tell the browser of another image; this is called by a request, outside the page."""
        picture = self._tab.picture
        if picture is None:
            return
        rows, columns = picture.size
        info = {
            "name": picture.name, "words": picture.words, "notes": "; ".join(picture.notes),
            "rows": rows, "columns": columns, "version": self._tab.version,
        }  # fmt: skip
        with client:
            self._refresh()
            self._views.run_method("opened", info)
            self._changed()
