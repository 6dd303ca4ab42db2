/* crossPower: the spectrum of a cross-correlation, for a hook in the place of a transform's last store.
 *
 * The transform is that of the second image. The spectrum of the first image lies in the same buffer, FIRST_BEGIN
 * elements further on. The hook multiplies each of its elements by the conjugate of the element that the
 * transform would store, and stores the product instead.
 *
 * Reference: C. D. Kuglin, D. C. Hines, "The phase correlation image alignment method" (1975). */
#include "prelude.cl"

#ifndef FIRST_BEGIN
#define FIRST_BEGIN 256 /* the first image's spectrum begins at this element, behind the products */
#endif
#ifndef PHASE_ONLY
#define PHASE_ONLY 1 /* 1: every product gets the magnitude 1, so that only its phase counts; 0: it stays as it is */
#endif

#if DOUBLE
#define ROUNDING (100 * DBL_EPSILON)
#else
#define ROUNDING (100 * FLT_EPSILON)
#endif

static inline void store_product(global cplx *spectra, ulong index, cplx second)
{
    cplx product = cmul(spectra[FIRST_BEGIN + index], (cplx)(second.x, -second.y));
    /* Products that are 0 but for rounding have no phase: they stay small. */
    spectra[index] = PHASE_ONLY ? product / fmax(length(product), ROUNDING) : product;
}
