/* gatherNumbers: the real numbers of LANES rows to scratch memory, for the stage that knows real numbers.
 *
 *     rows     --->  LANES x LANES numbers twice, transposed as the parts of points  --->  numbers[i]
 *     columns  --->  a vector each                                                   --->  numbers[i]
 */
#if FROM_ROWS
static INLINE void gather_numbers(SCRATCH reals *numbers, Source from HOOK_PARAMETERS)
{
    LOOP(uint block = 0; block < LENGTH; block += 2 * LANES)
    {
        const uint i = vector_begin(block, 0), other = vector_begin(block, 1);
        points x[LANES];
        UNROLL for (uint lane = 0; lane < LANES; lane++) {
            const ulong row = from.first + lane * from.transform;
            const int is_there = exists(lane, from.lanes);
            x[lane] = load_points(from, row + i, row + other, 1, is_there ? remaining(FILLED, i) : 0,
                                  is_there ? remaining(FILLED, other) : 0 HOOK_ARGUMENTS);
            fetch(from.src + row + i + 2 * LANES);
        }
        transpose(x);
        UNROLL for (uint k = 0; k < LANES; k++)
            numbers[i + k] = RE(x[k]), numbers[other + k] = IM(x[k]);
    }
}
#else
static INLINE void gather_numbers(SCRATCH reals *numbers, Source from HOOK_PARAMETERS)
{
    LOOP(uint i = 0; i < LENGTH; i++)
    {
        numbers[i] = 0;
        if (i < FILLED) {
            fetch(from.src + from.first + (i + 4) * from.point);
            numbers[i] = reordered(load_vector(from.src, from.first + i * from.point, from.transform,
                                               loaded_from(0, from.lanes) HOOK_ARGUMENTS));
        }
    }
}
#endif

/* Both areas of scratch memory: the points of the transforms that are kept to the first one. */
static INLINE void gather_kept(SCRATCH points *first_area, SCRATCH points *second_area, Source from HOOK_PARAMETERS)
{
    SCRATCH reals *numbers = (SCRATCH reals *)second_area;
    gather_numbers(numbers, from HOOK_ARGUMENTS);
    real_first(numbers, first_area, from.tables.row_roots);
}
