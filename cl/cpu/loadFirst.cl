/* loadFirst: the first stage loads its points from the source, where they lie as lanes do.
 *
 *     src  --->  load_column, or load_folded  --->  times the row's chirp, or its roots of unity  --->  the first stage
 */
#if FOLD_IN
    #include "cpu/loadFolded.cl"
#endif

/* Point i of a block as it lies, or zero where there is none. */
static INLINE points load_point(Source from, uint i HOOK_PARAMETERS)
{
    uint lanes = from.lanes;
    const uint element = i * ROW_COLUMNS + from.column;
    if (ROW_FILLED || FOLD_IN) {
        lanes = min(lanes, remaining(FOLD_IN ? from.elements : from.filled, element));
        if (lanes == 0)
            return 0;
    }
#if FOLD_IN
    points x = load_folded(from, element, lanes HOOK_ARGUMENTS);
#else
    if (i >= filled_points(from.sizes))
        return 0;
    fetch(from.src + from.first + SOURCE_ELEMENT(i + 4) * from.point); /* too far apart for the hardware to foresee */
    points x = load_column(from, i, 0, lanes HOOK_ARGUMENTS);
#endif
    if (CHIRP_FIRST)
        x = products(x, from.tables.row_chirp[i * (ROW_COLUMNS / LANES)]);
    if (CHIRP_LAST)
        x = twisted(x, i, 0, from.sizes, from.tables);
    return x;
}

static INLINE points take_point(SCRATCH const points *block, uint i, int is_first, Source from,
                                Target to HOOK_PARAMETERS)
{
    if (!is_first)
        return block[i];
    claim(to.dst + to.first + i * to.point, STORES_LAST ? to.stream : 1);
    return load_point(from, i HOOK_ARGUMENTS);
}
