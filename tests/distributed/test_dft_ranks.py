"""The direct transform over MPI's ranks: bit for bit that of one process; errors end all ranks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from pyclfft.__main__ import main
from pyclfft.runtime import describe
from tests.mpi import environment, mpiexec, require_stdin
from tests.oracle import noise, relative_error

COMMAND = "-m", "pyclfft.dft"
BOUND = {"double": 2e-15, "single": 1e-6}


@pytest.fixture
def precision(device):
    return "double" if describe.traits(device).fp64 else "single"


def write(folder, n, name="a.csv"):
    samples = noise((n,), "f8")
    (folder / name).write_text("\n".join(map(repr, samples.tolist())) + "\n")
    return samples


# name -> how many samples, and which options
JOBS = {
    "prime": (1009, ()),
    "few": (3, ()),  # fewer than ranks
    "bins": (500, ("--bins", "499,0-9,250")),
    "global": (100, ("--variant", "global")),
    "local": (100, ("--variant", "local")),
    "fft": (100, ("--variant", "fft")),
    "sequential": (100, ("--variant", "sequential")),
}
# Runs all of these jobs in one process for each rank, as that is quicker.
ALL_JOBS = """
import json, sys
from pyclfft.__main__ import main
sys.exit(max(main(["dft", *arguments]) for arguments in json.loads(sys.argv[1])))
"""


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_as_one_process(tmp_path, device, precision, ranks, monkeypatch):
    monkeypatch.chdir(tmp_path)
    samples, calls = {}, []
    for name, (n, options) in JOBS.items():
        if name != "sequential" or find_spec("numba"):
            samples[name] = write(tmp_path, n, f"{name}.csv")
            calls.append([f"{name}.csv", "--precision", precision, *options, "-o"])
    for call in calls:
        assert main(["dft", *call, f"{call[0]}.one.npz"]) == 0
    every = [[*call, f"{call[0]}.all.npz"] for call in calls]
    job = mpiexec(ranks, "-c", ALL_JOBS, json.dumps(every), device=device, cwd=tmp_path)
    assert job.returncode == 0, job.stderr
    for name, given in samples.items():
        with np.load(f"{name}.csv.one.npz") as one, np.load(f"{name}.csv.all.npz") as found:
            assert found["spectrum"].tobytes() == one["spectrum"].tobytes()
            assert found["frequency"].tobytes() == one["frequency"].tobytes()
            bins = np.rint(found["frequency"] * len(given)).astype(int)
            expected = np.fft.fft(given)[bins]
            assert relative_error(found["spectrum"], expected) <= 2 * BOUND[precision]
    assert job.stderr.count("output ") == len(samples)  # only one rank speaks


@pytest.mark.one_cpu
def test_times_of_all_ranks(tmp_path, device, precision):
    write(tmp_path, 200)
    job = mpiexec(
        3, *COMMAND, "a.csv", "--repeats", 2, "--timing-csv", "t.csv", "--precision", precision,
        device=device, cwd=tmp_path,
    )  # fmt: skip
    assert job.returncode == 0, job.stderr
    rows = [line.split(",") for line in (tmp_path / "t.csv").read_text().splitlines()]
    assert [row[:2] for row in rows[1:]] == [[str(a), str(b)] for a in range(2) for b in range(3)]
    read = rows[0].index("read")
    assert [bool(row[read]) for row in rows[1:]] == [True, False, False] * 2  # only the root reads
    assert "slowest" in job.stderr


@pytest.mark.one_cpu
def test_only_the_root_reads_standard_input(tmp_path, device, precision):
    require_stdin()
    samples = noise((20,), "f8")
    text = "\n".join(map(repr, samples.tolist())).encode()
    job = mpiexec(2, *COMMAND, "-", "--precision", precision, device=device, cwd=tmp_path,
                  stdin=text)  # fmt: skip
    assert job.returncode == 0, job.stderr
    assert len(job.stdout.splitlines()) == 12
    assert not list(tmp_path.iterdir())


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.one_cpu
@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["a.csv", "--column", "7"], "a.csv has no column '7'"),
        (["a.csv", "--device", "nobody's"], "no OpenCL device fits"),
        (["a.csv", "--nothing"], "unrecognized arguments: --nothing"),
    ],
)
def test_an_error_is_said_once(tmp_path, device, arguments, error):
    write(tmp_path, 20)
    job = mpiexec(3, *COMMAND, *arguments, device=device, cwd=tmp_path)
    assert job.returncode == 2
    assert job.stderr.startswith("pyclfft dft: error: ")
    assert error in job.stderr
    assert job.stderr.count("\n") == 1
    assert {each.name for each in tmp_path.iterdir()} == {"a.csv"}


# Runs the command with a fault on rank 1 alone.
FAULT = """
import os, signal, sys
from mpi4py import MPI
import pyclfft.dft
from pyclfft.distributed import ranked_dft
from pyclfft.errors import DeviceMemoryError
def fault(*arguments, **options):
    {what}
if MPI.COMM_WORLD.rank == 1:
    ranked_dft.{where} = fault
sys.exit(pyclfft.dft.main(["a.csv"]))
"""


def faulty(tmp_path, device, where, what):
    write(tmp_path, 20)
    code = FAULT.format(where=where, what=what)
    job = mpiexec(3, "-c", code, device=device, cwd=tmp_path)
    assert {each.name for each in tmp_path.iterdir()} == {"a.csv"}
    return job


@pytest.mark.one_cpu
def test_an_error_on_one_rank_ends_all(tmp_path, device):
    job = faulty(tmp_path, device, "_computed", "raise DeviceMemoryError('out of memory')")
    assert (job.returncode, job.stderr) == (2, "pyclfft dft: error: out of memory\n")


@pytest.mark.one_cpu
def test_an_error_between_messages_ends_all(tmp_path, device):
    """The other ranks wait for one that has failed; MPI has to end them."""
    job = faulty(tmp_path, device, "_gathered", "raise RuntimeError('a fault of ours')")
    assert job.returncode == 2
    assert "rank 1: RuntimeError: a fault of ours" in job.stderr


@pytest.mark.one_cpu
def test_a_rank_that_is_killed_ends_all(tmp_path, device):
    job = faulty(tmp_path, device, "_computed", "os.kill(os.getpid(), signal.SIGKILL)")
    assert job.returncode != 0


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize(
    "names", [("PMI_RANK", "PMI_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")]
)
def test_a_launcher_without_mpi4py(tmp_path, names, rank):
    """Every rank would take itself for the only one, and write the file of all."""
    write(tmp_path, 20)
    code = "import sys; sys.modules['mpi4py'] = None; import pyclfft.dft as d; " \
           "sys.exit(d.main(['a.csv']))"  # fmt: skip
    launched = dict(zip(names, (str(rank), "2"), strict=True))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=300,
        env={**environment(), **launched},
    )  # fmt: skip
    assert done.returncode == 2
    if rank:
        assert done.stderr == ""
    else:
        assert done.stderr.startswith("pyclfft dft: error: 2 processes were started together")
        assert "pip install mpi4py" in done.stderr
    assert {each.name for each in tmp_path.iterdir()} == {"a.csv"}


@pytest.mark.one_cpu
def test_ranks_that_share_a_cpu_share_out_its_cores(tmp_path, device):
    if not describe.traits(device).is_cpu:
        pytest.skip("not a CPU")
    code = (
        "import os\n"
        "from pyclfft.distributed.ranks import take_device, world\n"
        "ranks = world()\n"
        "take_device(ranks)\n"
        "found = ranks.collect(sorted(os.sched_getaffinity(0)))\n"
        "if ranks.root: print(found)\n"
    )
    job = mpiexec(2, "-c", code, device=device, cwd=tmp_path)
    assert job.returncode == 0, job.stderr
    cores = sorted(os.sched_getaffinity(0))
    shares = eval(job.stdout)
    assert sorted({core for share in shares for core in share}) == cores
    assert len(cores) == 1 or not set(shares[0]) & set(shares[1])
