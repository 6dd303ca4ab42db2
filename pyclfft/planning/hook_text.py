"""The text of hooks: what stands in the place of hooks.cl where a plan has hooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from .hooks import PLACES, Hooks, Parameter, Snippet
from .passes import Pass


def with_hooks(
    passes: Sequence[Pass], hooks: Hooks, *, real_source: bool, real_target: bool
) -> tuple[Pass, ...]:
    """Give the load hook to the first pass and the store hook to the last one.

    Parameters
    ----------
    passes : sequence of Pass
        The passes of a plan. The kernels of the first pass, which reads the input, and of the last
        one, which leaves the result, know hooks.
    hooks : Hooks
        The hooks of the problem.
    real_source, real_target : bool
        Whether the elements of the input, and those of the result, are real.

    Returns
    -------
    tuple of Pass
        The passes with hooks. The hooks' arguments follow the arguments of each kernel.
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
        The hooks of one kernel.
    types : (str, str)
        The type of a value that is loaded, and the type of one that is stored: "real" or "cplx".

    Returns
    -------
    str
        The text. In their messages compilers call line 1 of a snippet "hook:load:1" or
        "hook:store:1", and line 1 of a preamble "hook:load:preamble:1".
    """
    placed = list(zip(PLACES, (hooks.load, hooks.store), types, strict=True))
    seen: set[str] = set()  # the preambles so far: both hooks may have the same one
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


# The macros by which kernels reach their arrays, if a hook changes the value;
_ACCESS = {
    "load": "#define LOAD_FROM(src, place, index) LOAD_HOOK((src)[place], index)",
    "store": "#define STORE_TO(dst, place, value, index) ((dst)[place] = STORE_HOOK(value, index))",
}
# if a hook replaces the memory access;
_REPLACED = {
    "load": "#define LOAD_FROM(src, place, index) load_hook(src, index{given})",
    "store": "#define STORE_TO(dst, place, value, index) store_hook(dst, index, value{given})",
}
# if such a hook also knows elements by where their transform begins;
_ALONG = {
    "load": "#define LOAD_ALONG(src, axis, begin, along, place) "
    "load_along_hook(src, (begin) - (axis).first, along, (axis).unit{given})",
    "store": "#define STORE_ALONG(dst, axis, begin, along, place, value) "
    "store_along_hook(dst, (begin) - (axis).first, value, along, (axis).unit{given})",
}
# if a hook replaces the memory access of whole vectors;
_VECTORS = {
    "load": "#define LOAD_VECTOR_HOOK(src, index, offset) "
    "load_vector_hook(src, index, offset{given})",
    "store": "#define STORE_VECTOR_HOOK(dst, index, v) store_vector_hook(dst, index, v{given})",
}
# and if a hook changes whole vectors before they are stored.
_CHANGED_VECTORS = "#define STORE_VECTOR_HOOK(v, index) store_vector_hook(v, index{given})"


def _nothing(place: str) -> str:
    return f"#define {place.upper()}_HOOK(value, index) (value)\n{_ACCESS[place]}"


def _flags(place: str, snippet: Snippet | None) -> list[str]:
    """Return the macros that say whether a hook exists, replaces the access, and knows vectors."""
    flags = {
        "HOOKED": snippet is not None,
        "REPLACED": bool(snippet and snippet.replaces),
        "VECTORS": bool(snippet and snippet.vector),
    }
    return [f"#define {place.upper()}_{name} {int(value)}" for name, value in flags.items()]


def _functions(place: str, snippet: Snippet, value_type: str) -> list[str]:
    """Return the lines of the functions around a snippet, and of the macros that call them."""
    taken = "".join(f", {each.type} {each.name}" for each in snippet.parameters)
    given = "".join(f", {_argument(place, each)}" for each in snippet.parameters)
    if not snippet.replaces:
        lines = [
            *_change_function(place, "hook", snippet.code, value_type, taken),
            f"#define {place.upper()}_HOOK(value, index) {place}_hook(value, index{given})",
            _ACCESS[place],
        ]
        if snippet.vector:
            lines += [
                "#if VECTOR_STORES",
                *_change_function(place, "vector_hook", snippet.vector, "target_vector", taken),
                _CHANGED_VECTORS.format(given=given),
                "#endif",
            ]
        return lines
    lines = [
        *_access_function(place, "hook", snippet.code, value_type, value_type, taken),
        _REPLACED[place].format(given=given),
    ]
    if snippet.along:
        taken_along = f", uint along, ulong unit{taken}"
        lines += _access_function(
            place, "along_hook", snippet.along, value_type, value_type, taken_along
        )
        lines.append(_ALONG[place].format(given=given))
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


def _change_function(place: str, name: str, code: str, value_type: str, taken: str) -> list[str]:
    """Return the lines of a function that changes the value that it is given."""
    return [
        f"static inline {value_type} {place}_{name}({value_type} value, ulong index{taken})",
        "{",
        *_numbered(f"hook:{place}", code),
        "    return value;",
        "}",
    ]


def _access_function(
    place: str, name: str, code: str, value_type: str, element: str, taken: str
) -> list[str]:
    """Return the lines of a function that itself loads or stores its value."""
    body = list(_numbered(f"hook:{place}", code))
    if place == "load":
        head = f"static inline {value_type} load_{name}(global const {element} *src, ulong index"
        return [f"{head}{taken})", "{", f"    {value_type} value;", *body, "    return value;", "}"]
    head = f"static inline void store_{name}(global {element} *dst, ulong index, {value_type} value"
    return [f"{head}{taken})", "{", *body, "}"]


def _argument(place: str, parameter: Parameter) -> str:
    """Return the kernel's name for a hook's parameter, which no other hook or variable has."""
    return f"{place}_hook_{parameter.name}"


def _numbered(place: str, text: str) -> Iterator[str]:
    """Yield the lines of a caller's text, with #line directives that keep the text's own numbers.

    Another directive follows each #include, which would change the numbers.
    """
    if not text.strip():
        return
    yield f'#line 1 "{place}"'
    for number, line in enumerate(text.splitlines(), 1):
        yield line
        if line.lstrip().startswith("#include"):
            yield f'#line {number + 1} "{place}"'
