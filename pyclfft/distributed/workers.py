"""A device for each worker of a Dask cluster.

A worker claims a device by locking a file in the host's temporary folder. The operating system
frees the lock when the worker's process ends, however it ends, so that a worker which Dask starts
in the place of a lost one finds the device free.
"""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyopencl as cl
from filelock import FileLock, Timeout

from ..advice import pip_install
from ..errors import DeviceError
from ..runtime import choice, runtimes

try:
    from distributed import WorkerPlugin
except ImportError as error:
    raise ImportError(
        f"devices of workers need Dask's scheduler: {pip_install('chunks')}"
    ) from error

if TYPE_CHECKING:
    from distributed import Client, Worker

NAME = "pyclfft-devices"
_claims: list[FileLock] = []  # of this process; a lock that nobody refers to is freed


class Devices(WorkerPlugin):
    """Lets each worker take a device of its own; see `assign_devices`.

    Parameters
    ----------
    specs : tuple of str, optional
        The devices of every host, as `pyclfft.use_device` understands them.
    """

    name = NAME

    def __init__(self, specs: Sequence[str] | None = None) -> None:
        self.specs = None if specs is None else tuple(specs)

    def setup(self, worker: Worker) -> None:
        """Choose a device for the worker's process."""
        choice.use_device(claim(candidates(self.specs)))


def assign_devices(client: Client, devices: Sequence[str] | None = None) -> dict[str, str]:
    """Let every worker of a Dask cluster take a device: those that there are, and later ones.

    Parameters
    ----------
    client : distributed.Client
        The client of the cluster. A worker must be a process of its own, because all threads of a
        process use the device that is chosen in it.
    devices : sequence of str, optional
        The devices of every host, as `pyclfft.use_device` understands them; by default all GPUs, or
        the default device on a host without any. If a host has more workers than devices, several
        workers share a device, about as many on each.

    Returns
    -------
    dict of str to str
        The device of each worker, by the worker's address.

    Raises
    ------
    DeviceError
        A worker's host has no usable device that fits.

    See Also
    --------
    pyclfft.distributed.chunked.fftn : Transform a dask array on the workers' devices.
    pyclfft.use_device : Choose the device of this process.
    pyclfft.devices : List all usable devices of this host.

    Examples
    --------
    ::

        from distributed import Client, LocalCluster
        from pyclfft.distributed.workers import assign_devices

        client = Client(LocalCluster(n_workers=2, threads_per_worker=2))
        print(assign_devices(client))
    """
    for answer in client.register_plugin(Devices(devices), name=NAME).values():
        if answer.get("status") == "error":
            from distributed.protocol.pickle import loads

            error = answer["exception"]
            raise error.data if hasattr(error, "data") else loads(error)
    return dict(client.run(_device_in_use))


def _device_in_use() -> str:
    return choice.default_device().name


def candidates(specs: Sequence[str] | None) -> tuple[cl.Device, ...]:
    """Return the devices of this host that workers may take.

    Raises
    ------
    DeviceError
        No usable device fits one of `specs`.
    """
    if specs is not None:
        return tuple(choice.select_device(spec) for spec in specs)
    gpus = [each for each in runtimes.devices() if each.type & cl.device_type.GPU]
    return tuple(gpus) or (choice.default_device(),)


def claim(found: Sequence[cl.Device]) -> cl.Device:
    """Claim the device that fewest other processes have claimed, in the place of an earlier claim.

    Parameters
    ----------
    found : sequence of cl.Device
        The devices to choose from, in an order that is the same in all processes.

    Returns
    -------
    cl.Device
        The device, which is claimed until the process ends or claims another one.

    Raises
    ------
    DeviceError
        There is no device to choose from.
    """
    while _claims:
        _claims.pop().release()
    if not found:
        raise DeviceError("no device for this worker: name one with devices=")
    folder = Path(tempfile.gettempdir()) / f"{NAME}-{_user()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    for place in itertools.count():
        for device in found:
            lock = FileLock(folder / f"{_label(device)}-{place}.lock")
            try:
                lock.acquire(blocking=False)
            except Timeout:
                continue
            _claims.append(lock)
            return device
    raise AssertionError  # the count does not end


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else os.environ.get("USERNAME", "")


def _label(device: cl.Device) -> str:
    """Return a file's name for a device: the numbers of its platform and of the device there."""
    platforms = cl.get_platforms()
    number = platforms.index(device.platform)
    return f"{number}-{device.platform.get_devices().index(device)}"
