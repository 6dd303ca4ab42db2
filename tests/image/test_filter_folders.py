"""The filter command on many files: whole folders, bad files among them, steps that overlap."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import pyclfft
from pyclfft import filter as command
from pyclfft.filter import main
from pyclfft.image import filter_files, imagefile
from pyclfft.image.imagefile import ImageFile, read_images, write_images
from pyclfft.runtime import cache


def picture(path, seed=0, shape=(20, 30)):
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)
    Image.fromarray(pixels).save(path)
    return pixels


@pytest.fixture
def tree(tmp_path):
    """A folder with pictures in folders, and links out of it, around it, and inside."""
    folder = tmp_path / "photos"
    for number, name in enumerate(("a.png", "trip/b.tif", "trip/day 2/c.png", "empty/note.txt")):
        if name.endswith("txt"):
            (folder / name).parent.mkdir()
            (folder / name).write_text("no picture")
        else:
            picture(folder / name, number)
    picture(tmp_path / "outside" / "secret.png", 9)
    (folder / "link.png").symlink_to(tmp_path / "outside" / "secret.png")
    (folder / "away").symlink_to(tmp_path / "outside")
    (folder / "trip" / "round").symlink_to(folder)
    (folder / "trip" / "inside.png").symlink_to(folder / "a.png")
    return folder


def files_in(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


RESULTS = {
    "a_lowpass.png", "trip/b_lowpass.tif", "trip/day 2/c_lowpass.png", "trip/inside_lowpass.png",
}  # fmt: skip


def test_results_keep_the_structure_and_links_stay_unfollowed(tree, tmp_path, capsys):
    out = tmp_path / "results"
    assert main(["-r", str(tree), "--lowpass", "3", "-o", str(out)]) == 0
    assert files_in(out) == RESULTS
    assert "secret" not in capsys.readouterr().err
    for name in ("a", "trip/day 2/c"):
        given = np.asarray(Image.open(tree / f"{name}.png"))
        result = np.asarray(Image.open(out / f"{name}_lowpass.png"))
        np.testing.assert_array_equal(result, pyclfft.filter_image(given, "lowpass", 3))


@pytest.mark.parametrize("where", ["results", "trip/results", "."])
def test_own_results_are_no_inputs(tree, where):
    """The folder of the results lies in the folder of the inputs; or both are one."""
    before = files_in(tree)
    for _ in range(2):
        assert main(["-r", str(tree), "--lowpass", "3", "-q", "-o", str(tree / where)]) == 0
    new = files_in(tree) - before
    assert new == {(Path(where) / each).as_posix() for each in RESULTS}


def test_drawings_keep_the_structure_too(tree, tmp_path):
    arguments = ["-r", str(tree), "--lowpass", "3", "-q", "-o", str(tmp_path / "out")]
    assert main([*arguments, "--mask", str(tree / "masks")]) == 0
    assert main([*arguments, "--mask", str(tree / "masks")]) == 0
    assert files_in(tree / "masks") == {
        f"{each.partition('_')[0]}_mask.png" for each in RESULTS
    }  # fmt: skip


def test_a_bad_file_is_reported_and_the_rest_goes_on(tree, tmp_path, capsys):
    (tree / "trip" / "bad.png").write_text("no picture")
    (tree / "trip" / "cut.png").write_bytes((tree / "a.png").read_bytes()[:200])
    assert main(["-r", str(tree), "--lowpass", "3", "-o", str(tmp_path / "out")]) == 2
    errors = [line for line in capsys.readouterr().err.splitlines() if "error: " in line]
    assert len(errors) == 2
    assert "trip/bad.png" in errors[0]
    assert "trip/cut.png" in errors[1]
    assert files_in(tmp_path / "out") == RESULTS


def test_a_folder_that_cannot_be_read_is_reported(tree, tmp_path, monkeypatch, capsys):
    real = os.walk

    def walk(folder, onerror):
        onerror(PermissionError(13, "Permission denied", str(tree / "locked")))
        yield from real(folder)

    monkeypatch.setattr(os, "walk", walk)
    assert main(["-r", str(tree), "--lowpass", "3", "-o", str(tmp_path / "out")]) == 2
    assert "locked: Permission denied" in capsys.readouterr().err
    assert files_in(tmp_path / "out") == RESULTS


def test_files_and_folders_together(tree, tmp_path):
    alone = tmp_path / "alone.png"
    picture(alone, 5)
    out = tmp_path / "out"
    assert main(["-r", str(tree / "trip"), str(alone), "--lowpass", "-q", "-o", str(out)]) == 0
    assert files_in(out) == {
        "alone_lowpass.png", "b_lowpass.tif", "day 2/c_lowpass.png", "inside_lowpass.png",
    } - {"inside_lowpass.png"}  # fmt: skip  # which is a link out of trip


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-r", "photos", "--lowpass"], "-r needs -o"),
        (["-r", "photos/empty", "--lowpass", "-o", "out"], "photos/empty: no images"),
        (["photos", "--lowpass", "-o", "out"], "photos: Is a directory"),
        (["-r", "photos", "--lowpass", "-o", "photos/a.png"], "several results need a folder"),
        (["-r", "missing", "--lowpass", "-o", "out"], "missing: No such file"),
        (["-r", "photos", "--lowpass", "-o", "-"], "standard output holds one result"),
    ],
)
def test_bad_arguments_are_one_clear_line(tree, monkeypatch, capsys, arguments, says):
    monkeypatch.chdir(tree.parent)
    before = files_in(tree.parent)
    assert main(arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert says in line
    assert files_in(tree.parent) == before


# --- steps that overlap ---------------------------------------------------------------------------


def test_pages_are_read_and_written_while_others_are_filtered(tmp_path, monkeypatch):
    """Of one file: while the device has the first page, the next ones are read already; and the
    first result is written before the last page is read."""
    pages = [ImageFile(np.full((8, 9), number, np.uint8), 255) for number in range(12)]
    write_images(tmp_path / "stack.tif", pages)
    happened, lock = [], threading.Lock()

    def noted(name, function):
        def call(*arguments, **options):
            result = function(*arguments, **options)
            with lock:
                happened.append((name, threading.current_thread().name))
            return result

        return call

    monkeypatch.setattr(imagefile, "_image_of", noted("read", imagefile._image_of))
    monkeypatch.setattr(imagefile, "_save", noted("write", imagefile._save))
    filtered = noted("filter", filter_files.filtered)
    monkeypatch.setattr(filter_files, "filtered", lambda *a: time.sleep(0.02) or filtered(*a))
    assert main([str(tmp_path / "stack.tif"), "--lowpass", "2", "-q"]) == 0
    names = [name for name, _ in happened]
    assert [names.count(each) for each in ("read", "filter", "write")] == [12, 12, 12]
    assert names[: names.index("filter")].count("read") >= 2
    last_read = len(names) - 1 - names[::-1].index("read")
    assert "write" in names[:last_read]
    assert len({thread for _, thread in happened}) == 3
    results = read_images(tmp_path / "stack_lowpass.tif")
    for number, result in enumerate(results):
        assert (result.pixels == number).all()


def test_files_of_one_size_share_a_filter(tmp_path):
    names = []
    for number in range(5):
        picture(tmp_path / f"{number}.png", number)
        names.append(str(tmp_path / f"{number}.png"))
    cache.clear("filters")
    assert main([*names, "--lowpass", "3", "-q"]) == 0
    assert pyclfft.cache_info().filters.misses == 1


@pytest.mark.parametrize("bad", [0, 2, 4])
def test_an_error_on_any_page_leaves_no_result(tmp_path, bad, capsys):
    """The other files, before and behind it, are whole."""
    pages = [ImageFile(np.full((8, 9), 7, np.uint8), 255) for _ in range(5)]
    floats = ImageFile(np.full((8, 9), 0.5, np.float32), 1)
    for name in ("a.tif", "c.tif"):
        write_images(tmp_path / name, pages)
    write_images(tmp_path / "b.tif", [*pages[:bad], floats, *pages[bad + 1 :]])
    arguments = [str(tmp_path / f"{name}.tif") for name in "abc"]
    out = tmp_path / "out"
    assert main([*arguments, "--lowpass", "--format", "pgm", "-o", str(out)]) == 2
    errors = [line for line in capsys.readouterr().err.splitlines() if "error: " in line]
    assert len(errors) == 1
    assert "PGM cannot hold 32-bit float grey" in errors[0]
    assert files_in(out) == {"a_lowpass.pgm", "c_lowpass.pgm"}
    assert len(read_images(out / "c_lowpass.pgm")) == 5


def test_a_full_disk_leaves_no_result_and_hangs_nothing(tmp_path, monkeypatch, capsys):
    write_images(tmp_path / "a.tif", [ImageFile(np.zeros((8, 9), np.uint8), 255)] * 30)
    picture(tmp_path / "b.png")

    def full(*_):
        raise OSError(28, "No space left on device", str(tmp_path / "a_lowpass.tif"))

    monkeypatch.setattr(imagefile, "_require_range", full)
    assert main([str(tmp_path / "a.tif"), str(tmp_path / "b.png"), "--lowpass"]) == 2
    said = capsys.readouterr().err
    assert said.count("No space left on device") == 2
    assert files_in(tmp_path) == {"a.tif", "b.png"}


def test_warnings_of_all_threads_are_lines(tmp_path, capsys):
    """And afterwards warnings are shown as before."""
    for name in ("a", "b"):
        frames = [Image.fromarray(np.full((8, 9), n, np.uint8)) for n in (1, 9)]
        frames[0].save(tmp_path / f"{name}.gif", save_all=True, append_images=frames[1:])
    before = list(warnings.filters)
    names = [str(tmp_path / f"{name}.gif") for name in ("a", "b")]
    assert main([*names, "--lowpass", "-o", str(tmp_path / "out")]) == 0
    assert warnings.filters == before
    lines = [each for each in capsys.readouterr().err.splitlines() if "warning: " in each]
    assert len(lines) == 2
    assert all("further images, which are not read" in each for each in lines)


def test_nothing_is_said_after_ctrl_c(tmp_path, monkeypatch, capsys):
    """A file that is done would otherwise have a note at the end."""
    names = [str(tmp_path / f"{each}.png") for each in "ab"]
    for name in names:
        picture(Path(name))

    def report(task, *others):
        if str(task.source) == names[1]:
            raise KeyboardInterrupt
        real(task, *others)

    real = command._report
    monkeypatch.setattr(command, "_report", report)
    assert main([*names, "--lowpass", "-o", str(tmp_path / "out")]) == 130
    said = capsys.readouterr().err.splitlines()
    assert any(line.startswith("output ") for line in said)
    assert said[-1] == "pyclfft filter: error: interrupted"


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
def test_ctrl_c_ends_all_threads(tmp_path):
    """And leaves no file half written."""
    for number in range(40):
        picture(tmp_path / "in" / f"{number}.png", number, (700, 701))
    shutil.copytree(tmp_path / "in", tmp_path / "in" / "more")
    command = [sys.executable, "-m", "pyclfft.filter", "-r", "in", "--lowpass", "9", "-o", "out"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    while not list(tmp_path.glob("out/*.png")) and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert said.splitlines()[-1] == "pyclfft filter: error: interrupted"
    written = list(tmp_path.glob("out/**/*.png"))
    assert 0 < len(written) < 80
    for path in written:
        assert np.asarray(Image.open(path)).shape == (700, 701)
    assert not list(tmp_path.glob("out/**/.*"))
