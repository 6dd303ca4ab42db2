"""Tell notes from what only sounds like notes: by their confidence.

python samples/sure_notes.py
"""

import sys
from pathlib import Path

import pyclfft

sys.path.insert(0, str(Path(__file__).parent))
import make_noises
import synth

for timbre in ("piano", "bowed"):
    y = synth.render(synth.scale(), synth.TIMBRES[timbre])
    found = pyclfft.notes(y)
    names = " ".join(f"{note.name} {note.confidence:.2f}" for note in found)
    print(f"{timbre}: {len(found)} notes: {names}")

# Without a threshold there are notes in drums and in chirps, and all of them are doubtful.
for name, make in make_noises.SOUNDS.items():
    doubtful = [note for seed in range(3) for note in pyclfft.notes(make(seed), threshold=0)]
    kept = [note for seed in range(3) for note in pyclfft.notes(make(seed))]
    most = max((note.confidence for note in doubtful), default=0)
    print(f"{name}: {len(kept)} notes; {len(doubtful)} doubtful ones, up to {most:.2f}")
