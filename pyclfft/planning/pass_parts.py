"""What passes are made of: macros, sizes and arguments. Also the pass that transposes matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from .arguments import Role, Scalar, Vector
from .parameters import Parameters
from .passes import Argument, Pass, launch_size
from .precision import REAL_DTYPE
from .problem import Problem
from .traits import Traits

SIGN_BIT = {"single": 0x8000_0000, "double": 0x8000_0000_0000_0000}
BITS = {"single": "uint32", "double": "uint64"}
REAL = {"single": "float32", "double": "float64"}
FEW_SIZES = 3  # bits of the sizes of groups where there are to be few: 1, 8, 64 and so on
LISTED = 8  # the members of a list of radices, which is filled up with ones


@dataclass(frozen=True)
class Rows:
    """A batch of `count` contiguous rows of `n` points each."""

    n: int
    count: int


def rows_of(problem: Problem) -> Rows:
    """Return the rows of a problem with one axis, which varies fastest in memory."""
    n = problem.shape[problem.axes[0]]
    return Rows(n, prod(problem.shape) // n)


def transpose(
    problem: Problem,
    traits: Traits,
    parameters: Parameters,
    batch: int,
    rows: int,
    columns: int,
) -> Pass:
    """Return the pass that transposes every matrix of a batch.

    If the device and the parameters allow it, the pass works by tiles in local memory.
    """
    tile = parameters["transpose_tile"]
    blocked = (
        tile > 1
        and tile * tile <= traits.max_work_group_size
        and all(tile <= limit for limit in traits.max_work_item_sizes[:2])
        and tile * (tile + 1) * problem.dtype.itemsize <= traits.local_mem_bytes
    )
    if blocked:
        width, height = (-(-extent // tile) * tile for extent in (columns, rows))
        sizes: tuple[int, ...] = (width, height, batch)
        local: tuple[int, ...] = (tile, tile, 1)
    else:
        sizes, local = kernel_size("transpose", (columns, rows, batch), traits, parameters)
    return Pass(
        kernel="transposeBlocked" if blocked else "transpose",
        source="textbook/transpose.cl",
        defines=defines(problem.precision, **({"TILE": tile} if blocked else {})),
        global_size=sizes,
        local_size=local,
        arguments={
            "src": Role.SOURCE,
            "dst": Role.TARGET,
            "rows": uint(rows),
            "columns": uint(columns),
        },
        reads=problem.nbytes,
        writes=problem.nbytes,
        step=f"{batch} x {rows}x{columns}" if batch > 1 else f"{rows}x{columns}",
        local_bytes=tile * (tile + 1) * problem.dtype.itemsize if blocked else 0,
    )


def defines(precision: str, **others: int | str) -> tuple[tuple[str, str], ...]:
    """Return the macros with which a file is compiled: the precision and the given ones."""
    double = int(precision == "double")
    return tuple((name, str(value)) for name, value in {"DOUBLE": double, **others}.items())


def listed(radices: Sequence[int]) -> str:
    """Return radices as the value of a macro, a list of eight: "16,16,4,1,1,1,1,1"."""
    return ",".join(map(str, (*radices, *[1] * (LISTED - len(radices)))))


def device_size(
    items: tuple[int, ...], preferred: int, traits: Traits
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the sizes that `launch_size` finds within the device's limits.

    Where a kernel is compiled once more for each size of its groups, there are few sizes.
    """
    bits = 1 if traits.vectorizes else FEW_SIZES
    limits = traits.max_work_item_sizes, traits.max_work_group_size
    return launch_size(items, preferred, *limits, bits)


def kernel_size(
    kernel: str, items: tuple[int, ...], traits: Traits, parameters: Parameters
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return (global size, local size) of a kernel whose work-groups may have a tuned size.

    Parameters
    ----------
    kernel : str
        The name of the kernel. If the parameter ``group_NAME`` exists and is not empty, it is the
        size of the groups, for example "64" or "16x16", even if fewer work-items are needed.
    items : tuple of int
        The number of work-items needed along each dimension.
    traits, parameters
        The device's traits, and the parameters of its kernels. If the kernel has no size of its
        own, or the device does not allow that size, the parameter ``group`` decides.

    Returns
    -------
    global_size, local_size : tuple of int
    """
    wanted = parameters.get(f"group_{kernel}", "")
    sides = tuple(map(int, wanted.split("x")))[: len(items)] if wanted else ()
    limits = traits.max_work_item_sizes
    fits = all(side <= limit for side, limit in zip(sides, limits, strict=False))
    if not sides or not fits or prod(sides) > traits.max_work_group_size:
        return device_size(items, parameters["group"], traits)
    local = sides + (1,) * (len(items) - len(sides))
    rounded = tuple(-(-count // side) * side for count, side in zip(items, local, strict=True))
    return rounded, local


def extrema_group(traits: Traits, parameters: Parameters, nbytes: int) -> int:
    """Return how many work-items look for an extreme value together: a power of two.

    Each of them has so many bytes of local memory.
    """
    limit = min(
        parameters["extrema_group"],
        traits.max_work_group_size,
        traits.max_work_item_sizes[0],
        traits.local_mem_bytes // nbytes,
    )
    return 1 << (limit.bit_length() - 1)


def uint(value: int) -> Scalar:
    """Return a kernel argument of type uint."""
    return Scalar("uint32", value)


def sign_flag(problem: Problem) -> Argument:
    """Return the argument by which a kernel conjugates its twiddles if the transform is inverse."""
    flag = SIGN_BIT[problem.precision] if problem.direction == "inverse" else 0
    return Scalar(BITS[problem.precision], flag)


def exact(value: float, precision: str) -> Vector:
    """Return an argument of type cplx: the nearest number in the precision, and the remainder."""
    dtype = REAL_DTYPE[precision]
    nearest = float(dtype.type(value))
    return Vector(dtype.name, (nearest, value - nearest))


def real(problem: Problem, value: float) -> Scalar:
    """Return a kernel argument of type real."""
    return Scalar(REAL[problem.precision], value)
