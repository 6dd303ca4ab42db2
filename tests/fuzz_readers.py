"""Fuzz the readers of files by atheris, which looks for bytes that reach new lines of code.

    pip install atheris
    python -m tests.fuzz_readers --minutes 5

The first byte chooses one of the readers of `tests/readers.py`, or of those that are named; the
others are the file. A reader fails if it raises another exception than a PyclfftError or an
OSError, if it takes more than 20 seconds or more than 2 GiB. The bytes are then kept in a file,
whose name is printed; the exit status is 1. If no reader fails, no file stays. Without atheris the
exit status is 2; there are wheels for Linux and macOS. A kept file is read again by

    python -m tests.fuzz_readers pgm --file FILE
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests import readers

ROOT = Path(__file__).resolve().parents[1]
LIMITS = ("-timeout=20", "-rss_limit_mb=2048", "-max_len=4096")  # seconds, MiB, bytes of a file
COUNT = re.compile(r"^#(\d+)\s+DONE", re.MULTILINE)
FAULTS = ("crash", "oom", "timeout")  # begin the names of the files that libFuzzer keeps
# Our readers' lines are watched, not those of NumPy or Pillow.
FUZZ = """
import sys
from pathlib import Path
import atheris
watched = (
    "audio.audiofile", "distributed.csv_samples", "image.imagefile", "image.pgm",
    "image.tiff64", "planning.database", "selftest_tally",
)
with atheris.instrument_imports(include=["pyclfft." + each for each in watched]):
    from tests import readers

_, names, folder, *limits = sys.argv
names, path = names.split(","), Path(folder, "file")

def read(data):
    if data:
        readers.check(names[data[0] % len(names)], data[1:], path)

atheris.Setup(["fuzz", *limits, folder + "/corpus"], read)
atheris.Fuzz()
"""


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="python -m tests.fuzz_readers", description=(__doc__ or "").splitlines()[0]
    )
    result.add_argument("reader", nargs="*", metavar="READER", help="the readers (default: all)")
    result.add_argument("--minutes", type=float, default=1.0, help="how long (default: 1)")
    result.add_argument("--file", type=Path, help="read this file, instead of fuzzing")
    return result


def main(argv: Sequence[str] | None = None) -> int:
    options = parser().parse_args(argv)
    names = options.reader or list(readers.READERS)
    if unknown := set(names) - set(readers.READERS):
        known = ", ".join(map(repr, readers.READERS))
        print(f"no reader is called {unknown.pop()!r}: choose from {known}", file=sys.stderr)
        return 2
    if options.file:
        with tempfile.TemporaryDirectory() as folder:
            for name in names:
                readers.check(name, options.file.read_bytes(), Path(folder, "file"))
        return 0
    if importlib.util.find_spec("atheris") is None:
        print("atheris is not installed: pip install atheris", file=sys.stderr)
        return 2
    return fuzz(names, round(60 * options.minutes), Path(tempfile.mkdtemp(prefix="pyclfft-fuzz-")))


def fuzz(names: Sequence[str], seconds: int, folder: Path) -> int:
    """Fuzz readers in a process of its own, and say what came of it."""
    (folder / "corpus").mkdir()
    for number, name in enumerate(names):
        for place, data in enumerate(readers.READERS[name].sound):
            (folder / "corpus" / f"{number}-{place}").write_bytes(bytes([number]) + data)
    limits = [*LIMITS, f"-max_total_time={seconds}", f"-artifact_prefix={folder}/"]
    command = [sys.executable, "-c", FUZZ, ",".join(names), str(folder), *limits]
    done = subprocess.run(
        command, cwd=ROOT, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    said = done.stdout.decode(errors="replace")
    (folder / "log").write_text(said, encoding="utf-8")
    count = COUNT.search(said)
    if not done.returncode and count:
        shutil.rmtree(folder)
        print(f"pass: {int(count[1]):,} files in {seconds} s: {', '.join(names)}")
        return 0
    for path in [each for each in folder.iterdir() if each.name.startswith(FAULTS)]:
        first, data = path.read_bytes()[:1], path.read_bytes()[1:]
        path.write_bytes(data)
        print(f"FAIL: {names[first[0] % len(names)]}: {path}")
    print(*said.splitlines()[-30:], f"FAIL: the log is in {folder / 'log'}", sep="\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
