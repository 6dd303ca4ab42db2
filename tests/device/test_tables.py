"""Tables in a device's memory: plans share them, and long ones are kept on the disk."""

from __future__ import annotations

import gc
from weakref import WeakValueDictionary

import numpy as np
import pyopencl as cl
import pytest

import pyclfft
from pyclfft.errors import DeviceMemoryError
from pyclfft.planning.tables import BlockRoots, Chirp, ChirpSpectrum, LaneChirp, LaneSpectrum
from pyclfft.runtime import describe, queues
from pyclfft.runtime import tables as tables_module
from pyclfft.runtime.tables import table_buffer

LONG = ChirpSpectrum(16000, (2**15,), "single")
LONG_CHIRP = LaneChirp(2**17 + 1, 16, "single")
LONG_ROOTS = BlockRoots(2**21, 1024, 128, 16, "single")
LONG_LANES = LaneSpectrum(16000, (2**8, 2**7), 16, "double")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PYCLFFT_CACHE_DIR", str(tmp_path))
    return tmp_path / "tables"


@pytest.fixture
def computed(monkeypatch):
    """The tables that have been computed since."""
    found = []
    for kind in (BlockRoots, ChirpSpectrum, LaneChirp, LaneSpectrum):

        def values(self, compute=kind.values):
            found.append(self)
            return compute(self)

        monkeypatch.setattr(kind, "values", values)
    return found


def read(context, table):
    buffer = table_buffer(context, table)
    content = np.empty(buffer.size, np.uint8)
    with cl.CommandQueue(context) as queue:
        cl.enqueue_copy(queue, content, buffer)
    return content


@pytest.fixture
def context(device):
    return queues.context_of(device)


@pytest.mark.parametrize("table", [LONG, LONG_CHIRP, LONG_ROOTS, LONG_LANES])
def test_long_tables_are_kept(context, folder, table, computed):
    expected = np.ascontiguousarray(table.values()).reshape(-1).view(np.uint8)
    computed.clear()
    for _ in range(3):
        np.testing.assert_array_equal(read(context, table), expected)
    assert computed.count(table) == 1
    assert len(list(folder.iterdir())) == 1


def test_what_is_computed_sooner_than_read_is_not_kept(context, folder):
    read(context, Chirp(2**16, "single"))
    read(context, ChirpSpectrum(100, (256,), "single"))
    read(context, BlockRoots(2**20, 1024, 64, 16, "single"))
    assert not folder.exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:7],
        lambda content: content[:-8],
        lambda content: content[:5000] + bytes([content[5000] ^ 1]) + content[5001:],
        lambda content: content[:4096] + bytes(4096) + content[8192:],
    ],
)
def test_damaged_tables_are_computed_again(context, folder, damage, computed):
    expected = read(context, LONG)
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    np.testing.assert_array_equal(read(context, LONG), expected)
    assert computed == [LONG, LONG]
    assert path.read_bytes() == whole


def test_device_that_refuses(context, folder, computed, monkeypatch):
    if not describe.traits(context.devices[0]).is_cpu:
        pytest.skip("the table is uploaded")
    expected = read(context, LONG)

    class Refused(cl.MemoryError):
        code = cl.status_code.MEM_OBJECT_ALLOCATION_FAILURE

    def refuse(*args, **options):
        raise Refused("full")

    with monkeypatch.context() as patching:
        patching.setattr(cl, "enqueue_map_buffer", refuse)
        with pytest.raises(DeviceMemoryError):
            table_buffer(context, LONG)
    np.testing.assert_array_equal(read(context, LONG), expected)
    assert computed == [LONG]


def test_disk_that_refuses(context, folder, computed):
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("not a folder")
    for _ in range(2):
        assert read(context, LONG).size == 2**15 * 8
    assert computed == [LONG, LONG]


def test_tables_are_bounded(context, folder, monkeypatch):
    monkeypatch.setattr(tables_module, "DISK_LIMIT", 3 * 2**18 + 100)
    for n in (15000, 15001, 15002, 15003):
        read(context, ChirpSpectrum(n, (2**15,), "single"))
    assert len(list(folder.iterdir())) == 3
    monkeypatch.setattr(tables_module, "LARGEST", 2**17)
    pyclfft.clear_cache(disk=True)
    read(context, LONG)
    assert not list(folder.iterdir())


def test_other_code_computes_anew(context, folder, computed, monkeypatch):
    read(context, LONG)
    monkeypatch.setattr(tables_module, "_code", lambda: "other code")
    read(context, LONG)
    assert computed == [LONG, LONG]


def test_plans_share_tables(context, monkeypatch):
    made = []

    def counted(context, table, make=tables_module.table_buffer):
        made.append(table)
        return make(context, table)

    monkeypatch.setattr(tables_module, "table_buffer", counted)
    monkeypatch.setattr(tables_module, "_shared", WeakValueDictionary())
    x = np.random.default_rng(6).uniform(-0.5, 0.5, (64, 1009)).astype("complex64")
    exact = np.fft.fft(x.astype("complex128"))
    plans = [pyclfft.Plan((rows, 1009), x.dtype, -1, context=context) for rows in (64, 64, 32)]
    assert len(made) == len(set(made)) > 0
    for plan in plans:
        rows = plan.problem.source.shape[0]
        error = np.linalg.norm(plan(x[:rows]) - exact[:rows])
        assert error <= 4e-7 * np.linalg.norm(exact[:rows])
    assert len(tables_module._shared) == len(made)
    del plans, plan
    gc.collect()
    assert not tables_module._shared


def test_plan_with_a_kept_spectrum(context, folder, computed):
    x = np.random.default_rng(5).uniform(-0.5, 0.5, (2, 20011)).astype("complex64")
    exact = np.fft.fft(x.astype("complex128"))
    for _ in range(2):
        result = pyclfft.Plan(x.shape, x.dtype, -1, context=context)(x)
        assert np.linalg.norm(result - exact) <= 4e-7 * np.linalg.norm(exact)
    spectra = [table for table in computed if isinstance(table, (ChirpSpectrum, LaneSpectrum))]
    assert len(spectra) <= 2  # a spectrum for lanes computes that of `ChirpSpectrum` first
