"""Images in the lab: opened, filtered, drawn for the browser, saved, and copied as a command."""

from __future__ import annotations

import io
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pyopencl as cl
from PIL import Image

from ..errors import FormatError, PlanError
from ..image.filter_plans import usual_part, usual_scale
from ..image.filtering import filter_image, filter_mask
from ..image.imagefile import ImageFile, check_output, decode_image, encode_image
from ..image.kinds import AUTO
from ..image.mask_pictures import draw_gains, gains_in
from ..image.notches import Point, find_notches
from ..image.spectrum import magnitudes
from ..runtime.queues import queue_on
from .brush import Stroke, draw
from .kinds import KINDS, Settings

MAX_PIXELS = 50_000_000
MAX_SIDE = 2048  # of what the browser shows
JPEG = {"quality": 90, "subsampling": 0}
MASK_NAME = "mask"
MASK_WHITE = 65535  # a mask in a PNG has 16 bits


@dataclass(frozen=True, eq=False)
class Picture:
    """An image that is open in the lab.

    Attributes
    ----------
    name : str
        The name of its file, without folders. It is shown, and never opened.
    file : ImageFile
        The image.
    notes : tuple of str
        What of the file is left behind, in words.
    """

    name: str
    file: ImageFile
    notes: tuple[str, ...] = ()
    _notches: dict[cl.Device, tuple[Point, ...]] = field(default_factory=dict, init=False)

    @property
    def size(self) -> tuple[int, int]:
        """The rows and columns."""
        rows, columns = self.file.pixels.shape[:2]
        return rows, columns

    @property
    def words(self) -> str:
        """Size and kind, for people."""
        rows, columns = self.size
        return f"{columns} x {rows} pixels, {self.file.kind}"

    @cached_property
    def suffix(self) -> str:
        """The suffix of results: a format that holds them in full depth."""
        for suffix in (".png", ".tif"):
            try:
                check_output(f"result{suffix}", self.file)
            except FormatError:
                continue
            return suffix
        raise FormatError(f"no format holds {self.file.kind}: leave out its transparency")

    def notches(self, queue: cl.CommandQueue) -> tuple[Point, ...]:
        """Return the frequencies of stripes and moire, which each device looks for once.

        Raises
        ------
        PlanError, DeviceError, DeviceMemoryError
            As `find_notches` raises them.
        """
        if queue.device not in self._notches:
            found = tuple(find_notches(self.file.pixels, queue=queue))
            self._notches[queue.device] = found
        return self._notches[queue.device]


def open_picture(data: bytes, name: str) -> Picture:
    """Open an image of at most `MAX_PIXELS` pixels.

    Parameters
    ----------
    data : bytes
        The content of its file.
    name : str
        The name of its file, from whoever sends it.

    Raises
    ------
    FormatError
        As `decode_image` raises it.
    """
    shown = shown_name(name)
    file, left_behind = decode_image(data, shown, MAX_PIXELS)
    result = Picture(shown, file, tuple(left_behind))
    _ = result.suffix  # an image that could not be saved is refused now
    return result


def shown_name(name: str) -> str:
    """Return a file's name without folders and without what is no printable character."""
    last = name.replace("\\", "/").rpartition("/")[2]
    printable = "".join(each for each in last if each.isprintable()).strip()
    return printable[:100] or "image"


# --- filtering ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Painted:
    """Strokes on a spectrum, and the gains that they leave.

    Attributes
    ----------
    strokes : tuple of Stroke
        The strokes in order.
    gains : ndarray of float32, shape of the transform
        DC at [0, 0].
    size : (int, int)
        The rows and columns of the image, in whose bins the strokes count.
    """

    strokes: tuple[Stroke, ...]
    gains: np.ndarray
    size: tuple[int, int]

    def drawn(self, strokes: Sequence[Stroke]) -> Painted:
        """Return what other strokes leave; if they continue these, only the new ones are drawn."""
        count = len(self.strokes)
        goes_on = tuple(strokes[:count]) == self.strokes
        gains = self.gains.copy() if goes_on else np.ones_like(self.gains)
        for stroke in strokes[count if goes_on else 0 :]:
            draw(gains, stroke, self.size)
        return replace(self, strokes=tuple(strokes), gains=gains)


def unpainted(size: tuple[int, int], plane: tuple[int, int]) -> Painted:
    """Return the gains of a transform of `plane` bins, of an image of `size`, without strokes."""
    return Painted((), np.ones(plane, np.float32), size)


@dataclass(frozen=True, eq=False)
class Job:
    """What is to be done with a picture: the settings, what is painted, and the notches.

    Without strokes the settings' kind filters the picture. Otherwise its gains times those of the
    strokes become a mask, which is a picture, so that the mask that is downloaded is the mask that
    the lab uses.

    Attributes
    ----------
    picture : Picture
        The picture.
    settings : Settings
        What the controls say.
    painted : Painted
        What the brush has drawn.
    off : frozenset of int
        The places, among the picture's notches, of those that are switched off.
    device : str
        The device that filters, and that looks for notches, in the words of `use_device`; empty for
        the default one.
    """

    picture: Picture
    settings: Settings
    painted: Painted
    off: frozenset[int] = frozenset()
    device: str = ""

    @property
    def queue(self) -> cl.CommandQueue:
        """The queue of the device in this thread."""
        return queue_on(self.device)

    @property
    def notches(self) -> tuple[Point, ...]:
        """The picture's notches, as the device finds them."""
        return self.picture.notches(self.queue)

    @property
    def band(self) -> dict[str, Any]:
        """The arguments that `filter_image` and `filter_mask` share; {} if nothing is filtered.

        The points of notches are those that are switched on, if they were to be found.
        """
        band = self.settings.band
        if band.get("points") != AUTO:
            return band
        found = self.notches
        on = tuple(point for place, point in enumerate(found) if place not in self.off)
        return {**band, "points": on} if on or not found else {}

    @property
    def has_mask(self) -> bool:
        """Whether the result is that of a mask."""
        return bool(self.painted.strokes) or not self.band

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `filter_image`, apart from the image, a mask and maxval."""
        channels, file = self.settings.channels, self.picture.file
        more = {"channels": channels} if file.channels == 3 and channels != "each" else {}
        band = self.band
        if not self.has_mask:
            return band | more
        # A mask shows what its kind would show.
        kind, keep_dc = band.get("kind"), self.settings.keep_dc
        scale = usual_scale(file.pixels.dtype, kind, keep_dc)
        pad = {"pad": band["pad"]} if "pad" in band else {}
        return {"part": usual_part(kind, keep_dc), "scale": scale} | pad | more

    @property
    def copied(self) -> dict[str, Any]:
        """The arguments as they are copied: all notches of a picture are "auto"."""
        arguments = self.arguments
        is_auto = "points" in arguments and not self.off
        return arguments | {"points": AUTO} if is_auto else arguments

    @property
    def mask_suffix(self) -> str:
        """The suffix of the mask's file; "" if the brush does not go with the kind."""
        return KINDS[self.settings.kind].mask

    @property
    def mask_name(self) -> str:
        """The name of the mask's file."""
        return f"{MASK_NAME}{self.mask_suffix}"

    def mask(self) -> ImageFile:
        """Return the mask's picture, DC in the middle.

        Raises
        ------
        PlanError
            The brush does not go with the kind.
        """
        gains, band = self.painted.gains, self.band
        if self.settings.no_brush:
            raise PlanError(f"{self.settings.no_brush} Press Clear, or choose another filter.")
        if band:
            gains = gains * filter_mask(self.picture.size, queue=self.queue, **band)
        return draw_gains(gains, self.mask_name, MASK_WHITE)

    def result(self) -> ImageFile:
        """Return the filtered image.

        Raises
        ------
        PlanError, DeviceError, DeviceMemoryError
            As `filter_image` raises them.
        """
        file = self.picture.file
        mask = gains_in(self.mask(), self.mask_name) if self.has_mask else None
        pixels = filter_image(
            file.pixels, mask=mask, maxval=file.maxval, queue=self.queue, **self.arguments
        )
        return replace(file, pixels=pixels)

    @property
    def result_name(self) -> str:
        """A name for the result's file."""
        kind = "mask" if self.has_mask else self.settings.kind
        return f"{PurePosixPath(self.picture.name).stem}_{kind}{self.picture.suffix}"

    def command(self) -> str:
        """Return the command that writes the same result."""
        words = ["pyclfft", "filter", _relative(self.picture.name)]
        words += ["--use-mask", self.mask_name] if self.has_mask else []
        words += _option_words(self.copied)
        words += ["--device", self.device] if self.device else []
        words += ["-o", _relative(self.result_name)]
        return shlex.join(words)

    def python(self) -> str:
        """Return the Python program that writes the same result."""
        options = [f"{name}={value!r}" for name, value in self.copied.items()]
        options.append("maxval=photo.maxval")
        lines = [
            "from dataclasses import replace",
            "",
            "import pyclfft",
            "from pyclfft.image.imagefile import read_image, write_image",
            *(["from pyclfft.image.mask_pictures import read_gains"] if self.has_mask else []),
            "",
            *([f"pyclfft.use_device({self.device!r})"] if self.device else []),
            f"photo = read_image({self.picture.name!r})",
        ]
        if self.has_mask:
            options.insert(0, f"mask=read_gains({self.mask_name!r})")
        lines.append("result = pyclfft.filter_image(")
        lines += ["    photo.pixels,", *(f"    {option}," for option in options), ")"]
        lines.append(f"write_image({self.result_name!r}, replace(photo, pixels=result))")
        return "\n".join(lines) + "\n"


def _option_words(arguments: Mapping[str, Any]) -> list[str]:
    """Return the words of the command for arguments of `filter_image`."""
    said = dict(arguments)
    words = []
    if kind := said.pop("kind", None):
        shown = KINDS[kind]
        words += _kind_words(shown.option or (f"--{kind}",), said.pop(shown.value, ()))
        for name in shown.implied:
            said.pop(name)
    for name, value in said.items():
        words += [f"--{name.replace('_', '-')}", *_values(value)]
    return words


def _kind_words(option: Sequence[str], value: Any) -> list[str]:
    """Return the words for a kind; each of several points repeats the option."""
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return [word for y, x in value for word in (*option, f"{y!r},{x!r}")]
    return [*option, *_values(value)]


def _values(value: Any) -> list[str]:
    """Return the words behind an option; a switch has none."""
    if value is True:
        return []
    return [str(each) for each in (value if isinstance(value, tuple) else (value,))]


def _relative(name: str) -> str:
    """Return a file's name such that a command does not take it for an option."""
    return f"./{name}" if name.startswith("-") else name


# --- what the browser shows -----------------------------------------------------------------------


def preview(file: ImageFile) -> bytes:
    """Return an image as a JPEG of 8 bits, at most `MAX_SIDE` pixels high and wide."""
    pixels = file.pixels
    if pixels.dtype != np.uint8 or file.maxval != 255:
        scaled = np.clip(pixels.astype(np.float32) * np.float32(255 / file.maxval), 0, 255)
        pixels = np.rint(scaled).astype(np.uint8)
    image = Image.fromarray(pixels)
    factor = -(-max(image.size) // MAX_SIDE)
    if factor > 1:
        image = image.reduce(factor)
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", **JPEG)
    return buffer.getvalue()


def spectrum_preview(job: Job) -> bytes:
    """Return the spectrum of a job's picture as a JPEG, DC in the middle, by the job's device."""
    values = spectrum_values(job.picture.file.pixels, job.queue)
    return preview(ImageFile(np.rint(255 * values).astype(np.uint8), 255))


def saved(file: ImageFile, suffix: str) -> bytes:
    """Return the file of a result, in full depth."""
    return encode_image(file, suffix)


def spectrum_values(pixels: np.ndarray, queue: cl.CommandQueue) -> np.ndarray:
    """Return an image's log-magnitude spectrum, DC in the middle, stretched to 0 .. 1.

    Parameters
    ----------
    pixels : ndarray, shape (height, width) or (height, width, 3)
        The image; its brightness is transformed.
    queue : cl.CommandQueue
        The queue to run on.

    Returns
    -------
    ndarray of float, shape (height, width)
    """
    logarithm = np.log1p(magnitudes(pixels.astype(np.float32), queue=queue))
    logarithm -= logarithm.min()
    return logarithm / (logarithm.max() or 1)
