"""A function called in a process of its own, as some rivals end the process that they run in.

PoCL, for one, crashes on VkFFT's kernels for 2^18 points.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any


def rehearse(function: Callable[..., object], *arguments: Any) -> None:
    """Call a function in another process.

    Parameters
    ----------
    function : callable
        Of a module, so that the other process can import it.
    arguments
        Its arguments, which can be pickled.

    Raises
    ------
    RuntimeError
        The other process has ended before the function was done.
    """
    task = pickle.dumps((function, arguments))
    done = subprocess.run(
        [sys.executable, "-m", __spec__.name], input=task, capture_output=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"it ends its process: exit status {done.returncode}")


def main() -> None:
    """Do what standard input says."""
    function, arguments = pickle.loads(sys.stdin.buffer.read())
    function(*arguments)


if __name__ == "__main__":
    main()
