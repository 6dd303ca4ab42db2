"""What `filter_image` takes beside one uint8 image: dtypes, stacks, device arrays, masks."""

from __future__ import annotations

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest

import pyclfft
from pyclfft import filter_image, filter_mask
from pyclfft.errors import DeviceMemoryError, PlanError
from pyclfft.image import filtering as imaging
from pyclfft.runtime import cache, memory
from tests.device.test_imaging import picture, pretend, reference
from tests.pairwise import pairwise

SMOOTH = {"shape": "gaussian", "unit": "cycles/px"}


def assert_close(result, expected, image, *, double):
    noise = (1e-13 if double else 4e-6) * float(np.abs(np.asarray(image, float)).max())
    rounding = 0.5 if result.dtype.kind == "u" else 0
    np.testing.assert_allclose(result.astype(float), expected, rtol=0, atol=noise + rounding)


def filtered(image, gains, pad_to=None):
    """Planes of real numbers filtered by gains, in float64."""
    return np.fft.ifft2(np.fft.fft2(np.asarray(image, float)) * gains)


# --- what is shown by default ---------------------------------------------------------------------


def dark(dtype):
    return picture((40, 48), dtype=dtype, top=50 if np.dtype(dtype).kind == "u" else 0.1)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize(
    ("kind", "cutoff", "options"),
    [
        ("lowpass", 5, {}),
        ("lowpass", 5, {"shape": "gaussian"}),
        ("bandstop", (5, 9), {}),
        ("highpass", 5, {"keep_dc": True, "shape": "butterworth"}),
    ],
)
def test_what_keeps_the_mean_keeps_the_exposure(device, dtype, kind, cutoff, options):
    image = dark(dtype)
    result = filter_image(image, kind, cutoff, **options)
    assert result.dtype == dtype
    assert result.mean() == pytest.approx(image.mean(), abs=1)
    same = filter_image(image, kind, cutoff, part="real", scale="clip", **options)
    np.testing.assert_array_equal(result, same)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize(("kind", "cutoff"), [("highpass", 5), ("bandpass", (5, 9))])
def test_what_removes_the_mean_is_shown_as_the_textbook_does(device, dtype, kind, cutoff):
    image = dark(dtype)
    result = filter_image(image, kind, cutoff)
    white = np.iinfo(dtype).max
    assert result.max() == white
    same = filter_image(image, kind, cutoff, part="magnitude", scale="max")
    np.testing.assert_array_equal(result, same)
    expected, _ = reference(image, kind, cutoff, part="magnitude", scale="max")
    assert abs(result - expected).max() < 0.5 + 2e-5 * white


def test_the_textbooks_low_pass_can_be_asked_for(device):
    image = dark(np.uint8)
    result = filter_image(image, "lowpass", 5, scale="max", part="magnitude")
    expected, _ = reference(image, "lowpass", 5, scale="max", part="magnitude")
    assert result.max() == 255
    assert abs(result - expected).max() < 0.51


@pytest.mark.parametrize(
    ("kind", "cutoff", "part"),
    [("lowpass", 5, "real"), ("bandstop", (5, 9), "real"), ("highpass", 5, "magnitude"),
     ("bandpass", (5, 9), "magnitude")],
)  # fmt: skip
def test_numbers_are_neither_scaled_nor_clipped(device, kind, cutoff, part):
    image = picture((20, 24), dtype=np.float32) * 700 - 300
    result = filter_image(image, kind, cutoff)
    same = filter_image(image, kind, cutoff, scale="none", part=part)
    np.testing.assert_array_equal(result, same)
    assert result.max() > 1
    assert_close(result, reference(image, kind, cutoff)[0], image, double=False)


# --- dtypes and shapes ----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "i4", "u4", "i8", "u8", "f2", ">f4", ">i2"])
def test_numbers_of_any_dtype(device, fp64, dtype):
    """Precision as of the transforms: float16 in single, booleans and integers in double."""
    rng = np.random.default_rng(3)
    least = 0 if "u" in dtype else -90
    image = rng.integers(least, 100, (12, 20)).astype(dtype)
    result = filter_image(image, "lowpass", 0.2, **SMOOTH)
    gains = filter_mask((12, 20), "lowpass", 0.2, **SMOOTH).astype(float)
    assert result.dtype == (np.float32 if dtype in ("f2", ">f4") else np.float64)
    # The gains are exact to single precision only.
    np.testing.assert_allclose(result, filtered(image, gains).real, rtol=0, atol=1e-4)


def test_integers_that_single_precision_cannot_hold(device, fp64):
    image = np.full((8, 8), 2**40, np.int64)
    image[2, 3] += 1
    result = filter_image(image, "bandstop", (100, 101), unit="px-period", pad="none")
    np.testing.assert_allclose(result, image, rtol=0, atol=2e-3)


def test_byte_order(device):
    image = picture((12, 16), dtype=np.uint16)
    swapped = image.astype(">u2")
    result = filter_image(swapped)
    assert result.dtype == np.uint16
    np.testing.assert_array_equal(result, filter_image(image))


def test_lists(device, fp64):
    rows = [[0, 10, 0, 10], [10, 0, 10, 0]]
    result = filter_image(rows, "lowpass", 0)
    assert result.dtype == np.float64
    np.testing.assert_array_equal(result, np.zeros((2, 4)))
    result = filter_image([[0.5, 1.5], [2.5, 3.5]], "lowpass", 0.5)
    np.testing.assert_allclose(result, np.full((2, 2), 2.0), rtol=1e-12)


@pytest.mark.one_cpu
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("channels", ["each", "luma"])
@pytest.mark.parametrize("scale", [None, "none", "stretch"])
def test_alpha_is_kept(device, dtype, channels, scale):
    image = picture((14, 18), 4, dtype)
    image[3, 5, 3] = 0
    options = {"channels": channels, "scale": scale, **SMOOTH}
    result = filter_image(image, "highpass", 0.2, **options)
    assert result.shape == image.shape
    np.testing.assert_array_equal(result[..., 3], image[..., 3])
    colours = filter_image(np.ascontiguousarray(image[..., :3]), "highpass", 0.2, **options)
    np.testing.assert_array_equal(result[..., :3], colours)


# --- stacks ---------------------------------------------------------------------------------------


def stack_of(shape, axes, dtype=np.uint8, seed=0):
    """Images of unlike brightness, so that a scale of all would show."""
    rng = np.random.default_rng(seed)
    values = rng.random(shape)
    others = [n if axis not in axes else 1 for axis, n in enumerate(shape)]
    values *= rng.uniform(0.1, 1, others)
    return (values * (np.iinfo(dtype).max if np.dtype(dtype).kind == "u" else 1)).astype(dtype)


def one_by_one(stack, axes, colours, *arguments, **options):
    """Every image filtered alone."""
    kept = (*axes, stack.ndim - 1) if colours else axes
    front = tuple(axis for axis in range(stack.ndim) if axis not in kept)
    moved = stack.transpose(*front, *kept)
    outer = moved.shape[: len(front)]
    pages = moved.reshape(-1, *moved.shape[len(front) :])
    results = np.stack([filter_image(page, *arguments, **options) for page in pages])
    back = np.argsort((*front, *kept))
    return results.reshape(*outer, *results.shape[1:]).transpose(back)


STACKS = {
    "frames": ((5, 12, 20), (1, 2), False),
    "frames, counted from the end": ((5, 12, 20), (-2, -1), False),
    "columns before rows": ((3, 12, 20), (2, 1), False),
    "frames behind": ((12, 20, 7), (0, 1), False),
    "frames between": ((12, 5, 20), (0, 2), False),
    "two axes of frames": ((2, 3, 8, 10), (2, 3), False),
    "two axes, one behind": ((2, 8, 10, 5), (1, 2), False),
    "colour frames": ((4, 8, 10, 3), (1, 2), True),
    "colour frames with alpha": ((3, 8, 10, 4), (1, 2), True),
    "colours apart from their image": ((8, 3, 10, 3), (0, 2), False),
    "one image": ((12, 20), (0, 1), False),
    "one colour image": ((12, 20, 3), (0, 1), True),
    "one image in a stack": ((1, 12, 20), (1, 2), False),
}


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", STACKS)
@pytest.mark.parametrize(
    ("kind", "cutoff", "options"),
    [
        ("highpass", 2, {}),
        ("lowpass", 0.2, {"pad": "mirror", **SMOOTH}),
        ("highpass", 2, {"channels": "luma", "part": "real", "scale": "stretch"}),
    ],
)
def test_a_stacks_images_are_filtered_as_alone(device, name, kind, cutoff, options):
    shape, axes, colours = STACKS[name]
    stack = stack_of(shape, [axis % len(shape) for axis in axes])
    result = filter_image(stack, kind, cutoff, axes=axes, **options)
    assert (result.shape, result.dtype) == (stack.shape, stack.dtype)
    chosen = tuple(axis % stack.ndim for axis in axes)
    alone = one_by_one(stack, chosen, colours, kind, cutoff, **options)
    np.testing.assert_array_equal(result, alone)


def test_stacks_against_numpy(device):
    stack = stack_of((6, 12, 20), (1, 2), np.float32)
    gains = filter_mask((12, 20), "bandpass", (0.1, 0.3), unit="cycles/px")
    result = filter_image(stack, "bandpass", (0.1, 0.3), unit="cycles/px", axes=(1, 2), part="real")
    assert_close(result, filtered(stack, gains).real, stack, double=False)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("scale", ["none", "max", "stretch"])
def test_images_of_a_stack_know_nothing_of_each_other(device, value, scale):
    stack = stack_of((5, 12, 20), (1, 2), np.float32)
    options = {"axes": (1, 2), "scale": scale}
    before = filter_image(stack, "highpass", 3, **options)
    stack[2, 4, 5] = value
    after = filter_image(stack, "highpass", 3, **options)
    others = [0, 1, 3, 4]
    np.testing.assert_array_equal(after[others], before[others])
    assert np.isnan(after[2]).all()
    loud = stack_of((5, 12, 20), (1, 2), np.float32)
    loud[2] *= 1e10
    np.testing.assert_array_equal(filter_image(loud, "highpass", 3, **options)[others],
                                  before[others])  # fmt: skip


def test_stacks_for_which_the_device_has_no_room_at_once(device, queue, monkeypatch):
    stack = stack_of((6, 2, 32, 32), (2, 3))
    whole = filter_image(stack, axes=(2, 3))
    asked = cl_array.to_device(queue, stack)
    pretend(monkeypatch, max_alloc_bytes=3 * 32 * 32 * 8)  # three planes
    np.testing.assert_array_equal(filter_image(stack, axes=(2, 3)), whole)
    np.testing.assert_array_equal(filter_image(asked, axes=(2, 3)).get(), whole)
    with pytest.raises(DeviceMemoryError):
        filter_image(cl_array.zeros(queue, (2, 80, 80), np.uint8), axes=(1, 2))


def test_parts_of_a_stack_are_no_colours(queue, monkeypatch):
    """Parts of 3 or 4 images along the last axis would look like pixels of 3 or 4 colours."""
    stack = stack_of((12, 16, 24), (0, 1))
    whole = filter_image(stack, axes=(0, 1))
    asked = cl_array.to_device(queue, stack)
    pretend(monkeypatch, max_alloc_bytes=4 * 12 * 16 * 8)
    np.testing.assert_array_equal(filter_image(stack, axes=(0, 1)), whole)
    np.testing.assert_array_equal(filter_image(asked, axes=(0, 1)).get(), whole)


def test_stacks_of_many_images(device, monkeypatch):
    monkeypatch.setattr(imaging, "MAX_PLANES", 8)
    stack = stack_of((20, 4, 6), (1, 2))
    alone = one_by_one(stack, (1, 2), False)
    np.testing.assert_array_equal(filter_image(stack, axes=(1, 2)), alone)


# --- arrays on the device -------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["u1", "u2", "f4", "f2", "f8", "i8", "?"])
def test_device_arrays_give_what_host_arrays_give(device, fp64, queue, dtype, monkeypatch):
    image = (picture((16, 20), 3, np.float32) * 200).astype(dtype)
    for options in ({}, {"channels": "luma", "pad": "edge"}):
        expected = filter_image(image, "lowpass", 3, **options)
        given = cl_array.to_device(queue, image)
        result = filter_image(given, "lowpass", 3, **options)
        assert isinstance(result, cl_array.Array)
        assert result.queue == queue
        assert result.events
        np.testing.assert_array_equal(result.get(), expected)
        np.testing.assert_array_equal(given.get(), image)


@pytest.mark.parametrize("shape", [(16, 20), (4, 16, 20, 3)])
def test_pixels_of_device_arrays_stay_there(device, queue, shape, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("pixels went through the host")

    given = cl_array.zeros(queue, shape, np.uint8)
    mask = cl_array.zeros(queue, (16, 20), np.float32)
    for attempt in range(2):
        if attempt:  # the first call has uploaded its tables
            for name in ("enqueue_copy", "enqueue_map_buffer", "enqueue_migrate_mem_objects"):
                monkeypatch.setattr(cl, name, refuse)
            for name in ("get", "get_async", "set", "map_to_host"):
                monkeypatch.setattr(cl_array.Array, name, refuse)
        for options in ({}, {"mask": mask}):
            result = filter_image(given, axes=None if len(shape) == 2 else (1, 2), **options)
            cl.wait_for_events(result.events)
            assert result.shape == shape


VIEWS = {
    "a part": lambda a: a[2:14, 3:17],
    "every other": lambda a: a[::2, ::2],
    "transposed": lambda a: a.T,
    "one of several": lambda a: a[5:6],
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_device_arrays_of_any_strides(device, queue, name, dtype):
    image = picture((20, 24), dtype=dtype)
    view = VIEWS[name](cl_array.to_device(queue, image))
    assert view.offset or view.strides != np.empty(view.shape, dtype).strides or name[0] == "o"
    result = filter_image(view, "highpass", 0.2, unit="cycles/px")
    expected = filter_image(VIEWS[name](image), "highpass", 0.2, unit="cycles/px")
    np.testing.assert_array_equal(result.get(), expected)


def test_stacks_on_the_device(device, queue):
    for shape, axes, colours in STACKS.values():
        stack = stack_of(shape, [axis % len(shape) for axis in axes])
        result = filter_image(cl_array.to_device(queue, stack), "highpass", 2, axes=axes)
        np.testing.assert_array_equal(
            result.get(), filter_image(stack, "highpass", 2, axes=axes), err_msg=str((shape, axes))
        )
        del colours


def test_numbers_that_are_none_stay_in_their_image_on_the_device(device, queue):
    stack = stack_of((3, 12, 20), (1, 2), np.float32)
    before = filter_image(stack, axes=(1, 2))
    stack[1, 0, 0] = np.nan
    after = filter_image(cl_array.to_device(queue, stack), axes=(1, 2)).get()
    np.testing.assert_array_equal(after[[0, 2]], before[[0, 2]])
    assert np.isnan(after[1]).all()


def test_results_come_from_the_allocator_of_the_image(device, queue):
    sizes = []

    def allocate(nbytes):
        sizes.append(nbytes)
        return memory.allocate(queue.context, nbytes)

    image = cl_array.to_device(queue, picture((12, 16)), allocator=allocate)
    result = filter_image(image)
    assert result.allocator is allocate
    assert sizes == [192, 192]


def test_queues_of_device_arrays(device, queue, other_context):
    image = picture((12, 16))
    expected = filter_image(image)
    mine = cl.CommandQueue(other_context)
    given = cl_array.to_device(mine, image)
    result = filter_image(given)
    assert result.queue == mine
    np.testing.assert_array_equal(result.get(), expected)
    with pytest.raises(PlanError, match="of the queue's context"):
        filter_image(given, queue=queue)
    second = cl.CommandQueue(other_context)
    result = filter_image(given, queue=second)
    assert result.queue == second
    np.testing.assert_array_equal(result.get(), expected)
    alone = filter_image(given.with_queue(None))
    np.testing.assert_array_equal(alone.with_queue(mine).get(), expected)


def test_calls_wait_for_the_events_of_their_arrays(device, queue):
    """On queues that do not know of each other; a gate holds the upload back."""
    image, gains = picture((32, 40)), np.full((32, 40), 0.5, np.float32)
    expected = filter_image(image, mask=gains)
    first, second = (cl.CommandQueue(queue.context) for _ in range(2))
    given, mask = cl_array.zeros(first, (32, 40), np.uint8), cl_array.zeros(first, (32, 40), "f4")
    first.finish()
    filter_image(given, mask=mask, queue=second).get()
    gate = cl.UserEvent(queue.context)
    for array, values in ((given, image), (mask, gains)):
        array.add_event(
            cl.enqueue_copy(first, array.base_data, values, is_blocking=False, wait_for=[gate])
        )
    result = filter_image(given, mask=mask, queue=second)
    gate.set_status(cl.command_execution_status.COMPLETE)
    np.testing.assert_array_equal(result.get(), expected)


# --- masks ----------------------------------------------------------------------------------------


@pytest.mark.one_cpu
@pairwise(
    {
        "size": [(12, 20), (15, 21), (7, 1), (1, 8), (8, 2), (1, 1)],
        "dtype": ["f4", "f8", "c8", "?", "i4"],
        "part": ["real", "magnitude"],
    }
)
def test_masks_over_the_whole_spectrum(device, size, dtype, part):
    image = picture(size, dtype=np.float32)
    mask = gains_of(size, dtype)
    result = filter_image(image, mask=mask, part=part)
    expected = filtered(image, mask)
    expected = expected.real if part == "real" else abs(expected)
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, expected, rtol=0, atol=2e-5)


def gains_of(shape, dtype, seed=1):
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "c":
        return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)
    return (3 * rng.normal(size=shape) if dtype != "?" else rng.random(shape) > 0.4).astype(dtype)


@pytest.mark.one_cpu
@pairwise(
    {
        "size": [(12, 20), (15, 21), (9, 3), (7, 1), (8, 2), (1, 9)],
        "dtype": ["f4", "c8"],
        "part": ["real", "magnitude"],
    }
)
def test_masks_over_half_the_spectrum(device, size, dtype, part):
    """As between rfft2 and irfft2, also where the gains are not as symmetric as they could be."""
    image = picture(size, dtype=np.float32)
    mask = gains_of((size[0], size[1] // 2 + 1), dtype)
    if size[1] <= 2:  # both are of one shape: the whole is meant
        mask = mask if dtype == "f4" else mask.real.astype(dtype)
    result = filter_image(image, mask=mask, part=part)
    expected = np.fft.irfft2(np.fft.rfft2(image.astype(float)) * mask, s=size)
    if size[1] <= 2:
        expected = filtered(image, mask)
        expected = expected.real if part == "real" else abs(expected)
    expected = expected if part == "real" else abs(expected)
    np.testing.assert_allclose(result, expected, rtol=0, atol=2e-5)


@pytest.mark.one_cpu
@pytest.mark.parametrize("algorithm", [None, "radix2", "stockham", "direct"])
@pytest.mark.parametrize("half", [False, True])
def test_masks_by_every_algorithm(device, algorithm, half):
    size = (16, 32)
    image = picture(size, dtype=np.float32)
    mask = gains_of((16, 17) if half else size, "f4")
    result = filter_image(image, mask=mask, algorithm=algorithm)
    expected = (
        np.fft.irfft2(np.fft.rfft2(image.astype(float)) * mask) if half else filtered(image, mask)
    )
    np.testing.assert_allclose(result, expected.real, rtol=0, atol=2e-5)


def test_double_precision_of_masks(device, fp64):
    image = picture((12, 20), dtype=np.float64)
    mask = gains_of((12, 20), "c16")
    np.testing.assert_allclose(
        filter_image(image, mask=mask), filtered(image, mask).real, rtol=0, atol=1e-13
    )


@pytest.mark.one_cpu
@pytest.mark.parametrize("pad", ["zero", "edge", "mirror"])
def test_masks_over_the_padded_transform(device, pad):
    """`filter_mask` says how many bins there are, and its gains do what its filter does."""
    image = picture((12, 20))
    options = {"unit": "cycles/px", "shape": "butterworth", "order": 1.5}
    mask = filter_mask((12, 20), "lowpass", 0.1, pad=pad, **options)
    assert mask.shape == imaging.padded_size((12, 20))
    expected = filter_image(image, "lowpass", 0.1, pad=pad, **options)
    np.testing.assert_array_equal(filter_image(image, mask=mask, pad=pad), expected)
    half = np.ascontiguousarray(mask[:, : mask.shape[1] // 2 + 1])
    np.testing.assert_array_equal(filter_image(image, mask=half, pad=pad), expected)
    twos = filter_mask((12, 20), "lowpass", 0.1, pad=pad, algorithm="radix2", **options)
    assert twos.shape == (32, 32)
    np.testing.assert_array_equal(
        filter_image(image, mask=twos, pad=pad, algorithm="radix2"),
        filter_image(image, "lowpass", 0.1, pad=pad, algorithm="radix2", **options),
    )


def test_masks_of_pictures_and_stacks(device):
    """Pictures keep their exposure; every image and colour of a stack gets the same gains."""
    stack = stack_of((3, 12, 20, 3), (1, 2))
    mask = gains_of((12, 20), "f4")
    result = filter_image(stack, mask=mask, axes=(1, 2))
    planes = filtered(stack.transpose(0, 3, 1, 2), mask).real.transpose(0, 2, 3, 1)
    assert result.dtype == np.uint8
    assert abs(result - planes.clip(0, 255)).max() < 0.51
    ones = np.ones((12, 20), bool)
    np.testing.assert_array_equal(filter_image(stack, mask=ones, axes=(1, 2)), stack)


@pytest.mark.one_cpu
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "u1", "?", "i8"])
@pytest.mark.parametrize("half", [False, True])
def test_masks_on_the_device(device, fp64, queue, dtype, half):
    image = picture((12, 20), dtype=np.float32)
    mask = abs(gains_of((12, 11 if half else 20), dtype))
    expected = filter_image(image, mask=mask)
    there = cl_array.to_device(queue, mask)
    np.testing.assert_allclose(filter_image(image, mask=there), expected, rtol=0, atol=2e-6)
    on_device = filter_image(cl_array.to_device(queue, image), mask=there)
    np.testing.assert_allclose(on_device.get(), expected, rtol=0, atol=2e-6)
    mixed = filter_image(cl_array.to_device(queue, image), mask=mask)
    np.testing.assert_array_equal(mixed.get(), expected)


def test_masks_on_the_device_of_any_strides(device, queue):
    image, mask = picture((12, 20), dtype=np.float32), gains_of((40, 26), "f4")
    there = cl_array.to_device(queue, mask)
    for view in (lambda a: a[3:15, 2:22], lambda a: a.T[2:26:2, 4:24]):
        result = filter_image(image, mask=view(there))
        np.testing.assert_array_equal(result, filter_image(image, mask=view(mask)))


def test_masks_on_the_device_may_change(device, queue):
    image = picture((12, 20), dtype=np.float32)
    mask = cl_array.zeros(queue, (12, 20), np.float32)
    assert not filter_image(image, mask=mask).any()
    mask.fill(1)
    np.testing.assert_allclose(filter_image(image, mask=mask), image, atol=1e-6)


def test_masks_on_the_host_may_change(device):
    """Filters are kept by the gains, not by the array."""
    image, mask = picture((12, 20), dtype=np.float32), np.zeros((12, 20), np.float32)
    assert not filter_image(image, mask=mask).any()
    mask[:] = 1
    np.testing.assert_allclose(filter_image(image, mask=mask), image, atol=1e-6)
    cache.clear("filters")
    for _ in range(3):
        filter_image(image, mask=mask.copy())
    assert pyclfft.cache_info().filters[:2] == (2, 1)


ONES = np.ones((12, 20), np.float32)


@pytest.mark.parametrize(
    ("mask", "options", "says"),
    [
        (ONES, {"kind": "lowpass"}, "leave out kind, or multiply the mask by filter_mask"),
        (ONES, {"cutoff": 3}, "leave out cutoff,"),
        (ONES, {"unit": "nyquist"}, "leave out unit,"),
        (ONES, {"shape": "gaussian", "order": 3}, "leave out shape, order,"),
        (ONES, {"keep_dc": True}, "leave out keep_dc,"),
        (ONES[1:], {}, r"\(12, 20\), or of its half, \(12, 11\), with DC at \[0, 0\], not \(11, "),
        (ONES, {"pad": "zero"}, r"\(18, 30\), .* half, \(18, 16\).* filter_mask"),
        (ONES[..., None], {}, r"not \(12, 20, 1\)"),
        (3, {}, r"not \(\)"),
        (np.full((12, 20), np.nan), {}, "NaN or infinity"),
        (np.full((12, 20), "a"), {}, "gains, which are numbers"),
    ],
)  # fmt: skip
def test_masks_that_make_no_sense_are_refused(queue, mask, options, says):
    with pytest.raises(PlanError, match=says) as raised:
        filter_image(np.zeros((12, 20), np.uint8), mask=mask, **options)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("mask", [ONES, ONES.tolist()], ids=["array", "list"])
def test_a_mask_in_the_place_of_a_kind(queue, mask):
    with pytest.raises(PlanError, match="pass gains of your own as mask="):
        filter_image(np.zeros((12, 20), np.uint8), mask)


def test_a_mask_of_another_context(queue, other_context):
    mask = cl_array.to_device(cl.CommandQueue(other_context), ONES)
    with pytest.raises(PlanError, match="of the queue's context"):
        filter_image(cl_array.zeros(queue, (12, 20), np.uint8), mask=mask)
    expected = filter_image(ONES, mask=ONES)
    np.testing.assert_array_equal(filter_image(ONES, mask=mask), expected)


def test_what_a_planned_mask_says(device):
    job = imaging.filter_job(ONES, mask=ONES)
    assert str(job.band) == "mask of 20 x 12 float32, whole"
    assert str(imaging.filter_job(ONES, mask=ONES[:, :11]).band).endswith("half")
    assert pyclfft.filter_image is filter_image
