"""Image files filtered: the result's file, and pictures of the input's spectrum and the gains."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import DeviceMemoryError
from ..figures import require_picture
from ..runtime.operation import queue_for
from ..runtime.profile import PassTime, Recorder, profiling_queue
from .filter_plans import FilterJob
from .filtering import filter_job, filter_mask, filtered, image_filter
from .imagefile import ImageFile, check_output, read_images, write_image, write_images
from .spectrum import spectrum
from .spectrum_files import SpectrumOfFile, write_picture

File = str | os.PathLike[str]


@dataclass(frozen=True)
class FilterRequest:
    """How the images of a file are filtered.

    Attributes
    ----------
    band : mapping of str to object
        The arguments that `filter_image` and `filter_mask` share: `kind`, `cutoff`, `unit`,
        `shape`, `order` and `keep_dc`.
    others : mapping of str to object
        Further arguments of `filter_image`.
    """

    band: Mapping[str, Any]
    others: Mapping[str, Any]

    def job(self, image: ImageFile) -> FilterJob:
        """Return what is to be done with an image."""
        return filter_job(image.pixels, maxval=image.maxval, **self.band, **self.others)


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
        The filter of the first image, for people.
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
    queue = queue_for(None)
    with step("plan"):
        for job in jobs:
            with suppress(DeviceMemoryError):  # what is too large goes in pieces
                image_filter(job, queue.context)
    recorder = None if times is None else Recorder()
    with step("filter"):
        used = profiling_queue(queue.context) if recorder else queue
        results = [
            _like(image, filtered(job, image.pixels, None, used, recorder))
            for image, job in zip(images, jobs, strict=True)
        ]
    with step("write"):
        write_images(files["output"], results)
    for name, draw in DRAWINGS.items():
        if name in files:
            with step("draw"):
                draw(files[name], images[0], request, str(source))
    if recorder and times is not None:
        times += recorder.times()
    return FilteredFile(len(images), _described(images), str(jobs[0].band))


def _require_formats(
    files: Mapping[str, File], images: Sequence[ImageFile], jobs: Sequence[FilterJob]
) -> None:
    """Refuse a name of a format that cannot hold what is to be written there."""
    blanks = [np.empty(job.shape, job.result_dtype) for job in jobs]
    for name, file in files.items():
        if name == "spectrum":
            require_picture(file, str(file))
        elif name == "mask":
            check_output(file, _picture(np.zeros((1, 1))))
        else:
            check_output(file, *map(_like, images, blanks))


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


def _draw_spectrum(file: File, image: ImageFile, request: FilterRequest, name: str) -> None:
    """Draw the spectrum of the input, as the command spectrum does."""
    write_picture(file, SpectrumOfFile(spectrum(image.pixels), name, image.pixels.shape[:2]))


def _draw_gains(file: File, image: ImageFile, request: FilterRequest, name: str) -> None:
    """Draw the filter's gains for an image, DC in the middle, as grey pixels."""
    gains = filter_mask(image.pixels.shape[:2], **request.band)
    write_image(file, _picture(np.fft.fftshift(gains)))


DRAWINGS = {"spectrum": _draw_spectrum, "mask": _draw_gains}


def _picture(values: np.ndarray) -> ImageFile:
    """Return values 0 .. 1 as an 8-bit grey image."""
    return ImageFile(np.rint(255 * values).astype(np.uint8), 255)
