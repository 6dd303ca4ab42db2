"""From a problem and a device's traits to passes: pure Python, without any OpenCL import."""
