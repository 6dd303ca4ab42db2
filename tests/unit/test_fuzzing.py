"""Any bytes give a value or one clear error: readers of images, sounds, tables and databases.

The bytes are random ones, and sound files of which some bytes are changed, cut off or put in.
"""

from __future__ import annotations

import io
import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pyclfft.audio.audiofile import read_audio
from pyclfft.distributed import csv_samples
from pyclfft.distributed.csv_samples import read_samples
from pyclfft.errors import PyclfftError
from pyclfft.image.imagefile import read_images
from pyclfft.image.pgm import encode_pgm, read_pgm
from pyclfft.planning import database
from pyclfft.planning.lookup import Entry, Identity, Workclass
from pyclfft.planning.problem import make_problem
from pyclfft.selftest_tally import Failure, Tally, Worst, load, save
from tests.audio.test_audiofile import wav

hypothesis = pytest.importorskip("hypothesis")
st = pytest.importorskip("hypothesis.strategies")

EXAMPLES = 150
PIXELS = np.arange(35, dtype=np.uint8).reshape(5, 7)


def picture(suffix):
    file = io.BytesIO()
    Image.fromarray(PIXELS).save(file, suffix)
    return file.getvalue()


def tuning():
    identity = Identity("platform", "name", "driver", "", "vendor", "cpu")
    workclass = Workclass.of(make_problem((8, 1024), "complex64", 1))
    return database.text_of([Entry(identity, workclass, {}), Entry(identity, None, {})]).encode()


def state(folder):
    tally = Tally("a", "b", "c", 1, 2, kinds={"c2c single": Worst()}, failures=[Failure(1, "", "")])
    save(folder / "state", tally)
    return (folder / "state").read_bytes()


# How a file is read, and sound files that it begins with.
READERS = {
    "pgm": (read_pgm, (encode_pgm(PIXELS, 255), b"P2 # a comment\n3 2 9\n1 2 3\n4 5 6\n")),
    "image": (read_images, tuple(map(picture, ("PNG", "TIFF", "BMP", "PPM", "GIF")))),
    "audio": (
        read_audio,
        tuple(
            wav(bytes(range(48)), bits=bits, code=code)
            for bits, code in ((8, 1), (16, 1), (24, 1), (32, 3), (64, 3))
        ),
    ),
    "csv": (
        read_samples,
        (b"time,value\n0,1.5\n1,2.5\n2,-3e5\n", b"# note\n1;2\n3;4\n", b"7\n8\n"),
    ),
    "tuning": (database.load, (tuning(),)),
    "state": (load, ()),
}


def changed(sound):
    """A strategy: bytes of a sound file with a few changes, or any bytes at all."""
    change = st.tuples(
        st.sampled_from(("replace", "insert", "cut", "repeat")),
        st.floats(0, 1),
        st.binary(min_size=1, max_size=6),
    )

    def apply(data, changes):
        for kind, where, new in changes:
            at = int(where * len(data))
            data = {
                "replace": data[:at] + new + data[at + len(new) :],
                "insert": data[:at] + new + data[at:],
                "cut": data[:at],
                "repeat": data + data[at:],
            }[kind][: 2**16]
        return data

    whole = st.builds(apply, st.sampled_from(sound), st.lists(change, min_size=1, max_size=4))
    return st.one_of(whole, st.binary(max_size=200))


def fuzz(read, sound, path):
    """Read many damaged files: any exception but those of a reader fails."""

    @hypothesis.settings(
        max_examples=EXAMPLES, deadline=None, database=None, derandomize=True,
        report_multiple_bugs=False,
        suppress_health_check=list(hypothesis.HealthCheck),
    )  # fmt: skip
    @hypothesis.given(changed(sound))
    def check(data):
        path.write_bytes(data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                read(path)
            except (PyclfftError, OSError) as error:
                assert str(error).strip(), "an error without words"  # noqa: PT017

    check()


@pytest.mark.parametrize("name", READERS)
def test_any_bytes(tmp_path, name):
    read, sound = READERS[name]
    fuzz(read, sound or (state(tmp_path),), tmp_path / "file")


def test_any_bytes_by_the_parser_for_large_tables(tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.setattr(csv_samples, "LARGE_BYTES", 0)
    fuzz(*READERS["csv"], tmp_path / "file")


def test_any_bytes_of_sounds_without_soundfile(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "soundfile", None)
    fuzz(*READERS["audio"], tmp_path / "file")


def test_sound_files_are_read(tmp_path):
    """What is changed above is sound before."""
    for read, sound in READERS.values():
        for data in sound or (state(tmp_path),):
            path = tmp_path / "file"
            path.write_bytes(data)
            assert read(path) is not None


def test_other_exceptions_are_found(tmp_path):
    def read(path: Path):
        return json.loads(path.read_bytes())  # ValueError is none of ours

    with pytest.raises(ValueError):
        fuzz(read, (b"{}",), tmp_path / "file")
