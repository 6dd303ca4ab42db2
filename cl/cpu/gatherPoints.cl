/* gatherPoints: all points of a block to scratch memory, before the first stage.
 *
 *     rows of the source  --->  LANES x LANES points, transposed  --->  scratch[i]
 *     columns             --->  a vector each                     --->  scratch[i]
 */
#if FROM_ROWS
static INLINE void gather_filled(SCRATCH points *scratch, Source from HOOK_PARAMETERS)
{
    const uint filled = filled_points(from.sizes);
    LOOP(uint block = 0; block < filled; block += LANES)
    {
        const uint i = filled <= LANES ? 0 : min(block, (uint)(filled - LANES));
        points x[LANES];
        load_rows(x, from, i, 0 HOOK_ARGUMENTS);
        UNROLL for (uint k = 0; k < LANES; k++)
            scratch[i + k] = x[k];
    }
}
#else
static INLINE void gather_filled(SCRATCH points *scratch, Source from HOOK_PARAMETERS)
{
    const uint filled = filled_points(from.sizes);
    LOOP(uint i = 0; i < filled; i++)
        scratch[i] = load_column(from, i, 0, from.lanes HOOK_ARGUMENTS);
}
#endif

static INLINE void gather(SCRATCH points *scratch, Source from HOOK_PARAMETERS)
{
    gather_filled(scratch, from HOOK_ARGUMENTS);
    LOOP(uint i = filled_points(from.sizes); i < from.sizes.length; i++)
        scratch[i] = 0;
}
