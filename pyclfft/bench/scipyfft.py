"""scipy.fft: the reference by which every result is checked, and a contender on CPUs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from .cases import Case


def unscaled(case: Case, axes: tuple[int, ...], workers: int) -> Callable[[Any], np.ndarray]:
    """Return SciPy's function for a case. It does not scale in either direction.

    Parameters
    ----------
    case : Case
        The case to transform.
    axes : tuple of int
        Axes of the array to transform.
    workers : int
        Number of threads; -1 means one for each core.

    Returns
    -------
    callable
        Takes an array and returns its transform.
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
