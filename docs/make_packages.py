"""Draw pyclfft's packages and their imports, as they are: docs/pictures/packages.svg.

    python docs/make_packages.py [--check]

A box is a package, or the modules of `pyclfft/` itself that stand at one height. An arrow says that
a module of the upper box imports one of the lower box; arrows that follow from others are left out.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

DOCS = Path(__file__).resolve().parent
PACKAGE = DOCS.parent / "pyclfft"
PICTURE = DOCS / "pictures" / "packages.svg"

# Imports from above, within a function: Plan(effort="measure") loads the tuner when it is asked to.
LATE = {("runtime", "tuning")}
COMMANDS = (
    "__main__",
    "completion",
    "convolve",
    "dft",
    "filter",
    "info",
    "selftest",
    "selftest_memory",
    "selftest_stress",
    "selftest_tally",
    "spectrogram",
    "spectrum",
)
ON_THE_COMMAND_LINE = ("commandline", "folders", "streams")
FOUNDATIONS = ("advice", "errors", "figures", "files", "overlap", "progress")

WIDTH, HEIGHT, ACROSS, DOWN, MARGIN = 200, 52, 24, 44, 16  # of boxes, and between them, in pixels


def group_of(module: str) -> str:
    """Return the box of a module such as "runtime.plan" or "backend"."""
    package, _, name = module.partition(".")
    if name == "command" or package in COMMANDS:
        return "commands"
    if package in FOUNDATIONS:
        return "errors, files"
    if package in ON_THE_COMMAND_LINE:
        return "command line"
    return package if (PACKAGE / package).is_dir() and package else "interface"


def modules() -> dict[str, Path]:
    """Return all modules by their names below pyclfft; "" is pyclfft itself."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts).removesuffix("__init__").removesuffix(".")] = path
    return found


def imports_of(module: str, path: Path, known: dict[str, Path]) -> Iterator[str]:
    """Yield the modules of pyclfft that a module imports, anywhere within it."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            parts = package.split(".") if package else []
            base = parts[: len(parts) - node.level + 1]
            whole = ".".join([*base, *(node.module or "").split(".")]).strip(".")
            for alias in node.names:
                inner = f"{whole}.{alias.name}".strip(".")
                yield inner if inner in known else whole


def graph() -> dict[str, set[str]]:
    """Return the boxes that each box imports."""
    known = modules()
    found: dict[str, set[str]] = {group_of(module): set() for module in known}
    for module, path in known.items():
        here = group_of(module)
        for other in imports_of(module, path, known):
            there = group_of(other)
            # pyclfft itself: of the modules below, those that only ask for its version.
            if there != here and (here, there) not in LATE and other:
                found[here].add(there)
    return found


def depths(below: dict[str, set[str]]) -> dict[str, int]:
    """Return how many boxes stand above each other above a box, at most.

    Raises
    ------
    SystemExit
        The imports go in a circle.
    """
    above = {box: {each for each in below if box in below[each]} for box in below}
    found: dict[str, int] = {}
    while len(found) < len(above):
        ready = [box for box in above if box not in found and above[box] <= found.keys()]
        if not ready:
            sys.exit(f"imports go in a circle: {', '.join(sorted(above.keys() - found.keys()))}")
        found |= {box: max((found[each] + 1 for each in above[box]), default=0) for box in ready}
    return found


def reduced(below: dict[str, set[str]]) -> set[tuple[str, str]]:
    """Return the arrows that do not follow from others."""

    def reach(box: str) -> set[str]:
        return below[box].union(*(reach(each) for each in below[box]))

    return {
        (box, each)
        for box, others in below.items()
        for each in others
        if not any(each in reach(other) for other in others)
    }


def arrow(start: tuple[float, float], end: tuple[float, float], rows: int) -> str:
    """Return the way of an arrow: straight to the next row, down and aside past others."""
    x, y, to_x, to_y = start[0] + WIDTH / 2, start[1] + HEIGHT, end[0] + WIDTH / 2, end[1]
    if rows == 1 or abs(x - to_x) <= WIDTH / 2:
        return f"M{x:g} {y:g}L{to_x:g} {to_y:g}"
    side = end[0] if x < to_x else end[0] + WIDTH
    return f"M{x:g} {y:g}V{to_y + HEIGHT / 2:g}H{side:g}"


def drawing() -> str:
    """Return the picture."""
    below = graph()
    depth = depths(below)
    rows = [sorted(box for box in depth if depth[box] == n) for n in range(max(depth.values()) + 1)]
    widest = max(map(len, rows))
    width = 2 * MARGIN + widest * WIDTH + (widest - 1) * ACROSS
    total = 2 * MARGIN + len(rows) * HEIGHT + (len(rows) - 1) * DOWN
    places = {}
    for number, row in enumerate(rows):
        left = (width - len(row) * WIDTH - (len(row) - 1) * ACROSS) / 2
        for box in row:
            places[box] = (left, MARGIN + number * (HEIGHT + DOWN))
            left += WIDTH + ACROSS
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{total}" '
        f'viewBox="0 0 {width} {total}" font-family="sans-serif" font-size="14">',
        "<title>The packages of pyclfft and their imports</title>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" '
        'markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#557"/></marker></defs>',
        f'<rect width="{width}" height="{total}" fill="white"/>',
    ]
    for upper, lower in sorted(reduced(below)):
        way = arrow(places[upper], places[lower], depth[lower] - depth[upper])
        lines.append(f'<path d="{way}" fill="none" stroke="#557" marker-end="url(#head)"/>')
    for box, (x, y) in sorted(places.items()):
        lines += [
            f'<rect x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#eef2fa" '
            'stroke="#557"/>',
            f'<text x="{x + WIDTH / 2:g}" y="{y + HEIGHT / 2 + 5:g}" text-anchor="middle">'
            f"{escape(box)}</text>",
        ]
    return "\n".join([*lines, "</svg>", ""])


def main(arguments: list[str] | None = None) -> None:
    """Write the picture, or check that it is what the imports say."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if it differs")
    options = parser.parse_args(arguments)
    text = drawing()
    if not options.check:
        PICTURE.write_text(text, encoding="utf-8")
    elif not PICTURE.exists() or PICTURE.read_text(encoding="utf-8") != text:
        sys.exit(f"{PICTURE} is not what the imports say: call python docs/make_packages.py")


if __name__ == "__main__":
    main()
