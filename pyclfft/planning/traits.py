"""What planning knows of a device: a few numbers. Tests plan for devices from recorded numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

AVX2_LANES = 8  # of a vector of single precision


@dataclass(frozen=True)
class Traits:
    """What a planner may know of a device. The vendor's name is left out on purpose.

    Attributes
    ----------
    name : str
        The device's name, for messages and printed plans only; no decision may depend on it.
    is_cpu : bool
        Whether the device's cores are the host's.
    compute_units : int
        The number of cores, or of a GPU's multiprocessors.
    max_work_group_size : int
        The most work-items that a group may have.
    max_work_item_sizes : tuple of int
        The most work-items that a group may have along each dimension. Some CPU runtimes allow
        only 1 along the second and the third dimension.
    local_mem_bytes : int
        The local memory that one work-group may take, in bytes.
    global_mem_bytes, max_alloc_bytes : int
        The size of the device's memory, and that of the largest single buffer, in bytes.
    lanes : int
        The number of work-items that run in lockstep: a warp, a wavefront, or a CPU's float vector.
    fp64, fp16 : bool
        Whether the device computes in double precision, and in half precision.
    unified_memory : bool
        Whether the device's memory is the host's.
    l2_bytes : int
        The size of the cache that all multiprocessors share, in bytes; 0 if it is unknown.
    groups_may_wait : bool
        Whether a work-group that has begun goes on while others wait for it, and the others can
        see what it has stored (fused.cl).
    ptx : bool
        Whether kernels may contain inline PTX for compute capability 7.0 or newer.
    vectorizes : bool
        Whether the work-items of a group run side by side, in hardware or in vectors that the
        compiler makes of them. PoCL's compiler hardly does so for kernels with barriers: it makes
        loops over the work-items of a group, and compiles a kernel for each size of a group.
    shared_buffers : bool
        Whether the host and kernels can use the same buffers without maps (fine-grained buffer
        SVM).
    system_svm : bool
        Whether kernels may be given any address of the host's memory (fine-grained system SVM).
    unmaps_ahead : bool
        Whether the end of a buffer's mapping may be queued before the mapping has begun.
    writes_through : bool
        Whether what kernels write to a buffer that was made of an array's memory is in the array
        once they have ended, without a map.
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
    unmaps_ahead: bool = True
    writes_through: bool = False

    @property
    def vector_registers(self) -> int:
        """The number of vector registers of a CPU's core: 16 for AVX2, and 32 for AVX-512.

        Vectors of 4 lanes are not only those of SSE, with 16 registers, but also those of ARM, with
        32. Plans for them have not been measured, and 32 leaves them as they are.
        """
        return 16 if self.lanes == AVX2_LANES else 32

    def holds(self, sizes: Mapping[str, int]) -> bool:
        """Whether the device has room for all buffers at once; `sizes` gives their bytes."""
        total, largest = sum(sizes.values()), max(sizes.values(), default=0)
        return total <= self.global_mem_bytes and largest <= self.max_alloc_bytes
