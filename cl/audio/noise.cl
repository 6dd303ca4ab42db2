/* noise: how often each bin of frames has which power, and what is left of spectra when noise is taken away.
 *
 * Spectra have the shape (signals, frames, bins). Unless a kernel says otherwise, a work-item has a bin of a signal and
 * goes through the frames, so that neighbouring work-items read neighbouring bins. Range: (bin, signal).
 *
 * References: Y. Ephraim, D. Malah, "Speech enhancement using a minimum mean-square error short-time spectral amplitude
 * estimator", IEEE Trans. ASSP-32 (1984); C. Plapous, C. Marro, P. Scalart, "Improved signal-to-noise ratio estimation
 * for speech enhancement", IEEE Trans. ASLP 14 (2006); I. Cohen, B. Berdugo, "Speech enhancement for non-stationary
 * noise environments", Signal Processing 81 (2001).
 */
#include "prelude.cl"

#define ENTRIES 1024 /* entries of a histogram: four for each octave of floats of 32 bits */
#define SHIFT 21     /* the bits of a positive float below those that number its entry */

#ifndef SIDE
#define SIDE 1 /* bins on each side whose power counts with that of a bin */
#endif
#ifndef WIDE
#define WIDE 3 /* bins on each side, and frames before and behind, in which music is sought around a bin */
#endif
#ifndef ABSENT
#define ABSENT CONST(1.3) /* the mean power around a bin, beside that of noise, up to which there is noise alone */
#endif
#ifndef PRESENT
#define PRESENT CONST(2.0) /* the one from which there is music */
#endif
#ifndef STEADY
#define STEADY CONST(0.7) /* the part of a bin's mean power over time that it may have from its neighbours */
#endif
#define TINY as_real((bits)1 << (DOUBLE ? 52 : 23)) /* the smallest normal number */

static INLINE real power_of(cplx z)
{
    return z.x * z.x + z.y * z.y;
}

static INLINE real finite_power(cplx z)
{
    const real power = power_of(z);
    return power < 1 / TINY ? power : 0;
}

/* The sum of each bin's powers in the first `count` frames. */
kernel void sumPowers(global const cplx *spectra, global real *sums, uint frames, uint count, uint bins)
{
    const uint bin = get_global_id(0);
    if (bin >= bins)
        return;
    const uint signal = get_global_id(1);
    global const cplx *own = spectra + (ulong)signal * frames * bins + bin;
    real sum = 0;
    for (uint frame = 0; frame < count; frame++)
        sum += power_of(own[(ulong)frame * bins]);
    sums[signal * bins + bin] = sum;
}

/* Histograms of `some` bins from number `from` on, of the shape (signals, ENTRIES, some), to which the first `count`
 * frames are added. The bits of positive numbers are in the order of the numbers, and the highest of them tell the
 * entry. Range: (bin among these, signal). */
kernel void countPowers(global const cplx *spectra, global uint *histograms, uint frames, uint count, uint bins,
                        uint from, uint some)
{
    const uint place = get_global_id(0);
    if (place >= some)
        return;
    const uint signal = get_global_id(1);
    global const cplx *own = spectra + (ulong)signal * frames * bins + from + place;
    global uint *histogram = histograms + (ulong)signal * ENTRIES * some + place;
    for (uint frame = 0; frame < count; frame++) {
        const uint entry = as_uint(convert_float(power_of(own[(ulong)frame * bins]))) >> SHIFT;
        histogram[(ulong)(entry % ENTRIES) * some]++;
    }
}

/* Powers around each bin of a frame; what is not a number counts as 0. x is the mean of the bins up to SIDE beside it,
 * but at most STEADY times the mean of the bin itself in WIDE frames before and behind: so a partial that moves counts,
 * and noise beside a steady partial does not. y is the mean of the bins up to WIDE beside it.
 * Range: (bin, frame, signal). */
kernel void nearPowers(global const cplx *spectra, global cplx *near, uint frames, uint bins)
{
    const uint bin = get_global_id(0), frame = get_global_id(1);
    if (bin >= bins || frame >= frames)
        return;
    global const cplx *own = spectra + (ulong)get_global_id(2) * frames * bins;
    real4 sum = 0, count = 0;
    for (int apart = -WIDE; apart <= WIDE; apart++) {
        const int other = (int)bin + apart, time = (int)frame + apart;
        const bool there = other >= 0 && other < (int)bins, then = time >= 0 && time < (int)frames;
        const real beside = there ? finite_power(own[(ulong)frame * bins + other]) : 0;
        const real past = then ? finite_power(own[(ulong)time * bins + bin]) : 0;
        const real is_near = there && abs(apart) <= SIDE;
        sum += (real4)(is_near * beside, beside, past, 0);
        count += (real4)(is_near, there, then, 1);
    }
    const real4 mean = sum / count;
    near[((ulong)get_global_id(2) * frames + frame) * bins + bin] = (cplx)(fmin(mean.x, STEADY * mean.z), mean.y);
}

/* Frames from number `first` on, times a gain by their power beside that of noise, `least` and more; WIDE frames before
 * them and behind them are there, too. `states` holds what a bin's frame before was without noise; it is read, and then
 * replaced by what it is before frame `kept`, where the next block begins.
 *
 * The first estimate of what is not noise goes on from frame to frame (`memory` is its share), which keeps noise from
 * flickering; the second follows at once. Where hardly more than noise is around a bin, the gain falls to `least`. */
kernel void suppressNoise(global cplx *spectra, global const cplx *near, global const real *levels, global real *states,
                          uint frames, uint bins, uint first, uint count, uint kept, real memory, real least)
{
    const uint bin = get_global_id(0);
    if (bin >= bins)
        return;
    const uint signal = get_global_id(1), place = signal * bins + bin;
    const ulong begin = (ulong)signal * frames * bins + bin;
    const real noise = fmax(levels[place], TINY);
    real before = states[place]; /* the power of the frame before, without noise, beside that of noise */
    for (uint frame = first; frame < first + count; frame++) {
        if (frame == kept)
            states[place] = before;
        const ulong at = begin + (ulong)frame * bins;
        const cplx z = spectra[at];
        real around = 0;
        for (uint other = frame - WIDE; other <= frame + WIDE; other++)
            around += near[begin + (ulong)other * bins].y;
        around /= (2 * WIDE + 1) * noise;
        const real ratio = power_of(z) / noise, beside = near[at].x / noise;
        const real estimate = memory * before + (1 - memory) * fmax(beside - 1, (real)0);
        const real smooth = estimate / (1 + estimate);
        const real second = smooth * smooth * ratio;
        const real music = clamp((around - ABSENT) / (PRESENT - ABSENT), (real)0, (real)1);
        const real gain = second < 1 / TINY ? second / (1 + second) * music : 1;
        before = smooth * smooth * beside;
        before = before < 1 / TINY ? before : 0; /* what is not a number ends with its frame */
        spectra[at] = fmax(gain, least) * z;
    }
}
