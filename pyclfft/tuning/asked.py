"""Which cases ``pyclfft tune`` is asked for, and the usual ones if it is asked for none."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from math import prod

from ..errors import PyclfftError
from ..planning.lookup import CONVOLUTIONS, FILTERS, FRAMES
from ..planning.precision import COMPLEX_DTYPE, REAL_DTYPE
from ..planning.problem import make_problem
from ..planning.solvers import BY_NAME
from ..planning.traits import Traits
from .cases import Case, TransformCase
from .convolutions import ConvolutionCase
from .filters import FilterCase
from .frames import FramesCase
from .groups import ALGORITHMS
from .tuner import fitting_elements

# What is tuned if no sizes are asked for: the lengths of transforms; the points of frames and the
# samples between them; the sizes of images; the extents of signals and of kernels.
USUAL: tuple[tuple[int, ...], ...] = (
    *((2**k,) for k in range(6, 15)),
    (1000,),
    (2**16,),
    (2**18,),
    (2**20,),
    (512, 512),
    (1024, 1024),
)
USUAL_FRAMES = ((512, 128), (1024, 256), (2048, 512), (2048, 1024), (4096, 1024))
USUAL_IMAGES = ((512, 512), (1024, 1024), (3000, 4000))
USUAL_CONVOLUTIONS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((2**16,), (64,)),
    ((2**20,), (1024,)),
    ((2**20,), (2**16,)),
    ((1024, 1024), (31, 31)),
)
# The kinds that are tuned, each with its usual sizes, if the command names neither.
USUAL_KINDS = ("c2c", *FRAMES, "filter-clip", "filter-max", "convolve-full")

Options = argparse.Namespace
Sizes = list[tuple[int, ...]]
Maker = Callable[[str, Sizes, Options, Traits], Iterator[Case]]


def cases_of(
    options: Options, sizes: Sizes, taps: tuple[int, ...] | None, traits: Traits
) -> list[Case]:
    """Return the cases that the command's options ask for on a device.

    Parameters
    ----------
    options : argparse.Namespace
        The options of the command.
    sizes : list of tuple of int
        The extents that it names by --n and --shape; without any, the usual ones are taken.
    taps : tuple of int or None
        The extents that it names by --taps.
    traits : Traits
        What is known of the device, which decides how many transforms there are.

    Returns
    -------
    list of Case

    Raises
    ------
    PyclfftError
        If the options contradict each other.
    """
    # With sizes or with an algorithm, transforms alone are asked for.
    usual = ("c2c",) if sizes or options.algorithm else USUAL_KINDS
    kinds = usual if options.kind is None else (options.kind,)
    for option in ("hop", "taps"):
        wanted = FRAMES if option == "hop" else CONVOLUTIONS
        if getattr(options, option) is not None and not set(kinds) & set(wanted):
            raise PyclfftError(f"--{option} needs a --kind: {' or '.join(wanted)}")
    options = argparse.Namespace(**{**vars(options), "taps": taps})
    return [case for kind in kinds for case in _makers(kind)(kind, sizes, options, traits)]


def _makers(kind: str) -> Maker:
    """Return the function that yields the cases of a kind."""
    by_kinds = {FRAMES: _frames, FILTERS: _filters, CONVOLUTIONS: _convolutions}
    return next((make for kinds, make in by_kinds.items() if kind in kinds), _transforms)


def _transforms(kind: str, sizes: Sizes, options: Options, traits: Traits) -> Iterator[Case]:
    elements = fitting_elements(traits)
    dtype = (REAL_DTYPE if kind not in ("c2c", "c2r") else COMPLEX_DTYPE)[options.precision]
    solver, textbook = BY_NAME.get(options.algorithm or ""), options.algorithm in ALGORITHMS
    usual = sorted(USUAL, key=len, reverse=textbook)  # for the textbook, images come first
    for lengths in sizes or usual:
        if not sizes and solver and solver.powers_of_two and not all(map(_is_power, lengths)):
            continue
        # The textbook's program filters one image at a time, and its kernels are tuned for that.
        alone = textbook and len(lengths) == 2
        batch = options.batch or (1 if alone else max(1, elements // prod(lengths)))
        shape = (*lengths, batch) if options.columns else (batch, *lengths)
        first = 0 if options.columns else 1
        axes = tuple(range(first, first + len(lengths)))
        yield TransformCase(make_problem(shape, dtype, axes, kind))


def _frames(kind: str, sizes: Sizes, options: Options, traits: Traits) -> Iterator[Case]:
    _require_dimensions(kind, sizes, 1)
    pairs = [(n, options.hop or max(1, n // 4)) for (n,) in sizes]
    usual = [(n, options.hop or hop) for n, hop in USUAL_FRAMES]
    asked = bool(pairs or options.kind)
    for n_fft, hop in pairs or dict.fromkeys(usual):
        frames = options.batch or fitting_elements(traits) // n_fft
        # Both layouts are usual: NumPy's arrays lie frame by frame, those of devices bin by bin.
        for columns in (options.columns,) if asked else (False, True):
            yield FramesCase(n_fft, hop, max(2, frames), kind, columns, options.precision)


def _filters(kind: str, sizes: Sizes, options: Options, traits: Traits) -> Iterator[Case]:
    _require_dimensions(kind, sizes, 2)
    scale = kind.partition("-")[2]
    for rows, columns in sizes or USUAL_IMAGES:
        yield FilterCase((rows, columns), options.batch or 1, scale, options.precision)


def _convolutions(kind: str, sizes: Sizes, options: Options, traits: Traits) -> Iterator[Case]:
    taps = options.taps
    if sizes and taps is None:
        raise PyclfftError(f"--kind {kind} needs the extents of the kernel, too: add --taps")
    usual = [pair for pair in USUAL_CONVOLUTIONS if taps is None]
    pairs = [(each, taps) for each in sizes or ((2**20,),)] if taps else usual
    mode = kind.partition("-")[2]
    for signal, kernel in pairs:
        if len(signal) != len(kernel) or any(a < b for a, b in zip(signal, kernel, strict=True)):
            raise PyclfftError(
                f"--taps {_shown(kernel)}: a kernel is not longer than the signal along any axis, "
                f"and the signal has the extents {_shown(signal)}"
            )
        yield ConvolutionCase(signal, kernel, mode, options.batch or 1, options.precision)


def _require_dimensions(kind: str, sizes: Sizes, wanted: int) -> None:
    if any(len(each) != wanted for each in sizes):
        raise PyclfftError(f"--kind {kind} needs {'--n' if wanted == 1 else '--shape'}")


def _shown(extents: tuple[int, ...]) -> str:
    return "x".join(map(str, extents))


def _is_power(n: int) -> bool:
    return n & (n - 1) == 0
