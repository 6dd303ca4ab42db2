/* scatterNumbers: the real numbers of LANES rows from the stage that knows real numbers to the target.
 *
 *     results of the KEPT transforms  --->  real_last  --->  numbers[i]  --->  columns, or rows  --->  dst
 */
static INLINE void store_result(Target to, uint k, points x HOOK_PARAMETERS)
{
    to.results[k] = x;
}

#if TO_ROWS
static INLINE void store_number_rows(points *x, Target to, uint i, uint other, uint block HOOK_PARAMETERS)
{
    const int stream = to.stream && i % TARGET_LINE == 0, other_stream = to.stream && other % TARGET_LINE == 0;
    transpose(x);
    UNROLL for (uint lane = 0; lane < LANES; lane++) {
        const ulong row = to.first + lane * to.transform;
        if (exists(lane, to.lanes)) {
            claim(to.dst + row + i + 2 * LANES, to.stream);
            store_vector(to.dst, row + i, 1, reordered(RE(x[lane])), block - i, LANES, stream HOOK_ARGUMENTS);
            store_vector(to.dst, row + other, 1, reordered(IM(x[lane])), block + LANES - other, LANES,
                         other_stream HOOK_ARGUMENTS);
        }
    }
}

static INLINE void collect_number_rows(points *x, Target to, uint i, uint other)
{
    transpose(x);
    UNROLL for (uint lane = 0; lane < LANES; lane++) {
        SCRATCH target_element *row = to.rows + lane * row_elements(to.sizes);
        *(SCRATCH loose_target *)(row + i) = reordered(RE(x[lane]));
        *(SCRATCH loose_target *)(row + other) = reordered(IM(x[lane]));
    }
}

static INLINE void scatter_numbers(SCRATCH const reals *numbers, Target to HOOK_PARAMETERS)
{
    LOOP(uint block = 0; block < LENGTH; block += 2 * LANES)
    {
        const uint i = vector_begin(block, 0), other = vector_begin(block, 1);
        points x[LANES];
        UNROLL for (uint k = 0; k < LANES; k++)
            x[k] = scaled((points)(numbers[i + k], numbers[other + k]), to.factors);
        if (COLLECTED)
            collect_number_rows(x, to, i, other);
        else
            store_number_rows(x, to, i, other, block HOOK_ARGUMENTS);
    }
    if (COLLECTED)
        store_collected(to, 0, to.lanes HOOK_ARGUMENTS);
}
#else
static INLINE void scatter_numbers(SCRATCH const reals *numbers, Target to HOOK_PARAMETERS)
{
    LOOP(uint k = 0; k < LENGTH; k++)
        store_vector(to.dst, to.first + k * to.point, to.transform,
                     reordered(RE(scaled((points)(numbers[k], (reals)0), to.factors))), 0, stored_from(0, to.lanes),
                     to.stream HOOK_ARGUMENTS);
}
#endif

/* The other area of scratch memory, in which no results wait, gets the numbers. */
static INLINE void scatter_kept(SCRATCH points *other_area, Target to HOOK_PARAMETERS)
{
    SCRATCH reals *numbers = (SCRATCH reals *)other_area;
    real_last(to.results, numbers, to.tables.row_roots);
    to.factors = to.factors.s0022; /* both parts of a point are numbers */
    scatter_numbers(numbers, to HOOK_ARGUMENTS);
}
