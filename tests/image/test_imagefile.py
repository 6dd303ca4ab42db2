"""Image files: what each format keeps, what is refused and with which words."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import struct
import warnings
import zlib

import numpy as np
import pytest
from PIL import Image, ImageCms

from pyclfft.errors import FormatError
from pyclfft.image import pgm
from pyclfft.image.imagefile import (
    ImageFile,
    Metadata,
    can_write,
    check_output,
    decode_image,
    encode_image,
    read_image,
    read_images,
    write_image,
    write_images,
)

RANDOM = np.random.default_rng(11)
BYTES = RANDOM.integers(0, 256, (19, 23), dtype=np.uint8)
WORDS = RANDOM.integers(0, 65536, (19, 23), dtype=np.uint16)
FLOATS = RANDOM.normal(size=(19, 23)).astype(np.float32)
DOUBLES = np.random.default_rng(12).normal(size=(19, 23)) / 3
COLOURS = RANDOM.integers(0, 256, (19, 23, 3), dtype=np.uint8)
ALPHA = RANDOM.integers(0, 256, (19, 23), dtype=np.uint8)

KINDS = {
    "8-bit grey": ImageFile(BYTES, 255),
    "8-bit grey with alpha": ImageFile(BYTES, 255, ALPHA),
    "8-bit RGB": ImageFile(COLOURS, 255),
    "8-bit RGB with alpha": ImageFile(COLOURS, 255, ALPHA),
    "16-bit grey": ImageFile(WORDS, 65535),
    "32-bit float grey": ImageFile(FLOATS, 1),
    "64-bit float grey": ImageFile(DOUBLES, 1),
    # No format that is written holds these.
    "16-bit grey with alpha": ImageFile(WORDS, 65535, WORDS),
    "16-bit RGB": ImageFile(np.dstack([WORDS] * 3), 65535),
    "32-bit float RGB": ImageFile(np.dstack([FLOATS] * 3), 1),
}

HOLDS = {
    ".pgm": ("8-bit grey", "16-bit grey"),
    ".ppm": ("8-bit RGB",),
    ".png": tuple(KINDS)[:5],
    ".tif": tuple(KINDS)[:7],
    ".tiff": tuple(KINDS)[:7],
    ".bmp": ("8-bit grey", "8-bit RGB"),
    ".jpg": ("8-bit grey", "8-bit RGB"),
    ".jpeg": ("8-bit grey", "8-bit RGB"),
    ".webp": ("8-bit grey", "8-bit RGB", "8-bit RGB with alpha"),
}
LOSSLESS = [
    (suffix, kind)
    for suffix, kinds in HOLDS.items()
    for kind in kinds
    if suffix[1] != "j" and (suffix, kind) != (".webp", "8-bit grey")
]


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(array: np.ndarray, depth: int, colour: int, *extra: bytes) -> bytes:
    """A PNG by hand: packed rows of bytes, or uint16 in big-endian order."""
    height, width = array.shape[:2]
    rows = array.astype(">u2" if array.dtype == np.uint16 else np.uint8).reshape(height, -1)
    raster = b"".join(b"\0" + row.tobytes() for row in rows)
    header = chunk(
        b"IHDR", struct.pack(">IIBBBBB", width * 8 // min(depth, 8), height, depth, colour, 0, 0, 0)
    )
    body = chunk(b"IDAT", zlib.compress(raster)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(extra) + body


def tiff(
    width: int,
    bits: int,
    data: bytes,
    order: str = "<",
    channels: int = 1,
    photometric: int | None = None,
    sample_format: int = 1,
) -> bytes:
    """A TIFF of one row by hand; every entry is a list of shorts."""
    if photometric is None:
        photometric = 1 if channels == 1 else 2
    first_free = 8 + 2 + 12 * 10 + 4
    entries = {
        256: [width],
        257: [1],
        258: [bits] * channels,
        259: [1],
        262: [photometric],
        273: [first_free + 12],  # the data, behind room for two lists of three
        277: [channels],
        278: [1],
        279: [len(data)],
        339: [sample_format] * channels,
    }
    directory, lists = struct.pack(order + "H", len(entries)), b""
    for tag, values in entries.items():
        packed = struct.pack(f"{order}{len(values)}H", *values)
        if len(packed) > 4:
            packed, lists = struct.pack(order + "I", first_free + len(lists)), lists + packed
        directory += struct.pack(order + "HHI", tag, 3, len(values)) + packed.ljust(4, b"\0")
    start = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "I", 8)
    return start + directory + bytes(4) + lists.ljust(12, b"\0") + data


def encoded(image: Image.Image, name: str, **options) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, name, **options)
    return buffer.getvalue()


@pytest.fixture
def read(tmp_path):
    """Read an image from bytes; the file's suffix says nothing."""

    def read_bytes(data: bytes) -> ImageFile:
        path = tmp_path / "photo.data"
        path.write_bytes(data)
        return read_image(path)

    return read_bytes


def assert_same(found: ImageFile, expected: ImageFile) -> None:
    assert found.kind == expected.kind
    assert found.maxval == expected.maxval
    np.testing.assert_array_equal(found.pixels, expected.pixels)
    assert (found.alpha is None) == (expected.alpha is None)
    if expected.alpha is not None:
        np.testing.assert_array_equal(found.alpha, expected.alpha)
    for array in (found.pixels, found.alpha):
        assert array is None or (array.flags.c_contiguous and array.flags.writeable)
        assert array is None or array.dtype.isnative


@pytest.mark.parametrize(("suffix", "kind"), LOSSLESS)
def test_round_trip(tmp_path, suffix, kind):
    path = tmp_path / f"image{suffix.upper()}"
    assert KINDS[kind].kind == kind
    assert can_write(path)
    check_output(path, KINDS[kind])
    write_image(path, KINDS[kind])
    assert_same(read_image(path), KINDS[kind])
    assert list(tmp_path.iterdir()) == [path]


def test_jpeg_is_close_and_webp_makes_grey_rgb(tmp_path):
    y, x = np.mgrid[:40, :50]
    smooth = (40 + 2 * y + 2 * x).astype(np.uint8)
    for image in (
        ImageFile(smooth, 255),
        ImageFile(np.dstack([smooth, smooth, 255 - smooth]), 255),
    ):
        write_image(tmp_path / "a.jpg", image)
        found = read_image(tmp_path / "a.jpg")
        assert found.kind == image.kind
        assert abs(found.pixels.astype(int) - image.pixels).max() < 8
    write_image(tmp_path / "a.webp", ImageFile(smooth, 255))
    assert_same(read_image(tmp_path / "a.webp"), ImageFile(np.dstack([smooth] * 3), 255))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("suffix", HOLDS)
def test_what_a_format_cannot_hold_is_refused_before_writing(tmp_path, suffix, kind):
    path = tmp_path / f"image{suffix}"
    if kind in HOLDS[suffix]:
        check_output(path, KINDS[kind])
        return
    for refuse in (check_output, write_image):
        with pytest.raises(FormatError) as caught:
            refuse(path, KINDS[kind])
        message = str(caught.value)
        assert f"cannot hold {kind}; " in message
        remedies = [other for other, kinds in HOLDS.items() if kind in kinds]
        assert all(remedy in message for remedy in remedies or [".png"])
    assert list(tmp_path.iterdir()) == []


def test_the_remedy_for_16_bits_in_jpeg(tmp_path):
    with pytest.raises(FormatError) as caught:
        write_image(tmp_path / "a.jpg", KINDS["16-bit grey"])
    expected = "a.jpg: JPEG cannot hold 16-bit grey; write .pgm or .png or .tif or .tiff"
    assert str(caught.value).endswith(expected)


@pytest.mark.parametrize("name", ["image", "image.xyz", "image.gif", "image.png.bak", ".png"])
def test_unknown_suffix(tmp_path, name):
    assert not can_write(tmp_path / name)
    with pytest.raises(FormatError, match=r"no format is known for the suffix .*\.png") as caught:
        write_image(tmp_path / name, KINDS["8-bit grey"])
    assert name in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("maxval", [1, 3, 100, 255, 256, 1000, 4095, 65535])
def test_pgm_keeps_maxval_and_the_others_scale_it_without_loss(tmp_path, maxval):
    dtype = np.uint8 if maxval < 256 else np.uint16
    pixels = RANDOM.integers(0, maxval + 1, (13, 29)).astype(dtype)
    pixels[0, :2] = 0, maxval
    image = ImageFile(pixels, maxval)
    write_image(tmp_path / "a.pgm", image)
    assert_same(read_image(tmp_path / "a.pgm"), image)
    for suffix in (".png", ".tif"):
        write_image(tmp_path / f"a{suffix}", image)
        found = read_image(tmp_path / f"a{suffix}")
        white = np.iinfo(dtype).max
        assert found.maxval == white
        assert found.pixels[0, :2].tolist() == [0, white]
        back = np.round(found.pixels.astype(float) * maxval / white)
        np.testing.assert_array_equal(back, pixels)


def test_alpha_is_scaled_with_the_pixels(tmp_path):
    image = ImageFile(np.full((2, 2), 3, np.uint8), 15, np.full((2, 2), 15, np.uint8))
    write_image(tmp_path / "a.png", image)
    expected = ImageFile(np.full((2, 2), 51, np.uint8), 255, np.full((2, 2), 255, np.uint8))
    assert_same(read_image(tmp_path / "a.png"), expected)


@pytest.mark.parametrize("suffix", [".pgm", ".png"])
def test_values_above_maxval_are_refused(tmp_path, suffix):
    pixels = np.full((2, 2), 4096, np.uint16)
    with pytest.raises(FormatError, match=r"4096 are above maxval 4095; clip or scale"):
        write_image(tmp_path / f"a{suffix}", ImageFile(pixels, 4095))
    opaque = ImageFile(np.zeros((2, 2), np.uint8), 9, np.full((2, 2), 10, np.uint8))
    with pytest.raises(FormatError, match=r"10 are above maxval 9|cannot hold"):
        write_image(tmp_path / f"a{suffix}", opaque)
    assert list(tmp_path.iterdir()) == []


INCONSISTENT = {
    "no image": (np.zeros(4, np.uint8), 255, None, "(height, width)"),
    "two channels": (np.zeros((2, 2, 2), np.uint8), 255, None, "(2, 2, 2)"),
    "a stack": (np.zeros((2, 2, 3, 3), np.uint8), 255, None, "(2, 2, 3, 3)"),
    "empty": (np.zeros((0, 2), np.uint8), 255, None, "(0, 2)"),
    "8 bits, maxval of 16": (np.zeros((2, 2), np.uint8), 256, None, "maxval 256"),
    "16 bits, maxval of 8": (np.zeros((2, 2), np.uint16), 255, None, "uint16 pixels"),
    "signed": (np.zeros((2, 2), np.int64), 255, None, "int64 pixels"),
    "double": (np.zeros((2, 2)), 255, None, "float64 pixels"),
    "float, maxval 255": (np.zeros((2, 2), np.float32), 255, None, "float64 for 1"),
    "maxval 0": (np.zeros((2, 2), np.uint8), 0, None, "maxval 0"),
    "maxval too large": (np.zeros((2, 2), np.uint16), 65536, None, "maxval 65536"),
    "alpha's shape": (np.zeros((2, 2), np.uint8), 255, np.zeros((2, 3), np.uint8), "alpha"),
    "alpha's dtype": (np.zeros((2, 2), np.uint8), 255, np.zeros((2, 2), np.uint16), "alpha"),
}


@pytest.mark.parametrize(
    ("pixels", "maxval", "alpha", "word"), INCONSISTENT.values(), ids=INCONSISTENT
)
def test_inconsistent_images_do_not_exist(pixels, maxval, alpha, word):
    with pytest.raises(FormatError) as caught:
        ImageFile(pixels, maxval, alpha)
    assert word in str(caught.value)


def test_image_file_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        KINDS["8-bit grey"].maxval = 3  # type: ignore[misc]
    assert KINDS["8-bit RGB with alpha"].channels == 3
    assert KINDS["8-bit grey with alpha"].channels == 1


def test_pgm_is_recognised_by_content(tmp_path, read):
    assert_same(read(pgm.encode_pgm(WORDS % 4096, 4095)), ImageFile(WORDS % 4096, 4095))
    assert_same(read(b"P2 2 1 9 # c\n 8 9"), ImageFile(np.array([[8, 9]], np.uint8), 9))
    (tmp_path / "really.pgm").write_bytes(encoded(Image.fromarray(COLOURS), "PNG"))
    assert_same(read_image(tmp_path / "really.pgm"), KINDS["8-bit RGB"])


def test_a_damaged_pgm_is_reported_by_our_own_reader(read):
    with pytest.raises(FormatError, match=r"photo\.data: the raster is truncated"):
        read(b"P5 2 2 255 ABC")


PACKED = np.array([[0b00011011]], np.uint8)
GREY_16 = np.array([[0x1234, 0xFF01]], np.uint16)
READ = {
    "PNG, 16-bit grey": (png(GREY_16, 16, 0), GREY_16, 65535, None),
    "PNG, 16-bit grey with a transparent value": (
        png(GREY_16, 16, 0, chunk(b"tRNS", b"\x12\x34")), GREY_16, 65535, [[0, 65535]],
    ),
    "PNG, 8-bit grey with a transparent value": (
        png(np.array([[7, 8]], np.uint8), 8, 0, chunk(b"tRNS", b"\0\7")), [[7, 8]], 255, [[0, 255]],
    ),
    "PNG, RGB with a transparent colour": (
        png(np.array([[[1, 2, 3]]], np.uint8), 8, 2, chunk(b"tRNS", b"\0\1\0\2\0\3")),
        [[[1, 2, 3]]], 255, [[0]],
    ),
    "PNG, 1 bit": (png(PACKED, 1, 0), [[0, 0, 0, 255, 255, 0, 255, 255]], 255, None),
    "PNG, 2 bits": (png(PACKED, 2, 0), [[0, 85, 170, 255]], 255, None),
    "PNG, 4 bits": (png(PACKED, 4, 0), [[17, 187]], 255, None),
    "PNG, palette": (
        png(PACKED, 4, 3, chunk(b"PLTE", bytes(range(36)))), [[[3, 4, 5], [33, 34, 35]]], 255, None,
    ),
    "PNG, palette with alpha": (
        png(PACKED, 4, 3, chunk(b"PLTE", bytes(range(36))), chunk(b"tRNS", b"\x09\x63")),
        [[[3, 4, 5], [33, 34, 35]]], 255, [[0x63, 255]],
    ),
    "TIFF, 16-bit grey, Intel's order": (tiff(2, 16, b"\x34\x12\x01\xff"), GREY_16, 65535, None),
    "TIFF, 16-bit grey, Motorola's order": (
        tiff(2, 16, b"\x12\x34\xff\x01", order=">"), GREY_16, 65535, None,
    ),
    "TIFF, 16-bit grey, white is zero": (
        tiff(2, 16, b"\x34\x12\x01\xff", photometric=0), 65535 - GREY_16, 65535, None,
    ),
    "TIFF, 8-bit grey, white is zero": (
        tiff(2, 8, b"\1\2", photometric=0), [[254, 253]], 255, None,
    ),
    "TIFF, 12-bit grey": (tiff(2, 12, b"\x12\x3f\xff"), [[0x123, 0xFFF]], 4095, None),
    "TIFF, float": (
        tiff(1, 32, struct.pack("<f", -0.5), sample_format=3), np.float32([[-0.5]]), 1, None,
    ),
    "PBM": (b"P4 8 1\n\x1b", [[255, 255, 255, 0, 0, 255, 0, 0]], 255, None),
    "PPM": (b"P6 1 1 255 \1\2\3", [[[1, 2, 3]]], 255, None),
    "PPM, plain": (b"P3 1 1 255 1 2 3", [[[1, 2, 3]]], 255, None),
    "PFM": (b"Pf 1 1 -1.0\n" + struct.pack("<f", 2.5), np.float32([[2.5]]), 1, None),
}  # fmt: skip


@pytest.mark.parametrize(("data", "pixels", "maxval", "alpha"), READ.values(), ids=READ)
def test_bytes_written_by_hand(read, data, pixels, maxval, alpha):
    dtype = np.float32 if maxval == 1 else np.uint8 if maxval < 256 else np.uint16
    opacity = None if alpha is None else np.array(alpha, dtype)
    assert_same(read(data), ImageFile(np.array(pixels, dtype), maxval, opacity))


WORDS_16 = np.full((2, 2, 4), 0x1234, np.uint16)
REFUSED = {
    "PNG, 16-bit RGB": (png(WORDS_16[..., :3], 16, 2), "16 bits per channel", "8-bit colour"),
    "PNG, 16-bit RGBA": (png(WORDS_16, 16, 6), "16 bits per channel", "16-bit grey"),
    "PNG, 16-bit grey with alpha": (png(WORDS_16[..., :2], 16, 4), "16 bits per channel"),
    "TIFF, 16-bit RGB": (tiff(1, 16, b"\x12\x34" * 3, channels=3), "16 bits per channel"),
    "PPM, 16 bits": (b"P6 1 1 65535 ABCDEF", "16 bits per channel"),
    "PPM, 10 bits": (b"P3 1 1 1023 1 2 3", "10 bits per channel"),
    "TIFF, signed 8 bits": (tiff(1, 8, b"\xff", sample_format=2), "signed"),
    "TIFF, signed 16 bits": (tiff(1, 16, b"\xff\xff", sample_format=2), "signed", "float32"),
    "TIFF, 32-bit integers": (tiff(1, 32, b"\xff" * 4), "32-bit integer", "unsigned 16-bit"),
    "TIFF, Lab": (tiff(1, 8, b"ABC", channels=3, photometric=8), "LAB", "convert the image to RGB"),
    "TIFF, NaN": (tiff(1, 32, struct.pack("<f", np.nan), sample_format=3), "NaN"),
    "TIFF, 64-bit float RGB": (
        tiff(1, 64, bytes(24), channels=3, sample_format=3),
        "no image",
        "convert",
    ),
    "empty": (b"", "empty"),
    "text": (b"no image at all", "no image", "b'no image'", "PNG"),
    "zeros": (bytes(1000), "no image"),
    "PostScript": (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "no image"),
    "PAM": (b"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nENDHDR\nA", "no image"),
    "PNG, only its signature": (b"\x89PNG\r\n\x1a\n", "no image, a damaged one"),
}


@pytest.mark.parametrize(("data", "words"), [(v[0], v[1:]) for v in REFUSED.values()], ids=REFUSED)
def test_refused_files(read, data, words):
    with pytest.raises(FormatError) as caught:
        read(data)
    message = str(caught.value)
    assert "photo.data: " in message
    assert "\n" not in message
    for word in words:
        assert word in message


SAVED = {
    "PNG": {},
    "BMP": {},
    "GIF": {},
    "JPEG": {},
    "PPM": {},
    "TIFF": {},
    "TIFF with LZW": {"compression": "tiff_lzw"},
    "TIFF with deflate": {"compression": "tiff_adobe_deflate"},
    "WEBP": {"lossless": True},
}


@pytest.mark.parametrize("name", SAVED)
def test_truncated_files(read, name):
    data = encoded(Image.fromarray(COLOURS), name.split()[0], **SAVED[name])
    assert read(data).pixels.shape == COLOURS.shape
    for length in range(0, len(data) - 30, 7):
        with pytest.raises(FormatError) as caught:
            read(data[:length])
        assert "\n" not in str(caught.value)


def test_damaged_files_give_a_format_error_or_an_image(read):
    generator = np.random.default_rng(5)
    messages = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", r".*photo\.data: ")  # ours, of what is left behind
        for name, options in SAVED.items():
            data = encoded(Image.fromarray(COLOURS), name.split()[0], **options)
            for _ in range(60):
                damaged = bytearray(data)
                for place in (len(data) * generator.random(3) ** 3).astype(int):
                    damaged[place] = generator.integers(256)
                try:
                    read(bytes(damaged))
                except FormatError as error:
                    messages.append(str(error))
    assert len(messages) > 50
    assert not any("\n" in message for message in messages)


@pytest.mark.parametrize("name", ["PNG", "JPEG", "TIFF", "WEBP", "16-bit PNG", "16-bit TIFF"])
def test_exif_orientation_is_applied_once(read, name):
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was turned: rows are columns
    y = np.mgrid[:32, :48][0]
    ramp = (4 * y).astype(np.uint8) if "16" not in name else (1000 * y).astype(np.uint16)
    image = Image.fromarray(ramp if "16" in name else np.dstack([ramp] * 3))
    found = read(encoded(image, name.split()[-1], exif=exif))
    expected = np.rot90(ramp, -1)
    assert found.pixels.shape[:2] == (48, 32)
    green = found.pixels if "16" in name else found.pixels[..., 1]
    assert abs(green.astype(int) - expected).max() <= 6


def test_colour_models_become_rgb(read):
    grey = Image.new("RGB", (4, 3), (200, 100, 50))
    assert_same(
        read(encoded(grey, "TIFF")), ImageFile(np.full((3, 4, 3), (200, 100, 50), np.uint8), 255)
    )
    for mode, name in (("CMYK", "TIFF"), ("CMYK", "JPEG"), ("YCbCr", "JPEG"), ("P", "GIF")):
        found = read(encoded(grey.convert(mode), name))
        assert found.kind == "8-bit RGB"
        assert abs(found.pixels.astype(int) - (200, 100, 50)).max() < 6


@pytest.mark.parametrize("name", ["GIF", "TIFF", "WEBP", "PNG"])
def test_the_first_of_several_images(read, name):
    frames = [Image.new("RGB", (4, 3), colour) for colour in ((250, 0, 0), (0, 250, 0))]
    data = encoded(frames[0], name, save_all=True, append_images=frames[1:])
    with pytest.warns(UserWarning, match=r"photo\.data: the file holds further images"):
        found = read(data)
    assert found.pixels.shape == (3, 4, 3)
    assert abs(found.pixels.astype(int) - (250, 0, 0)).max() < 6


@pytest.mark.filterwarnings("error")
def test_files_of_one_image_warn_of_nothing(read):
    for name in ("GIF", "TIFF", "WEBP", "PNG", "JPEG", "BMP", "PPM"):
        read(encoded(Image.fromarray(COLOURS), name))
    read(pgm.encode_pgm(BYTES, 255))


@pytest.mark.parametrize("name", ["GIF", "WEBP", "PNG"])
def test_of_an_animation_the_first_image_is_read_and_a_warning_says_so(tmp_path, name):
    frames = [Image.new("RGB", (4, 3), colour) for colour in ((250, 0, 0), (0, 250, 0))]
    (tmp_path / "a").write_bytes(encoded(frames[0], name, save_all=True, append_images=frames[1:]))
    with pytest.warns(UserWarning, match="further images"):
        assert len(read_images(tmp_path / "a")) == 1


# --- several images in one file -------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"compression": "tiff_lzw"}, {"big_tiff": True}])
def test_all_pages_of_a_tiff_by_pillow(tmp_path, options):
    pages = [Image.fromarray(each) for each in (BYTES, COLOURS, FLOATS, WORDS, BYTES[:5, :7])]
    (tmp_path / "a").write_bytes(
        encoded(pages[0], "TIFF", save_all=True, append_images=pages[1:], **options)
    )
    found = read_images(tmp_path / "a")
    kinds = ["8-bit grey", "8-bit RGB", "32-bit float grey", "16-bit grey"]
    for image, kind in zip(found, kinds, strict=False):
        assert_same(image, KINDS[kind])
    assert_same(found[4], ImageFile(BYTES[:5, :7], 255))
    assert len(found) == 5


@pytest.mark.parametrize("kinds", [HOLDS[".tif"], ("64-bit float grey", "8-bit grey") * 2])
def test_pages_come_back(tmp_path, kinds):
    write_images(tmp_path / "a.tif", [KINDS[kind] for kind in kinds])
    for image, kind in zip(read_images(tmp_path / "a.tif"), kinds, strict=True):
        assert_same(image, KINDS[kind])
    if "64-bit float grey" not in kinds:
        with Image.open(tmp_path / "a.tif") as by_pillow:
            assert by_pillow.n_frames == len(kinds)
    assert [path.name for path in tmp_path.iterdir()] == ["a.tif"]


def test_images_of_a_pgm_come_back(tmp_path):
    images = [ImageFile(BYTES, 255), ImageFile(WORDS % 1000, 999), ImageFile(BYTES[:2] % 8, 7)]
    write_images(tmp_path / "a.pgm", images)
    for found, image in zip(read_images(tmp_path / "a.pgm"), images, strict=True):
        assert_same(found, image)
    assert_same(read_image_with_warning(tmp_path / "a.pgm"), images[0])


def read_image_with_warning(path):
    with pytest.warns(UserWarning, match="further images"):
        return read_image(path)


def test_images_that_cannot_be_read_behind_others_are_named(tmp_path):
    path = tmp_path / "a.pgm"
    first = pgm.encode_pgm(BYTES, 255)
    for rest, count in ((b"P6 1 1 255 ABC", 1), (b"P2 1 1 255 7\nP2 1 1 255 8", 2)):
        path.write_bytes(first + rest)
        with pytest.warns(UserWarning, match=r"a\.pgm: the file holds further images"):
            assert len(read_images(path)) == count
    path.write_bytes(first + first[:50])
    with pytest.raises(FormatError, match=r"a\.pgm: image 2: the raster is truncated"):
        read_images(path)
    floats = [Image.fromarray(FLOATS), Image.fromarray(np.full((2, 2), np.nan, np.float32))]
    path.write_bytes(encoded(floats[0], "TIFF", save_all=True, append_images=floats[1:]))
    with pytest.raises(FormatError, match=r"a\.pgm: page 2: some pixels are NaN"):
        read_images(path)


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".webp", ".bmp"])
def test_formats_of_one_image_refuse_several(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    for refuse in (
        lambda: check_output(path, *[KINDS["8-bit RGB"]] * 3),
        lambda: write_images(path, [KINDS["8-bit RGB"]] * 3),
    ):
        with pytest.raises(FormatError, match=r"cannot hold 3 images; write \.pgm or \.tif"):
            refuse()
    assert list(tmp_path.iterdir()) == []


# --- 64-bit floats --------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["<", ">"])
def test_doubles_written_by_hand(read, order):
    values = np.array([0.1, -2.5e300, 5e-324, 0.0, 1 / 3])
    data = tiff(5, 64, values.astype(f"{order}f8").tobytes(), order, sample_format=3)
    assert_same(read(data), ImageFile(values[None], 1))


def test_doubles_are_written_as_tiff_says(tmp_path):
    """By a reader of its own: one strip or several of samples of 64 bits."""
    write_image(tmp_path / "a.tif", KINDS["64-bit float grey"])
    data = (tmp_path / "a.tif").read_bytes()
    assert data[:4] == b"II*\0"
    (begin,) = struct.unpack_from("<I", data, 4)
    (count,) = struct.unpack_from("<H", data, begin)
    tags = {}
    for place in range(begin + 2, begin + 2 + 12 * count, 12):
        tag, kind, number = struct.unpack_from("<HHI", data, place)
        form = {3: "H", 4: "I"}.get(kind)
        if form:
            size = struct.calcsize(form) * number
            at = place + 8 if size <= 4 else struct.unpack_from("<I", data, place + 8)[0]
            tags[tag] = struct.unpack_from(f"<{number}{form}", data, at)
    height, width = DOUBLES.shape
    assert (tags[256], tags[257], tags[258], tags[339]) == ((width,), (height,), (64,), (3,))
    raster = b"".join(data[a : a + n] for a, n in zip(tags[273], tags[279], strict=True))
    np.testing.assert_array_equal(np.frombuffer(raster).reshape(DOUBLES.shape), DOUBLES)


def doubled(data: bytes) -> bytes:
    """A file of float32 and twice the width, as one of float64: only its directory changes."""
    changed = bytearray(data)
    (begin,) = struct.unpack_from("<I", data, 4)
    (count,) = struct.unpack_from("<H", data, begin)
    for place in range(begin + 2, begin + 2 + 12 * count, 12):
        tag, kind = struct.unpack_from("<HH", data, place)
        form = "<H" if kind == 3 else "<I"
        if tag in (256, 322):
            (width,) = struct.unpack_from(form, data, place + 8)
            struct.pack_into(form, changed, place + 8, width // 2)
        if tag == 258:
            struct.pack_into(form, changed, place + 8, 64)
    return bytes(changed)


@pytest.mark.parametrize("compression", ["tiff_lzw", "tiff_adobe_deflate", "packbits"])
def test_compressed_doubles(read, compression):
    halves = Image.fromarray(DOUBLES.view(np.float32))
    assert_same(
        read(doubled(encoded(halves, "TIFF", compression=compression))), ImageFile(DOUBLES, 1)
    )


@pytest.mark.parametrize("orientation", range(1, 9))
def test_the_orientation_of_doubles(read, orientation):
    halves = Image.fromarray(DOUBLES.view(np.float32))
    found = read(doubled(encoded(halves, "TIFF", tiffinfo={274: orientation})))
    like = Image.fromarray(DOUBLES.astype(np.float32))  # turned by Pillow
    expected = read(encoded(like, "TIFF", tiffinfo={274: orientation}))
    np.testing.assert_array_equal(found.pixels.astype(np.float32), expected.pixels)


def test_doubles_behind_a_predictor_are_refused(read):
    halves = Image.fromarray(DOUBLES.view(np.float32))
    data = doubled(encoded(halves, "TIFF", compression="tiff_lzw", tiffinfo={317: 3}))
    with pytest.raises(FormatError, match=r"predictor cannot be read: write the file without one"):
        read(data)


def test_a_width_that_no_file_can_have_is_refused(read):
    """Found by `.ci/fuzz`: twice this width is beyond what TIFF can state."""
    halves = Image.fromarray(DOUBLES.view(np.float32))
    data = bytearray(doubled(encoded(halves, "TIFF")))
    (begin,) = struct.unpack_from("<I", data, 4)
    (count,) = struct.unpack_from("<H", data, begin)
    for place in range(begin + 2, begin + 2 + 12 * count, 12):
        if struct.unpack_from("<H", data, place) == (256,):
            struct.pack_into("<HII", data, place + 2, 4, 1, 2**31)
    with pytest.raises(
        FormatError, match="2147483648 pixels wide: it is damaged, so write it anew"
    ):
        read(bytes(data))


def test_damaged_directories_end(read):
    """A directory that follows itself, and one of more entries than the file has bytes."""
    data = bytearray(tiff(1, 64, bytes(8), sample_format=3))
    (count,) = struct.unpack_from("<H", data, 8)
    struct.pack_into("<I", data, 10 + 12 * count, 8)
    with contextlib.suppress(FormatError):
        read(bytes(data))
    struct.pack_into("<H", data, 8, 65535)
    with pytest.raises(FormatError):
        read(bytes(data))


# --- what a file says about its image -------------------------------------------------------------

SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
GREY_PROFILE = SRGB[:16] + b"GRAY" + SRGB[20:]  # as far as its header tells


def some_exif(**more) -> Image.Exif:
    exif = Image.Exif()
    exif[0x010F] = "a camera"
    exif.get_ifd(0x8769)[0x9003] = "2026:11:23 01:00:00"
    exif.get_ifd(0x8825)[0x0001] = "N"
    for tag, value in more.items():
        exif[int(tag[1:], 16)] = value
    return exif


@pytest.mark.parametrize("source", ["JPEG", "PNG", "TIFF", "WEBP"])
@pytest.mark.parametrize("suffix", [".jpg", ".png", ".tif", ".webp"])
@pytest.mark.parametrize("grey", [False, True])
def test_metadata_go_from_file_to_file(tmp_path, source, suffix, grey):
    profile = GREY_PROFILE if grey else SRGB
    if grey and "WEBP" in (source, suffix[1:].upper()):
        return  # makes RGB of it
    data = encoded(
        Image.fromarray(BYTES if grey else COLOURS), source,
        icc_profile=profile, dpi=(300, 200), exif=some_exif().tobytes(),
    )  # fmt: skip
    (tmp_path / "photo").write_bytes(data)
    image = read_image(tmp_path / "photo")
    with warnings.catch_warnings():
        if suffix == ".webp":
            warnings.simplefilter("ignore")
        write_image(tmp_path / f"a{suffix}", image)
    with Image.open(tmp_path / f"a{suffix}") as result:
        assert result.info["icc_profile"] == profile
        if source != "WEBP" and suffix != ".webp":
            assert tuple(map(float, result.info["dpi"])) == pytest.approx((300, 200), abs=0.02)
        exif = result.getexif()
        assert exif[0x010F] == "a camera"
        assert exif.get_ifd(0x8769)[0x9003] == "2026:11:23 01:00:00"
        assert exif.get_ifd(0x8825)[0x0001] == "N"
        result.load()
    again = read_image(tmp_path / f"a{suffix}")
    assert again.pixels.shape == image.pixels.shape
    if suffix != ".jpg":
        np.testing.assert_array_equal(again.pixels, image.pixels)


@pytest.mark.parametrize("kind", HOLDS[".tif"])
def test_metadata_of_every_depth(tmp_path, kind):
    profile = SRGB if "RGB" in kind else GREY_PROFILE
    exif = some_exif().tobytes()
    image = dataclasses.replace(KINDS[kind], metadata=Metadata(profile, (72.0, 96.0), exif))
    write_images(tmp_path / "a.tif", [image, KINDS[kind], image])
    for found, expected in zip(read_images(tmp_path / "a.tif"), [image, None, image], strict=True):
        assert_same(found, KINDS[kind])
        metadata = expected.metadata if expected else Metadata()
        assert (found.metadata.icc_profile, found.metadata.dpi) == (
            metadata.icc_profile, metadata.dpi,
        )  # fmt: skip
        assert (found.metadata.exif is None) == (expected is None)


def test_an_orientation_that_has_been_applied_is_not_kept(tmp_path):
    for name, suffix in (("JPEG", ".jpg"), ("TIFF", ".tif"), ("PNG", ".png")):
        data = encoded(Image.fromarray(COLOURS), name, exif=some_exif(x0112=6))
        (tmp_path / "photo").write_bytes(data)
        image = read_image(tmp_path / "photo")
        write_image(tmp_path / f"a{suffix}", image)
        assert image.pixels.shape == (23, 19, 3)
        assert read_image(tmp_path / f"a{suffix}").pixels.shape == (23, 19, 3)


def test_tags_about_the_file_are_not_kept(tmp_path):
    """Of a tiled, compressed, inverted TIFF."""
    inverted = tiff(2, 8, b"\1\2", photometric=0)
    (tmp_path / "a").write_bytes(inverted)
    write_image(tmp_path / "b.tif", read_image(tmp_path / "a"))
    np.testing.assert_array_equal(read_image(tmp_path / "b.tif").pixels, [[254, 253]])
    data = encoded(
        Image.fromarray(COLOURS), "TIFF", compression="tiff_lzw", tiffinfo={317: 2, 270: "words"}
    )
    (tmp_path / "a").write_bytes(data)
    write_image(tmp_path / "b.tif", read_image(tmp_path / "a"))
    with Image.open(tmp_path / "b.tif") as result:
        assert 317 not in result.tag_v2
        assert result.tag_v2[270] == "words"
        np.testing.assert_array_equal(np.asarray(result), COLOURS)


def test_a_profile_of_other_colours_is_left_out_and_named(tmp_path):
    cmyk = Image.fromarray(COLOURS).convert("CMYK")
    profile = SRGB[:16] + b"CMYK" + SRGB[20:]
    (tmp_path / "photo").write_bytes(encoded(cmyk, "TIFF", icc_profile=profile))
    with pytest.warns(UserWarning, match="photo: its colour profile, for CMYK, does not fit RGB"):
        image = read_image(tmp_path / "photo")
    assert image.metadata.icc_profile is None


def test_what_a_format_cannot_keep_is_named(tmp_path):
    metadata = Metadata(GREY_PROFILE, (300, 300), some_exif().tobytes())
    image = ImageFile(BYTES, 255, metadata=metadata)
    for suffix, lost in ((".pgm", ("colour profile", "resolution", "EXIF data")),
                         (".bmp", ("colour profile", "EXIF data")),
                         (".webp", ("resolution",)),
                         (".png", ())):  # fmt: skip
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            write_image(tmp_path / f"a{suffix}", image)
        said = [str(each.message) for each in caught]
        assert len(said) == len(lost)
        for words, name in zip(said, lost, strict=True):
            assert words.endswith(f"does not hold the image's {name}")


def test_exif_data_that_are_too_long_for_jpeg(tmp_path):
    exif = some_exif(x010e="words " * 20_000).tobytes()
    image = ImageFile(BYTES, 255, metadata=Metadata(exif=exif))
    with pytest.warns(UserWarning, match=r"a\.jpg: JPEG does not hold the image's EXIF data"):
        write_image(tmp_path / "a.jpg", image)
    assert read_image(tmp_path / "a.jpg").metadata.exif is None
    write_image(tmp_path / "a.png", image)
    assert len(read_image(tmp_path / "a.png").metadata.exif) > 100_000


@pytest.mark.parametrize("limit", [300, 100], ids=["Pillow warns", "Pillow raises"])
def test_decompression_bombs(read, monkeypatch, limit):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", limit)  # the image has 437
    with pytest.raises(FormatError, match=r"photo\.data: .*bomb.*MAX_IMAGE_PIXELS"):
        read(encoded(Image.fromarray(BYTES), "PNG"))
    assert_same(read(pgm.encode_pgm(BYTES, 255)), KINDS["8-bit grey"])


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.png"):
        read_image(tmp_path / "none.png")
    with pytest.raises(OSError):
        read_image(tmp_path)
    with pytest.raises(OSError):
        write_image(tmp_path / "none" / "image.png", KINDS["8-bit grey"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".pgm", ".png"])
def test_a_failing_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, suffix):
    def full(*_):
        raise OSError(28, "No space left on device")

    path = tmp_path / f"image{suffix}"
    path.write_bytes(b"old")
    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space left"):
        write_image(path, KINDS["8-bit grey"])
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_images_too_large_for_a_format_are_refused(tmp_path):
    with pytest.raises(FormatError, match="WEBP cannot hold this image"):
        write_image(tmp_path / "a.webp", ImageFile(np.zeros((1, 20000), np.uint8), 255))
    assert list(tmp_path.iterdir()) == []


# --- bytes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["8-bit RGB with alpha", "16-bit grey", "64-bit float grey"])
def test_bytes_are_what_a_file_would_hold(tmp_path, name):
    suffix = ".tif" if "float" in name else ".png"
    data = encode_image(KINDS[name], suffix)
    write_image(tmp_path / f"a{suffix}", KINDS[name])
    assert data == (tmp_path / f"a{suffix}").read_bytes()
    image, left_behind = decode_image(data, "a", 19 * 23)
    np.testing.assert_array_equal(image.pixels, KINDS[name].pixels)
    assert left_behind == []
    with pytest.raises(FormatError, match=r"^a: the image has more than 0\.000436 million pixels"):
        decode_image(data, "a", 19 * 23 - 1)


@pytest.mark.parametrize("suffix", [".tif", ".pgm"])
def test_bytes_of_several_images_are_refused(tmp_path, suffix):
    write_images(tmp_path / f"a{suffix}", [KINDS["8-bit grey"]] * 2)
    data = (tmp_path / f"a{suffix}").read_bytes()
    with pytest.raises(FormatError, match="several images: save one of them by itself"):
        decode_image(data, "a", 10**6)


def test_bytes_that_claim_many_pixels_are_not_decoded(monkeypatch):
    """Neither those of a compressed format, nor those of PGM."""
    png = io.BytesIO()
    Image.new("L", (3000, 2000)).save(png, "PNG")
    monkeypatch.setattr(Image.Image, "load", lambda self: pytest.fail("decoded"))
    for data in (png.getvalue(), b"P5 3000 2000 255\n"):
        with pytest.raises(FormatError, match="more than 1 million pixels: make it smaller"):
            decode_image(data, "a", 10**6)
