"""Fusion hooks: what a caller does to elements in the first load or the last store of a plan.

A hook is a snippet of OpenCL C. It becomes the body of a function in the place of hooks.cl, which
the kernel that reads the input, or leaves the result, calls for each element.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..errors import PlanError
from .passes import Buffer, Pass, Scalar

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
        By which its snippet knows it.
    type : str
        In OpenCL C, such as "real" or "global const float *".
    argument : Scalar or Buffer
        A number by value, or a buffer that the runtime knows by its name.
    """

    name: str
    type: str
    argument: Scalar | Buffer


@dataclass(frozen=True)
class Snippet:
    """One hook.

    Attributes
    ----------
    code : str
        Statements that change ``value`` and may read ``index`` and the parameters.
    preamble : str
        What stands in front of them: functions, macros, or ``#include`` of a file of ``cl/``.
    parameters : tuple of Parameter
        In the order in which the kernel takes them.
    replaces : bool
        It takes the place of the memory access: a load hook finds `value` by itself, in ``src`` or
        elsewhere, and a store hook leaves it where it wants to, in ``dst`` or elsewhere. The
        layout that the problem has there says no more than what `index` counts.
    vector : str
        The same for a whole vector of neighbours from `index` on, of the types ``source_vector``
        and ``target_vector`` of access.cl. Without it kernels of vectors go element by element. A
        load hook also has `offset`, which is to be added: up to there elements are in one row.
    """

    code: str
    preamble: str = ""
    parameters: tuple[Parameter, ...] = ()
    replaces: bool = False
    vector: str = ""

    def __post_init__(self) -> None:
        for each in self.parameters:
            check_name(each.name)


@dataclass(frozen=True)
class Hooks:
    """The hooks of a problem, or of a part of it: none by default.

    Attributes
    ----------
    load : Snippet or None
        For each element of the input as it is read.
    store : Snippet or None
        For each element of the result as it is written.
    """

    load: Snippet | None = None
    store: Snippet | None = None

    def __bool__(self) -> bool:
        return bool(self.load or self.store)

    def of_part(self, *, first: bool, last: bool) -> Hooks:
        """Return what remains of them for a part that is the first one, the last one, or both."""
        return Hooks(self.load if first else None, self.store if last else None)


NO_HOOKS = Hooks()


def check_name(name: str) -> None:
    """Refuse a name that a hook's parameter cannot have.

    Raises
    ------
    PlanError
        No identifier of C, or one that means something else already.
    """
    if not (name.isidentifier() and name.isascii()):
        raise PlanError(f"a hook's argument cannot be called {name!r}: that is no name in C")
    if name in _TAKEN.split() or _VECTOR.fullmatch(name) or name.startswith("__"):
        raise PlanError(f"a hook's argument cannot be called {name!r}: kernels use that name")
    if name == name.upper():
        raise PlanError(
            f"a hook's argument cannot be called {name!r}: capitals are macros, write lower case"
        )


def with_hooks(
    passes: Sequence[Pass], hooks: Hooks, *, real_source: bool, real_target: bool
) -> tuple[Pass, ...]:
    """Give the load hook to the first pass and the store hook to the last one.

    Parameters
    ----------
    passes : sequence of Pass
        The first one reads the input and the last one leaves the result, by kernels with hooks.
    hooks : Hooks
        Of the problem.
    real_source, real_target : bool
        Whether elements of the input and of the result are real.

    Returns
    -------
    tuple of Pass
        The hooks' arguments follow the kernel's own.
    """
    types = tuple("real" if each else "cplx" for each in (real_source, real_target))
    last = len(passes) - 1
    return tuple(
        _with_hooks(each, hooks.of_part(first=number == 0, last=number == last), types)
        for number, each in enumerate(passes)
    )


def _with_hooks(each: Pass, hooks: Hooks, types: Sequence[str]) -> Pass:
    if not hooks:
        return each
    arguments = {
        _argument(place, parameter): parameter.argument
        for place, snippet in zip(PLACES, (hooks.load, hooks.store), strict=True)
        if snippet
        for parameter in snippet.parameters
    }
    return replace(each, arguments={**each.arguments, **arguments}, hooks=hook_text(hooks, types))


def hook_text(hooks: Hooks, types: Sequence[str]) -> str:
    """Return the text in the place of hooks.cl.

    Parameters
    ----------
    hooks : Hooks
        Of one kernel.
    types : (str, str)
        Of a value that is loaded and of one that is stored: "real" or "cplx".

    Returns
    -------
    str
        Compilers call lines of a snippet hook:load:1 or hook:store:1, of a preamble
        hook:load:preamble:1.
    """
    placed = list(zip(PLACES, (hooks.load, hooks.store), types, strict=True))
    seen: set[str] = set()  # preambles: both hooks may have the same functions
    lines: list[str] = []
    for place, snippet, _ in placed:
        if snippet and snippet.preamble not in seen:
            seen.add(snippet.preamble)
            lines += _numbered(f"hook:{place}:preamble", snippet.preamble)
    parameters, arguments = "", ""
    for place, snippet, value_type in placed:
        lines += _functions(place, snippet, value_type) if snippet else [_nothing(place)]
        lines += _flags(place, snippet)
        for each in snippet.parameters if snippet else ():
            parameters += f", {each.type} {_argument(place, each)}"
            arguments += f", {_argument(place, each)}"
    lines += [f"#define HOOK_PARAMETERS {parameters}", f"#define HOOK_ARGUMENTS {arguments}", ""]
    return "\n".join(lines)


# How kernels reach their arrays: by a hook that changes a value,
_ACCESS = {
    "load": "#define LOAD_FROM(src, place, index) LOAD_HOOK((src)[place], index)",
    "store": "#define STORE_TO(dst, place, value, index) ((dst)[place] = STORE_HOOK(value, index))",
}
# by one that replaces the access,
_REPLACED = {
    "load": "#define LOAD_FROM(src, place, index) load_hook(src, index{given})",
    "store": "#define STORE_TO(dst, place, value, index) store_hook(dst, index, value{given})",
}
# and that of whole vectors.
_VECTORS = {
    "load": "#define LOAD_VECTOR_HOOK(src, index, offset) "
    "load_vector_hook(src, index, offset{given})",
    "store": "#define STORE_VECTOR_HOOK(dst, index, v) store_vector_hook(dst, index, v{given})",
}


def _nothing(place: str) -> str:
    return f"#define {place.upper()}_HOOK(value, index) (value)\n{_ACCESS[place]}"


def _flags(place: str, snippet: Snippet | None) -> list[str]:
    """Return the macros that say what there is."""
    flags = {
        "HOOKED": snippet is not None,
        "REPLACED": bool(snippet and snippet.replaces),
        "VECTORS": bool(snippet and snippet.vector),
    }
    return [f"#define {place.upper()}_{name} {int(value)}" for name, value in flags.items()]


def _functions(place: str, snippet: Snippet, value_type: str) -> list[str]:
    """Return the lines of functions with a snippet in them, and of the macros that call them."""
    taken = "".join(f", {each.type} {each.name}" for each in snippet.parameters)
    given = "".join(f", {_argument(place, each)}" for each in snippet.parameters)
    if not snippet.replaces:
        return [
            f"static inline {value_type} {place}_hook({value_type} value, ulong index{taken})",
            "{",
            *_numbered(f"hook:{place}", snippet.code),
            "    return value;",
            "}",
            f"#define {place.upper()}_HOOK(value, index) {place}_hook(value, index{given})",
            _ACCESS[place],
        ]
    lines = [
        *_access_function(place, "hook", snippet.code, value_type, value_type, taken),
        _REPLACED[place].format(given=given),
    ]
    if snippet.vector:
        side = "source" if place == "load" else "target"
        element, vector = f"{side}_element", f"{side}_vector"
        offset = ", uint offset" if place == "load" else ""
        lines += [
            f"#if VECTOR_{place.upper()}S",
            *_access_function(
                place, "vector_hook", snippet.vector, vector, element, offset + taken
            ),
            _VECTORS[place].format(given=given),
            "#endif",
        ]
    return lines


def _access_function(
    place: str, name: str, code: str, value_type: str, element: str, taken: str
) -> list[str]:
    """Return the lines of a function that reaches memory by itself."""
    body = list(_numbered(f"hook:{place}", code))
    if place == "load":
        head = f"static inline {value_type} load_{name}(global const {element} *src, ulong index"
        return [f"{head}{taken})", "{", f"    {value_type} value;", *body, "    return value;", "}"]
    head = f"static inline void store_{name}(global {element} *dst, ulong index, {value_type} value"
    return [f"{head}{taken})", "{", *body, "}"]


def _argument(place: str, parameter: Parameter) -> str:
    """Return the name of the kernel's own parameter, which is no other hook's and no variable's."""
    return f"{place}_hook_{parameter.name}"


def _numbered(place: str, text: str) -> Iterator[str]:
    """Yield lines of a caller's text, called by their own numbers, also behind an #include."""
    if not text.strip():
        return
    yield f'#line 1 "{place}"'
    for number, line in enumerate(text.splitlines(), 1):
        yield line
        if line.lstrip().startswith("#include"):
            yield f'#line {number + 1} "{place}"'
