"""The commands that install missing packages, for error messages and help texts.

pyclfft is not on PyPI yet, so that pip does not know its extras. Until then messages name the
packages of an extra. On the day of the release the values of `_PACKAGES` become the extras
themselves, such as ``'pyclfft[cpu]'``.
"""

from __future__ import annotations

_PACKAGES = {
    "cpu": "intel-opencl-rt intel-cmplr-lib-rt",  # a device on any x86-64 CPU
    "pictures": "matplotlib",
    "sounds": "soundfile",
    "playing": "miniaudio",
    "completion": "shtab",
    "browser": "selenium",
    "lab": "nicegui",
    "loops": "numba",
    "ranks": "mpi4py mpich",  # the package mpich brings the MPI library and mpiexec
    "chunks": "dask distributed",  # dask.array needs NumPy beside them
}


def pip_install(what: str) -> str:
    """Return the command that installs missing packages.

    Parameters
    ----------
    what : {"cpu", "pictures", "sounds", "playing", "completion", "browser", "lab", "loops",
        "ranks", "chunks"}
        The purpose of the missing packages: a device on the CPU, drawing pictures, reading and
        writing sounds, playing sounds, writing scripts for shells, controlling a browser, the page
        of the lab, loops on the host that are compiled, working with other ranks, or arrays in
        chunks and workers that compute them.

    Returns
    -------
    str
        The command, for a shell.

    Examples
    --------
    >>> from pyclfft.advice import pip_install
    >>> pip_install("pictures")
    'pip install matplotlib'
    """
    return f"pip install {_PACKAGES[what]}"
