/* stage: one stage of a transform (T. G. Stockham's autosort). A template, of which each include makes one function.
 *
 *     x[] of the stage before  --->  local memory  --->  x[], times twiddles  --->  codelet  --->  x[]
 *
 * The stage has the number STAGE of SEQUENCE, a RADIX, a SPAN, which is the product of the radices before, and the radix
 * BEFORE; the first stage has span 1. Its butterfly j takes the points j + r N / RADIX, times
 * exp(-2 pi i r (j mod SPAN) / (RADIX SPAN)). Result r of butterfly j of the stage before lies at
 * (j / S) SPAN + j mod S + r S, S = SPAN / BEFORE. So the points are in natural order in every stage, and no bits
 * are reversed.
 *
 * References: the autosort is T. G. Stockham's, in W. T. Cochran et al., "What is the fast Fourier
 * transform?", Proc. IEEE 55 (1967); N. K. Govindaraju et al., "High performance discrete Fourier
 * transforms on graphics processors", SC 2008, for the exchange through local memory.
 */

#define FUNCTION(name) JOINED(JOINED(name, SEQUENCE), STAGE)
#define THE_STAGE {RADIX, SPAN, PAIRING(RADIX, SPAN)}
#define THE_STAGE_BEFORE {BEFORE, SPAN / BEFORE, PAIRING(BEFORE, SPAN / BEFORE)}

#if SPAN > 1 && RADIX > 1 && HALVES
    #include "gpu/exchangeHalves.cl"
#elif SPAN > 1 && RADIX > 1
    #include "gpu/exchange.cl"
#endif

static INLINE void FUNCTION(stage_)(cplx *x, local cplx *room, Worker from, Worker to, global const cplx *twiddles)
{
#if SPAN > 1 && RADIX > 1
    if (SPAN != BEFORE)
        wait_for_group(0); /* for those who still find points of the exchange before */
    FUNCTION(exchange_)(x, room, SPLIT ? REAL_PART : BOTH_PARTS, from, to);
    if (SPLIT) {
        wait_for_group(0);
        FUNCTION(exchange_)(x, room, IMAGINARY_PART, from, to);
    }
#endif
#if MIRRORED(RADIX, SPAN) && SPAN > 1 && RADIX < LARGE
    const uint pairs = BUTTERFLIES(RADIX) / 2;
    UNROLL for (uint b = 0; b < pairs; b++) {
        const uint j = to.item + b * ITEMS, alone = b == 0 && j == 0;
        cplx *image = x + b + pairs;
        twiddle_pair(x + b, image, 2 * pairs, RADIX, SPAN, twiddles + (SPAN - 1) + (alone ? SPAN / 2 : j), alone);
        JOINED(fft, RADIX)(x + b, 2 * pairs);
        JOINED(fft, RADIX)(image, 2 * pairs);
        move_down(image, 2 * pairs, RADIX);
    }
#elif RADIX > 1 && !HAS_REAL_CODELET(RADIX, SPAN)
    const Group group = THE_GROUP;
    const Stage stage = THE_STAGE;
    UNROLL for (uint b = 0; b < BUTTERFLIES(RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, to.item);
        if (of.exists) {
            twiddle(x + b, of.many, RADIX, SPAN, twiddles + (SPAN - 1) + of.j % SPAN);
#if BACK_TO_REAL
            JOINED(back_to_real, RADIX)(x + b, of.many);
#else
            JOINED(fft, RADIX)(x + b, of.many);
#endif
        }
    }
#endif
}
#undef FUNCTION
#undef THE_STAGE
#undef THE_STAGE_BEFORE
#undef STAGE
#undef RADIX
#undef BEFORE
#undef SPAN
