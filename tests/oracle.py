"""What results are compared with: SciPy in long double, or mpmath; and how far off they may be."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import scipy.fft
from numpy.lib.stride_tricks import as_strided

from pyclfft.planning.factor import is_smooth
from pyclfft.planning.solvers.textbook import ladder

# Relative L2 error at 1e5 points (PERFORMANCE.md), in single and in double precision: of most
# algorithms, and of those that convolve, sum one by one, or take twiddles from the device's own
# cospi and sinpi.
USUAL_AT_1E5 = (2.0e-7, 6e-16)
CONVOLUTION_AT_1E5 = (4e-7, 1.1e-15)
CONVOLVING = (
    "bluestein", "bluestein_lanes", "bluestein_groups", "chirp", "long_chirp", "rader"
)  # fmt: skip
BOUND_AT_1E5 = {
    **dict.fromkeys(CONVOLVING, CONVOLUTION_AT_1E5),
    "direct": (1e-6, 1e-15),
    **{solver.name: (3.0e-7, 6e-16) for solver in ladder.SOLVERS},
}


def noise(shape, dtype, seed=0):
    """Uniform numbers in [-0.5, 0.5), in both parts of a complex dtype."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    x = rng.random(shape) - 0.5
    if dtype.kind == "c":
        x = x + 1j * (rng.random(shape) - 0.5)
    return x.astype(dtype)


def reference(function, x, *args, **kwargs):
    """The same transform by SciPy in NumPy's longest float: float64 at least, 80 bits on x86."""
    wide = np.asarray(x).astype(np.clongdouble)
    return getattr(scipy.fft, function)(wide, *args, **kwargs)


# SciPy's functions for what a problem asks for.
FUNCTIONS = {
    ("c2c", "forward"): "fftn",
    ("c2c", "inverse"): "ifftn",
    ("r2c", "forward"): "rfftn",
    ("r2c", "inverse"): "ihfftn",
    ("c2r", "forward"): "hfftn",
    ("c2r", "inverse"): "irfftn",
}


def expected_of(problem, memory):
    """The result of a problem whose input lies in `memory`, by SciPy in NumPy's longest float."""
    layout = problem.source
    strides = [step * memory.itemsize for step in layout.strides]
    x = as_strided(memory[layout.offset :], layout.shape, strides)
    wide = x.astype(np.longdouble if layout.real else np.clongdouble)
    lengths = [problem.shape[axis] for axis in problem.axes]
    if problem.is_trigonometric:
        function = {"dct": scipy.fft.dctn, "dst": scipy.fft.dstn}[problem.kind[:3]]
        kind, orthogonal = int(problem.kind[3:]), problem.orthogonal
        return function(wide, kind, lengths, problem.axes, orthogonalize=orthogonal) * problem.scale
    function = getattr(scipy.fft, FUNCTIONS[problem.kind, problem.direction])
    return (
        function(wide, lengths, problem.axes, "forward" if problem.direction == "inverse" else None)
        * problem.scale
    )


def places(layout):
    """Indices of all elements of an array in its buffer."""
    indices = np.indices(layout.shape)
    return layout.offset + sum(
        (i * step for i, step in zip(indices, layout.strides, strict=True)),
        np.zeros(layout.shape, int),
    )


def exact_dft(x, sign=-1):
    """The discrete Fourier transform of a short vector by its definition, in 50 digits."""
    n = len(x)
    with mpmath.workdps(50):
        roots = [mpmath.expjpi(sign * mpmath.mpf(2 * k) / n) for k in range(n)]
        values = [mpmath.mpc(complex(v)) for v in x]
        return [mpmath.fsum(values[j] * roots[j * k % n] for j in range(n)) for k in range(n)]


def relative_error(result, expected):
    """L2 norm of the difference over the norm of what was expected."""
    norm = np.linalg.norm(expected)
    return float(np.linalg.norm(np.asarray(result) - expected) / (norm or 1.0))


def algorithm_for(lengths):
    """The algorithm whose bound holds for a transform of these lengths: the least exact one.

    Whether a smooth length is for `stockham` or, where it is too long, for `four_step` depends on
    the device; their bounds are alike.
    """
    return "stockham" if all(is_smooth(n) for n in lengths) else "bluestein"


def of_few(numbers):
    """Factor of a bound: errors of few numbers scatter, by two standard deviations at most."""
    return 1 + 2 / math.sqrt(numbers)


def bound(algorithm, dtype, points):
    """Largest relative error allowed: PERFORMANCE.md's, scaled by sqrt(log N)."""
    is_double = np.result_type(dtype, np.complex64) == np.complex128
    at_1e5 = BOUND_AT_1E5.get(algorithm, USUAL_AT_1E5)[is_double]
    return at_1e5 * math.sqrt(math.log(max(points, 2)) / math.log(1e5))
