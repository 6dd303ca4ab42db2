"""Greyscale images as PGM files: Netpbm's raw P5 and plain P2, 8 and 16 bits, any maxval.

The reader follows Netpbm's own (libnetpbm 11) wherever that matters, checked against it:

- A comment runs from ``#`` to the end of the line, anywhere before the raster. It ends a number.
- Exactly one white-space byte separates maxval from the raster of a P5 file. The line end of a
  comment that follows maxval directly (``255# comment``) is that byte; a ``#`` after the white
  space is already the first pixel.
- Plain rasters may hold comments too: Netpbm's reader allows them, other readers differ.
- A file may hold several images. `decode_pgms` reads those behind a raw raster too.

It is stricter where a file is likely damaged: a sample above maxval and anything but white space
or a further image behind the raster are errors (a raster that is too long is what a wrong width,
height or maxval in the header looks like).
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pyclfft.errors import FormatError
from pyclfft.files import atomic_write

MAGICS = (b"P5", b"P2")
MAXVAL_LIMIT = 65535

_RELATIVES = {
    b"P1": "a plain bitmap (PBM)",
    b"P3": "a plain colour image (PPM)",
    b"P4": "a raw bitmap (PBM)",
    b"P6": "a raw colour image (PPM)",
    b"P7": "a PAM image",
}
_HEADER_FIELDS = {"width": 2**31 - 1, "height": 2**31 - 1, "maxval": MAXVAL_LIMIT}

# Spaces and comments between tokens. The limit saves memory: an expression remembers every
# repetition, and without a limit a file of short comments takes 70 times its own memory.
_FILLING = re.compile(rb"(?:\s+|#[^\r\n]*){1,1000}")
_TOKEN = re.compile(rb"[^\s#]*")
_SPACE = re.compile(rb"\s")
_DELIMITER = re.compile(rb"#[^\r\n]*[\r\n]|\s")
_FURTHER_IMAGE = re.compile(rb"(?<!\S)P[1-7][\s#]")
_BEHIND_A_RASTER = re.compile(rb"\s*(?=P[1-7][\s#]|\Z)")
_NOT_A_SAMPLE = re.compile(rb"[^0-9\s]\S*")
_TOO_MANY_DIGITS = re.compile(rb"[1-9][0-9]{5,}")  # the greatest maxval, 65535, has five

_BLOCK = 2**16  # how many bytes of a plain raster are read at once


@dataclass(frozen=True)
class _Header:
    """The fields of the header; `end` is the offset of the first byte after maxval."""

    magic: bytes
    width: int
    height: int
    maxval: int
    end: int

    @property
    def count(self) -> int:
        return self.width * self.height

    @property
    def sample(self) -> np.dtype:
        return _sample_dtype(self.maxval)


def read_pgm(path: str | os.PathLike[str]) -> tuple[np.ndarray, int]:
    """Read the first image of a PGM file.

    Parameters
    ----------
    path : str or path
        A P5 or P2 file; its suffix does not matter.

    Returns
    -------
    pixels : numpy.ndarray, shape (height, width), uint8 or uint16
        The samples as they stand in the file: uint8 for a maxval below 256, else uint16 in native
        byte order. The array is the caller's own.
    maxval : int
        The sample that means white, 1 to 65535.

    Raises
    ------
    FormatError
        The file is not a PGM file, or a damaged one.
    OSError
        The file is missing or cannot be read.
    """
    return decode_pgm(Path(path).read_bytes(), os.fspath(path))


def write_pgm(path: str | os.PathLike[str], pixels: np.ndarray, maxval: int) -> None:
    """Write a raw (P5) PGM file, atomically.

    Parameters
    ----------
    path : str or path
        The file to write; an existing one is replaced once the new one is complete.
    pixels : array_like, shape (height, width), any integer dtype
        Samples from 0 to `maxval`.
    maxval : int
        The sample that means white, 1 to 65535; above 255 the file has 16 bits per sample.

    Raises
    ------
    FormatError
        The pixels are not a greyscale image of integers between 0 and `maxval`.
    OSError
        The folder is missing, read-only or full.
    """
    data = encode_pgm(pixels, maxval, os.fspath(path))
    with atomic_write(path) as file:
        file.write(data)


def size(data: bytes) -> tuple[int, int]:
    """Return the width and the height of the first image, which the header of a file claims.

    Raises
    ------
    FormatError
        The header is not that of a PGM file.
    """
    header = _read_header(data, 0)
    return header.width, header.height


def decode_pgm(data: bytes, name: str = "PGM data") -> tuple[np.ndarray, int]:
    """Decode the first image of a PGM file's bytes.

    Parameters
    ----------
    data : bytes
        The whole file.
    name : str, optional
        What error messages call the data.

    Returns
    -------
    pixels : numpy.ndarray, shape (height, width), uint8 or uint16
        The samples, as `read_pgm` returns them.
    maxval : int
        The sample that means white.

    Raises
    ------
    FormatError
        If the bytes are no PGM file, or a damaged one. The message says what is wrong and where.
    """
    try:
        return _decode(data, 0)[0]
    except FormatError as error:
        raise FormatError(f"{name}: {error}") from None


def decode_pgms(
    data: bytes, name: str = "PGM data", *, first_only: bool = False
) -> tuple[list[tuple[np.ndarray, int]], bool]:
    """Decode the greyscale images of a PGM file's bytes, one behind the other.

    Parameters
    ----------
    data : bytes
        The whole file.
    name : str, optional
        What error messages call the data.
    first_only : bool
        Whether to stop after the first image.

    Returns
    -------
    images : list of (ndarray, int)
        For each image its pixels and maxval, as `decode_pgm` returns them.
    more : bool
        Whether further images follow that are not read: because of `first_only`, because they have
        another format, or because the raster before them is plain.

    Raises
    ------
    FormatError
        If the bytes are no PGM file, or a damaged one. The message says which image is damaged.
    """
    images: list[tuple[np.ndarray, int]] = []
    end = 0
    while not images or data[end : end + 2] in MAGICS:
        try:
            image, end, plain = _decode(data, end)
        except FormatError as error:
            which = f"image {len(images) + 1}: " if images else ""
            raise FormatError(f"{name}: {which}{error}") from None
        images.append(image)
        if plain or first_only:
            break
    return images, end < len(data)


def _decode(data: bytes, start: int) -> tuple[tuple[np.ndarray, int], int, bool]:
    """Decode an image. Return also where the next one begins, and whether the raster is plain."""
    header = _read_header(data, start)
    samples, end = _RASTERS[header.magic](data, header)
    _check_range(samples, header)
    native = header.sample.newbyteorder("=")
    pixels = samples.reshape(header.height, header.width).astype(native)
    return (pixels, header.maxval), end, header.magic == b"P2"


def encode_pgm(pixels: np.ndarray, maxval: int, name: str = "PGM data") -> bytes:
    """Encode a greyscale image as the bytes of a raw (P5) PGM file.

    Parameters
    ----------
    pixels : array_like, shape (height, width), any integer dtype
        Samples from 0 to `maxval`.
    maxval : int
        The sample that means white, 1 to 65535.
    name : str, optional
        What error messages call the image.

    Returns
    -------
    bytes
        The file: 1 byte per sample for a maxval below 256, else 2, the high one first.

    Raises
    ------
    FormatError
        The pixels are not a greyscale image of integers between 0 and `maxval`.
    """
    pixels = np.asarray(pixels)
    if pixels.ndim != 2 or pixels.size == 0:
        raise FormatError(f"{name}: PGM holds pixels of shape (height, width), not {pixels.shape}")
    if pixels.dtype.kind not in "iu":
        raise FormatError(f"{name}: PGM holds integers; round and cast the {pixels.dtype} pixels")
    if not 1 <= maxval <= MAXVAL_LIMIT:
        raise FormatError(f"{name}: maxval {maxval} is not in 1..{MAXVAL_LIMIT}")
    low, high = int(pixels.min()), int(pixels.max())
    if low < 0 or high > maxval:
        raise FormatError(
            f"{name}: pixels from {low} to {high} are not all in 0..{maxval}; clip or scale them"
        )
    height, width = pixels.shape
    header = f"P5\n{width} {height}\n{maxval}\n".encode("ascii")
    return header + pixels.astype(_sample_dtype(maxval)).tobytes()


def _sample_dtype(maxval: int) -> np.dtype:
    """Return the type of a sample in a raw raster."""
    return np.dtype(np.uint8 if maxval < 256 else ">u2")


def _read_header(data: bytes, start: int) -> _Header:
    """Return magic, width, height and maxval, which comments may separate."""
    magic = data[start : start + 2]
    if not magic:
        raise FormatError("the file is empty")
    if magic in _RELATIVES:
        raise FormatError(f"this is {_RELATIVES[magic]}, not a PGM file: it begins with {magic!r}")
    if magic not in MAGICS:
        raise FormatError(f"not a PGM file: it begins with {data[:8]!r}, not with P5 or P2")
    end = start + 2
    if (separator := data[end : end + 1]).strip() not in (b"", b"#"):
        raise FormatError(f"not a PGM file: {separator!r} at byte {end} is no white space")
    values = {}
    for field, limit in _HEADER_FIELDS.items():
        values[field], end = _read_field(data, end, field, limit)
    return _Header(magic, end=end, **values)


def _read_field(data: bytes, start: int, field: str, limit: int) -> tuple[int, int]:
    """Return one number of the header, and the offset after it."""
    begin = start
    while filling := _FILLING.match(data, begin):
        begin = filling.end()
    match = _TOKEN.match(data, begin)
    assert match is not None  # a token may be empty, so that there always is one
    token = match[0]
    if not token:
        raise FormatError(f"the header is truncated: no {field} before the end, byte {begin}")
    if not token.isdigit():
        raise FormatError(f"{field} {token[:20]!r} at byte {begin} is not a decimal integer")
    digits = token.lstrip(b"0")
    if not digits or len(digits) > 10 or int(digits) > limit:
        raise FormatError(f"{field} {token[:20].decode()} at byte {begin} is not in 1..{limit}")
    return int(digits), match.end()


def _raw_samples(data: bytes, header: _Header) -> tuple[np.ndarray, int]:
    """Return the raster of a P5 file as a flat view, and where the next image begins."""
    delimiter = _DELIMITER.match(data, header.end)
    if delimiter is None:
        raise FormatError(f"the file ends after maxval, at byte {len(data)}: no raster")
    start = delimiter.end()
    # The sizes are compared before anything is allocated: the header may claim any size.
    expected, found = header.count * header.sample.itemsize, len(data) - start
    if found < expected:
        raise FormatError(
            f"the raster is truncated: {header.width} x {header.height} pixels of "
            f"{8 * header.sample.itemsize} bits need {expected} bytes from byte {start} on, "
            f"found {found}"
        )
    behind = _BEHIND_A_RASTER.match(data, start + expected)
    if behind is None:
        raise FormatError(
            f"{found - expected} bytes behind the raster, from byte {start + expected} on, are no "
            f"further image: are {header.width} x {header.height} pixels and maxval "
            f"{header.maxval} right?"
        )
    samples = np.frombuffer(data, header.sample, count=header.count, offset=start)
    return samples, behind.end()


def _plain_samples(data: bytes, header: _Header) -> tuple[np.ndarray, int]:
    """Return the raster of a P2 file as a flat array of uint32, and where the raster ends."""
    text = _without_comments(data, header.end)
    if further := _FURTHER_IMAGE.search(text):
        del text[further.start() :]
    if stray := _NOT_A_SAMPLE.search(text):
        position = header.end + stray.start()
        shown = bytes(stray[0][:20])
        raise FormatError(f"{shown!r} at byte {position} is not part of a sample")
    if long := _TOO_MANY_DIGITS.search(text):
        raise FormatError(
            f"sample {long[0][:20].decode()} at byte {header.end + long.start()} is above maxval "
            f"{header.maxval}"
        )
    samples = _numbers(text)
    if samples.size != header.count:
        fault = "is truncated" if samples.size < header.count else "is too long"
        raise FormatError(
            f"the raster {fault}: {header.width} x {header.height} pixels need {header.count} "
            f"samples, found {samples.size}"
        )
    return samples, header.end + further.start() if further else len(data)


def _without_comments(data: bytes, start: int) -> bytearray:
    """Return the file from `start` on. Comments become blanks of equal length: offsets stay."""
    text = bytearray(data[start:])
    if b"#" not in text:
        return text
    commented = False
    for begin in range(0, len(text), _BLOCK):
        block = np.frombuffer(text, np.uint8)[begin : begin + _BLOCK]
        places = np.arange(1, block.size + 1)
        line_ends = (block == ord("\n")) | (block == ord("\r"))
        # For each byte the last "#" and the last line end up to it, as places from 1 on; 0 if none.
        # If a comment goes on from the block before, it counts as begun at place 1.
        begun = np.maximum.accumulate(np.where(block == ord("#"), places, int(commented)))
        ended = np.maximum.accumulate(np.where(line_ends, places, 0))
        block[begun > ended] = ord(" ")
        commented = bool(begun[-1] > ended[-1])
    return text


def _numbers(text: bytearray) -> np.ndarray:
    """Return the numbers in a text of digits and white space; each is below 10^5. As uint32."""
    parts, begin = [np.empty(0, np.uint32)], 0
    while begin < len(text):
        space = _SPACE.search(text, begin + _BLOCK)  # a block ends at a space, not in a number
        end = space.start() if space else len(text)
        block = text[begin:end].strip()
        if block:
            parts.append(np.fromstring(bytes(block), np.int64, sep=" ").astype(np.uint32))
        begin = end
    return np.concatenate(parts)


_RASTERS = {b"P5": _raw_samples, b"P2": _plain_samples}


def _check_range(samples: np.ndarray, header: _Header) -> None:
    above = samples > header.maxval
    if above.any():
        first = int(above.argmax())
        row, column = divmod(first, header.width)
        raise FormatError(
            f"sample {samples[first]} at row {row}, column {column} is above maxval {header.maxval}"
        )
