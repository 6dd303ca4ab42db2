"""What was measured before, for the devices of this process: our entries and the user's."""

from __future__ import annotations

import functools
import hashlib

import pyopencl as cl

from ..planning import database
from ..planning.lookup import ALIKE, USER, Workclass, look_up
from ..planning.parameters import Parameters
from ..planning.problem import Problem
from . import describe
from .program import kernel_files


@functools.cache
def shipped_entries() -> database.Entries:
    """Return the entries that come with pyclfft."""
    return database.shipped()


@functools.cache
def user_entries() -> database.Entries:
    """Return the user's entries."""
    return database.read(database.user_file())


def forget_entries() -> None:
    """Read the user's entries again: they have changed."""
    user_entries.cache_clear()
    _found.cache_clear()


@functools.cache
def sources_hash() -> str:
    """Return a hash of all kernels: what was measured with others may not hold."""
    digest = hashlib.sha256()
    for name, path in kernel_files().items():
        digest.update(name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def parameters_of(
    chosen: cl.Device, problem: Problem | None = None, algorithm: str | None = None
) -> Parameters:
    """Return the parameters of a problem on a device.

    Parameters
    ----------
    chosen : pyopencl.Device
        The device.
    problem : Problem, optional
        What to transform; without one what is the same for all problems.
    algorithm : str, optional
        The only solver, where it is not chosen.

    Returns
    -------
    parameters : Parameters
    """
    return _found(chosen, Workclass.of(problem, algorithm) if problem else None)


def origins_of(chosen: cl.Device) -> dict[str, int]:
    """Return how many problems are tuned for a device, by where that is known from."""
    identity = describe.identity(chosen)
    user = [
        each
        for each in user_entries()
        if each.identity == identity and each.sources == sources_hash()
    ]
    origins = [identity.origin(each.identity) for each in shipped_entries()]
    counts = {USER: len(user), **{origin: origins.count(origin) for origin in ALIKE}}
    return {origin: count for origin, count in counts.items() if count}


@functools.lru_cache(maxsize=1024)
def _found(chosen: cl.Device, workclass: Workclass | None) -> Parameters:
    user = user_entries()
    return look_up(
        workclass,
        describe.identity(chosen),
        describe.traits(chosen),
        shipped_entries(),
        user,
        sources_hash() if user else "",
    )
