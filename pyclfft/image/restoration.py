"""Restoration: undo a blur that is known, without amplifying the noise that came after it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import DeviceMemoryError, PlanError
from ..planning.precision import COMPLEX_DTYPE, READABLE
from ..runtime.cache import BoundedCache, registered
from ..runtime.hooks import Hook
from ..runtime.limit import max_device_bytes
from ..runtime.operation import queue_for
from ..runtime.plan import Plan
from ..runtime.shift import converted
from ..transforms import irfftn, rfftn
from ..transforms.call import on_host, readable

NO_IMAGINARY_PART = 1e-6  # of a transfer function's greatest magnitude: what rounding leaves

CLIP = "value = value > 1 ? 1 : value < -1 ? -1 : value;"  # which leaves NaN as it is
BUFFERS = 4  # of an image's size: the image, its spectrum, the gains, the result

_deconvolutions: BoundedCache[tuple[Plan, Plan]] = registered("deconvolutions", BoundedCache(8))


def wiener(image: Any, psf: Any, balance: float, reg: Any = None, *, clip: bool = True) -> Any:
    """Undo a known blur by Wiener's filter.

    It returns what skimage.restoration.wiener returns.

    Parameters
    ----------
    image : array_like or pyopencl.array.Array
        The blurred image, of real numbers and any number of dimensions. Blur and restoration treat
        it as periodic.
    psf : array_like
        The point spread function: what the blur makes of one bright pixel. If it is real, it is an
        image, with the pixel in its middle and at most as large as `image`. If it is complex, it is
        the blur's transfer function for the frequencies that ``rfftn(image)`` has.
    balance : float
        The weight of smoothness. A larger number gives a smoother result, with less noise and less
        detail.
    reg : array_like, optional
        The filter whose result measures how far an image is from being smooth, in the same two
        forms as `psf`. The default is the Laplacian.
    clip : bool
        Cut off results below -1 and above 1. Pass False if the pixels are not numbers from 0 to 1.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape of `image`
        The restored image: float32 for float16 and float32, float64 for all other dtypes. The
        result of a device array is a device array, and no pixel leaves the device.

    Raises
    ------
    PlanError
        A ValueError: a shape, a number or a dtype does not fit, the image holds NaN or infinity, or
        some frequency has been lost so that nothing can restore it.
    PrecisionError
        A TypeError: the dtype needs double precision, and the device has none.
    DeviceMemoryError
        A MemoryError: the device has no room for a device array's spectrum. An array of the host
        goes through the device in pieces if it is too large.

    See Also
    --------
    filter_image : Filter an image by gains of your own.
    convolve : Blur an image.

    Notes
    -----
    With the transfer functions H of the blur and D of the regularization, the spectrum is
    multiplied by ``conj(H) / (|H|^2 + balance |D|^2)``. These gains are computed once, by the host
    in double precision, and kept on the device for later calls with equal arguments.

    As in scikit-image, the real part of D alone counts, which makes no difference if `reg` is
    symmetric. A complex `psf` with an imaginary part, whose imaginary part scikit-image drops, is
    refused: pass the real image instead.

    References
    ----------
    N. Wiener, "Extrapolation, Interpolation, and Smoothing of Stationary Time Series" (1949).

    F. Orieux, J.-F. Giovannelli, T. Rodet, "Bayesian estimation of regularization and point spread
    function parameters for Wiener-Hunt deconvolution", J. Opt. Soc. Am. A 27 (2010), for the
    regularization.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> image = np.zeros((32, 32))
    >>> image[12:20, 12:20] = 1
    >>> psf = np.ones((3, 3)) / 9
    >>> blurred = pyclfft.convolve(np.pad(image, 1, mode="wrap"), psf, mode="valid")
    >>> round(float(abs(blurred - image).max()), 1)
    0.6
    >>> bool(abs(pyclfft.wiener(blurred, psf, 1e-6) - image).max() < 0.02)
    True
    """
    image = _image(image)
    job = Restoration(
        image.shape, image.dtype, _operand("psf", psf, image.shape), _balance(balance),
        None if reg is None else _operand("reg", reg, image.shape), bool(clip),
    )  # fmt: skip
    if isinstance(image, cl_array.Array):
        return _on_device(job, image)
    if not np.isfinite(image).all():
        raise PlanError("the image holds NaN or infinity: give these pixels a value first")
    try:
        if (max_device_bytes() or np.inf) >= BUFFERS * image.nbytes:
            return _on_device(job, cl_array.to_device(queue_for(None), image)).get()
    except (DeviceMemoryError, cl.MemoryError):
        pass
    return _in_pieces(job, image)


class Operand(NamedTuple):
    """An impulse response (real) or a transfer function (complex), as part of a cache's key."""

    data: bytes
    dtype: str
    shape: tuple[int, ...]

    @property
    def values(self) -> np.ndarray:
        """The numbers as an array."""
        return np.frombuffer(self.data, self.dtype).reshape(self.shape)


@dataclass(frozen=True)
class Restoration:
    """All that decides how an image is restored; equal ones share plans.

    Attributes
    ----------
    shape, dtype
        The shape and the dtype of the image.
    psf, reg : Operand
        The parameters of `wiener`; without a `reg` it is the Laplacian.
    balance : float
        The parameter of `wiener`.
    clip : bool
        The parameter of `wiener`.
    """

    shape: tuple[int, ...]
    dtype: np.dtype
    psf: Operand
    balance: float
    reg: Operand | None
    clip: bool

    def gains(self) -> np.ndarray:
        """Return what a spectrum is multiplied by, of the shape that `rfftn` returns."""
        blur = _transfer_function(self.psf.values, self.shape)
        if self.reg is None:
            rough = _laplacian(self.shape)
        else:
            rough = _transfer_function(self.reg.values, self.shape).real
        penalty = self.balance * rough**2
        with np.errstate(divide="ignore", invalid="ignore"):
            gains = np.conj(blur) / (np.abs(blur) ** 2 + penalty)
        if not np.isfinite(gains).all():
            raise PlanError(
                "the psf has erased a frequency that neither balance nor reg replaces: use a "
                "balance above 0, and a psf whose sum is not 0"
            )
        return gains.astype(COMPLEX_DTYPE[READABLE[self.dtype][0]])

    def plans(self, context: cl.Context) -> tuple[Plan, Plan]:
        """Return the transform to the restored spectrum, and the one from there to pixels."""
        gains = Hook("value = cmul(value, gains[index]);", gains=self.gains())
        forward = Plan(self.shape, self.dtype, kind="r2c", hooks={"store": gains}, context=context)
        inverse = partial(
            Plan, self.shape, COMPLEX_DTYPE[READABLE[self.dtype][0]], kind="c2r",
            direction="inverse", context=context,
        )  # fmt: skip
        if not self.clip:
            return forward, inverse()
        return forward, inverse(hooks={"store": Hook(CLIP)})


def _image(image: Any) -> Any:
    """Return the image in a dtype of a precision."""
    array = readable(image)
    if array.dtype.kind != "f":
        raise PlanError(
            f"an image has real pixels, not {array.dtype}: restore its real and its imaginary part"
        )
    if not array.ndim or not array.size:
        raise PlanError(f"an image has at least one pixel, not the shape {array.shape}")
    return array


def _operand(what: str, operand: Any, shape: tuple[int, ...]) -> Operand:
    """Check an impulse response or a transfer function."""
    array = operand.get() if isinstance(operand, cl_array.Array) else on_host(operand)
    if array.dtype.kind not in "biufc":
        raise PlanError(f"{what} holds numbers, not {array.dtype}")
    wide = np.asarray(array, np.complex128 if array.dtype.kind == "c" else np.float64, order="C")
    if not np.isfinite(wide).all():
        raise PlanError(f"{what} holds NaN or infinity: give these places a value first")
    if wide.dtype.kind == "c":
        _require_transfer_function(what, wide, shape)
    elif wide.ndim != len(shape) or any(n > m for n, m in zip(wide.shape, shape, strict=True)):
        raise PlanError(
            f"{what} of the shape {wide.shape} does not fit an image of the shape {shape}: it has "
            "as many dimensions, and no side is longer"
        )
    return Operand(wide.tobytes(), wide.dtype.name, wide.shape)


def _require_transfer_function(what: str, values: np.ndarray, shape: tuple[int, ...]) -> None:
    half = (*shape[:-1], shape[-1] // 2 + 1)
    if values.shape != half:
        raise PlanError(
            f"{what} is complex, so that it counts as a transfer function, which for this image "
            f"has the shape {half}, not {values.shape}: pass an impulse response as real numbers"
        )
    if what == "psf" and abs(values.imag).max() > NO_IMAGINARY_PART * abs(values).max():
        raise PlanError(
            "psf is a transfer function with an imaginary part, which scikit-image drops: pass the "
            "impulse response, as real numbers"
        )


def _balance(balance: Any) -> float:
    """Return the balance as a float."""
    try:
        number = float(balance)
    except (TypeError, ValueError):
        raise PlanError(f"balance is a number, not {balance!r}") from None
    if not 0 <= number < np.inf:
        raise PlanError(f"balance is at least 0 and finite, not {balance}")
    return number


def _transfer_function(operand: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return the half of a spectrum; the middle of an impulse response becomes its origin."""
    if operand.dtype.kind == "c":
        return operand.real
    padded = np.zeros(shape)
    padded[tuple(map(slice, operand.shape))] = operand
    middle = tuple(-(n // 2) for n in operand.shape)
    return np.fft.rfftn(np.roll(padded, middle, range(operand.ndim)))


def _laplacian(shape: tuple[int, ...]) -> np.ndarray:
    """Return the real transfer function of the second difference along all axes, negated."""
    lengths = (*shape[:-1], shape[-1] // 2 + 1)  # of the half of a spectrum
    sides = (
        2 - 2 * np.cos(2 * np.pi * np.arange(length) / n)
        for length, n in zip(lengths, shape, strict=True)
    )
    return reduce(np.add.outer, sides)


def _on_device(job: Restoration, image: cl_array.Array) -> cl_array.Array:
    """Restore an image by two launches or more, which multiply and clip on their way."""
    queue = queue_for(None, image)
    forward, inverse = _deconvolutions.get((queue.context, job), lambda: job.plans(queue.context))
    image = image if image.flags.c_contiguous else converted(image, image.dtype)
    return inverse(forward(image, queue=queue), queue=queue)


def _in_pieces(job: Restoration, image: np.ndarray) -> np.ndarray:
    """Restore an image for which the device has no room at once."""
    spectrum = rfftn(image)
    spectrum *= job.gains()
    result = irfftn(spectrum, job.shape)
    return np.clip(result, -1, 1, out=result) if job.clip else result
