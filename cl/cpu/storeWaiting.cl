/* storeWaiting: results wait in scratch memory until all are there; then scatter() stores them.
 *
 *     the last stage  --->  results[k]  --->  waiting_result(k): what becomes of it  --->  columns, or rows  --->  dst
 */
static INLINE void store_result(Target to, uint k, points x HOOK_PARAMETERS)
{
    to.results[k] = (TWIST & (TARGET != HERMITIAN)) ? twisted(x, k, 0, to.sizes, to.tables) : x;
}

#if TARGET == HERMITIAN && PACKED
    #include "cpu/resultOfPacked.cl"
#elif TARGET == HERMITIAN && REAL_RADIX
    #include "cpu/resultOfKept.cl"
#elif TARGET == HERMITIAN && PAIR
    #include "cpu/resultOfPair.cl"
#else
    #include "cpu/resultOfOne.cl"
#endif

#if TO_ROWS
static INLINE void scatter_from(uint begin, Target to HOOK_PARAMETERS)
{
    const uint outputs = outputs_of(to.sizes);
    LOOP(uint block = 0; block < outputs; block += LANES)
    {
        const uint k = min(block, (uint)(outputs - LANES));
        points x[LANES];
        UNROLL for (uint i = 0; i < LANES; i++)
            x[i] = scaled(waiting_result(to, k + i, begin), to.factors);
        if (COLLECTED)
            collect_rows(x, to, k);
        else
            store_rows(x, to, k, block - k, begin HOOK_ARGUMENTS);
    }
    const uint lanes = STORES_PARTS ? to.lanes : min((uint)LANES, remaining(to.lanes, begin));
    if (COLLECTED)
        store_collected(to, begin, lanes HOOK_ARGUMENTS);
}
#else
static INLINE void scatter_from(uint begin, Target to HOOK_PARAMETERS)
{
    LOOP(uint k = 0; k < outputs_of(to.sizes); k++)
        store_column(to, k, scaled(waiting_result(to, k, begin), to.factors), begin, to.lanes HOOK_ARGUMENTS);
}
#endif

static INLINE void scatter(Target to HOOK_PARAMETERS)
{
    LOOP(uint begin = 0; begin < (TARGET == HERMITIAN ? TRANSFORMS : LANES); begin += LANES)
        scatter_from(begin, to HOOK_ARGUMENTS);
}
