"""Fuzz the readers of files by atheris, which looks for bytes that reach new lines of code.

    pip install atheris
    python -m tests.fuzz_readers --minutes 5

Each reader of `tests/readers.py` gets an equal share of the time, or those that are named. A reader
fails if it raises another exception than a PyclfftError or an OSError, if it takes more than 20
seconds or more than 2 GiB. The bytes are then kept in a file, whose name is printed; the exit
status is 1. Without atheris it is 2; there are wheels for Linux and macOS.

    python -m tests.fuzz_readers pgm --file FILE    # read such a file again
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests import readers

ROOT = Path(__file__).resolve().parents[1]
LIMITS = ("-timeout=20", "-rss_limit_mb=2048", "-max_len=4096")  # seconds, MiB, bytes of a file
COUNT = re.compile(r"^#(\d+)\s+DONE", re.MULTILINE)
FAULTS = ("crash", "oom", "slow", "timeout")  # begin the names of the files that libFuzzer keeps
# Fuzzes one reader in a process of its own. Our lines are watched, not NumPy's or Pillow's.
FUZZ = """
import sys
from pathlib import Path
import atheris
packages = ("audio", "distributed", "image", "planning", "selftest_tally")
with atheris.instrument_imports(include=["pyclfft." + each for each in packages]):
    from tests import readers
_, name, folder, *limits = sys.argv
path = Path(folder, "file")
atheris.Setup(["fuzz", *limits, folder + "/corpus"], lambda data: readers.check(name, data, path))
atheris.Fuzz()
"""


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="python -m tests.fuzz_readers", description=(__doc__ or "").splitlines()[0]
    )
    result.add_argument("reader", nargs="*", metavar="READER", help="the readers (default: all)")
    result.add_argument("--minutes", type=float, default=1.0, help="for all readers (default: 1)")
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
    seconds = max(1, round(60 * options.minutes / len(names)))
    folder = Path(tempfile.mkdtemp(prefix="pyclfft-fuzz-"))
    return max([fuzzed(name, seconds, folder / name.replace(" ", "-")) for name in names])


def fuzzed(name: str, seconds: int, folder: Path) -> int:
    """Fuzz one reader in a process of its own, and say what came of it."""
    (folder / "corpus").mkdir(parents=True)
    for number, data in enumerate(readers.READERS[name].sound):
        (folder / "corpus" / str(number)).write_bytes(data)
    limits = [*LIMITS, f"-max_total_time={seconds}", f"-artifact_prefix={folder}/"]
    with open(folder / "log", "w+", encoding="utf-8", errors="replace") as log:
        command = [sys.executable, "-c", FUZZ, name, str(folder), *limits]
        status = subprocess.run(
            command, stdout=log, stderr=subprocess.STDOUT, cwd=ROOT, check=False
        ).returncode
        log.seek(0)
        said = log.read()
    found = COUNT.search(said)
    if not status and found:
        print(f"pass: {name}: {int(found[1]):,} files in {seconds} s", flush=True)
        return 0
    kept = sorted(str(path) for path in folder.iterdir() if path.name.startswith(FAULTS))
    print(f"FAIL: {name}: {', '.join(kept) or 'no file'}; log: {folder / 'log'}")
    print("\n".join(said.splitlines()[-25:]), flush=True)
    return 1


if __name__ == "__main__":
    sys.exit(main())
