"""Image files filtered: the result's file, and pictures of the input's spectrum and the gains."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import DeviceMemoryError, PlanError
from ..runtime.operation import queue_for
from ..runtime.profile import PassTime, Recorder, profiling_queue
from ..transforms import fft2
from .filter_plans import PIXELS, FilterJob
from .filtering import (
    filter_job,
    filtered,
    image_filter,
    mask_array,
    transform_size,
    with_found_points,
)
from .imagefile import ImageFile, check_output, read_images, write_image, write_images
from .mask_pictures import draw_gains, gains_of
from .masks import Mask

File = str | os.PathLike[str]


@dataclass(frozen=True)
class FilterRequest:
    """How the images of a file are filtered.

    Attributes
    ----------
    band : mapping of str to object
        The arguments that `filter_image` and `filter_mask` share: `kind`, `cutoff`, and the options
        of the kind. It is empty if there are `gains`.
    others : mapping of str to object
        Further arguments of `filter_image`.
    gains : ndarray, optional
        The gains of a mask, as `read_gains` returns them.
    """

    band: Mapping[str, Any]
    others: Mapping[str, Any]
    gains: np.ndarray | None = None

    def job(self, image: ImageFile) -> FilterJob:
        """Return what is to be done with an image."""
        band = with_found_points(image.pixels, self.band.get("kind"), self.band)
        mask = self.mask(image)
        return filter_job(image.pixels, mask=mask, maxval=image.maxval, **band, **self.others)

    def mask(self, image: ImageFile) -> np.ndarray | None:
        """Return the gains in the precision in which an image is transformed."""
        if self.gains is None:
            return None
        others = {name: self.others[name] for name in ("pad", "algorithm") if name in self.others}
        wanted = transform_size(image.pixels.shape, None, **others)
        if self.gains.shape != wanted:
            raise PlanError(
                "the mask has {1} x {0} gains, and the transform of this image {3} x {2}: draw the "
                "mask by --mask with the same --pad and --algorithm".format(
                    *self.gains.shape, *wanted
                )
            )
        return mask_array(self.gains, PIXELS[image.pixels.dtype].precision)


@dataclass(frozen=True)
class FilteredFile:
    """What was done.

    Attributes
    ----------
    pages : int
        How many images the file holds.
    words : str
        The sizes and kinds of the images, for people.
    band : str
        The filter of the first image, for people; one line, or several.
    """

    pages: int
    words: str
    band: str


def filter_file(
    source: File,
    files: Mapping[str, File],
    request: FilterRequest,
    *,
    step: Callable[[str], AbstractContextManager[Any]] = nullcontext,
    times: list[PassTime] | None = None,
) -> FilteredFile:
    """Filter all images of a file, on the default queue's device.

    Parameters
    ----------
    source : str or path
        The file to read.
    files : mapping of str to str or path
        The files to write: "output" names the result, and each name in `DRAWINGS` a picture about
        the first image.
    request : FilterRequest
        How to filter.
    step : callable, optional
        Told of the steps "read", "plan", "filter", "write" and "draw": called with the name of a
        step, it returns a context in which the step is done.
    times : list of PassTime, optional
        Receives the times of the device's transfers and passes, on a profiling queue, but for
        images that are too large for the device and go in pieces.

    Returns
    -------
    FilteredFile

    Raises
    ------
    FormatError, OSError
        As `read_images` and `write_images`. Nothing has been computed if the format of a name
        cannot hold what is to be written there.
    PlanError, DeviceError, DeviceMemoryError
        As `filter_image`.
    """
    with step("read"):
        images = read_images(source)
        jobs = [request.job(image) for image in images]
        _require_formats(files, images, jobs)
        if "mask" in files:  # gains that its format cannot hold are refused before any work
            _gains(images[0], request, jobs[0], files["mask"])
    queue = queue_for(None)
    with step("plan"):
        for image, job in zip(images, jobs, strict=True):
            with suppress(DeviceMemoryError):  # what is too large goes in pieces
                image_filter(job, queue.context, request.mask(image))
    recorder = None if times is None else Recorder()
    with step("filter"):
        used = profiling_queue(queue.context) if recorder else queue
        results = [
            _like(image, filtered(job, image.pixels, request.mask(image), used, recorder))
            for image, job in zip(images, jobs, strict=True)
        ]
    with step("write"):
        write_images(files["output"], results)
    for name, draw in DRAWINGS.items():
        if name in files:
            with step("draw"):
                write_image(files[name], draw(images[0], request, jobs[0], files[name]))
    if recorder and times is not None:
        times += recorder.times()
    return FilteredFile(len(images), _described(images), _filter_in_words(jobs[0]))


def _require_formats(
    files: Mapping[str, File], images: Sequence[ImageFile], jobs: Sequence[FilterJob]
) -> None:
    """Refuse a name of a format that cannot hold what is to be written there."""
    blanks = [np.empty(job.shape, job.result_dtype) for job in jobs]
    for name, file in files.items():
        if name in DRAWINGS:
            check_output(file, _picture(np.zeros((1, 1))))
        else:
            check_output(file, *map(_like, images, blanks))


def _filter_in_words(job: FilterJob) -> str:
    """Return what a job does to a spectrum: one line, and one for each detail."""
    details = job.band.rule.details if isinstance(job.band, Mask) and job.band.rule else ()
    return "\n        ".join([str(job.band), *details])


def _described(images: Sequence[ImageFile]) -> str:
    """Return the images' sizes and kinds, behind the number of pages if there are several."""
    sizes = {
        f"{image.pixels.shape[1]} x {image.pixels.shape[0]} pixels, {image.kind}": None
        for image in images
    }
    return f"{len(images)} pages, " * (len(images) > 1) + "; ".join(sizes)


def _like(image: ImageFile, pixels: np.ndarray) -> ImageFile:
    """Return pixels with another image's alpha and metadata; real numbers are white at 1."""
    if pixels.dtype == image.pixels.dtype:
        return replace(image, pixels=pixels)
    alpha = None if image.alpha is None else np.float32(image.alpha) / np.float32(image.maxval)
    return replace(image, pixels=pixels, maxval=1, alpha=alpha)


# --- pictures about an image ----------------------------------------------------------------------


def spectrum_picture(pixels: np.ndarray) -> np.ndarray:
    """Return an image's log-magnitude spectrum, DC in the middle, stretched to 0 .. 1.

    Parameters
    ----------
    pixels : ndarray, shape (height, width) or (height, width, 3)
        The image; the mean of its colours is transformed.

    Returns
    -------
    ndarray of float, shape (height, width)
    """
    grey = pixels.astype(np.float32)
    grey = grey.mean(axis=2) if grey.ndim == 3 else grey
    logarithm = np.log1p(np.abs(np.fft.fftshift(fft2(grey))))
    logarithm -= logarithm.min()
    return logarithm / (logarithm.max() or 1)


def _spectrum(image: ImageFile, request: FilterRequest, job: FilterJob, file: File) -> ImageFile:
    return _picture(spectrum_picture(image.pixels))


def _gains(image: ImageFile, request: FilterRequest, job: FilterJob, file: File) -> ImageFile:
    """Return the filter's gains for an image, DC in the middle."""
    return draw_gains(gains_of(job, request.mask(image)), file)


DRAWINGS = {"spectrum": _spectrum, "mask": _gains}


def _picture(values: np.ndarray) -> ImageFile:
    """Return values 0 .. 1 as an 8-bit grey image."""
    return ImageFile(np.rint(255 * values).astype(np.uint8), 255)
