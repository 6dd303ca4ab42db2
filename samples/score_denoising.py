"""Print by how many decibels noisy music becomes better, beside the most that gains could reach.

python samples/score_denoising.py
"""

from __future__ import annotations

import argparse

import numpy as np
import synth

import pyclfft

SR, BEFORE = 22050, 10  # samples a second; the signal-to-noise ratio in decibels
N_FFT, OVERLAP = 2048, 4  # denoise has frames of so many points, a quarter of a frame apart


def ratio(clean: np.ndarray, y: np.ndarray) -> float:
    """Return the signal-to-noise ratio in decibels."""
    return 10 * float(np.log10(np.square(clean).sum() / np.square(y - clean).sum()))


def noisy(clean: np.ndarray, seed: int) -> np.ndarray:
    """Return a sound under white noise."""
    noise = np.random.default_rng(seed).standard_normal(clean.shape)
    return clean + noise * np.sqrt(
        np.square(clean).mean() / np.square(noise).mean() / 10 ** (BEFORE / 10)
    )


def best(clean: np.ndarray, y: np.ndarray, reduction: float, n_fft: int) -> np.ndarray:
    """Return what Wiener's gains make of a sound if they know the powers of music and of noise."""
    hop = n_fft // OVERLAP
    music, spectra = pyclfft.stft(clean, n_fft, hop), pyclfft.stft(y, n_fft, hop)
    power = np.square(np.abs(music))
    gains = power / (power + np.square(np.abs(spectra - music)).mean())
    gains = np.maximum(gains, 10 ** (-reduction / 20))
    return pyclfft.istft(gains * spectra, hop, n_fft=n_fft, length=len(y))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", help="a device, as for pyclfft.use_device")
    parser.add_argument("--reduction", type=float, default=12.0, help="decibels (default: 12)")
    parser.add_argument(
        "--frames", type=int, default=N_FFT, metavar="POINTS",
        help="points of a frame of the gains that know the powers (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="of the noise (default: 0)")
    chosen = parser.parse_args()
    if chosen.device:
        pyclfft.use_device(chosen.device)
    print("dB better, and at most   " + "".join(f"{piece:>14}" for piece in synth.PIECES))
    for name, timbre in synth.TIMBRES.items():
        row = f"{name:25}"
        for make in synth.PIECES.values():
            clean = synth.render(make(), timbre, SR).astype(float)
            y = noisy(clean, chosen.seed)
            results = (
                pyclfft.denoise(y, sr=SR, reduction=chosen.reduction),
                best(clean, y, chosen.reduction, chosen.frames),
            )
            found, most = (ratio(clean, result) - ratio(clean, y) for result in results)
            row += f"{found:8.1f}{most:6.1f}"
        print(row)


if __name__ == "__main__":
    main()
