"""Hooks without a device: the text that they become, and the passes that have them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from pyclfft import Hook
from pyclfft.errors import PlanError
from pyclfft.image import filter_plans
from pyclfft.image import filtering as imaging
from pyclfft.planning.arguments import Buffer, Role, Scalar
from pyclfft.planning.hook_text import hook_text
from pyclfft.planning.hooks import Hooks, Parameter, Snippet
from pyclfft.planning.passes import assign_buffers
from pyclfft.planning.planner import plan_passes, settled_passes
from pyclfft.planning.problem import make_problem, with_target
from pyclfft.planning.solvers import BY_NAME
from pyclfft.planning.solvers.stockham import BACKWARD
from pyclfft.runtime.program import source_text
from tests.recorded_traits import RECORDED

H200 = RECORDED["h200"]
WINDOW = Parameter("window", "global const real *", Buffer("hook:load:window"))
GAIN = Parameter("gain", "real", Scalar("float32", 2.0))
LOAD = Snippet("value *= window[index];", parameters=(WINDOW,))
STORE = Snippet("value *= gain;\nvalue.y = 0;", parameters=(GAIN,))
BOTH = Hooks(LOAD, STORE)
KERNELS_WITH_HOOKS = (
    "copy.cl",
    "dct.cl",
    "cpu/row.cl",
    "cpu/cols.cl",
    "gpu/stockham.cl",
    "gpu/fused.cl",
    "textbook/localRadix2.cl",
)

# --- text -----------------------------------------------------------------------------------------


def test_text_of_both():
    assert hook_text(BOTH, ("real", "cplx")) == (
        "static inline real load_hook(real value, ulong index, global const real * window)\n"
        "{\n"
        '#line 1 "hook:load"\n'
        "value *= window[index];\n"
        "    return value;\n"
        "}\n"
        "#define LOAD_HOOK(value, index) load_hook(value, index, load_hook_window)\n"
        "#define LOAD_FROM(src, place, index) LOAD_HOOK((src)[place], index)\n"
        "#define LOAD_HOOKED 1\n"
        "#define LOAD_REPLACED 0\n"
        "#define LOAD_VECTORS 0\n"
        "static inline cplx store_hook(cplx value, ulong index, real gain)\n"
        "{\n"
        '#line 1 "hook:store"\n'
        "value *= gain;\n"
        "value.y = 0;\n"
        "    return value;\n"
        "}\n"
        "#define STORE_HOOK(value, index) store_hook(value, index, store_hook_gain)\n"
        "#define STORE_TO(dst, place, value, index) ((dst)[place] = STORE_HOOK(value, index))\n"
        "#define STORE_HOOKED 1\n"
        "#define STORE_REPLACED 0\n"
        "#define STORE_VECTORS 0\n"
        "#define HOOK_PARAMETERS , global const real * load_hook_window, real store_hook_gain\n"
        "#define HOOK_ARGUMENTS , load_hook_window, store_hook_gain\n"
    )


def test_text_of_one_has_the_others_default():
    text = hook_text(Hooks(store=Snippet("value *= 2;")), ("cplx", "cplx"))
    assert text.startswith(
        "#define LOAD_HOOK(value, index) (value)\n"
        "#define LOAD_FROM(src, place, index) LOAD_HOOK((src)[place], index)\n"
        "#define LOAD_HOOKED 0\n#define LOAD_REPLACED 0\n#define LOAD_VECTORS 0\nstatic"
    )
    assert text.endswith(
        "#define STORE_VECTORS 0\n#define HOOK_PARAMETERS \n#define HOOK_ARGUMENTS \n"
    )


def test_text_of_hooks_that_replace_the_access():
    load = Snippet("value = window[index];", "", (WINDOW,), replaces=True, vector="value = 0;")
    store = Snippet("dst[2 * index] = value * gain;", "", (GAIN,), replaces=True)
    assert hook_text(Hooks(load, store), ("real", "cplx")) == (
        "static inline real load_hook(global const real *src, ulong index,"
        " global const real * window)\n"
        "{\n"
        "    real value;\n"
        '#line 1 "hook:load"\n'
        "value = window[index];\n"
        "    return value;\n"
        "}\n"
        "#define LOAD_FROM(src, place, index) load_hook(src, index, load_hook_window)\n"
        "#if VECTOR_LOADS\n"
        "static inline source_vector load_vector_hook(global const source_element *src,"
        " ulong index, uint offset, global const real * window)\n"
        "{\n"
        "    source_vector value;\n"
        '#line 1 "hook:load"\n'
        "value = 0;\n"
        "    return value;\n"
        "}\n"
        "#define LOAD_VECTOR_HOOK(src, index, offset)"
        " load_vector_hook(src, index, offset, load_hook_window)\n"
        "#endif\n"
        "#define LOAD_HOOKED 1\n"
        "#define LOAD_REPLACED 1\n"
        "#define LOAD_VECTORS 1\n"
        "static inline void store_hook(global cplx *dst, ulong index, cplx value, real gain)\n"
        "{\n"
        '#line 1 "hook:store"\n'
        "dst[2 * index] = value * gain;\n"
        "}\n"
        "#define STORE_TO(dst, place, value, index)"
        " store_hook(dst, index, value, store_hook_gain)\n"
        "#define STORE_HOOKED 1\n"
        "#define STORE_REPLACED 1\n"
        "#define STORE_VECTORS 0\n"
        "#define HOOK_PARAMETERS , global const real * load_hook_window, real store_hook_gain\n"
        "#define HOOK_ARGUMENTS , load_hook_window, store_hook_gain\n"
    )


def test_lines_behind_an_include_keep_their_numbers():
    snippet = Snippet("", '#define TWICE 2\n#include "gain.cl"\nreal f(real x);')
    text = source_text("copy.cl", hook_text(Hooks(snippet, snippet), ("cplx", "cplx")))
    assert text.count('#line 1 "hook:load:preamble"\n#define TWICE 2\n') == 1
    assert text.count('#line 3 "hook:load:preamble"\nreal f(real x);\n') == 1
    assert text.count("lowpass_gain(ulong") == 1
    assert text.count("cmul(cplx a") == 1  # of prelude.cl, which gain.cl includes, too
    assert "hook:store" not in text  # the preamble is there already, and there is no code


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("2x", "no name in C"),
        ("größe", "no name in C"),
        ("", "no name in C"),
        ("value", "use that name"),
        ("index", "use that name"),
        ("float4", "use that name"),
        ("ulong", "use that name"),
        ("cplx", "use that name"),
        ("while", "use that name"),
        ("__x", "use that name"),
        ("N", "capitals"),
        ("TWIST_FIRST", "capitals"),
    ],
)
def test_names_that_cannot_be(name, says):
    for make in (
        lambda: Snippet("", parameters=(replace(GAIN, name=name),)),
        lambda: Hook("", **{name: 1}),
    ):
        with pytest.raises(PlanError, match=says) as raised:
            make()
        assert repr(name) in str(raised.value)


@pytest.mark.parametrize("value", ["text", None, np.bool_(1), np.float16([1]).view("V2"), object()])
def test_values_that_cannot_be(value):
    with pytest.raises(PlanError, match="argument x cannot be"):
        Hook("", x=value)


@pytest.mark.parametrize(("code", "preamble"), [(3, ""), ("", b"text")])
def test_code_is_text(code, preamble):
    with pytest.raises(PlanError, match="is OpenCL C, a str"):
        Hook(code, preamble)


# --- plans ----------------------------------------------------------------------------------------


def hooked(shape, dtype="c8", axes=None, hooks=BOTH, **options):
    return replace(make_problem(shape, dtype, axes, **options), hooks=hooks)


def which(passes):
    """Of every pass: its kernel, and the hooks that it has."""
    return [
        each.kernel
        + "".join(f" {place}" for place in ("load", "store") if f" {place}_hook(" in each.hooks)
        for each in passes
    ]


@pytest.mark.parametrize(
    ("arguments", "algorithm", "expected"),
    [
        (((8,),), None, ["stockham load store"]),
        (((8, 16),), None, ["stockham load", "stockham store"]),
        (((2**16,),), None, ["stockham load", "stockham store"]),
        (((4, 8, 16),), None, ["stockham load", "stockham", "stockham store"]),
        (((1019,),), None, ["stockham load store"]),
        (((1, 1),), None, ["copy load store"]),
        # Solvers of rows have copies, also where nothing would have to be brought anywhere.
        (((3, 8), "c8", 1), "direct", ["copy load", "direct", "copy store"]),
        (((3, 8), "f4", 1), "direct", ["copy load", "direct", "copy store"]),
        (((8, 3), "c8", 0), "direct", ["copy load", "direct", "copy store"]),
        (
            ((4, 8),),
            "direct",
            ["copy load", "direct", "transpose", "direct", "copy store"],
        ),
        (
            ((4,),),
            "radix2",
            ["copy load", "spinFact", "bitReverse", "butterfly", "butterfly", "copy store"],
        ),
    ],
)
def test_first_and_last_pass(arguments, algorithm, expected):
    found = which(plan_passes(hooked(*arguments), H200, algorithm))
    assert [name.replace("Blocked", "") for name in found] == expected


def test_one_hook_adds_one_copy():
    for hooks, expected in (
        (Hooks(load=LOAD), ["copy load", "direct"]),
        (Hooks(store=STORE), ["direct", "copy store"]),
        (Hooks(), ["direct"]),
    ):
        assert which(plan_passes(hooked((3, 8), axes=1, hooks=hooks), H200, "direct")) == expected


@pytest.mark.parametrize("name", RECORDED)
@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
@pytest.mark.parametrize(("shape", "axes"), [((6, 10), None), ((3, 1009), 1), ((2**16,), None)])
def test_every_device(name, kind, shape, axes):
    """Values are real where arrays are, and arguments come after the kernel's own."""
    dtype = "f4" if kind == "r2c" else "c8"
    problem = hooked(shape, dtype, axes, kind=kind)
    passes = plan_passes(problem, RECORDED[name])
    bare = plan_passes(replace(problem, hooks=Hooks()), RECORDED[name])
    types = {"c2c": ("cplx", "cplx"), "r2c": ("real", "cplx"), "c2r": ("cplx", "real")}[kind]
    assert f"inline {types[0]} load_hook({types[0]} value" in passes[0].hooks
    assert f"inline {types[1]} store_hook({types[1]} value" in passes[-1].hooks
    assert passes[0].arguments[f"load_hook_{WINDOW.name}"] == WINDOW.argument
    assert list(passes[-1].arguments)[-1] == f"store_hook_{GAIN.name}"
    assert passes[-1].arguments[f"store_hook_{GAIN.name}"] == GAIN.argument
    if [each.defines for each in passes] == [each.defines for each in bare]:  # the same kernels
        for each, without in zip(passes, bare, strict=True):
            own = list(each.arguments.items())[: len(without.arguments)]
            assert own == list(without.arguments.items())


def test_every_second_pass_walks_backward_with_hooks_too():
    *_, last = plan_passes(hooked((8, 16)), H200)
    assert last.arguments["flags"].value & BACKWARD


def test_in_place_by_a_copy():
    """Where one pass alone cannot be in place, the copy after it has the store hook."""
    problem = with_target(hooked((4, 8), axes=1), (160, 16), 0)
    passes = settled_passes(problem, H200)
    assert which(passes) == ["stockham load", "copy store"]


def test_printed():
    problem = hooked((8,))
    assert str(problem).endswith("scale 1, load hook, store hook")
    text = str(assign_buffers(plan_passes(problem, H200), problem.nbytes))
    assert " in out hook:load:window " in text
    assert "workspace: 0 bytes" in text


# --- the image filter -----------------------------------------------------------------------------


def filter_passes(algorithm=None, traits=H200, size=(16, 64), **options):
    job = imaging.filter_job(np.zeros(size, np.uint8), algorithm=algorithm, **options)
    return filter_plans.filter_schedule(job, traits).passes


@pytest.mark.parametrize("algorithm", BY_NAME)
def test_the_filter_is_a_hook_where_the_solver_has_hooks(algorithm):
    try:
        passes = filter_passes(algorithm)
    except PlanError:  # it needs other lengths, or a CPU
        assert algorithm != "stockham"
        return
    names = which(passes)
    if not BY_NAME[algorithm].rows_only:
        transforms = [name for name in names if "ixel" not in name and "extrema" not in name]
        assert [number for number, name in enumerate(transforms) if " store" in name] == [
            len(transforms) // 2 - 1
        ]
        assert names == ["loadPixels", *transforms, "extrema", "extremaOfParts", "storePixels"]
    else:
        assert "highPassFilter" in names
        assert not any(each.hooks for each in passes)


@pytest.mark.parametrize(
    ("traits", "solvers", "ends"),
    [
        (H200, ("stockham", "stockham"), ("extrema", "extremaOfParts", "storePixels")),
        (RECORDED["intel-cpu"], ("row", "cols"), ("extremaOfRows", "storeRows")),
    ],
)
def test_filtered_planes_are_real(traits, solvers, ends):
    """The first load reads pixels, and the store between the transforms multiplies by the gains.

    On a CPU the launch with this store also begins the second transform.
    """
    given = {"traits": traits, "size": (256, 512)}
    there, back = solvers
    both = [f"{back} store"] if traits.is_cpu else [f"{back} store", back]
    middle = [f"{there} load", *both, there]
    assert which(filter_passes(**given)) == [*middle, *ends]
    assert which(filter_passes(**given, shape="gaussian", scale="stretch")) == [*middle, *ends]
    if traits.is_cpu:  # with AVX2 too, where the passes alone would not store past the caches alike
        large = filter_passes(traits=RECORDED["avx2-cpu"], size=(1024, 1024))
        assert which(large) == [*middle, *ends]
    middle[-1] += " store"
    assert which(filter_passes(**given, scale="clip")) == middle
    assert which(filter_passes(**given, scale="none", pad="mirror")) == middle


@pytest.mark.parametrize(
    ("part", "shape", "real"),
    [("real", (16, 64), True), ("magnitude", (16, 64), False), ("magnitude", (16, 33), True)],
)
def test_a_whole_mask_leaves_real_numbers_where_their_real_part_is_wanted(part, shape, real):
    mask = np.ones(shape, np.float32)
    names = which(filter_passes(mask=mask, part=part))
    assert ("loadPixels" not in names) == real


def test_a_hook_that_changes_vectors():
    text = hook_text(Hooks(store=Snippet("value *= 2;", vector="value *= 2;")), ("cplx", "cplx"))
    assert "static inline cplx store_hook(cplx value, ulong index)" in text
    vectors = text.split("#if VECTOR_STORES\n")[1]
    assert vectors.startswith(
        "static inline target_vector store_vector_hook(target_vector value, ulong index)\n"
    )
    assert "#define STORE_VECTOR_HOOK(v, index) store_vector_hook(v, index)\n#endif" in vectors
    assert "#define STORE_REPLACED 0\n#define STORE_VECTORS 1" in text


def test_first_pass_reads_and_last_one_writes():
    first, *_, last = plan_passes(hooked((8, 16)), H200)
    assert Role.SOURCE in first.arguments.values()
    assert Role.TARGET in last.arguments.values()


# What dctHook.cl defines for dctParts.cl alone.
UNDEFINED_AGAIN = {"LOAD_FROM", "STORE_TO", "HOOK_PARAMETERS", "HOOK_ARGUMENTS"}


def names_of(text):
    """The macros and the functions of a text."""
    macros = re.findall(r"#(?:ifndef|define) (\w+)", text)
    return {*macros, *re.findall(r"^static [\w *]*?(\w+)\(", text, re.MULTILINE)}


def test_macros_and_functions_of_a_hook_are_no_kernels():
    """Text that hooks include has names of its own, or it would change what a kernel does."""
    own = names_of(source_text("prelude.cl"))
    texts = (
        "dctHook.cl", "gain.cl", "image/planes.cl", "image/spectrum.cl", "image/volume.cl",
        "image/volumeGains.cl", "audio/frames.cl", "audio/magnitudes.cl",
    )  # fmt: skip
    for text in texts:
        hooks = names_of(source_text(text)) - own - UNDEFINED_AGAIN
        assert hooks
        for name in KERNELS_WITH_HOOKS:
            known = names_of(source_text(name)) - names_of(source_text("dctParts.cl"))
            assert not hooks & known, (text, name)
