"""Image files filtered: the result's file, and pictures of the input's spectrum and the gains."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from queue import Queue
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from ..errors import DeviceMemoryError, FormatError, PlanError
from ..figures import require_picture
from ..overlap import ahead
from ..runtime.operation import queue_for
from ..runtime.profile import PassTime, Recorder, profiling_queue
from .filter_plans import PIXELS, FilterJob
from .filtering import (
    filtered,
    finds_points,
    image_filter,
    with_found_points,
    with_one_upload,
)
from .imagefile import ImageFile, check_output, iter_images, write_image, write_images
from .jobs import filter_job, mask_array, mask_size
from .mask_pictures import draw_gains, gains_of
from .masks import Mask
from .spectrum import spectrum
from .spectrum_files import SpectrumOfFile, write_picture
from .volumes import VolumeJob, filtered_volume, volume_filter, volume_job

File = str | os.PathLike[str]


# The options of kinds that filters of volumes have, too.
VOLUME_OPTIONS = {"kind", "cutoff", "unit", "shape", "order", "sigma", "keep_dc"}


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
    volume : bool
        The images of a file are the slices of a volume, which `filter_volume` filters.
    """

    band: Mapping[str, Any]
    others: Mapping[str, Any]
    gains: np.ndarray | None = None
    volume: bool = False

    @property
    def finds_points(self) -> bool:
        """Whether each image is read twice: first to find the points of a notch in it."""
        return finds_points(self.band.get("kind"), self.band)

    def job(self, image: ImageFile, pixels: Any) -> FilterJob:
        """Return what is to be done with an image; `pixels` are its own, or those on the device."""
        band = with_found_points(pixels, self.band.get("kind"), self.band)
        mask = self.mask(image)
        return filter_job(pixels, mask=mask, maxval=image.maxval, **band, **self.others)

    def volume_job(self, volume: np.ndarray, maxval: float) -> VolumeJob:
        """Return what is to be done with a volume."""
        options = {name: self.others[name] for name in ("pad", "scale", "part")}
        unfit = set(self.band) - VOLUME_OPTIONS
        if unfit or self.gains is not None:
            raise PlanError(
                f"filters of volumes have no {', '.join(sorted(unfit)) or 'masks'}: filter the "
                "pages on their own"
            )
        return volume_job(volume, maxval=maxval, **self.band, **options)

    def mask(self, image: ImageFile) -> np.ndarray | None:
        """Return the gains in the precision in which an image is transformed."""
        if self.gains is None:
            return None
        others = {name: self.others[name] for name in ("pad", "algorithm") if name in self.others}
        wanted = mask_size(self.gains.shape, image.pixels.shape, None, **others)
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


@dataclass(frozen=True, eq=False)
class FileJob:
    """A file to filter.

    Attributes
    ----------
    source : str or path
        The file to read.
    files : mapping of str to str or path
        The files to write: "output" names the result, and each name in `DRAWINGS` a picture about
        the first image.
    request : FilterRequest
        How to filter.
    step : callable
        Told of the steps "read", "plan", "filter", "write" and "draw": called with the name of a
        step, it returns a context in which the step is done. Different threads call it.
    times : list of PassTime, optional
        Receives the times of the device's transfers and passes, on a profiling queue, but for
        images that are too large for the device and go in pieces.
    """

    source: File
    files: Mapping[str, File]
    request: FilterRequest
    step: Callable[[str], AbstractContextManager[Any]] = nullcontext
    times: list[PassTime] | None = None


class Pair(NamedTuple):
    """An image, its result, and the job that was done."""

    image: ImageFile
    result: ImageFile
    job: FilterJob


def filter_files(jobs: Sequence[FileJob]) -> Iterator[Future[FilteredFile]]:
    """Filter all images of several files, on the default queue's device.

    Reading, filtering and writing overlap: one thread reads ahead, image by image, this one has
    the device filter, and another one writes.

    Parameters
    ----------
    jobs : sequence of FileJob
        The files.

    Yields
    ------
    Future of FilteredFile
        One for each file, in their order. Its result raises the error of the file, if there was
        one: FormatError or OSError as `read_images` and `write_images` raise them; PlanError,
        DeviceError or DeviceMemoryError as `filter_image` does. An error leaves no result, and the
        other files are filtered all the same.
    """
    pages = ahead(_read_all(jobs), PAGES_AHEAD)
    waiting: deque[Future[FilteredFile]] = deque()
    with ThreadPoolExecutor(1) as writer, closing(pages):  # type: ignore[type-var]
        for job in jobs:
            results = _Results()
            waiting.append(writer.submit(_write, job, results))
            _filter(job, pages, results)
            if len(waiting) > FILES_BEHIND:
                yield waiting.popleft()
        yield from waiting


PAGES_AHEAD = 2  # images that are read ahead
FILES_BEHIND = 2  # files that wait to be written before another one is filtered
RESULTS_BEHIND = 4  # filtered images of a file that wait to be written


def _read_all(jobs: Sequence[FileJob]) -> Iterator[tuple[ImageFile, int] | Exception | None]:
    """Yield the images of all files, each with their number; None or an error ends each file."""
    for job in jobs:
        try:
            pages = iter_images(job.source)
            while True:
                with job.step("read"):
                    page = next(pages, None)
                if page is None:
                    break
                yield page
            yield None
        except Exception as error:  # which is the file's alone
            yield error


class _Results:
    """The results of a file on their way from the thread that filters to the one that writes."""

    def __init__(self) -> None:
        self._queue: Queue[Pair | FilteredFile | BaseException] = Queue(RESULTS_BEHIND)
        self._ended = False

    def put(self, item: Pair | FilteredFile | BaseException) -> None:
        """Add a result, or the end of the file: what was done, or the error."""
        self._queue.put(item)

    def get(self) -> Pair | FilteredFile:
        """Return the next result, or the end; raise the error that has ended the file."""
        item = self._queue.get()
        self._ended = not isinstance(item, Pair)
        if isinstance(item, BaseException):
            raise item
        return item

    def drain(self) -> None:
        """Take what still comes, so that nobody waits for room."""
        with suppress(BaseException):
            while not self._ended:
                self.get()


def _filter(job: FileJob, pages: Iterator[Any], results: _Results) -> None:
    """Filter the images of a file as they come; results and errors go on to the writer."""
    images = _images_of_one(pages)
    try:
        results.put(_filter_images(job, images, results))
    except Exception as error:
        with suppress(Exception):
            for _ in images:  # this file's
                pass
        results.put(error)
    except BaseException as error:  # Ctrl-C
        results.put(error)
        raise


def _images_of_one(pages: Iterator[Any]) -> Iterator[tuple[ImageFile, int]]:
    for page in pages:
        if page is None:
            return
        if isinstance(page, Exception):
            raise page
        yield page


def _filter_images(
    job: FileJob, images: Iterator[tuple[ImageFile, int]], results: _Results
) -> FilteredFile:
    queue = queue_for(None)
    recorder = None if job.times is None else Recorder()
    used = profiling_queue(queue.context) if recorder else queue
    filtered_ones = _filter_as_volume if job.request.volume else _filter_one_by_one
    kinds: Counter[str] = Counter()
    band = ""
    for pair in filtered_ones(job, images, used, recorder):
        band = band or _filter_in_words(pair.job)
        kinds[_described(pair.image)] += 1
        results.put(pair)
    if recorder and job.times is not None:
        job.times.extend(recorder.times())
    pages = kinds.total()
    return FilteredFile(pages, f"{pages} pages, " * (pages > 1) + "; ".join(kinds), band)


def _filter_one_by_one(
    job: FileJob,
    images: Iterator[tuple[ImageFile, int]],
    queue: cl.CommandQueue,
    recorder: Recorder | None,
) -> Iterator[Pair]:
    """Yield each image with its result."""
    first = True
    for image, count in images:
        one = partial(_filter_one, job, image, count, first, queue, recorder)
        if job.request.finds_points:
            yield with_one_upload(one, image.pixels, queue, recorder)
        else:
            yield one(image.pixels)
        first = False


def _filter_one(
    job: FileJob,
    image: ImageFile,
    count: int,
    is_first: bool,
    queue: cl.CommandQueue,
    recorder: Recorder | None,
    pixels: Any,
) -> Pair:
    """Filter one image, whose pixels are on the host or on the device."""
    with job.step("plan"):
        planned, mask = job.request.job(image, pixels), job.request.mask(image)
        _require_formats(job, image, planned, count)
        if "mask" in job.files and is_first:  # gains that its format cannot hold
            _gains(image, job.request, planned, job.files["mask"])
        with suppress(DeviceMemoryError):  # what is too large goes in pieces
            image_filter(planned, queue.context, mask)
    with job.step("filter"):
        result = filtered(planned, pixels, mask, queue, recorder)
        return Pair(image, _like(image, _downloaded(result, recorder)), planned)


def _downloaded(result: Any, recorder: Recorder | None) -> np.ndarray:
    """Return a result that may be on the device."""
    if isinstance(result, np.ndarray):
        return result
    pixels, done = result.get_async()
    if recorder is not None:
        recorder.add("read", "device to host", pixels.nbytes, done)
    done.wait()
    return pixels


def _filter_as_volume(
    job: FileJob,
    images: Iterator[tuple[ImageFile, int]],
    queue: cl.CommandQueue,
    recorder: Recorder | None,
) -> Iterator[Pair]:
    """Yield each slice with its result, after all slices have come."""
    slices = [image for image, _ in images]
    first = slices[0]
    for number, each in enumerate(slices, 1):
        if each.channels > 1:
            raise FormatError(f"{job.source}: a volume has grey slices: leave out --volume")
        if (each.pixels.shape, each.pixels.dtype) != (first.pixels.shape, first.pixels.dtype):
            raise FormatError(
                f"{job.source}: page {number} differs from page 1 in its size or its depth: leave "
                "out --volume to filter each page on its own"
            )
    with job.step("plan"):
        volume = np.stack([each.pixels for each in slices])
        planned = job.request.volume_job(volume, first.maxval)
        _require_formats(job, first, planned, len(slices))
        with suppress(DeviceMemoryError):
            volume_filter(planned, queue.context)
    with job.step("filter"):
        result = filtered_volume(planned, volume, queue, recorder)
    for image, voxels in zip(slices, result, strict=True):
        yield Pair(image, _like(image, voxels), planned)


def _write(job: FileJob, results: _Results) -> FilteredFile:
    """Write the results of a file as they come, and the drawings; this runs in a thread."""
    firsts: list[Pair] = []
    ends: list[FilteredFile] = []

    def written() -> Iterator[ImageFile]:
        while isinstance(item := results.get(), Pair):
            firsts[:] = firsts or [item]
            with job.step("write"):  # until the next one is wanted
                yield item.result
        ends.append(item)

    try:
        write_images(job.files["output"], written())
        for name, draw in DRAWINGS.items():
            if name in job.files:
                with job.step("draw"):
                    draw(job, firsts[0], job.files[name])
        return ends[0]
    except BaseException:
        results.drain()
        raise


def _require_formats(job: FileJob, image: ImageFile, planned: FilterJob, count: int) -> None:
    """Refuse a name of a format that cannot hold what is to be written there."""
    blank = np.empty(planned.shape[-image.pixels.ndim :], planned.result_dtype)
    for name, file in job.files.items():
        if name == "spectrum":
            require_picture(file, str(file))
        elif name == "mask":
            check_output(file, _picture(np.zeros((1, 1))))
        else:
            check_output(file, _like(image, blank), count=count)


def _filter_in_words(job: FilterJob) -> str:
    """Return what a job does to a spectrum: one line, and one for each detail."""
    details = job.band.rule.details if isinstance(job.band, Mask) and job.band.rule else ()
    words = f"{job.band}" + ", in three dimensions" * isinstance(job, VolumeJob)
    return "\n        ".join([words, *details])


def _described(image: ImageFile) -> str:
    """Return an image's size and kind, for people."""
    return f"{image.pixels.shape[1]} x {image.pixels.shape[0]} pixels, {image.kind}"


def _like(image: ImageFile, pixels: np.ndarray) -> ImageFile:
    """Return pixels with another image's alpha and metadata; real numbers are white at 1."""
    if pixels.dtype == image.pixels.dtype:
        return replace(image, pixels=pixels)
    alpha = None if image.alpha is None else np.float32(image.alpha) / np.float32(image.maxval)
    return replace(image, pixels=pixels, maxval=1, alpha=alpha)


# --- pictures about an image ----------------------------------------------------------------------


def _draw_spectrum(job: FileJob, first: Pair, file: File) -> None:
    """Draw the spectrum of the input, as the command spectrum does."""
    pixels = first.image.pixels
    write_picture(file, SpectrumOfFile(spectrum(pixels), str(job.source), pixels.shape[:2]))


def _draw_gains(job: FileJob, first: Pair, file: File) -> None:
    write_image(file, _gains(first.image, job.request, first.job, file))


def _gains(image: ImageFile, request: FilterRequest, job: FilterJob, file: File) -> ImageFile:
    """Return the filter's gains for an image, DC in the middle."""
    return draw_gains(gains_of(job, request.mask(image)), file)


DRAWINGS = {"spectrum": _draw_spectrum, "mask": _draw_gains}


def _picture(values: np.ndarray) -> ImageFile:
    """Return values 0 .. 1 as an 8-bit grey image."""
    return ImageFile(np.rint(255 * values).astype(np.uint8), 255)
