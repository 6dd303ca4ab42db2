"""scipy.fft, by which every result is checked, and which is a contender on CPUs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from .cases import Case


def unscaled(case: Case, axes: tuple[int, ...], workers: int) -> Callable[[Any], np.ndarray]:
    """Return SciPy's function for a case, without scaling in either direction.

    Parameters
    ----------
    case : Case
        What to transform.
    axes : tuple of int
        Where its lengths lie in the array.
    workers : int
        Threads; all where -1.

    Returns
    -------
    callable
        From array to array.
    """
    ways: dict[tuple[str, str], tuple[str, str, dict[str, Any]]] = {
        ("dct2", "forward"): ("dctn", "backward", {"type": 2}),
        ("dct3", "forward"): ("dctn", "backward", {"type": 3}),
        ("c2c", "forward"): ("fftn", "backward", {}),
        ("c2c", "inverse"): ("ifftn", "forward", {}),
        ("r2c", "forward"): ("rfftn", "backward", {}),
        ("c2r", "inverse"): ("irfftn", "forward", {"s": case.lengths}),
    }
    name, norm, more = ways[case.kind, case.direction]
    function = getattr(import_module("scipy.fft"), name)
    return partial(function, axes=axes, norm=norm, workers=workers, **more)
