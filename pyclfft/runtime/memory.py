"""Memory on the device and the host: allocation, transfers, the refusal of what is too large."""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from math import inf, prod
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import DeviceMemoryError
from ..planning.traits import Traits
from . import describe, forks, loss, pool
from .pool import ALIGNMENT

Memory = cl.Buffer | cl.SVMPointer  # what a pointer argument of a kernel can be set to
Allocator = Callable[[int], cl.Buffer]
Enqueue = Callable[[cl.CommandQueue, Memory, Memory, Sequence[cl.Event]], cl.Event]

_OUT_OF_MEMORY = (
    cl.status_code.MEM_OBJECT_ALLOCATION_FAILURE,
    cl.status_code.OUT_OF_RESOURCES,
    cl.status_code.OUT_OF_HOST_MEMORY,
    cl.status_code.INVALID_BUFFER_SIZE,
)


MAX_STAGED = 2**16  # bytes of input and result together, up to which copies beat wrapped memory
MAX_SPAN = 4  # times the size of its elements that an array with gaps may span in memory
HUGE_PAGE = 2 * 2**20
MIN_ON_HUGE_PAGES = 2 * HUGE_PAGE


def require_fits(traits: Traits, sizes: Mapping[str, int]) -> None:
    """Refuse buffers that a device cannot hold.

    Parameters
    ----------
    traits : Traits
        The device's traits.
    sizes : mapping of str to int
        The size of every buffer in bytes, by the buffer's name.

    Raises
    ------
    DeviceMemoryError
        The device cannot hold the buffers. This MemoryError names the bytes needed, the device's
        memory in all and its largest allocation.
    """
    if traits.holds(sizes):
        return
    total, largest = sum(sizes.values()), max(sizes.values())
    raise DeviceMemoryError(
        f"this needs {total:,} bytes on {traits.name}, {largest:,} of them in one buffer; the "
        f"device has {traits.global_mem_bytes:,} and allocates {traits.max_alloc_bytes:,} at most: "
        "take a smaller batch or image, or another device"
    )


def allocate(context: cl.Context, nbytes: int) -> cl.Buffer:
    """Return a new buffer; on a CPU under Linux a large one lies in huge pages.

    Raises
    ------
    DeviceMemoryError
        The device is out of memory.
    """
    buffer = _buffer(context, cl.mem_flags.READ_WRITE, nbytes)
    if nbytes >= MIN_ON_HUGE_PAGES and describe.traits(context.devices[0]).is_cpu:
        _ask_for_huge_pages(context, buffer)
    return buffer


def allocator(context: cl.Context) -> Allocator:
    """Return the function that allocates the memory of pyclfft's results on a device.

    Parameters
    ----------
    context : cl.Context
        The context of the arrays.

    Returns
    -------
    function
        A function that takes a number of bytes and returns a new buffer, for the parameter
        `allocator` of pyopencl's arrays. On a CPU under Linux, a buffer of 4 MiB or more lies in
        pages of 2 MiB, as NumPy's large arrays do; transforms of these buffers are up to three
        times as fast. Other buffers are like any of pyopencl's.

    Raises
    ------
    DeviceMemoryError
        The device is out of memory. The returned function raises it, not `allocator` itself.

    See Also
    --------
    default_queue : Return the queue that arrays can be made on.

    Examples
    --------
    >>> import numpy as np
    >>> import pyopencl.array as cl_array
    >>> import pyclfft
    >>> queue = pyclfft.default_queue()
    >>> x = np.ones((1024, 1024), "complex64")
    >>> on_device = cl_array.to_device(queue, x, allocator=pyclfft.allocator(queue.context))
    >>> print(int(pyclfft.fft2(on_device).get()[0, 0].real))
    1048576
    """
    return partial(allocate, context)


def _ask_for_huge_pages(context: cl.Context, buffer: cl.Buffer) -> None:
    """Ask Linux to use pages of 2 MiB instead of 4 KiB when a buffer is first touched.

    NumPy does this with its own arrays. Transforms of 32 MiB become up to three times as fast. The
    memory is the runtime's own, which keeps it while kernels use it; memory that we allocated could
    be freed under a running kernel.
    """
    if sys.platform != "linux":
        return
    with cl.CommandQueue(context) as queue, _mapped(queue, buffer) as array:
        address = array.ctypes.data
        begin = -(-address // HUGE_PAGE) * HUGE_PAGE
        nbytes = max(0, (address + buffer.size) // HUGE_PAGE * HUGE_PAGE - begin)
        advise = ctypes.CDLL(None).madvise  # Linux may refuse, which only costs time
        advise(ctypes.c_void_p(begin), ctypes.c_size_t(nbytes), mmap.MADV_HUGEPAGE)


def zeros(context: cl.Context, nbytes: int) -> cl.Buffer:
    """Return a new buffer that holds zeros; raise what `allocate` raises."""
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    return _buffer(context, flags, nbytes, np.zeros(nbytes, np.uint8))


def fill_zeros(
    queue: cl.CommandQueue, array: cl_array.Array, wait_for: Sequence[cl.Event]
) -> list[cl.Event]:
    """Fill a device array of any strides with zeros; what lies between its elements stays.

    Returns
    -------
    list of cl.Event
        An event for each stretch of neighbouring elements. The array is filled when all have ended.

    Raises
    ------
    DeviceError
        This process was forked from one that has used OpenCL.
    """
    forks.require_own_process()
    axis, stretch = array.ndim, array.dtype.itemsize
    while axis and array.strides[axis - 1] == stretch:
        axis -= 1
        stretch *= array.shape[axis]
    buffer: Any = array.base_data
    begins = (np.dot(index, array.strides[:axis]) for index in np.ndindex(array.shape[:axis]))
    return [
        cl.enqueue_fill_buffer(
            queue, buffer, np.uint8(0), array.offset + int(begin), stretch, list(wait_for)
        )
        for begin in begins
    ]


def constant(context: cl.Context, values: np.ndarray) -> cl.Buffer:
    """Return a new read-only buffer that holds `values`; raise what `allocate` raises."""
    flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
    held = values if values.size else np.zeros(1, values.dtype)  # there are no empty buffers
    return _buffer(context, flags, held.nbytes, np.ascontiguousarray(held))


@contextmanager
def filling(context: cl.Context, nbytes: int) -> Iterator[tuple[cl.Buffer, np.ndarray]]:
    """Give a new buffer and an array of bytes, whose content the buffer has afterwards.

    On a CPU the array is the buffer's own memory, so that the content is written once. Elsewhere it
    is memory of the host, which is uploaded.

    Raises
    ------
    DeviceMemoryError
        The device is out of memory.
    """
    buffer = allocate(context, nbytes)
    with cl.CommandQueue(context) as queue:
        if describe.traits(context.devices[0]).is_cpu:
            with _mapped(queue, buffer) as array:
                yield buffer, array
        else:
            array = np.empty(nbytes, np.uint8)
            yield buffer, array
            with refusals(context, nbytes):
                cl.enqueue_copy(queue, buffer, array)


@contextmanager
def _mapped(queue: cl.CommandQueue, buffer: cl.Buffer) -> Iterator[np.ndarray]:
    """Give the memory of a CPU's buffer, to be written to; raise what `filling` raises."""
    flags: Any = cl.map_flags.WRITE_INVALIDATE_REGION
    everything = (queue, buffer, flags, 0, (buffer.size,), np.dtype(np.uint8))
    mapped: Any
    with refusals(queue, buffer.size):
        mapped, _ = cl.enqueue_map_buffer(*everything)
    try:
        yield mapped
    finally:
        mapped.base.release(queue).wait()


def _buffer(
    context: cl.Context, flags: int, nbytes: int, values: np.ndarray | None = None
) -> cl.Buffer:
    forks.require_own_process()
    with refusals(context, nbytes):
        buffer = cl.Buffer(context, flags, 0 if values is not None else nbytes, hostbuf=values)
    with _allocated.lock:
        _allocated.nbytes += nbytes
    return buffer


class _Allocated:
    """The bytes of all buffers that were ever made."""

    def __init__(self) -> None:
        self.nbytes = 0
        self.lock = threading.Lock()


_allocated = _Allocated()


def allocated_bytes() -> int:
    """Return the bytes of all buffers that pyclfft has made in this process, freed ones included.

    While this number stays, nothing is allocated on any device.
    """
    return _allocated.nbytes


@contextmanager
def refusals(place: loss.Place, nbytes: int) -> Iterator[None]:
    """Turn a runtime's error into ours if it says that memory is short, or that a device is lost.

    The error may come when a buffer is first used: NVIDIA's driver grants more memory than there
    is, and fails when a command touches the buffer.

    Raises
    ------
    DeviceMemoryError
        The device is out of memory.
    DeviceError
        The device is lost.
    """
    try:
        yield
    except cl.Error as error:
        refuse(error, place, nbytes)
        raise


def refuse(error: cl.Error, place: loss.Place, nbytes: int) -> None:
    """Raise DeviceError if a device is lost, DeviceMemoryError if memory is short, or return."""
    if loss.is_lost(error, place):
        raise loss.lost(error, place) from error
    if error.code in _OUT_OF_MEMORY:
        raise DeviceMemoryError(
            f"{loss.device_of(place).name} did not allocate {nbytes:,} bytes ({error}): free some "
            "of its memory, or take a smaller batch or image"
        ) from None


def empty(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return a new host array.

    Unless it is small, the array begins at a cache line, since CPUs fill it faster then. A large
    array lies in memory of an earlier result that nobody refers to any more, if there is some.

    Raises
    ------
    MemoryError
        The array would be larger than the host's memory.
    """
    nbytes = prod(shape) * dtype.itemsize
    if nbytes >= pool.MIN_BYTES:
        if nbytes > _host_bytes():  # Linux may promise such memory, and end us when we fill it
            raise MemoryError(f"{nbytes:,} bytes are more than the host's memory")
        memory = pool.results.take(nbytes)
    elif nbytes > MAX_STAGED // 2:
        memory = np.empty(nbytes + ALIGNMENT, np.uint8)
    else:
        return np.empty(shape, dtype)
    return np.ndarray(shape, dtype, memory, -cl.SVM(memory).svm_ptr % ALIGNMENT)


@cache
def _host_bytes() -> float:
    """Return the bytes of the host's memory; infinity if the operating system does not say."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):  # the names of POSIX systems
        return inf


def shared(context: cl.Context, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return a new array that the host and kernels may use in turns, without mapping it.

    Raises
    ------
    DeviceMemoryError
        The device is out of memory.
    """
    with refusals(context, prod(shape) * dtype.itemsize):
        return cl.fsvm_empty(context, shape, dtype, alignment=ALIGNMENT)


def pinned(queue: cl.CommandQueue, nbytes: int) -> np.ndarray:
    """Return new host memory that a device reads and writes by itself, at its full speed.

    Raises
    ------
    DeviceMemoryError
        The host has no more memory that the device can reach.
    """
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.ALLOC_HOST_PTR
    buffer = _buffer(queue.context, flags, nbytes)
    mode: Any = cl.map_flags.READ | cl.map_flags.WRITE
    mapped: Any = cl.enqueue_map_buffer(queue, buffer, mode, 0, (nbytes,), np.dtype(np.uint8))[0]
    return np.asarray(mapped)  # the array keeps the mapping, and the mapping keeps the buffer


def can_stage(traits: Traits, nbytes: int) -> bool:
    """Whether host arrays are best copied to memory that the device shares: small ones on a CPU.

    Parameters
    ----------
    traits : Traits
        The device's traits.
    nbytes : int
        The bytes of input and result together.
    """
    return traits.is_cpu and traits.shared_buffers and nbytes <= MAX_STAGED


def can_wrap(traits: Traits, source: np.ndarray, target: np.ndarray) -> bool:
    """Whether a device can work on two contiguous host arrays where they are.

    The device must be a CPU, each array must begin at a multiple of its element's size, and the
    arrays must share no memory: OpenCL does not say what happens to two buffers of one memory.
    """
    if not traits.is_cpu:
        return False
    begin, other = _address(source), _address(target)
    if begin % source.itemsize or other % target.itemsize:
        return False
    return begin + source.nbytes <= other or other + target.nbytes <= begin


def is_aligned(traits: Traits, array: np.ndarray) -> bool:
    """Whether a device is a CPU, and an array begins at a multiple of its element's size."""
    return traits.is_cpu and not _address(array) % array.itemsize


def contiguous(array: np.ndarray) -> np.ndarray:
    """Return an array itself if it is contiguous, otherwise a contiguous copy of it."""
    if array.flags.c_contiguous:
        return array
    copy = empty(array.shape, array.dtype)
    copy[...] = array
    return copy


def reads_as_it_lies(traits: Traits, source: np.ndarray) -> bool:
    """Whether a device had better read a host array with its own strides than a contiguous copy.

    This holds for a transposed array. On a CPU it also holds for a part of a larger array, since
    the CPU does not read the gaps. It does not hold for a small array, since a copy is made faster
    than one more plan.
    """
    if source.nbytes <= MAX_STAGED // 2:
        return False
    span = span_of(source)
    return span is not None and span.size <= source.size * (MAX_SPAN if traits.is_cpu else 1)


def span_of(array: np.ndarray) -> np.ndarray | None:
    """Return the memory from an array's first element to its last as an array of one dimension.

    Return None if the array has no elements, if an element lies before the first one, or if no two
    elements are neighbours in memory.
    """
    size = array.itemsize
    along = [(n, stride) for n, stride in zip(array.shape, array.strides, strict=True) if n != 1]
    if not array.size or any(stride <= 0 or stride % size for _, stride in along):
        return None
    if min((stride for _, stride in along), default=size) > size:
        return None
    elements = 1 + sum((n - 1) * stride // size for n, stride in along)
    return np.lib.stride_tricks.as_strided(array, (elements,), (size,), writeable=False)


def run_where_they_are(
    queue: cl.CommandQueue,
    traits: Traits,
    source: np.ndarray,
    target: np.ndarray,
    enqueue: Enqueue,
    wait_for: Sequence[cl.Event] = (),
) -> None:
    """Let a CPU read and write host arrays where they are.

    If the runtime shares all of the host's memory, as Intel's does, kernels get the arrays'
    addresses. Otherwise they get buffers made of the arrays' memory, which PoCL does not copy.

    Parameters
    ----------
    queue : cl.CommandQueue
        The queue to launch kernels on.
    traits : Traits
        The device's traits.
    source, target : ndarray
        Arrays that `can_wrap` allows. `target` holds the result when this function returns.
    enqueue : function
        Starts kernels as `Executable.enqueue` does.
    wait_for : sequence of cl.Event
        The events to wait for before the input is read.
    """
    try:
        if traits.system_svm:
            enqueue(queue, addressed(source), addressed(target), wait_for).wait()
        else:
            _run_by_buffers(queue, traits, source, target, enqueue, wait_for)
    except BaseException:
        loss.finish(queue)  # no kernel may outlive its memory
        raise


def _run_by_buffers(
    queue: cl.CommandQueue,
    traits: Traits,
    source: np.ndarray,
    target: np.ndarray,
    enqueue: Enqueue,
    wait_for: Sequence[cl.Event],
) -> None:
    """Wait only once, at the end: once PoCL's threads sleep, they take long to wake."""
    context, flags = queue.context, cl.mem_flags
    with refusals(queue, source.nbytes + target.nbytes):
        given = cl.Buffer(context, flags.READ_ONLY | flags.USE_HOST_PTR, hostbuf=source)
        result = cl.Buffer(context, flags.READ_WRITE | flags.USE_HOST_PTR, hostbuf=target)
    map_back(queue, traits, result, enqueue(queue, given, result, wait_for))


def map_back(queue: cl.CommandQueue, traits: Traits, buffer: cl.Buffer, done: cl.Event) -> None:
    """Wait until an array holds what kernels have written to the buffer made of its memory.

    Unless the runtime writes through, it does so only when the buffer has been mapped after the
    last kernel, whose event is `done`. Each map wakes the runtime's threads twice more.
    """
    if traits.writes_through:
        done.wait()
        return
    everything = (queue, buffer, cl.map_flags.READ, 0, (buffer.size,), np.dtype(np.uint8))
    mapped: Any
    mapped, current = cl.enqueue_map_buffer(
        *everything, wait_for=[done], is_blocking=not traits.unmaps_ahead
    )
    mapped.base.release(queue, [current]).wait()


def addressed(array: np.ndarray) -> cl.SVM:
    """Return an array's memory for a runtime that shares all of the host's memory.

    pyopencl wants memory that it may write to, even where kernels only read it.
    """
    if array.flags.writeable:
        return cl.SVM(array)
    return cl.SVM((ctypes.c_ubyte * array.nbytes).from_address(_address(array)))


def _address(array: np.ndarray) -> int:
    if array.flags.writeable and array.flags.c_contiguous:
        return cl.SVM(array).svm_ptr  # it is found in a fifth of the time that NumPy's way takes
    return int(array.__array_interface__["data"][0])


def upload(
    queue: cl.CommandQueue, array: np.ndarray, wait_for: Sequence[cl.Event] = ()
) -> tuple[cl.Buffer, cl.Event]:
    """Copy a contiguous host array to a new buffer; the copy has ended when the event has."""
    buffer = allocate(queue.context, array.nbytes)
    with refusals(queue, array.nbytes):
        event = cl.enqueue_copy(queue, buffer, array, is_blocking=False, wait_for=wait_for or None)
    return buffer, event


def download(
    queue: cl.CommandQueue, target: np.ndarray, buffer: cl.Buffer, wait_for: Sequence[cl.Event]
) -> cl.Event:
    """Copy a buffer to a contiguous host array, and wait until it is there."""
    return cl.enqueue_copy(queue, target, buffer, is_blocking=True, wait_for=wait_for)
