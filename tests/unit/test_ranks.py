"""Who takes part in a job, by what a launcher says, and which cores each rank gets."""

from __future__ import annotations

import sys

import pytest

from pyclfft.distributed.ranks import Ranks, launched_as, share_of_cores, world
from pyclfft.errors import PyclfftError, RankError


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, (0, 1)),
        ({"PMI_RANK": "2", "PMI_SIZE": "3"}, (2, 3)),
        ({"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4"}, (1, 4)),
        ({"SLURM_PROCID": "5", "SLURM_STEP_NUM_TASKS": "8"}, (5, 8)),
        ({"SLURM_PROCID": "0", "SLURM_NTASKS": "8"}, (0, 1)),  # a batch script, without srun
        ({"PMI_RANK": "", "PMI_SIZE": ""}, (0, 1)),
    ],
)
def test_what_a_launcher_says(environ, expected):
    assert launched_as(environ) == expected


@pytest.mark.parametrize(("rank", "kind"), [(0, PyclfftError), (2, RankError)])
def test_several_processes_without_mpi4py_are_refused(monkeypatch, rank, kind):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    monkeypatch.delitem(sys.modules, "mpi4py.MPI", raising=False)
    monkeypatch.setenv("PMI_RANK", str(rank))
    monkeypatch.setenv("PMI_SIZE", "3")
    with pytest.raises(kind, match=r"^3 processes .* pip install mpi4py") as raised:
        world()
    assert type(raised.value) is kind


def test_a_process_alone_needs_no_mpi(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    monkeypatch.delitem(sys.modules, "mpi4py.MPI", raising=False)
    ranks = world()
    assert ranks == Ranks()
    assert ranks.share(7) == slice(0, 7)
    with pytest.raises(KeyError), ranks.or_abort(), ranks.together():
        raise KeyError


@pytest.mark.parametrize("cores", [1, 2, 3, 8])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 16])
def test_cores_are_shared_out(cores, size):
    everything = tuple(range(10, 10 + cores))
    shares = [share_of_cores([everything] * size, rank) for rank in range(size)]
    assert set().union(*shares) == set(everything)
    if size <= cores:
        assert sum(map(len, shares)) == cores  # none twice
    else:
        assert {len(each) for each in shares} == {1}


def test_cores_that_the_launcher_has_given_out_are_kept():
    assert share_of_cores([(0, 1), (2, 3)], 1) == (2, 3)
    assert share_of_cores([(), ()], 1) == ()
