"""The work-groups of the textbook's kernels, each of which is tuned by itself.

The textbook times every kernel of its image filter in groups of several sizes, and finds that the
best size depends on the device and on the kernel. So one size for all kernels would not do. The
time of a whole transform would not do either: it hardly shows what the smallest kernels take. Here
a schedule is launched with one size for all its kernels, then with the next, in turns. Each kernel
gets the size with which its own profiling events took the least time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf, prod

import numpy as np
import pyopencl as cl

from ..errors import PyclfftError
from ..planning.accuracy import relative_error, transform_bound
from ..planning.arguments import Role, Scalar
from ..planning.parameters import GROUPED, Parameters, Value
from ..planning.pass_parts import defines, kernel_size, uint
from ..planning.passes import Pass, Schedule, assign_buffers
from ..planning.planner import plan_passes
from ..planning.problem import Problem, make_problem
from ..planning.solvers.textbook import radix2
from ..planning.traits import Traits
from ..runtime import describe, memory, queues
from ..runtime.executable import Executable
from ..runtime.profile import Recorder, profiling_queue, totals
from ..runtime.program import program
from .measure import FEW, HOPELESS, MOST, SAMPLES, pieces_of, reference_of, source_of, warm_up
from .search import GAIN
from .space import TRIED

ALGORITHMS = (radix2.NAME,)  # algorithms whose kernels have groups of their own
LINES = tuple(map(str, (1, 16, 32, 64, 128, 256, 512, 1024)))
BLOCKS = ("4x4", "8x8", "16x16", "32x32", "16x4", "32x8", "64x4", "8x32")
SIZES = LINES + BLOCKS
FLAT = ("spinFact", "norm")  # kernels whose range has one dimension
LEAST = 0.1  # smallest part of the host's time that the events of all launches have to make up
BLOCKED = "transposeBlocked"  # its group follows from its blocks, and is not tuned here
DEFAULT = ""  # stands for the size of groups that the parameter `group` gives


@dataclass(frozen=True)
class KernelGroup:
    """The fastest size of one kernel's groups.

    Attributes
    ----------
    kernel : str
        Name of the kernel.
    size : str
        The fastest size of its groups, for example "64" or "16x16".
    default : str
        The size of its groups if no parameter of its own gives one.
    ms, default_ms : float
        Milliseconds of all its launches in one run of the schedule, with `size` and with `default`.
        They are equal if no other size is faster by more than runs differ.
    """

    kernel: str
    size: str
    default: str
    ms: float
    default_ms: float

    @property
    def parameter(self) -> str:
        """Name of the parameter that holds the size."""
        return f"group_{self.kernel}"


@dataclass(frozen=True)
class GroupsFound:
    """The sizes of groups found for all kernels of a problem.

    Attributes
    ----------
    kernels : tuple of KernelGroup
        One for each kernel, in the order of `GROUPED`.
    blocked_ms : float
        Milliseconds of transposeBlocked in the place of the textbook's transpose; infinity if
        the schedule has no blocked transpose.
    measured : int
        How many sizes were tried.
    complete : bool
        True if all sizes were tried; False if the time ran out.
    failed : dict of str to str
        Why a size could not win, or why nothing was measured.
    """

    kernels: tuple[KernelGroup, ...] = ()
    blocked_ms: float = inf
    measured: int = 0
    complete: bool = True
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def values(self) -> dict[str, Value]:
        """Sizes that beat the default, and `transpose_tile` 0 if the textbook's transpose wins."""
        values: dict[str, Value] = {
            each.parameter: each.size for each in self.kernels if each.size != each.default
        }
        naive = next((each.ms for each in self.kernels if each.kernel == "transpose"), inf)
        if naive < GAIN * self.blocked_ms < inf:
            values["transpose_tile"] = 0
        return values


def tune_groups(
    problem: Problem,
    chosen: cl.Device,
    parameters: Parameters,
    deadline: float = inf,
    clock: Callable[[], float] = time.monotonic,
) -> GroupsFound:
    """Find the fastest work-groups of each of the textbook's kernels.

    Parameters
    ----------
    problem : Problem
        A problem that radix2 takes, with contiguous arrays and without hooks.
    chosen : pyopencl.Device
        Device to measure on.
    parameters : Parameters
        All other parameters.
    deadline : float
        The time of `clock` at which to stop.
    clock : callable
        Returns the time in seconds.

    Returns
    -------
    GroupsFound
        The fastest size for each kernel.

    Raises
    ------
    PlanError
        If radix2 does not take the problem.
    DeviceMemoryError
        If the device has no room for it.
    """
    if clock() >= deadline:
        return GroupsFound(complete=False)
    measured = _Measurement(problem, chosen, parameters)
    if not measured.kernels:  # a cosine transform has none of these kernels
        return GroupsFound()
    if not measured.trusted:
        reason = "this runtime's profiling events do not agree with the host's clock"
        return GroupsFound(failed={"groups of single kernels": reason})
    complete = measured.take(SIZES, deadline, clock)
    if not measured.tried:
        return GroupsFound(complete=False)
    # The least of many times may be chance: each size found has to win once more.
    kernels = measured.confirmed({kernel: measured.best(kernel) for kernel in measured.kernels})
    return GroupsFound(kernels, measured.blocked_ms, len(measured.tried), complete, measured.failed)


# --- what is launched -----------------------------------------------------------------------------


def textbook_schedule(problem: Problem, traits: Traits, parameters: Parameters) -> Schedule:
    """Plan a transform by radix2 that launches every kernel of use to the problem.

    It is the inverse transform, which ends with norm. If the problem is of images, the textbook's
    transpose is in it, and its highPassFilter comes last.

    Parameters
    ----------
    problem : Problem
        The problem whose shape and axes are transformed.
    traits, parameters
        What is known of the device, and its parameters.

    Returns
    -------
    Schedule
        The passes with their buffers.
    """
    passes = plan_passes(_inverse(problem), traits, radix2.NAME, parameters)
    if is_image(problem):
        passes = (*passes, _high_pass(problem, traits, parameters))
    return assign_buffers(passes, problem.nbytes)


def is_image(problem: Problem) -> bool:
    """Return whether a problem transforms the last two axes of complex arrays."""
    dimensions = len(problem.shape)
    return problem.kind == "c2c" and sorted(problem.axes) == [dimensions - 2, dimensions - 1]


def _inverse(problem: Problem) -> Problem:
    dtype = problem.source_dtype if problem.source.real else problem.complex_dtype
    return make_problem(problem.shape, dtype, problem.axes, problem.kind, "inverse")


def _high_pass(problem: Problem, traits: Traits, parameters: Parameters) -> Pass:
    """Return the pass of the textbook's filter, for all images and with its default radius."""
    *others, rows, columns = problem.shape
    sizes, local = kernel_size("highPassFilter", (columns, rows), traits, parameters)
    one = Scalar("uint64", 1)
    return Pass(
        kernel="highPassFilter",
        source="textbook/highPassFilter.cl",
        defines=defines(problem.precision),
        global_size=(*sizes, prod(others)),
        local_size=(*local, 1),
        arguments={
            "data": Role.DATA,
            "rows": uint(rows),
            "columns": uint(columns),
            "row_weight": one,
            "column_weight": one,
            "pass_from": Scalar("uint64", _pass_from(problem)),
        },
        reads=problem.nbytes,
        writes=problem.nbytes,
        step="high pass",
    )


def _pass_from(problem: Problem) -> int:
    """Return the squared distance from which on bins pass: (shorter side / 8)^2."""
    return (min(problem.shape[-2:]) // 8) ** 2


def _mask(problem: Problem) -> np.ndarray:
    """Return which bins pass the filter, computed on the host."""
    rows, columns = (np.minimum(np.arange(n), n - np.arange(n)) for n in problem.shape[-2:])
    return rows[:, None] ** 2 + columns**2 >= _pass_from(problem)


# --- what it takes --------------------------------------------------------------------------------


def is_allowed(context: cl.Context, each: Pass, size: str) -> bool:
    """Return whether a pass has groups of the size asked for, and the device allows them.

    If a kernel needs many registers, it may allow fewer work-items than the device does.

    Parameters
    ----------
    context : cl.Context
        Context of one device.
    each : Pass
        The pass, planned with the size asked for.
    size : str
        The size asked for: "64" or "16x16".

    Returns
    -------
    bool
        True if the pass can be launched with this size.
    """
    asked = tuple(map(int, size.split("x")))[: len(each.local_size)]
    if each.local_size != asked + (1,) * (len(each.local_size) - len(asked)):
        return False
    kernel = cl.Kernel(program(context, each.source, each.defines, each.hooks), each.kernel)
    most = kernel.get_work_group_info(cl.kernel_work_group_info.WORK_GROUP_SIZE, context.devices[0])
    return prod(asked) <= most


def with_groups(parameters: Parameters, sizes: dict[str, str], origin: str) -> Parameters:
    """Return parameters with these sizes of kernels' groups and the textbook's transpose."""
    values = {f"group_{kernel}": size for kernel, size in sizes.items()}
    return parameters.over({"transpose_tile": 0, **values}, origin)


class _Measurement:
    """Times of all kernels of a schedule, by the size of their groups."""

    def __init__(self, problem: Problem, chosen: cl.Device, parameters: Parameters) -> None:
        self.problem, self.parameters = problem, parameters
        self.context, self.traits = queues.context_of(chosen), describe.traits(chosen)
        self.queue = profiling_queue(self.context)
        self.tried: list[str] = []
        self.failed: dict[str, str] = {}
        inverse = _inverse(problem)
        source = source_of(inverse)
        self._inverse, self._nbytes = inverse, inverse.nbytes
        self._checked, self._expected = reference_of(inverse, source)
        if is_image(problem):
            self._expected = self._expected * _mask(problem)
        self._source, self._target = (
            memory.allocate(self.context, nbytes) for nbytes in (source.nbytes, inverse.nbytes)
        )
        cl.enqueue_copy(self.queue, self._source, source)
        default = self._schedule({})
        present = {each.kernel for each in default.passes}
        self.kernels = tuple(kernel for kernel in GROUPED if kernel in present)
        self._runs: dict[str, dict[str, list[float]]] = {}  # size -> kernel -> ms
        blocked = textbook_schedule(problem, self.traits, parameters)
        # All schedules share one workspace: times depend on its address, and it may be large.
        sizes = dict(default.workspace) | dict(blocked.workspace)
        self._shared = {
            name: memory.allocate(self.context, nbytes) for name, nbytes in sizes.items()
        }
        self._default = self._executable(default)
        has_blocks = any(each.kernel == BLOCKED for each in blocked.passes)
        self._blocked = self._executable(blocked) if has_blocks else None
        self.trusted = self._trusts_events()

    def _trusts_events(self) -> bool:
        """Return whether the kernels' events make up a believable part of the host's time.

        The gaps between short launches may be longer than the launches: `LEAST` is small.
        """
        warm_up(lambda: self._default.enqueue(self.queue, self._source, self._target), self.queue)
        parts = []
        for _ in range(FEW):
            begin, recorder = time.perf_counter(), Recorder()
            self._default.enqueue(self.queue, self._source, self._target, (), recorder)
            ms = sum(each.ms for each in recorder.times())
            parts.append(ms / 1e3 / (time.perf_counter() - begin))
        return LEAST <= float(np.median(parts)) <= MOST

    def _schedule(self, sizes: dict[str, str]) -> Schedule:
        parameters = with_groups(self.parameters, sizes, TRIED)
        return textbook_schedule(self.problem, self.traits, parameters)

    def _executable(self, schedule: Schedule) -> Executable:
        return Executable(self.context, replace(schedule, workspace=()), self._shared)

    def take(self, sizes: Sequence[str], deadline: float, clock: Callable[[], float]) -> bool:
        """Measure groups of all sizes in turns; return whether there was time for all of them."""
        running: dict[str, tuple[Executable, tuple[str, ...]]] = {
            DEFAULT: (self._default, self.kernels)
        }
        for size in sizes:
            if clock() >= deadline:
                return False
            made = self._made(size)
            if made:
                running[size] = made
        self.tried = [size for size in running if size != DEFAULT]
        for sample in range(SAMPLES):
            if sample == FEW:
                running = {size: made for size, made in running.items() if self._hopes(size)}
            for size, (executable, kernels) in running.items():
                self._add(size, executable, kernels)
            if clock() >= deadline and sample + 1 < SAMPLES:
                return False
        return True

    def _made(self, size: str) -> tuple[Executable, tuple[str, ...]] | None:
        """Return a schedule with groups of this size, and the kernels that take them, or None.

        The result is checked: if it is wrong, the size cannot win.
        """
        allowed = tuple(self._allowed(size))
        if not allowed:
            return None
        try:
            executable = self._executable(self._schedule(dict.fromkeys(allowed, size)))
            error, bound = self._error(executable), self._bound
            if error <= bound:
                return executable, allowed
            reason = f"relative error {error:.1e}, allowed {bound:.1e}"
        except (PyclfftError, cl.Error) as error:
            reason = f"{type(error).__name__}: {str(error).splitlines()[0]}"
        self.failed[f"groups of {size}"] = reason
        return None

    def _allowed(self, size: str) -> Iterator[str]:
        kernels = [each for each in self.kernels if "x" not in size or each not in FLAT]
        schedule = self._schedule(dict.fromkeys(kernels, size))
        for kernel in kernels:
            first = next(each for each in schedule.passes if each.kernel == kernel)
            if is_allowed(self.context, first, size):
                yield kernel

    @property
    def _bound(self) -> float:
        lengths = [self.problem.shape[axis] for axis in self.problem.axes]
        return 2 * transform_bound(lengths, self.problem.precision)

    def _error(self, executable: Executable) -> float:
        """Return the largest relative error of the checked transforms."""
        cl.enqueue_fill_buffer(self.queue, self._target, np.uint8(255), 0, self._nbytes)
        executable.enqueue(self.queue, self._source, self._target).wait()
        result = np.empty(self._inverse.target.shape, self._inverse.dtype)
        cl.enqueue_copy(self.queue, result, self._target)
        pieces = pieces_of(result, self._inverse, self._checked)
        errors = [relative_error(*pair) for pair in zip(pieces, self._expected, strict=True)]
        return float(np.max(errors))

    def _add(self, size: str, executable: Executable, kernels: Sequence[str]) -> None:
        recorder = Recorder()
        executable.enqueue(self.queue, self._source, self._target, (), recorder)
        times = totals(recorder.times())
        for kernel in kernels:
            self._runs.setdefault(size, {}).setdefault(kernel, []).append(times[kernel][1])

    def _hopes(self, size: str) -> bool:
        """Return whether a size may still be the best one of any kernel."""
        least = {
            kernel: min(min(run[kernel]) for run in self._runs.values() if kernel in run)
            for kernel in self.kernels
        }
        mine = self._runs[size]
        return size == DEFAULT or any(min(mine[each]) < HOPELESS * least[each] for each in mine)

    def _median(self, size: str, kernel: str) -> float:
        return float(np.median(self._runs[size][kernel]))

    def best(self, kernel: str) -> str:
        """Return the size with the least time, or the default if no size is clearly faster."""
        known = [size for size, run in self._runs.items() if kernel in run]
        fastest = min(known, key=lambda size: self._median(size, kernel), default=DEFAULT)
        wins = self._median(fastest, kernel) < GAIN * self._median(DEFAULT, kernel)
        return fastest if wins else DEFAULT

    def confirmed(self, best: dict[str, str]) -> tuple[KernelGroup, ...]:
        """Measure each kernel's best size, its default and the blocked transpose once more.

        If a size is no longer faster, the kernel keeps its default.
        """
        chosen = {kernel: size for kernel, size in best.items() if size != DEFAULT}
        together = self._executable(self._schedule(chosen))
        self._runs = {}
        for _ in range(SAMPLES):
            self._add(DEFAULT, self._default, self.kernels)
            self._add(TRIED, together, self.kernels)
            if self._blocked:
                self._add(BLOCKED, self._blocked, (BLOCKED,))
        return tuple(self._group(kernel, size) for kernel, size in best.items())

    def _group(self, kernel: str, size: str) -> KernelGroup:
        passes = self._default.schedule.passes
        local = next(each.local_size for each in passes if each.kernel == kernel)
        default = _size_name(local)
        ms, default_ms = (self._median(each, kernel) for each in (TRIED, DEFAULT))
        if size == DEFAULT or ms >= GAIN * default_ms:
            size, ms = default, default_ms
        return KernelGroup(kernel, size, default, ms, default_ms)

    @property
    def blocked_ms(self) -> float:
        """Milliseconds of the blocked transpose in the last measurement; infinity without it."""
        return self._median(BLOCKED, BLOCKED) if self._blocked else inf


def _size_name(local: Sequence[int]) -> str:
    """Return the size of groups in the way parameters write it."""
    *sides, _ = (*local, 1, 1)[:3]
    return "x".join(map(str, sides if sides[1] > 1 else sides[:1]))
