/* stages: the Fourier transform of the points of each lane, by decimation in frequency.
 *
 *     N points  --->  stage 1  --->  radix 1 blocks, each  --->  stage 2  --->  ...  --->  last stage  --->  results
 *
 * A stage of radix R with S points below transforms the points j, j + S, j + 2 S ..., and result k, times
 * exp(-2 pi i j k / (R S)), belongs to block k of S points, which is then transformed on its own. Depth first: a block
 * is finished before the next one begins, so that all but the first stages find their points in the nearest cache. No
 * point changes its lane, and twiddles are single numbers for all lanes.
 *
 * Depth first leaves results in an order that jumps from line to line of the target. What bypasses the caches is then
 * written at half of memory's rate. IN_ORDER has the last stage store its results as RADIX ascending streams instead,
 * for which it reads its blocks out of order.
 *
 * A convolution (CONVOLVES) transforms, multiplies by a spectrum, and transforms back. The stages back are those there
 * in reverse order, with twiddles before the codelets. They need points where the stages there have left them, so
 * nothing is put in order, and each block is done with before the next one begins. What a convolution leaves is
 * conjugated. The spectrum is a table in that order (SPECTRUM), or a caller's hook takes its place (BACK), which knows
 * results by their numbers.
 *
 * Who includes this file has defined what a Source and a Target are, and these functions:
 *
 *     take_point(block, i, is_first, source, target)   point i of a block, which the first stage may load
 *     store_result(target, k, x)                       leaves result k of a transform
 *     times_spectrum(x, source, target, place)         the product with a spectrum, in a convolution
 *
 * References: W. M. Gentleman, G. Sande, "Fast Fourier transforms for fun and profit", AFIPS 1966; M. Frigo,
 * C. E. Leiserson, H. Prokop, S. Ramachandran, "Cache-oblivious algorithms", FOCS 1999, for depth first.
 */
#ifndef RADICES
#define RADICES 4, 4, 1, 1, 1, 1, 1, 1 /* of the stages, in order, whose product is the number of points */
#endif
#ifndef SPECTRUM
#define SPECTRUM 0 /* 1: the stages convolve with a spectrum, which is a table */
#endif
#ifndef IN_ORDER
#define IN_ORDER 0 /* 1: the last stage goes over all blocks in the order of results, after all other stages */
#endif

#define RADIX_OF(k) CALL(JOINED(NUMBER_, k), (RADICES))
#define BEFORE_2 RADIX_OF(1)
#define BEFORE_3 (BEFORE_2 * RADIX_OF(2))
#define BEFORE_4 (BEFORE_3 * RADIX_OF(3))
#define BEFORE_5 (BEFORE_4 * RADIX_OF(4))
#define BEFORE_6 (BEFORE_5 * RADIX_OF(5))
#define BEFORE_7 (BEFORE_6 * RADIX_OF(6))
#define BEFORE_8 (BEFORE_7 * RADIX_OF(7))
#define BELOW_7 RADIX_OF(8)
#define BELOW_6 (BELOW_7 * RADIX_OF(7))
#define BELOW_5 (BELOW_6 * RADIX_OF(6))
#define BELOW_4 (BELOW_5 * RADIX_OF(5))
#define BELOW_3 (BELOW_4 * RADIX_OF(4))
#define BELOW_2 (BELOW_3 * RADIX_OF(3))
#define BELOW_1 (BELOW_2 * RADIX_OF(2))
#if BELOW_1 == 1
#define LAST 1
#define BEFORE_LAST 1
#elif BELOW_2 == 1
#define LAST 2
#define BEFORE_LAST BEFORE_2
#elif BELOW_3 == 1
#define LAST 3
#define BEFORE_LAST BEFORE_3
#elif BELOW_4 == 1
#define LAST 4
#define BEFORE_LAST BEFORE_4
#elif BELOW_5 == 1
#define LAST 5
#define BEFORE_LAST BEFORE_5
#elif BELOW_6 == 1
#define LAST 6
#define BEFORE_LAST BEFORE_6
#elif BELOW_7 == 1
#define LAST 7
#define BEFORE_LAST BEFORE_7
#else
#define LAST 8
#define BEFORE_LAST BEFORE_8
#endif
#define STAGE_NUMBER(k) JOINED(transform_from_stage_, k)

#define STAGE 8
#define NEXT 9
#define RADIX RADIX_OF(8)
#define BELOW 1
#define BEFORE BEFORE_8
    #include "cpu/laneStage.cl"

#define STAGE 7
#define NEXT 8
#define RADIX RADIX_OF(7)
#define BELOW BELOW_7
#define BEFORE BEFORE_7
    #include "cpu/laneStage.cl"

#define STAGE 6
#define NEXT 7
#define RADIX RADIX_OF(6)
#define BELOW BELOW_6
#define BEFORE BEFORE_6
    #include "cpu/laneStage.cl"

#define STAGE 5
#define NEXT 6
#define RADIX RADIX_OF(5)
#define BELOW BELOW_5
#define BEFORE BEFORE_5
    #include "cpu/laneStage.cl"

#define STAGE 4
#define NEXT 5
#define RADIX RADIX_OF(4)
#define BELOW BELOW_4
#define BEFORE BEFORE_4
    #include "cpu/laneStage.cl"

#define STAGE 3
#define NEXT 4
#define RADIX RADIX_OF(3)
#define BELOW BELOW_3
#define BEFORE BEFORE_3
    #include "cpu/laneStage.cl"

#define STAGE 2
#define NEXT 3
#define RADIX RADIX_OF(2)
#define BELOW BELOW_2
#define BEFORE BEFORE_2
    #include "cpu/laneStage.cl"

#define STAGE 1
#define NEXT 2
#define RADIX RADIX_OF(1)
#define BELOW BELOW_1
#define BEFORE 1
    #include "cpu/laneStage.cl"

#if IN_ORDER
/* Where the block of the last stage begins whose first result is `place`: the digits of `place`, the other way round. */
static INLINE uint block_of(uint place)
{
    uint at = place % RADIX_OF(1) * BELOW_1;
    place /= RADIX_OF(1), at += place % RADIX_OF(2) * BELOW_2;
    place /= RADIX_OF(2), at += place % RADIX_OF(3) * BELOW_3;
    place /= RADIX_OF(3), at += place % RADIX_OF(4) * BELOW_4;
    place /= RADIX_OF(4), at += place % RADIX_OF(5) * BELOW_5;
    place /= RADIX_OF(5), at += place % RADIX_OF(6) * BELOW_6;
    place /= RADIX_OF(6), at += place * BELOW_7;
    return at;
}
#endif

/* Transforms, or convolves, the points of all lanes. */
static INLINE void all_stages(SCRATCH points *scratch, global const cplx *twiddles, Source source,
                              Target target HOOK_PARAMETERS)
{
    STAGE_NUMBER(1)(scratch, 0, twiddles, source, target HOOK_ARGUMENTS);
#if IN_ORDER
    LOOP(uint place = 0; place < BEFORE_LAST; place++)
        STAGE_NUMBER(LAST)(scratch + block_of(place), place, twiddles, source, target HOOK_ARGUMENTS);
#endif
}
