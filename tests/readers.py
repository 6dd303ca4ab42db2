"""The readers of files, with sound files that fuzzing begins with: any bytes give one clear error.

`tests/unit/test_fuzzing.py` changes these files at random; `tests/fuzz_readers.py` looks for
changes that reach lines of code which no earlier change has reached. A new reader is a row here.
"""

from __future__ import annotations

import io
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from PIL import Image

from pyclfft.audio.audiofile import read_audio
from pyclfft.distributed import csv_samples
from pyclfft.errors import PyclfftError
from pyclfft.image import tiff64
from pyclfft.image.imagefile import ImageFile, read_images, write_images
from pyclfft.image.pgm import encode_pgm, read_pgm
from pyclfft.planning import database
from pyclfft.planning.lookup import Entry, Identity, Workclass
from pyclfft.planning.problem import make_problem
from pyclfft.selftest_tally import Failure, Tally, Worst, load, save
from tests.audio.test_audiofile import wav

PIXELS = np.arange(35, dtype=np.uint8).reshape(5, 7)


class Reader(NamedTuple):
    """How a kind of file is read.

    Attributes
    ----------
    read : function
        Takes the path of a file.
    sound : tuple of bytes
        Files that the reader takes.
    """

    read: Callable[[Path], Any]
    sound: tuple[bytes, ...]


def picture(suffix: str) -> bytes:
    file = io.BytesIO()
    Image.fromarray(PIXELS).save(file, suffix)
    return file.getvalue()


def written(write: Callable[[Path], None], suffix: str = "") -> bytes:
    """Return what a function writes to a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"file{suffix}")
        write(path)
        return path.read_bytes()


def doubles(path: Path) -> None:
    """Write two pages of 64-bit floats."""
    write_images(path, [ImageFile(PIXELS / 7, 1), ImageFile(PIXELS[:2] / 9, 1)])


def tuning() -> bytes:
    identity = Identity("platform", "name", "driver", "", "vendor", "cpu")
    workclass = Workclass.of(make_problem((8, 1024), "complex64", 1))
    return database.text_of([Entry(identity, workclass, {}), Entry(identity, None, {})]).encode()


def state(path: Path) -> None:
    failures = [Failure(1, "", "")]
    save(path, Tally("a", "b", "c", 1, 2, kinds={"c2c single": Worst()}, failures=failures))


def by_pandas(path: Path) -> Any:
    """Read a table as a large one is read."""
    with mock.patch.object(csv_samples, "LARGE_BYTES", 0):
        return csv_samples.read_samples(path)


def without_soundfile(path: Path) -> Any:
    """Read a sound as where the library soundfile is not installed."""
    with mock.patch.dict(sys.modules, {"soundfile": None}):
        return read_audio(path)


def directories(path: Path) -> Any:
    """Turn 64-bit floats into 32-bit ones and back, as around Pillow."""
    data, pages = tiff64.narrowed(path.read_bytes())
    return tiff64.widened(data, pages)


SOUNDS = tuple(
    wav(bytes(range(48)), bits=bits, code=code)
    for bits, code in ((8, 1), (16, 1), (24, 1), (32, 3), (64, 3))
)
TABLES = (b"time,value\n0,1.5\n1,2.5\n2,-3e5\n", b"# note\n1;2\n3;4\n", b"7\n8\n")
DOUBLES = written(doubles, ".tif")
READERS = {
    "pgm": Reader(read_pgm, (encode_pgm(PIXELS, 255), b"P2 # a comment\n3 2 9\n1 2 3\n4 5 6\n")),
    "image": Reader(read_images, (*map(picture, ("PNG", "TIFF", "BMP", "PPM", "GIF")), DOUBLES)),
    "tiff64": Reader(directories, (DOUBLES, picture("TIFF"))),
    "audio": Reader(read_audio, SOUNDS),
    "audio by hand": Reader(without_soundfile, SOUNDS),
    "csv": Reader(csv_samples.read_samples, TABLES),
    "csv by pandas": Reader(by_pandas, TABLES),
    "tuning": Reader(database.load, (tuning(),)),
    "state": Reader(load, (written(state),)),
}


def check(name: str, data: bytes, path: Path) -> None:
    """Read bytes as a file: any exception but those of a reader fails."""
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            READERS[name].read(path)
        except (PyclfftError, OSError) as error:
            if not str(error).strip():
                raise AssertionError("an error without words") from error
