"""The chirp z-transform: sums at equally spaced points of a spiral, or frequencies of a band.

Bluestein's identity jk = (j^2 + k^2 - (k - j)^2) / 2 turns the sums into a convolution, which two
transforms compute on the device. Their hooks multiply by the chirps.
"""

from __future__ import annotations

import cmath
import math
import numbers
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import PlanError
from ..planning.planner import require_precision
from ..planning.precision import COMPLEX_DTYPE, READABLE
from ..planning.roots import spectrum_around
from ..runtime import describe, memory, shift
from ..runtime.cache import BoundedCache, registered
from ..runtime.hooks import Hook
from ..runtime.operation import new_like, queue_for
from ..runtime.plan import Plan
from .call import readable
from .helpers import next_fast_len

MAX_TRANSFORMS = 16  # that `czt` and `zoom_fft` keep
MAX_PLANS = 4  # that one transform keeps, for other contexts, batches and precisions
ON_THE_CIRCLE = 2.0**-50  # how far the radius of a rounded root of unity is from 1, at most

_transforms: BoundedCache[CZT] = registered("chirps", BoundedCache(MAX_TRANSFORMS))


@dataclass(frozen=True)
class Power:
    """A complex number to be raised to large powers: its radius, and its angle in turns."""

    radius: float
    turns: Fraction

    @classmethod
    def of(cls, number: complex) -> Power:
        """Return a number as a power; rounded roots of unity lie on the unit circle."""
        radius = abs(number)
        if abs(radius - 1) < ON_THE_CIRCLE:
            radius = 1.0
        return cls(radius, Fraction(cmath.phase(number) / (2 * math.pi)))

    def raised(self, exponents: np.ndarray, sign: int = 1, divisor: int = 1) -> np.ndarray:
        """Return the powers with the exponents ``sign * exponents / divisor``.

        Parameters
        ----------
        exponents : ndarray of uint64
            Numbers below 2^63.
        sign, divisor : int
            What they are multiplied with and divided by.

        Returns
        -------
        ndarray of complex128
        """
        powers = np.exp(2j * np.pi * fractions_of(sign * self.turns / divisor, exponents))
        if self.radius != 1:
            powers *= self.radius ** (sign * exponents.astype(np.float64) / divisor)
        return powers


def fractions_of(step: Fraction, multiples: np.ndarray) -> np.ndarray:
    """Return what `step * multiples` differs by from the nearest integers.

    The step is taken as an integer of 128 bits after the point, and the product modulo 1 by the
    overflow of integers, so that large multiples lose no accuracy.

    Parameters
    ----------
    step : Fraction
        Any number.
    multiples : ndarray of uint64
        Numbers below 2^63.

    Returns
    -------
    ndarray of float64
        Numbers from -1/2 to 1/2.
    """
    half, mask = np.uint64(32), np.uint64(2**32 - 1)
    fixed = round(step * 2**128) % 2**128
    high, low_1, low_0 = (
        np.uint64(fixed >> 64),
        np.uint64(fixed >> 32 & 0xFFFFFFFF),
        np.uint64(fixed & 0xFFFFFFFF),
    )
    many_1, many_0 = multiples >> half, multiples & mask
    middle = many_1 * low_0 + (many_0 * low_0 >> half)
    carried = many_1 * low_1 + (middle >> half) + (many_0 * low_1 + (middle & mask) >> half)
    return (multiples * high + carried).view(np.int64) * 2.0**-64


@dataclass(frozen=True)
class Chirps:
    """What a chirp z-transform multiplies with.

    Attributes
    ----------
    before : ndarray, shape (n,)
        The factors of the samples.
    spectrum : ndarray, shape (length,)
        The factors of the samples' spectrum, divided by its length.
    after : ndarray, shape (m,)
        The factors of the results.
    """

    before: np.ndarray
    spectrum: np.ndarray
    after: np.ndarray


def chirps_of(n: int, m: int, w: Power, a: Power) -> Chirps:
    """Return the chirps of a transform of `n` samples to `m` points, in double precision."""
    k = np.arange(max(n, m), dtype=np.uint64)
    after, between = w.raised(k * k, divisor=2), w.raised(k * k, -1, divisor=2)
    length = next_fast_len(n + m - 1)
    spectrum = spectrum_around(between[:m], between[n - 1 : 0 : -1], length)
    return Chirps(a.raised(k[:n], -1) * after[:n], spectrum, after[:m])


class CZT:
    """A chirp z-transform that is made once and called often, as scipy.signal.CZT is.

    Parameters
    ----------
    n : int
        The number of samples.
    m : int, optional
        The number of points; `n` by default.
    w : complex, optional
        The ratio of a point to the next one. By default the points are equally spaced on the whole
        unit circle.
    a : complex
        The first point.

    Attributes
    ----------
    n, m, w, a
        The parameters, with the values that stand for the defaults.

    Raises
    ------
    PlanError
        A ValueError: `n` or `m` is no positive integer.

    See Also
    --------
    ZoomFFT : A transform to the frequencies of a band.

    Notes
    -----
    Angles are reduced modulo a turn in integers, so that long chirps are exact. A radius other than
    1 multiplies samples with powers of very different sizes; it needs double precision.

    References
    ----------
    L. I. Bluestein, "A linear filtering approach to the computation of the discrete Fourier
    transform", NEREM Record 10 (1968).
    L. R. Rabiner, R. W. Schafer, C. M. Rader, "The chirp z-transform algorithm and its
    application", Bell System Technical Journal 48 (1969).

    Examples
    --------
    >>> import numpy as np
    >>> import pyclfft
    >>> transform = pyclfft.CZT(3)
    >>> transform(np.array([1.0, 2.0, 3.0])).real.round(6)
    array([ 6. , -1.5, -1.5])
    """

    def __init__(self, n: int, m: int | None = None, w: Any = None, a: Any = 1 + 0j) -> None:
        m = _points(n, m)
        ratio = Power(1.0, Fraction(-1, m)) if w is None else Power.of(w)
        self.n, self.m = n, m
        self.w = cmath.exp(-2j * math.pi / m) if w is None else w
        self.a = 1.0 * a
        self._prepare(ratio, Power.of(a))

    def _prepare(self, w: Power, a: Power) -> None:
        self._chirps = chirps_of(self.n, self.m, w, a)
        self._plans: BoundedCache[tuple[Plan, Plan]] = BoundedCache(MAX_PLANS)

    def __call__(self, x: Any, *, axis: int = -1, queue: cl.CommandQueue | None = None) -> Any:
        """Transform samples.

        Parameters
        ----------
        x : array_like or pyopencl.array.Array
            Real or complex samples, `n` along the axis.
        axis : int
            The axis of the samples. Along the other axes the array is a batch.
        queue : cl.CommandQueue, optional
            The queue to run on. The default is the queue of a device array, or `default_queue`.

        Returns
        -------
        ndarray or pyopencl.array.Array
            The sums at the `m` points: complex64 for float16, float32 and complex64, otherwise
            complex128.

        Raises
        ------
        PlanError
            A ValueError: there are not `n` samples along the axis.
        PrecisionError
            A TypeError: the samples need double precision, which the device lacks.
        IndexError
            The array lacks the axis.
        DeviceMemoryError
            A MemoryError: the device is out of memory.
        """
        array = readable(x)
        if array.shape[axis] != self.n:
            raise PlanError(f"CZT defined for length {self.n}, not {array.shape[axis]}")
        queue = queue_for(queue, array)
        precision, _ = READABLE[array.dtype]
        dtype = COMPLEX_DTYPE[precision]
        require_precision(precision, describe.traits(queue.device))
        axes = list(range(array.ndim))
        axes[axis], axes[-1] = axes[-1], axes[axis]  # changes places with the last axis, and back
        shape = [array.shape[each] for each in axes]
        if not array.size:
            moved = [self.m if each == axis % array.ndim else array.shape[each] for each in axes]
            return new_like(array, tuple(moved[each] for each in axes), dtype, queue)
        there = array
        if isinstance(array, np.ndarray):
            allocate = memory.allocator(queue.context)
            there = cl_array.to_device(queue, memory.contiguous(array), allocator=allocate)
        rows = shift.converted(there.transpose(axes), dtype).reshape(-1, self.n)
        forward, back = self._plans_for(queue.context, rows.shape[0], precision)
        found = back(forward(rows, queue=queue), queue=queue)[:, : self.m]
        found = shift.converted(found, dtype).reshape(*shape[:-1], self.m)
        if axes != sorted(axes):
            found = shift.converted(found.transpose(axes), dtype)
        return found.get(queue) if isinstance(array, np.ndarray) else found

    def _plans_for(self, context: cl.Context, rows: int, precision: str) -> tuple[Plan, Plan]:
        """Return the two transforms of so many rows, from the cache if they are there."""
        key = (context, rows, precision)
        return self._plans.get(key, lambda: self._made(context, rows, COMPLEX_DTYPE[precision]))

    def _made(self, context: cl.Context, rows: int, dtype: np.dtype) -> tuple[Plan, Plan]:
        chirps, length = self._chirps, len(self._chirps.spectrum)
        load = Hook(
            "value = cmul(value, chirp[index % count]);",
            chirp=chirps.before,
            count=np.uint64(self.n),
        )
        multiply = Hook(
            "value = cmul(value, spectrum[index % length]);",
            spectrum=chirps.spectrum,
            length=np.uint64(length),
        )
        store = Hook(
            "if (index % length < count) value = cmul(value, chirp[index % length]);",
            chirp=chirps.after,
            count=np.uint64(self.m),
            length=np.uint64(length),
        )
        forward = Plan(
            (rows, self.n), dtype, 1, s=length, hooks={"load": load, "store": multiply},
            context=context,
        )  # fmt: skip
        back = Plan(
            (rows, length), dtype, 1, direction="inverse", norm="forward", hooks={"store": store},
            context=context,
        )  # fmt: skip
        return forward, back

    def points(self) -> np.ndarray:
        """Return the points, as `czt_points` does.

        Returns
        -------
        ndarray, shape (m,)
        """
        return czt_points(self.m, self.w, self.a)


class ZoomFFT(CZT):
    """A transform to equally spaced frequencies of a band, as scipy.signal.ZoomFFT is.

    Parameters
    ----------
    n : int
        The number of samples.
    fn : array_like
        The band's two ends, or its upper end if it begins at 0, in the unit of `fs`.
    m : int, optional
        The number of frequencies; `n` by default.
    fs : float
        The number of samples in a unit of time. By default it is 2, so that the frequency 1 is half
        of the sample rate.
    endpoint : bool
        Whether the upper end is one of the frequencies.

    Attributes
    ----------
    n, m, f1, f2, fs
        The parameters, with the band's ends.
    w, a
        The ratio of a point to the next one, and the first point, on the unit circle.

    Raises
    ------
    PlanError
        A ValueError: `n` or `m` is no positive integer, `fn` is neither a number nor two, or a
        number is not finite.

    See Also
    --------
    CZT : A transform to the points of a spiral.

    Examples
    --------
    >>> import numpy as np
    >>> import pyclfft
    >>> t = np.arange(1000) / 1000
    >>> transform = pyclfft.ZoomFFT(1000, [40, 60], m=41, fs=1000, endpoint=True)
    >>> spectrum = transform(np.sin(2 * np.pi * 50.5 * t))
    >>> float(np.linspace(40, 60, 41)[abs(spectrum).argmax()])
    50.5
    """

    def __init__(
        self, n: int, fn: Any, m: int | None = None, *, fs: float = 2, endpoint: bool = False
    ) -> None:
        m = _points(n, m)
        first, last = _band(fn)
        rate = float(fs)
        if not rate or not all(map(math.isfinite, (first, last, rate))):
            raise PlanError(f"the band {fn} and fs={fs} must be finite numbers, and fs not 0")
        steps = m - 1 if endpoint else m
        begin = Fraction(first) / Fraction(rate)  # in turns from one sample to the next
        step = (Fraction(last) - Fraction(first)) / Fraction(rate) / max(steps, 1)
        self.n, self.m = n, m
        self.f1, self.f2, self.fs = first, last, fs
        self.w = cmath.exp(-2j * math.pi * float(step))
        self.a = cmath.exp(2j * math.pi * float(begin))
        self._prepare(Power(1.0, -step), Power(1.0, begin))


def czt(
    x: Any,
    m: int | None = None,
    w: Any = None,
    a: Any = 1 + 0j,
    *,
    axis: int = -1,
    queue: cl.CommandQueue | None = None,
) -> Any:
    """Compute the z-transform of samples at the points of a spiral, as scipy.signal.czt does.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array
        Real or complex samples.
    m : int, optional
        The number of points; by default the number of samples.
    w, a : complex, optional
        The ratio of a point to the next one, and the first point. By default the points are
        equally spaced on the unit circle, and the result is that of `fft`.
    axis : int
        The axis of the samples. Along the other axes the array is a batch.
    queue : cl.CommandQueue, optional
        The queue to run on. The default is the queue of a device array, or `default_queue`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        The sums at the points, along `axis`: complex64 for float16, float32 and complex64,
        otherwise complex128.

    Raises
    ------
    PlanError
        A ValueError: there are no samples, or `m` is no positive integer.
    PrecisionError, IndexError, DeviceMemoryError
        See `CZT.__call__`.

    See Also
    --------
    CZT : A transform that is made once, for many calls.
    zoom_fft : Equally spaced frequencies of a band.
    dft : Some bins, by the definition.

    Notes
    -----
    SciPy computes float32 in double precision; pyclfft computes it in single precision.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.czt([0, 1], m=3, a=2).real.round(6)
    array([ 0.5 , -0.25, -0.25])
    """
    array = readable(x)
    n = array.shape[axis]
    points = _points(n, m)
    key = (n, points, None if w is None else complex(w), complex(a))
    transform = _kept(key, lambda: CZT(n, points, w, a))
    return transform(array, axis=axis, queue=queue)


def zoom_fft(
    x: Any,
    fn: Any,
    m: int | None = None,
    *,
    fs: float = 2,
    endpoint: bool = False,
    axis: int = -1,
    queue: cl.CommandQueue | None = None,
) -> Any:
    """Compute equally spaced frequencies of a band, as scipy.signal.zoom_fft does.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array
        Real or complex samples.
    fn : array_like
        The band's two ends, or its upper end if it begins at 0, in the unit of `fs`.
    m : int, optional
        The number of frequencies; by default the number of samples.
    fs : float
        The number of samples in a unit of time.
    endpoint : bool
        Whether the upper end is one of the frequencies.
    axis : int
        The axis of the samples. Along the other axes the array is a batch.
    queue : cl.CommandQueue, optional
        The queue to run on. The default is the queue of a device array, or `default_queue`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        The transform at the frequencies, along `axis`: complex64 for float16, float32 and
        complex64, otherwise complex128.

    Raises
    ------
    PlanError
        A ValueError: there are no samples, or `ZoomFFT` refuses an argument.
    PrecisionError, IndexError, DeviceMemoryError
        See `CZT.__call__`.

    See Also
    --------
    ZoomFFT : A transform that is made once, for many calls.
    czt : Points of a spiral.

    Examples
    --------
    >>> import numpy as np
    >>> import pyclfft
    >>> t = np.arange(1000) / 1000
    >>> band = pyclfft.zoom_fft(np.cos(2 * np.pi * 50.5 * t), [50, 51], m=4, fs=1000)
    >>> int(abs(band).argmax())
    2
    """
    array = readable(x)
    n = array.shape[axis]
    points = _points(n, m)
    key = (n, points, *_band(fn), float(fs), bool(endpoint))
    transform = _kept(key, lambda: ZoomFFT(n, fn, points, fs=fs, endpoint=endpoint))
    return transform(array, axis=axis, queue=queue)


def czt_points(m: int, w: Any = None, a: Any = 1 + 0j) -> np.ndarray:
    """Return the points of a chirp z-transform, as scipy.signal.czt_points does.

    Parameters
    ----------
    m : int
        The number of points.
    w, a : complex, optional
        The ratio of a point to the next one, and the first point. By default the points are
        equally spaced on the unit circle.

    Returns
    -------
    ndarray, shape (m,)

    Raises
    ------
    PlanError
        A ValueError: `m` is no positive integer.

    See Also
    --------
    czt : The z-transform at these points.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.czt_points(3, w=2.0).real
    array([1.  , 0.5 , 0.25])
    """
    k = np.arange(_points(1, m))
    first = 1.0 * a
    return first * np.exp(2j * np.pi * k / m) if w is None else first * (1.0 * w) ** -k


def _kept(key: Hashable, make: Callable[[], CZT]) -> CZT:
    return _transforms.get(key, make)


def _points(n: Any, m: Any) -> int:
    """Return the number of points, once both numbers are checked; the messages begin as SciPy's."""
    for what, count in (("data", n), ("output", n if m is None else m)):
        if not isinstance(count, numbers.Integral) or count < 1:
            raise PlanError(
                f"Invalid number of CZT {what} points ({count}) specified: it must be a positive "
                "integer"
            )
    return int(n if m is None else m)


def _band(fn: Any) -> tuple[float, float]:
    """Return both ends of a band."""
    ends = np.ravel(fn).tolist()
    if len(ends) not in (1, 2):
        raise PlanError(f"fn must be a scalar or 2-length sequence, the ends of a band, not {fn}")
    return float(ends[0] if len(ends) == 2 else 0), float(ends[-1])
