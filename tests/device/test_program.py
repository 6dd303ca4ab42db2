"""The program cache: in memory, on the disk, between processes, and what a failed build says."""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest

import pyclfft
from pyclfft.errors import BuildError
from pyclfft.runtime import cache, describe, wisdom
from pyclfft.runtime import program as program_module
from pyclfft.runtime.program import (
    kernel_files,
    kernel_folder,
    program,
    source_text,
)

ROOT = Path(pyclfft.__path__[0]).parent
NORM = (("DOUBLE", "0"),)  # the smallest file there is


@pytest.fixture
def context(queue):
    return queue.context


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of stored programs, empty, with nothing in memory either.

    pyclfft stores the programs of every runtime there, even of one that keeps them itself.
    """
    monkeypatch.setattr(program_module, "keeps_programs", lambda device: False)
    monkeypatch.setenv("PYCLFFT_CACHE_DIR", str(tmp_path / "cache"))
    pyclfft.clear_cache()
    yield tmp_path / "cache" / "programs"
    pyclfft.clear_cache()


@pytest.fixture
def compiled(monkeypatch):
    """What has been compiled from source; programs made of stored binaries do not count."""
    sources = []

    class Watched(cl._Program):
        def __init__(self, context, *of):
            super().__init__(context, *of)
            if isinstance(of[0], str):
                sources.append(of[0])

    monkeypatch.setattr(cl, "_Program", Watched)
    return sources


@pytest.fixture
def kernels(tmp_path, monkeypatch, folder):
    """A copy of the kernels, to be damaged."""
    copy = Path(shutil.copytree(kernel_folder(), tmp_path / "cl"))
    monkeypatch.setattr(program_module, "kernel_folder", lambda: copy)
    program_module.file_pieces.cache_clear()
    yield copy
    program_module.file_pieces.cache_clear()


def works(built):
    return cl.Kernel(built, "norm").num_args == 3


# --- in memory ------------------------------------------------------------------------------------


def test_in_memory(context, folder, compiled):
    first = program(context, "textbook/norm.cl", NORM)
    assert program(context, "textbook/norm.cl", NORM) is first
    assert program(context, "textbook/norm.cl", (*NORM, ("UNUSED", "1"))) is not first
    assert len(compiled) == 2
    assert pyclfft.cache_info().programs[:2] == (1, 2)  # hits, misses


def test_threads_wait_for_one_build(context, folder, compiled):
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: program(context, "textbook/norm.cl", NORM), range(16)))
    assert len(compiled) == 1
    assert all(each is found[0] for each in found)


def test_a_failed_build_is_not_kept(context, kernels, compiled):
    good = (kernels / "textbook/norm.cl").read_text()
    (kernels / "textbook/norm.cl").write_text(good.replace("scale)", "scale))"))
    counts = []
    for _ in range(2):
        with pytest.raises(BuildError):
            program(context, "textbook/norm.cl", NORM)
        counts.append(len(compiled))
    assert 0 < 2 * counts[0] == counts[1]  # a build without PoCL's header and one with it are two
    (kernels / "textbook/norm.cl").write_text(good)
    program_module.file_pieces.cache_clear()
    assert works(program(context, "textbook/norm.cl", NORM))


@pytest.mark.parametrize("value", ["FIRST(1, 2) FIRST(, 3)", "FIRST(,)", ""])
def test_a_macro_may_have_any_words(queue, kernels, value):
    """Spaces, commas and brackets reach the kernel on every runtime, as one value."""
    (kernels / "words.cl").write_text(
        '#include "prelude.cl"\n#define TEXT(...) #__VA_ARGS__\n'
        "#define QUOTED(...) TEXT(__VA_ARGS__)\n"
        "kernel void measure(global uint *x) { x[0] = sizeof(QUOTED(WORDS)) - 1; }\n"
    )
    built = program(queue.context, "words.cl", (("WORDS", value),))
    count = cl_array.zeros(queue, 1, np.uint32)
    cl.Kernel(built, "measure")(queue, (1,), None, count.data)
    assert count.get()[0] == len(value)


# --- on the disk ----------------------------------------------------------------------------------


def stored(folder):
    (path,) = folder.iterdir()
    return path


def again(context):
    """The program as a new process would get it."""
    cache.clear("programs")
    return program(context, "textbook/norm.cl", NORM)


def test_nothing_is_stored_where_the_runtime_keeps_programs(context, folder, monkeypatch):
    monkeypatch.setattr(program_module, "keeps_programs", lambda device: True)
    for _ in range(2):
        again(context)
    assert not folder.exists()


def test_on_disk(context, folder, compiled):
    program(context, "textbook/norm.cl", NORM)
    path = stored(folder)
    os.utime(path, (1, 1))
    assert works(again(context))
    assert len(compiled) == 1
    assert path.stat().st_mtime > 1  # used: the last one to go


@pytest.mark.parametrize("change", ["macro", "source", "include", "driver"])
def test_whatever_makes_another_program_has_another_file(
    context, kernels, folder, compiled, change, monkeypatch
):
    program(context, "textbook/norm.cl", NORM)
    macros = NORM
    if change == "macro":
        macros = (*NORM, ("UNUSED", "1"))
    elif change == "driver":
        monkeypatch.setattr(cl.Device, "driver_version", "another one")
    else:
        path = kernels / {"source": "textbook/norm.cl", "include": "prelude.cl"}[change]
        path.write_text(path.read_text() + "/* changed */\n")
        program_module.file_pieces.cache_clear()
    cache.clear("programs")
    program(context, "textbook/norm.cl", macros)
    assert len(compiled) == 2
    assert len(list(folder.iterdir())) == 2


def with_hash_of(binary):
    return program_module.MAGIC + program_module.hashlib.sha256(binary).digest() + binary


DAMAGES = {
    "empty": lambda data: b"",
    "cut within its header": lambda data: data[:20],
    "cut within the program": lambda data: data[:-1],
    "longer": lambda data: data + b"\0",
    "one bit": lambda data: data[:-1] + bytes([data[-1] ^ 1]),
    "another version": lambda data: data.replace(b"program 1", b"program 0", 1),
    "garbage": lambda data: os.urandom(len(data)),
    "nothing behind its header": lambda data: with_hash_of(b""),
    "no program for this device": lambda data: with_hash_of(b"\x7fELF but nothing more" * 20),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_built_again(context, folder, compiled, damage):
    program(context, "textbook/norm.cl", NORM)
    path = stored(folder)
    sound = path.read_bytes()
    path.write_bytes(DAMAGES[damage](sound))
    assert works(again(context))
    assert len(compiled) == 2
    assert works(again(context))  # and stored once more
    assert len(compiled) == 2


def refuse(*args, **kwargs):
    raise PermissionError("only for reading")


def test_folder_that_cannot_be_made(context, tmp_path, monkeypatch, folder, compiled):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("PYCLFFT_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert works(program(context, "textbook/norm.cl", NORM))
    assert works(again(context))
    assert len(compiled) == 2
    pyclfft.clear_cache(disk=True)


def test_folder_only_for_reading(context, folder, compiled, monkeypatch):
    """Simulated: tests may run as root, whom no folder refuses."""
    program(context, "textbook/norm.cl", NORM)
    for name in ("utime", "replace", "unlink", "mkdir"):
        monkeypatch.setattr(os, name, refuse)
    monkeypatch.setattr("tempfile.mkstemp", refuse)
    assert works(again(context))
    assert len(compiled) == 1
    assert cl.Kernel(program(context, "textbook/bitReverse.cl", NORM), "bitReverse")
    assert len(compiled) == 2


def test_a_file_appears_whole_or_not_at_all(context, folder, monkeypatch):
    """What is written gets its name at the very end; should that fail, nothing stays."""
    monkeypatch.setattr(os, "replace", refuse)
    assert works(program(context, "textbook/norm.cl", NORM))
    assert not list(folder.iterdir())


def test_the_least_recently_used_go_first(context, folder, monkeypatch):
    names = ["textbook/norm.cl", "copy.cl", "textbook/butterfly.cl"]
    paths = {}
    for age, name in enumerate(names):
        before = set(folder.glob("*"))
        program(context, name, NORM)
        (paths[name],) = set(folder.glob("*")) - before
        os.utime(paths[name], (1000 + age, 1000 + age))
    left_over = folder / ".0123.bin.killed"  # of a process that was killed while it wrote
    left_over.write_bytes(bytes(100))
    os.utime(left_over, (1, 1))
    again(context)  # norm.cl is used, so copy.cl is now the oldest
    before = set(folder.glob("*.bin"))
    program(context, "textbook/bitReverse.cl", NORM)
    (newest,) = set(folder.glob("*.bin")) - before
    size = sum(path.stat().st_size for path in before | {newest}) - 1
    newest.unlink()  # PoCL's programs are longer where it has compiled them for more group sizes
    cache.clear("programs")
    monkeypatch.setattr(program_module, "DISK_LIMIT", size)
    program(context, "textbook/bitReverse.cl", NORM)
    kept = set(folder.iterdir())
    assert left_over not in kept
    assert paths["copy.cl"] not in kept
    assert paths["textbook/norm.cl"] in kept
    assert sum(path.stat().st_size for path in kept) <= size


def test_clear_cache(context, folder, compiled):
    program(context, "textbook/norm.cl", NORM)
    path = stored(folder)
    pyclfft.clear_cache()
    assert pyclfft.cache_info().programs == (0, 0, program_module.MEMORY_LIMIT, 0)
    assert path.exists()
    program(context, "textbook/norm.cl", NORM)
    assert len(compiled) == 1
    (folder / ".0123.bin.killed").write_bytes(b"half")
    pyclfft.clear_cache(disk=True)
    assert not list(folder.iterdir())
    program(context, "textbook/norm.cl", NORM)
    assert len(compiled) == 2
    pyclfft.clear_cache(disk=True)
    pyclfft.clear_cache(disk=True)


# --- other processes ------------------------------------------------------------------------------

TRANSFORM = """
import json, sys
import numpy as np
import pyopencl as cl
sources = []
class Watched(cl._Program):
    def __init__(self, context, *of):
        super().__init__(context, *of)
        if isinstance(of[0], str) and "kernel void probe" not in of[0]:
            sources.append(of[0])
cl._Program = Watched
import pyclfft
pyclfft.use_device(sys.argv[1])
x = np.arange(24, dtype="complex64").reshape(3, 8)
error = float(abs(pyclfft.fft(x) - np.fft.fft(x)).max())
print(json.dumps([len(sources), error]))
"""


def start(device):
    """Start a process in which no runtime keeps programs itself, so that pyclfft stores them."""
    platform = device.platform.name
    environment = {**os.environ, "POCL_KERNEL_CACHE": "0"}
    command = [sys.executable, "-W", "error", "-c", TRANSFORM, platform]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True, env=environment)


def finish(process):
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    count, error = json.loads(out)
    assert error < 1e-4
    return count


def test_a_second_process_builds_nothing(device, folder):
    assert finish(start(device)) == len(list(folder.iterdir())) > 0
    assert finish(start(device)) == 0


def test_processes_at_once(device, folder):
    counts = [finish(process) for process in [start(device) for _ in range(4)]]
    files = {path.name for path in folder.iterdir()}
    assert max(counts) <= len(files) <= sum(counts)  # each takes what another has finished
    assert all(name.endswith(".bin") for name in files)  # no temporary file stays
    assert finish(start(device)) == 0


# --- what a build says ----------------------------------------------------------------------------


def test_error_in_the_file(context, kernels):
    """The blank line before the include and the include itself must not shift the lines."""
    (kernels / "gpu" / "broken.cl").write_text(
        "/* One\n * two. */\n\n"
        '#include "prelude.cl"\n\n'
        "kernel void broken(global real *x)\n"
        "{\n"
        "    x[0] = nothing;\n"
        "}\n"
    )
    with pytest.raises(BuildError) as raised:
        program(context, "gpu/broken.cl", NORM)
    error = raised.value
    assert error.source_line == "gpu/broken.cl:8: x[0] = nothing;"
    assert "nothing" in error.log
    message = str(error)
    assert context.devices[0].name in message
    assert "-DDOUBLE=0" in message
    assert error.source_line in message
    assert error.log in message


def test_error_in_an_include(context, kernels):
    prelude = (kernels / "prelude.cl").read_text().splitlines()
    number = next(i for i, line in enumerate(prelude, 1) if line.startswith("typedef float2"))
    prelude[number - 1] = "typedef flaot2 cplx;"
    (kernels / "prelude.cl").write_text("\n".join(prelude))
    with pytest.raises(BuildError) as raised:
        program(context, "textbook/norm.cl", NORM)
    assert raised.value.source_line == f"prelude.cl:{number}: typedef flaot2 cplx;"


def test_error_after_two_includes(context, kernels):
    (kernels / "cpu" / "inner.cl").write_text('#include "prelude.cl"\n#define ONE 1\n')
    (kernels / "outer.cl").write_text(
        '#include "cpu/inner.cl" /* ONE */\n\n#define TWO 2\n'
        "kernel void outer(global real *x) { x[0] = ONE + TWO + three; }\n"
    )
    with pytest.raises(BuildError) as raised:
        program(context, "outer.cl", NORM)
    assert raised.value.source_line.startswith("outer.cl:4: kernel void outer")


@pytest.mark.parametrize(
    ("source", "macro"),
    [("image/planes.cl", ("PIXEL", "nonsense")), ("textbook/transpose.cl", ("TILE", "-1"))],
)
def test_error_of_a_macro(context, folder, source, macro):
    with pytest.raises(BuildError) as raised:
        program(context, source, (macro,))
    name, number, line = raised.value.source_line.split(":", 2)
    assert name == source
    assert macro[0] in line
    assert (kernel_folder() / source).read_text().splitlines()[int(number) - 1].strip() in line
    assert f"-D{macro[0]}={macro[1]}" in str(raised.value)


def test_warnings_reach_the_log(context, kernels, caplog):
    (kernels / "gpu" / "doubtful.cl").write_text(
        '#include "prelude.cl"\n#warning "be careful"\nkernel void doubtful(global real *x) {}\n'
    )
    with caplog.at_level(logging.DEBUG, logger="pyclfft"):
        program(context, "gpu/doubtful.cl", NORM)
        program(context, "textbook/norm.cl", NORM)
    levels = {r.args[0]: r.levelno for r in caplog.records if "built for" in r.msg}
    assert levels == {"gpu/doubtful.cl": logging.WARNING, "textbook/norm.cl": logging.DEBUG}
    assert "be careful" in caplog.text
    assert "gpu/doubtful.cl:2" in caplog.text


def test_a_sound_build_warns_of_nothing(context, folder):
    """Intel's compiler writes a log of success, which pyopencl would warn of."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        program(context, "textbook/norm.cl", NORM)
        again(context)


def test_every_file_maps_its_lines(folder):
    """Following the #line directives, each line of the text is the one that it is said to be."""
    for file, path in kernel_files().items():
        name, number, seen = "", 0, []
        for line in source_text(file).splitlines():
            if line.startswith("#line "):
                _, digits, quoted = line.split()
                name, number = quoted.strip('"'), int(digits)
                continue
            original = (kernel_folder() / name).read_text().splitlines()
            assert line == [*original, ""][number - 1]
            seen.append((name, number))
            number += 1
        own = path.read_text().splitlines()
        kept = [n for n, line in enumerate(own, 1) if not line.lstrip().startswith("#include")]
        assert [number for name, number in seen if name == file][: len(kept)] == kept


def test_a_file_includes_those_of_its_own_folder_and_of_the_top():
    """So each folder can be read, and changed, without any other one."""
    for file, path in kernel_files().items():
        for each in program_module.file_pieces(str(path), file)[1]:
            assert Path(each.file).parent in (Path(file).parent, Path()), file


def test_comments_name_one_file():
    """They say "stage.cl", without its folder."""
    names = [Path(file).name for file in kernel_files()]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize(
    ("name", "remedy"),
    [("norm.cl", "do you mean textbook/norm.cl"), ("gpu/norm.cl", "do you mean textbook/norm.cl"),
     ("textbook/none.cl", "see ")],
)  # fmt: skip
def test_a_file_that_does_not_exist(name, remedy):
    with pytest.raises(BuildError, match=f"no kernel file is called {name}: {remedy}"):
        source_text("copy.cl", f'#include "{name}"\n')


@pytest.mark.parametrize("change", ["content", "folder"])
def test_wisdom_knows_every_kernel_by_its_folder(kernels, monkeypatch, change):
    """Also those in folders: what was measured with other kernels may not hold."""
    path = kernels / "gpu" / "stage.cl"

    def sources_hash():
        return wisdom.sources_hash.__wrapped__()

    before = sources_hash()
    assert before == wisdom.sources_hash()
    if change == "content":
        path.write_text("// another")
    else:
        path.rename(kernels / path.name)
    assert sources_hash() != before


def test_missing_kernels(tmp_path, monkeypatch):
    monkeypatch.setattr(program_module, "__file__", str(tmp_path / "pyclfft/runtime/program.py"))
    kernel_folder.cache_clear()
    try:
        with pytest.raises(BuildError, match="install pyclfft again"):
            kernel_folder()
    finally:
        kernel_folder.cache_clear()


def test_devices_do_not_share_files(device, folder):
    """A program of one device is never given to another one."""
    paths = {program_module._disk_path(each, "text").name for each in pyclfft.devices()}
    assert len(paths) == len({describe.device_label(each) for each in pyclfft.devices()})
