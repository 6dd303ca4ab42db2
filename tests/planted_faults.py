"""Plant one fault at a time in a scratch copy, and list which test catches it, and after how long.

    python tests/planted_faults.py [--unit PATH ...] [--tests PATH ...] [-- NAME ...]

For each fault (all by default) it runs the device-free tests first, then the first check and the
tests of devices on Intel's runtime, and stops at the first test that fails. It takes about an hour
on two free cores. The exit status is 1 where a fault stays unnoticed. Nothing but the copy changes.

A fault is a replacement of one piece of text, which has to stand exactly once in its folder: where
the code has changed so much that it does not, the script fails, and the fault needs a new text.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLANNING, RUNTIME, KERNELS = "pyclfft/planning", "pyclfft/runtime", "cl"
INTEL = Path(sys.prefix) / "lib" / "libintelocl.so"

DEVICE_FREE = ("tests/unit",)
ON_A_DEVICE = ("tests/first", "tests/device", "tests/image", "tests/audio")
HANGS = 300  # seconds after which a test fails
FAILED = re.compile(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", re.MULTILINE)


@dataclass(frozen=True)
class Fault:
    """One piece of text to be replaced.

    Attributes
    ----------
    name : str
        What is wrong then, in a few words.
    folder : str
        In which files to look for the text.
    old, new : str
        The text, and what takes its place.
    """

    name: str
    folder: str
    old: str
    new: str

    def place(self, root: Path) -> Path:
        """Return the file of a checkout in which the text stands.

        Raises
        ------
        SystemExit
            It does not stand there exactly once.
        """
        files = [
            each for each in (root / self.folder).rglob("*.*") if each.suffix in (".py", ".cl")
        ]
        found = [(path, path.read_text().count(self.old)) for path in files]
        places = [(path, count) for path, count in found if count]
        if [count for _, count in places] != [1]:
            where = ", ".join(f"{count} x in {path.name}" for path, count in places) or "nowhere"
            sys.exit(f"fault {self.name!r} does not apply: its text stands {where}")
        return places[0][0]

    def plant(self, root: Path) -> None:
        """Replace the text in a checkout."""
        path = self.place(root)
        path.write_text(path.read_text().replace(self.old, self.new))


FAULTS = (
    Fault(
        "dimensions are joined whatever the target",
        PLANNING,
        "(second.source, second.target, second.column) == tuple(ends)",
        "(second.source, second.column) == tuple(ends)[::2]",
    ),
    Fault(
        "a call in place overwrites its input too early",
        PLANNING,
        "protected = in_place and not passes[first].aliases",
        "protected = False",
    ),
    Fault(
        "a workspace is as large as its last use",
        PLANNING,
        "sizes[name] = max(size, sizes.get(name, 0))",
        "sizes[name] = size",
    ),
    Fault("convolutions are too short", PLANNING, "least = 2 * n - 1", "least = 2 * n - 3"),
    Fault(
        "long rows of real numbers ignore the inverse",
        PLANNING,
        "flags = CONJUGATE_OUT if inverse else 0",
        "flags = 0",
    ),
    Fault(
        "each axis is scaled",
        PLANNING,
        "scale=problem.scale if axis == order[-1] else 1.0",
        "scale=problem.scale",
    ),
    Fault(
        "the load hook is called for every axis",
        PLANNING,
        "problem.hooks.of_part(first=number == 0, last=axis == order[-1])",
        "problem.hooks.of_part(first=True, last=axis == order[-1])",
    ),
    Fault(
        "launches are rounded down to whole groups",
        PLANNING,
        "-(-count // size) * size for count, size in zip(items",
        "max(1, count // size) * size for count, size in zip(items",
    ),
    Fault(
        "an exchange in local memory without its barrier",
        KERNELS,
        "part, x[of.b + r * of.many]);\n    }\n    wait_for_group(SPAN == BEFORE);",
        "part, x[of.b + r * of.many]);\n    }",
    ),
    Fault(
        "the middle of an even spectrum keeps an imaginary part",
        KERNELS,
        "own_image = index == 0 || 2 * index == extent",
        "own_image = index == 0",
    ),
    Fault(
        "frames that do not exist weigh something near the end of a signal",
        KERNELS,
        "for (uint back = newest; back <= oldest; back++) {",
        "for (uint back = 0; back <= oldest; back++) {",
    ),
    Fault(
        "frames that do not exist weigh something in a GPU's groups",
        KERNELS,
        "if (is_held(pair, lap) && first + frame_of(pair, lap) < frames) {",
        "if (is_held(pair, lap)) {",
    ),
    Fault(
        "a group adds its sums before its neighbour has stored others",
        KERNELS,
        "while (read_acquire(border.counter) < 3) {",
        "while (read_acquire(border.counter) < 2) {",
    ),
    Fault(
        "a pair of samples is wanted as soon as its even sample is",
        KERNELS,
        "if (all || (odd >= wanted.from && odd < wanted.to))",
        "if (all || (even >= wanted.from && odd < wanted.to))",
    ),
    Fault(
        "silence is divided by its maximum",
        KERNELS,
        "values[i] = value == reference ? (reference != 0) : value / reference;",
        "values[i] = value / reference;",
    ),
    Fault(
        "a real stage takes a column that does not exist",
        KERNELS,
        "has_other = (b + 1 < many) & (columns % ITEMS == 0 || other < columns);\n"
        "        if (columns % ITEMS == 0 || j < columns) {\n            cplx z",
        "has_other = b + 1 < many;\n"
        "        if (columns % ITEMS == 0 || j < columns) {\n            cplx z",
    ),
    Fault(
        "norm writes behind its array",
        KERNELS,
        "    if (i < count)\n        data[i] *= scale;",
        "    data[i] *= scale;",
    ),
    Fault(
        "a vector's first elements are stored, though others own them",
        KERNELS,
        "if (i >= begin && i < end)\n                store_element",
        "if (i < end)\n                store_element",
    ),
    Fault(
        "pairs of a cosine transform have a wrong root",
        PLANNING,
        "np.stack((k, self.n + 5 * k), axis=1)",
        "np.stack((k, self.n + 4 * k), axis=1)",
    ),
    Fault(
        "pairs of a cosine transform of type 3 have a wrong sign",
        KERNELS,
        "(2 * ROOT_OF_HALF) : y.at_k, -y.at_image)",
        "(2 * ROOT_OF_HALF) : y.at_k, y.at_image)",
    ),
    Fault(
        "cosine transforms of type 4 and odd length have a wrong sign",
        KERNELS,
        "return quarter == 1 || quarter == 2 ? -x : x;",
        "return quarter == 1 ? -x : x;",
    ),
    Fault(
        "events of the caller are not waited for",
        RUNTIME,
        "waiting = [*wait_for, *lease.pending()]",
        "waiting = [*lease.pending()]",
    ),
    Fault(
        "memory of a result that is in use is handed out again",
        RUNTIME,
        "if fits and _references(blocks, position) == _UNUSED:",
        "if fits:",
    ),
    Fault(
        "programs on the disk are found whatever their macros",
        RUNTIME,
        "(*code_identity(device), text)",
        '(*code_identity(device), text[text.index("#line") :])',  # macros come first
    ),
    Fault(
        "an output that overlaps the input is wrapped",
        RUNTIME,
        "return begin + source.nbytes <= other or other + target.nbytes <= begin",
        "return True",
    ),
)


def main() -> int:
    """Plant each fault that is asked for; return how many stay unnoticed, at most 1."""
    options = parser().parse_args()
    chosen = [each for each in FAULTS if not options.names or each.name in options.names]
    if unknown := set(options.names) - {each.name for each in chosen}:
        sys.exit(f"no such fault: {', '.join(sorted(unknown))}")
    unnoticed = 0
    with tempfile.TemporaryDirectory() as folder:
        for fault in chosen:
            began = time.monotonic()
            caught = catch(fault, Path(folder) / "copy", options)
            seconds = time.monotonic() - began
            print(f"{seconds:6.0f} s  {fault.name}: {caught or 'UNNOTICED'}", flush=True)
            unnoticed += not caught
    return int(unnoticed > 0)


def parser() -> argparse.ArgumentParser:
    """Return what reads the arguments."""
    result = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    result.add_argument("names", nargs="*", metavar="NAME", help="faults to plant, all by default")
    result.add_argument("--unit", nargs="+", default=DEVICE_FREE, help="device-free tests")
    result.add_argument("--tests", nargs="+", default=ON_A_DEVICE, help="tests on Intel's runtime")
    result.add_argument("--tree", type=Path, default=ROOT, help="the checkout to plant faults in")
    result.add_argument("--processes", default="auto", help="of pytest, as its --numprocesses")
    return result


def catch(fault: Fault, copy: Path, options: argparse.Namespace) -> str:
    """Plant a fault in a fresh copy; return the tests that failed first."""
    shutil.rmtree(copy, ignore_errors=True)
    for name in tracked(options.tree):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(options.tree / name, copy / name)
    fault.plant(copy)
    for tests in (options.unit, options.tests):
        if failed := run(tests, copy, options.processes):
            return failed
    return ""


def tracked(root: Path) -> Iterator[str]:
    """Yield the names of a checkout's files, but for those that git ignores."""
    listing = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, capture_output=True, text=True, check=True).stdout
    yield from (name for name in names.splitlines() if (root / name).is_file())


def run(tests: tuple[str, ...], copy: Path, processes: str) -> str:
    """Run tests of the copy until one fails; return which, or an empty string."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    # A fault may spoil memory, after which a process crashes, or waits for ever: both are failures.
    command += ["--max-worker-restart", "0", "-o", f"faulthandler_timeout={HANGS}"]
    command += ["-o", "faulthandler_exit_on_timeout=true"]
    command += ["--ignore", "tests/unit/test_planted_faults.py"]  # it looks for the texts alone
    environment = {**os.environ, "PYTHONPATH": str(copy), "OCL_ICD_VENDORS": str(INTEL)}
    done = subprocess.run(
        [*command, "--numprocesses", processes, *tests],
        cwd=copy, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if not done.returncode:
        return ""
    return "; ".join(FAILED.findall(done.stdout)) or done.stdout[-500:] + done.stderr[-500:]


if __name__ == "__main__":
    sys.exit(main())
