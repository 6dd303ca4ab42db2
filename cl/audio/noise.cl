/* noise: the level of noise in every bin of frames, and what is left of spectra when it is taken away.
 *
 * Spectra have the shape (signals, frames, bins). A work-item has a bin of a signal and goes through all frames, so
 * that neighbouring work-items read neighbouring bins. Range: (bin, signal).
 *
 * References: Y. Ephraim, D. Malah, "Speech enhancement using a minimum mean-square error short-time spectral amplitude
 * estimator", IEEE Trans. ASSP-32 (1984); C. Plapous, C. Marro, P. Scalart, "Improved signal-to-noise ratio estimation
 * for speech enhancement", IEEE Trans. ASLP 14 (2006).
 */
#include "prelude.cl"

#ifndef STEPS
#define STEPS 20 /* steps in which a quantile is found: each halves what is left of the range of all powers */
#endif
#define TOP_BIT (DOUBLE ? 62 : 30)     /* the highest bit of a positive number */
#define TINY as_real((bits)1 << (DOUBLE ? 52 : 23)) /* the smallest normal number */

static INLINE real power_of(cplx z)
{
    return z.x * z.x + z.y * z.y;
}

/* The mean power of each bin. */
kernel void meanPowers(global const cplx *spectra, global real *levels, uint frames, uint bins)
{
    const uint bin = get_global_id(0);
    if (bin >= bins)
        return;
    const uint signal = get_global_id(1);
    global const cplx *own = spectra + (ulong)signal * frames * bins + bin;
    real sum = 0;
    for (uint frame = 0; frame < frames; frame++)
        sum += power_of(own[(ulong)frame * bins]);
    levels[signal * bins + bin] = sum / frames;
}

/* The power of each bin that `rank` of its frames do not exceed, but for a small part of it. The bits of positive
 * numbers are in the order of the numbers, so that the result is found bit by bit. */
kernel void quantilePowers(global const cplx *spectra, global real *levels, uint frames, uint bins, uint rank)
{
    const uint bin = get_global_id(0);
    if (bin >= bins)
        return;
    const uint signal = get_global_id(1);
    global const cplx *own = spectra + (ulong)signal * frames * bins + bin;
    bits found = 0;
    for (uint step = 0; step < STEPS; step++) {
        const bits tried = found | (bits)1 << (TOP_BIT - step);
        uint below = 0;
        for (uint frame = 0; frame < frames; frame++)
            below += as_bits(power_of(own[(ulong)frame * bins])) < tried;
        found = below <= rank ? tried : found;
    }
    levels[signal * bins + bin] = as_real(found);
}

/* Spectra times a gain by their power beside that of noise, `least` and more. The first estimate of what is not noise
 * goes on from frame to frame (`memory` is its share), which keeps noise from flickering; the second follows at once. */
kernel void suppressNoise(global cplx *spectra, global const real *levels, uint frames, uint bins, real memory,
                          real least)
{
    const uint bin = get_global_id(0);
    if (bin >= bins)
        return;
    const uint signal = get_global_id(1);
    global cplx *own = spectra + (ulong)signal * frames * bins + bin;
    const real noise = fmax(levels[signal * bins + bin], TINY);
    real before = 0; /* the power of the frame before, without noise */
    for (uint frame = 0; frame < frames; frame++) {
        const cplx z = own[(ulong)frame * bins];
        const real power = power_of(z), ratio = power / noise;
        const real first = memory * before / noise + (1 - memory) * fmax(ratio - 1, (real)0);
        const real smooth = first / (1 + first);
        const real second = smooth * smooth * ratio;
        const real gain = second < 1 / TINY ? second / (1 + second) : 1;
        before = smooth * smooth * power;
        before = before < 1 / TINY ? before : 0; /* what is not a number ends with its frame */
        own[(ulong)frame * bins] = fmax(gain, least) * z;
    }
}
