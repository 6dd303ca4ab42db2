/* regions: parts of a spectrogram made louder or softer, in a stretch of signals that some frames hold.
 *
 * What changes is computed by itself: the spectra times their gain less 1, back to a signal, and added. So samples of
 * which no frame changes stay as they are, to the last bit.
 */
#include "prelude.cl"

/* A stretch of `length` samples from number `first` on, of signals that are `pitch` samples apart; zeros stand where a
 * signal has none. Range: (sample, signal). */
kernel void cutStretch(global const real *signals, global real *stretch, ulong pitch, ulong samples, long first,
                       ulong length)
{
    const ulong i = get_global_id(0), signal = get_global_id(1);
    if (i >= length)
        return;
    const long at = first + (long)i;
    stretch[signal * length + i] = at >= 0 && at < (long)samples ? signals[signal * pitch + at] : 0;
}

/* `count` samples of a stretch, from its number `from` on, in place of a signal's samples from number `first` on.
 * Range: (sample, signal). */
kernel void pasteStretch(global real *signals, global const real *stretch, ulong pitch, ulong first, ulong length,
                         ulong from, ulong count)
{
    const ulong i = get_global_id(0), signal = get_global_id(1);
    if (i < count)
        signals[signal * pitch + first + i] = stretch[signal * length + from + i];
}

/* Spectra, of which each region changes a part: a region's factor is `gains[r]` where both of its weights, by frame and
 * by bin, are 1, and the factor 1 where one of them is 0. Spectra have the shape (signals, frames, bins).
 * Range: (bin, frame, signal). */
kernel void changeOfRegions(global cplx *spectra, global const real *gains, global const real *by_frame,
                            global const real *by_bin, uint regions, uint frames, uint bins)
{
    const uint bin = get_global_id(0), frame = get_global_id(1);
    if (bin >= bins || frame >= frames)
        return;
    real factor = 1;
    for (uint r = 0; r < regions; r++)
        factor *= 1 + (gains[r] - 1) * (by_frame[r * frames + frame] * by_bin[r * bins + bin]);
    const ulong place = (get_global_id(2) * frames + frame) * bins + bin;
    const cplx z = spectra[place];
    spectra[place] = factor == 1 ? (cplx)(0, 0) : (factor - 1) * z; /* 0 also of what is not a number */
}

/* The changes of a stretch added to signals. Range: (sample, signal). */
kernel void addStretch(global real *signals, global const real *change, ulong pitch, ulong samples, long first,
                       ulong length)
{
    const ulong i = get_global_id(0), signal = get_global_id(1);
    const long at = first + (long)i;
    if (i >= length || at < 0 || at >= (long)samples)
        return;
    const real more = change[signal * length + i];
    if (more != 0) /* a negative zero keeps its sign */
        signals[signal * pitch + at] += more;
}
