/* hum: the harmonics of the mains in spectra, and a signal without them. */
#include "prelude.cl"

/* Some bins of spectra of the shape (signals, frames, bins), as (signals, frames, count).
 * Range: (number in the list, frame, signal). */
kernel void takeBins(global const cplx *spectra, global cplx *taken, global const uint *list, uint count, uint frames,
                     uint bins)
{
    const uint i = get_global_id(0), frame = get_global_id(1);
    if (i >= count || frame >= frames)
        return;
    const ulong row = get_global_id(2) * frames + frame;
    taken[row * count + i] = spectra[row * bins + list[i]];
}

/* A stretch of signals, `length` samples from number `start` on, less harmonics, whose amplitudes and phases at sample 0
 * are known at some knots, the first at sample `first` and the others `hop` samples apart, and lie on lines in between.
 * Signals have `samples` samples, and beyond them the stretch stays as it is. Phases are counted in 2^-64 turns, so that
 * they are exact however long a signal is; `turns` has how far each signal's mains turns in a sample. Harmonics have the
 * shape (signals, knots, count), and `numbers` says which they are. Range: (sample, signal). */
kernel void subtractHum(global real *stretch, global const cplx *harmonics, global const uint *numbers,
                        global const ulong *turns, uint count, uint knots, ulong length, long start, ulong samples,
                        ulong first, ulong hop)
{
    const ulong place = get_global_id(0), signal = get_global_id(1);
    const long at = start + (long)place;
    if (place >= length || at < 0 || at >= (long)samples)
        return;
    const ulong i = at, since = i > first ? i - first : 0;
    const uint knot = min((uint)(since / hop), knots - 1), next = min(knot + 1, knots - 1);
    const real part = knot == next ? 0 : (real)(since % hop) / (real)hop;
    global const cplx *here = harmonics + (signal * knots + knot) * count;
    global const cplx *there = harmonics + (signal * knots + next) * count;
    const ulong phase = turns[signal] * i;
    real hum = 0;
    for (uint h = 0; h < count; h++) {
        const real half_turns = (real)(phase * numbers[h]) * CONST(0x1p-63);
        const cplx z = here[h] + part * (there[h] - here[h]);
        hum += z.x * cospi(half_turns) - z.y * sinpi(half_turns);
    }
    stretch[signal * length + place] -= hum;
}
