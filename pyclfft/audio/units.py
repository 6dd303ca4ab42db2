"""Units of music and of frames, converted: names, defaults and results are those of librosa.

Every function takes one number or name and returns one, or takes an array of any shape and returns
an array of this shape. A4 is 440 Hz and MIDI note 69. Frame t begins at sample ``t * hop_length``,
or has this sample in its middle if frames are centred.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pyopencl.array as cl_array
from numpy.typing import ArrayLike

from ..errors import PlanError

Reference = float | Callable[[np.ndarray], Any]

A4_HZ, A4_MIDI = 440.0, 69
NAMES = ("C", "C♯", "D", "D♯", "E", "F", "F♯", "G", "G♯", "A", "A♯", "B")

LETTERS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
ACCIDENTALS = {
    "#": 1, "♯": 1, "𝄪": 2, "b": -1, "!": -1, "♭": -1, "𝄫": -2, "n": 0, "♮": 0,
}  # fmt: skip
NOTE = re.compile(
    f"(?P<letter>[A-Ga-g])(?P<accidentals>[{''.join(ACCIDENTALS)}]*)"
    r"(?P<octave>[+-]?\d+)?(?P<cents>[+-]\d+)?"
)

# --- frames, samples and seconds ------------------------------------------------------------------


def frames_to_samples(frames: ArrayLike, *, hop_length: int = 512, n_fft: int | None = None) -> Any:
    """Return the samples at which frames begin.

    Parameters
    ----------
    frames : int or array_like
        Numbers of frames.
    hop_length : int
        Samples from one frame to the next.
    n_fft : int, optional
        Points of a frame, if the frames were made with ``center=False``. The function then returns
        the samples in the middle of the frames.

    Returns
    -------
    int or ndarray of int

    Raises
    ------
    TypeError
        `frames` are not made of numbers.

    See Also
    --------
    samples_to_frames : The inverse.

    Examples
    --------
    >>> from pyclfft.audio.units import frames_to_samples
    >>> frames_to_samples([0, 1, 2]).tolist()
    [0, 512, 1024]
    """
    return (np.asanyarray(frames) * hop_length + _half(n_fft)).astype(int)[()]


def samples_to_frames(
    samples: ArrayLike, *, hop_length: int = 512, n_fft: int | None = None
) -> Any:
    """Return the frames that begin at samples, or before them.

    Parameters
    ----------
    samples : int or array_like
        Numbers of samples.
    hop_length, n_fft
        The parameters of `frames_to_samples`.

    Returns
    -------
    int or ndarray of int

    Raises
    ------
    TypeError
        `samples` are not made of numbers.

    See Also
    --------
    frames_to_samples : The inverse.

    Examples
    --------
    >>> from pyclfft.audio.units import samples_to_frames
    >>> samples_to_frames([0, 511, 512]).tolist()
    [0, 0, 1]
    """
    return np.floor((np.asanyarray(samples) - _half(n_fft)) // hop_length).astype(int)[()]


def samples_to_time(samples: ArrayLike, *, sr: float = 22050) -> Any:
    """Return the times of samples, in seconds.

    Parameters
    ----------
    samples : int or array_like
        Numbers of samples.
    sr : float
        Samples a second.

    Returns
    -------
    float or ndarray of float

    Raises
    ------
    TypeError
        `samples` are not made of numbers.

    See Also
    --------
    time_to_samples : The inverse.

    Examples
    --------
    >>> from pyclfft.audio.units import samples_to_time
    >>> float(samples_to_time(11025))
    0.5
    """
    return (np.asanyarray(samples) / float(sr))[()]


def time_to_samples(times: ArrayLike, *, sr: float = 22050) -> Any:
    """Return the numbers of the samples at given times, rounded down.

    Parameters
    ----------
    times : float or array_like
        Seconds.
    sr : float
        Samples a second.

    Returns
    -------
    int or ndarray of int

    Raises
    ------
    TypeError
        `times` are not made of numbers.

    See Also
    --------
    samples_to_time : The inverse.

    Examples
    --------
    >>> from pyclfft.audio.units import time_to_samples
    >>> int(time_to_samples(0.5))
    11025
    """
    return (np.asanyarray(times) * sr).astype(int)[()]


def frames_to_time(
    frames: ArrayLike, *, sr: float = 22050, hop_length: int = 512, n_fft: int | None = None
) -> Any:
    """Return when frames begin, in seconds.

    Parameters
    ----------
    frames : int or array_like
        Numbers of frames.
    sr : float
        Samples a second.
    hop_length, n_fft
        The parameters of `frames_to_samples`.

    Returns
    -------
    float or ndarray of float

    Raises
    ------
    TypeError
        `frames` are not made of numbers.

    See Also
    --------
    time_to_frames : The inverse.

    Examples
    --------
    >>> from pyclfft.audio.units import frames_to_time
    >>> frames_to_time([0, 1, 2], sr=1024).tolist()
    [0.0, 0.5, 1.0]
    """
    return samples_to_time(frames_to_samples(frames, hop_length=hop_length, n_fft=n_fft), sr=sr)


def time_to_frames(
    times: ArrayLike, *, sr: float = 22050, hop_length: int = 512, n_fft: int | None = None
) -> Any:
    """Return the frames that begin at times in seconds, or before them.

    Parameters
    ----------
    times : float or array_like
        Seconds.
    sr : float
        Samples a second.
    hop_length, n_fft
        The parameters of `frames_to_samples`.

    Returns
    -------
    int or ndarray of int

    Raises
    ------
    TypeError
        `times` are not made of numbers.

    See Also
    --------
    frames_to_time : The inverse.

    Examples
    --------
    >>> from pyclfft.audio.units import time_to_frames
    >>> time_to_frames([0, 0.75, 1], sr=1024).tolist()
    [0, 1, 2]
    """
    return samples_to_frames(time_to_samples(times, sr=sr), hop_length=hop_length, n_fft=n_fft)


def _half(n_fft: int | None) -> int:
    return 0 if n_fft is None else n_fft // 2


def fft_frequencies(*, sr: float = 22050, n_fft: int = 2048) -> np.ndarray:
    """Return the frequencies of the bins of a frame's transform, in Hz.

    Parameters
    ----------
    sr : float
        Samples a second.
    n_fft : int
        Points of a frame.

    Returns
    -------
    ndarray of float, shape (1 + n_fft // 2,)

    Raises
    ------
    PlanError
        `n_fft` is not a positive integer.

    See Also
    --------
    stft : The transform whose bins they belong to.
    fftfreq : The frequencies of a complex transform.

    Examples
    --------
    >>> from pyclfft.audio.units import fft_frequencies
    >>> fft_frequencies(sr=100, n_fft=4).tolist()
    [0.0, 25.0, 50.0]
    """
    if not isinstance(n_fft, (int, np.integer)) or n_fft < 1:
        raise PlanError(f"n_fft must be a positive integer, not {n_fft!r}")
    return np.arange(1 + n_fft // 2) / n_fft * float(sr)


# --- pitches --------------------------------------------------------------------------------------


def hz_to_midi(frequencies: ArrayLike) -> Any:
    """Return frequencies in Hz as MIDI note numbers, with their fractions.

    Parameters
    ----------
    frequencies : float or array_like
        Frequencies in Hz. 0 Hz becomes minus infinity.

    Returns
    -------
    float or ndarray of float

    Raises
    ------
    TypeError
        `frequencies` are not made of numbers.

    See Also
    --------
    midi_to_hz : The inverse.

    Examples
    --------
    >>> from pyclfft.audio.units import hz_to_midi
    >>> hz_to_midi([440, 880]).tolist()
    [69.0, 81.0]
    """
    with np.errstate(divide="ignore"):
        return (12 * np.log2(np.asanyarray(frequencies) / A4_HZ) + A4_MIDI)[()]


def midi_to_hz(notes: ArrayLike) -> Any:
    """Return MIDI note numbers as frequencies in Hz.

    Parameters
    ----------
    notes : float or array_like
        Numbers of notes, with fractions.

    Returns
    -------
    float or ndarray of float

    Raises
    ------
    TypeError
        `notes` are not made of numbers.

    See Also
    --------
    hz_to_midi : The inverse.

    Examples
    --------
    >>> from pyclfft.audio.units import midi_to_hz
    >>> midi_to_hz([57, 69]).tolist()
    [220.0, 440.0]
    """
    return (A4_HZ * 2.0 ** ((np.asanyarray(notes) - A4_MIDI) / 12))[()]


def midi_to_note(
    midi: ArrayLike, *, octave: bool = True, cents: bool = False, unicode: bool = True
) -> Any:
    """Return the names of MIDI notes, with sharps.

    Parameters
    ----------
    midi : float or array_like
        Numbers of notes; fractions are rounded.
    octave : bool
        Name the octave too: note 60 is C4.
    cents : bool
        Name the distance to the note in cents too, hundredths of a semitone.
    unicode : bool
        Write a sharp as ♯ rather than #.

    Returns
    -------
    str or ndarray of str

    Raises
    ------
    PlanError
        `cents` is set without `octave`, or a number is not finite.

    See Also
    --------
    note_to_midi : The inverse.

    Examples
    --------
    >>> from pyclfft.audio.units import midi_to_note
    >>> midi_to_note(61), midi_to_note(60.2, cents=True), midi_to_note(61, unicode=False)
    ('C♯4', 'C4+20', 'C#4')
    """
    if cents and not octave:
        raise PlanError("cents need an octave before them: leave octave=False out")
    numbers = np.asanyarray(midi, float)
    if not np.isfinite(numbers).all():
        raise PlanError("there is no name for NaN or infinity: leave frequencies of 0 Hz out")
    names = [_name(number, octave, cents, unicode) for number in numbers.ravel()]
    return np.array(names).reshape(numbers.shape) if numbers.ndim else names[0]


def _name(number: float, octave: bool, cents: bool, unicode: bool) -> str:
    nearest = round(number)  # to an even one from the middle, as NumPy does
    name = NAMES[nearest % 12] if unicode else NAMES[nearest % 12].replace("♯", "#")
    height = f"{nearest // 12 - 1}" if octave else ""
    apart = f"{round(100 * (number - nearest)):+d}" if cents else ""
    return name + height + apart


def note_to_midi(note: Any, *, round_midi: bool = True) -> Any:
    """Return the MIDI numbers of notes by their names.

    Parameters
    ----------
    note : str or array_like of str
        A letter; sharps (#, ♯, 𝄪) or flats (b, !, ♭, 𝄫); an octave (0 by default); cents (``+20``).
    round_midi : bool
        Return whole numbers.

    Returns
    -------
    int or float, or ndarray of them

    Raises
    ------
    PlanError
        A string is not the name of a note.

    See Also
    --------
    midi_to_note : The inverse.

    Examples
    --------
    >>> from pyclfft.audio.units import note_to_midi
    >>> note_to_midi("A4"), note_to_midi(["C♯4", "Db4"]).tolist()
    (69, [61, 61])
    """
    if not isinstance(note, str):
        names = np.asarray(note)
        numbers = [note_to_midi(str(each), round_midi=round_midi) for each in names.ravel()]
        return np.array(numbers).reshape(names.shape)
    match = NOTE.fullmatch(note)
    if not match:
        raise PlanError(f"{note!r} is not the name of a note: write it like C4, F#3 or Bb5-20")
    number = LETTERS[match["letter"].upper()] + 12 * (int(match["octave"] or 0) + 1)
    number += sum(ACCIDENTALS[sign] for sign in match["accidentals"])
    exact = number + int(match["cents"] or 0) / 100
    return round(exact) if round_midi else exact


def hz_to_note(frequencies: ArrayLike, **options: bool) -> Any:
    """Return the names of the notes next to frequencies in Hz.

    Parameters
    ----------
    frequencies : float or array_like
        In Hz, more than 0.
    **options
        The parameters of `midi_to_note`.

    Returns
    -------
    str or ndarray of str

    Raises
    ------
    PlanError
        As `midi_to_note`.

    See Also
    --------
    note_to_hz : The inverse.

    Examples
    --------
    >>> from pyclfft.audio.units import hz_to_note
    >>> hz_to_note(440.0), hz_to_note(445.0, cents=True)
    ('A4', 'A4+20')
    """
    return midi_to_note(hz_to_midi(frequencies), **options)


def note_to_hz(note: Any, **options: bool) -> Any:
    """Return the frequencies of notes by their names, in Hz.

    Parameters
    ----------
    note : str or array_like of str
        The names, as `note_to_midi` reads them.
    **options
        The parameters of `note_to_midi`.

    Returns
    -------
    float or ndarray of float

    Raises
    ------
    PlanError
        As `note_to_midi`.

    See Also
    --------
    hz_to_note : The inverse.

    Examples
    --------
    >>> from pyclfft.audio.units import note_to_hz
    >>> note_to_hz(["A3", "A4"]).tolist()
    [220.0, 440.0]
    """
    return midi_to_hz(note_to_midi(note, **options))


# --- decibels -------------------------------------------------------------------------------------


def amplitude_to_db(
    S: ArrayLike,  # noqa: N803  librosa's name
    *,
    ref: Reference = 1.0,
    amin: float = 1e-5,
    top_db: float | None = 80.0,
) -> Any:
    """Return amplitudes in decibels, ``20 log10(|S| / ref)``.

    Parameters
    ----------
    S : number or array_like
        Amplitudes, real or complex.
    ref : float or callable
        The amplitude of 0 dB, or a function such as ``numpy.max`` that finds it among all.
    amin : float
        Amplitudes below this one count as this one.
    top_db : float, optional
        Results that are more than `top_db` below the greatest are raised to this limit; None sets
        no limit.

    Returns
    -------
    float or ndarray of float, shape of `S`

    Raises
    ------
    PlanError
        `amin` is not positive, `top_db` is negative, or `S` is on a device.

    See Also
    --------
    db_to_amplitude : The inverse.

    Examples
    --------
    >>> from pyclfft.audio.units import amplitude_to_db
    >>> amplitude_to_db([1.0, 0.1, 0.0]).tolist()
    [0.0, -20.0, -80.0]
    """
    magnitude = np.abs(np.asarray(_on_host(S)))
    return _decibels(magnitude, ref, amin, top_db, 20)


def power_to_db(
    S: ArrayLike,  # noqa: N803  librosa's name
    *,
    ref: Reference = 1.0,
    amin: float = 1e-10,
    top_db: float | None = 80.0,
) -> Any:
    """Return power in decibels, ``10 log10(S / ref)``.

    Parameters
    ----------
    S : number or array_like
        Power: squared amplitudes.
    ref, amin, top_db
        The parameters of `amplitude_to_db`, for powers instead of amplitudes.

    Returns
    -------
    float or ndarray of float, shape of `S`

    Raises
    ------
    PlanError
        As `amplitude_to_db`.

    See Also
    --------
    db_to_power : The inverse.

    Examples
    --------
    >>> from pyclfft.audio.units import power_to_db
    >>> power_to_db([1.0, 0.1, 0.0]).tolist()
    [0.0, -10.0, -80.0]
    """
    power = np.asarray(_on_host(S))
    return _decibels(abs(power) if power.dtype.kind == "c" else power, ref, amin, top_db, 10)


def _on_host(values: Any) -> Any:
    """Return what is given; refuse a device array, which NumPy would take for a single object."""
    if isinstance(values, cl_array.Array):
        raise PlanError("decibels are computed on the host: pass S.get() instead of a device array")
    return values


def _decibels(
    values: np.ndarray, ref: Reference, amin: float, top_db: float | None, factor: float
) -> Any:
    if not amin > 0:
        raise PlanError(f"amin must be positive, not {amin!r}")
    if top_db is not None and not top_db >= 0:
        raise PlanError(f"top_db must not be negative, not {top_db!r}")
    zero = np.maximum(amin, np.abs(ref(values) if callable(ref) else ref))
    result = factor * (np.log10(np.maximum(amin, values)) - np.log10(zero))
    result = result.astype(values.dtype if values.dtype.kind == "f" else float)
    if top_db is not None and result.size:
        result = np.maximum(result, result.max() - top_db)
    return result[()]


def db_to_amplitude(S_db: ArrayLike, *, ref: float = 1.0) -> Any:  # noqa: N803  librosa's name
    """Return the amplitudes whose decibels are given.

    Parameters
    ----------
    S_db : float or array_like
        Decibels.
    ref : float
        Amplitude of 0 dB.

    Returns
    -------
    float or ndarray of float

    Raises
    ------
    TypeError
        `S_db` is not made of numbers.

    See Also
    --------
    amplitude_to_db : The inverse.

    Examples
    --------
    >>> from pyclfft.audio.units import db_to_amplitude
    >>> db_to_amplitude([0, -20]).tolist()
    [1.0, 0.1]
    """
    return (ref * 10.0 ** (np.asanyarray(_on_host(S_db)) / 20))[()]


def db_to_power(S_db: ArrayLike, *, ref: float = 1.0) -> Any:  # noqa: N803  librosa's name
    """Return the powers whose decibels are given.

    Parameters
    ----------
    S_db : float or array_like
        Decibels.
    ref : float
        Power of 0 dB.

    Returns
    -------
    float or ndarray of float

    Raises
    ------
    TypeError
        `S_db` is not made of numbers.

    See Also
    --------
    power_to_db : The inverse.

    Examples
    --------
    >>> from pyclfft.audio.units import db_to_power
    >>> db_to_power([0, -20]).tolist()
    [1.0, 0.01]
    """
    return (ref * 10.0 ** (np.asanyarray(_on_host(S_db)) / 10))[()]
