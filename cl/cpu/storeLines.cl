/* storeLines: from lanes to memory, along columns or along rows of the target.
 *
 *     columns    x[k]         --->  element k of LANES transforms, which are neighbours or some distance apart
 *     rows       x[k .. ]     --->  LANES elements of each of LANES transforms, transposed in registers
 *     collected  x[k .. ]     --->  rows in scratch memory  --->  one run of whole lines
 */

/* Points to a place from element `begin` of the vector on; of real numbers, imaginary parts to a second place. */
static INLINE void store_points(Target to, ulong at, ulong second, ulong apart, points x, uint begin, uint end,
                                uint second_end, int stream HOOK_PARAMETERS)
{
#if STORES_PARTS
    store_vector(to.dst, at, apart, reordered(RE(x)), begin, end, stream HOOK_ARGUMENTS);
    store_vector(to.dst, second, apart, reordered(IM(x)), begin, second_end, stream HOOK_ARGUMENTS);
#else
    store_vector(to.dst, at, apart, interleaved(x), begin, end, stream HOOK_ARGUMENTS);
#endif
}

/* Result k of all transforms, from `begin` on; `lanes` of the block exist. */
static INLINE void store_column(Target to, uint k, points x, uint begin, uint lanes HOOK_PARAMETERS)
{
    const ulong at = to.first + TARGET_ELEMENT(k) * to.point;
    const uint count = stored_from(begin, lanes);
    if (PACKED & (TARGET == REAL))
        store_points(to, at, at + to.point, to.transform, x, 0, count, count, to.stream HOOK_ARGUMENTS);
    else
        store_points(to, at + begin * to.transform, at + LANES * to.transform, to.transform, x, 0, count,
                     NARROWED ? 0 : stored_from(LANES, lanes), to.stream HOOK_ARGUMENTS);
}

/* Results k and up of all transforms from `begin` on, but for some that are stored already. */
static INLINE void store_rows(points *x, Target to, uint k, uint stored, uint begin HOOK_PARAMETERS)
{
    const ulong at = to.first + TARGET_ELEMENT(k);
    const int stream = to.stream && TARGET_ELEMENT(k) % TARGET_LINE == 0;
    transpose(x);
    UNROLL for (uint lane = 0; lane < LANES; lane++)
        if (exists(begin + lane, to.lanes)) {
            const uint other = LANES + lane;
            const ulong one = at + (begin + lane) * to.transform;
            claim(to.dst + one + TARGET_STEP, stream);
            store_points(to, one, at + other * to.transform, 1, x[lane], TARGET_ELEMENT(stored), TARGET_STEP,
                         !NARROWED && exists(other, to.lanes) ? TARGET_STEP : 0, stream HOOK_ARGUMENTS);
        }
}

/* The elements of a row in the target. */
static INLINE uint row_elements(Sizes sizes)
{
    return TARGET_ELEMENT(outputs_of(sizes));
}

/* Results k and up of all transforms to their rows in scratch memory. */
static INLINE void collect_rows(points *x, Target to, uint k)
{
    const uint all = row_elements(to.sizes);
    transpose(x);
    UNROLL for (uint lane = 0; lane < LANES; lane++) {
        SCRATCH target_element *row = to.rows + lane * all + TARGET_ELEMENT(k);
#if STORES_PARTS
        *(SCRATCH loose_target *)row = reordered(RE(x[lane]));
        if (!NARROWED)
            *(SCRATCH loose_target *)(row + LANES * all) = reordered(IM(x[lane]));
#else
        *(SCRATCH loose_target *)row = interleaved(x[lane]);
#endif
    }
}

/* The collected rows of `count` transforms from `begin` on. */
static INLINE void store_collected(Target to, uint begin, uint count HOOK_PARAMETERS)
{
    const uint row = row_elements(to.sizes);
    const uint runs = to.transform == row ? 1 : count, length = runs == 1 ? count * row : row;
    LOOP(uint run = 0; run < runs; run++)
        store_run(to.dst, to.first + begin * to.transform + run * to.transform, to.rows + run * row, length,
                  to.stream HOOK_ARGUMENTS);
}
