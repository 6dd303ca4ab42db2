"""Commands that have the name of a function: `pyclfft.NAME` is the function whatever is imported.

Each way to import or to run a command is gone in a process of its own, as a user would go it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

import pyclfft
from tests.pairwise import one_in

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Case:
    """A command's module.

    Attributes
    ----------
    home : str
        The module that defines the function.
    call : str
        Python that calls the function `f`, of which `np` is NumPy.
    files : list of str
        The arguments of the command, files that do not exist.
    """

    home: str
    call: str
    files: list[str]


MODULES = {
    "convolve": Case("pyclfft.convolution.functions", "f([1, 2, 3], [1, 1])", ["no.dry", "no.ir"]),
    "denoise": Case("pyclfft.audio.denoising", "f(np.ones(4096, 'f4'), sr=8000)", ["no.file"]),
    "dft": Case("pyclfft.distributed.direct", "f([1.0, 2.0, 0.0])", ["no.csv"]),
    "spectrum": Case("pyclfft.image.spectrum", "f(np.eye(8, dtype='f4')).magnitude", ["no.file"]),
    "spectrogram": Case("pyclfft.audio.stft", "f(np.ones(64, 'f4'), n_fft=16)", ["no.file"]),
}

# What runs before `pyclfft.NAME` is used. The command fails early, for want of a file.
WAYS = {
    "nothing": "",
    "import": "import pyclfft.{name}",
    "from": "from pyclfft import {name}",
    "as": "import pyclfft.{name} as command; command.parser()",
    "main": "import pyclfft.{name}; [pyclfft.{name}.main({files}) for _ in range(2)]",
    "from it": "from pyclfft.{name} import main; main({files})",
    "pyclfft NAME": "from pyclfft.__main__ import main; main(['{name}', *{files}])",
    "runpy": "runpy.run_module('pyclfft.{name}')['main']({files})",
    "python -m": """
sys.argv[1:] = {files}
try:
    runpy.run_module("pyclfft.{name}", run_name="__main__")
except SystemExit as end:
    assert end.code == 2
assert type(sys.modules["__main__"]) is type(sys)  # the program's own is left alone
""",
}
CHECK = """
import copy, importlib, inspect, pickle, pydoc, runpy, sys
import numpy as np
import pyclfft
{way}
from pyclfft import {name} as imported
f = pyclfft.{name}
function = importlib.import_module("{home}").{name}
assert imported is f and callable(f)
expected = {call}
for f in (pyclfft.{name}, copy.copy(f), copy.deepcopy(f), pickle.loads(pickle.dumps(f))):
    np.testing.assert_array_equal({call}, expected)
    assert inspect.signature(f) == inspect.signature(function)
    assert f.__doc__ == function.__doc__
    said = pydoc.plain(pydoc.render_doc(f))
    first = str(inspect.signature(function)).split(",")[0]
    assert said.count("{name}" + first) == 1, said
    assert function.__doc__.split(chr(10))[0] in said
assert copy.copy(f) is function
print("pickle", pickle.dumps(pyclfft.{name}).hex())
"""


def python(code):
    """Run Python; return what it prints."""
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_all_are_in_the_table():
    """A command with the name of a function is a module of the package and a public name."""
    commands = {path.stem for path in (ROOT / "pyclfft").glob("*.py")}
    assert commands & set(pyclfft.__all__) == set(MODULES) | {"array_api_fft"}


# 4 and the number of ways have no common factor: the quick tier meets every module and every way.
@pytest.mark.parametrize(("name", "way"), one_in(4, product(MODULES, WAYS)))
def test_the_function_is_there(name, way):
    case = MODULES[name]
    given = {"name": name, "home": case.home, "call": case.call, "files": case.files}
    printed = python(CHECK.format(way=WAYS[way].format(**given), **given))
    # A fresh process finds the function in a pickle, and imports no command for that.
    data = printed.rpartition("pickle ")[2].strip()
    fresh = f"import pickle, sys; f = pickle.loads(bytes.fromhex({data!r})); "
    said = python(f"{fresh}print(f.__module__, 'pyclfft.{name}' in sys.modules)")
    assert said.split() == [case.home, "False"]
