"""istft in one launch on a GPU, whose work-groups add up the frames that they transform."""

from __future__ import annotations

import numpy as np
import pyopencl.array as cl_array
import pytest
import scipy.signal

import pyclfft
from pyclfft.audio import stft as shorttime
from pyclfft.runtime import describe
from tests.oracle import noise

BOUND = {"c8": 1e-6, "c16": 1e-14}
GPU = {"is_cpu": False, "lanes": 32, "local_mem_bytes": 48 * 1024}
GPU |= {"max_work_group_size": 1024, "max_work_item_sizes": (1024,) * 3}
MEETING = [False, pytest.param(True, marks=pytest.mark.one_cpu)]

# Points of frames, and from one to the next: frames that overlap once, three times, hardly, and not
# at all; hops that divide nothing; frames whose points are no power of two; a first sample that is
# the second one of a pair.
FRAMES = [(256, 64)] + [
    pytest.param(*each, marks=pytest.mark.one_cpu)
    for each in (
        (256, 128),
        (256, 250),
        (128, 128),
        (512, 130),
        (360, 90),
        (100, 26),
        (256, 34),
        (90, 30),
    )
]


def definition(spectra, n_fft, hop, window, center=True):
    """Signals in double precision by NumPy, and the sum of the squared windows at each sample."""
    spectra = np.fft.irfft(spectra.astype("c16"), n_fft, axis=-2)
    count = spectra.shape[-1]
    signals = np.zeros((*spectra.shape[:-2], n_fft + hop * (count - 1)))
    weights = np.zeros(signals.shape[-1])
    for number in range(count):
        place = slice(hop * number, hop * number + n_fft)
        signals[..., place] += spectra[..., number] * window
        weights[place] += window**2
    signals /= np.where(weights > np.finfo("f4").tiny, weights, 1)
    begin = n_fft // 2 if center else 0
    return signals[..., begin:], weights[begin:]


def uploaded(queue, spectra, order):
    """Spectra on the device, whose frames are neighbours (C) or whose bins are (F)."""
    if order == "C":
        return cl_array.to_device(queue, spectra)
    by_frame = np.ascontiguousarray(spectra.swapaxes(-1, -2))
    axes = (*range(spectra.ndim - 2), spectra.ndim - 1, spectra.ndim - 2)
    return cl_array.to_device(queue, by_frame).transpose(axes)


@pytest.fixture(params=MEETING, ids=lambda meets: "meeting" if meets else "apart")
def meets(request):
    """Whether the groups of a launch meet, or transform frames twice."""
    return request.param


@pytest.fixture
def istft(meets):
    """As pyclfft.istft, with groups of this kind."""

    def function(*arguments, parameters=None, **options):
        parameters = {"istft_meets": int(meets), **(parameters or {})}
        return pyclfft.istft(*arguments, parameters=parameters, **options)

    return function


@pytest.fixture
def passes(device, change_traits, monkeypatch, meets):
    """The passes of every call, on a device that is taken for a GPU."""
    if meets and not may_wait(device):
        pytest.skip("this GPU's work-groups may not wait for each other")
    change_traits(**GPU, groups_may_wait=meets)
    pyclfft.clear_cache()
    found = []
    run = shorttime.run

    def noting(executable, *arguments):
        found.append(executable.schedule.passes)
        run(executable, *arguments)

    monkeypatch.setattr(shorttime, "run", noting)
    yield found
    pyclfft.clear_cache()


def may_wait(device):
    """Whether a launch whose groups wait ends: on CPUs, where others go on, and on some GPUs."""
    traits = describe.traits(device)
    return traits.is_cpu or traits.groups_may_wait


def macros(each):
    return dict(each.defines)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("code", ["c8", "c16"])
@pytest.mark.parametrize(("n_fft", "hop"), FRAMES)
def test_every_sample(queue, request, passes, istft, meets, n_fft, hop, code, order):
    """Of one signal and of several, centred or not, all samples and some."""
    if code == "c16":
        request.getfixturevalue("fp64")
    window = scipy.signal.get_window("hamming", n_fft)
    for signals, count, center in ((1, 50, True), (3, 19, True), (2, 33, False)):
        spectra = noise((signals, n_fft // 2 + 1, count), code)
        expected, _ = definition(spectra, n_fft, hop, window, center)
        there = uploaded(queue, spectra, order)
        for length in (None, 5 * hop + 3):
            options = {"n_fft": n_fft, "window": "hamming", "center": center, "length": length}
            result = istft(there, hop, **options).get()
            (only,) = passes.pop()
            assert only.kernel == "stockham"
            assert macros(only)["HOP"] == str(hop // 2)
            assert ("MEETS" in macros(only)) == (meets and hop < n_fft)
            wanted = expected[:, : result.shape[-1]]
            assert result.shape == wanted.shape
            assert np.linalg.norm(result - wanted) < BOUND[code] * np.linalg.norm(wanted)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("code", ["c8", "c16"])
@pytest.mark.parametrize(("n_fft", "hop"), [(256, 64), (256, 250), (100, 26), (360, 90)])
@pytest.mark.one_cpu
def test_in_little_local_memory(
    queue, request, passes, istft, meets, change_traits, n_fft, hop, code, order
):
    """Groups keep one part of their points at a time."""
    if code == "c16":
        request.getfixturevalue("fp64")
    # Too little for both parts of the fewest frames that a group takes for these hops.
    least = 4 if n_fft <= 2 * hop else 8
    change_traits(**GPU | {"local_mem_bytes": least * n_fft // 2 * np.dtype(code).itemsize})
    window = scipy.signal.get_window("hamming", n_fft)
    for count in (1, 2, 5, 40):
        spectra = noise((2, n_fft // 2 + 1, count), code)
        expected, _ = definition(spectra, n_fft, hop, window, False)
        options = {"n_fft": n_fft, "window": "hamming", "center": False}
        result = istft(uploaded(queue, spectra, order), hop, **options).get()
        (only,) = passes.pop()
        assert macros(only)["SPLIT"] == "1"
        assert ("MEETS" in macros(only)) == meets
        assert np.linalg.norm(result - expected) < BOUND[code] * np.linalg.norm(expected)


@pytest.mark.one_cpu
@pytest.mark.parametrize(("meets", "order", "hop", "frames", "split"), [
    (False, "C", 1024, "4", "1"), (False, "F", 1024, "4", "0"),
    (False, "C", 512, "8", "1"), (False, "F", 512, "8", "1"),
    (True, "C", 512, "8", "1"), (True, "F", 512, "4", "0"),
], indirect=["meets"])  # fmt: skip
def test_long_frames(queue, passes, istft, order, hop, frames, split):
    """An H200 is quicker if columns exchange parts, and has no room for both parts of 8 frames."""
    spectra = noise((1025, 21), "c8")
    expected, _ = definition(spectra, 2048, hop, scipy.signal.get_window("hann", 2048))
    result = istft(uploaded(queue, spectra, order), hop).get()
    (only,) = passes.pop()
    assert (macros(only)["TRANSFORMS"], macros(only)["SPLIT"]) == (frames, split)
    wanted = expected[: len(result)]
    assert np.linalg.norm(result - wanted) < 1e-6 * np.linalg.norm(wanted)


@pytest.mark.one_cpu
@pytest.mark.parametrize(("parts", "split"), [(-1, "0"), (1, "0"), (2, "1"), (4, "1")])
def test_how_many_parts_points_have(queue, passes, istft, parts, split):
    """A group has two parts at most."""
    spectra = noise((129, 60), "c8")
    expected, _ = definition(spectra, 256, 64, scipy.signal.get_window("hann", 256))
    given = uploaded(queue, spectra, "C")
    result = istft(given, 64, parameters={"stockham_parts": parts}).get()
    (only,) = passes.pop()
    assert macros(only)["SPLIT"] == split
    wanted = expected[: len(result)]
    assert np.linalg.norm(result - wanted) < 1e-6 * np.linalg.norm(wanted)


@pytest.mark.one_cpu
def test_samples_behind_the_last_frame_are_zero(queue, passes, istft):
    spectra = noise((2, 65, 9), "c8")
    expected, _ = definition(spectra, 128, 32, np.ones(128))
    result = istft(uploaded(queue, spectra, "C"), 32, window="boxcar", length=1000).get()
    assert len(passes.pop()) == 1
    np.testing.assert_allclose(result[:, :320], expected[:, :320], atol=1e-6 * abs(expected).max())
    assert not result[:, 320:].any()


@pytest.mark.one_cpu
def test_samples_of_little_weight_are_not_divided(queue, passes, istft):
    """The first point of a Hann window is zero, and so is its square."""
    spectra = noise((129, 20), "c8")
    expected, weights = definition(spectra, 256, 256, scipy.signal.get_window("hann", 256), False)
    given = uploaded(queue, spectra, "C")
    result = istft(given, 256, window="hann", center=False).get()
    assert len(passes.pop()) == 1
    assert not result[weights == 0].any()
    good = weights > 1e-3
    assert np.linalg.norm((result - expected)[good]) < 1e-5 * np.linalg.norm(expected[good])


@pytest.mark.one_cpu
def test_a_frame_that_is_no_number_stays_among_its_samples(queue, passes, istft):
    """Also in groups that have the frame, but none of its samples, and in other signals."""
    spectra = noise((3, 129, 60), "c8")
    plain = istft(uploaded(queue, spectra, "C"), 64, center=False).get()
    spectra[1, :, 29] = np.nan
    result = istft(uploaded(queue, spectra, "C"), 64, center=False).get()
    assert {len(each) for each in passes} == {1}
    damaged = np.zeros(plain.shape, bool)
    damaged[1, 29 * 64 + 1 : 29 * 64 + 256] = True  # the window's first weight is 0, times NaN
    damaged[1, 29 * 64] = True
    assert np.isnan(result[damaged]).all()
    np.testing.assert_array_equal(result[~damaged], plain[~damaged])


@pytest.mark.one_cpu
def test_signals_within_a_longer_array(queue, passes, istft):
    """They begin at an odd place, and lie an odd number of samples apart: no pair is aligned."""
    spectra = noise((3, 65, 21), "c8")
    expected, _ = definition(spectra, 128, 32, scipy.signal.get_window("hann", 128))
    whole = cl_array.to_device(queue, np.full((3, 801), 7, "f4"))
    out = whole[:, 11 : 11 + 640]
    istft(uploaded(queue, spectra, "F"), 32, out=out)
    (only,) = passes.pop()
    assert macros(only)["SAMPLE_PAIRS"] == "0"
    wanted = np.full((3, 801), 7.0)
    wanted[:, 11 : 11 + 640] = expected[:, :640]
    np.testing.assert_allclose(whole.get(), wanted, atol=1e-6 * abs(expected).max())


@pytest.mark.one_cpu
@pytest.mark.parametrize("bins", [40, 90])
def test_fewer_bins_and_more(queue, passes, istft, bins):
    spectra = noise((2, bins, 40), "c8")
    all_bins = np.zeros((2, 65, 40), "c8")
    all_bins[:, : min(bins, 65)] = spectra[:, :65]
    expected, _ = definition(all_bins, 128, 32, scipy.signal.get_window("hann", 128))
    result = istft(uploaded(queue, spectra, "C"), 32, n_fft=128).get()
    assert len(passes.pop()) == 1
    wanted = expected[:, : result.shape[-1]]
    assert np.linalg.norm(result - wanted) < 1e-6 * np.linalg.norm(wanted)


@pytest.mark.one_cpu
@pytest.mark.parametrize("chunk", [1, 30_000])
def test_in_chunks(queue, passes, istft, meets, chunk):
    """Each stretch of the signals takes one launch."""
    spectra = noise((2, 129, 100), "c8")
    given = uploaded(queue, spectra, "C")
    whole = istft(given, 64).get()
    result = istft(given, 64, parameters={"istft_chunk": chunk}).get()
    assert len(passes[1]) > 1
    assert {"MEETS" in macros(each) for each in passes[1]} == {meets}
    assert {each.kernel for each in passes[1]} == {"stockham"}
    np.testing.assert_allclose(result, whole, atol=1e-6 * abs(whole).max())


@pytest.mark.one_cpu
@pytest.mark.parametrize(
    ("meets", "frames_by_rule", "enough"),
    [(False, "16", (4, 5, 12)), (True, "8", (3, 4, 5, 12))],
    indirect=["meets"],
)
def test_how_many_frames_a_group_has(queue, passes, istft, frames_by_rule, enough):
    """A sample has four frames. Groups of three frames that do not meet have none of its own."""
    given = uploaded(queue, noise((129, 60), "c8"), "C")
    usual = istft(given, 64).get()
    (only,) = passes.pop()
    assert macros(only)["TRANSFORMS"] == frames_by_rule
    for frames in enough:
        result = istft(given, 64, parameters={"istft_frames": frames}).get()
        (only,) = passes.pop()
        assert macros(only)["TRANSFORMS"] == str(frames)
        np.testing.assert_allclose(result, usual, atol=1e-6 * abs(usual).max())
    for frames in (0, min(enough) - 1):
        result = istft(given, 64, parameters={"istft_frames": frames}).get()
        assert [each.kernel for each in passes.pop()] == ["stockham", "overlapAdd"]
        np.testing.assert_allclose(result, usual, atol=1e-6 * abs(usual).max())


@pytest.mark.one_cpu
@pytest.mark.parametrize("meets", [True], indirect=True)
@pytest.mark.parametrize(("frames", "count"), [(1, 2), (2, 1)])
def test_small_groups_that_meet(queue, passes, istft, frames, count):
    """A group of one frame may have one work-item only, so it does not meet others."""
    spectra = noise((19, 40), "c8")
    expected, _ = definition(spectra, 36, 18, scipy.signal.get_window("hann", 36))
    given = uploaded(queue, spectra, "C")
    result = istft(given, 18, parameters={"istft_frames": frames}).get()
    assert len(passes.pop()) == count
    wanted = expected[: len(result)]
    assert np.linalg.norm(result - wanted) < 1e-6 * np.linalg.norm(wanted)


@pytest.mark.one_cpu
@pytest.mark.parametrize(
    ("n_fft", "hop"), [(256, 63), (256, 8), (128, 200), (2, 2), (129, 32), (32768, 8192)]
)
def test_what_takes_two_launches(queue, passes, istft, n_fft, hop):
    """An odd hop, many frames over a sample, gaps, short frames, odd ones, and long ones."""
    spectra = noise((n_fft // 2 + 1, 12), "c8")
    window = np.ones(n_fft)
    expected, _ = definition(spectra, n_fft, hop, window, center=False)
    options = {"n_fft": n_fft, "window": "boxcar", "center": False}
    result = istft(uploaded(queue, spectra, "C"), hop, **options).get()
    assert passes.pop()[-1].kernel == "overlapAdd"
    assert np.linalg.norm(result - expected) < 1e-6 * np.linalg.norm(expected)
