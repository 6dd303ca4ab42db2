/* laneStage: one stage of a transform in lanes, and all stages below it. A template: stages.cl includes it for each.
 *
 *     block of RADIX x BELOW points  --->  codelets, twiddles  --->  RADIX blocks of BELOW points
 *                                                                    one after the other to the next stage
 *     last stage: RADIX points  --->  codelet  --->  results
 *
 * The first stage may load its points from the source. In a convolution the last stage multiplies by a spectrum and
 * transforms back, and each stage before it goes back too, once all of its blocks have returned. The first stage, which
 * is the last one to go back, may store its results in the target.
 */
#define NEXT_PLACE(k) (SPECTRUM ? (k) * BELOW : (k) * BEFORE)
#if BACK && STAGE == 1
#define LEAVE_BACK(i, x) store_result(target, i, x HOOK_ARGUMENTS)
#else
#define LEAVE_BACK(i, x) block[i] = x
#endif

static INLINE void STAGE_NUMBER(STAGE)(SCRATCH points *block, uint place, global const cplx *twiddles, Source source,
                                       Target target HOOK_PARAMETERS)
{
    LOOP(uint j = 0; j < BELOW; j++)
    {
        points x[RADIX];
        UNROLL for (uint r = 0; r < RADIX; r++)
            x[r] = take_point(block, j + r * BELOW, STAGE == 1, source, target HOOK_ARGUMENTS);
        JOINED(fft, RADIX)(x, 1);
#if BELOW > 1
        global const cplx *w = twiddles + (BELOW - 1) + j * (RADIX - 1);
        block[j] = x[0];
        UNROLL for (uint k = 1; k < RADIX; k++)
            block[j + k * BELOW] = times_number(x[k], w + k - 1);
#elif CONVOLVES
        UNROLL for (uint k = 0; k < RADIX; k++)
            x[k] = conjugated(times_spectrum(x[k], source, target, place + NEXT_PLACE(k) HOOK_ARGUMENTS));
        JOINED(fft, RADIX)(x, 1);
        UNROLL for (uint r = 0; r < RADIX; r++)
            LEAVE_BACK(r, x[r]);
#else
        UNROLL for (uint k = 0; k < RADIX; k++)
            store_result(target, place + k * BEFORE, x[k] HOOK_ARGUMENTS);
#endif
    }
#if BELOW > 1 && !(IN_ORDER && NEXT == LAST)
    LOOP(uint k = 0; k < RADIX; k++)
        STAGE_NUMBER(NEXT)(block + k * BELOW, place + NEXT_PLACE(k), twiddles, source, target HOOK_ARGUMENTS);
#endif
#if BELOW > 1 && CONVOLVES
    LOOP(uint j = 0; j < BELOW; j++)
    {
        points x[RADIX];
        global const cplx *w = twiddles + (BELOW - 1) + j * (RADIX - 1);
        x[0] = block[j];
        UNROLL for (uint k = 1; k < RADIX; k++)
            x[k] = times_number(block[j + k * BELOW], w + k - 1);
        JOINED(fft, RADIX)(x, 1);
        UNROLL for (uint r = 0; r < RADIX; r++)
            LEAVE_BACK(j + r * BELOW, x[r]);
    }
#endif
}
#undef NEXT_PLACE
#undef LEAVE_BACK
#undef STAGE
#undef NEXT
#undef RADIX
#undef BELOW
#undef BEFORE
