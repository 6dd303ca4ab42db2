"""What AMD's compiler makes of the kernels of plans, found out without an AMD GPU.

    python -m pyclfft.bench.amd [--page docs/developer/amd.md]

Debian's clang-15 compiles OpenCL C to AMD's code and reports registers. Plans are made for the
traits of each chip, and their kernels are compiled with the macros that the plans have chosen.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass, replace
from itertools import product
from pathlib import Path

from ..errors import BuildError
from ..planning.passes import Pass
from ..planning.planner import plan_passes
from ..planning.problem import make_problem
from ..planning.traits import Traits
from ..runtime.program import source_text
from .render import Table

COMPILER = "clang-15"
GIB = 2**30
INSTINCT = Traits(
    name="gfx90a",
    is_cpu=False,
    compute_units=104,
    max_work_group_size=256,
    max_work_item_sizes=(1024, 1024, 1024),
    local_mem_bytes=65536,
    global_mem_bytes=64 * GIB,
    max_alloc_bytes=54 * GIB,
    lanes=64,
    fp16=True,
)
CHIPS = {
    "gfx90a": INSTINCT,  # MI200, with wavefronts of 64
    "gfx1030": replace(  # RX 6800, with wavefronts of 32
        INSTINCT,
        name="gfx1030",
        compute_units=60,
        global_mem_bytes=16 * GIB,
        max_alloc_bytes=13 * GIB,
        lanes=32,
    ),
}

# What AMD's own library has for these. A call of an unknown function would cost registers.
BUILT_IN = """
#define OWN __attribute__((overloadable, always_inline))
size_t OWN __attribute__((const)) get_local_id(uint d) { return __builtin_amdgcn_workitem_id_x(); }
size_t OWN __attribute__((const)) get_group_id(uint d) { return __builtin_amdgcn_workgroup_id_x(); }
size_t OWN __attribute__((const)) get_num_groups(uint d)
{
    return __builtin_amdgcn_grid_size_x() / (uint)__builtin_amdgcn_workgroup_size_x();
}
size_t OWN __attribute__((const)) get_global_id(uint d)
{
    return get_group_id(d) * (uint)__builtin_amdgcn_workgroup_size_x() + get_local_id(d);
}
void OWN barrier(cl_mem_fence_flags flags)
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
"""

FLAGS = (
    "-x", "cl", "-cl-std=CL1.2", "-target", "amdgcn-amd-amdhsa", "-Xclang",
    "-finclude-default-header", "-nogpulib", "-Wall", "-O3", "-S", "-o", "-",
)  # fmt: skip


# --- one kernel -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Usage:
    """What a kernel takes of an AMD GPU, by the compiler's report.

    Attributes
    ----------
    registers : int
        The vector registers of each work-item.
    spilled : int
        How many of its registers the compiler has moved to memory.
    private_bytes : int
        The memory of each work-item: spilled registers, and arrays that are not in registers.
    local_bytes : int
        The local memory of each work-group.
    """

    registers: int
    spilled: int
    private_bytes: int
    local_bytes: int


# The fields of Usage in the metadata of the compiler's assembly.
FIELDS = {
    "registers": "vgpr_count",
    "spilled": "vgpr_spill_count",
    "private_bytes": "private_segment_fixed_size",
    "local_bytes": "group_segment_fixed_size",
}


def compile_for(chip: str, *arguments: str, text: str = "") -> tuple[str, dict[str, Usage]]:
    """Compile OpenCL C for an AMD GPU.

    Parameters
    ----------
    chip : str
        The GPU's architecture, for example ``"gfx90a"``.
    *arguments : str
        The file's name, or ``"-"`` for `text`, and further options of clang.
    text : str
        OpenCL C.

    Returns
    -------
    str
        The compiler's warnings.
    dict of str to Usage
        What each kernel takes, by the kernel's name.

    Raises
    ------
    BuildError
        The text does not compile, or there is no compiler.
    """
    compiler = shutil.which(COMPILER)
    if compiler is None:
        raise BuildError(f"{COMPILER} is not installed: apt install {COMPILER}")
    command = [compiler, f"-mcpu={chip}", *FLAGS, *arguments]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(f"{COMPILER} cannot compile for {chip}:\n{done.stderr}", log=done.stderr)
    return done.stderr, _usages(done.stdout)


def _usages(assembly: str) -> dict[str, Usage]:
    names = re.findall(r"^ +\.name: +(\w+)$", assembly, re.MULTILINE)
    columns = [
        map(int, re.findall(rf"^ +\.{field}: +(\d+)$", assembly, re.MULTILINE))
        for field in FIELDS.values()
    ]
    rows = zip(*columns, strict=True)
    return {
        name: Usage(**dict(zip(FIELDS, row, strict=True)))
        for name, row in zip(names, rows, strict=True)
    }


def compile_pass(each: Pass, chip: str) -> tuple[str, Usage]:
    """Compile the kernel of a pass with the pass's macros; return the warnings and its usage."""
    text = BUILT_IN + source_text(each.source, each.hooks, each.defines)
    # The text holds whole included files, of whose functions no kernel needs all.
    messages, usages = compile_for(chip, "-Wno-unused-function", "-", text=text)
    return messages, usages[each.kernel]


# --- the table ------------------------------------------------------------------------------------

ROWS = 64
LENGTHS = {
    "c2c": (8, 60, 1000, 1024, 4096, 8192, 17, 1009, 10007, 2**16, 2**20),
    "r2c": (8, 60, 1000, 1024, 8192, 1009, 2**16),
    "c2r": (8, 60, 1000, 1024, 8192, 1009, 2**16),
}
DTYPES = {
    "c2c": ("complex64", "complex128"),
    "r2c": ("float32", "float64"),
    "c2r": ("complex64", "complex128"),
}
PRECISIONS = ("single", "double")


@dataclass(frozen=True)
class Case:
    """A kernel of a plan for one chip: the transform that was planned, the chip, and the pass."""

    transform: str
    chip: str
    planned: Pass

    def cells(self) -> list[str]:
        """Return the first cells of its row in the table."""
        return [self.transform, self.chip, self.planned.kernel, self.planned.step]


def cases() -> Iterator[Case]:
    """Yield every kernel of the plans of the table, a kernel of several plans only once."""
    seen = set()
    for chip, kind in product(CHIPS, LENGTHS):
        for (precision, dtype), n in product(
            zip(PRECISIONS, DTYPES[kind], strict=True), LENGTHS[kind]
        ):
            direction = "inverse" if kind == "c2r" else "forward"
            problem = make_problem((ROWS, n), dtype, 1, kind, direction)
            for each in plan_passes(problem, CHIPS[chip]):
                key = chip, each.kernel, each.defines
                if key not in seen:
                    seen.add(key)
                    yield Case(f"{kind} {precision} {n}", chip, each)


def table(found: Iterable[Case]) -> Table:
    """Compile kernels, as many at a time as there are cores, and return a row for each."""
    found = list(found)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        usages = pool.map(lambda each: compile_pass(each.planned, each.chip)[1], found)
        rows = [
            [*each.cells(), *map(str, astuple(usage))]
            for each, usage in zip(found, usages, strict=True)
        ]
    headings = ("chip", "kernel", "step", "registers", "spilled", "private bytes", "local bytes")
    return Table(["transform", *headings], rows)


# --- the command ----------------------------------------------------------------------------------

BLOCK = re.compile(r"(<!-- python -m pyclfft\.bench\.amd -->\n).*?(<!-- end -->)", re.DOTALL)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or put it into a page."""
    parser = argparse.ArgumentParser(prog="python -m pyclfft.bench.amd", description=__doc__)
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help="put the table between the page's marked lines"
    )
    options = parser.parse_args(arguments)
    try:
        made = table(cases())
        if options.page is None:
            print(made.text())
            return
        before = options.page.read_text(encoding="utf-8")
        if not BLOCK.search(before):
            parser.error(f"{options.page} has no line <!-- python -m pyclfft.bench.amd -->")
        after = BLOCK.sub(lambda match: f"{match[1]}\n{made.markdown()}\n\n{match[2]}", before)
        options.page.write_text(after, encoding="utf-8")
    except (BuildError, OSError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
