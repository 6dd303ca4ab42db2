"""phase_cross_correlation beside scikit-image's, on images that were moved by known shifts."""

from __future__ import annotations

import numpy as np
import pyopencl.array as cl_array
import pytest
from scipy.ndimage import fourier_shift, gaussian_filter

import pyclfft
from tests.pairwise import pairwise


def picture(shape=(96, 120), dtype="f8"):
    """Smooth noise without negative values."""
    smooth = gaussian_filter(np.random.default_rng(0).random(shape), 2, mode="wrap")
    return (smooth - smooth.min()).astype(dtype)


def moved(image, shift):
    """The image after a shift by fractions of pixels, around its edges."""
    return np.fft.ifftn(fourier_shift(np.fft.fftn(image.astype("f8")), shift)).real.astype(
        image.dtype
    )


@pairwise({
    "shift": [(-7, 12), (-2.4, 1.32), (40, -33)],
    "factor": [1, 10, 100],
    "normalization": ["phase", None],
    "dtype": ["f8", "f4", "c16"],
})  # fmt: skip
def test_as_scikit_image(device, fp64, shift, factor, normalization, dtype):
    registration = pytest.importorskip("skimage.registration")
    image = picture(dtype="f4" if dtype == "f4" else "f8")
    pair = [each.astype(dtype) for each in (image, moved(image, shift))]
    options = {"upsample_factor": factor, "normalization": normalization}
    found = pyclfft.phase_cross_correlation(*pair, **options)
    theirs = registration.phase_cross_correlation(*[each.astype(dtype) for each in pair], **options)
    step = 0.011 if dtype == "f4" and factor == 100 else 1e-6  # flat maxima may be a step apart
    assert found[0] == pytest.approx(theirs[0], abs=step)
    assert found[1] == pytest.approx(float(theirs[1]), abs=2e-3 if dtype == "f4" else 1e-6)
    assert found[2] == pytest.approx(float(theirs[2]), abs=1e-4)


@pytest.mark.parametrize("factor", [1, 100])
def test_known_shifts(queue, factor):
    image = picture(dtype="f4")
    shift = (-7, 12) if factor == 1 else (-2.4, 1.32)
    other = moved(image, shift)
    for pair in ((image, other), [cl_array.to_device(queue, each) for each in (image, other)]):
        options = {"upsample_factor": factor, "normalization": None}
        found, error, _ = pyclfft.phase_cross_correlation(*pair, **options)
        assert found == pytest.approx([-each for each in shift], abs=0.02 if factor > 1 else 0)
        assert error < 0.01


def test_arrays_of_all_kinds(queue, fp64):
    """Both precisions, real and complex, on the host and on the device, views with gaps."""
    registration = pytest.importorskip("skimage.registration")
    image = picture((33, 50), "f8")
    other = np.roll(image, (5, -3), (0, 1))
    theirs = registration.phase_cross_correlation(image, other, upsample_factor=4)
    wide = cl_array.to_device(queue, np.repeat(image, 2, axis=0))
    for pair in (
        (image.astype("f4"), other),
        (image.astype("c8"), cl_array.to_device(queue, other)),
        (cl_array.to_device(queue, image.astype("c16")), other.astype("f4")),
        (wide[::2], np.asfortranarray(other)),
    ):
        found = pyclfft.phase_cross_correlation(*pair, upsample_factor=4)
        assert found[0] == pytest.approx(theirs[0], abs=1e-6)
        assert found[1] == pytest.approx(float(theirs[1]), abs=1e-3)


def test_spectra_are_multiplied_on_the_device(queue, monkeypatch):
    """Where whole pixels are enough, the correlation is all that comes back."""
    image = cl_array.to_device(queue, picture(dtype="c8"))
    downloads = []
    get = cl_array.Array.get

    def counted(array, *arguments, **options):
        downloads.append(array)
        return get(array, *arguments, **options)

    monkeypatch.setattr(cl_array.Array, "get", counted)
    pyclfft.phase_cross_correlation(image, image)
    assert [each is image for each in downloads] == [True, True, False]


def test_of_three_dimensions_and_of_one_row(device):
    image = picture((20, 24, 30), "f4")
    found, _, _ = pyclfft.phase_cross_correlation(image, np.roll(image, (2, -3, 4), (0, 1, 2)))
    assert found.tolist() == [-2, 3, -4]
    row = picture((1, 64), "f4")
    assert pyclfft.phase_cross_correlation(row, np.roll(row, 5, 1))[0].tolist() == [0, -5]
    assert pyclfft.phase_cross_correlation([[3.0]], [[2.0]])[0].tolist() == [0, 0]


def test_refusals(device):
    image = picture(dtype="f4")
    for arguments, options, message in (
        ((image, image[1:]), {}, "images must be same shape"),
        ((image, image), {"normalization": "none"}, "either phase or None"),
        ((image, image), {"upsample_factor": 0.5}, "at least 1"),
        ((image, image), {"reference_mask": image > 0}, "masks are not supported"),
        ((image[:0], image[:0]), {}, "at least one pixel"),
    ):
        with pytest.raises(pyclfft.PlanError, match=message):
            pyclfft.phase_cross_correlation(*arguments, **options)
    spoilt = image.copy()
    spoilt[3, 4] = np.nan
    with pytest.raises(ValueError, match="NaN values found"):
        pyclfft.phase_cross_correlation(image, spoilt)


def test_of_nothing_but_zeros(device):
    with pytest.warns(UserWarning, match="nothing but zeros"):
        assert np.isnan(pyclfft.phase_cross_correlation(*np.zeros((2, 8, 8), "f4"))[1])
