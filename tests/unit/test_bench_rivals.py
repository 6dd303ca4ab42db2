"""Rivals as contenders; cuFFT and FFTW by wrappers of our own that do as the documented ones."""

from __future__ import annotations

import sys
from math import prod
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
import scipy.fft

from pyclfft.bench import rivals
from pyclfft.bench.cases import Case, select
from pyclfft.bench.rivals import FFTW, CuFFT, SciPy, find_rivals
from pyclfft.bench.runner import Noise, Settings, measure
from pyclfft.errors import DeviceError

QUEUE = SimpleNamespace(device=SimpleNamespace(name="NVIDIA Z"))
SHORT = Settings(samples=2, sample_s=1e-6, budget_s=60)


class Array(np.ndarray):
    """An array of the device."""

    def get(self):
        return np.array(self)


def in_layout(array, lengths, embed, stride, distance, batch):
    """View an array as cuFFT's advanced data layout says."""
    assert len(embed) == len(lengths)
    steps = [stride * prod(embed[axis + 1 :]) for axis in range(len(embed))]
    strides = [array.itemsize * step for step in (distance, *steps)]
    assert (
        distance * (batch - 1) + sum(step * (n - 1) for step, n in zip(steps, lengths, strict=True))
        < array.size
    )
    return np.lib.stride_tricks.as_strided(array, (batch, *lengths), strides)


class PlanNd:
    """cufftPlanMany, with CuPy's arguments."""

    def __init__(self, shape, inembed, istride, idist, onembed, ostride, odist,
                 fft_type, batch, order, last_axis, last_size):  # fmt: skip
        assert order == "C"
        assert isinstance(last_axis, int)
        assert last_size == onembed[-1]
        self.shape, self.fft_type, self.batch = shape, fft_type, batch
        self.inside, self.outside = (inembed, istride, idist), (onembed, ostride, odist)

    def fft(self, a, out, direction):
        half = (*self.shape[:-1], self.shape[-1] // 2 + 1)
        inside = half if self.fft_type in ("C2R", "Z2D") else self.shape
        outside = half if self.fft_type in ("R2C", "D2Z") else self.shape
        assert prod(a.shape) == self.batch * prod(inside)
        assert prod(out.shape) == self.batch * prod(outside)
        x = in_layout(a, inside, *self.inside, self.batch)
        y = in_layout(out, outside, *self.outside, self.batch)
        y[...] = self.transform(x, direction)

    def transform(self, x, direction):
        axes = tuple(range(1, x.ndim))
        if self.fft_type in ("R2C", "D2Z"):
            return np.fft.rfftn(x, axes=axes)
        if self.fft_type in ("C2R", "Z2D"):
            return np.fft.irfftn(x, self.shape, axes=axes, norm="forward")
        return (
            np.fft.fftn(x, axes=axes)
            if direction == -1
            else np.fft.ifftn(x, axes=axes, norm="forward")
        )


@pytest.fixture
def cupy(monkeypatch):
    module = ModuleType("cupy")
    module.__version__ = "14"
    module.used, module.freed = [], []
    names = [b"NVIDIA A", b"NVIDIA Z"]
    types = {f"CUFFT_{name}": name for name in ("C2C", "R2C", "C2R", "Z2Z", "D2Z", "Z2D")}
    module.cuda = SimpleNamespace(
        Device=lambda n: SimpleNamespace(use=lambda: module.used.append(n)),
        runtime=SimpleNamespace(
            getDeviceCount=lambda: len(names),
            getDeviceProperties=lambda n: {"name": names[n]},
        ),
        cufft=SimpleNamespace(
            PlanNd=PlanNd, getVersion=lambda: 12000, CUFFT_FORWARD=-1, CUFFT_INVERSE=1, **types
        ),
        get_current_stream=lambda: SimpleNamespace(synchronize=lambda: None),
    )
    module.asarray = lambda x: np.array(x).view(Array)
    module.zeros = lambda shape, dtype: np.zeros(shape, dtype).view(Array)
    module.get_default_memory_pool = lambda: SimpleNamespace(
        free_all_blocks=lambda: module.freed.append(True)
    )
    monkeypatch.setitem(sys.modules, "cupy", module)
    cosines = ModuleType("cupyx.scipy.fft")
    cosines.dctn = lambda x, type, axes: scipy.fft.dctn(np.asarray(x), type, axes=axes).view(Array)
    for name in ("cupyx", "cupyx.scipy"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, cosines.__name__, cosines)
    return module


def short(case):
    """The same kind of case with short lengths, all different."""
    lengths = tuple(n for n, _ in zip((6, 5, 8)[-len(case.lengths) :], case.lengths, strict=True))
    return Case(lengths, case.kind, case.direction, case.precision, 3, case.columns)


SHORT_CASES = sorted({short(case) for case in select(["!filter"])}, key=str)


@pytest.mark.parametrize("case", SHORT_CASES, ids=str)
def test_every_kind_of_case_is_laid_out_as_cufft_has_it(cupy, case):
    (outcome,) = measure(case.sized(1), [CuFFT(QUEUE)], Noise(), SHORT).outcomes
    assert outcome.reason == ""
    assert outcome.error < (1e-6 if case.precision == "single" else 1e-14)
    assert outcome.ms.count >= 2  # a slow call adds one
    assert cupy.freed


def test_the_device_of_the_same_name_is_used(cupy):
    assert CuFFT(QUEUE).version == "12000, CuPy 14"
    assert cupy.used == [1]


def test_another_device_has_no_cufft(cupy):
    queue = SimpleNamespace(device=SimpleNamespace(name="A CPU"))
    with pytest.raises(DeviceError, match="CUDA has no device 'A CPU'"):
        find_rivals("cufft", queue)
    found, absent = find_rivals("auto", queue)
    assert not any(isinstance(each, CuFFT) for each in found)
    assert absent[0] == "cufft does not take part: CUDA has no device 'A CPU'"


# ---------------------------------------------------------------- on the host


COSINES = {"FFTW_REDFT10": 2, "FFTW_REDFT01": 3}


class PlannedFFTW:
    """pyfftw.FFTW: planning by measuring destroys both arrays; `execute` does not scale."""

    def __init__(self, x, y, axes, direction, flags, threads):
        assert flags == ("FFTW_MEASURE",)
        assert threads >= 1
        self.x, self.y, self.axes, self.direction = x, y, axes, direction
        x[...] = y[...] = np.nan

    def execute(self):
        if isinstance(self.direction, tuple):
            assert len(self.direction) == len(self.axes)
            (word,) = set(self.direction)
            self.y[...] = scipy.fft.dctn(self.x, COSINES[word], axes=self.axes)
            return
        lengths = [self.y.shape[axis] for axis in self.axes]
        forward = self.direction == "FFTW_FORWARD"
        self.y[...] = {
            ("f", True): lambda x: np.fft.rfftn(x, axes=self.axes),
            ("c", True): lambda x: np.fft.fftn(x, axes=self.axes),
            ("c", False): lambda x: np.fft.ifftn(x, axes=self.axes, norm="forward"),
            ("r", False): lambda x: np.fft.irfftn(x, lengths, self.axes, norm="forward"),
        }[self._kind(), forward](self.x)

    def _kind(self):
        if self.x.dtype.kind == "f":
            return "f"
        return "c" if self.y.dtype.kind == "c" else "r"


@pytest.fixture(params=["a stand-in", "the installed one"])
def pyfftw(request, monkeypatch):
    if request.param == "the installed one":
        return pytest.importorskip("pyfftw")
    module = ModuleType("pyfftw")
    module.__version__, module.fftw_version = "0.15", "3.3"
    module.FFTW, module.empty_aligned = PlannedFFTW, np.empty
    monkeypatch.setitem(sys.modules, "pyfftw", module)
    return module


@pytest.mark.parametrize("case", SHORT_CASES, ids=str)
def test_fftw_is_right_at_every_kind_of_case(pyfftw, case):
    is_right(FFTW(), case)


@pytest.mark.parametrize("case", SHORT_CASES, ids=str)
def test_scipy_is_right_at_every_kind_of_case(case):
    is_right(SciPy(), case)


def is_right(contender, case):
    (outcome,) = measure(case.sized(1), [contender], Noise(), SHORT).outcomes
    assert outcome.reason == ""
    assert outcome.error < (1e-6 if case.precision == "single" else 1e-14)
    assert outcome.ms.count >= 2  # a slow call adds one
    assert contender._result is None  # its memory is given back


def test_versions_say_how_it_was_measured(monkeypatch, pyfftw):
    monkeypatch.setattr(rivals, "cores", lambda: 3)
    assert FFTW().version.endswith("FFTW_MEASURE, 3 threads")
    assert SciPy().version.endswith(", 3 workers")


def test_without_pyfftw_fftw_does_not_take_part(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyfftw", None)
    monkeypatch.delitem(rivals.CPU_RIVALS, "vkfft")
    found, (absent,) = find_rivals("auto", [None], rivals.CPU_RIVALS)
    assert [type(each) for (each,) in found] == [SciPy]
    assert absent.startswith("fftw does not take part: ")
    with pytest.raises(DeviceError, match="fftw does not take part"):
        find_rivals("fftw", [None], rivals.CPU_RIVALS)
