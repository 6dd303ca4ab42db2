/* blockOfReal: how cols.cl transforms a block of real rows of odd length, by the stage that knows real numbers.
 *
 *     from  --->  gather_kept  --->  KEPT transforms, one after the other  --->  scatter, or scatter_kept  --->  to
 */
#define SCRATCH_POINTS(n) (FIRST_AREA + SECOND_AREA + 2 * COLLECTED)

/* The transforms of M points, from the first area. */
static INLINE void transform_kept(SCRATCH points *first_area, SCRATCH points *second_area, Source from,
                                  Target to HOOK_PARAMETERS)
{
    LOOP(uint k = 0; k < KEPT; k++)
    {
        SCRATCH points *kept = first_area + k * M;
#if BLUESTEIN
        modulate(second_area, kept, M, from.sizes, from.tables);
        all_stages(second_area, from.tables.twiddles, from, to HOOK_ARGUMENTS);
        demodulate(kept, second_area, M, from.tables);
#else
        Target part = to;
        part.results = second_area + k * M;
        all_stages(kept, from.tables.twiddles, from, part HOOK_ARGUMENTS);
#endif
    }
}

static INLINE void transform_block(SCRATCH points *scratch, Source from, Target to HOOK_PARAMETERS)
{
    SCRATCH points *first_area = scratch, *second_area = scratch + FIRST_AREA;
    SCRATCH points *other_area = CONVOLVES ? second_area : first_area;
    to.results = CONVOLVES ? first_area : second_area;
    to.rows = (SCRATCH target_element *)(SOURCE == REAL ? other_area : to.results);
    gather_kept(first_area, second_area, from HOOK_ARGUMENTS);
    transform_kept(first_area, second_area, from, to HOOK_ARGUMENTS);
#if TARGET == REAL
    scatter_kept(other_area, to HOOK_ARGUMENTS);
#else
    scatter(to HOOK_ARGUMENTS);
#endif
}
