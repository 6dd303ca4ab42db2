/* blockOfPoints: how cols.cl transforms a block whose points are complex, or made of two real numbers each.
 *
 *     from  --->  gather  --->  chirp  --->  all stages  --->  chirp  --->  scatter  --->  to
 *
 * Only points that wait are gathered, and only results that wait are scattered. The first stage loads the others, and
 * the last stage stores them.
 *
 * Results that wait have scratch memory of their own, except in a convolution, which leaves them where the points were.
 */
#define ALL_POINTS(n) ((CONVOLVES || STORES_LAST ? 1 : 2) * (n))
#define BESIDE_ROWS (2 * COLLECTED) /* further vectors: the last one of a collected row may reach beyond the row */
#define SCRATCH_POINTS(n) (ALL_POINTS(n) + BESIDE_ROWS)

static INLINE void transform_block(SCRATCH points *scratch, Source from, Target to HOOK_PARAMETERS)
{
    const Sizes sizes = from.sizes;
    to.results = CONVOLVES ? scratch : scratch + sizes.points + BESIDE_ROWS;
    to.rows = (SCRATCH target_element *)(CONVOLVES ? scratch + sizes.length : scratch);
    if (!LOADS_FIRST)
        gather(scratch, from HOOK_ARGUMENTS);
    if (BLUESTEIN)
        modulate(scratch, scratch, sizes.length, sizes, from.tables);
    all_stages(scratch, from.tables.twiddles, from, to HOOK_ARGUMENTS);
    if (BLUESTEIN)
        demodulate(scratch, scratch, sizes.length, from.tables);
#if !STORES_LAST
    scatter(to HOOK_ARGUMENTS);
#endif
}
