"""TIFF files of 64-bit floats, which Pillow does not know, as files of 32-bit floats.

A page gets twice the width, and each 64-bit float counts as two of 32 bits. Only the directories of
a file change, in which a page says how wide it is and what its samples are. The samples stay as
they are, compressed or not, so that Pillow reads and writes them.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from ..errors import FormatError

WIDTH, BITS, ORIENTATION, SAMPLES, PREDICTOR, TILE_WIDTH, SAMPLE_FORMAT = (
    256, 258, 274, 277, 317, 322, 339,
)  # fmt: skip
FLOAT = 3  # the sample format of floats
NO_PREDICTOR = 1
WIDEST = 2**32 - 1

_SHORT, _LONG = 3, 4  # the types of an entry's value
_FORMATS = {_SHORT: "H", _LONG: "I"}


@dataclass(frozen=True)
class _Kind:
    """How directories are laid out: in classic TIFF or in BigTIFF, of either byte order."""

    order: str
    first: int  # where the offset of the first directory stands in the file
    count: str
    offset: str
    entry: int  # how many bytes an entry has
    value: int  # where the value stands in an entry


_KINDS = {
    b"II*\0": _Kind("<", 4, "H", "I", 12, 8),
    b"MM\0*": _Kind(">", 4, "H", "I", 12, 8),
    b"II+\0": _Kind("<", 8, "Q", "Q", 20, 12),
    b"MM\0+": _Kind(">", 8, "Q", "Q", 20, 12),
}


class _Page:
    """The directory of a page: numbers that stand in its entries themselves."""

    def __init__(self, data: bytearray, kind: _Kind, places: dict[int, int]) -> None:
        self._data, self._kind, self._places = data, kind, places

    def get(self, tag: int, default: int) -> int:
        """Return the number of a tag, or the default if the tag is missing or no single number."""
        place = self._places.get(tag)
        if place is None:
            return default
        order = self._kind.order
        value_type, count = struct.unpack_from(
            f"{order}H{self._kind.offset}", self._data, place + 2
        )
        if count != 1 or value_type not in _FORMATS:
            return default
        form = order + _FORMATS[value_type]
        return int(struct.unpack_from(form, self._data, place + self._kind.value)[0])

    def put(self, tag: int, number: int) -> None:
        """Change the number of a tag; a page without the tag stays as it is."""
        order, place = self._kind.order, self._places.get(tag)
        if place is None:
            return
        struct.pack_into(f"{order}H", self._data, place + 2, _LONG)
        struct.pack_into(f"{order}I", self._data, place + self._kind.value, number)

    def scale_widths(self, factor: int, divisor: int) -> None:
        """Multiply the width of the page, and of its tiles if it has any.

        Raises
        ------
        FormatError
            TIFF cannot state the new width.
        """
        for tag in (WIDTH, TILE_WIDTH):
            width = self.get(tag, 0)
            if width * factor // divisor > WIDEST:
                raise FormatError(
                    f"the file says that a page of 64-bit floats, or its tiles, are {width} pixels "
                    "wide: it is damaged, so write it anew"
                )
            self.put(tag, width * factor // divisor)


def narrowed(data: bytes) -> tuple[bytes, dict[int, int]]:
    """Turn pages of 64-bit floats into pages of 32-bit floats with twice the width.

    Parameters
    ----------
    data : bytes
        Of any file.

    Returns
    -------
    data : bytes
        The same where there is no page of one 64-bit float a pixel.
    pages : dict of int to int
        By the number of such a page, from 0 on, its orientation (EXIF's number), which the changed
        file no longer states.

    Raises
    ------
    FormatError
        A predictor stands between the file's bytes and its samples, or a page is said to be wider
        than a file can hold.
    """
    changed, pages = bytearray(), {}
    for number, page in enumerate(_pages(data, changed)):
        asked = (page.get(BITS, 0), page.get(SAMPLE_FORMAT, 0), page.get(SAMPLES, 1))
        if asked != (64, FLOAT, 1):
            continue
        if page.get(PREDICTOR, NO_PREDICTOR) != NO_PREDICTOR:
            raise FormatError(
                "64-bit floats that are compressed with a predictor cannot be read: write the file "
                "without one, or with 32-bit floats"
            )
        pages[number] = page.get(ORIENTATION, 1)
        page.put(BITS, 32)
        page.scale_widths(2, 1)
        page.put(ORIENTATION, 1)
    return (bytes(changed), pages) if pages else (data, pages)


def widened(data: bytes, pages: Collection[int]) -> bytes:
    """Turn pages of 32-bit floats, from `split`, into pages of 64-bit floats with half the width.

    Parameters
    ----------
    data : bytes
        A TIFF file.
    pages : collection of int
        Numbers of these pages, from 0 on.

    Returns
    -------
    bytes
    """
    changed = bytearray()
    for number, page in enumerate(_pages(data, changed)):
        if number in pages:
            page.put(BITS, 64)
            page.scale_widths(1, 2)
    return bytes(changed) if changed else data


def split(pixels: np.ndarray) -> np.ndarray:
    """Return float64 pixels as twice as many float32, which a narrowed page holds."""
    return np.ascontiguousarray(pixels, "<f8").view("<f4").astype(np.float32, copy=False)


def joined(halves: np.ndarray, data: bytes) -> np.ndarray:
    """Return the float64 pixels whose halves a narrowed page of a file holds.

    Parameters
    ----------
    halves : ndarray of float32, shape (height, 2 * width)
        In native byte order, as Pillow gives them.
    data : bytes
        The file, whose byte order says which half comes first.

    Returns
    -------
    ndarray of float64, shape (height, width)
    """
    height, width = halves.shape
    words = np.ascontiguousarray(halves).view(np.uint32).reshape(height, width // 2, 2)
    high_first = data[:2] == b"MM"
    high, low = (words[..., int(not high_first)], words[..., int(high_first)])
    return (high.astype(np.uint64) << np.uint64(32) | low).view(np.float64)


def _pages(data: bytes, changed: bytearray) -> Iterator[_Page]:
    """Yield the pages of a TIFF file, which edit its copy in `changed`; no pages of other files."""
    kind = _KINDS.get(data[:4])
    if kind is None:
        return
    changed += data
    room = len(data) // kind.entry  # entries that the file can hold, so that a damaged one ends
    count_bytes = struct.calcsize(kind.order + kind.count)
    seen = set()
    try:
        (begin,) = struct.unpack_from(kind.order + kind.offset, data, kind.first)
        while begin and begin not in seen:
            seen.add(begin)
            (count,) = struct.unpack_from(kind.order + kind.count, data, begin)
            room -= count
            if room < 0:
                return
            first = begin + count_bytes
            places = {
                struct.unpack_from(f"{kind.order}H", data, place)[0]: place
                for place in range(first, first + count * kind.entry, kind.entry)
            }
            yield _Page(changed, kind, places)
            (begin,) = struct.unpack_from(
                kind.order + kind.offset, data, first + count * kind.entry
            )
    except (struct.error, OverflowError):
        return  # damaged: Pillow will say so
