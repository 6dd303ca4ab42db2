"""The errors that pyclfft raises: each is also a builtin, each names the remedy."""

from __future__ import annotations


class PyclfftError(Exception):
    """Base of every error that pyclfft raises on purpose.

    See Also
    --------
    DeviceError : A device is missing, unknown or lost, or cannot do what was asked.
    DeviceMemoryError : A device's memory is too small.
    PlanError : A transform cannot be planned as asked.
    FormatError : A file breaks the rules of its format.
    """


class DeviceError(PyclfftError, RuntimeError):
    """There is no device, or a device is unknown, is lost, or cannot do what was asked.

    See Also
    --------
    devices : List all usable devices.
    use_device : Choose another device.
    PrecisionError : The device cannot compute in the precision of the numbers.
    DeviceMemoryError : The device's memory is too small.
    """


class PrecisionError(DeviceError, TypeError):
    """The numbers have a precision in which this device, or every OpenCL device, cannot compute.

    See Also
    --------
    use_device : Choose another device, such as one with double precision.
    scipy_backend : A backend of scipy.fft, which leaves such numbers to SciPy.
    DeviceError : The device is missing or lost, or cannot do what was asked.
    """


class DeviceMemoryError(PyclfftError, MemoryError):
    """The device's memory, or its largest single allocation, is too small.

    See Also
    --------
    limit_device_memory : Let all functions use pieces of a bounded size.
    transform_in_pieces : Transform an array larger than the device.
    clear_cache : Free the memory that the caches hold.
    """


class PlanError(PyclfftError, ValueError):
    """A transform cannot be planned as asked, or an array does not fit its plan.

    See Also
    --------
    Plan : A planned transform, and what its arguments may be.
    PrecisionError : The device cannot compute in the precision of the numbers.
    DeviceMemoryError : The device's memory is too small for the transform.
    """


class FormatError(PyclfftError, ValueError):
    """A file breaks the rules of its format; the message says what is wrong, and where.

    See Also
    --------
    pyclfft.image.imagefile.read_images : Read image files of several formats.
    pyclfft.audio.audiofile.read_audio : Read audio files of several formats.
    """


class RankError(PyclfftError, RuntimeError):
    """Another process of an MPI job has failed; that process raises the error itself.

    See Also
    --------
    pyclfft.distributed.fftn : Transform an array over the ranks of an MPI job.
    PlanError : The error of a rank to which a wrong parameter was passed.
    """


class BuildError(PyclfftError, RuntimeError):
    """A kernel does not compile.

    Attributes
    ----------
    log : str
        The compiler's log, unabridged.
    source_line : str
        The line of the kernel that the first error points to, as ``file:line: text``. It is empty
        if the log names no line.

    See Also
    --------
    Plan : A planned transform, whose kernels are compiled.
    Hook : OpenCL C of your own, which becomes part of a kernel.
    """

    def __init__(self, message: str, log: str = "", source_line: str = "") -> None:
        super().__init__(message)
        self.log = log
        self.source_line = source_line
