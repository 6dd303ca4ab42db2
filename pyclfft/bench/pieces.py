"""``python -m pyclfft bench pieces``: arrays larger than the device, beside copies without kernels.

Transforms in pieces are limited by the link between the host and the device. So what is reported is
the rate of bytes that cross the link, both ways together, beside two rates of the same bytes
without any kernel: from pinned memory to the device and back, which is what the link can do; and
from one NumPy array through pinned memory to the device, and back into another one, which is what
the link and the host's memory can do.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from math import prod
from typing import Any

import numpy as np
import pyopencl as cl

from .. import commandline
from ..planning.slabs import parts
from ..runtime import choice, conveyor, memory, queues
from ..runtime.conveyor import Conveyor, Piece, Slab
from ..runtime.pieces import Request, bytes_crossing, room_of, transform
from . import render, session
from .documents import numbers, read_document
from .environment import environment, host
from .render import Part, Table
from .statistics import Spread, spread

PROG = "pyclfft bench pieces"
SAMPLES = 3
ARRAY_BYTES = 2**28
DTYPE = np.dtype(np.complex64)
ROW = 2**16  # points of a row of the batch
SPIKES = 64  # elements of the input that are not zero, so that its spectrum is known everywhere
BINS = 1000  # bins that are compared
WORST = 1e-6  # relative L2 error of a result that is right


@dataclass(frozen=True)
class Case:
    """An array and the axes that are transformed.

    Attributes
    ----------
    name : str
        What the table calls it.
    shape, axes : tuple of int
        The shape and the transformed axes.
    """

    name: str
    shape: tuple[int, ...]
    axes: tuple[int, ...]


@dataclass(frozen=True)
class Row:
    """What was measured of a case.

    Attributes
    ----------
    case : Case
        The case.
    crossed : int
        The bytes that cross the link in one call, both ways together.
    seconds : Spread
        The seconds of a call.
    error : float
        The relative L2 error of some bins.
    """

    case: Case
    crossed: int
    seconds: Spread
    error: float

    @property
    def rate(self) -> float:
        """The bytes that cross the link in a second."""
        return self.crossed / self.seconds.median


@dataclass(frozen=True)
class Results:
    """What was measured.

    Attributes
    ----------
    environment : dict of str to str
        Where it was measured.
    nbytes, max_device_bytes : int
        The bytes of each array, and those that the pieces may take on the device.
    chunk_bytes, copiers : int
        The bytes of a chunk, and the threads that copy in one direction.
    rates : dict of str to float
        The bytes that cross the link in a second without any kernel: from pinned memory ("link"),
        and with the host's copies ("copies").
    rows : tuple of Row
        The cases.
    """

    environment: dict[str, str]
    nbytes: int
    max_device_bytes: int
    chunk_bytes: int
    copiers: int
    rates: dict[str, float]
    rows: tuple[Row, ...] = ()


def cases(elements: int) -> tuple[Case, ...]:
    """Return the cases of arrays with about as many elements."""
    side = 1 << (elements.bit_length() - 1) // 3
    return (
        Case("batched rows", (max(1, elements // ROW), ROW), (1,)),
        Case("one long row", (elements // ROW * ROW,), (0,)),
        Case("3-D array", (side, side, elements // side**2), (0, 1, 2)),
    )


def main(argv: Sequence[str]) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str
        Arguments of the command, after ``bench pieces``.

    Returns
    -------
    int
        Exit status: 0 if all went well; 1 if a result is wrong; 2 after an error.
    """
    return commandline.run(lambda: _main(argv), PROG)


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Measure transforms of NumPy arrays in pieces, into other NumPy arrays. Show "
        "how many bytes cross the link to the device in a second, and how many cross it without "
        "any kernel. Let nothing else run meanwhile.",
    )
    add = result.add_argument
    commandline.add_device(result)
    add(
        "--bytes", metavar="N", type=commandline.count, default=ARRAY_BYTES,
        help="how many bytes each array has; there are two (default: 2^28)",
    )  # fmt: skip
    add(
        "--max-device-bytes", metavar="N", type=commandline.count,
        help="how many bytes the pieces may take on the device (default: a third of --bytes)",
    )  # fmt: skip
    add(
        "--samples", metavar="N", type=commandline.count, default=SAMPLES,
        help=f"how many times each case is measured (default: {SAMPLES})",
    )  # fmt: skip
    add("--json", metavar="FILE", help="write all results")
    return result


def _main(argv: Sequence[str]) -> int:
    options = parser().parse_args(argv)
    session.require_folders(options.json)
    device = choice.select_device(options.device)
    queue = queues.queue_of(queues.context_of(device))
    elements = options.bytes // DTYPE.itemsize
    limit = options.max_device_bytes or options.bytes // 3
    x, out = (np.empty(elements, DTYPE) for _ in range(2))
    for array in (x, out):
        array.fill(0)  # now the operating system has given the memory
    about = {**environment([device], []), "host": host()}
    print(commandline.table(list(about.items())), flush=True)
    link = measured(lambda: _pinned_only(queue, options.bytes), options.samples)
    copies = measured(lambda: _without_kernels(queue, x, out, limit), options.samples)
    results = Results(
        about,
        options.bytes,
        limit,
        conveyor.CHUNK_BYTES,
        conveyor.copiers(),
        {"link": 2 * options.bytes / link.median, "copies": 2 * options.bytes / copies.median},
        tuple(_measured(case, x, out, limit, options.samples, queue) for case in cases(elements)),
    )
    print("", render.text_of(parts_of(results)), sep="\n")
    if options.json:
        render.write(options.json, render.json_of(asdict(results)))
    return int(any(not row.error < WORST for row in results.rows))


def read(path: str | os.PathLike[str]) -> Results:
    """Read a file of ``bench pieces --json``; `read_document` says how it can fail."""
    return read_document(path, _results_of, PROG)


def _results_of(document: Mapping[str, Any]) -> Results:
    rows = (
        Row(
            Case(**{name: _as_tuple(each) for name, each in row["case"].items()}),
            row["crossed"],
            Spread(**numbers(row["seconds"])),
            row["error"],
        )
        for row in document["rows"]
    )
    return Results(**{**document, "rows": tuple(rows)})


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def parts_of(results: Results) -> Iterator[Part]:
    """Yield the paragraphs and the table."""
    link, copies = (results.rates[name] / 1e9 for name in ("link", "copies"))
    yield (
        f"Each array has {results.nbytes:,} bytes, and its pieces may take "
        f"{results.max_device_bytes:,} bytes of the device. In each direction {results.copiers} "
        f"threads copy chunks of {results.chunk_bytes:,} bytes. Without any kernel, pinned memory "
        f"alone moves {link:.1f} GB/s, both directions together. If threads also copy between the "
        f"arrays and pinned memory, {copies:.1f} GB/s move."
    )
    yield Table(HEADER, [_cells(row, results.rates) for row in results.rows])


HEADER = ("case", "shape", "GB crossed", "s", "+-%", "GB/s", "of link", "of copies", "error")


def _cells(row: Row, rates: dict[str, float]) -> list[str]:
    return [
        row.case.name,
        "x".join(map(str, row.case.shape)),
        f"{row.crossed / 1e9:.2f}",
        f"{row.seconds.median:.3f}",
        f"{row.seconds.percent:.0f}",
        f"{row.rate / 1e9:.1f}",
        *(f"{row.rate / rate:.0%}" for rate in rates.values()),
        f"{row.error:.1e}",
    ]


def measured(call: Callable[[], Any], samples: int) -> Spread:
    """Return the seconds of a call, which is made once before to get memory and kernels ready."""
    call()
    seconds = []
    for _ in range(samples):
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)
    return spread(seconds)


def _measured(
    case: Case, x: np.ndarray, out: np.ndarray, limit: int, samples: int, queue: cl.CommandQueue
) -> Row:
    """Measure a case, and compare some bins with the spectrum of the input's spikes."""
    count = prod(case.shape)
    given, result = x[:count].reshape(case.shape), out[:count].reshape(case.shape)
    rng = np.random.default_rng(0)
    rows = 4 if case.shape[0] > 4 and 0 not in case.axes else 1  # rows of a batch that are compared
    places = [
        rng.integers(0, rows if axis not in case.axes else extent, SPIKES)
        for axis, extent in enumerate(case.shape)
    ]
    given[tuple(places)] = rng.uniform(-1, 1, SPIKES) + 1j * rng.uniform(-1, 1, SPIKES)
    request = Request(
        "c2c",
        "forward",
        "backward",
        case.axes,
        tuple(case.shape[axis] for axis in case.axes),
        "single",
    )
    room = room_of(queue.context, limit)
    seconds = measured(lambda: transform(given, result, request, room, quiet=True), samples)
    bins = [
        rng.integers(0, rows if axis not in case.axes else extent, BINS)
        for axis, extent in enumerate(case.shape)
    ]
    expected = _spectrum(given, case, places, bins)
    difference = np.linalg.norm(result[tuple(bins)] - expected)
    given[tuple(places)] = 0
    return Row(
        case,
        bytes_crossing(given, result, request, room),
        seconds,
        float(difference / np.linalg.norm(expected)),
    )


def _spectrum(
    x: np.ndarray, case: Case, places: Sequence[np.ndarray], bins: Sequence[np.ndarray]
) -> np.ndarray:
    """Return bins of the spectrum of spikes, in double precision."""
    unique = np.unique(np.stack(places), axis=1)
    values = x[tuple(unique)].astype(np.complex128)
    turns = np.zeros((BINS, unique.shape[1]))
    together = np.ones((BINS, unique.shape[1]), bool)
    for axis, extent in enumerate(case.shape):
        if axis in case.axes:
            # Products of places on an axis of up to 2^32 elements fit 64 bits without a sign.
            products = np.outer(*(each.astype(np.uint64) for each in (bins[axis], unique[axis])))
            turns += products % np.uint64(extent) / extent
        else:
            together &= bins[axis][:, None] == unique[axis]
    return (np.exp(-2j * np.pi * turns) * together) @ values


# --- the same bytes without kernels ---------------------------------------------------------------


def _pinned_only(queue: cl.CommandQueue, nbytes: int) -> None:
    """Move bytes from pinned memory to the device, and as many back, at the same time."""
    chunks, context = conveyor.pinned_chunks(queue), queue.context
    count = -(-nbytes // conveyor.CHUNK_BYTES)

    def move(up: bool) -> None:
        own, chunk = cl.CommandQueue(context), chunks.get()
        try:
            buffer = memory.allocate(context, chunk.nbytes)
            for _ in range(each):
                ends = (buffer, chunk) if up else (chunk, buffer)
                cl.enqueue_copy(own, *ends, is_blocking=False).wait()
        finally:
            chunks.put(chunk)

    lanes = min(conveyor.LANES, conveyor.copiers())
    each = -(-count // lanes)
    with ThreadPoolExecutor(2 * lanes) as pool:
        for done in [pool.submit(move, number % 2 == 0) for number in range(2 * lanes)]:
            done.result()


def _without_kernels(queue: cl.CommandQueue, x: np.ndarray, out: np.ndarray, limit: int) -> None:
    """Bring an array through the device into another one, as transforms do, without a kernel."""
    most = max(1, limit // (2 * conveyor.LANES * DTYPE.itemsize))
    belt = Conveyor(queue.context, most * DTYPE.itemsize, most * DTYPE.itemsize)

    def nothing(lane: int, own: cl.CommandQueue, source: cl.Buffer, target: cl.Buffer) -> cl.Event:
        return cl.enqueue_marker(own)

    belt.run(
        Piece(Slab(x, part), Slab(out, part), (DTYPE, DTYPE), nothing)
        for part in parts(x.shape, (), most)
    )
