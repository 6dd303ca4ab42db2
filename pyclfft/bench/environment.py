"""Where a measurement was made: what a reader needs in order to judge and to repeat it."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
import pyopencl as cl

from .. import __version__
from ..runtime.describe import clocks, device_label
from ..runtime.program import kernel_folder
from .rivals import Contender, Ours, cores


def environment(devices: Sequence[cl.Device], contenders: Iterable[Contender]) -> dict[str, str]:
    """Describe devices, drivers and versions.

    Parameters
    ----------
    devices : sequence of pyopencl.Device
        The devices that are measured.
    contenders : iterable of Contender
        The contenders, whose versions are named.

    Returns
    -------
    dict of str to str
        Each entry's name and text, to be printed and to be stored as JSON.
    """
    return {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "device": _each(device_label(device) for device in devices),
        "driver": _each(device.driver_version for device in devices),
        "clock": _each(clocks(device) for device in devices),
        "platform": _each(device.platform.version for device in devices),
        "system": platform.platform(),
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "pyopencl": cl.VERSION_TEXT,
        "commit": commit(),
        "sources": sources(),
        "pyclfft": __version__,
        **{each.name: each.version for each in contenders if not isinstance(each, Ours)},
    }


def host() -> str:
    """Return the name of the host's processor, and how many of its cores this process may use."""
    count = cores()
    return f"{_processor()}, {count} core{'s' * (count > 1)}"


def _processor() -> str:
    """Return the processor's name, from Linux's /proc/cpuinfo, which `platform` does not read."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or platform.machine()


def _each(texts: Iterable[str]) -> str:
    return "; ".join(" ".join(text.split()) for text in texts)


def commit() -> str:
    """Return the checkout's commit, with "+" if files are changed, or "" outside of git."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--exclude=*"],
            cwd=Path(__file__).parent, capture_output=True, text=True, check=True, timeout=10,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def sources() -> str:
    """Return a hash of the contents of `pyclfft/` and `cl/`: the code that is measured."""
    package, kernels = Path(__file__).resolve().parents[1], kernel_folder()
    found = {
        path.relative_to(folder.parent).as_posix(): path
        for folder, patterns in ((package, ("*.py", "*.json")), (kernels, ("*.cl",)))
        for pattern in patterns
        for path in folder.rglob(pattern)
    }
    digest = hashlib.sha256()
    for name in sorted(found):
        content = found[name].read_bytes()
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:12]
