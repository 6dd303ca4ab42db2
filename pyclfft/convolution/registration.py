"""Registration: how far one image has moved against another one, by their cross-correlation."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import ceil, pi
from typing import Any

import numpy as np
import pyopencl.array as cl_array

from ..errors import PlanError
from ..runtime.operation import new_array, queue_for
from ..runtime.shift import converted
from ..transforms.call import readable
from .cross_power import CorrelationJob, correlator_of
from .operands import for_transforms, layout_of, precision_of, spectral_dtype, uploaded

NORMALIZATIONS = ("phase", None)


def phase_cross_correlation(
    reference_image: Any,
    moving_image: Any,
    *,
    upsample_factor: float = 1,
    normalization: str | None = "phase",
    reference_mask: None = None,
    moving_mask: None = None,
) -> tuple[np.ndarray, float, float]:
    """Find how far to shift an image so that it matches another one.

    It returns what skimage.registration.phase_cross_correlation returns: the place of the greatest
    value of the circular cross-correlation of both images.

    Parameters
    ----------
    reference_image, moving_image : array_like or pyopencl.array.Array
        Two images of the same shape, of any number of dimensions, real or complex. If one of them
        is a device array, both are transformed on its queue.
    upsample_factor : float
        The shift is found to within ``1 / upsample_factor`` of a pixel.
    normalization : {"phase", None}
        "phase" gives all frequencies the same weight, which suits images under different light.
        None leaves the weights as they are, which suits noisy images.
    reference_mask, moving_mask : None
        Masks, which scikit-image takes under these names, are refused.

    Returns
    -------
    shift : ndarray, shape (dimensions,)
        The shift of the moving image in pixels, by axes.
    error : float
        The root of the mean squared difference between the images after the shift, relative to
        their amplitudes.
    phasediff : float
        The phase between the images in radians; 0 for images without negative values.

    Raises
    ------
    PlanError
        A ValueError: the shapes differ, an image has NaN, or an option is not supported.
    PrecisionError
        A TypeError: an image is of the dtype longdouble, or needs double precision, which the
        device lacks.
    DeviceMemoryError
        A MemoryError: the device has no room for both spectra and the correlation.

    See Also
    --------
    correlate : The cross-correlation of any two arrays.

    References
    ----------
    C. D. Kuglin, D. C. Hines, "The phase correlation image alignment method", Proc. IEEE Int. Conf.
    on Cybernetics and Society (1975), for the normalization.

    M. Guizar-Sicairos, S. T. Thurman, J. R. Fienup, "Efficient subpixel image registration
    algorithms", Optics Letters 33 (2008), for fractions of a pixel.

    Examples
    --------
    >>> import numpy as np
    >>> import pyclfft
    >>> image = np.random.default_rng(0).random((64, 48))
    >>> moved = np.roll(image, (3, -5), axis=(0, 1))
    >>> pyclfft.phase_cross_correlation(image, moved)[0]
    array([-3.,  5.])
    """
    if reference_mask is not None or moving_mask is not None:
        raise PlanError(
            "masks are not supported: leave them out, or take scikit-image's function for them"
        )
    if normalization not in NORMALIZATIONS:
        raise PlanError("normalization must be either phase or None")
    if not upsample_factor >= 1:
        raise PlanError(f"upsample_factor is at least 1, not {upsample_factor}")
    first, second = readable(reference_image), readable(moving_image)
    if first.shape != second.shape:
        raise PlanError("images must be same shape")
    if not first.size:
        raise PlanError(f"an image has at least one pixel, not the shape {first.shape}")
    powers = _power(first), _power(second)
    if not np.isfinite(powers).all():
        raise PlanError(
            "NaN values found, or infinity: replace them in the images, for example by their means"
        )
    correlation, product = _correlated(first, second, normalization)
    found = np.unravel_index(np.argmax(np.abs(correlation)), correlation.shape)
    shift = _shift(found, correlation)
    factor = np.asarray(upsample_factor, shift.dtype)
    peak = complex(correlation[found])
    if factor != 1:
        shift = np.round(shift * factor) / factor
        shift, peak = _refined(product.get(), shift, factor)
    shift[np.array(first.shape) == 1] = 0
    return shift, _error(peak, powers), float(np.angle(peak))


def _power(image: Any) -> float:
    """Return the sum of the squared magnitudes of an image's spectrum, by Parseval's theorem."""
    values = _on_host(image) if isinstance(image, cl_array.Array) else image
    wide = values.astype(np.complex128 if values.dtype.kind == "c" else np.float64).ravel()
    return values.size * float(np.vdot(wide, wide).real)


def _on_host(image: cl_array.Array) -> np.ndarray:
    """Return a copy of a device array, which pyopencl downloads only if it has no gaps."""
    return (image if image.flags.forc else converted(image, image.dtype)).get()


def _correlated(
    first: Any, second: Any, normalization: str | None
) -> tuple[np.ndarray, cl_array.Array]:
    """Return the correlation, times the number of pixels, and its spectrum on the device."""
    queue = queue_for(None, first, second)
    first, second = uploaded(first, queue), uploaded(second, queue)
    precision = precision_of(spectral_dtype(first.dtype, second.dtype))
    first, second = for_transforms(first, precision), for_transforms(second, precision)
    job = CorrelationJob(
        layout_of("reference_image", first), layout_of("moving_image", second), precision,
        normalization == "phase",
    )  # fmt: skip
    spectra = new_array(queue, None, (2, *job.shape), job.dtype)
    correlation = new_array(queue, None, job.shape, job.dtype)
    one: Any = first.base_data
    other: Any = second.base_data
    room: Any = spectra.base_data
    target: Any = correlation.base_data
    events = [*first.events, *second.events]
    correlator = correlator_of(queue.context, job)
    correlator.enqueue(queue, one, other, room, target, events).wait()
    return correlation.get(), spectra[0]


def _shift(found: Sequence[Any], correlation: np.ndarray) -> np.ndarray:
    """Return a place of the correlation as a shift: at most half of each side, either way."""
    sides = np.array(correlation.shape)
    shift = np.array(found).astype(correlation.real.dtype)
    return np.where(shift > sides // 2, shift - sides, shift).astype(shift.dtype)


def _refined(
    product: np.ndarray, shift: np.ndarray, factor: np.ndarray
) -> tuple[np.ndarray, complex]:
    """Return the best of the shifts around a known one, and the correlation there.

    The correlation is computed from its spectrum, at steps of ``1 / factor`` pixels, in a region
    of one and a half pixels along each axis; by one matrix for each axis, which costs less than a
    padded transform.
    """
    steps = ceil(1.5 * factor)
    near = (np.arange(steps) - steps // 2) / factor
    region = product
    for extent, place in zip(product.shape[::-1], shift[::-1], strict=True):
        turns = np.outer(place + near, np.fft.fftfreq(extent))
        region = np.tensordot(np.exp(2j * pi * turns).astype(product.dtype), region, axes=(1, -1))
    best = np.unravel_index(np.argmax(np.abs(region)), region.shape)
    return shift + near[list(best)].astype(shift.dtype), complex(region[best])


def _error(peak: complex, powers: Sequence[float]) -> float:
    """Return the relative error of a shift, from the correlation there and both images' powers."""
    both = powers[0] * powers[1]
    if not both:
        warnings.warn(
            "an image holds nothing but zeros, so that there is no relative error",
            UserWarning,
            stacklevel=3,
        )
        return float("nan")
    return float(np.sqrt(abs(1 - abs(peak) ** 2 / both)))
