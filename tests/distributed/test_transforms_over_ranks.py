"""Transforms over MPI's ranks and over devices: as SciPy's, and an end to every failure."""

from __future__ import annotations

import re

import numpy as np
import pyopencl as cl
import pytest
import scipy.fft

import pyclfft
from pyclfft import distributed
from pyclfft.distributed import execute
from pyclfft.errors import PlanError
from pyclfft.runtime import describe
from tests.conftest import place_of
from tests.mpi import ROOT, mpiexec
from tests.oracle import bound, noise, of_few, relative_error


@pytest.mark.one_cpu
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 6])
def test_every_transform_on_ranks(device, fp64, ranks):
    job = mpiexec(ranks, "-m", "tests.distributed.transform_ranks", place_of(device), cwd=ROOT)
    assert job.returncode == 0, job.stderr
    assert f"cases on {ranks} ranks" in job.stdout


@pytest.mark.one_cpu
@pytest.mark.parametrize("how", ["kill", "raise"])
def test_a_rank_that_fails_ends_all(device, how):
    """`mpiexec` would fail the test after its limit if a rank hung."""
    job = mpiexec(3, "tests/distributed/failing_rank.py", how, device=device, cwd=ROOT)
    assert job.returncode != 0
    if how == "raise":
        assert job.stderr.count("rank 2: MemoryError: the device is full") == 1


@pytest.mark.one_cpu
def test_wrong_input_is_an_error_on_every_rank(device):
    job = mpiexec(2, "tests/distributed/wrong_input.py", device=device, cwd=ROOT)
    assert job.returncode == 0, job.stderr
    assert "12 errors" in job.stdout


def usual(device):
    """The device whole, and cut into devices of one core each where it can be."""
    try:
        parts = device.create_sub_devices([cl.device_partition_property.EQUALLY, 1])
    except cl.Error:
        parts = []
    return [device, *parts]


CALLS = (
    ("fftn", (9, 128), "complex64", {"axes": 1}),
    ("ifftn", (9, 128), "complex64", {"axes": 1, "norm": "ortho"}),
    ("rfftn", (3, 7, 40), "float32", {"axes": (0, 2)}),
    ("irfftn", (7, 21), "complex64", {"axes": -1, "s": 40}),
)


@pytest.mark.parametrize(("name", "shape", "dtype", "options"), CALLS)
def test_rows_over_devices(name, shape, dtype, options):
    """All devices of the machine at once, of several runtimes, and parts of them."""
    devices = [part for each in pyclfft.devices() for part in usual(each)]
    x = noise(shape, dtype)
    result = getattr(distributed, name)(x, devices=devices, **options)
    wide = x.astype(np.longdouble if name == "rfftn" else np.clongdouble)
    expected = getattr(scipy.fft, name)(wide, **options)
    assert result.shape == expected.shape
    limit = bound("stockham", dtype, expected.size) * of_few(expected.size)
    assert relative_error(result, expected) <= limit
    assert len(distributed.reports()) == len(devices)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"devices": ...}, "start a rank for each device with mpiexec"),
        ({"devices": []}, "pass pyclfft.devices()"),
        ({"devices": ..., "local": True}, "without comm= and local="),
        ({"max_device_bytes": 0}, "max_device_bytes must be at least 1"),
        ({"partition": "pencil"}, 'partition="slab"'),
        ({"axes": ()}, "at least 1 axis"),
    ],
)
def test_refused(device, options, text):
    given = {key: [device] if value is ... else value for key, value in options.items()}
    with pytest.raises(PlanError, match=re.escape(text)):
        distributed.fftn(noise((8, 8), "complex64"), **given)


def test_device_arrays_are_refused(queue):
    x = cl.array.to_device(queue, np.ones((4, 4), "complex64"))
    with pytest.raises(PlanError, match=r"x\.get\(\)"):
        distributed.fftn(x)


def test_memory_stays_below_its_limit(device):
    """Pieces are as many as the limit needs, and the report counts their memory."""
    x = noise((64, 64, 64), "complex64")
    limit = x.nbytes // 4
    result = distributed.fftn(x, max_device_bytes=limit)
    (report,) = distributed.reports()
    workspace = report.device_bytes - limit
    assert workspace <= execute.LANES * x.nbytes // 4  # at most as large as the pieces
    assert report.pieces >= 2 * execute.ROOMS * x.nbytes // limit // 4
    assert report.host_bytes <= x.nbytes + limit
    assert report.device_s > 0
    assert 0 < report.transfer_s < report.seconds
    expected = scipy.fft.fftn(x.astype(np.clongdouble))
    assert relative_error(result, expected) <= bound("stockham", x.dtype, x.size)


def test_local_slices_of_one_rank():
    assert distributed.local_slices((5, 6)) == (slice(0, 5), slice(0, 6))
    half = distributed.local_slices((5, 6), real=True, spectrum=True)
    assert half == (slice(0, 5), slice(0, 4))


def test_precision_that_a_device_lacks(device, change_traits):
    change_traits(fp64=False)
    with pytest.raises(TypeError, match=r'x\.astype\("complex64"\)'):
        distributed.fftn(noise((4, 4), "complex128"))
    assert describe.traits(device).fp64 is False
