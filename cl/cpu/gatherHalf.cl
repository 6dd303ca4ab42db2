/* gatherHalf: whole spectra of real numbers to scratch memory, from the halves that the source has.
 *
 *     src    0  1  2  3            --->  scratch   0* 1* 2* 3* 3  2  1      (* conjugated, for the way back)
 *
 * If a lane has two transforms (PAIR), their spectra A and B become that of the numbers of A and, times i, of B.
 */
static INLINE void join(SCRATCH points *scratch, uint k, points a, points b, Sizes sizes)
{
    if (k == 0 || 2 * k == sizes.length) /* there they are real, whatever the source says */
        a = (points)(RE(a), (reals)0), b = (points)(RE(b), (reals)0);
    scratch[k] = PAIR ? conjugated(a) + times_minus_i(conjugated(b)) : conjugated(a);
    if (k)
        scratch[sizes.length - k] = PAIR ? a + times_minus_i(b) : a;
}

#if FROM_ROWS
static INLINE void gather_filled(SCRATCH points *scratch, Source from HOOK_PARAMETERS)
{
    const uint filled = from.sizes.filled;
    LOOP(uint block = 0; block < filled; block += LANES)
    {
        const uint i = filled <= LANES ? 0 : min(block, (uint)(filled - LANES));
        points a[LANES], b[LANES];
        load_rows(a, from, i, 0 HOOK_ARGUMENTS);
        if (PAIR)
            load_rows(b, from, i, LANES HOOK_ARGUMENTS);
        UNROLL for (uint k = 0; k < LANES; k++)
            if (i + k < filled)
                join(scratch, i + k, a[k], PAIR ? b[k] : 0, from.sizes);
    }
}
#else
static INLINE void gather_filled(SCRATCH points *scratch, Source from HOOK_PARAMETERS)
{
    LOOP(uint i = 0; i < from.sizes.filled; i++)
    {
        const points a = load_column(from, i, 0, from.lanes HOOK_ARGUMENTS);
        points b = 0;
        if (PAIR)
            b = load_column(from, i, LANES, from.lanes HOOK_ARGUMENTS);
        join(scratch, i, a, b, from.sizes);
    }
}
#endif

static INLINE void gather(SCRATCH points *scratch, Source from HOOK_PARAMETERS)
{
    gather_filled(scratch, from HOOK_ARGUMENTS);
    LOOP(uint i = from.sizes.filled; i < half_of(from.sizes); i++)
    {
        scratch[i] = 0;
        scratch[from.sizes.length - i] = 0;
    }
}
