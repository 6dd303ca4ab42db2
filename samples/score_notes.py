"""Score onsets, notes and chroma beside librosa's, on synthesised music and on recordings.

python samples/score_notes.py
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import synth

import pyclfft
from pyclfft.audio.units import midi_to_note, note_to_midi

TOLERANCE = 0.05  # seconds by which an onset may be off
RECORDINGS = Path("/usr/share/sonic-pi/samples")  # Debian's package sonic-pi-samples
LOOPS = (
    "loop_amen", "loop_amen_full", "loop_breakbeat", "loop_compus", "loop_industrial",
    "loop_mika", "loop_safari", "loop_tabla",
)  # fmt: skip


def octaves(seed: int) -> list[synth.Tone]:
    """Double the lowest note of each chord an octave below: what is hardest."""
    chords = synth.progression(seed, 12, 55, 67)
    lowest: dict[float, synth.Tone] = {}
    for tone in chords:
        lowest[tone.onset] = min(tone, lowest.get(tone.onset, tone), key=lambda each: each.midi)
    doubled = [tone._replace(midi=tone.midi - 12) for tone in lowest.values()]
    return sorted([*chords, *doubled])


MAKERS: dict[str, Callable[[int], list[synth.Tone]]] = {
    "melody": synth.melody,
    "low melody": lambda seed: synth.melody(seed, 24, 34, 55),
    "chords": synth.progression,
    "low chords": lambda seed: synth.progression(seed, 12, 40, 55),
    "octaves": octaves,
}


@dataclass
class Score:
    """How many were right, were found, and were there."""

    right: int = 0
    found: int = 0
    true: int = 0

    def add(self, other: Score) -> None:
        """Count what another score has counted, too."""
        self.right += other.right
        self.found += other.found
        self.true += other.true

    def __str__(self) -> str:
        precision = self.right / max(1, self.found)
        recall = self.right / max(1, self.true)
        f = 2 * self.right / max(1, self.found + self.true)
        return f"{precision:5.3f} {recall:5.3f} {f:5.3f}"


def score_onsets(found: Sequence[float], true: Sequence[float]) -> Score:
    """Match each onset with one that is there, in order of time."""
    wanted, heard = sorted(true), sorted(found)
    right = i = j = 0
    while i < len(heard) and j < len(wanted):
        apart = heard[i] - wanted[j]
        right += abs(apart) <= TOLERANCE
        i += apart <= TOLERANCE
        j += apart >= -TOLERANCE
    return Score(right, len(heard), len(wanted))


def score_notes(found: Sequence[pyclfft.Note], tones: Sequence[synth.Tone]) -> Score:
    """Match each note with one that is there: onset and MIDI number."""
    left, right = list(tones), 0
    for note in found:
        near = (t for t in left if t.midi == note.midi and abs(t.onset - note.onset) <= TOLERANCE)
        match = next(near, None)
        if match:
            left.remove(match)
            right += 1
    return Score(right, len(found), len(tones))


def score_chroma(classes: np.ndarray, tones: Sequence[synth.Tone], rate: float) -> Score:
    """Compare the strongest classes in the middle of notes with those that sound."""
    score = Score()
    for onset in sorted({tone.onset for tone in tones}):
        group = [tone for tone in tones if tone.onset == onset]
        sounding = {int(tone.midi) % 12 for tone in group}
        middle = int((onset + 0.5 * group[0].duration) * rate)
        strongest = np.argsort(classes[:, middle])[-len(sounding) :].tolist()
        score.add(Score(len(sounding & set(strongest)), len(sounding), len(sounding)))
    return score


def pyin_score(librosa: Any, y: np.ndarray, tones: Sequence[synth.Tone], sr: int) -> Score:
    """Compare the median pitch of librosa's pyin within notes with the key."""
    hz, _, _ = librosa.pyin(y, fmin=40, fmax=2093, sr=sr, frame_length=4096, hop_length=512)
    score = Score()
    for tone in tones:
        ends = [tone.onset + part * tone.duration for part in (0.25, 0.75)]
        first, last = (int(end * sr / 512) for end in ends)
        heard = hz[first : last + 1]
        heard = heard[np.isfinite(heard)]
        right = len(heard) and round(float(librosa.hz_to_midi(np.median(heard)))) == tone.midi
        score.add(Score(int(right), int(len(heard) > 0), 1))
    return score


def our_pitch_score(found: Sequence[pyclfft.Note], tones: Sequence[synth.Tone]) -> Score:
    """Compare the strongest note in the middle of each tone with its key."""
    score = Score()
    for tone in tones:
        middle = tone.onset + tone.duration / 2
        heard = [n for n in found if n.onset <= middle < n.onset + n.duration]
        right = heard and max(heard, key=lambda note: note.strength).midi == tone.midi
        score.add(Score(int(bool(right)), int(bool(heard)), 1))
    return score


def synthesised(seeds: range, sr: int, librosa: Any) -> Iterator[tuple[str, str, Score]]:
    """Yield the task, who, and the score of each piece."""
    for kind, make in MAKERS.items():
        for name, timbre in synth.TIMBRES.items():
            for seed in seeds:
                tones = make(seed)
                y = synth.render(tones, timbre, sr, noise=0.002 * (seed % 3), seed=seed)
                yield from piece_scores(kind, name, y, tones, sr, librosa)


def piece_scores(
    kind: str, timbre: str, y: np.ndarray, tones: list[synth.Tone], sr: int, librosa: Any
) -> Iterator[tuple[str, str, Score]]:
    """Yield the scores of one piece."""
    true = sorted({tone.onset for tone in tones})
    found = pyclfft.notes(y, sr, fmin=40)
    scores = [
        ("onsets", "pyclfft", score_onsets(pyclfft.onsets(y, sr, units="time"), true)),
        ("notes", "pyclfft", score_notes(found, tones)),
        ("chroma", "pyclfft", score_chroma(pyclfft.chroma(y, sr), tones, sr / 512)),
    ]
    if "melody" in kind:
        scores.append(("pitch", "pyclfft", our_pitch_score(found, tones)))
    if librosa:
        onsets = librosa.onset.onset_detect(y=y, sr=sr, units="time")
        classes = librosa.feature.chroma_stft(y=y, sr=sr, n_fft=4096, hop_length=512)
        scores.append(("onsets", "librosa", score_onsets(onsets, true)))
        scores.append(("chroma", "librosa", score_chroma(classes, tones, sr / 512)))
    if librosa and "melody" in kind:
        scores.append(("pitch", "librosa", pyin_score(librosa, y, tones, sr)))
    for task, who, score in scores:
        yield f"{task}, {kind}", who, score
        if kind != "octaves":
            yield f"{task}, all {timbre}", who, score


def print_table(rows: Iterator[tuple[str, str, Score]]) -> None:
    """Add scores up and print them, ours beside librosa's."""
    sums: dict[str, dict[str, Score]] = {}
    for task, who, score in rows:
        sums.setdefault(task, {}).setdefault(who, Score()).add(score)
    print(f"{'':24}{'pyclfft':21}librosa")
    print(f"{'':24}{'P     R     F':21}P     R     F")
    for task in sorted(sums):
        columns = [str(sums[task].get(who, "")) for who in ("pyclfft", "librosa")]
        print(f"{task:24}{columns[0]:21}{columns[1]}".rstrip())


def recording(name: str) -> tuple[np.ndarray, int]:
    """Return a recording of Sonic Pi's, mixed to one channel."""
    import soundfile

    samples, sr = soundfile.read(RECORDINGS / f"{name}.flac", dtype="float32")
    return samples.mean(axis=1) if samples.ndim == 2 else samples, sr


def print_loops(librosa: Any) -> None:
    """Compare onsets of drum loops with librosa's."""
    print("\nonsets of drum loops    pyclfft librosa  both within 50 ms")
    for name in LOOPS:
        y, sr = recording(name)
        ours = pyclfft.onsets(y, sr, units="time").tolist()
        if not librosa:
            print(f"{name:24}{len(ours):7}")
            continue
        theirs = librosa.onset.onset_detect(y=y, sr=sr, units="time").tolist()
        both = score_onsets(ours, theirs)
        print(f"{name:24}{both.found:7} {both.true:7}  {both.right:4}")


def named_class(name: str) -> str | None:
    """Return the pitch class that ends the name of a recording, such as bass_hit_c."""
    *_, end = name.split("_")
    return end.upper() if len(end) == 1 and end in "abcdefg" else None


def print_single_notes(librosa: Any) -> None:
    """Compare the strongest note of recordings of one note with their names, and with pyin."""
    print("\nstrongest note          name  pyclfft           librosa.pyin")
    pitched = ("ambi_glass_hum", "ambi_piano", "elec_beep", "elec_blip", "elec_ping", "perc_bell",
               "drum_cowbell", "guit_e_slide")  # fmt: skip
    names = [path.stem for path in sorted(RECORDINGS.glob("*.flac")) if named_class(path.stem)]
    right = 0
    for name in [*names, *pitched]:
        y, sr = recording(name)
        found = pyclfft.notes(y, sr, fmin=25, polyphony=1)
        best = max(found, key=lambda note: note.strength * note.duration, default=None)
        heard = f"{best.name}{best.cents:+.0f}" if best else "-"
        wanted = named_class(name)
        right += bool(best and wanted and best.midi % 12 == note_to_midi(wanted) % 12)
        print(f"{name:24}{wanted or '':6}{heard:18}{_pyin_name(librosa, y, sr)}")
    print(f"{right} of {len(names)} as their names say")


def _pyin_name(librosa: Any, y: np.ndarray, sr: int) -> str:
    if not librosa:
        return ""
    hz, voiced, _ = librosa.pyin(y, fmin=25, fmax=2093, sr=sr, frame_length=8192)
    return (
        midi_to_note(librosa.hz_to_midi(np.median(hz[voiced])), cents=True) if any(voiced) else "-"
    )


def print_times() -> None:
    """Time calls with three minutes of chords, after one that makes plans and kernels."""
    y = np.tile(synth.render(synth.progression(1, 40)), 9)[: 180 * 22050]
    print("\nthree minutes, median of 5 calls")
    for call in (pyclfft.onsets, pyclfft.chroma, pyclfft.notes):
        call(y)
        times = []
        for _ in range(5):
            start = perf_counter()
            call(y)
            times.append(perf_counter() - start)
        print(f"{call.__name__:24}{np.median(times):.2f} s")


def imported_librosa() -> Any:
    try:
        import librosa
    except ImportError as error:
        print(f"without librosa ({error}): pip install librosa")
        return None
    return librosa


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3, help="pieces of a kind (default: 3)")
    parser.add_argument("--first", type=int, default=1000, help="first seed (default: 1000)")
    parser.add_argument("--sr", type=int, default=22050, help="samples a second (default: 22050)")
    parser.add_argument("--device", help="where to run, as pyclfft.use_device has it")
    parser.add_argument("--no-librosa", action="store_true", help="score pyclfft alone")
    parser.add_argument("--no-recordings", action="store_true", help="score synthesised music only")
    chosen = parser.parse_args(arguments)
    warnings.simplefilter("ignore")  # of librosa and of compilers
    if chosen.device:
        pyclfft.use_device(chosen.device)
    librosa = None if chosen.no_librosa else imported_librosa()
    seeds = range(chosen.first, chosen.first + chosen.seeds)
    print_table(synthesised(seeds, chosen.sr, librosa))
    print_times()
    if chosen.no_recordings:
        return
    if not RECORDINGS.is_dir():
        print(f"no recordings in {RECORDINGS}: apt install sonic-pi-samples")
        return
    print_loops(librosa)
    print_single_notes(librosa)


if __name__ == "__main__":
    main()
