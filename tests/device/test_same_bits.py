"""A call returns the same bits in every process."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

import pyclfft

TRANSFORMS = """
x = np.random.default_rng(7).standard_normal(({shape})).astype("float32")
results = pyclfft.rfftn(x), pyclfft.dctn(x), pyclfft.convolve(x.ravel(), x.ravel()[:40])
"""
SOUNDS_AND_IMAGES = """
noise = np.random.default_rng(7)
y = np.sin(np.arange(12000) * 0.3) + 0.1 * noise.standard_normal(12000)
y = y.astype("float32")
image = noise.integers(0, 256, (70, 90), dtype="uint8")
spectra = pyclfft.stft(y, n_fft=256)
results = (
    spectra,
    pyclfft.istft(spectra, length=len(y)),
    pyclfft.denoise(y, sr=8000),
    np.array([(note.onset, note.duration, note.cents) for note in pyclfft.notes(y, 8000)]),
    pyclfft.filter_image(image, "highpass", 5),
    pyclfft.filter_image(image, "notch", points="auto"),
)
"""
IN_ANOTHER_PROCESS = """
import hashlib
import numpy as np
import pyclfft

{code}
print(hashlib.sha256(b"".join(each.tobytes() for each in results)).hexdigest())
"""


def digests(device, code):
    """Return what the results of some code hash to, here and in a process of its own."""
    names = {"np": np, "pyclfft": pyclfft}
    exec(code, names)  # so that both processes execute the same text
    here = hashlib.sha256(b"".join(each.tobytes() for each in names["results"])).hexdigest()
    run = subprocess.run(
        [sys.executable, "-c", IN_ANOTHER_PROCESS.format(code=code)],
        env={**os.environ, "PYCLFFT_DEVICE": device.platform.name},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return here, run.stdout.strip()


@pytest.mark.parametrize("shape", [(3, 1024), (5, 101), (2, 48, 60)], ids=str)
def test_the_same_bits_in_another_process(device, shape):
    here, there = digests(device, TRANSFORMS.format(shape=", ".join(map(str, shape))))
    assert here == there


def test_the_same_bits_of_sounds_and_images(device):
    here, there = digests(device, SOUNDS_AND_IMAGES)
    assert here == there
    assert digests(device, SOUNDS_AND_IMAGES)[0] == here
