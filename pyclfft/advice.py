"""What to install where something is missing: the one place that says so.

pyclfft is not on PyPI yet. So its extras cannot be named, and the packages behind them are. On the
day of the release the values of `_PACKAGES` become extras, such as ``'pyclfft[cpu]'``.
"""

from __future__ import annotations

_PACKAGES = {
    "cpu": "intel-opencl-rt intel-cmplr-lib-rt",  # a device on any x86-64 CPU
    "pictures": "matplotlib",
    "sounds": "soundfile",
    "completion": "shtab",
}


def pip_install(what: str) -> str:
    """Return the command that installs what is missing.

    Parameters
    ----------
    what : {"cpu", "pictures", "sounds", "completion"}
        A device on the CPU, what draws pictures, what reads and writes sounds, or what writes
        scripts for shells.

    Returns
    -------
    str
        For a shell.

    Examples
    --------
    >>> from pyclfft.advice import pip_install
    >>> pip_install("pictures")
    'pip install matplotlib'
    """
    return f"pip install {_PACKAGES[what]}"
