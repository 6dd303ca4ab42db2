"""The text of a report: what devices say of themselves, and what else decides how OpenCL behaves.

Users send reports to us. A report does not tell who the user is: see `without_names`.
"""

from __future__ import annotations

import getpass
import os
import re
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyopencl as cl

WIDTH = 100

# The environment variables that matter: the beginnings of their names.
VARIABLES = (
    "CL_CONFIG_",
    "CUDA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "OCLGRIND_",
    "OCL_",
    "OPENCL_",
    "POCL_",
    "PYCLFFT_",
    "PYOPENCL_",
    "ROCR_VISIBLE_DEVICES",
    "RUSTICL_",
)

# Properties that hold named constants, and the class that names them.
CONSTANTS = {
    "ATOMIC_FENCE_CAPABILITIES": cl.device_atomic_capabilities,
    "ATOMIC_MEMORY_CAPABILITIES": cl.device_atomic_capabilities,
    "DEVICE_ENQUEUE_CAPABILITIES": cl.device_device_enqueue_capabilities,
    "DOUBLE_FP_CONFIG": cl.device_fp_config,
    "EXECUTION_CAPABILITIES": cl.device_exec_capabilities,
    "GLOBAL_MEM_CACHE_TYPE": cl.device_mem_cache_type,
    "HALF_FP_CONFIG": cl.device_fp_config,
    "LOCAL_MEM_TYPE": cl.device_local_mem_type,
    "PARTITION_AFFINITY_DOMAIN": cl.device_affinity_domain,
    "PARTITION_PROPERTIES": cl.device_partition_property,
    "QUEUE_ON_DEVICE_PROPERTIES": cl.command_queue_properties,
    "QUEUE_ON_HOST_PROPERTIES": cl.command_queue_properties,
    "QUEUE_PROPERTIES": cl.command_queue_properties,
    "SINGLE_FP_CONFIG": cl.device_fp_config,
    "SVM_CAPABILITIES": cl.device_svm_capabilities,
    "TYPE": cl.device_type,
}

# Properties that say nothing about a device, or that are reported elsewhere.
OMITTED = {"EXTENSIONS_WITH_VERSION", "PARENT_DEVICE", "PLATFORM", "REFERENCE_COUNT"}


def properties(asked: cl.Platform | cl.Device) -> dict[str, str]:
    """Return all properties of a platform or a device for which pyopencl has a name.

    Parameters
    ----------
    asked : pyopencl.Platform or pyopencl.Device
        The platform or the device. Properties that it does not know are left out, for example
        those of other vendors' extensions and of later versions of OpenCL.

    Returns
    -------
    dict of str to str
        The values by OpenCL's names without ``CL_DEVICE_`` or ``CL_PLATFORM_``, in alphabetical
        order.
    """
    questions = cl.platform_info if isinstance(asked, cl.Platform) else cl.device_info
    answers = {}
    for name in _constants(questions).keys() - OMITTED:
        try:
            value = asked.get_info(getattr(questions, name))
        except (cl.Error, UnicodeDecodeError):
            continue
        answers[name] = _shown(value, CONSTANTS.get(name))
    return dict(sorted(answers.items()))


def constant_names(constants: Any, value: int) -> str:
    """Return the name of a constant, or the names of the bits that are set in it.

    Parameters
    ----------
    constants : class
        The class of pyopencl that names the constants, such as ``pyopencl.device_type``.
    value : int
        The constant.

    Returns
    -------
    str
        For example ``"GPU"`` or ``"CPU|GPU"``; the number itself if it has no name.
    """
    known = _constants(constants)
    exact = [name for name, constant in known.items() if constant == value]
    bits = [name for name, bit in known.items() if bit.bit_count() == 1 and bit & value]
    return "|".join(exact or bits) or str(value)


def variables(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment variables that decide how OpenCL and pyclfft behave."""
    return {name: environment[name] for name in sorted(environment) if name.startswith(VARIABLES)}


def paragraph(name: str, text: str, column: int = 34) -> str:
    """Return a name with a text of any length beside it, in lines of `WIDTH` characters."""
    filled = textwrap.fill(
        text,
        WIDTH,
        initial_indent=f"  {name:<{column}}  ",
        subsequent_indent=" " * (column + 4),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return filled or f"  {name}"


def without_names(text: str) -> str:
    """Replace the user's home folder by ``~``, and the user's name in other paths by ``USER``.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        The text without the two names.
    """
    for pattern, replacement in _private():
        text = re.sub(pattern, replacement, text)
    return text


def _private() -> Iterator[tuple[str, str]]:
    """Yield patterns of private words, and what replaces them.

    A pattern matches whole names only: the home /home/ann does not match in /home/anna.
    """
    with suppress(RuntimeError):  # the user has no home
        home = Path.home()
        for path in {home, home.resolve()}:
            if len(path.parts) > 1:  # in some containers the home is "/"
                for spelling in {str(path), path.as_posix()}:
                    yield rf"{re.escape(spelling)}(?![\w.-])", "~"
    with suppress(KeyError, OSError, ImportError):  # in some containers the user has no name
        yield rf"(?<=[/\\]){re.escape(getpass.getuser())}(?![\w.-])", "USER"


def _constants(constants: Any) -> dict[str, int]:
    return {name: getattr(constants, name) for name in dir(constants) if name.isupper()}


def _shown(value: Any, constants: Any) -> str:
    """Return a property's value in words."""
    if isinstance(value, list | tuple):
        return ", ".join(_shown(each, constants) for each in value)
    if constants is not None:
        return constant_names(constants, value)
    if hasattr(value, "version"):  # pyopencl's NameVersion
        return f"{value.name} {_version(value.version)}"
    return " ".join(str(value).split())


def _version(packed: int) -> str:
    """Return a version that OpenCL has packed into 10, 10 and 12 bits."""
    return f"{packed >> 22}.{packed >> 12 & 0x3FF}.{packed & 0xFFF}"
