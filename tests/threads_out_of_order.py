"""Show that a runtime hangs or crashes when threads use queues that are out of order.

Threads launch a kernel that adds one to the numbers of a buffer and wait for the queue, again and
again. pyclfft only finds the device; everything else is plain pyopencl. The program ends with
status 0 if all threads go on until the time is over, and with status 1 if none has gone on for ten
seconds; a crash speaks for itself. `python tests/threads_out_of_order.py --help` lists the options.
"""

from __future__ import annotations

import argparse
import itertools
import os
import threading
import time

import numpy as np
import pyopencl as cl

import pyclfft

SOURCE = "kernel void add(global float *x) { x[get_global_id(0)] += 1; }"
ITEMS, GROUP = 1024, 64
STANDSTILL_S = 10


def work(
    context: cl.Context, queue: cl.CommandQueue, program: cl.Program, turns: list[int]
) -> None:
    """Upload, launch, wait and download for ever; count the turns."""
    kernel, host = cl.Kernel(program, "add"), np.zeros(ITEMS, np.float32)
    for turns[0] in itertools.count(1):
        buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, host.nbytes)
        cl.enqueue_copy(queue, buffer, host)
        kernel.set_arg(0, buffer)
        cl.enqueue_nd_range_kernel(queue, kernel, (ITEMS,), (GROUP,))
        queue.finish()
        cl.enqueue_copy(queue, host, buffer)


def watch(turns: list[list[int]], seconds: float) -> int:
    """Return 1 as soon as no thread goes on; 0 after some seconds."""
    end, last, since = time.monotonic() + seconds, [], time.monotonic()
    while (now := time.monotonic()) < end:
        time.sleep(0.5)
        if (current := [each[0] for each in turns]) != last:
            last, since = current, now
        elif now > since + STANDSTILL_S:
            print(f"{sum(last):,} turns, then all threads hang", flush=True)
            return 1
    print(f"pass: {sum(last):,} turns", flush=True)
    return 0


def main() -> int:
    """Start the threads and watch them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="", help="the device, as `pyclfft.use_device` takes it")
    parser.add_argument("--queues", choices=["in-order", "out-of-order"], default="out-of-order")
    parser.add_argument("--shared", action="store_true", help="all threads use one queue")
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    if options.device:
        pyclfft.use_device(options.device)
    context = cl.Context([pyclfft.default_device()])
    out_of_order = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    properties = out_of_order if options.queues == "out-of-order" else 0
    program = cl.Program(context, SOURCE).build()
    shared = cl.CommandQueue(context, properties=properties)
    turns = [[0] for _ in range(options.threads)]
    for each in turns:
        queue = shared if options.shared else cl.CommandQueue(context, properties=properties)
        arguments = (context, queue, program, each)
        threading.Thread(target=work, args=arguments, daemon=True).start()
    return watch(turns, options.seconds)


if __name__ == "__main__":
    os._exit(main())  # threads that hang keep the interpreter from ending
