"""The filters of the lab: a table of kinds, each with its sliders.

A kind says which arguments of `filter_image` and which words of ``pyclfft filter`` the positions of
its sliders mean. A new kind is a new row of `KINDS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import PlanError
from ..image.bands import SHAPES
from ..image.filter_plans import CHANNELS
from ..image.filtering import transform_size
from ..image.kinds import AUTO
from ..planning.problem import choose

DIGITS = 4  # of a slider's position behind the point: what is copied is what is shown
NO_BRUSH = (
    'The brush does not go with "{}": this filter changes the spectrum of the logarithm of the '
    "brightness, and the page shows the spectrum of the brightness."
)


@dataclass(frozen=True)
class Slider:
    """A slider: what it sets, and the positions that it has."""

    label: str
    least: float
    most: float
    step: float
    usual: float

    def parse(self, position: object) -> float:
        """Return a position that the browser has sent, rounded and kept between the ends."""
        try:
            number = float(position)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise PlanError(f"{self.label} is a number") from None
        if not abs(number) < float("inf"):
            raise PlanError(f"{self.label} is a finite number")
        return round(min(max(number, self.least), self.most), DIGITS)


SLIDERS = {
    "cutoff": Slider("Cut-off, cycles a pixel", 0.001, 0.5, 0.001, 0.125),
    "low": Slider("Low cut-off, cycles a pixel", 0.001, 0.499, 0.001, 0.05),
    "high": Slider("High cut-off, cycles a pixel", 0.002, 0.5, 0.001, 0.2),
    "angle": Slider("Angle of the waves, degrees", 0, 180, 1, 0),
    "width": Slider("Width, degrees", 1, 180, 1, 30),
    "radius": Slider("Radius around each peak, cycles a pixel", 0.001, 0.1, 0.001, 0.01),
    "amount": Slider("Amount", 0, 5, 0.1, 1),
    "boost": Slider("Boost", 1, 5, 0.1, 1.5),
    "sigma": Slider("Width of the blur (sigma), pixels", 0.5, 100, 0.5, 2),
    "light": Slider("Width of changes of the light (sigma), pixels", 2, 200, 1, 32),
    "low gain": Slider("Gain of slow changes", 0, 3, 0.05, 0.5),
    "high gain": Slider("Gain of fast changes", 0, 3, 0.05, 1.5),
    "large": Slider("Largest structures, pixels", 1, 200, 1, 40),
    "small": Slider("Smallest structures, pixels", 0, 50, 0.5, 3),
    "order": Slider("Order of the Butterworth filter", 0.5, 10, 0.5, 2),
}
USUAL = {name: slider.usual for name, slider in SLIDERS.items()}


@dataclass(frozen=True)
class Settings:
    """What the controls of the page say.

    Attributes
    ----------
    kind, shape, channels : str
        One of `KINDS`, `SHAPES` and `CHANNELS`.
    keep_dc : bool
        Whether the mean brightness stays.
    positions : mapping of str to float
        The positions of all sliders, by their names in `SLIDERS`.
    """

    kind: str = "lowpass"
    shape: str = "gaussian"
    channels: str = CHANNELS[0]
    keep_dc: bool = False
    positions: Mapping[str, float] = field(default_factory=lambda: USUAL)

    def changed(self, name: str, value: Any) -> Settings:
        """Return the settings after a change of one control, whose value is checked.

        Raises
        ------
        PlanError
            There is no such control, or the value is none of its values.
        """
        if name in SLIDERS:
            position = SLIDERS[name].parse(value)
            return replace(self, positions={**self.positions, name: position})
        choices = {"kind": tuple(KINDS), "shape": SHAPES, "channels": CHANNELS}
        if name in choices:
            choose(name, value, choices[name])
        elif name != "keep_dc" or not isinstance(value, bool):
            raise PlanError(f"the lab has no control {name!r} with the value {value!r}")
        return replace(self, **{name: value})

    @property
    def sliders(self) -> tuple[str, ...]:
        """The names of the sliders that have a meaning now."""
        kind = KINDS[self.kind]
        has_order = kind.has_shape and self.shape == "butterworth"
        return (*kind.sliders, "order") if has_order else kind.sliders

    @property
    def band(self) -> dict[str, Any]:
        """The arguments that `filter_image` and `filter_mask` share; {} if there is no kind."""
        kind = KINDS[self.kind]
        if not kind.arguments:
            return {}
        more: dict[str, Any] = {"keep_dc": True} if self.keep_dc and kind.has_mean else {}
        if kind.has_shape:
            more["shape"] = self.shape
            if self.shape == "butterworth":
                more["order"] = self.positions["order"]
        return {"kind": self.kind, **kind.arguments(self.positions), **more}

    @property
    def no_brush(self) -> str:
        """Why the brush does not go with the kind, in words; "" if it does."""
        return "" if KINDS[self.kind].mask else NO_BRUSH.format(KINDS[self.kind].label)

    def plane(self, size: tuple[int, int]) -> tuple[int, int]:
        """Return the rows and columns of the transform of an image of some rows and columns."""
        band = self.band
        return transform_size(size, None, band.get("pad", "none"), kind=band.get("kind"))


@dataclass(frozen=True)
class Kind:
    """A kind of filter, as the page shows it.

    Attributes
    ----------
    label : str
        What people read.
    sliders : tuple of str
        The sliders of the kind, by their names in `SLIDERS`.
    arguments : callable or None
        From the sliders' positions to arguments of `filter_image`; None stands for no filter, which
        leaves the spectrum to the brush.
    has_shape : bool
        Whether the kind takes a shape, and an order.
    has_mean : bool
        Whether the kind may leave the mean brightness or not.
    mask : str
        The format of the mask that holds the product of its gains and of those of the brush: PNG
        for gains from 0 to 1, TIFF for greater ones; "" if the brush does not go with the kind.
    option : tuple of str
        The words for the kind in the command; () stands for the kind's own name.
    value : str
        The argument that stands behind this option.
    implied : tuple of str
        The arguments that the option implies.
    """

    label: str
    sliders: tuple[str, ...] = ()
    arguments: Callable[[Mapping[str, float]], dict[str, Any]] | None = None
    has_shape: bool = False
    has_mean: bool = False
    mask: str = ".png"
    option: tuple[str, ...] = ()
    value: str = ""
    implied: tuple[str, ...] = ()


def _one_cutoff(positions: Mapping[str, float]) -> dict[str, Any]:
    return {"cutoff": positions["cutoff"], "unit": "cycles/px"}


def _two_cutoffs(positions: Mapping[str, float]) -> dict[str, Any]:
    """Return the cut-offs in order, apart by a step at least: people move either slider past."""
    low, high = sorted((positions["low"], positions["high"]))
    step = SLIDERS["high"].step
    return {"cutoff": (low, max(high, round(low + step, DIGITS))), "unit": "cycles/px"}


def _same(*names: str) -> Callable[[Mapping[str, float]], dict[str, Any]]:
    """Return a function for a kind whose arguments have the names of its sliders."""
    return lambda positions: {name: positions[name] for name in names}


def _radial(
    label: str, sliders: tuple[str, ...], arguments: Callable[[Mapping[str, float]], dict[str, Any]]
) -> Kind:
    return Kind(label, sliders, arguments, has_shape=True, has_mean=True, value="cutoff")


KINDS = {
    "none": Kind("Brush only"),
    "lowpass": _radial("Low pass", ("cutoff",), _one_cutoff),
    "highpass": _radial("High pass", ("cutoff",), _one_cutoff),
    "bandpass": _radial("Band pass", ("low", "high"), _two_cutoffs),
    "bandstop": _radial("Band stop", ("low", "high"), _two_cutoffs),
    "directional": Kind(
        "Directions", ("angle", "width"), _same("angle", "width"), has_shape=True, value="angle"
    ),
    "notch": Kind(
        "Stripes and moire, found", ("radius",),
        lambda positions: {"points": AUTO, "radius": positions["radius"]},
        has_shape=True, value="points",
    ),
    "unsharp": Kind(
        "Sharpen", ("amount", "sigma"), _same("amount", "sigma"), mask=".tif", value="amount"
    ),
    "highboost": Kind(
        "High boost", ("boost", "sigma"), _same("boost", "sigma"), mask=".tif", value="boost"
    ),
    "homomorphic": Kind(
        "Even light", ("low gain", "high gain", "light"),
        lambda positions: {
            "gains": (positions["low gain"], positions["high gain"]), "sigma": positions["light"],
        },
        mask="",
    ),
    "imagej": Kind(
        "ImageJ's band pass", ("large", "small"),
        lambda positions: {**_same("large", "small")(positions), "pad": "mirror"},
        option=("--preset", "imagej"), implied=("pad",),
    ),
}  # fmt: skip
