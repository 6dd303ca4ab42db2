/* magnitudes: spectra to real numbers, for a hook in the place of a transform's last store. */
#include "prelude.cl"

#define AMPLITUDE 1
#define POWER 2
#define OTHER 0
#ifndef EXPONENT
#define EXPONENT AMPLITUDE /* of the magnitude: 1, 2, or OTHER, an argument */
#endif
#ifndef FRAME_BINS
#define FRAME_BINS 1025 /* of a spectrum as the transform leaves it */
#endif
#ifndef BINS
#define BINS FRAME_BINS /* of which the first so many are kept */
#endif

static inline real magnitude(cplx z, real exponent)
{
    real square = z.x * z.x + z.y * z.y;
#if EXPONENT == POWER
    return square;
#elif EXPONENT == AMPLITUDE
    return sqrt(square);
#else
    return square > 0 ? pow(square, exponent / 2) : square;
#endif
}

/* Bins of a spectrum are `apart` from each other: next to each other, or with all frames in between. */
static inline void store_magnitude(global real *dst, ulong index, cplx z, real exponent, ulong apart)
{
    ulong place = index;
#if BINS != FRAME_BINS
    ulong run = index / apart, bin = run % FRAME_BINS;
    if (bin >= BINS)
        return;
    place = (run / FRAME_BINS * BINS + bin) * apart + index % apart;
#endif
    dst[place] = magnitude(z, exponent);
}

/* In a kernel with this hook; the greatest number so far where it also has MAXIMUM (localRadix2.cl). */
#define MAGNITUDE(z) magnitude(z, store_hook_exponent)
#define GREATEST store_hook_greatest

#if VECTOR_STORES
typedef reals loose_reals __attribute__((aligned(4 << DOUBLE)));

static inline void store_magnitudes(global real *dst, ulong index, target_vector z, real exponent, ulong apart)
{
#if BINS == FRAME_BINS && EXPONENT != OTHER
    reals square = z.even * z.even + z.odd * z.odd;
    *(global loose_reals *)(dst + index) = EXPONENT == POWER ? square : sqrt(square);
#else
    LOOP(uint i = 0; i < TARGET_STEP; i++)
        store_magnitude(dst, index + i, ((cplx *)&z)[i], exponent, apart);
#endif
}
#endif
