"""Hooks: a caller's own code for the elements that a plan first loads or last stores.

A hook is a snippet of OpenCL C. It becomes the body of a function in the text that takes the place
of hooks.cl. The kernel that reads the input, or that leaves the result, calls the function for each
element.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import PlanError
from .arguments import Buffer, Scalar
from .tables import Table

PLACES = ("load", "store")

_VECTOR = re.compile(r"(u?(char|short|int|long)|float|double|half)(2|3|4|8|16)?")
_TAKEN = """
    value index real cplx real4 bits cmul conj_if as_real as_bits
    auto bool break case const constant continue default do else enum event_t extern for generic
    global goto if inline intptr_t kernel local pipe private ptrdiff_t read_only read_write register
    restrict return sampler_t signed size_t sizeof static struct switch typedef uintptr_t union
    unsigned void volatile while write_only
"""


@dataclass(frozen=True)
class Parameter:
    """A named argument of a hook.

    Attributes
    ----------
    name : str
        The name that the snippet uses.
    type : str
        The type in OpenCL C, for example "real" or "global const float *".
    argument : Scalar, Buffer or Table
        A number by value, a buffer that the runtime knows by its name, or a table that it uploads.
    """

    name: str
    type: str
    argument: Scalar | Buffer | Table


@dataclass(frozen=True)
class Snippet:
    """One hook.

    Attributes
    ----------
    code : str
        Statements that change ``value`` and may read ``index`` and the parameters.
    preamble : str
        What stands before the function: functions, macros, or ``#include`` of a file of ``cl/``.
    parameters : tuple of Parameter
        The hook's arguments, in the order in which the kernel takes them.
    replaces : bool
        Whether the hook takes the place of the memory access. Then a load hook itself finds
        `value`, in ``src`` or elsewhere, and a store hook itself stores it, in ``dst`` or
        elsewhere. The problem's layout of that array then only says which elements `index` counts.
    vector : str
        Statements like `code`, but for a whole vector of neighbours from `index` on, of the type
        ``source_vector`` or ``target_vector`` of access.cl. Without them, kernels of vectors go
        element by element. A load hook has to add `offset` to `index`; the elements before and
        after this addition are in the same row. A load hook has vectors only if it `replaces`.
    along : str
        Statements like `code` of a hook that `replaces` the access. Here ``index`` is that of the
        element with which a transform begins, and the hook is for the element that lies ``along``
        times ``unit`` elements behind it. What the statements find out about ``index`` and ``unit``
        serves all elements of the transform. Kernels that know them do not use `code`.
    quads : bool
        Whether kernels may load, or store, numbers as quads.cl does instead of calling the hook,
        which does that work of a cosine or sine transform for one number. cosinePairs.cl then takes
        the place of the hook at the other end.
    """

    code: str
    preamble: str = ""
    parameters: tuple[Parameter, ...] = ()
    replaces: bool = False
    vector: str = ""
    along: str = ""
    quads: bool = False

    def __post_init__(self) -> None:
        for each in self.parameters:
            check_name(each.name)


@dataclass(frozen=True)
class Hooks:
    """The hooks of a problem, or of a part of it: none by default.

    Attributes
    ----------
    load : Snippet or None
        The hook for each element of the input as a kernel reads it.
    store : Snippet or None
        The hook for each element of the result as a kernel writes it.
    """

    load: Snippet | None = None
    store: Snippet | None = None

    def __bool__(self) -> bool:
        return bool(self.load or self.store)

    def of_part(self, *, first: bool, last: bool) -> Hooks:
        """Return the hooks of a part: the first part has the load hook, the last the store hook."""
        return Hooks(self.load if first else None, self.store if last else None)


NO_HOOKS = Hooks()


def check_name(name: str) -> None:
    """Refuse a name that a hook's parameter cannot have.

    Raises
    ------
    PlanError
        The name is no identifier of C, or it means something else in kernels already.
    """
    if not (name.isidentifier() and name.isascii()):
        raise PlanError(f"a hook's argument cannot be called {name!r}: that is no name in C")
    if name in _TAKEN.split() or _VECTOR.fullmatch(name) or name.startswith("__"):
        raise PlanError(f"a hook's argument cannot be called {name!r}: kernels use that name")
    if name == name.upper():
        raise PlanError(
            f"a hook's argument cannot be called {name!r}: capitals are macros, write lower case"
        )
