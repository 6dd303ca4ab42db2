"""Keep data on the device: transform, multiply and transform back with a single copy each way.

python samples/device_arrays.py
"""

import warnings

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

import pyclfft

warnings.simplefilter("ignore", cl.CompilerWarning)  # some compilers report every success
queue = pyclfft.default_queue()
x = np.random.default_rng(3).random((64, 1024)).astype("complex64")

# If the input is a device array, the result is a device array on the input's queue. Calls return at
# once. The result carries an event, for which pyopencl's operations and pyclfft wait by themselves.
on_device = cl_array.to_device(queue, x)
spectrum = pyclfft.fft(on_device)
spectrum *= np.float32(0.5)  # pyopencl's own arithmetic, still on the device
half = pyclfft.ifft(spectrum).get()  # .get() is the only copy back
print("half of the input:", np.allclose(half, x / 2, atol=1e-5))

# A plan takes an output to fill, a queue to run on and events to wait for.
plan = pyclfft.Plan(x.shape, x.dtype, axes=-1)
out = cl_array.empty_like(on_device)
plan(on_device, out=out)
print("same as the call:", np.allclose(out.get(), 2 * spectrum.get(), rtol=1e-5, atol=1e-3))

# Two queues of one context work side by side: each call has workspace and kernels of its own.
other = cl.CommandQueue(plan.context)
results = [plan(on_device, queue=each, wait_for=on_device.events) for each in (queue, other)]
print("two queues agree:", all(bool((r.get() == out.get()).all()) for r in results))

# In place: the spectrum takes the place of the input.
plan(on_device, out=on_device)
print("in place:", bool((on_device.get() == out.get()).all()))
