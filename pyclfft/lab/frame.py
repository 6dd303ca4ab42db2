"""What both pages have around their views: their look, and the line at their head."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from .tabs import device_choices

STYLE = """
body { color-scheme: light; }
body.body--dark, :root:has(body.body--dark) { color-scheme: dark; }
.lab-page { max-width: 1600px; margin: 0 auto; padding: 0.75rem; display: flex;
  flex-direction: column; gap: 0.75rem; width: 100%; box-sizing: border-box; }
.lab-head, .lab-bar, .lab-controls { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem;
  align-items: center; }
.lab-head h1 { font-size: 1.3rem; line-height: 1.5; font-weight: 600; flex: 1 1 auto; }
.lab-bar label { display: inline-flex; align-items: center; gap: 0.4rem; }
.lab-head a { color: inherit !important; text-decoration: underline; }
.lab-views { display: flex; flex-direction: column; gap: 0.5rem; width: 100%; }
.lab-three { display: grid; gap: 0.5rem; grid-template-columns: repeat(3, minmax(0, 1fr)); }
@media (max-width: 700px) { .lab-three { grid-template-columns: minmax(0, 1fr); } }
.lab-three figure { margin: 0; }
.lab-three canvas { width: 100%; height: min(52vh, 36rem); display: block; background: #8883;
  border-radius: 4px; touch-action: none; cursor: crosshair; }
@media (max-width: 700px) { .lab-three canvas { height: 60vw; } }
.lab-views :focus-visible, .lab-button:focus-within { outline: 3px solid #4a90e2;
  outline-offset: 1px; }
.lab-file { position: absolute; width: 1px; height: 1px; opacity: 0; }
.lab-button, .lab-views button { border: 1px solid currentcolor; border-radius: 4px;
  padding: 0.25rem 0.7rem; cursor: pointer; background: transparent; color: inherit; font: inherit;
  position: relative; }
.lab-views button:disabled { opacity: 0.45; cursor: default; }
.lab-name { font-weight: 600; overflow-wrap: anywhere; }
.lab-alert { margin: 0; padding: 0.5rem 0.75rem; border-radius: 4px; background: #b00020;
  color: white; overflow-wrap: anywhere; }
.lab-readout { min-height: 1.5em; font-variant-numeric: tabular-nums; }
.lab-text { margin: 0; padding: 0.5rem; background: #8882; white-space: pre-wrap;
  overflow-wrap: anywhere; border-radius: 4px; }
.lab-no-brush, .lab-notches p { margin: 0; }
.lab-notches { max-height: 15rem; overflow-y: auto; scroll-padding: 1.5rem;
  font-variant-numeric: tabular-nums; }
.lab-notches :is(td, th) { padding: 0.1rem 1rem 0.1rem 0; text-align: end; font-weight: 400; }
.lab-notches :is(td, th):first-child { padding-left: 0.4rem; }
.lab-notches tbody tr:hover { background: #8883; }
.lab-levels { width: 100%; height: min(56vh, 34rem); display: block; border-radius: 4px;
  background: black; touch-action: none; cursor: crosshair; }
.lab-views input[type=number] { width: 7rem; border: 1px solid #8888; border-radius: 4px;
  padding: 0.1rem 0.3rem; background: transparent; color: inherit; }
.lab-controls > * { min-width: 9rem; }
.lab-slider { flex: 1 1 16rem; max-width: 30rem; min-width: min(16rem, 100%); }
"""


def head(device: str, use: Callable[[str], None], other: str, path: str) -> None:
    """Show the title, the devices, the way to the other page, and a switch for dark mode.

    Parameters
    ----------
    device : str
        The device that is used at first, in the words of `use_device`.
    use : callable
        Called with the chosen device, in the words of `use_device`.
    other, path : str
        What the link to the other page says, and where it leads.
    """
    dark = ui.dark_mode(None)
    with ui.element("header").classes("lab-head"):
        with ui.element("h1"):
            ui.label("pyclfft lab")
        ui.link(other, path)
        ui.select(
            device_choices(device),
            value=device,
            label="Device",
            on_change=lambda event: use(event.value),
        ).props("dense outlined").style("min-width: 12rem; max-width: 100%")
        ui.button("Dark or light", on_click=dark.toggle, color=None).props("flat dense no-caps")
