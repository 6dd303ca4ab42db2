"""Image files as arrays: PGM by pyclfft's own reader and writer, every other format by Pillow.

Pixels keep the depth of their file. Where Pillow would silently reduce it (colour with 16 bits per
channel) or misread it (signed integers), the file is refused with a message that names the way out.
"""

from __future__ import annotations

import io
import os
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from pyclfft.apps import pgm
from pyclfft.errors import FormatError
from pyclfft.files import atomic_write

# Left out: formats without a recognisable beginning (TGA), with programs inside (EPS), and those
# whose depth Pillow hides (AVIF, JPEG 2000, SGI).
_READABLE = ("BMP", "GIF", "JPEG", "PNG", "PPM", "TIFF", "WEBP")

# The value of white in a file that does not say its own.
_WHITE = {"uint8": 255, "uint16": 65535, "float32": 1}

# Modes that Pillow opens files in -> grey or RGB with 8 bits; alpha is a matter of its own.
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
}


@dataclass(frozen=True)
class _Format:
    """A format to write: its name (Pillow's too), the modes it holds, and Pillow's options."""

    name: str
    modes: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)


_PNG = _Format("PNG", ("L", "LA", "RGB", "RGBA", "I;16"))
_TIFF = _Format("TIFF", ("L", "LA", "RGB", "RGBA", "I;16", "F"))
_JPEG = _Format("JPEG", ("L", "RGB"), {"quality": 95, "subsampling": 0})
_WRITERS = {
    ".pgm": _Format("PGM", ("L", "I;16")),
    ".png": _PNG,
    ".tif": _TIFF,
    ".tiff": _TIFF,
    ".jpg": _JPEG,
    ".jpeg": _JPEG,
    ".bmp": _Format("BMP", ("L", "RGB")),
    ".ppm": _Format("PPM", ("RGB",)),
    ".webp": _Format("WEBP", ("L", "RGB", "RGBA"), {"lossless": True, "exact": True}),
}

# The formats that are written, by the suffixes that name them, without the point.
FORMATS = tuple(suffix[1:] for suffix in _WRITERS)

# How files of these formats begin -> the suffix of such a file.
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

_BITS_PER_SAMPLE, _PHOTOMETRIC, _SAMPLE_FORMAT = 258, 262, 339  # tags of TIFF
_WHITE_IS_ZERO, _SIGNED = 0, 2  # values of the last two


@dataclass(frozen=True, eq=False)
class ImageFile:
    """An image as it stands in a file: its pixels, what white is, and alpha apart.

    Parameters
    ----------
    pixels : numpy.ndarray, shape (height, width) or (height, width, 3)
        Grey or RGB; uint8 for a `maxval` up to 255, uint16 for one above, or float32 with black
        at 0 and white at 1 (values outside are kept).
    maxval : int
        The value of white: 255 or 65535 in most formats, 1 to 65535 in PGM, 1 for float32.
    alpha : numpy.ndarray, shape (height, width), optional
        Opacity from 0 to `maxval` in the dtype of the pixels; None where there is none.

    Raises
    ------
    FormatError
        Shapes, dtypes and `maxval` do not fit each other.
    """

    pixels: np.ndarray
    maxval: int
    alpha: np.ndarray | None = None

    def __post_init__(self) -> None:
        shape, dtype = self.pixels.shape, self.pixels.dtype
        if len(shape) < 2 or shape[2:] not in ((), (3,)) or 0 in shape:
            raise FormatError(f"an image is (height, width) or (height, width, 3), not {shape}")
        if dtype != _dtype_for(self.maxval, is_float=dtype.kind == "f"):
            raise FormatError(
                f"{dtype} pixels do not go with maxval {self.maxval}: it takes uint8 for 1 to 255, "
                "uint16 for 256 to 65535, float32 for 1"
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
        """Depth and channels in words, such as ``16-bit grey`` or ``8-bit RGB with alpha``."""
        depth = f"{8 * self.pixels.itemsize}-bit"
        number = " float" if self.pixels.dtype.kind == "f" else ""
        colour = " grey" if self.channels == 1 else " RGB"
        return depth + number + colour + ("" if self.alpha is None else " with alpha")


def read_image(path: str | os.PathLike[str]) -> ImageFile:
    """Read an image file; what it is shows in its content, not in its suffix.

    PGM keeps any maxval. BMP, GIF, JPEG, PNG, PPM (and PBM, PFM), TIFF and WebP come through
    Pillow: grey with 8, 12 or 16 bits, grey float32, RGB with 8 bits, each of 8 bits with or
    without alpha. One-bit images become 8-bit grey; palettes RGB or RGBA; CMYK and YCbCr RGB. A
    colour that stands for transparency becomes alpha. The orientation in the EXIF data is applied.
    Of several images in one file (animations, pages) the first is read. Colour profiles and other
    metadata are left behind.

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
    FormatError
        The file is no image, damaged, of a kind that would lose depth (16-bit colour) or sign, or
        larger than `PIL.Image.MAX_IMAGE_PIXELS` (PGM has no such limit: it is not compressed).
    OSError
        The file is missing, a folder, or cannot be read.
    """
    name = str(path)
    data = Path(path).read_bytes()
    if data[:2] in pgm.MAGICS:
        return ImageFile(*pgm.decode_pgm(data, name))
    try:
        return _decode(data)
    except FormatError as error:
        raise FormatError(f"{name}: {error}") from None


def write_image(path: str | os.PathLike[str], image: ImageFile) -> None:
    """Write an image file in the format of its suffix, atomically.

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
    image : ImageFile
        What to write.

    Raises
    ------
    FormatError
        The suffix is unknown, its format cannot hold the image's depth or alpha, or a value is
        above `maxval`. Nothing has been written then.
    OSError
        The folder is missing, read-only or full.
    """
    data = _encode(image, _writer(path, image), str(path))
    with atomic_write(path) as file:
        file.write(data)


def check_output(path: str | os.PathLike[str], image: ImageFile) -> None:
    """Check, before any work is done, that the format of a file name can hold such an image.

    Parameters
    ----------
    path : str or path
        As for `write_image`; nothing is written.
    image : ImageFile
        An image of the dtype, the channels and the alpha to be written; values do not matter.

    Raises
    ------
    FormatError
        The suffix is unknown, or its format cannot hold the image's depth or alpha.
    """
    _writer(path, image)


def can_write(path: str | os.PathLike[str]) -> bool:
    """Return whether the suffix of a file name is that of a format that `write_image` writes."""
    return Path(path).suffix.lower() in _WRITERS


def suffix_of(beginning: bytes) -> str:
    """Return the suffix of the format that `write_image` writes and a file begins with, or none."""
    return next((end for magic, end in _BEGINNINGS.items() if beginning.startswith(magic)), "")


def _dtype_for(maxval: int, is_float: bool) -> np.dtype | None:
    """Dtype that goes with a maxval, None where there is none."""
    if is_float:
        return np.dtype(np.float32) if maxval == 1 else None
    if not 1 <= maxval <= pgm.MAXVAL_LIMIT:
        return None
    return np.dtype(np.uint8 if maxval < 256 else np.uint16)


def _decode(data: bytes) -> ImageFile:
    """Decode an image through Pillow, every failure of which becomes a FormatError."""
    if not data:
        raise FormatError("the file is empty")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # damaged metadata, which is not used
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            return _image_of(Image.open(io.BytesIO(data), formats=_READABLE))
    except (FormatError, MemoryError):
        raise
    except UnidentifiedImageError:
        raise FormatError(
            f"no image, a damaged one, or none of PGM, {', '.join(_READABLE)} (it begins with "
            f"{data[:8]!r}): convert it to one of these"
        ) from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise FormatError(
            f"{error}: if you trust the file, convert it to PGM or raise PIL.Image.MAX_IMAGE_PIXELS"
        ) from None
    except Exception as error:  # Pillow's decoders raise whatever a damaged file makes them raise
        raise FormatError(f"the image is damaged: {error}") from error


def _image_of(opened: Image.Image) -> ImageFile:
    """Turn an image that Pillow has opened into upright pixels and alpha."""
    bits = _stored_bits(opened)
    _refuse_loss(opened, bits)
    upright = ImageOps.exif_transpose(opened)
    if upright.mode == "F":
        return _float_image(upright)
    if upright.mode in _DEEP_MODES:
        white_is_zero = _tiff_tag(opened, _PHOTOMETRIC) == _WHITE_IS_ZERO
        return _deep_image(upright, 2**bits - 1, white_is_zero)
    return _byte_image(upright)


def _stored_bits(image: Image.Image) -> int:
    """Bits per channel in the file, also those that Pillow would drop."""
    if image.format == "TIFF":
        return max(_tiff_tag(image, _BITS_PER_SAMPLE, (1,)))
    tiles = getattr(image, "tile", [])
    arguments = tiles[0][3] if tiles else ""  # of Pillow's decoder
    if image.format == "PNG":
        return 16 if ";16" in str(arguments) else 8
    if image.format == "PPM" and isinstance(arguments, tuple):
        return int(arguments[1]).bit_length()  # its maxval
    return 8


def _tiff_tag(image: Image.Image, tag: int, default: Any = None) -> Any:
    """Value of a TIFF tag; the default where it, or every tag, is missing."""
    return getattr(image, "tag_v2", {}).get(tag, default)


def _refuse_loss(image: Image.Image, bits: int) -> None:
    """Raise where the pixels that Pillow gives are not those of the file."""
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
    """Image of 8 bits per channel; what stands for transparency becomes alpha."""
    mode = _BASE_MODES[upright.mode]
    if not upright.has_transparency_data:
        return ImageFile(np.array(upright.convert(mode)), 255)
    channels = np.array(upright.convert(mode + "A"))
    pixels = channels[..., 0] if mode == "L" else channels[..., :3]
    return ImageFile(np.ascontiguousarray(pixels), 255, np.ascontiguousarray(channels[..., -1]))


def _deep_image(upright: Image.Image, maxval: int, white_is_zero: bool) -> ImageFile:
    """Grey image of 12 or 16 bits, with what Pillow does only for 8: transparency, inversion."""
    samples = np.array(upright).astype(np.uint16)
    transparent = upright.info.get("transparency")
    alpha = None
    if transparent is not None:
        alpha = np.where(samples == transparent, 0, maxval).astype(np.uint16)
    return ImageFile(maxval - samples if white_is_zero else samples, maxval, alpha)


def _float_image(upright: Image.Image) -> ImageFile:
    """Grey float32 image."""
    pixels = np.array(upright).astype(np.float32)
    if not np.isfinite(pixels).all():
        raise FormatError("some pixels are NaN or infinite: replace them by numbers")
    return ImageFile(pixels, _WHITE["float32"])


def _writer(path: str | os.PathLike[str], image: ImageFile) -> _Format:
    """Return the format of a file name; raise where it cannot hold the image."""
    name, suffix = str(path), Path(path).suffix.lower()
    if suffix not in _WRITERS:
        raise FormatError(
            f"{name}: no format is known for the suffix {suffix!r}; use {' '.join(_WRITERS)}"
        )
    mode = _mode(image)
    if mode in _WRITERS[suffix].modes:
        return _WRITERS[suffix]
    others = [other for other, writer in _WRITERS.items() if mode in writer.modes]
    remedy = f"write {' or '.join(others)}" if others else "reduce it to 8 bits, which .png holds"
    raise FormatError(f"{name}: {_WRITERS[suffix].name} cannot hold {image.kind}; {remedy}")


def _mode(image: ImageFile) -> str | None:
    """Pillow's mode for an image, None where it has none."""
    return _WRITE_MODES.get((image.pixels.dtype.name, image.channels, image.alpha is not None))


def _encode(image: ImageFile, writer: _Format, name: str) -> bytes:
    """Encode an image that the format can hold."""
    for values in (image.pixels, image.alpha):
        if values is not None and values.dtype.kind == "u" and values.max() > image.maxval:
            raise FormatError(
                f"{name}: values up to {values.max()} are above maxval {image.maxval}; clip or "
                "scale them"
            )
    if writer.name == "PGM":
        return pgm.encode_pgm(image.pixels, image.maxval, name)
    channels = _full_range(image.pixels, image.maxval)
    if image.alpha is not None:
        channels = np.dstack([channels, _full_range(image.alpha, image.maxval)])
    buffer = io.BytesIO()
    try:
        Image.fromarray(channels).save(buffer, writer.name, **writer.options)
    except (OSError, ValueError) as error:  # such as more rows than the format can count
        raise FormatError(f"{name}: {writer.name} cannot hold this image: {error}") from error
    return buffer.getvalue()


def _full_range(values: np.ndarray, maxval: int) -> np.ndarray:
    """Scale integers such that `maxval` becomes the largest value of their dtype."""
    white = _WHITE[values.dtype.name]
    if maxval == white:
        return values
    return ((values.astype(np.uint32) * white + maxval // 2) // maxval).astype(values.dtype)
