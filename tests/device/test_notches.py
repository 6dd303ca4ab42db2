"""Peaks of spectra: found where stripes are, and nowhere else; then removed."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest
import skimage.data
from PIL import Image
from scipy.signal import get_window
from skimage.metrics import peak_signal_noise_ratio

import pyclfft
from pyclfft import filter_image, find_notches
from pyclfft.errors import PlanError
from pyclfft.filter import main as filter_command
from pyclfft.image import notches
from pyclfft.image.imagefile import read_image

pytestmark = pytest.mark.one_cpu

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
PHOTOS = ("camera", "moon", "coins", "grass", "gravel")


def photo(name):
    return getattr(skimage.data, name)()


def with_wave(image, fy, fx, amplitude):
    y, x = np.indices(image.shape)
    wave = amplitude * np.cos(2 * np.pi * (fy * y + fx * x) + 1)
    return np.clip(np.rint(image + wave), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("name", PHOTOS)
def test_photographs_have_no_peaks(device, name):
    assert find_notches(photo(name)) == []


@pytest.mark.parametrize("name", ["scene.pgm", "letters.pgm", "gradient.pgm", "colours.png"])
def test_samples_have_no_peaks(device, name):
    assert find_notches(read_image(SAMPLES / name).pixels) == []


@pytest.mark.parametrize("seed", range(10))
def test_noise_has_no_peaks(device, seed):
    assert find_notches(np.random.default_rng(seed).random((200, 300))) == []


@pytest.mark.parametrize(
    ("fy", "fx", "amplitude"),
    [
        (0, 0.1, 20),
        (0.03, 0.07, 10),
        (0.213, -0.17, 8),
        (0.5, 0, 10),
        (0, 0.5, 10),
        (0.31, 0.44, 4),
    ],
)
@pytest.mark.parametrize("name", ["camera", "coins"])
def test_stripes_are_found_and_removed(device, name, fy, fx, amplitude):
    image = photo(name)
    striped = with_wave(image, fy, fx, amplitude)
    peaks = find_notches(striped)
    bins = np.multiply(image.shape, np.subtract(peaks[0], (fy, fx)))
    assert abs(bins).max() < 0.3
    assert len(peaks) <= 2
    clean = filter_image(striped, "notch", points="auto")
    np.testing.assert_array_equal(clean, filter_image(striped, "notch", points=peaks))
    before = peak_signal_noise_ratio(image, striped)
    assert peak_signal_noise_ratio(image, clean) > before + 8


def test_a_halftone_is_found(device):
    """Dots of a screen that is turned by 30 degrees; its two waves come first."""
    image = photo("camera") / 255
    y, x = np.indices(image.shape)
    angle, period = np.deg2rad(30), 5
    u = (np.cos(angle) * x + np.sin(angle) * y) / period
    v = (-np.sin(angle) * x + np.cos(angle) * y) / period
    screen = 0.5 + (np.cos(2 * np.pi * u) + np.cos(2 * np.pi * v)) / 4
    peaks = find_notches((image > screen).astype(np.uint8) * 255)
    wanted = [(np.sin(angle) / period, np.cos(angle) / period),
              (np.cos(angle) / period, -np.sin(angle) / period)]  # fmt: skip
    np.testing.assert_allclose(sorted(peaks[:2]), sorted(wanted), rtol=0, atol=1e-3)


def test_colours_stacks_and_device_arrays(device, queue):
    striped = with_wave(photo("camera"), 0.11, 0.23, 10)
    (peak,) = find_notches(striped)
    np.testing.assert_allclose(peak, (0.11, 0.23), atol=1e-3)
    colours = np.dstack([striped, striped, photo("camera"), np.zeros_like(striped)])
    assert find_notches(colours) == [pytest.approx(peak, abs=3e-4)]
    stack = np.stack([photo("camera"), striped])
    assert find_notches(stack, axes=(1, 2)) == [pytest.approx(peak, abs=3e-4)]
    there = cl_array.to_device(queue, striped)
    assert find_notches(there) == [peak]
    clean = filter_image(there, "notch", points="auto")
    np.testing.assert_array_equal(clean.get(), filter_image(striped, "notch", points=[peak]))


def expected_norms(planes):
    """The root of the sum of the power of all planes in a Hann window, for half of the columns."""
    spectra = [
        np.fft.rfft2(p * np.outer(*(get_window("hann", n) for n in p.shape))) for p in planes
    ]
    return np.sqrt(np.sum(np.abs(spectra) ** 2, axis=0))


NORMS = {
    "8 bits": ((33, 48), "u1", None, lambda x: [x]),
    "16 bits": ((20, 21), "u2", None, lambda x: [x]),
    "halves": ((16, 18), "f2", None, lambda x: [x]),
    "one row": ((1, 40), "f4", None, lambda x: [x]),
    "colours": ((30, 22, 3), "u1", None, lambda x: np.moveaxis(x, -1, 0)),
    "alpha": ((22, 30, 4), "f4", None, lambda x: np.moveaxis(x[..., :3], -1, 0)),
    "a stack": ((3, 2, 17, 26), "f4", (2, 3), lambda x: x.reshape(6, 17, 26)),
    "columns first": ((17, 26, 5), "u1", (1, 0), lambda x: np.transpose(x, (2, 1, 0))),
    "coloured stack": (
        (2, 14, 16, 3),
        "u1",
        (1, 2),
        lambda x: np.moveaxis(x, -1, 1).reshape(6, 14, 16),
    ),
}


@pytest.mark.parametrize("on_device", [False, True])
@pytest.mark.parametrize("case", NORMS)
def test_all_planes_become_half_a_spectrum(device, queue, case, on_device):
    shape, dtype, axes, planes_of = NORMS[case]
    image = (200 * np.random.default_rng(2).random(shape)).astype(dtype)
    expected = expected_norms(planes_of(image.astype(float)))
    given = cl_array.to_device(queue, image) if on_device else image
    found = notches._norms(given, axes, queue)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-6 * expected.max())


def test_double_precision_becomes_single(device, queue, fp64):
    image = 1e6 + np.random.default_rng(2).random((12, 14))
    found = notches._norms(cl_array.to_device(queue, image), None, queue)
    assert found.dtype == np.float32
    expected = expected_norms([image])
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)  # DC is 4e7


def test_sums_of_power_do_not_overflow(device, queue):
    stack = np.random.default_rng(2).random((5, 8, 9))
    found = notches._norms((1e30 * stack).astype("f4"), (1, 2), queue)
    expected = expected_norms(1e30 * stack)
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-6 * expected.max())


@pytest.mark.parametrize("axes", [(1, 2), (0, 1)])
def test_what_the_device_has_no_room_for_goes_in_parts(device, queue, axes, monkeypatch):
    """Stacks in halves; then images of the host in pieces, and their colours one by one."""
    shape = (5, 60, 76) if axes == (1, 2) else (60, 76, 3)
    image = (200 * np.random.default_rng(2).random(shape)).astype("u1")
    planes = image if axes == (1, 2) else np.moveaxis(image, -1, 0)
    for limit in (150_000, 30_000):
        with pyclfft.limit_device_memory(limit):
            found = notches._norms(image, axes, queue)
        expected = expected_norms(planes.astype(float))
        np.testing.assert_allclose(found, expected, rtol=0, atol=2e-6 * expected.max())


def test_stacks_on_the_device_go_in_parts(device, queue, monkeypatch):
    stack = np.random.default_rng(2).random((5, 16, 20)).astype("f4")
    real = notches.at_once

    def narrow(job, *arguments):
        if job.images > 2:
            raise pyclfft.DeviceMemoryError("no room")
        return real(job, *arguments)

    monkeypatch.setattr(notches, "at_once", narrow)
    found = notches._norms(cl_array.to_device(queue, stack), (1, 2), queue)
    expected = expected_norms(stack.astype(float))
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-6 * expected.max())
    monkeypatch.setattr(notches, "at_once", lambda *_: narrow(SimpleNamespace(images=3)))
    with pytest.raises(pyclfft.DeviceMemoryError):
        find_notches(cl_array.to_device(queue, stack[0]))


def test_only_half_a_spectrum_leaves_the_device(device, queue, monkeypatch):
    striped = with_wave(photo("camera"), 0.11, 0.23, 10)
    stack = cl_array.to_device(queue, np.stack([striped] * 3))
    downloads = []
    copy = cl.enqueue_copy

    def counted(queue, to, *arguments, **options):
        if isinstance(to, np.ndarray):
            downloads.append(to.nbytes)
        return copy(queue, to, *arguments, **options)

    monkeypatch.setattr(cl, "enqueue_copy", counted)
    clean = filter_image(stack, "notch", points="auto", axes=(1, 2))
    assert downloads == [512 * 257 * 4]
    assert isinstance(clean, cl_array.Array)


@pytest.fixture
def by_transfers(change_traits):
    """Let arrays be copied to the device and back, as where it has memory of its own."""
    pyclfft.clear_cache()
    change_traits(is_cpu=False, shared_buffers=False, system_svm=False)
    yield
    pyclfft.clear_cache()


# The image goes up; the norms, in which peaks are found, and the result come down.
ONCE = ["up", "down", "down"]


@pytest.fixture
def copies(monkeypatch):
    """Return a function that starts to list the copies of a picture of 512 x 512 pixels."""
    copy = cl.enqueue_copy

    def count(nbytes):
        copied = []

        def counted(queue, to, given, **options):
            copied.append("up" if isinstance(given, np.ndarray) else "down")
            assert (given if copied[-1] == "up" else to).nbytes in (nbytes, 512 * 257 * 4)
            return copy(queue, to, given, **options)

        monkeypatch.setattr(cl, "enqueue_copy", counted)
        return copied

    return count


@pytest.fixture
def no_room(monkeypatch):
    """Let no array be copied to the device as a whole."""

    def full(*_, **__):
        raise pyclfft.DeviceMemoryError("no room")

    monkeypatch.setattr(cl_array, "to_device", full)


@pytest.mark.parametrize("dtype", ["u1", "f4"])
def test_an_image_of_the_host_is_uploaded_once(device, by_transfers, copies, dtype):
    """And its result is downloaded once."""
    striped = with_wave(photo("camera"), 0.11, 0.23, 10).astype(dtype)
    (point,) = find_notches(striped)
    expected = filter_image(striped, "notch", points=[point])
    copied = copies(striped.nbytes)
    np.testing.assert_array_equal(filter_image(striped, "notch", points="auto"), expected)
    assert copied == ONCE


@pytest.fixture
def striped_file(tmp_path):
    """A picture file with stripes of 0.11 and 0.23 cycles a pixel."""
    path = tmp_path / "striped.png"
    Image.fromarray(with_wave(photo("camera"), 0.11, 0.23, 10)).save(path)
    return path


def command(path, *options):
    """Return what the command makes of a file, as pixels."""
    result = path.with_name("clean.png")
    assert filter_command([str(path), "--notch", "auto", "-o", str(result), *options]) == 0
    return read_image(result).pixels


def test_the_command_uploads_a_picture_once(device, by_transfers, copies, striped_file, capsys):
    striped = read_image(striped_file).pixels
    (point,) = find_notches(striped)
    expected = filter_image(striped, "notch", points=[point])
    copied = copies(striped.nbytes)
    np.testing.assert_array_equal(command(striped_file), expected)
    assert copied == ONCE
    y, x = point
    assert f"        ({y:.4f}, {x:.4f}): period" in capsys.readouterr().err


def test_the_command_tells_the_time_of_both_transfers(device, by_transfers, striped_file, capsys):
    command(striped_file, "--timing")
    words = [line.split()[:1] for line in capsys.readouterr().err.splitlines()]
    passes = words[: words.index(["kernel"])]
    assert (passes.count(["write"]), passes.count(["read"])) == (1, 1)


def test_the_command_filters_in_pieces_without_room(device, by_transfers, striped_file, no_room):
    striped = read_image(striped_file).pixels
    expected = filter_image(striped, "notch", points=find_notches(striped))
    np.testing.assert_array_equal(command(striped_file), expected)


def test_an_image_without_room_is_filtered_in_pieces(device, by_transfers, no_room):
    striped = with_wave(photo("camera"), 0.11, 0.23, 10)
    expected = filter_image(striped, "notch", points=find_notches(striped))
    np.testing.assert_array_equal(filter_image(striped, "notch", points="auto"), expected)


def test_an_image_beyond_a_limit_is_filtered_in_pieces(device, by_transfers):
    striped = with_wave(photo("camera"), 0.11, 0.23, 10)
    expected = filter_image(striped, "notch", points=find_notches(striped))
    with pyclfft.limit_device_memory(200_000):
        result = filter_image(striped, "notch", points="auto")
    assert np.abs(result - expected.astype(float)).max() <= 1


@pytest.mark.parametrize("shape", [(0, 5), (4,), (2, 3, 4, 5)])
def test_what_is_no_image_is_refused_before_it_is_uploaded(device, by_transfers, shape):
    with pytest.raises(PlanError):
        filter_image(np.ones(shape, "f4"), "notch", points="auto")


def test_nan_on_the_device_is_refused(queue):
    image = np.ones((40, 40), "f4")
    image[3, 4] = np.nan
    with pytest.raises(PlanError, match="NaN or infinity"):
        find_notches(cl_array.to_device(queue, image))


def test_the_queue_is_the_callers(device, queue):
    striped = with_wave(photo("camera"), 0.11, 0.23, 10)
    assert find_notches(striped, queue=queue) == find_notches(striped)
    with pytest.raises(PlanError, match="queue must be"):
        find_notches(striped, queue="gpu")


def test_what_has_no_peak_stays(device):
    image = photo("coins")
    np.testing.assert_array_equal(filter_image(image, "notch", points="auto"), image)
    assert find_notches(np.ones((10, 500))) == []  # too small for a look around a peak
    assert find_notches(np.zeros((64, 64))) == []


@pytest.mark.parametrize(
    ("image", "says"),
    [
        (np.zeros((8, 8), complex), "real pixels"),
        (np.zeros(8), "shape"),
        (np.full((8, 8), np.nan), "NaN or infinity"),
    ],
)
def test_what_is_no_image_is_refused(queue, image, says):
    with pytest.raises(PlanError, match=says):
        find_notches(image)


def test_a_mask_has_no_image_to_look_at(queue):
    with pytest.raises(PlanError, match="find_notches"):
        pyclfft.filter_mask((64, 64), "notch", points="auto")
