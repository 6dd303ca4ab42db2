/* anyLength: what stages.cl does, in one kernel for all lengths. The number of points and the radices are arguments.
 *
 *     n points  --->  stage 1 of all blocks  --->  stage 2 of all blocks  --->  ...  --->  last stage  --->  results
 *
 * Each stage goes through all blocks before the next one begins. `steps` has the radices of the stages, and behind them
 * the number of the first result of each block of the last stage. Radices are 2, 3, 4, 5, 7, 11 and 13; those of a
 * convolution are 2, 3, 4 and 5.
 */
#define RADIX 2
    #include "cpu/anyRadix.cl"
#define RADIX 3
    #include "cpu/anyRadix.cl"
#define RADIX 4
    #include "cpu/anyRadix.cl"
#define RADIX 5
    #include "cpu/anyRadix.cl"
#if !CONVOLVES
#include "cpu/anyPrime.cl"
#endif

static INLINE void any_stage_there(uint radix, SCRATCH points *scratch, uint n, uint below, global const cplx *twiddles)
{
    switch (radix) {
    case 2: stage_there_2(scratch, n, below, twiddles); break;
    case 3: stage_there_3(scratch, n, below, twiddles); break;
    case 4: stage_there_4(scratch, n, below, twiddles); break;
    case 5: stage_there_5(scratch, n, below, twiddles); break;
#if !CONVOLVES
    default: stage_there_prime(scratch, n, radix, below, twiddles);
#endif
    }
}

static INLINE void any_last_stage(uint radix, SCRATCH points *scratch, uint n, global const long *rows, Source source,
                                  Target target HOOK_PARAMETERS)
{
    switch (radix) {
    case 2: last_stage_2(scratch, n, rows, source, target HOOK_ARGUMENTS); break;
    case 3: last_stage_3(scratch, n, rows, source, target HOOK_ARGUMENTS); break;
    case 4: last_stage_4(scratch, n, rows, source, target HOOK_ARGUMENTS); break;
    case 5: last_stage_5(scratch, n, rows, source, target HOOK_ARGUMENTS); break;
#if !CONVOLVES
    default: last_stage_prime(scratch, n, radix, rows, source, target HOOK_ARGUMENTS);
#endif
    }
}

#if CONVOLVES
static INLINE void any_stage_back(uint radix, SCRATCH points *scratch, uint n, uint below, global const cplx *twiddles)
{
    switch (radix) {
    case 2: stage_back_2(scratch, n, below, twiddles); break;
    case 3: stage_back_3(scratch, n, below, twiddles); break;
    case 4: stage_back_4(scratch, n, below, twiddles); break;
    case 5: stage_back_5(scratch, n, below, twiddles); break;
    }
}
#endif

/* Transforms, or convolves, the points of all lanes. */
static INLINE void all_stages(SCRATCH points *scratch, global const cplx *twiddles, Source source,
                              Target target HOOK_PARAMETERS)
{
    const uint n = source.sizes.points, stages = source.tables.stages;
    global const long *steps = source.tables.steps;
    uint below = n;
    LOOP(uint stage = 0; stage + 1 < stages; stage++)
    {
        below /= steps[stage];
        any_stage_there(steps[stage], scratch, n, below, twiddles);
    }
    any_last_stage(steps[stages - 1], scratch, n, steps + stages, source, target HOOK_ARGUMENTS);
#if CONVOLVES
    LOOP(int stage = stages - 2; stage >= 0; stage--)
    {
        any_stage_back(steps[stage], scratch, n, below, twiddles);
        below *= steps[stage];
    }
#endif
}
