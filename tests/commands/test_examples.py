"""What the documentation shows is true: samples, snippets and docstrings run as they stand."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import inspect
import io
import pkgutil
import re
import runpy
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import pyclfft
from pyclfft.runtime import describe, runtimes
from pyclfft.runtime.program import kernel_files

ROOT = Path(__file__).resolve().parents[2]
SAMPLES, DOCS = ROOT / "samples", ROOT / "docs"
PACKAGE = Path(pyclfft.__path__[0])

# Sample -> a line that it has to print.
EXPECTED = {
    "filter_image.py": r"smooth: mean 110\.2, standard deviation 4\d\.\d, in .*scene_smooth\.png",
    "remove_stripes.py": r"clean: mean error 2\.\d of 255, in .*scene_clean\.png",
    "filter_stack.py": r"error: 34\.9 before, 11\.\d slice by slice, 9\.\d as a volume",
    "find_stripes.py": r"stripes 10\.0\d pixels apart, in direction 143 degrees",
    "transform.py": r"loudest: \[440, 1000\] Hz",
    "device_arrays.py": r"two queues agree: True",
    "denoise_sound.py": r"noise: 10\.0 dB before, 20\.\d dB after",
    "sure_notes.py": r"drums: 0 notes; 22 doubtful ones, up to 0\.22",
    "choose_device.py": r"    first call .* ms, relative error \d\.\de-0[78]",
}

# A block of Python, and the block of text that follows it directly: what it prints.
SNIPPET = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```$)?", re.DOTALL | re.MULTILINE
)
# Snippets that import these run where they are installed.
OPTIONAL = ("cupy", "dask", "distributed", "mpi4py", "torch", "xarray")
PAGES = [
    page.relative_to(ROOT).as_posix()
    for page in (ROOT / "README.md", *sorted(DOCS.rglob("*.md")))
    if SNIPPET.search(page.read_text(encoding="utf-8"))
]
MODULES = [
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(PACKAGE.rglob("*.py"))
    if re.search(r"^ *>>> ", path.read_text(encoding="utf-8"), re.MULTILINE)
]

ORDER = (
    "Parameters", "Returns", "Yields", "Warns", "Raises", "See Also", "Notes", "References",
    "Examples",
)  # fmt: skip
FUNCTIONS = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in (pyclfft, pyclfft.array_api_fft)
    for name in module.__all__
    if callable(getattr(module, name)) and not inspect.isclass(getattr(module, name))
}


def listed():
    """Return the module of each name that a page of the reference lists, by its full name."""
    modules = {}
    for page in sorted((DOCS / "reference").glob("*.md")):
        module, text = "", page.read_text(encoding="utf-8")
        blocks = re.findall(r"^```\{eval-rst\}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        for line in "".join(blocks).splitlines():
            if chosen := re.fullmatch(r"\.\. currentmodule:: (\S+)", line):
                module = chosen[1]
            elif whole := re.fullmatch(r"\.\. automodule:: (\S+)", line):
                names = importlib.import_module(whole[1]).__all__
                modules |= {f"{whole[1]}.{name}": whole[1] for name in names}
            elif name := re.fullmatch(r" {3}(\w[\w.]*)", line):
                modules[f"{module}.{name[1]}"] = module
    return modules


LISTED = listed()
RAISE_NOTHING = ("pyclfft.cache_info", "pyclfft.devices", "pyclfft.get_workers")


@pytest.fixture
def default_device():
    """The device that examples run on; they use double precision as NumPy does."""
    found = pyclfft.default_device()
    if not describe.traits(found).fp64:
        pytest.skip(f"{found.name} has no double precision")
    yield found
    pyclfft.use_device(None)


# --- samples --------------------------------------------------------------------------------------


def test_every_sample_is_run():
    assert {path.name for path in SAMPLES.glob("*.py")} == {
        *EXPECTED, "make_images.py", "make_noises.py", "make_rooms.py", "make_sines.py",
        "make_sound.py", "score_denoising.py", "score_notes.py", "synth.py",
    }  # fmt: skip


@pytest.mark.parametrize("name", EXPECTED)
def test_sample(name, tmp_path):
    script = SAMPLES / name
    assert len(script.read_text(encoding="utf-8").splitlines()) < 40
    run = subprocess.run(
        [sys.executable, script], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr
    assert re.search(f"^{EXPECTED[name]}$", run.stdout, re.MULTILINE), run.stdout
    assert "False" not in run.stdout


@pytest.mark.full
def test_notebook(tmp_path):
    """Every cell runs, beside a copy of the samples; plans and devices are shown as tables."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    shutil.copytree(SAMPLES, tmp_path / "samples")
    notebook = nbformat.read(SAMPLES / "tour.ipynb", nbformat.NO_CONVERT)
    folder = {"metadata": {"path": str(tmp_path / "samples")}}
    nbclient.NotebookClient(notebook, timeout=600, resources=folder).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    shown = [output.get("data", {}) for output in outputs]
    assert sum("<table" in each.get("text/html", "") for each in shown) == 2
    assert sum("image/png" in each for each in shown) == 2
    assert "stripes every 7.7 pixels" in "".join(output.get("text", "") for output in outputs)


def test_sample_writes_where_it_is_told(tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    command = [sys.executable, SAMPLES / "filter_image.py", folder]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=300)
    assert {path.name for path in folder.iterdir()} == {"scene_smooth.png", "scene_detail.png"}
    assert list(tmp_path.iterdir()) == [folder]


def test_sample_takes_a_device(tmp_path):
    """The last device of all, by its index; the sample marks and names it."""
    groups = runtimes.listing()
    usable = {
        f"{p}:{d}": device
        for p, (_, members) in enumerate(groups)
        for d, device in enumerate(members)
        if not runtimes.defect(device)
    }
    spec, device = list(usable.items())[-1]
    command = [sys.executable, SAMPLES / "choose_device.py", spec]
    run = subprocess.run(
        command, cwd=tmp_path, check=True, capture_output=True, text=True, timeout=300
    )
    assert run.stdout.splitlines()[-1].endswith(f"run on {device.name.strip()}")


# --- snippets -------------------------------------------------------------------------------------


def test_the_tutorial_has_snippets():
    assert "docs/start/photograph.md" in PAGES


def has_cpu():
    return any(describe.traits(each).is_cpu for each in pyclfft.devices())


@pytest.mark.parametrize("page", PAGES)
def test_snippets(page, tmp_path, monkeypatch, default_device):
    """All blocks of a page run one after the other, beside a copy of the sample images."""
    shutil.copytree(SAMPLES, tmp_path / "samples")
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    snippets = list(SNIPPET.finditer((ROOT / page).read_text(encoding="utf-8")))
    for snippet in snippets:
        printed = io.StringIO()
        wanted = re.findall(r"^(?:import|from) (\w+)", snippet["code"], re.MULTILINE)
        absent = [name for name in wanted if name in OPTIONAL and not find_spec(name)]
        if absent and snippet is snippets[0]:
            pytest.skip(f"the page is about {absent[0]}, which is not installed")
        if absent:
            continue
        if 'use_device("cpu")' in snippet["code"] and not has_cpu():
            pytest.skip("the rest of the page uses a CPU, and there is no CPU device")
        with contextlib.redirect_stdout(printed):
            exec(compile(snippet["code"], page, "exec"), names)
        if snippet["output"] is not None:
            assert printed.getvalue() == snippet["output"], snippet["code"]


# --- docstrings -----------------------------------------------------------------------------------


def sections_of(docstring):
    """Return the sections of a numpydoc docstring in order, with their text."""
    parts = re.split(
        r"^([A-Z][A-Za-z ]+)\n-{3,}\n", inspect.cleandoc(docstring), flags=re.MULTILINE
    )
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def names_in(section):
    """Return the names that a section's entries begin with, such as those of parameters."""
    entries = re.findall(r"^([*\w].*?)(?: :.*)?$", section, re.MULTILINE)
    return [name.lstrip("*") for entry in entries for name in entry.split(", ")]


def test_public_functions_are_found():
    assert len(FUNCTIONS) > 70
    assert {"pyclfft.fft2", "pyclfft.stft", "pyclfft.array_api_fft.rfft"} <= set(FUNCTIONS)
    assert set(RAISE_NOTHING) <= set(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_functions_are_documented(name):
    function = FUNCTIONS[name]
    signature = inspect.signature(function)
    sections = sections_of(function.__doc__ or "")
    wanted = {
        "Parameters": bool(signature.parameters),
        "Returns": signature.return_annotation not in (None, "None"),
        "Raises": name not in RAISE_NOTHING,
        "Examples": True,
    }
    assert [each for each in wanted if wanted[each] and not sections.get(each, "").strip()] == []
    assert [each for each in ORDER if each in sections] == list(sections)
    assert sorted(names_in(sections.get("Parameters", ""))) == sorted(signature.parameters)
    assert ">>> " in sections["Examples"]
    assert function.__module__ in MODULES  # whose examples are run


def found(name):
    """Return what a page of the reference lists under this full name."""
    module = LISTED[name]
    if module == "pyclfft.distributed.workers":
        pytest.importorskip("distributed")
    return pkgutil.resolve_name(f"{module}:{name.removeprefix(f'{module}.')}")


def has_page(name):
    """Whether a page of the reference describes this full name: what is listed, or its method."""
    owner, _, member = name.rpartition(".")
    return name in LISTED or (owner in LISTED and hasattr(found(owner), member))


def test_listed_names_are_found():
    expected = {
        "pyclfft.Plan", "pyclfft.runtime.profile.PassTime", "pyclfft.BuildError",
        "pyclfft.distributed.fftn", "pyclfft.distributed.scale.Run", "pyclfft.array_api_fft.fft",
        "pyclfft.image.peaks.find_peaks", "pyclfft.image.imagefile.ImageFile",
    }  # fmt: skip
    assert expected | set(FUNCTIONS) <= set(LISTED)
    assert has_page("pyclfft.Plan.profile")
    assert not has_page("pyclfft.Plan.nothing")
    assert not has_page("pyclfft.nothing")


@pytest.mark.parametrize("name", LISTED)
def test_listed_names_say_what_else_to_see(name):
    """The section is where numpydoc has it, and each of its entries links to another page."""
    sections = sections_of(found(name).__doc__ or "")
    assert sections.get("See Also", "").strip()
    last = [each for each in ORDER[ORDER.index("See Also") :] if each in sections]
    assert list(sections)[-len(last) :] == last
    entries = sections["See Also"].strip().splitlines()
    assert [each for each in entries if not re.fullmatch(r"[\w.]+ : [A-Z].*\.", each)] == []
    targets = [each.partition(" : ")[0] for each in entries]
    assert len(set(targets)) == len(targets)
    space, _, own = name.rpartition(".")
    assert not {name, own} & set(targets)
    missing = [each for each in targets if not has_page(each) and not has_page(f"{space}.{each}")]
    assert missing == []


def test_public_docstrings_have_examples():
    expected = ("transforms.fourier", "transforms.trigonometric", "runtime.plan", "image.filtering")
    assert {f"pyclfft.{name}" for name in expected} <= set(MODULES)


@pytest.mark.parametrize("module", MODULES)
def test_docstrings(module, default_device):
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted
    assert not result.failed


# --- pages that follow the code -------------------------------------------------------------------


def below(heading, text):
    """What stands below the heading that begins so, down to the next one of its level."""
    _, found, rest = text.partition(f"\n{heading}")
    assert found, f"no heading begins with {heading}"
    return rest.partition(f"\n{heading.split()[0]} ")[0]


@pytest.mark.parametrize("file", kernel_files())
def test_kernels_page_knows_every_kernel_and_macro(file):
    text = kernel_files()[file].read_text(encoding="utf-8")
    page = (DOCS / "developer/kernels.md").read_text(encoding="utf-8")
    folder, _, name = f"cl/{file}".rpartition("/")
    section = below(f"### {name}", below(f"## {folder}/: ", page))
    kernels = re.findall(r"^kernel\b[^;{]*?\bvoid\s+(\w+)\s*\(", text, re.MULTILINE)
    macros = re.findall(r"^#ifndef (\w+)$", text, re.MULTILINE)
    missing = [name for name in (*kernels, *macros) if f"`{name}`" not in section]
    assert not missing


# From the imports by make_packages.py (test_imports.py compares it); in Chromium by make_lab.py.
DRAWN = {"packages.svg", "lab.png", "lab_sound.png"}


def test_every_picture_is_made_and_shown():
    makers = runpy.run_path(str(DOCS / "make_pictures.py"))["PICTURES"]
    shown = set()
    for page in DOCS.rglob("*.md"):
        shown |= set(re.findall(r"pictures/([\w.]+)\)", page.read_text(encoding="utf-8")))
    stored = {path.name: path.stat().st_size for path in (DOCS / "pictures").iterdir()}
    assert set(stored) == {*makers, *DRAWN} == shown
    assert max(stored.values()) < 400_000


@pytest.mark.full
def test_pictures_can_be_made_again(tmp_path):
    command = [sys.executable, DOCS / "make_pictures.py", "--output", tmp_path]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    stored = {path.name for path in (DOCS / "pictures").iterdir()}
    assert {path.name for path in tmp_path.iterdir()} == stored - DRAWN
