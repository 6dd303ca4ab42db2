"""The errors that pyclfft raises: each is also a builtin, each names the remedy."""

from __future__ import annotations


class PyclfftError(Exception):
    """Base of every error that pyclfft raises on purpose."""


class DeviceError(PyclfftError, RuntimeError):
    """There is no device, or a device is unknown, is lost, or cannot do what was asked."""


class PrecisionError(DeviceError, TypeError):
    """The numbers have a precision in which this device, or every OpenCL device, cannot compute."""


class DeviceMemoryError(PyclfftError, MemoryError):
    """The device's memory, or its largest single allocation, is too small."""


class PlanError(PyclfftError, ValueError):
    """A transform cannot be planned as asked, or an array does not fit its plan."""


class FormatError(PyclfftError, ValueError):
    """A file breaks the rules of its format; the message says what is wrong, and where."""


class RankError(PyclfftError, RuntimeError):
    """Another process of an MPI job has failed; that process raises the error itself."""


class BuildError(PyclfftError, RuntimeError):
    """A kernel does not compile.

    Attributes
    ----------
    log : str
        The compiler's log, unabridged.
    source_line : str
        The line of the kernel that the first error points to, as ``file:line: text``. It is empty
        if the log names no line.
    """

    def __init__(self, message: str, log: str = "", source_line: str = "") -> None:
        super().__init__(message)
        self.log = log
        self.source_line = source_line
