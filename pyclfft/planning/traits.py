"""A device as the numbers that planning needs; recorded ones stand in for devices in tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Traits:
    """What a planner may know of a device. The vendor's name is not among it, on purpose.

    Attributes
    ----------
    name : str
        For messages and printed plans only; no decision may depend on it.
    is_cpu : bool
        The device's cores are the host's.
    compute_units : int
        Cores, or multiprocessors.
    max_work_group_size : int
        Most work-items in a group.
    max_work_item_sizes : tuple of int
        Most work-items in a group along each dimension; some CPU runtimes allow 1 beyond the first.
    local_mem_bytes : int
        Local memory of one work-group.
    global_mem_bytes, max_alloc_bytes : int
        All memory, and the largest single buffer.
    lanes : int
        Work-items that run in lockstep (a warp, a wavefront, or a CPU's float vector).
    fp64, fp16 : bool
        Whether double and half arithmetic exist.
    unified_memory : bool
        The host's memory is the device's.
    l2_bytes : int
        Of the cache that all multiprocessors share; 0 where it is unknown.
    groups_may_wait : bool
        A work-group that has begun goes on while others wait for it, and there are means to see
        what it has stored (fused.cl).
    ptx : bool
        Kernels may contain inline PTX for compute capability 7.0 or newer.
    vectorizes : bool
        Work-items of a group run side by side: by hardware, or in vectors that a compiler makes of
        them, as PoCL's hardly does for kernels with barriers.
    shared_buffers : bool
        Host and kernels can use the same buffers without maps (fine-grained buffer SVM).
    system_svm : bool
        Kernels may be given any address of the host's memory (fine-grained system SVM).
    """

    name: str
    is_cpu: bool
    compute_units: int
    max_work_group_size: int
    max_work_item_sizes: tuple[int, ...]
    local_mem_bytes: int
    global_mem_bytes: int
    max_alloc_bytes: int
    lanes: int = 32
    fp64: bool = True
    fp16: bool = False
    unified_memory: bool = False
    l2_bytes: int = 0
    groups_may_wait: bool = False
    ptx: bool = False
    vectorizes: bool = True
    shared_buffers: bool = False
    system_svm: bool = False

    def holds(self, sizes: Mapping[str, int]) -> bool:
        """Whether there is room for buffers, of which `sizes` gives the bytes, all at once."""
        total, largest = sum(sizes.values()), max(sizes.values(), default=0)
        return total <= self.global_mem_bytes and largest <= self.max_alloc_bytes
