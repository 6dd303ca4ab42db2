"""Image files as arrays: PGM by pyclfft's own reader and writer, every other format by Pillow.

Pixels keep the depth of their file. If Pillow would silently reduce it (colour with 16 bits per
channel) or misread it (signed integers), the file is refused with a message that names the remedy.
The metadata of a file go on to the file that is written: colour profile, resolution, EXIF data. A
warning names the metadata that are lost.
"""

from __future__ import annotations

import io
import os
import struct
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

import numpy as np
from PIL import Image, ImageOps, TiffImagePlugin, UnidentifiedImageError

from pyclfft.errors import FormatError
from pyclfft.files import atomic_write
from pyclfft.image import pgm, tiff64
from pyclfft.overlap import warnings_lock

# These formats are left out: TGA, which has no recognisable beginning; EPS, which is a program;
# AVIF, JPEG 2000 and SGI, whose depth Pillow does not tell.
_READABLE = ("BMP", "GIF", "JPEG", "PNG", "PPM", "TIFF", "WEBP")

# The value of white in a file that does not say its own.
_WHITE = {"uint8": 255, "uint16": 65535, "float32": 1, "float64": 1}

# Pillow's mode of an opened file -> its mode without alpha: grey or RGB with 8 bits.
_BASE_MODES = {
    **dict.fromkeys(("1", "L", "LA", "La"), "L"),
    **dict.fromkeys(("P", "PA", "RGB", "RGBX", "RGBA", "RGBa", "CMYK", "YCbCr"), "RGB"),
}
_DEEP_MODES = ("I;16", "I;16B", "F")  # grey with more than 8 bits

# An image's dtype, channels and whether it has alpha -> Pillow's mode for it.
_WRITE_MODES = {
    ("uint8", 1, False): "L",
    ("uint8", 1, True): "LA",
    ("uint8", 3, False): "RGB",
    ("uint8", 3, True): "RGBA",
    ("uint16", 1, False): "I;16",
    ("float32", 1, False): "F",
    ("float64", 1, False): "D",  # our own name, which Pillow does not know
}


@dataclass(frozen=True)
class _Format:
    """A format in which files are written.

    Attributes
    ----------
    name : str
        The format's name, which Pillow uses, too.
    modes : tuple of str
        Pillow's modes of the images that the format can hold.
    options : dict
        The options for Pillow.
    keeps : tuple of str
        The fields of `Metadata` that the format can hold.
    several : bool
        A file can hold several images, one behind the other.
    """

    name: str
    modes: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)
    keeps: tuple[str, ...] = ()
    several: bool = False


_ALL = ("icc_profile", "dpi", "exif")  # the fields of Metadata, by names that Pillow uses, too
_PNG = _Format("PNG", ("L", "LA", "RGB", "RGBA", "I;16"), keeps=_ALL)
_TIFF = _Format("TIFF", ("L", "LA", "RGB", "RGBA", "I;16", "F", "D"), keeps=_ALL, several=True)
_JPEG = _Format("JPEG", ("L", "RGB"), {"quality": 95, "subsampling": 0}, keeps=_ALL)
_WRITERS = {
    ".pgm": _Format("PGM", ("L", "I;16"), several=True),
    ".png": _PNG,
    ".tif": _TIFF,
    ".tiff": _TIFF,
    ".jpg": _JPEG,
    ".jpeg": _JPEG,
    ".bmp": _Format("BMP", ("L", "RGB"), keeps=("dpi",)),
    ".ppm": _Format("PPM", ("RGB",)),
    ".webp": _Format(
        "WEBP",
        ("L", "RGB", "RGBA"),
        {"lossless": True, "exact": True},
        keeps=("icc_profile", "exif"),
    ),
}

# The formats that are written, by the suffixes that name them, without the point.
FORMATS = tuple(suffix[1:] for suffix in _WRITERS)

# How a file begins -> the suffix of its format.
_BEGINNINGS = {
    b"P5": ".pgm",
    b"P2": ".pgm",
    b"P6": ".ppm",
    b"P3": ".ppm",
    b"\x89PNG": ".png",
    b"II*\0": ".tif",
    b"MM\0*": ".tif",
    b"\xff\xd8": ".jpg",
    b"BM": ".bmp",
    b"RIFF": ".webp",
}

_BITS_PER_SAMPLE, _PHOTOMETRIC, _X_RESOLUTION, _SAMPLE_FORMAT = 258, 262, 282, 339  # TIFF's tags
_PROFILE = 34675
_WHITE_IS_ZERO, _SIGNED = 0, 2  # values of the tags _PHOTOMETRIC and _SAMPLE_FORMAT

# Tags of EXIF data (which are TIFF's) that say how a file holds its pixels and how to turn them.
# They would be false in a new file. The colour profile is kept apart from EXIF data.
_ABOUT_THE_FILE = {
    *range(254, 260), 262, 266, *range(273, 275), *range(277, 282), 284, 301, *range(317, 326),
    330, *range(338, 348), *range(512, 533), _PROFILE,
}  # fmt: skip
_MAX_JPEG_EXIF = 65_500  # bytes: JPEG holds EXIF data in one segment, which has at most 2^16

# EXIF's number of an orientation -> how pixels become upright: whether rows and columns change
# places, and then in which direction rows and columns are read.
_UPRIGHT = {
    1: (False, 1, 1), 2: (False, 1, -1), 3: (False, -1, -1), 4: (False, -1, 1),
    5: (True, 1, 1), 6: (True, 1, -1), 7: (True, -1, -1), 8: (True, -1, 1),
}  # fmt: skip


@dataclass(frozen=True)
class Metadata:
    """What a file says about its image, apart from the pixels.

    Attributes
    ----------
    icc_profile : bytes or None
        The colour profile.
    dpi : (float, float) or None
        Pixels an inch, across and down.
    exif : bytes or None
        EXIF data without the tags about the layout of the file, as a TIFF of tags.

    See Also
    --------
    ImageFile : An image with its metadata.
    write_images : Write images with the metadata that the format can hold.
    """

    icc_profile: bytes | None = None
    dpi: tuple[float, float] | None = None
    exif: bytes | None = None


_NAMES = {"icc_profile": "colour profile", "dpi": "resolution", "exif": "EXIF data"}


@dataclass(frozen=True, eq=False)
class ImageFile:
    """An image as a file holds it: its pixels, the value of white, alpha and metadata.

    Parameters
    ----------
    pixels : numpy.ndarray, shape (height, width) or (height, width, 3)
        Grey or RGB pixels: uint8 if `maxval` is at most 255, uint16 if it is greater; or float32 or
        float64, with black at 0 and white at 1 (values outside are kept).
    maxval : int
        The value of white: 255 or 65535 in most formats, 1 to 65535 in PGM, 1 for floats.
    alpha : numpy.ndarray, shape (height, width), optional
        The opacity, from 0 to `maxval`, in the dtype of the pixels; None if there is no alpha.
    metadata : Metadata
        The metadata, which go on to a file that is written.

    Raises
    ------
    FormatError
        Shapes, dtypes and `maxval` do not fit each other.

    See Also
    --------
    read_image : Read an image from a file.
    write_image : Write an image to a file.
    Metadata : The colour profile, the resolution and the EXIF data.
    """

    pixels: np.ndarray
    maxval: int
    alpha: np.ndarray | None = None
    metadata: Metadata = Metadata()

    def __post_init__(self) -> None:
        shape, dtype = self.pixels.shape, self.pixels.dtype
        if len(shape) < 2 or shape[2:] not in ((), (3,)) or 0 in shape:
            raise FormatError(f"an image is (height, width) or (height, width, 3), not {shape}")
        if dtype not in _dtypes_for(self.maxval):
            raise FormatError(
                f"{dtype} pixels do not go with maxval {self.maxval}: it takes uint8 for 1 to 255, "
                "uint16 for 256 to 65535, float32 or float64 for 1"
            )
        if self.alpha is not None and (self.alpha.shape, self.alpha.dtype) != (shape[:2], dtype):
            raise FormatError(
                f"alpha has to be {dtype} of shape {shape[:2]}, as the pixels, not "
                f"{self.alpha.dtype} of shape {self.alpha.shape}"
            )

    @property
    def channels(self) -> int:
        """1 for grey, 3 for RGB; alpha does not count."""
        return 1 if self.pixels.ndim == 2 else 3

    @property
    def kind(self) -> str:
        """Depth and channels in words, for example ``16-bit grey`` or ``8-bit RGB with alpha``."""
        depth = f"{8 * self.pixels.itemsize}-bit"
        number = " float" if self.pixels.dtype.kind == "f" else ""
        colour = " grey" if self.channels == 1 else " RGB"
        return depth + number + colour + ("" if self.alpha is None else " with alpha")


def read_image(path: str | os.PathLike[str]) -> ImageFile:
    """Read the first image of a file. `read_images` describes the formats, and reads all images.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    ImageFile
        Pixels in native byte order; its arrays are the caller's own.

    Raises
    ------
    FormatError, OSError
        In the cases that `read_images` names.

    Warns
    -----
    UserWarning
        The file holds further images, which are not read.

    See Also
    --------
    read_images : Read all images of a file.
    write_image : Write an image to a file.
    pyclfft.filter_image : Filter the pixels of an image.
    """
    ((image, _),) = iter_images(path, first_only=True)
    return image


def read_images(path: str | os.PathLike[str]) -> list[ImageFile]:
    """Read the images of a file; what it is shows in its content, not in its suffix.

    PGM keeps any maxval. BMP, GIF, JPEG, PNG, PPM (and PBM, PFM), TIFF and WebP come through
    Pillow: grey with 8, 12 or 16 bits, grey float32, RGB with 8 bits, each of 8 bits with or
    without alpha; also TIFF of grey float64. One-bit images become 8-bit grey; palettes RGB or
    RGBA; CMYK and YCbCr RGB. A colour that stands for transparency becomes alpha. The orientation
    in the EXIF data is applied. Colour profile, resolution and EXIF data are kept.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    list of ImageFile
        All pages of a TIFF file, all images of a raw PGM file, and one image of every other file.
        Pixels in native byte order; the arrays are the caller's own.

    Raises
    ------
    FormatError
        The file is no image, damaged, of a kind that would lose depth (16-bit colour) or sign, or
        larger than `PIL.Image.MAX_IMAGE_PIXELS` (PGM has no such limit: it is not compressed).
    OSError
        The file is missing, a folder, or cannot be read.

    Warns
    -----
    UserWarning
        Something in the file is left behind: all but the first image of an animation, a colour
        profile that is not one of grey or RGB pixels, damaged EXIF data.

    See Also
    --------
    read_image : Read the first image only.
    iter_images : Read the images one by one.
    write_images : Write several images to a file.
    """
    return [image for image, _ in iter_images(path)]


def decode_image(data: bytes, name: str, max_pixels: int) -> tuple[ImageFile, list[str]]:
    """Decode the first image of a file's bytes, unless it has too many pixels.

    Parameters
    ----------
    data : bytes
        The file's content.
    name : str
        What messages call the file.
    max_pixels : int
        The greatest number of pixels. The file's header says how many there are, so that nothing
        has been decoded yet when an image is refused.

    Returns
    -------
    image : ImageFile
    left_behind : list of str
        What is lost, as the warnings of `read_image` say it.

    Raises
    ------
    FormatError
        As `read_images` raises it; or the file has more pixels, or it is a TIFF or PGM file of
        several images.
    """
    try:
        width, height = _size(data)
        if width * height > max_pixels:
            raise _TooManyPixelsError(f"the image has {width} x {height} pixels")
    except _TooManyPixelsError:
        raise FormatError(
            f"{name}: the image has more than {max_pixels / 1e6:g} million pixels: make it smaller "
            "first"
        ) from None
    except FormatError as error:
        raise FormatError(f"{name}: {error}") from None
    left_behind: list[str] = []
    ((image, _),) = _decoded(data, name, left_behind, first_only=True)
    writer = _WRITERS.get(suffix_of(data))
    if _FURTHER_IMAGES in left_behind and writer and writer.several:
        raise FormatError(f"{name}: the file holds several images: save one of them by itself")
    return image, left_behind


def encode_image(image: ImageFile, suffix: str) -> bytes:
    """Return the bytes of the file that `write_image` writes under a name with this suffix.

    Raises
    ------
    FormatError
        As `write_images` raises it.
    """
    name = f"image{suffix}"
    buffer = io.BytesIO()
    _write_pages(buffer, [image], name, {})
    return buffer.getvalue()


def _size(data: bytes) -> tuple[int, int]:
    """Return the width and the height of a file's first image, of which nothing is decoded."""
    if data[:2] in pgm.MAGICS:
        return pgm.size(data)
    if not data:
        raise FormatError("the file is empty")
    with _pillows_errors(data):
        readable, doubles = tiff64.narrowed(data)
        width, height = Image.open(io.BytesIO(readable), formats=_READABLE).size
        return width // 2 if 0 in doubles else width, height


def iter_images(
    path: str | os.PathLike[str], *, first_only: bool = False
) -> Iterator[tuple[ImageFile, int]]:
    """Read the images of a file one by one, so that not all need memory at once.

    Parameters
    ----------
    path : str or path
        The file; see `read_images`.
    first_only : bool
        Whether to stop after the first image.

    Yields
    ------
    image : ImageFile
        The next image.
    count : int
        How many images there are in all.

    Raises
    ------
    FormatError, OSError
        In the cases that `read_images` names, when the image that is damaged would come.

    Warns
    -----
    UserWarning
        As `read_images` does, after the last image.

    See Also
    --------
    read_images : Read all images at once.
    write_images : Write images, each as soon as an iterator makes it.
    """
    left_behind: list[str] = []
    yield from _decoded(Path(path).read_bytes(), str(path), left_behind, first_only=first_only)
    for what in left_behind:
        warnings.warn(f"{path!s}: {what}", stacklevel=2)


def _decoded(
    data: bytes, name: str, left_behind: list[str], *, first_only: bool
) -> Iterator[tuple[ImageFile, int]]:
    """Decode a file's images, each with their number; what is lost is named in `left_behind`."""
    if data[:2] in pgm.MAGICS:
        decoded, more = pgm.decode_pgms(data, name, first_only=first_only)
        left_behind += [_FURTHER_IMAGES] * more
        for each in decoded:
            yield ImageFile(*each), len(decoded)
        return
    try:
        yield from _decode(data, left_behind, first_only=first_only)
    except FormatError as error:
        raise FormatError(f"{name}: {error}") from None


_FURTHER_IMAGES = "the file holds further images, which are not read"


def write_image(path: str | os.PathLike[str], image: ImageFile) -> None:
    """Write one image to a file in the format of its suffix, atomically.

    Parameters
    ----------
    path : str or path
        The file to write. `write_images` names the suffixes.
    image : ImageFile
        The image to write.

    Raises
    ------
    FormatError, OSError
        In the cases that `write_images` names.

    See Also
    --------
    write_images : Write several images to one file.
    read_image : Read an image from a file.
    """
    write_images(path, [image])


def write_images(path: str | os.PathLike[str], images: Iterable[ImageFile]) -> None:
    """Write an image file in the format of its suffix, atomically.

    TIFF and PGM hold several images, one behind the other, the other formats one.

    PGM keeps `maxval` as it is. The other formats have no field for it, so that a `maxval` of
    4095, say, would look almost black in 16 bits: there the values are scaled such that `maxval`
    becomes 255 or 65535. Nothing is lost; ``round(value * 4095 / 65535)`` gives the old values.

    JPEG is written with quality 95 and full colour resolution, WebP without loss (a grey one
    comes back as RGB).

    Parameters
    ----------
    path : str or path
        Ends with .pgm, .png, .tif, .tiff, .jpg, .jpeg, .bmp, .ppm or .webp. An existing file is
        replaced once the new one is complete.
    images : iterable of ImageFile
        What to write, with the colour profile, the resolution and the EXIF data of each. An
        iterator may make each image when it is to be written.

    Raises
    ------
    FormatError
        The suffix is unknown, its format cannot hold several images, or an image's depth or alpha,
        or a value is above `maxval`. Nothing has been written then.
    OSError
        The folder is missing, read-only or full.

    Warns
    -----
    UserWarning
        The format has no place for a colour profile, a resolution or EXIF data.

    See Also
    --------
    write_image : Write one image.
    read_images : Read all images of a file.
    iter_images : Read the images of a file one by one.
    """
    if isinstance(images, Sequence):
        _writer(path, images)
    lost: dict[str, str] = {}  # what is not kept, and the format that does not hold it
    with atomic_write(path, "w+b") as file:
        _write_pages(file, images, path, lost)
    for what, name in lost.items():
        warnings.warn(f"{path!s}: {name} does not hold the image's {what}", stacklevel=2)


def check_output(
    path: str | os.PathLike[str], *images: ImageFile, count: int | None = None
) -> None:
    """Check, before any work is done, that the format of a file name can hold images.

    Parameters
    ----------
    path : str or path
        The name of the file, as `write_images` takes it. Nothing is written.
    *images : ImageFile
        Images with the dtype, the channels and the alpha of the results; their values do not
        matter.
    count : int, optional
        How many images there will be; as many as are given by default.

    Raises
    ------
    FormatError
        The suffix is unknown, or its format cannot hold an image's depth or alpha, or that many
        images.
    """
    _writer(path, images, count)


def can_write(path: str | os.PathLike[str]) -> bool:
    """Return whether the suffix of a file name is that of a format that `write_image` writes."""
    return Path(path).suffix.lower() in _WRITERS


def suffix_of(beginning: bytes) -> str:
    """Return the suffix for a file's first bytes; empty if `write_image` has no such format."""
    return next((end for magic, end in _BEGINNINGS.items() if beginning.startswith(magic)), "")


def _dtypes_for(maxval: int) -> tuple[np.dtype, ...]:
    """Return the dtypes that pixels may have if `maxval` means white."""
    if not 1 <= maxval <= pgm.MAXVAL_LIMIT:
        return ()
    integer = np.dtype(np.uint8 if maxval < 256 else np.uint16)
    floats = (np.dtype(np.float32), np.dtype(np.float64))
    return (integer, *floats) if maxval == 1 else (integer,)


def _decode(
    data: bytes, left_behind: list[str], *, first_only: bool
) -> Iterator[tuple[ImageFile, int]]:
    """Decode the pages of a TIFF file, or the first image of any other file, by Pillow.

    The metadata and images that are lost are named in `left_behind`: the caller is to warn of them.
    """
    if not data:
        raise FormatError("the file is empty")
    with _pillows_errors(data):
        readable, doubles = tiff64.narrowed(data)
        opened = Image.open(io.BytesIO(readable), formats=_READABLE)
        pages = getattr(opened, "n_frames", 1) if opened.format == "TIFF" else 1
        wanted = 1 if first_only else pages
        if wanted < pages or (opened.format != "TIFF" and _is_animated(opened)):
            left_behind.append(_FURTHER_IMAGES)
    for page in range(wanted):
        with _pillows_errors(data):
            if page:
                opened.seek(page)
            try:
                if page in doubles:
                    image = _double_image(opened, data, doubles[page])
                else:
                    image = _image_of(opened)
            except FormatError as error:
                raise FormatError(
                    f"page {page + 1}: {error}" if pages > 1 else str(error)
                ) from None
            metadata = _metadata_of(opened, image.channels, left_behind)
        yield replace(image, metadata=metadata), wanted


class _TooManyPixelsError(FormatError):
    """An image has more pixels than may be decoded."""


@contextmanager
def _pillows_errors(data: bytes) -> Iterator[None]:
    """Turn each failure of Pillow's into a FormatError."""
    try:
        with warnings_lock, warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # about damaged metadata, which is unused
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            yield
    except (FormatError, MemoryError):
        raise
    except UnidentifiedImageError:
        raise FormatError(
            f"no image, a damaged one, or none of PGM, {', '.join(_READABLE)} (it begins with "
            f"{data[:8]!r}): convert it to one of these"
        ) from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise _TooManyPixelsError(
            f"{error}: if you trust the file, convert it to PGM or raise PIL.Image.MAX_IMAGE_PIXELS"
        ) from None
    except Exception as error:  # at damaged files, Pillow's decoders raise errors of any type
        raise FormatError(f"the image is damaged: {error}") from error


def _is_animated(opened: Image.Image) -> bool:
    """Return whether a file holds further images that are not damaged."""
    with suppress(Exception):  # at damaged files, Pillow's decoders raise errors of any type
        return bool(getattr(opened, "is_animated", False))
    return False


def _double_image(opened: Image.Image, data: bytes, orientation: int) -> ImageFile:
    """Return a page of float64 pixels. Pillow has read them in halves, which `tiff64` joins."""
    image = _float_image(tiff64.joined(np.array(opened), data))
    swap, down, across = _UPRIGHT.get(orientation, _UPRIGHT[1])
    turned = image.pixels.swapaxes(0, 1) if swap else image.pixels
    return replace(image, pixels=np.ascontiguousarray(turned[::down, ::across]))


def _image_of(opened: Image.Image) -> ImageFile:
    """Return an image that Pillow has opened; the EXIF orientation is applied to it."""
    bits = _stored_bits(opened)
    _refuse_loss(opened, bits)
    upright = ImageOps.exif_transpose(opened)
    if upright.mode == "F":
        return _float_image(np.array(upright).astype(np.float32))
    if upright.mode in _DEEP_MODES:
        white_is_zero = _tiff_tag(opened, _PHOTOMETRIC) == _WHITE_IS_ZERO
        return _deep_image(upright, 2**bits - 1, white_is_zero)
    return _byte_image(upright)


def _stored_bits(image: Image.Image) -> int:
    """Return the bits per channel in the file, even if Pillow would drop some of them."""
    if image.format == "TIFF":
        return max(_tiff_tag(image, _BITS_PER_SAMPLE, (1,)))
    tiles = getattr(image, "tile", [])
    arguments = tiles[0][3] if tiles else ""  # of Pillow's decoder
    if image.format == "PNG":
        return 16 if ";16" in str(arguments) else 8
    if image.format == "PPM" and isinstance(arguments, tuple):
        return int(arguments[1]).bit_length()  # arguments[1] is the file's maxval
    return 8


def _tiff_tag(image: Image.Image, tag: int, default: Any = None) -> Any:
    """Return the value of a TIFF tag, or the default if the image does not have the tag."""
    return getattr(image, "tag_v2", {}).get(tag, default)


def _refuse_loss(image: Image.Image, bits: int) -> None:
    """Raise a FormatError if Pillow would change the values of the file's pixels."""
    mode = image.mode
    if mode == "I" or _SIGNED in _tiff_tag(image, _SAMPLE_FORMAT, ()):
        raise FormatError(
            "signed or 32-bit integer pixels: convert them to unsigned 16-bit or float32 grey"
        )
    if mode not in (*_BASE_MODES, *_DEEP_MODES):
        raise FormatError(f"{mode} pixels cannot be read: convert the image to RGB")
    if bits > 8 and mode not in _DEEP_MODES:
        raise FormatError(
            f"{mode} with {bits} bits per channel, of which only 8 could be read: convert the "
            "image to 8-bit colour or to 16-bit grey"
        )


def _byte_image(upright: Image.Image) -> ImageFile:
    """Return an image of 8 bits per channel. If a colour means transparency, it becomes alpha."""
    mode = _BASE_MODES[upright.mode]
    if not upright.has_transparency_data:
        return ImageFile(np.array(upright.convert(mode)), 255)
    channels = np.array(upright.convert(mode + "A"))
    pixels = channels[..., 0] if mode == "L" else channels[..., :3]
    return ImageFile(np.ascontiguousarray(pixels), 255, np.ascontiguousarray(channels[..., -1]))


def _deep_image(upright: Image.Image, maxval: int, white_is_zero: bool) -> ImageFile:
    """Return a grey image of 12 or 16 bits. Its transparency and inversion, Pillow leaves to us."""
    samples = np.array(upright).astype(np.uint16)
    transparent = upright.info.get("transparency")
    alpha = None
    if transparent is not None:
        alpha = np.where(samples == transparent, 0, maxval).astype(np.uint16)
    return ImageFile(maxval - samples if white_is_zero else samples, maxval, alpha)


def _float_image(pixels: np.ndarray) -> ImageFile:
    """Return a grey image of float32 or float64."""
    if not np.isfinite(pixels).all():
        raise FormatError("some pixels are NaN or infinite: replace them by numbers")
    return ImageFile(pixels, _WHITE[pixels.dtype.name])


def _metadata_of(opened: Image.Image, channels: int, left_behind: list[str]) -> Metadata:
    """Return the metadata of an image whose pixels have been read, with its orientation applied."""
    profile, dpi = (
        # If a TIFF page lacks the tag, Pillow gives a default or the value of the page before.
        opened.info.get(key) if opened.format != "TIFF" or _tiff_tag(opened, tag) else None
        for key, tag in (("icc_profile", _PROFILE), ("dpi", _X_RESOLUTION))
    )
    wanted = b"GRAY" if channels == 1 else b"RGB "
    if profile and profile[16:20] != wanted:
        space = profile[16:20].decode("ascii", "replace").strip()
        pixels = "grey" if channels == 1 else "RGB"
        left_behind.append(f"its colour profile, for {space}, does not fit {pixels} pixels")
        profile = None
    return Metadata(profile or None, _resolution(dpi), _exif_of(opened, left_behind))


def _resolution(dpi: Any) -> tuple[float, float] | None:
    with suppress(TypeError, ValueError, ZeroDivisionError):  # a damaged one is none
        across, down = (float(value) for value in dpi)
        if 0 < across < 1e6 and 0 < down < 1e6:
            return across, down
    return None


def _exif_of(opened: Image.Image, left_behind: list[str]) -> bytes | None:
    """Return EXIF data without the tags about the file itself, or None if nothing is left."""
    try:
        exif = opened.getexif()
        for tag in _ABOUT_THE_FILE & set(exif):
            del exif[tag]
        exif.bigtiff = False
        return exif.tobytes() if len(exif) else None
    except Exception:  # at damaged EXIF data, Pillow raises errors of any type
        left_behind.append("its EXIF data is damaged and left out")
        return None


def _writer(
    path: str | os.PathLike[str], images: Sequence[ImageFile], count: int | None = None
) -> _Format:
    """Return the format of a file name; raise a FormatError if it cannot hold the images."""
    name, suffix = str(path), Path(path).suffix.lower()
    if suffix not in _WRITERS:
        raise FormatError(
            f"{name}: no format is known for the suffix {suffix!r}; use {' '.join(_WRITERS)}"
        )
    writer = _WRITERS[suffix]
    count = len(images) if count is None else count
    if count > 1 and not writer.several:
        suffixes = " or ".join(other for other, each in _WRITERS.items() if each.several)
        raise FormatError(f"{name}: {writer.name} cannot hold {count} images; write {suffixes}")
    for image in images:
        mode = _mode(image)
        if mode in writer.modes:
            continue
        others = [other for other, each in _WRITERS.items() if mode in each.modes]
        remedy = f"write {' or '.join(others)}" if others else "reduce it to 8 bits for .png"
        raise FormatError(f"{name}: {writer.name} cannot hold {image.kind}; {remedy}")
    return writer


def _not_kept(images: Sequence[ImageFile], writer: _Format) -> list[str]:
    """Return the names of the metadata that the images have and the format cannot hold."""
    return [
        name
        for key, name in _NAMES.items()
        if any(getattr(image.metadata, key) and key not in _kept(image, writer) for image in images)
    ]


def _kept(image: ImageFile, writer: _Format) -> dict[str, Any]:
    """Return the metadata of an image that a format can hold, as options for Pillow."""
    kept = {key: getattr(image.metadata, key) for key in writer.keeps}
    if writer.name == "JPEG" and len(kept["exif"] or b"") > _MAX_JPEG_EXIF:
        kept["exif"] = None
    return {key: value for key, value in kept.items() if value}


def _mode(image: ImageFile) -> str | None:
    """Return Pillow's mode for an image, or None if it has none."""
    return _WRITE_MODES.get((image.pixels.dtype.name, image.channels, image.alpha is not None))


def _write_pages(
    file: IO[bytes],
    images: Iterable[ImageFile],
    path: str | os.PathLike[str],
    lost: dict[str, str],
) -> None:
    """Write images to an open file, each when it comes; note in `lost` which metadata are not kept.

    Only the pages of a TIFF file that holds 64-bit floats pass through memory once more.
    """
    name, doubles = str(path), set()
    pages: Any = None  # Pillow's way to append to a TIFF file
    for number, image in enumerate(images):
        writer = _writer(path, [image], number + 1)
        lost.update(dict.fromkeys(_not_kept([image], writer), writer.name))
        _require_range(image, name)
        if writer.name == "PGM":
            file.write(pgm.encode_pgm(image.pixels, image.maxval, name))
            continue
        encoded = io.BytesIO()
        try:
            _save(image, writer, encoded)
        except (OSError, ValueError, struct.error) as error:  # such as too many rows for a field
            raise FormatError(f"{name}: {writer.name} cannot hold this image: {error}") from error
        if number == 0:
            file.write(encoded.getvalue())
        else:
            if pages is None:
                file.seek(0)
                pages = TiffImagePlugin.AppendingTiffWriter(file)
            pages.write(encoded.getvalue())
            pages.newFrame()
        if image.pixels.dtype == np.float64:
            doubles.add(number)
    if doubles:
        file.seek(0)
        data = tiff64.widened(file.read(), doubles)
        file.seek(0)
        file.write(data)


def _require_range(image: ImageFile, name: str) -> None:
    for values in (image.pixels, image.alpha):
        if values is not None and values.dtype.kind == "u" and values.max() > image.maxval:
            raise FormatError(
                f"{name}: values up to {values.max()} are above maxval {image.maxval}; clip or "
                "scale them"
            )


def _save(image: ImageFile, writer: _Format, file: Any) -> None:
    channels = _full_range(image.pixels, image.maxval)
    if image.alpha is not None:
        channels = np.dstack([channels, _full_range(image.alpha, image.maxval)])
    if channels.dtype == np.float64:
        channels = tiff64.split(channels)
    options = {**writer.options, **_kept(image, writer)}
    Image.fromarray(channels).save(file, writer.name, **options)


def _full_range(values: np.ndarray, maxval: int) -> np.ndarray:
    """Scale integers such that `maxval` becomes the largest value of their dtype."""
    white = _WHITE[values.dtype.name]
    if maxval == white:
        return values
    return ((values.astype(np.uint32) * white + maxval // 2) // maxval).astype(values.dtype)
