"""Environment variables that pyclfft sets until the OpenCL runtimes have been loaded."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass
class Variable:
    """An environment variable that pyclfft sets for a while.

    Attributes
    ----------
    name, value : str
        The variable that pyclfft has set, and its value. The name is empty before pyclfft has set
        a variable, and after it has taken the variable back.
    before : str or None
        The value that the variable had before; None if it was not set.
    """

    name: str = ""
    value: str = ""
    before: str | None = None

    def set(self, name: str, value: str) -> None:
        """Set the variable, also for C's getenv, and remember its earlier value."""
        self.before = os.environ.get(name)
        self.name, self.value = name, value
        os.environ[name] = value

    def take_back(self) -> None:
        """Restore the variable's earlier value, unless somebody else has changed it since."""
        if self.name and os.environ.get(self.name) == self.value:
            if self.before is None:
                del os.environ[self.name]
            else:
                os.environ[self.name] = self.before
        self.name = ""
