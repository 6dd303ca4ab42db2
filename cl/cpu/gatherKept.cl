/* gatherKept: from halves of spectra to the KEPT transforms of M points, for the stage that knows real numbers.
 *
 *     src  --->  element k  --->  row k / R of transform k mod R, or of transform R - k mod R as a conjugate
 *
 * All of it is conjugated, for the way back.
 */

/* Element k, wherever it or its conjugate is a point. */
static INLINE void keep(SCRATCH points *kept, uint k, points x)
{
    const uint part = k % REAL_RADIX, row = k / REAL_RADIX, image = LENGTH - k;
    if (k == 0) /* there it is real, whatever the source says */
        x = (points)(RE(x), (reals)0);
    if (part < KEPT)
        kept[part * M + row] = conjugated(x);
    if (k && image % REAL_RADIX < KEPT)
        kept[image % REAL_RADIX * M + image / REAL_RADIX] = x;
}

#if FROM_ROWS
static INLINE void keep_filled(SCRATCH points *kept, Source from HOOK_PARAMETERS)
{
    LOOP(uint block = 0; block < FILLED; block += LANES)
    {
        const uint i = FILLED <= LANES ? 0 : min(block, (uint)(FILLED - LANES));
        points x[LANES];
        load_rows(x, from, i, 0 HOOK_ARGUMENTS);
        UNROLL for (uint k = 0; k < LANES; k++)
            if (i + k < FILLED)
                keep(kept, i + k, x[k]);
    }
}
#else
static INLINE void keep_filled(SCRATCH points *kept, Source from HOOK_PARAMETERS)
{
    LOOP(uint k = 0; k < FILLED; k++)
        keep(kept, k, load_column(from, k, 0, from.lanes HOOK_ARGUMENTS));
}
#endif

static INLINE void gather_kept(SCRATCH points *first_area, SCRATCH points *second_area, Source from HOOK_PARAMETERS)
{
    keep_filled(first_area, from HOOK_ARGUMENTS);
    LOOP(uint k = FILLED; k < half_of(from.sizes); k++)
        keep(first_area, k, 0);
}
