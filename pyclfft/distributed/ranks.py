"""The ranks of an MPI job: who takes part, which device each takes, and errors that end them all.

``mpiexec -n 4 python ...`` starts four processes, MPI's *ranks*. `world` says which of them this
process is. A process that nobody has started as a rank is the only one, and needs no MPI at all.

MPI ends no rank because of another's exception: where one rank has failed, the others would wait
for it forever. So every rank does its own part within ``with ranks.together():``, at whose end all
ranks learn who has failed. Then each of them raises an error.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar

import pyopencl as cl

from ..advice import pip_install
from ..errors import PyclfftError, RankError
from ..planning.slabs import ranges
from ..runtime import choice, describe, runtimes

# The environment variables in which a launcher tells a process its rank and how many there are.
# The first pair is that of MPICH and Intel MPI; then follow Open MPI, MVAPICH and SLURM's srun.
LAUNCHERS = (
    ("PMI_RANK", "PMI_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
)
MPI = "mpi4py.MPI"
Result = TypeVar("Result")
_SETTLED = "_pyclfft_settled"  # the attribute of an error that all ranks know
STATUS = 2  # with which all ranks end after an error

NAP = 0.1  # of the time that a rank has waited: how long it sleeps before it looks again
MOST_NAP_S = 1e-3  # seconds that it sleeps at most


@dataclass(frozen=True)
class Ranks:
    """The processes that share a job, as one of them sees them.

    Attributes
    ----------
    comm : mpi4py.MPI.Comm or None
        The communicator; None if this process is the only one.
    rank, size : int
        The number of this process, and how many there are.
    host_rank : int
        The number of this process among those on its machine.
    cores : tuple of int
        The cores that are this rank's share of its machine; empty if they are not known.
    """

    comm: Any = None
    rank: int = 0
    size: int = 1
    host_rank: int = 0
    cores: tuple[int, ...] = ()

    @property
    def root(self) -> bool:
        """Whether this is the rank that reads, writes and speaks."""
        return self.rank == 0

    def share(self, length: int) -> slice:
        """Return this rank's range of `length` elements; it may be empty."""
        return ranges(length, self.size)[self.rank]

    @contextmanager
    def together(self) -> Iterator[None]:
        """Return a context at whose end all ranks raise an error if one of them has failed.

        Every rank has to enter it, and no rank may communicate within it.

        Raises
        ------
        RankError
            Another rank has failed. That rank itself raises its own error; if several have, the
            first one of them does.
        """
        if self.comm is None:
            yield
            return
        failure = None
        try:
            yield
        except Exception as error:
            failure = error
        self.wait()
        words = self.comm.allgather(None if failure is None else _words_of(failure))
        failed = [rank for rank, each in enumerate(words) if each is not None]
        if failure is not None and self.rank == failed[0]:
            vars(failure)[_SETTLED] = True
            raise failure
        if failed:
            raise RankError(f"rank {failed[0]} has failed: {words[failed[0]]}") from failure

    def wait(self) -> None:
        """Wait until all ranks have come here, without keeping a core busy for long.

        The calls of MPI that wait never sleep, so that they would take the cores from the ranks
        that still compute if there are more ranks than cores.
        """
        if self.comm is None:
            return
        request = self.comm.Ibarrier()
        begin = time.perf_counter()
        while not request.Test():
            time.sleep(min(NAP * (time.perf_counter() - begin), MOST_NAP_S))

    def collect(self, each: Any) -> list[Any]:
        """Return what every rank passes, in the order of the ranks; nothing on all but the root."""
        if self.comm is None:
            return [each]
        return self.comm.gather(each) or []

    def from_root(self, each: Result) -> Result:
        """Return on every rank what the root passes."""
        return each if self.comm is None else self.comm.bcast(each)

    @contextmanager
    def or_abort(self) -> Iterator[None]:
        """Return a context that ends all ranks at once after an error that came out of turn.

        Such an error has come outside of `together`, so that the other ranks do not know of it.
        """
        try:
            yield
        except RankError:
            raise
        except BaseException as error:
            if self.comm is not None and _SETTLED not in vars(error):
                self._abort(error)
            raise

    def _abort(self, error: BaseException) -> NoReturn:
        print(f"rank {self.rank}: {_words_of(error)}", file=sys.stderr, flush=True)
        self.comm.Abort(STATUS)
        raise SystemExit(STATUS)  # if MPI has not ended this process yet

    @contextmanager
    def only_root_speaks(self) -> Iterator[None]:
        """Return a context in which nothing is heard of what the other ranks print."""
        with ExitStack() as stack:
            if not self.root:
                nowhere = stack.enter_context(Path(os.devnull).open("w"))
                stack.enter_context(redirect_stdout(nowhere))
                stack.enter_context(redirect_stderr(nowhere))
            yield


def _words_of(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return (
        lines[0]
        if lines and isinstance(error, PyclfftError)
        else f"{type(error).__name__}: {error}"
    )


# --- who takes part -------------------------------------------------------------------------------


def world() -> Ranks:
    """Return all ranks that a launcher such as ``mpiexec`` has started together with this process.

    Returns
    -------
    Ranks
        This process alone if no launcher has started it, or no other beside it; MPI is not loaded
        then.

    Raises
    ------
    PyclfftError
        A launcher has started several processes, but mpi4py is missing, or belongs to another MPI
        library than the launcher, so that each process would do the whole work. Rank 0 raises it.
    RankError
        The same has happened, and this is not rank 0.
    """
    launched = launched_as(os.environ)
    if launched.size == 1 and MPI not in sys.modules:
        return Ranks()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # mpi4py's, of another MPI library: the error says it
            comm = import_module(MPI).COMM_WORLD
    except (ImportError, RuntimeError) as error:  # mpi4py is missing, or its MPI library is
        _refuse(launched, f"mpi4py cannot be loaded ({error}): {pip_install('ranks')}")
    if comm.size == 1 and launched.size > 1:
        _refuse(
            launched,
            "mpi4py does not know of the others, because it uses another MPI library than the "
            f"program that has started them: take the mpiexec in {Path(sys.executable).parent}",
        )
    return ranks_of(comm)


def ranks_of(comm: Any) -> Ranks:
    """Return the ranks of a communicator; all of them have to call this.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
        The communicator.

    Returns
    -------
    Ranks
        The ranks, as this process sees them.
    """
    if comm.size == 1:
        return Ranks()
    host = comm.Split_type(import_module(MPI).COMM_TYPE_SHARED, comm.rank)
    try:
        cores = share_of_cores(host.allgather(_own_cores()), host.rank)
        return Ranks(comm, comm.rank, comm.size, host.rank, cores)
    finally:
        host.Free()


class Launched(NamedTuple):
    """What a launcher says in the environment: the rank of this process, and how many there are."""

    rank: int = 0
    size: int = 1


def launched_as(environ: Mapping[str, str]) -> Launched:
    """Return what a launcher says in environment variables.

    Parameters
    ----------
    environ : mapping of str to str
        The environment variables.

    Returns
    -------
    Launched
        The first rank of one if no launcher says otherwise.
    """
    for rank, size in LAUNCHERS:
        with suppress(KeyError, ValueError):
            return Launched(int(environ[rank]), int(environ[size]))
    return Launched()


def _refuse(launched: Launched, reason: str) -> NoReturn:
    """Raise an error on one rank that says why the ranks cannot find each other."""
    message = f"{launched.size} processes were started together, but {reason}"
    raise (RankError if launched.rank else PyclfftError)(message)


# --- which device each takes ----------------------------------------------------------------------


def take_device(ranks: Ranks, spec: str | None = None) -> cl.Device:
    """Choose this rank's device, and keep to this rank's cores if the device is a CPU.

    The ranks on one machine share out its devices of one kind: four ranks take four equal GPUs,
    and two of the four take each of two GPUs. If they share a CPU, each of them gets some cores,
    because every OpenCL runtime would otherwise start a thread for each core in each of them.

    Parameters
    ----------
    ranks : Ranks
        The ranks.
    spec : str, optional
        The device, in the words of `use_device`. Only the devices that fit are shared out.

    Returns
    -------
    pyopencl.Device
        The device, which has become the default device of this process.

    Raises
    ------
    DeviceError
        No usable device fits.
    """
    first = choice.select_device(spec)
    if ranks.comm is None:
        choice.use_device(first)
        return first
    alike = devices_alike(first, spec or os.environ.get("PYCLFFT_DEVICE", ""))
    device = alike[ranks.host_rank % len(alike)]
    if describe.traits(device).is_cpu:
        _keep_to(ranks.cores)
    choice.use_device(device)
    return device


def devices_alike(first: cl.Device, spec: str = "") -> list[cl.Device]:
    """Return the usable devices that fit `spec` and are of the same kind as the first one."""

    def kind(device: cl.Device) -> tuple[str, ...]:
        return device.platform.name, device.name, device.driver_version

    everything = runtimes.every_device()
    found = choice.matching(spec.strip(), everything) if spec.strip() else everything
    return [each for each in found if kind(each) == kind(first) and not runtimes.defect(each)]


# --- which cores each takes -----------------------------------------------------------------------


def _own_cores() -> tuple[int, ...]:
    """Return the cores on which the system lets this process run; empty if it does not say."""
    with suppress(AttributeError, OSError):  # only Linux has the function
        return tuple(sorted(os.sched_getaffinity(0)))
    return ()


def share_of_cores(allowed: Sequence[tuple[int, ...]], rank: int) -> tuple[int, ...]:
    """Return one rank's share of a machine's cores.

    Parameters
    ----------
    allowed : sequence of tuple of int
        For each rank on the machine, the cores on which it may run.
    rank : int
        The number of the rank among them.

    Returns
    -------
    tuple of int
        If all ranks may run on the same cores, neighbours among these; a single core, which others
        may have as well, if there are more ranks than cores. If the launcher has given the ranks
        different cores, they keep those.
    """
    mine, size = allowed[rank], len(allowed)
    if any(each != mine for each in allowed):
        return mine
    return mine[ranges(len(mine), size)[rank]] or mine[rank % len(mine) :][:1] if mine else ()


def _keep_to(cores: Sequence[int]) -> None:
    """Let all threads of this process run on these cores only, where the system can do that.

    The system's limit holds in every OpenCL runtime. A sub-device is no such limit: PoCL 3.1 uses
    all cores for a sub-device of one core.
    """
    if not cores:
        return
    for thread in Path("/proc/self/task").iterdir():  # a runtime may have started threads already
        with suppress(OSError):  # a thread may have ended meanwhile
            os.sched_setaffinity(int(thread.name), cores)
