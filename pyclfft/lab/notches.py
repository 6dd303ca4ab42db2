"""The notches that were found in an image, each of which people switch off and on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any

from ..errors import PlanError
from ..image.kinds import period_and_angle
from ..image.notches import MOST, Point


@dataclass(frozen=True)
class Switch:
    """What people want of a notch.

    Attributes
    ----------
    index : int
        The place of the notch in the list of those that were found.
    is_on : bool
        Whether the filter has this notch.
    """

    index: int
    is_on: bool


def parse_switch(sent: Any) -> Switch:
    """Return a switch that the browser has sent.

    Parameters
    ----------
    sent : mapping
        ``{"index": int, "isOn": bool}``.

    Raises
    ------
    PlanError
        It is no switch.
    """
    switch = sent if isinstance(sent, Mapping) else {}
    index, is_on = switch.get("index"), switch.get("isOn")
    if type(index) is not int or not 0 <= index < MOST or not isinstance(is_on, bool):
        raise PlanError(f"a notch has a place from 0 to {MOST - 1}, and is on or off")
    return Switch(index, is_on)


def listed(points: Sequence[Point], off: Collection[int]) -> list[dict[str, Any]]:
    """Return notches as the page lists them.

    Parameters
    ----------
    points : sequence of (float, float)
        The frequencies (fy, fx) of the notches, in cycles a pixel.
    off : collection of int
        The places of the notches that are switched off.
    """
    result = []
    for place, (y, x) in enumerate(points):
        period, angle = period_and_angle((y, x))
        result.append(
            {
                "down": y, "across": x, "frequency": hypot(y, x), "period": period,
                "angle": angle, "isOn": place not in off,
            }
        )  # fmt: skip
    return result
