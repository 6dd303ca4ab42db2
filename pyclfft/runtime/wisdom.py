"""Parameters measured before, for the devices of this process: shipped entries and the user's."""

from __future__ import annotations

import functools
import hashlib

import pyopencl as cl

from ..planning import database
from ..planning.lookup import ALIKE, USER, Identity, Workclass, Workclasses, look_up
from ..planning.parameters import Parameters
from ..planning.problem import Problem
from . import describe
from .program import kernel_files


@functools.cache
def shipped_entries(identity: Identity) -> database.Entries:
    """Return the entries that come with pyclfft, of devices that have something in common with one.

    Parameters
    ----------
    identity : Identity
        The device.

    Returns
    -------
    tuple of Entry
    """
    return database.shipped(identity)


@functools.cache
def user_entries() -> database.Entries:
    """Return the entries of the user's wisdom."""
    return database.read(database.user_file())


def forget_entries() -> None:
    """Forget the user's entries, which have changed, so that they are read again."""
    user_entries.cache_clear()
    _found.cache_clear()


@functools.cache
def sources_hash() -> str:
    """Return a hash of all kernels: times that were measured with other kernels may not hold."""
    digest = hashlib.sha256()
    for name, path in kernel_files().items():
        digest.update(name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def parameters_of(
    chosen: cl.Device,
    problem: Problem | None = None,
    algorithm: str | None = None,
    *,
    within: Workclass | None = None,
) -> Parameters:
    """Return the parameters of a problem on a device.

    Parameters
    ----------
    chosen : pyopencl.Device
        The device.
    problem : Problem, optional
        The problem; without one, the parameters that hold for all problems are returned.
    algorithm : str, optional
        The solver that the caller has chosen for every axis, if any.
    within : Workclass, optional
        The class of what the transform is a part of. What was measured for it comes first.

    Returns
    -------
    parameters : Parameters
    """
    outer = () if within is None else (within,)
    workclasses = (*outer, Workclass.of(problem, algorithm)) if problem else outer
    return _found(chosen, describe.traits(chosen).is_cpu, workclasses)


def origins_of(chosen: cl.Device) -> dict[str, int]:
    """Return the number of entries that apply to a device, by where the entries come from."""
    identity = describe.identity(chosen)
    user = [
        each
        for each in user_entries()
        if each.identity == identity and each.sources == sources_hash()
    ]
    origins = [identity.origin(each.identity) for each in shipped_entries(identity)]
    counts = {USER: len(user), **{origin: origins.count(origin) for origin in ALIKE}}
    return {origin: count for origin, count in counts.items() if count}


@functools.lru_cache(maxsize=1024)
def _found(chosen: cl.Device, is_cpu: bool, workclasses: Workclasses) -> Parameters:
    user, identity = user_entries(), describe.identity(chosen)
    return look_up(
        workclasses,
        identity,
        describe.traits(chosen),
        shipped_entries(identity),
        user,
        sources_hash() if user else "",
    )
