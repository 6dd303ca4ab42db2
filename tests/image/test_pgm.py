"""PGM: bytes written by hand against arrays, malformed files against the words of the message."""

from __future__ import annotations

import io
import random
import tracemalloc

import numpy as np
import pytest
from PIL import Image

from pyclfft.errors import FormatError
from pyclfft.image import pgm

WHITE_SPACE = [
    b" ",
    b"\n",
    b"\t",
    b"\r",
    b"\r\n",
    b"  \n\t ",
    b"#\n",
    b"# c 9 P5 \xff\n",
    b" #a\r#b\n",
]

WELL_FORMED = {
    "P5, 8 bit": (b"P5\n3 2\n255\n\x00\x01\x02\xfd\xfe\xff", [[0, 1, 2], [253, 254, 255]], 255),
    "P5, 16 bit, high byte first": (b"P5 2 1 65535 \x12\x34\xff\x00", [[0x1234, 0xFF00]], 65535),
    "P5, 12 bit": (b"P5 2 1 4095\n\x0f\xff\x00\x01", [[4095, 1]], 4095),
    "P5, first maxval with two bytes": (b"P5 1 1 256 \x01\x00", [[256]], 256),
    "P5, maxval 1": (b"P5 2 1 1 \x00\x01", [[0, 1]], 1),
    "P5, all on one line": (b"P5 2 1 200 \x07\x08", [[7, 8]], 200),
    "P5, leading zeros": (b"P5 00002 0000000000000001 0255 AB", [[65, 66]], 255),
    "P5, raster begins with white space": (b"P5 2 1 255\n\n ", [[10, 32]], 255),
    "P5, raster begins with #": (b"P5 2 1 255\n#\n", [[35, 10]], 255),
    "P5, comment right after maxval": (b"P5 2 1 255# 9 9\nAB", [[65, 66]], 255),
    "P5, that comment ends with CR": (b"P5 2 1 255# 9 9\r\nB", [[10, 66]], 255),
    "P5, comments right after each number": (b"P5#a\n2#b\n1#c\n255\nAB", [[65, 66]], 255),
    "P5, digits in a comment": (b"P5\n# 4 4 9\n2 1\n# 77\n255\nAB", [[65, 66]], 255),
    "P5, newline at the end": (b"P5 2 1 255 AB\n", [[65, 66]], 255),
    "P5, a further image": (b"P5 2 1 255 ABP5 1 1 255 C", [[65, 66]], 255),
    "P5, a further colour image": (b"P5 2 1 255 AB\nP6 1 1 255 CDE", [[65, 66]], 255),
    "P2": (b"P2\n3 2\n15\n0 1 2\n13 14 15\n", [[0, 1, 2], [13, 14, 15]], 15),
    "P2, lines do not matter": (b"P2 3 2 15 0\n1 2 13\t14\r\n15", [[0, 1, 2], [13, 14, 15]], 15),
    "P2, 16 bit": (b"P2 2 1 65535 65535 256", [[65535, 256]], 65535),
    "P2, leading zeros": (b"P2 2 1 255 007 " + b"0" * 9000 + b"8", [[7, 8]], 255),
    "P2, comments among the samples": (b"P2 2 1 255#a\n7#8\n#9 x\r 8 # 10", [[7, 8]], 255),
    "P2, a further image": (b"P2 2 1 255 7 8\nP2 1 1 255 9", [[7, 8]], 255),
    "P2, a further raw image": (b"P2 2 1 255 7 8\nP5 1 1 255 \xff", [[7, 8]], 255),
}

MALFORMED = {
    "empty": (b"", "empty"),
    "one byte": (b"P", "not a PGM file"),
    "text": (b"hello world", "not a PGM file", "hello"),
    "PNG": (b"\x89PNG\r\n\x1a\n", "not a PGM file", "PNG"),
    "lower case": (b"p5 1 1 255 A", "not a PGM file"),
    "P1": (b"P1 1 1 1", "plain bitmap (PBM)", "not a PGM file"),
    "P3": (b"P3 1 1 255 1 2 3", "plain colour image (PPM)"),
    "P4": (b"P4 8 1 A", "raw bitmap (PBM)"),
    "P6": (b"P6 1 1 255 ABC", "raw colour image (PPM)"),
    "P7": (b"P7\nWIDTH 1\n", "PAM"),
    "magic without white space": (b"P52 1 255 AB", "byte 2", "white space"),
    "only the magic": (b"P5", "header is truncated", "no width", "byte 2"),
    "no width": (b"P5 # 2 1 255", "header is truncated", "no width"),
    "no height": (b"P5 2\n", "header is truncated", "no height", "byte 5"),
    "no maxval": (b"P5 2 1 ", "header is truncated", "no maxval"),
    "width a word": (b"P5 two 1 255 AB", "width b'two'", "byte 3", "not a decimal integer"),
    "height a fraction": (b"P5 2 1.5 255 AB", "height b'1.5'", "byte 5"),
    "maxval hexadecimal": (b"P5 2 1 0xff AB", "maxval b'0xff'"),
    "width with a sign": (b"P5 +2 1 255 AB", "width b'+2'"),
    "width negative": (b"P5 -2 1 255 AB", "width b'-2'", "not a decimal integer"),
    "width with underscore": (b"P5 2_0 1 255 AB", "width b'2_0'"),
    "width in other digits": (b"P5 \xb2 1 255 AB", "width b'\\xb2'"),
    "width zero": (b"P5 0 1 255 ", "width 0", "1..2147483647"),
    "height zero": (b"P2 1 000 255 ", "height 000", "1..2147483647"),
    "width huge": (b"P5 99999999999999999999999 1 255 A", "width 99999999999999999999", "byte 3"),
    "width of many digits": (b"P5 " + b"9" * 9999 + b" 1 255 A", "width 9999", "1..2147483647"),
    "maxval zero": (b"P5 2 1 0 AB", "maxval 0", "1..65535"),
    "maxval above": (b"P5 2 1 65536 AB", "maxval 65536", "1..65535"),
    "nothing after maxval": (b"P5 2 1 255", "ends after maxval", "byte 10"),
    "comment without end": (b"P5 2 1 255 #".replace(b" #", b"#"), "ends after maxval"),
    "maxval glued to the raster": (b"P5 2 1 255\xa0AB", "maxval b'255\\xa0AB'"),
    "P5, no raster": (b"P5 2 3 255 ", "truncated", "6 bytes", "from byte 11", "found 0"),
    "P5, one byte missing": (b"P5 2 3 255 ABCDE", "truncated", "6 bytes", "found 5"),
    "P5, half of 16 bits": (b"P5 2 3 256 ABCDEF", "truncated", "16 bits", "12 bytes", "found 6"),
    "P5, giant": (b"P5 1000000000 1000000000 255 A", "truncated", "1000000000000000000 bytes"),
    "P5, sample above maxval": (b"P5 2 2 9 \x01\x02\x03\x0a", "sample 10", "row 1, column 1", "9"),
    "P5, 16-bit sample above": (b"P5 2 1 4095 \x10\x00\x00\x00", "sample 4096", "row 0, column 0"),
    "P5, rest": (b"P5 2 1 255 ABjunk", "4 bytes behind the raster", "from byte 13", "maxval 255"),
    "P5, maxval of 8 bits for 16": (b"P5 2 1 255 \x00A\x00B", "2 bytes behind the raster"),
    "P2, no raster": (b"P2 2 3 255", "truncated", "6 samples", "found 0"),
    "P2, one sample missing": (b"P2 2 3 255 1 2 3 4 5 # 6", "truncated", "6 samples", "found 5"),
    "P2, giant": (b"P2 1000000000 1000000000 255 1", "truncated", "found 1"),
    "P2, too many": (b"P2 2 1 255 1 2 3", "too long", "2 samples", "found 3"),
    "P2, a word": (b"P2 2 1 255 1 two", "b'two'", "byte 13", "sample"),
    "P2, a word after a comment": (b"P2 2 1 255 # xyz\n1 two", "b'two'", "byte 19"),
    "P2, a fraction": (b"P2 2 1 255 1.5 2", "b'.5'", "byte 12"),
    "P2, negative": (b"P2 2 1 255 1 -2", "b'-2'", "byte 13"),
    "P2, an underscore": (b"P2 2 1 255 1 2_0", "b'_0'"),
    "P2, a null byte": (b"P2 2 1 255 1 2\x00", "b'\\x00'"),
    "P2, above maxval": (b"P2 2 2 9 1 2\n3 10", "sample 10", "row 1, column 1", "maxval 9"),
    "P2, far above maxval": (b"P2 2 1 9 1 " + b"9" * 30, "sample 99999999", "byte 11", "maxval 9"),
}


@pytest.mark.parametrize(("data", "pixels", "maxval"), WELL_FORMED.values(), ids=WELL_FORMED)
def test_well_formed(data, pixels, maxval):
    result, found = pgm.decode_pgm(data)
    np.testing.assert_array_equal(result, pixels)
    assert found == maxval
    assert result.dtype == (np.uint8 if maxval < 256 else np.uint16)
    assert result.dtype.isnative
    assert result.flags.writeable
    assert result.flags.c_contiguous


@pytest.mark.parametrize(
    ("data", "words"), [(v[0], v[1:]) for v in MALFORMED.values()], ids=MALFORMED
)
def test_malformed(data, words):
    with pytest.raises(FormatError) as caught:
        pgm.decode_pgm(data, "photo.pgm")
    message = str(caught.value)
    assert message.startswith("photo.pgm: ")
    assert "\n" not in message
    assert len(message) < 200
    for word in words:
        assert word in message


@pytest.mark.parametrize("magic", [b"P5", b"P2"])
@pytest.mark.parametrize("space", WHITE_SPACE)
def test_white_space_and_comments_between_all_numbers(magic, space):
    raster = b"\n\x01\x02" if magic == b"P5" else space + b"1" + space + b"2" + space
    data = space.join([magic, b"2", b"1", b"255"]) + raster
    np.testing.assert_array_equal(pgm.decode_pgm(data)[0], [[1, 2]])


def test_every_truncation_is_an_error():
    for data in (b"P5 #c\n2 3\n4095\n" + bytes(12), b"P2 #c\n2 3\n4095\n1 2 3 4 5 60"):
        complete = len(data) - (data[:2] == b"P2")  # "6" is a sample, too
        for length in range(complete):
            with pytest.raises(FormatError):
                pgm.decode_pgm(data[:length])


def decoded_with_peak(data):
    """Pixels, and the bytes of memory that it took to decode them."""
    tracemalloc.start()
    try:
        pixels, _ = pgm.decode_pgm(data)
        return pixels, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


FILLINGS = {
    "a long comment": b"#" * 2_000_000 + b"\n",
    "comments": b"# \n" * 700_000,
    "short comments": b"#\r" * 1_000_000,
    "blanks": b" " * 2_000_000,
}
AROUND = {
    "P5, first": (b"P5 ", b"1 1 255 A"),
    "P5, later": (b"P5 1 1", b" 255 A"),
    "P5, behind": (b"P5 1 1 255 A", b""),
    "P2, first": (b"P2 ", b"1 1 255 65"),
    "P2, before the raster": (b"P2 1 1 255\n", b"65"),
    "P2, behind": (b"P2 1 1 255 65\n", b""),
}


@pytest.mark.parametrize(
    ("filling", "around"),
    [
        (filling, around)
        for filling in FILLINGS
        for around in AROUND
        if around != "P5, behind" or filling == "blanks"  # comments there are damage
    ],
)
def test_fillings_take_little_time_and_memory(filling, around):
    data = FILLINGS[filling].join(AROUND[around])
    pixels, peak = decoded_with_peak(data)
    assert pixels == 65
    assert peak < 2 * len(data) + 4e6


def test_plain_rasters_take_little_memory():
    data = b"P2 1000 1000 9\n" + b"7 # 1\n8 " * 500_000
    pixels, peak = decoded_with_peak(data)
    np.testing.assert_array_equal(pixels, np.tile(np.uint8([7, 8]), (1000, 500)))
    assert peak < 6 * len(data)


@pytest.mark.parametrize("shift", range(9))
def test_comments_and_numbers_across_blocks(monkeypatch, shift):
    monkeypatch.setattr(pgm, "_BLOCK", 8)
    raster = b" " * shift + b"12 #3 # 4\n5#6\r\n#\n 007 #8"
    np.testing.assert_array_equal(pgm.decode_pgm(b"P2 3 1 99\n" + raster)[0], [[12, 5, 7]])
    with pytest.raises(FormatError, match="found 0"):
        pgm.decode_pgm(b"P2 3 1 99 #" + raster.replace(b"\n", b"").replace(b"\r", b""))


def test_damaged_files_give_a_format_error_or_an_image():
    generator = random.Random(7)
    seeds = [b"P5 #x\n3 2\n255\nABCDEF", b"P5 3 2 4095\n" + bytes(12), b"P2 3 2 99 #\n1 2 3 4 5 6"]
    for _ in range(5000):
        data = bytearray(generator.choice(seeds))
        for _ in range(generator.randint(1, 4)):
            data[generator.randrange(len(data))] = generator.choice([*b"0129 \n#P-", 0, 255])
        try:
            pixels, maxval = pgm.decode_pgm(bytes(data))
        except FormatError:
            continue
        assert pixels.size
        assert pixels.max() <= maxval


@pytest.mark.parametrize("maxval", [1, 7, 254, 255, 256, 1000, 4095, 65534, 65535])
@pytest.mark.parametrize("shape", [(1, 1), (1, 17), (31, 1), (40, 23)])
def test_round_trip(tmp_path, shape, maxval):
    pixels = np.random.default_rng(maxval).integers(0, maxval + 1, shape)
    path = tmp_path / "image.pgm"
    pgm.write_pgm(path, pixels, maxval)
    result, found = pgm.read_pgm(path)
    np.testing.assert_array_equal(result, pixels)
    assert found == maxval
    plain = "P2\n{1} {0}\n{2}\n".format(*shape, maxval) + "\n".join(map(str, pixels.ravel()))
    np.testing.assert_array_equal(pgm.decode_pgm(plain.encode())[0], pixels)


def test_written_bytes():
    assert pgm.encode_pgm(np.array([[1, 2, 255]]), 255) == b"P5\n3 1\n255\n\x01\x02\xff"
    assert pgm.encode_pgm(np.array([[1], [4095]]), 4095) == b"P5\n1 2\n4095\n\x00\x01\x0f\xff"


@pytest.mark.parametrize("dtype", ["u1", "<u2", ">u2", "<i4", "i8"])
def test_any_integer_dtype_and_layout_is_written(dtype):
    pixels = np.arange(24, dtype=dtype).reshape(4, 6)
    for view in (pixels, pixels.T, pixels[::-2, ::3], np.asfortranarray(pixels)):
        np.testing.assert_array_equal(pgm.decode_pgm(pgm.encode_pgm(view, 300))[0], view)


def test_pillow_agrees_where_it_does_not_rescale():
    generator = np.random.default_rng(3)
    for maxval, dtype in ((255, np.uint8), (65535, np.uint16)):
        pixels = generator.integers(0, maxval + 1, (9, 14)).astype(dtype)
        ours = pgm.encode_pgm(pixels, maxval)
        np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(ours))), pixels)
        buffer = io.BytesIO()
        Image.fromarray(pixels).save(buffer, "PPM")
        theirs, found = pgm.decode_pgm(buffer.getvalue())
        np.testing.assert_array_equal(theirs, pixels)
        assert found == maxval


REFUSED = {
    "three dimensions": (np.zeros((2, 2, 3), np.uint8), 255, "(height, width)", "(2, 2, 3)"),
    "one dimension": (np.zeros(4, np.uint8), 255, "(height, width)"),
    "no pixels": (np.zeros((0, 4), np.uint8), 255, "(0, 4)"),
    "float": (np.zeros((2, 2)), 255, "float64", "round and cast"),
    "complex": (np.zeros((2, 2), complex), 255, "complex128"),
    "bool": (np.zeros((2, 2), bool), 1, "bool"),
    "above maxval": (np.full((2, 2), 256), 255, "256", "0..255", "clip or scale"),
    "negative": (np.full((2, 2), -1), 255, "-1", "0..255"),
    "maxval 0": (np.zeros((2, 2), np.uint8), 0, "maxval 0", "1..65535"),
    "maxval too large": (np.zeros((2, 2), np.uint8), 65536, "maxval 65536"),
}


@pytest.mark.parametrize(
    ("pixels", "maxval", "words"), [(*v[:2], v[2:]) for v in REFUSED.values()], ids=REFUSED
)
def test_what_the_writer_refuses(tmp_path, pixels, maxval, words):
    path = tmp_path / "image.pgm"
    path.write_bytes(b"old")
    with pytest.raises(FormatError) as caught:
        pgm.write_pgm(path, pixels, maxval)
    for word in ("image.pgm", *words):
        assert word in str(caught.value)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.pgm"):
        pgm.read_pgm(tmp_path / "none.pgm")
    with pytest.raises(OSError):
        pgm.read_pgm(tmp_path)
    with pytest.raises(OSError):
        pgm.write_pgm(tmp_path / "none" / "image.pgm", np.zeros((2, 2), np.uint8), 255)
    assert list(tmp_path.iterdir()) == []


def test_a_failing_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    path = tmp_path / "image.pgm"
    path.write_bytes(b"old")
    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space left"):
        pgm.write_pgm(path, np.zeros((2, 2), np.uint8), 255)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_messages_name_the_path(tmp_path):
    path = tmp_path / "photo.pgm"
    path.write_bytes(b"P5 2 2 255 ABC")
    with pytest.raises(FormatError, match=r"photo\.pgm: the raster is truncated"):
        pgm.read_pgm(str(path))
