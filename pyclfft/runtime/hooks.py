"""Hooks as a caller writes them: a snippet of OpenCL C with numbers and arrays as arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import PlanError
from ..planning.arguments import Buffer, Scalar
from ..planning.hooks import PLACES, Hooks, Parameter, Snippet, check_name
from ..planning.precision import COMPLEX_DTYPE, REAL_DTYPE
from . import memory

C_TYPES: dict[np.dtype, str] = {
    np.dtype(name): c_type
    for name, c_type in (
        ("int8", "char"), ("uint8", "uchar"), ("int16", "short"), ("uint16", "ushort"),
        ("int32", "int"), ("uint32", "uint"), ("int64", "long"), ("uint64", "ulong"),
        ("float32", "float"), ("float64", "double"),
        ("complex64", "float2"), ("complex128", "double2"),
    )
}  # fmt: skip


class Hook:
    """A snippet of OpenCL C that runs for every element that a plan loads or stores.

    Hooks are the counterpart of cuFFT's callbacks: work that would need a pass of its own before
    or after the transform becomes part of the plan's first or last kernel.

    Parameters
    ----------
    code : str
        Statements that change ``value``. Its type is ``real`` if the array is real, else ``cplx``.
        The statements may read ``index`` (ulong): how many elements lie between the array's first
        element and this one in memory, which for a contiguous array is the index in C order. They
        may use the types ``real`` and ``cplx`` and the function ``cmul`` of prelude.cl.
    preamble : str
        Functions and macros that the code uses. It may include a file of ``cl/`` by its path below
        ``cl/``: ``#include "gain.cl"``, ``#include "audio/frames.cl"``.
    **arguments
        Values that the code may read by name; names are in lower case. A value may be:

        - a number: an integer keeps its type (Python's are ``long``), any other number becomes
          ``real`` or ``cplx``;
        - a NumPy array: a ``global const`` pointer to the type that a number of its dtype has.
          Every plan uploads the array once, when the plan is made;
        - a `pyopencl.array.Array`: a ``global`` pointer to its dtype, so that the hook may also
          write to it;
        - a `pyopencl.Buffer`: a ``global void *``, which the code casts.

    Attributes
    ----------
    code, preamble, arguments
        The values that the hook was made with; `arguments` is a dict.

    Raises
    ------
    PlanError
        A ValueError: a kernel cannot take an argument of this name or type.

    See Also
    --------
    Plan : A planned transform, which takes hooks.

    Notes
    -----
    Every call of the plan reads arrays and buffers on the device anew, so that their contents may
    change between two calls. The plan keeps them alive. A call waits for the events that a
    `pyopencl.array.Array` carries. A program that changes the memory in another way does so on the
    queue of the calls, if that is in order, or passes ``wait_for``. It must not change the memory
    before the end of an earlier call (``result.events``), which another queue does not ensure.

    A hook can be pickled, alone or with its plan, unless an argument lies on a device.

    A load hook runs for every element of the input, not for the zeros that pad the input. It may
    run more than once for one element, so it should only change `value`. A store hook runs once for
    each element of the result.

    Examples
    --------
    >>> import numpy as np
    >>> import pyclfft
    >>> window = pyclfft.Hook("value *= window[index % 8];", window=np.hanning(8))
    >>> power = pyclfft.Hook("value = (cplx)(dot(value, value) * gain, 0);", gain=0.5)
    >>> plan = pyclfft.Plan((2, 8), "complex64", axes=1, hooks={"load": window, "store": power})
    >>> plan(np.ones((2, 8), "complex64"))[0, :2].real.round(3)
    array([6.125, 2.163], dtype=float32)
    """

    def __init__(self, code: str, /, preamble: str = "", **arguments: Any) -> None:
        for what, text in (("code", code), ("preamble", preamble)):
            if not isinstance(text, str):
                raise PlanError(f"a hook's {what} is OpenCL C, a str, not {text!r}")
        for name, value in arguments.items():
            check_name(name)
            _parameter("", name, value, "single")
        self.code = code
        self.preamble = preamble
        self.arguments = arguments

    def __reduce__(self) -> tuple[Any, ...]:
        for name, value in self.arguments.items():
            if isinstance(value, (cl_array.Array, cl.MemoryObjectHolder)):
                raise PlanError(
                    f"the hook's argument {name} lies on a device, which another process cannot "
                    "reach: give a hook that is pickled a NumPy array"
                )
        return _hook, (self.code, self.preamble, self.arguments)

    def __repr__(self) -> str:
        names = "".join(f", {name}=..." for name in self.arguments)
        return f"Hook({self.code!r}{names})"


def _hook(code: str, preamble: str, arguments: Mapping[str, Any]) -> Hook:
    """Make a hook of what its pickle holds."""
    return Hook(code, preamble, **arguments)


class Bound(NamedTuple):
    """The hooks of a plan, with the device memory that they read and write.

    Attributes
    ----------
    hooks : Hooks
        The hooks' code and parameters, as planning knows them.
    buffers : dict of str to cl.Buffer
        The buffers of the hooks' arrays, by the names that passes have for them.
    arrays : tuple of cl.array.Array
        The caller's device arrays, for whose events a call waits.
    """

    hooks: Hooks
    buffers: dict[str, cl.Buffer]
    arrays: tuple[cl_array.Array, ...]

    def events(self) -> Iterator[cl.Event]:
        """Yield the events that the arrays carry: the ends of their last changes."""
        for array in self.arrays:
            yield from array.events


def bind(hooks: Mapping[str, Hook] | None, precision: str, context: cl.Context) -> Bound:
    """Check hooks and upload the host arrays among their arguments.

    Parameters
    ----------
    hooks : mapping of {"load", "store"} to Hook, or None
        The hooks that a caller gives to a plan.
    precision : {"single", "double"}
        The plan's precision.
    context : cl.Context
        The plan's context.

    Returns
    -------
    Bound

    Raises
    ------
    PlanError
        `hooks` is not a mapping of hooks, or the plan's kernels cannot read an argument.
    """
    hooks = {} if hooks is None else hooks
    if not isinstance(hooks, Mapping):
        raise PlanError('hooks are given as {"load": Hook, "store": Hook}, one of them or both')
    snippets: dict[str, Snippet] = {}
    buffers: dict[str, cl.Buffer] = {}
    arrays: list[cl_array.Array] = []
    for place, hook in hooks.items():
        if place not in PLACES or not isinstance(hook, Hook):
            raise PlanError(f"hooks map 'load' and 'store' to a Hook, not {place!r} to {hook!r}")
        parameters = []
        for name, value in hook.arguments.items():
            parameter = _parameter(place, name, value, precision)
            parameters.append(parameter)
            if isinstance(parameter.argument, Buffer):
                buffers[parameter.argument.name] = _buffer(name, value, precision, context)
            if isinstance(value, cl_array.Array):
                arrays.append(value)
        snippets[place] = Snippet(hook.code, hook.preamble, tuple(parameters))
    return Bound(Hooks(**snippets), buffers, tuple(arrays))


def _parameter(place: str, name: str, value: Any, precision: str) -> Parameter:
    """Return the kernel parameter of an argument, with what the kernel is given for it."""
    buffer = Buffer(f"hook:{place}:{name}")
    if isinstance(value, cl_array.Array):
        return Parameter(name, f"global {_c_type(name, value.dtype)} *", buffer)
    if isinstance(value, cl.Buffer):
        return Parameter(name, "global void *", buffer)
    array = np.asarray(value)
    dtype, c_type = _of_precision(name, array.dtype, precision)
    if array.ndim:
        return Parameter(name, f"global const {c_type} *", buffer)
    return Parameter(name, c_type, Scalar(dtype.name, array.item()))


def _of_precision(name: str, dtype: np.dtype, precision: str) -> tuple[np.dtype, str]:
    """Return the dtype and the OpenCL C type that the kernel has for numbers of a host dtype.

    Real and complex numbers take the precision of the plan.
    """
    if dtype.kind == "f":
        return REAL_DTYPE[precision], "real"
    if dtype.kind == "c":
        return COMPLEX_DTYPE[precision], "cplx"
    return dtype.newbyteorder("="), _c_type(name, dtype)


def _c_type(name: str, dtype: np.dtype) -> str:
    known = C_TYPES.get(dtype.newbyteorder("="))
    if known is None:
        raise PlanError(
            f"a hook's argument {name} cannot be {dtype}: pass a number, or an array of "
            + ", ".join(map(str, C_TYPES))
        )
    return known


def _buffer(name: str, value: Any, precision: str, context: cl.Context) -> cl.Buffer:
    """Return an array's memory on the device, to which a host array is uploaded."""
    if isinstance(value, cl_array.Array | cl.Buffer):
        if value.context != context:
            raise PlanError(f"a hook's argument {name} belongs to another context than the plan")
        if isinstance(value, cl.Buffer):
            return value
        if value.offset or value.base_data is None:
            raise PlanError(
                f"a hook's argument {name} does not begin where its buffer does: copy it"
            )
        return cast("cl.Buffer", value.base_data)
    array = np.asarray(value)
    if not array.size:
        raise PlanError(f"a hook's argument {name} has no elements")
    return memory.constant(context, array.astype(_of_precision(name, array.dtype, precision)[0]))
