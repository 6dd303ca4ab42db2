"""The ladder: direct convolution of stereo sound, faster by one optimisation at a time.

The steps come from a master's thesis on convolution reverb with CUDA, and can all be chosen by
name, both offline (the whole signal at once) and in real time (chunks in a circular buffer on the
device). The last one, "ours", is the kernel that `pyclfft.convolve` uses, registers.cl.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyopencl as cl

from ..errors import PlanError
from ..runtime import describe, memory
from ..runtime.program import program
from .circular import ring_for
from .line_plans import LineJob, Side, block_job
from .lines import LineConvolver

SOURCE, KERNEL = "convolution/thesis.cl", "ladder"
GROUP = 256  # work-items
GROUPS_A_UNIT = 8  # of a launch with an outer loop, for each compute unit
CHANNELS = 2
FRAME = np.dtype(np.complex64)  # both channels of a frame, a float2 on the device
CHUNK = 22528  # the thesis' best number of frames in a chunk
STREAMS = 2


@dataclass(frozen=True)
class Rung:
    """One step of the ladder.

    Attributes
    ----------
    name : str
        Its name.
    textures : bool
        Whether the impulse response, and offline also the signal, is read through an image.
    local : bool
        Whether tiles of the impulse response are copied to local memory.
    prefetch : bool
        Whether the next tile is loaded while one is computed with.
    unrolled : int
        The taps in one turn of the inner loop.
    outer_loop : bool
        Whether a launch has a fixed number of groups, each of which computes many results.
    """

    name: str
    textures: bool = False
    local: bool = False
    prefetch: bool = False
    unrolled: int = 1
    outer_loop: bool = True

    def defines(self, group: int, in_chunks: bool) -> tuple[tuple[str, str], ...]:
        """Return the macros of thesis.cl."""
        macros = {
            "GROUP": group,
            "TEXTURES": int(self.textures),
            "LOCAL": int(self.local),
            "PREFETCH": int(self.prefetch),
            "UNROLLED": self.unrolled,
            "OUTER_LOOP": int(self.outer_loop),
            "RING": int(in_chunks),
        }
        return tuple((name, str(value)) for name, value in macros.items())


PLAIN = Rung("plain")
OURS = Rung("ours")
_SIMPLE = (
    PLAIN,
    Rung("texture", textures=True),
    Rung("local", local=True),
    Rung("both", textures=True, local=True),
    Rung("prefetch", textures=True, local=True, prefetch=True),
)
# Offline, each later rung adds to the one before. In real time, prefetching made the thesis' kernel
# slower, and so its later rungs do without it.
OFFLINE = (
    *_SIMPLE,
    Rung("unroll 4", textures=True, local=True, prefetch=True, unrolled=4),
    Rung("unroll 8", textures=True, local=True, prefetch=True, unrolled=8),
    Rung("no outer loop", True, True, True, 8, outer_loop=False),
    OURS,
)
REAL_TIME = (
    *_SIMPLE,
    Rung("unroll 4", textures=True, local=True, unrolled=4),
    Rung("unroll 8", textures=True, local=True, unrolled=8),
    Rung("no outer loop", textures=True, local=True, outer_loop=False),
    OURS,
)


def rung_of(name: str, rungs: tuple[Rung, ...]) -> Rung:
    """Return a rung by its name.

    Raises
    ------
    PlanError
        A ValueError: there is no such rung. The error names all that there are.
    """
    found = next((each for each in rungs if each.name == name), None)
    if found is None:
        raise PlanError(f"no rung is called {name!r}: {', '.join(each.name for each in rungs)}")
    return found


def has_textures(context: cl.Context) -> bool:
    """Return whether the context's device reads stereo frames through an image1d_buffer_t."""
    if not context.devices[0].image_support:
        return False
    one_dimensional = cl.mem_object_type.IMAGE1D_BUFFER
    flags = cl.mem_flags.READ_ONLY
    formats = cl.get_supported_image_formats(context, flags, one_dimensional)
    wanted = (cl.channel_order.RG, cl.channel_type.FLOAT)
    return any((each.channel_order, each.channel_data_type) == wanted for each in formats)


def without_textures(rungs: tuple[Rung, ...]) -> tuple[Rung, ...]:
    """Return the rungs for a device that has no textures.

    Those that add something to textures and local memory do so to local memory alone. Those that
    are about textures stay as they are, and are refused by such a device.
    """
    about = ("texture", "both")
    return tuple(each if each.name in about else replace(each, textures=False) for each in rungs)


def require_textures(context: cl.Context, frames: int) -> None:
    """Refuse textures that a device lacks.

    Raises
    ------
    PlanError
        The device has no image1d_buffer_t, or none of this many frames.
    """
    device = context.devices[0]
    if not has_textures(context):
        raise PlanError(
            f"{device.name.strip()} has no image1d_buffer_t of two floats, which this rung reads "
            "its arrays through: choose a rung without textures"
        )
    if frames > device.image_max_buffer_size:
        raise PlanError(
            f"an image1d_buffer_t of {device.name.strip()} holds {device.image_max_buffer_size:,} "
            f"frames at most, not {frames:,}: choose a rung without textures or a shorter sound"
        )


@dataclass
class Ladder:
    """A convolution by one rung, with everything on the device.

    Attributes
    ----------
    chunks : int
        How many launches make the whole result: 1 offline.
    results : int
        The frames that a launch makes.
    multiply_adds : int
        How many a launch does in both channels; the thesis' kernels also add products with the
        zeros around the sound.
    upload : function
        Of the queue and the number of a chunk: brings the chunk to the circular buffer. Offline it
        does nothing.
    launch : function
        Of the queue and the number of a chunk: starts the launch and returns the events of its
        kernels.
    download : function
        Of the queue: returns the frames of the last launch, of the shape (frames, 2).
    """

    chunks: int
    results: int
    multiply_adds: int
    upload: Callable[[cl.CommandQueue, int], None]
    launch: Callable[[cl.CommandQueue, int], list[cl.Event]]
    download: Callable[[cl.CommandQueue], np.ndarray]

    def run(self, queue: cl.CommandQueue) -> np.ndarray:
        """Return the whole result, of the shape (frames, 2)."""
        parts = []
        for number in range(self.chunks):
            self.upload(queue, number)
            self.launch(queue, number)
            parts.append(self.download(queue))
        return np.concatenate(parts)


def ladder(
    context: cl.Context,
    rung: Rung,
    dry: np.ndarray,
    ir: np.ndarray,
    chunk: int | None = None,
    *,
    group: int = GROUP,
    most: int | None = None,
) -> Ladder:
    """Return the convolution of a stereo sound with a stereo impulse response, by a rung.

    Parameters
    ----------
    context : cl.Context
        A context of one device.
    rung : Rung
        The rung, of `OFFLINE` or `REAL_TIME`.
    dry, ir : ndarray
        The sound and the impulse response, of the shape (frames, 2), converted to float32.
    chunk : int, optional
        Real time: the frames of a chunk, a multiple of `group`. Offline by default.
    group : int
        The work-items of a group, and the taps of a tile.
    most : int, optional
        Offline: only so many frames of the result are made, from the first one on.

    Returns
    -------
    Ladder

    Raises
    ------
    PlanError
        The device has no textures, the arrays are not stereo, or `chunk` is no multiple of `group`.
    DeviceMemoryError, BuildError
        The device has no room for the sound, or the kernel does not compile.
    """
    dry, ir = (np.ascontiguousarray(each, np.float32) for each in (dry, ir))
    if any(each.ndim != 2 or each.shape[1] != CHANNELS or not each.size for each in (dry, ir)):
        raise PlanError("the ladder convolves stereo sounds of the shape (frames, 2)")
    if chunk is not None and (chunk <= 0 or chunk % group):
        raise PlanError(f"a chunk must be a multiple of the group's {group} items, not {chunk}")
    full = len(dry) + len(ir) - 1
    full = full if most is None or chunk else min(full, most)
    if rung == OURS:
        return _ours(context, dry, ir, chunk, full)
    return _theirs(context, rung, dry, ir, chunk, full, group)


def products_of(results: int, frames: int, taps: int) -> int:
    """Return how many products the first results of a convolution are sums of, in one channel."""
    short = min(frames, taps)
    rising, falling = min(results, short), max(0, results - max(frames, taps))
    level = results - rising - falling
    return (
        rising * (rising + 1) // 2 + level * short + falling * short - falling * (falling + 1) // 2
    )


# --- the thesis' kernel ---------------------------------------------------------------------------


def _theirs(
    context: cl.Context,
    rung: Rung,
    dry: np.ndarray,
    ir: np.ndarray,
    chunk: int | None,
    full: int,
    group: int,
) -> Ladder:
    device = context.devices[0]
    taps = _rounded(len(ir), group)
    results = chunk or _rounded(full, group)
    ring = ring_for(taps, chunk, STREAMS).total if chunk else 0
    before = 0 if chunk else taps
    frames = ring or before + results
    if rung.textures:
        require_textures(context, taps + group if chunk else max(taps + group, frames))
    built = program(context, SOURCE, rung.defines(group, bool(chunk)))
    lengths = memory.constant(context, np.array([taps, results, ring], np.int32))
    sound = dry[:0] if chunk else dry[:results]  # in real time the circular buffer begins empty
    signal = memory.constant(context, _padded(sound, before, frames))
    wet = memory.allocate(context, results * FRAME.itemsize)
    response = memory.constant(context, _padded(ir, 0, taps + group))
    arguments: list[Any] = [
        wet,
        _texture(context, signal, frames) if rung.textures and not chunk else signal,
        _texture(context, response, taps + group) if rung.textures else response,
        lengths,
        np.int32(before),
        np.int32(0),
    ]
    kernel = cl.Kernel(built, KERNEL)
    kernel.set_args(*arguments)
    groups = results // group
    if rung.outer_loop:
        groups = min(groups, GROUPS_A_UNIT * describe.traits(device).compute_units)

    def launch(queue: cl.CommandQueue, number: int) -> list[cl.Event]:
        if chunk:
            kernel.set_arg(4, np.int32(number * chunk % ring))
        return [cl.enqueue_nd_range_kernel(queue, kernel, (groups * group,), (group,))]

    def upload(queue: cl.CommandQueue, number: int) -> None:
        if chunk:
            part = _padded(dry[number * chunk : (number + 1) * chunk], 0, chunk)
            at = number * chunk % ring * FRAME.itemsize
            cl.enqueue_copy(queue, signal, part, dst_offset=at)

    def download(queue: cl.CommandQueue) -> np.ndarray:
        found = np.empty((results, CHANNELS), np.float32)
        cl.enqueue_copy(queue, found, arguments[0])
        return found if chunk else found[:full]

    multiply_adds = CHANNELS * results * taps
    return Ladder(-(-full // results), results, multiply_adds, upload, launch, download)


def _rounded(count: int, multiple: int) -> int:
    return -(-count // multiple) * multiple


def _padded(sound: np.ndarray, before: int, frames: int) -> np.ndarray:
    """Return a sound between zeros."""
    result = np.zeros((frames, CHANNELS), np.float32)
    result[before : before + len(sound)] = sound
    return result


def _texture(context: cl.Context, buffer: cl.Buffer, frames: int) -> cl.Image:
    """Return an image1d_buffer_t of the frames in a buffer."""
    layout = cl.ImageFormat(cl.channel_order.RG, cl.channel_type.FLOAT)
    flags = cl.mem_flags.READ_ONLY
    return cl.create_image(context, flags, layout, (frames,), buffer=buffer)


# --- ours -----------------------------------------------------------------------------------------


def _ours(
    context: cl.Context, dry: np.ndarray, ir: np.ndarray, chunk: int | None, full: int
) -> Ladder:
    """Return the convolution by registers.cl, whose channels lie one after the other."""
    taps = len(ir)
    results = chunk or full
    ring = ring_for(taps, chunk, STREAMS).total if chunk else len(dry)
    if chunk:
        job = block_job(chunk, taps, ring, CHANNELS, CHANNELS)
    else:
        batch = ((CHANNELS, ring, taps, full),)
        job = LineJob(full, 0, taps, 0, ring, Side(1), Side(1), Side(1), batch)
    signal = np.zeros((CHANNELS, ring), np.float32)
    if not chunk:
        signal[:] = dry.T
    held = memory.constant(context, signal)
    wet = memory.allocate(context, results * FRAME.itemsize)
    bound = LineConvolver(job, context).bind(held, memory.constant(context, ir.T), wet)

    def launch(queue: cl.CommandQueue, number: int) -> list[cl.Event]:
        return bound.events(queue, number * results % ring if chunk else 0)

    def upload(queue: cl.CommandQueue, number: int) -> None:
        if not chunk:
            return
        part = np.ascontiguousarray(_padded(dry[number * chunk : (number + 1) * chunk], 0, chunk).T)
        at = number * chunk % ring
        for channel in range(CHANNELS):
            place = (channel * ring + at) * part.itemsize
            cl.enqueue_copy(queue, held, part[channel], dst_offset=place)

    def download(queue: cl.CommandQueue) -> np.ndarray:
        found = np.empty((CHANNELS, results), np.float32)
        cl.enqueue_copy(queue, found, wet)
        return found.T

    products = chunk * taps if chunk else products_of(results, len(dry), taps)
    return Ladder(-(-full // results), results, CHANNELS * products, upload, launch, download)
