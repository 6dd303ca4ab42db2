"""A call returns the same bits in every process."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

import pyclfft

SCRIPT = """
import hashlib, sys
import numpy as np
import pyclfft

x = np.random.default_rng(7).standard_normal(({shape})).astype("float32")
results = pyclfft.rfftn(x), pyclfft.dctn(x), pyclfft.convolve(x.ravel(), x.ravel()[:40])
print(hashlib.sha256(b"".join(each.tobytes() for each in results)).hexdigest())
"""


@pytest.mark.parametrize("shape", [(3, 1024), (5, 101), (2, 48, 60)], ids=str)
def test_the_same_bits_in_another_process(device, shape):
    x = np.random.default_rng(7).standard_normal(shape).astype("float32")
    results = pyclfft.rfftn(x), pyclfft.dctn(x), pyclfft.convolve(x.ravel(), x.ravel()[:40])
    here = hashlib.sha256(b"".join(each.tobytes() for each in results)).hexdigest()
    spec = device.platform.name
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(shape=", ".join(map(str, shape)))],
        env={**os.environ, "PYCLFFT_DEVICE": spec}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == here
