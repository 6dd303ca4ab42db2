"""The cost model: its counts by hand, and costs found again from times that it has made."""

from __future__ import annotations

import math

import pytest

from pyclfft.distributed.scale import Machine, Run, better_partition, fitted

MiB = 2**20


def test_counts_of_slabs_and_pencils():
    slab, pencil = Run(64 * MiB, 16, "slab", 2), Run(64 * MiB, 16, "pencil", 2)
    assert (slab.exchanges, pencil.exchanges) == ((16,), (4, 4))
    assert (slab.stages, pencil.stages) == (2, 3)
    assert slab.sent_bytes == 4 * MiB * 15 / 16
    assert pencil.sent_bytes == 2 * 4 * MiB * 3 / 4
    assert (slab.messages, pencil.messages) == (30, 12)
    assert slab.message_bytes == MiB / 8
    assert pencil.message_bytes == MiB / 2


def test_one_rank_sends_nothing():
    run = Run(MiB, 1)
    assert (run.sent_bytes, run.messages, run.message_bytes) == (0, 0, 0)
    assert Machine(1e-9, 1e-9, 1e-6).transfer(run) == 0


def test_costs_are_found_again():
    machine = Machine(2e-10, 5e-10, 3e-6)
    runs = [
        Run(n * MiB, ranks, partition, 4)
        for n in (1, 16, 256)
        for ranks in (1, 2, 4, 16)
        for partition in ("slab", "pencil")
    ]
    found = fitted(runs, [machine.seconds(run) for run in runs])
    assert found.device_s == pytest.approx(machine.device_s)
    assert found.link_s == pytest.approx(machine.link_s)
    assert found.message_s == pytest.approx(machine.message_s)
    assert found.relative_error < 1e-9


def test_the_error_is_that_of_the_runs():
    runs = [Run(MiB, 1), Run(2 * MiB, 1), Run(MiB, 1), Run(2 * MiB, 1)]
    found = fitted(runs, [0.9, 1.8, 1.1, 2.2])
    assert found.relative_error == pytest.approx(0.1, rel=0.02)
    assert found.link_s == 0


def test_ranks_that_share_a_core_take_longer():
    machine = Machine(2e-10, 5e-10, 3e-6)
    alone, crowded = (machine.seconds(Run(MiB, 4, crowd=crowd)) for crowd in (1, 2))
    messages = 3 * machine.message_s
    assert crowded - messages == pytest.approx(2 * (alone - messages))


def test_too_few_runs():
    with pytest.raises(ValueError, match="measure three or more"):
        fitted([Run(MiB, 1)], [1.0])


def test_pencils_win_where_messages_are_small():
    machine = Machine(1e-11, 4e-11, 1e-5)
    assert better_partition(machine, 64 * MiB, 1024, places=4096) == "pencil"
    assert better_partition(machine, 2**36, 64, places=4096) == "slab"
    assert better_partition(machine, 2**36, 64, places=32) == "pencil"
    assert math.isnan(machine.relative_error)
