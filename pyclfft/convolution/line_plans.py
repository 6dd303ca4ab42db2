"""Convolution of real or complex floats along one axis, planned for registers.cl.

`LineJob` says what is convolved, in numbers alone. `lines.LineConvolver` makes it ready for a
context and runs it any number of times:

>>> job = block_job(frames=256, taps=48000, ring=49152, outputs=2, inputs=2)
>>> convolver = LineConvolver(job, context)
>>> launch = convolver.bind(ring, ir, wet)             # has memory and kernel objects of its own
>>> done = launch.enqueue(queue, begin=512, wait_for=[uploaded])      # once for each block

With a job of `block_job`, ``launch.enqueue`` computes ``wet[o, n] = sum over taps k of
ir[o, k] dry[o, n - k]``, or of a matrix of impulse responses the sum of this over all inputs. All
arrays are real, contiguous, and of the job's precision:

- ``ring`` is the circular buffer, of the shape (inputs, ring). The block's frame 0 lies at ``begin``,
  its frame -1 just before, and the place before the first one is the last one. It must hold at least
  frames + taps - 1 frames, and zeros where nothing has been written.
- ``ir`` is of the shape (channels, taps), or of (outputs, inputs, taps) if the job has ``matrix=True``.
- ``wet`` is of the shape (outputs, frames). The job's ``adds=True`` adds to what it holds.

Results do not depend on how a signal is cut into blocks: they are, bit for bit, those of
`pyclfft.convolve` with the method "direct".
"""
