"""Calling a function in a process of its own, because some rivals crash the process they run in.

For example, PoCL crashes on VkFFT's kernels for 2^18 points.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any


def rehearse(function: Callable[..., object], *arguments: Any) -> None:
    """Call a function in another process, and wait for it.

    Parameters
    ----------
    function : callable
        A function that the other process can import from its module.
    arguments
        The function's arguments, which must be picklable.

    Raises
    ------
    RuntimeError
        If the other process has failed.
    """
    task = pickle.dumps((function, arguments))
    done = subprocess.run(
        [sys.executable, "-m", __spec__.name], input=task, capture_output=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"it ends its process: exit status {done.returncode}")


def main() -> None:
    """Call the function with the arguments that standard input gives, pickled."""
    function, arguments = pickle.loads(sys.stdin.buffer.read())
    function(*arguments)


if __name__ == "__main__":
    main()
