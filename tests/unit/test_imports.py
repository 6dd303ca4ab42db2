"""Imports point one way: no module imports a layer above its own (docs/developer/design.md)."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import pyclfft

PACKAGE = Path(pyclfft.__path__[0])

# From the ground up. A module stands in the layer of its longest prefix here.
LAYERS = (
    (
        "pyclfft.errors",
        "pyclfft.files",
        "pyclfft.advice",
        "pyclfft.progress",
        "pyclfft.figures",
        "pyclfft.overlap",
    ),
    ("pyclfft.planning",),
    ("pyclfft.runtime",),
    ("pyclfft.transforms",),
    ("pyclfft.image", "pyclfft.audio", "pyclfft.convolution"),
    ("pyclfft.distributed",),
    ("pyclfft.tuning",),
    (
        "pyclfft.caches",
        "pyclfft.selftest_cases",
        "pyclfft.selftest_random",
        "pyclfft.report",
        "pyclfft.backend",
        "pyclfft.array_api_fft",
    ),
    ("pyclfft",),  # the interface itself
    ("pyclfft.commandline", "pyclfft.streams", "pyclfft.folders"),
    ("pyclfft.bench",),
    ("pyclfft.lab",),
    (
        "pyclfft.info",
        "pyclfft.selftest",
        "pyclfft.selftest_memory",
        "pyclfft.selftest_stress",
        "pyclfft.selftest_tally",
        "pyclfft.completion",
        "pyclfft.filter",
        "pyclfft.spectrogram",
        "pyclfft.spectrum",
        "pyclfft.convolve",
        "pyclfft.denoise",
        "pyclfft.dft",
        "pyclfft.__main__",
        "pyclfft.tuning.command",
    ),
)
# Imports within functions: whoever asks a plan to measure gets the tuner loaded; and the values of
# the parameter "algorithm" are the names of the solvers, which take parameters.
EXCEPTIONS = {
    ("pyclfft.runtime.plan", "pyclfft.tuning.tuner"),
    ("pyclfft.planning.parameters", "pyclfft.planning.solvers"),
}
HEIGHT = {name: height for height, layer in enumerate(LAYERS) for name in layer}
PLANNING = HEIGHT["pyclfft.planning"]

FILES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


def height(module):
    """Number of the module's layer. A new module directly in pyclfft needs a row of its own."""
    parts = module.split(".")
    prefixes = (".".join(parts[:end]) for end in range(len(parts), 1, -1))
    known = next((prefix for prefix in prefixes if prefix in HEIGHT), None)
    assert known or module == "pyclfft", f"{module} has no layer yet: give it one in LAYERS"
    return HEIGHT[known or module]


def imports(module):
    """Names of all modules that a module imports, at its top or anywhere within."""
    path = FILES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join((parents if node.level else []) + [node.module or ""]).strip(".")
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield inner if inner in FILES else base


def test_finds_every_form_of_import(tmp_path, monkeypatch):
    path = tmp_path / "x.py"
    path.write_text(
        "import a.b\nfrom c import d\nfrom . import errors\nfrom .runtime import plan, nothing\n"
        "def f():\n    from .runtime.plan import Plan\n    from .. import other\n"
    )
    monkeypatch.setitem(FILES, "pyclfft.x", path)
    assert list(imports("pyclfft.x")) == [
        "a.b", "c", "pyclfft.errors", "pyclfft.runtime.plan", "pyclfft.runtime",
        "pyclfft.runtime.plan", "",
    ]  # fmt: skip


@pytest.mark.parametrize("module", FILES)
def test_imports_nothing_above(module):
    own = [name for name in imports(module) if name.split(".")[0] == "pyclfft"]
    above = [
        name for name in own if height(name) > height(module) and (module, name) not in EXCEPTIONS
    ]
    assert not above, f"{module} imports {above} from above its own layer"


def test_nothing_imports_in_a_circle():
    """Not even by imports within functions, but for the exceptions."""
    graph = {
        module: {name for name in imports(module) if name in FILES and name != "pyclfft"}
        - {above for below, above in EXCEPTIONS if below == module}
        - {module}
        for module in FILES
        if module != "pyclfft"
    }
    while leaves := {module for module, names in graph.items() if not names & set(graph)}:
        graph = {module: graph[module] for module in graph.keys() - leaves}
    assert not graph


@pytest.mark.parametrize("module", [name for name in FILES if height(name) <= PLANNING])
def test_planning_has_no_opencl(module):
    assert not [name for name in imports(module) if name.split(".")[0] == "pyopencl"]


def test_planning_runs_without_opencl():
    """Its modules are imported and used in a process that cannot import pyopencl."""
    pure = [name for name in FILES if height(name) <= PLANNING and name != "pyclfft"]
    code = f"""
import importlib, sys, types
sys.modules["pyopencl"] = None
package = types.ModuleType("pyclfft")  # instead of its __init__, which imports everything
package.__path__ = [{str(PACKAGE)!r}]
sys.modules["pyclfft"] = package
for name in {pure!r}:
    importlib.import_module(name)
from pyclfft.planning.planner import plan_passes
from pyclfft.planning.problem import make_problem
from pyclfft.planning.traits import Traits
traits = Traits("any", False, 1, 64, (64, 64, 64), 32768, 2**30, 2**28)
print(len(plan_passes(make_problem((12, 8), "f4"), traits)))
print([name for name in sys.modules if name.startswith("pyclfft.runtime")])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    passes, runtime = run.stdout.splitlines()
    assert int(passes) > 1
    assert runtime == "[]"


def test_the_drawing_of_the_packages_is_what_the_imports_say(monkeypatch):
    monkeypatch.syspath_prepend(PACKAGE.parent / "docs")
    drawn = importlib.import_module("make_packages")
    drawn.main(["--check"])
    monkeypatch.setattr(drawn, "graph", lambda: {"a": {"b"}, "b": set()})
    with pytest.raises(SystemExit, match="not what the imports say"):
        drawn.main(["--check"])
    monkeypatch.setattr(drawn, "graph", lambda: {"a": {"b"}, "b": {"a"}})
    with pytest.raises(SystemExit, match="in a circle: a, b"):
        drawn.main(["--check"])
