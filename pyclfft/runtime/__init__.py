"""The layer that speaks OpenCL: devices, programs, memory, and the plans that run on them."""
