"""Plan: a transform made ready for one context, to be called any number of times."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from html import escape
from math import prod
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from numpy.typing import DTypeLike

from ..errors import PlanError
from ..planning.parameters import GIVEN, Parameters, Values, checked
from ..planning.passes import Pass, Schedule
from ..planning.problem import Problem, choose, contiguous_strides, make_problem, with_target
from ..planning.schedule import buffers_of, schedule_into, schedule_of
from . import choice, describe, forks, html, memory, queues, wisdom
from .cache import BoundedCache, registered
from .executable import Executable, run_on_host
from .hooks import Hook, bind
from .operation import (
    allocator_of,
    failed,
    new_array,
    require_out,
    require_queue,
    run_on_device,
)
from .profile import PassTime, Recorder, profiling_queue

# The shape, the dtype, the strides in bytes and the offset in bytes of a device array.
Given = tuple[tuple[int, ...], np.dtype, tuple[int, ...], int]

ESTIMATE = "estimate"
EFFORTS = (ESTIMATE, "measure", "exhaustive")

MAX_VARIANTS = 8  # executables that a plan keeps for results with other strides or offsets
MAX_ARRIVED = 32  # plans from other processes


class Plan:
    """A planned transform.

    Parameters
    ----------
    shape : int or iterable of int
        Extents of the input. For kind "c2r" they are the extents of the result, a real array; the
        input is half of its spectrum.
    dtype : dtype
        The input's dtype: complex64, complex128, float32 or float64. Kind "c2c" takes real numbers
        for complex ones whose imaginary part is zero.
    axes : int or iterable of int, optional
        Axes to transform; all of them by default.
    kind : {"c2c", "r2c", "c2r", "dct1" to "dct4", "dst1" to "dst4"}
        What goes in and comes out. "c2c" makes complex numbers of complex ones. "r2c" makes of real
        numbers the half of their spectrum from which the other half follows, and "c2r" makes the
        real numbers of that half, which has ``n // 2 + 1`` points along the last of `axes`. The
        other kinds are the cosine and sine transforms of types I to IV; each makes as many real
        numbers as it takes.
    direction : {"forward", "inverse"}
        The sign of the exponent: minus for "forward", plus for "inverse".
    norm : {"backward", "ortho", "forward"}
        Which direction is multiplied by 1/n: with "backward" the inverse transform, with "forward"
        the forward transform. With "ortho" both are multiplied by the square root of the factor.
    s : int or iterable of int, optional
        Lengths to transform along `axes`; the input is cropped or padded with zeros at its end.
    strides : sequence of int, optional
        The input's strides in bytes. If they are given, every input must have them, and a NumPy
        array is read as it lies. By default device arrays must be contiguous in C order; NumPy
        arrays may have any strides, and those that are not contiguous are copied.
    offset : int
        Where the first element of a device array lies in its buffer, in bytes.
    hooks : mapping, optional
        {"load": `Hook`, "store": `Hook`}, or one of them. The load hook changes every element of
        the input as a kernel reads it, the store hook every element of the result as a kernel
        writes it.
    algorithm : str, optional
        The algorithm for every axis; by default the first one that takes the axis.

        On any device there are "stockham" (a length that fits a work-group and has no prime factor
        above 61, in one launch), "four_step" (a longer length, in two launches or more),
        "bluestein" (any length, in one launch, or in three or more), "rader" (a prime length, in
        one launch), "radix2" (powers of two, by the textbook's kernels) and "direct" (any length,
        in n^2 steps).

        On GPUs there is also "several_axes" (the last two or three axes of small contiguous arrays,
        all in one launch). It is the first choice for what it takes.

        On CPUs with vectors there are also "equal_axes" (the last two or three axes, equally long,
        of many small arrays, all in one launch), "small" (a few short transforms, by one kernel for
        all lengths), "row" (contiguous rows of a smooth length), "cosine_lanes" (cosine and sine
        transforms of contiguous rows), "cols" (neighbouring transforms of a smooth length), "chirp"
        (neighbouring transforms of any length, in one launch) and "long_chirp" (the same for long
        transforms, in three launches). "four_step" and "bluestein" use vectors there if they can;
        "four_step_lanes" and "bluestein_lanes" insist on vectors, and "four_step_groups" and
        "bluestein_groups" on work-groups.

        On devices whose work-groups may wait for each other, "fused" joins two launches of
        "stockham" or "four_step". The algorithms "ladder1" to "ladder4", "compact", "autosort",
        "in-registers" and "local-radix2" (powers of two) are steps from a slow kernel to better
        ones, to learn from.
    effort : {"estimate", "measure", "exhaustive"}
        How the kernels' parameters are chosen. "estimate" takes what was measured before, by `tune`
        or by the makers of pyclfft, and otherwise goes by rules. "measure" also times, now, what
        has not been measured yet, and keeps what it finds. "exhaustive" times far more candidates.
    parameters : mapping of str to int, str or tuple, optional
        Values of parameters that this plan takes, whatever was measured. ``pyclfft tune --help``
        lists the parameters' names, and the values that each may have.
    orthogonalize : bool, optional
        Whether a cosine or sine transform has the factors at its ends that make it orthogonal. By
        default it has them with norm "ortho" only.
    context : cl.Context, optional
        A context of one device; by default the one that pyclfft uses on the default device.

    Attributes
    ----------
    passes : tuple of Pass
        The passes that a call launches, in order.
    workspace_bytes : int
        Device memory that a call needs beside its input and output.
    parameters : Parameters
        The parameters of the plan's kernels, and where each of them comes from.

    Raises
    ------
    PlanError
        The arguments contradict each other, or the algorithm cannot compute the transform.
    DeviceError
        The transform needs double precision, which the device does not have.
    DeviceMemoryError
        The transform is too large for the device.
    BuildError
        A kernel does not compile on the device.

    See Also
    --------
    fft : Transform an array by a plan that pyclfft makes and keeps.
    tune : Find the fastest parameters of a transform.
    Hook : OpenCL C that a plan runs as it loads or stores.
    transform_in_pieces : Transform an array larger than the device.

    Notes
    -----
    A plan can be pickled, for a worker of Dask or another process. What travels is the plan's
    description: all arguments but `context`. Where it arrives, the plan is made again, on the
    default device there. A process makes a plan once, however often it arrives.

    Examples
    --------
    >>> import numpy as np
    >>> import pyclfft
    >>> plan = pyclfft.Plan((4, 1024), "complex64", axes=-1)
    >>> plan(np.ones((4, 1024), "complex64"))[0, :2].real
    array([1024.,    0.], dtype=float32)
    """

    def __init__(
        self,
        shape: int | Iterable[int],
        dtype: DTypeLike,
        axes: int | Iterable[int] | None = None,
        kind: str = "c2c",
        direction: str = "forward",
        norm: str | None = "backward",
        *,
        s: int | Iterable[int] | None = None,
        strides: Sequence[int] | None = None,
        offset: int = 0,
        hooks: Mapping[str, Hook] | None = None,
        algorithm: str | None = None,
        effort: str = "estimate",
        parameters: Values | None = None,
        orthogonalize: bool | None = None,
        context: cl.Context | None = None,
    ) -> None:
        choose("effort", effort, EFFORTS)
        shape, axes, s, strides = map(_listed, (shape, axes, s, strides))
        transform: dict[str, Any] = {
            "shape": shape, "dtype": dtype, "axes": axes, "kind": kind, "direction": direction,
            "norm": norm, "s": s, "strides": strides, "offset": offset,
            "orthogonalize": orthogonalize,
        }  # fmt: skip
        problem = make_problem(**transform)
        self.dtype = np.dtype(dtype)
        self.kind = kind
        self.algorithm = algorithm
        self.context = context or queues.context_of(choice.default_device())
        self.device = _only_device(self.context)
        self.traits = describe.traits(self.device)
        self._bound = bind(hooks, problem.precision, self.context)
        self._hook_arrays = self._bound.arrays
        self.problem = replace(problem, hooks=self._bound.hooks)
        self._has_empty_end = 0 in problem.source.shape or not problem.nbytes
        self._description = {
            **transform, "hooks": dict(hooks or {}), "algorithm": algorithm, "effort": effort,
            "parameters": parameters,
        }  # fmt: skip
        if hooks and problem.nbytes and 0 in problem.source.shape:
            raise PlanError("hooks need an input with elements: leave them out")
        self._variants: BoundedCache[Executable] = BoundedCache(MAX_VARIANTS)
        self._known_queue: cl.CommandQueue | None = None  # the queue of the last call
        # This is checked before planning, too: what the device cannot hold needs no plan.
        memory.require_fits(self.traits, buffers_of(self.problem))
        self.parameters = _parameters_of(self, effort)
        if parameters is not None:
            self.parameters = self.parameters.over(checked(parameters), GIVEN)
        schedule = self._schedule
        if self.problem.nbytes:
            memory.require_fits(self.traits, buffers_of(self.problem, schedule))
            self._out_of_place  # noqa: B018  builds the kernels now, so that errors come here

    @property
    def passes(self) -> tuple[Pass, ...]:
        """The passes that a call launches, in order."""
        return self._schedule.passes

    @property
    def workspace_bytes(self) -> int:
        """Device memory that a call needs beside its input and output."""
        return self._schedule.workspace_bytes

    @cached_property
    def buffer_bytes(self) -> int:
        """Device memory that a call needs in all: for its input, its output and its workspace."""
        return sum(buffers_of(self.problem, self._schedule).values())

    @cached_property
    def _schedule(self) -> Schedule:
        return schedule_of(self.problem, self.traits, self.algorithm, self.parameters)

    @cached_property
    def _out_of_place(self) -> Executable:
        return Executable(self.context, self._schedule, self._bound.buffers)

    @cached_property
    def _in_place(self) -> Executable:
        """The executable for calls in place: most first passes must not write to their input."""
        return self._executable(self.problem, in_place=True)

    def _variant(self, strides: tuple[int, ...], offset: int, in_place: bool) -> Executable:
        """Return the executable that writes to an array with these strides and this offset."""

        def make() -> Executable:
            return self._executable(with_target(self.problem, strides, offset), in_place)

        return self._variants.get((strides, offset, in_place), make)

    def _executable(self, problem: Problem, in_place: bool) -> Executable:
        schedule = schedule_into(
            problem, self.traits, self.algorithm, self.parameters, in_place=in_place
        )
        return Executable(self.context, schedule, self._bound.buffers)

    def __str__(self) -> str:
        problem = self.problem
        label = describe.device_label(self.device)
        return f"{problem} on {label}\n{self._schedule}\n    parameters: {self.parameters}"

    def __repr__(self) -> str:
        return f"<Plan {self.problem}>"

    def _repr_html_(self) -> str:
        """Return what Jupyter shows: the passes as a table with bars of bytes."""
        label = escape(f"{self.problem} on {describe.device_label(self.device)}")
        workspace = html.nbytes(self.workspace_bytes)
        return f"<p>{label}; workspace {workspace}</p>{html.passes_table(self.passes)}"

    def __copy__(self) -> Plan:
        return self  # nothing changes a plan

    def __deepcopy__(self, memo: dict[int, Any]) -> Plan:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _arrived, (pickle.dumps(self._description),)

    def __call__(
        self,
        x: Any,
        out: Any = None,
        queue: cl.CommandQueue | None = None,
        wait_for: Sequence[cl.Event] | None = None,
    ) -> Any:
        """Transform an array.

        Parameters
        ----------
        x : ndarray or pyopencl.array.Array
            Input of the planned shape and dtype. A call changes it only if it is `out` too.
        out : like x, optional
            The array that receives the result, a new one by default. With ``out=x`` the result
            replaces the input.
        queue : cl.CommandQueue, optional
            The queue to run on; by default the queue of `x` if it is a device array that has one,
            otherwise this thread's queue of the plan's context.
        wait_for : sequence of cl.Event, optional
            Events to wait for before `x` is read, beside the events that device arrays carry.

        Returns
        -------
        ndarray or pyopencl.array.Array
            If `x` is a NumPy array, so is the result, which is complete when the call returns. If
            `x` is a device array, the call returns another one at once, before it is complete; it
            carries the event of its completion, for which pyopencl's own operations wait.

        Raises
        ------
        PlanError
            An array or the queue does not fit the plan.
        DeviceMemoryError
            The device is out of memory.
        DeviceError
            A launch failed, the device is lost, or an event that the call waited for has failed. If
            `x` is a device array, a failure may show only later, when
            ``pyopencl.wait_for_events(result.events)`` is called.
        """
        try:
            if isinstance(x, cl_array.Array):
                if queue is None:
                    queue = x.queue
                return self._on_device(x, out, queue, wait_for or ())
            if queue is None:
                queue = queues.queue_of(self.context)
            return self._on_host(x, out, queue, wait_for or ())
        except cl.Error as error:
            raise failed(queue or self.context, error) from error

    def profile(self, x: Any, out: Any = None) -> tuple[PassTime, ...]:
        """Run the plan once on a profiling queue and return the time of every pass.

        Parameters
        ----------
        x : ndarray or pyopencl.array.Array
            Input of the planned shape and dtype. If it is a NumPy array, the two transfers are
            measured too.
        out : like x, optional
            The array that receives the result; by default the result is dropped.

        Returns
        -------
        tuple of PassTime
            One for each pass and each transfer, in order, with the attributes name, step, ms,
            nbytes and gb_per_s.

        Raises
        ------
        PlanError, DeviceMemoryError
            For the reasons for which a call of the plan raises them.
        """
        recorder = Recorder()
        queue = profiling_queue(self.context)
        if isinstance(x, cl_array.Array):
            self._on_device(x, out, queue, (), recorder)
        else:
            self._on_host(x, out, queue, (), recorder)
        return recorder.times()

    # --- arrays on the host -----------------------------------------------------------------------

    def _on_host(
        self,
        x: Any,
        out: Any,
        queue: cl.CommandQueue,
        wait_for: Sequence[cl.Event],
        recorder: Recorder | None = None,
    ) -> np.ndarray:
        x = np.asarray(x)
        if (x.shape, x.dtype) != self._input:
            self._check_array("x", x, *self._input)
        if queue is not self._known_queue:
            self._check_queue(queue)
        if out is not None:
            require_out(x, out)
            if (out.shape, out.dtype) != self._result:
                self._check_array("out", out, *self._result)
        if self._hook_arrays:
            wait_for = [*wait_for, *self._bound.events()]
        if self._is_staged and recorder is None:  # a call takes a few us, so every line counts
            if out is None:
                out = np.empty(*self._result)
            self._out_of_place.run_staged(queue, x, out, wait_for)
            return out
        if out is None:
            out = memory.empty(*self._result)
        if self._has_empty_end:  # there are no empty buffers; a result, if any, is all padding
            out[...] = 0
            return out
        source = self._memory_of(x) if self._strided else x
        run_on_host(self._out_of_place, queue, source, out, recorder, wait_for)
        return out

    # --- arrays on the device ---------------------------------------------------------------------

    def _on_device(
        self,
        x: cl_array.Array,
        out: Any,
        queue: cl.CommandQueue | None,
        wait_for: Sequence[cl.Event],
        recorder: Recorder | None = None,
    ) -> cl_array.Array:
        if queue is None:
            queue = queues.queue_of(self.context)
        if queue is not self._known_queue:
            self._check_queue(queue)
        if (x.shape, x.dtype, x.strides, x.offset) != self._expected_source:
            self._check_source(x)
        if out is None:
            out, plain = new_array(queue, allocator_of(x, queue), *self._result), True
        else:
            if not isinstance(out, cl_array.Array):
                require_out(x, out)
            given = out.shape, out.dtype, out.strides, out.offset
            plain = given == self._expected_result or self._check_out(out)
        if self._has_empty_end:
            if self.problem.nbytes:  # the result is all padding, and x may have no buffer
                out.events[:] = memory.fill_zeros(queue, out, [*wait_for, *out.events])
            return out
        if x.queue is not queue or out.queue is not queue:
            self._check_contexts(x, out)
        in_place = x.base_data == out.base_data
        if plain:
            executable = self._in_place if in_place else self._out_of_place
        else:
            executable = self._variant(out.strides, out.offset, in_place)
        if self._hook_arrays:
            wait_for = [*wait_for, *self._bound.events()]
        run_on_device(executable, queue, x, out, wait_for, recorder)
        return out

    # --- checks -----------------------------------------------------------------------------------

    @cached_property
    def _input(self) -> tuple[tuple[int, ...], np.dtype]:
        """The shape and the dtype of the input."""
        return self.problem.source.shape, self.dtype

    @cached_property
    def _result(self) -> tuple[tuple[int, ...], np.dtype]:
        """The shape and the dtype of the result."""
        return self.problem.target.shape, self.problem.dtype

    @cached_property
    def _is_staged(self) -> bool:
        """Whether calls copy NumPy arrays of any strides to memory that the device shares.

        That is quickest for small arrays on a CPU.
        """
        source = prod(self.problem.source.shape) * self.dtype.itemsize
        if not source or self._strided:
            return False
        return memory.can_stage(self.traits, source + self.problem.nbytes)

    @cached_property
    def _strided(self) -> bool:
        source = self.problem.source
        return bool(source.offset) or source.strides != contiguous_strides(source.shape)

    def _check_queue(self, queue: cl.CommandQueue) -> None:
        require_queue(queue)
        if queue.context != self.context:
            raise PlanError(
                "the queue belongs to another context than the plan: "
                "plan with context=queue.context, or pass queue="
            )
        self._known_queue = queue

    def _check_contexts(self, *arrays: cl_array.Array) -> None:
        if any(array.context != self.context for array in arrays):
            raise PlanError(
                "the array belongs to another context than the plan: plan with context=, or copy "
                "the array to the plan's context"
            )

    def _check_array(self, name: str, array: Any, shape: tuple[int, ...], dtype: np.dtype) -> None:
        if array.shape != shape or array.dtype != dtype:
            raise PlanError(
                f"{name} must be {dtype} of shape {shape}, as planned, "
                f"not {array.dtype} of shape {array.shape}"
            )

    @cached_property
    def _expected_source(self) -> Given:
        source, itemsize = self.problem.source, self.dtype.itemsize
        strides = tuple(stride * itemsize for stride in source.strides)
        return source.shape, self.dtype, strides, source.offset * itemsize

    @cached_property
    def _expected_result(self) -> Given:
        shape, dtype = self.problem.target.shape, self.problem.dtype
        return shape, dtype, tuple(dtype.itemsize * n for n in contiguous_strides(shape)), 0

    def _check_source(self, x: Any) -> None:
        shape, dtype, strides, offset = self._expected_source
        self._check_array("x", x, shape, dtype)
        strides_differ = any(
            given != wanted
            for extent, given, wanted in zip(shape, x.strides, strides, strict=True)
            if extent > 1
        )
        given = x.offset if isinstance(x, cl_array.Array) else 0
        if x.size and (given != offset or strides_differ):
            raise PlanError(
                f"x has strides {x.strides} and offset {given}, but the plan was made for strides "
                f"{strides} and offset {offset}: plan with strides= and offset=, or copy x"
            )

    def _memory_of(self, x: np.ndarray) -> np.ndarray:
        """Return the memory of a NumPy array of the planned strides, as `memory.span_of` does."""
        self._check_source(x)
        span = memory.span_of(x)
        if span is None:
            raise PlanError(
                "the elements of x are not neighbours in memory: plan without strides=, which "
                "takes NumPy arrays of any strides"
            )
        return span

    def _check_out(self, out: cl_array.Array) -> bool:
        """Return whether `out` is contiguous and begins where its buffer does; refuse misfits."""
        shape, dtype, _, _ = self._expected_result
        self._check_array("out", out, shape, dtype)
        return bool(out.flags.c_contiguous and not out.offset)


def _listed(value: Any) -> Any:
    """Return a tuple of an iterable's items, which an iterator yields once only."""
    return tuple(value) if isinstance(value, Iterable) else value


_plans_that_came: BoundedCache[Plan] = registered("arrived", BoundedCache(MAX_ARRIVED))


def _arrived(description: bytes) -> Plan:
    """Return the plan of a pickled description, on this process's default device."""
    key = description, choice.default_device()
    return _plans_that_came.get(key, lambda: Plan(**pickle.loads(description)))


def _parameters_of(plan: Plan, effort: str) -> Parameters:
    """Return the parameters of a plan, after measuring them where the effort says so."""
    if effort != ESTIMATE:
        # This is the one import from above: the tuner stands above the products, since it measures
        # their kernels too.
        from ..tuning.tuner import measure_unknown

        measure_unknown(plan, effort)
    return wisdom.parameters_of(plan.device, plan.problem, plan.algorithm)


def _only_device(context: cl.Context) -> cl.Device:
    forks.require_own_process()
    if len(context.devices) != 1:
        raise PlanError(
            f"the context has {len(context.devices)} devices: make one context for each"
        )
    return context.devices[0]
