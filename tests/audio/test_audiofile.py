"""Audio files: what is read of each kind, alike with and without soundfile; what is refused."""

from __future__ import annotations

import contextlib
import io
import runpy
import struct
import sys
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pytest

from pyclfft.audio import audiofile
from pyclfft.audio.audiofile import audio_blocks, open_audio, read_audio, scaled
from pyclfft.errors import FormatError, PlanError

soundfile = pytest.importorskip("soundfile")
scipy_io = pytest.importorskip("scipy.io")
wavfile = scipy_io.wavfile

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
SCIPY_FILES = sorted(Path(scipy_io.__file__).with_name("tests").glob("data/test-*.wav"))

# Of SciPy's files: what nobody reads, what only soundfile reads, and what only we read.
BROKEN = ("early-eof-no-data", "incomplete-chunk")
ONLY_SOUNDFILE = ("ulaw", "inconsistent")
NOT_SOUNDFILE = ("36bit", "45bit", "53bit", "64bit")
CUT_SHORT = "4bytes-early-eof"


@pytest.fixture(params=["soundfile", "by hand"])
def reader(request, monkeypatch):
    """Who reads: the library, or we, where it is not installed."""
    if request.param == "by hand":
        monkeypatch.setitem(sys.modules, "soundfile", None)
    return request.param


def ends(path, parts):
    return path.stem.endswith(parts)


def by_scipy(path):
    """Samples in float64 by SciPy, left-justified integers, as its documentation has them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sr, values = wavfile.read(path)
    values = values.reshape(len(values), -1)
    if values.dtype == np.uint8:
        return sr, (values.T.astype(float) - 128) / 128
    if values.dtype.kind == "i":
        return sr, values.T.astype(float) / 2.0 ** (8 * values.itemsize - 1)
    return sr, values.T.astype(float)


def wav(data: bytes, *, bits=16, code=1, channels=1, sr=8000, size=None) -> bytes:
    """A WAV file by hand; `size` is what it says it holds."""
    frame = channels * bits // 8
    header = struct.pack("<HHIIHH", code, channels, sr, sr * frame, frame, bits)
    body = b"WAVEfmt " + struct.pack("<I", len(header)) + header
    body += b"data" + struct.pack("<I", len(data) if size is None else size) + data
    return b"RIFF" + struct.pack("<I", len(body)) + body


@pytest.fixture
def store(tmp_path):
    def write(data: bytes, name="sound.wav"):
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return write


# --- the files that SciPy tests its own reader with -----------------------------------------------


def test_scipys_files_are_there():
    if not SCIPY_FILES:
        pytest.skip("this SciPy comes without its tests")
    for part in (
        *BROKEN, *ONLY_SOUNDFILE, *NOT_SOUNDFILE, CUT_SHORT, "rf64", "wavex", "1byteu", "24bit"
    ):  # fmt: skip
        assert any(ends(path, part) for path in SCIPY_FILES)


@pytest.mark.parametrize("path", SCIPY_FILES, ids=lambda path: path.stem)
def test_conformance(path, reader):
    if ends(path, BROKEN) or (ends(path, ONLY_SOUNDFILE) and reader == "by hand"):
        with pytest.raises(FormatError, match=f"^{path}: .*convert it") as error:
            read_audio(path)
        assert "\n" not in str(error.value)
        assert ("pip install" in str(error.value)) == (reader == "by hand")
        return
    cut = ends(path, CUT_SHORT)
    with pytest.warns(UserWarning, match="cut short") if cut else contextlib.nullcontext():
        audio = read_audio(path)
    if ends(path, ONLY_SOUNDFILE):
        expected, sr = soundfile.read(path, always_2d=True)
        expected = expected.T
    else:
        sr, expected = by_scipy(path)
    assert (audio.sr, audio.samples.dtype) == (sr, np.float32)
    assert f"-{sr}Hz-" in path.name
    np.testing.assert_array_equal(audio.samples, expected.astype(np.float32))
    if not ends(path, NOT_SOUNDFILE):
        others, sr = soundfile.read(path, dtype="float32", always_2d=True)
        np.testing.assert_array_equal(audio.samples, others.T)
    assert np.abs(expected).max() <= 1
    assert (audio.info.channels, audio.info.samples) == expected.shape


# --- kinds of numbers -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "data", "expected"),
    [
        ("8-bit WAV", bytes([0, 128, 255, 64]), [-1, 0, 127 / 128, -0.5]),
        ("16-bit WAV", struct.pack("<4h", -(2**15), 0, 2**15 - 1, 1), [-1, 0, 1 - 2**-15, 2**-15]),
        ("24-bit WAV", b"\0\0\x80\0\0\0\xff\xff\x7f\1\0\0", [-1, 0, 1 - 2**-23, 2**-23]),
        ("32-bit WAV", struct.pack("<4i", -(2**31), 0, 2**30, 1), [-1, 0, 0.5, 2**-31]),
        ("32-bit float WAV", struct.pack("<4f", -1.5, 0, 0.1, 3), [-1.5, 0, 0.1, 3]),
        ("64-bit float WAV", struct.pack("<4d", -1.5, 0, 0.1, 3), [-1.5, 0, 0.1, 3]),
    ],
)
def test_full_scale(kind, data, expected, reader, store):
    bits, code = int(kind.split("-")[0]), 3 if "float" in kind else 1
    audio = read_audio(store(wav(data, bits=bits, code=code)))
    np.testing.assert_array_equal(audio.samples, np.array([expected], np.float32))
    assert (audio.info.kind, audio.sr, audio.info.seconds) == (kind, 8000, 4 / 8000)


def test_scaled_leaves_its_argument():
    values = np.array([0, 255], np.uint8)
    assert scaled(values).tolist() == [-1, 127 / 128]
    assert values.tolist() == [0, 255]


TONE = 0.5 * np.sin(np.arange(6000) * 0.1)[:, None] * [1, -0.5]


@pytest.mark.parametrize(
    ("name", "subtype", "kind", "error"),
    [
        ("a.flac", "PCM_16", "16-bit FLAC", 2**-15),
        ("a.flac", "PCM_24", "24-bit FLAC", 2**-23),
        ("a.aiff", "PCM_24", "24-bit AIFF", 2**-23),
        ("a.ogg", "VORBIS", "Vorbis OGG", 0.05),
        ("a.w64", "DOUBLE", "64-bit float W64", 1e-7),
        ("misnamed.wav", "PCM_16", "16-bit FLAC", 2**-15),
    ],
)
def test_other_formats(name, subtype, kind, error, tmp_path):
    path = tmp_path / name
    container = "FLAC" if name == "misnamed.wav" else path.suffix[1:].upper()
    soundfile.write(path, TONE, 8000, subtype=subtype, format=container)
    audio = read_audio(path)
    assert (audio.info.kind, audio.samples.shape) == (kind, (2, 6000))
    assert str(audio.info) == f"0.75 s, 8000 Hz, stereo, {kind}"
    np.testing.assert_allclose(audio.samples, TONE.T, atol=error)


# --- parts ----------------------------------------------------------------------------------------


@pytest.fixture
def channels(store):
    """Three channels of 1000 samples, each of its own values, in 16 and in 24 bits."""
    values = np.arange(3000, dtype=np.int32).reshape(1000, 3)
    wide = (values << 8).astype("<i4").view(np.uint8).reshape(-1, 4)[:, :3].tobytes()
    return (
        store(wav(values.astype("<i2").tobytes(), channels=3, sr=100), "16.wav"),
        store(wav(wide, bits=24, channels=3, sr=100), "24.wav"),
        values.T.astype(np.float32) / 2**15,
    )


@pytest.mark.parametrize("size", [1, 64, 1000, 5000])
def test_blocks_are_the_whole(reader, size, channels):
    *paths, expected = channels
    for path in paths:
        for step in (1000,) if size > 1 else (10,):
            blocks = list(audio_blocks(path, size, duration=step / 100))
            assert [each.shape[1] for each in blocks[:-1]] == [size] * (len(blocks) - 1)
            np.testing.assert_array_equal(np.concatenate(blocks, 1), expected[:, :step])


@pytest.mark.parametrize(
    ("options", "rows", "columns"),
    [
        ({}, [0, 1, 2], slice(None)),
        ({"channel": 0}, [0], slice(None)),
        ({"channel": 2}, [2], slice(None)),
        ({"start": 2.5}, [0, 1, 2], slice(250, None)),
        ({"start": 9.99}, [0, 1, 2], slice(999, None)),
        ({"duration": 0.4}, [0, 1, 2], slice(40)),
        ({"duration": 1e-9}, [0, 1, 2], slice(1)),
        ({"start": 3, "duration": 2, "channel": 1}, [1], slice(300, 500)),
        ({"start": 9, "duration": 1e9}, [0, 1, 2], slice(900, None)),
    ],
)
def test_parts(reader, options, rows, columns, channels):
    path, _, expected = channels
    samples = read_audio(path, **options).samples
    np.testing.assert_array_equal(samples, expected[rows, columns])
    samples[...] = 0  # they are the caller's own
    assert samples.flags.c_contiguous


def test_mix_is_the_mean(channels):
    path, _, expected = channels
    mix = read_audio(path, channel="mix").samples
    assert mix.shape == (1, 1000)
    np.testing.assert_allclose(mix[0], expected.mean(axis=0), rtol=1e-6)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"channel": 3}, r"no channel 3: take 0 to 2, or 'mix'"),
        ({"channel": -1}, "no channel -1"),
        ({"channel": "left"}, "no channel 'left'"),
        ({"start": 10}, r"lasts 10\.000 s.*choose an earlier start"),
        ({"start": -1}, "from 0 on, not -1"),
        ({"start": float("nan")}, "from 0 on, not nan"),
        ({"duration": 0}, "positive number of seconds, not 0"),
        ({"duration": float("nan")}, "positive number of seconds, not nan"),
        ({"size": 0}, "positive number of samples"),
    ],
)
def test_parts_that_are_not_there(options, words, channels):
    with pytest.raises(PlanError, match=words):
        list(audio_blocks(channels[0], **options))


# --- bad files ------------------------------------------------------------------------------------

SIXTEEN = np.arange(100, dtype="<i2").tobytes()
BAD_FILES = {
    "empty": (b"", "the file is empty"),
    "text": (b"hello, world: no sound", "Format not recognised"),
    "picture": (b"\x89PNG\r\n\x1a\n" + bytes(100), "Format not recognised"),
    "only a beginning": (b"RIFF", "no audio that can be read"),
    "no chunks": (b"RIFF\x04\0\0\0WAVE", "no audio that can be read"),
    "no samples": (wav(b""), "no samples are in it"),
    "a chunk of 4 GB": (wav(SIXTEEN)[:12] + b"junk\xff\xff\xff\xff", "no audio that can be read"),
    "NaN": (wav(struct.pack("<2f", 0, np.nan), bits=32, code=3), "NaN or infinite"),
    "infinite": (wav(struct.pack("<2d", 0, np.inf), bits=64, code=3), "NaN or infinite"),
    "too large for float32": (wav(struct.pack("<d", 1e200), bits=64, code=3), "NaN or infinite"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files_are_one_clear_line(case, store):
    data, words = BAD_FILES[case]
    path = store(data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(FormatError, match=words) as error:
            read_audio(path)
    assert str(error.value).startswith(f"{path}: ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "options",
    [
        {"channels": 0},
        {"bits": 0},
        {"bits": 72},
        {"bits": 4, "channels": 2},  # bytes of a frame are not a multiple of the channels
        {"bits": 16, "code": 3},
        {"code": 7},
        {"code": 0x1234},
    ],
)
def test_headers_that_make_no_sense_without_soundfile(options, store, monkeypatch):
    monkeypatch.setitem(sys.modules, "soundfile", None)
    with pytest.raises(FormatError, match=r"no audio that can be read .*pip install"):
        read_audio(store(wav(SIXTEEN, **options)))


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_audio(tmp_path / "no.wav")
    with pytest.raises(OSError, match=r"directory|denied"):
        read_audio(tmp_path)


def test_cut_short(reader, store):
    path = store(wav(SIXTEEN[:120], size=200))
    with pytest.warns(UserWarning, match=r"cut short: 80 of 200 bytes are missing"):
        audio = read_audio(path)
    assert audio.samples[0, -1] == np.float32(59 / 2**15)


def test_size_that_is_not_known_is_not_cut_short(reader, store):
    """As programs leave it that write to a pipe."""
    path = store(wav(SIXTEEN, size=2**32 - 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_audio(path).samples.shape == (1, 100)


def test_damaged_flac(tmp_path):
    path = tmp_path / "a.flac"
    noise = np.random.default_rng(1).normal(size=60_000) / 9
    soundfile.write(path, noise, 8000)
    path.write_bytes(path.read_bytes()[:60_000])
    with pytest.raises(FormatError, match=r"a\.flac: damaged or cut short .*get another copy"):
        read_audio(path)
    assert read_audio(path, duration=0.5).samples.shape == (1, 4000)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a.flac", "reading FLAC needs soundfile"),
        ("a.ogg", "reading OGG needs soundfile"),
        ("a.aiff", "reading AIFF needs soundfile"),
        ("text.wav", r"a file that is no WAV \(it begins with b'hell'\) needs"),
    ],
)
def test_without_soundfile(name, words, tmp_path, monkeypatch):
    path = tmp_path / name
    if name == "text.wav":
        path.write_text("hello")
    else:
        soundfile.write(path, TONE, 8000)
    monkeypatch.setitem(sys.modules, "soundfile", None)
    with pytest.raises(FormatError, match=rf"{words}.*pip install soundfile"):
        read_audio(path)


def test_wav_without_soundfile(monkeypatch):
    expected = read_audio(SAMPLES / "tune.wav").samples
    monkeypatch.setitem(sys.modules, "soundfile", None)
    with open_audio(SAMPLES / "tune.wav") as audio:
        assert str(audio.info) == "5.00 s, 11025 Hz, mono, 16-bit WAV"
        np.testing.assert_array_equal(np.concatenate(list(audio.blocks(999)), 1), expected)


# --- many chunks ----------------------------------------------------------------------------------


class Counted(io.BytesIO):
    """A file that counts how often it is read, and how many bytes."""

    reads = bytes_read = 0

    def read(self, size=-1):
        data = super().read(size)
        self.reads += 1
        self.bytes_read += len(data)
        return data


@pytest.mark.parametrize("name", [b"junk", b"LIST", b"fmt "])
def test_time_and_memory_for_many_empty_chunks(name, tmp_path):
    """What it costs to find the samples is bounded by the file's size, whatever is in it."""
    whole = wav(SIXTEEN)
    data = whole[:36] + 60_000 * (name + bytes(4)) + whole[36:]
    file = Counted(data)
    tracemalloc.start()
    try:
        header = audiofile._wav_header(file)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (header.begin, header.held) == (len(data) - 200, 200)
    assert file.bytes_read < 1.01 * len(data)
    assert file.reads < 100 + len(data) // 2**16
    assert peak < 2**18
    path = tmp_path / "chunks.wav"
    path.write_bytes(data)
    samples = read_audio(path).samples
    np.testing.assert_array_equal(samples[0], np.arange(100) / np.float32(2**15))


def test_chunks_of_every_size(reader, store):
    """Also those of odd sizes, after which one byte is left out, and those of many blocks."""
    rng = np.random.default_rng(3)
    sizes = [0, 1, 39, 40, 41, 2**16 - 8, 2**16, 2**16 + 1, *rng.integers(0, 200_000, 20)]
    chunks = b"".join(
        b"note" + struct.pack("<I", size) + bytes(size + size % 2) for size in map(int, sizes)
    )
    whole = wav(SIXTEEN)
    path = store(whole[:12] + chunks + whole[12:36] + chunks + whole[36:] + chunks)
    samples = read_audio(path).samples
    np.testing.assert_array_equal(samples[0], np.arange(100) / np.float32(2**15))


# --- the sample -----------------------------------------------------------------------------------


def test_the_script_makes_the_sound_that_is_stored(tmp_path):
    path = tmp_path / "again.wav"
    runpy.run_path(str(SAMPLES / "make_sound.py"))["main"](["--output", str(path)])
    stored = (SAMPLES / "tune.wav").read_bytes()
    assert path.read_bytes() == stored
    assert len(stored) < 120_000
