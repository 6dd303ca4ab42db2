"""What our docstrings link to in the documentation of other projects.

Sphinx reads such addresses from inventories, which it usually downloads. The documentation is to be
built without a network, so this table names the few addresses that are needed, and `mapping` writes
an inventory of them for each project.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Project:
    """A project's documentation.

    Attributes
    ----------
    address : str
        The address of the documentation.
    places : mapping of (str, str) to tuple of str
        By role (what Sphinx calls the kind of a name) and place, the names that are documented
        there. In the place a ``{}`` stands for the name.
    """

    address: str
    places: Mapping[tuple[str, str], tuple[str, ...]]


PROJECTS = {
    "numpy": Project(
        "https://numpy.org/doc/stable/",
        {
            ("py:class", "reference/generated/{}.html#{}"): (
                "numpy.ndarray", "numpy.dtype", "numpy.memmap",
            ),
            ("py:function", "reference/generated/{}.html#{}"): ("numpy.pad",),
            ("std:term", "glossary.html#term-{}"): ("array_like",),
            ("std:label", "reference/arrays.scalars.html#{}"): ("arrays.scalars",),
        },
    ),
    "scipy": Project(
        "https://docs.scipy.org/doc/scipy/",
        {
            ("py:function", "reference/generated/{}.html#{}"): (
                "scipy.fft.set_backend", "scipy.fft.set_global_backend",
                "scipy.fft.register_backend", "scipy.signal.get_window",
            ),
        },
    ),
    "pyopencl": Project(
        "https://documen.tician.de/pyopencl/",
        {
            ("py:class", "array.html#{}"): ("pyopencl.array.Array",),
            ("py:class", "runtime_memory.html#{}"): ("pyopencl.Buffer",),
            ("py:class", "runtime_platform.html#{}"): ("pyopencl.Context", "pyopencl.Device"),
            ("py:class", "runtime_queue.html#{}"): ("pyopencl.CommandQueue", "pyopencl.Event"),
        },
    ),
    "python": Project(
        "https://docs.python.org/3/",
        {
            ("py:exception", "library/exceptions.html#{}"): (
                "Exception", "MemoryError", "RuntimeError", "TypeError", "ValueError",
            ),
            ("py:class", "library/functions.html#{}"): (
                "bool", "bytes", "dict", "float", "int", "list", "str", "tuple",
            ),
            ("std:term", "glossary.html#term-{}"): ("iterable", "iterator", "mapping", "sequence"),
            ("std:label", "library/stdtypes.html#{}"): ("bltin-boolean-values",),
        },
    ),
}  # fmt: skip

# What the types in our docstrings are called elsewhere.
ALIASES = {
    "ndarray": "numpy.ndarray",
    "dtype": "numpy.dtype",
    "cl.CommandQueue": "pyopencl.CommandQueue",
    "cl.Context": "pyopencl.Context",
    "cl.Device": "pyopencl.Device",
    "cl.Event": "pyopencl.Event",
}


# Words in the types that are no names.
WORDS = {
    "a", "an", "and", "another", "array", "arrays", "complex", "default", "dtype", "is", "like",
    "number", "numbers", "of", "optional", "or", "real", "shape", "to", "with",
}  # fmt: skip


def mapping(folder: Path) -> dict[str, tuple[str, str]]:
    """Write the inventories and return intersphinx's table of them.

    Parameters
    ----------
    folder : Path
        The folder to write to; it is made if it does not exist.

    Returns
    -------
    dict of str to (str, str)
        By project, the address of its documentation and the file of its inventory.
    """
    folder.mkdir(parents=True, exist_ok=True)
    table = {}
    for name, project in PROJECTS.items():
        file = folder / f"{name}.inv"
        file.write_bytes(inventory(name, project))
        table[name] = (project.address, str(file))
    return table


def inventory(name: str, project: Project) -> bytes:
    """Return a project's inventory in Sphinx's format, version 2."""
    head = f"# Sphinx inventory version 2\n# Project: {name}\n# Version: \n"
    head += "# The remainder of this file is compressed using zlib.\n"
    lines = (
        f"{each} {role} 1 {place.format(each, each)} -\n"
        for (role, place), names in project.places.items()
        for each in names
    )
    return head.encode() + zlib.compress("".join(lines).encode())
