"""A Dask cluster of several processes: devices, chunks, plans that travel, a lost worker, files."""

from __future__ import annotations

import os
import signal
import time

import numpy as np
import pytest

import pyclfft
from tests.oracle import noise, relative_error

distributed = pytest.importorskip("distributed")
dask_array = pytest.importorskip("dask.array")
bag = pytest.importorskip("dask.bag")
chunked = pytest.importorskip("pyclfft.distributed.chunked")
workers = pytest.importorskip("pyclfft.distributed.workers")

WORKERS = 3
TIMEOUT_S = 300


@pytest.fixture(scope="module")
def client():
    cluster = distributed.LocalCluster(
        n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def assigned(client):
    """The devices that the workers have taken: all that there are, in turn."""
    found = pyclfft.devices()
    places = {(each.platform.name, each.name): each for each in found}
    specs = [platform for platform, _ in places]
    return specs, workers.assign_devices(client, specs)


def platform_of_worker():
    return pyclfft.default_device().platform.name


def test_each_worker_takes_a_device_of_its_own(client, assigned):
    specs, devices = assigned
    assert len(devices) == WORKERS
    taken = list(client.run(platform_of_worker).values())
    counts = [taken.count(each) for each in specs]
    assert sum(counts) == WORKERS
    assert max(counts) - min(counts) <= 1


def test_an_unknown_device_is_an_error(client, assigned):
    with pytest.raises(pyclfft.DeviceError, match="no device called this"):
        workers.assign_devices(client, ["no device called this"])
    workers.assign_devices(client, assigned[0])


def test_chunks_on_all_workers(client, assigned):
    x = noise((48, 40, 36), "complex64")
    lazy = dask_array.from_array(x, chunks=(8, 40, 12))
    result = chunked.fftn(lazy, rechunk=True).compute(scheduler=client)
    assert relative_error(result, np.fft.fftn(x.astype("complex128"))) < 1e-6


def test_a_plan_with_hooks_travels(client, assigned):
    gain = np.linspace(0, 1, 64, dtype="float32")
    hook = pyclfft.Hook("value *= gain[index % 64];", gain=gain)
    plan = pyclfft.Plan((4, 64), "complex64", axes=1, hooks={"store": hook})
    x = noise((24, 64), "complex64")
    lazy = dask_array.from_array(x, chunks=(4, 64))
    result = lazy.map_blocks(plan, dtype="complex64").compute(scheduler=client)
    assert relative_error(result, np.fft.fft(x.astype("complex128")) * gain) < 1e-6


def slowly(block):
    """Transform a block, and take long enough for the test to find the worker at work."""
    time.sleep(0.5)
    return pyclfft.fft(block)


def test_a_killed_worker_does_not_spoil_the_result(client, assigned):
    x = noise((24, 1024), "complex64")
    lazy = dask_array.from_array(x, chunks=(2, 1024)).map_blocks(slowly, dtype="complex64")
    future = client.compute(lazy)
    pids = client.run(os.getpid)
    deadline = time.monotonic() + TIMEOUT_S
    while not (busy := [who for who, tasks in client.processing().items() if tasks]):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(pids[busy[0]], signal.SIGKILL)
    result = future.result(timeout=TIMEOUT_S)
    assert relative_error(result, np.fft.fft(x.astype("complex128"))) < 1e-6
    client.wait_for_workers(WORKERS, timeout=TIMEOUT_S)
    assert pids[busy[0]] not in client.run(os.getpid).values()
    # The worker that took its place has taken a device, too: none is without one.
    taken = list(client.run(platform_of_worker).values())
    assert set(taken) <= set(assigned[0])


def spectrogram_of(path):
    sound = np.load(path)
    return pyclfft.spectrogram(sound, n_fft=256, hop_length=128)


def test_many_files(client, assigned, tmp_path):
    sounds = [noise(4000, "float32", seed=each) for each in range(6)]
    paths = []
    for number, sound in enumerate(sounds):
        paths.append(tmp_path / f"{number}.npy")
        np.save(paths[-1], sound)
    results = bag.from_sequence(paths, npartitions=3).map(spectrogram_of).compute(scheduler=client)
    for sound, result in zip(sounds, results, strict=True):
        padded = np.pad(sound.astype("float64"), 128)
        frames = np.lib.stride_tricks.sliding_window_view(padded, 256)[::128]
        window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(256) / 256)
        expected = np.abs(np.fft.rfft(frames * window).T)
        assert result.shape == expected.shape
        assert relative_error(result, expected) < 1e-5
