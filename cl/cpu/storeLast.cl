/* storeLast: the last stage stores its results in the target, where lanes lie as they do in vectors.
 *
 *     the last stage  --->  times the row's chirp, or its roots of unity  --->  scaled  --->  store_column, or folded
 */
#if FOLD_OUT
/* Whether result k of a row, of `rows` whose halves are folded, is one that is there already. */
static INLINE int folded_twice(ulong row, ulong rows, uint k)
{
    return row == 0 ? 2 * k != N : 2 * row == rows;
}

/* A result of the second half: its conjugate belongs to the mirrored place in the first half. */
static INLINE void store_folded(Target to, uint k, points x, uint lanes HOOK_PARAMETERS)
{
    const ulong at = to.behind - k * to.point; /* of the first lane: the others are before it */
    points z = interleaved(conjugated(x)), there = interleaved(reversed(conjugated(x)));
    if (!STORE_HOOKED && lanes == LANES && to.transform == 1)
        store_vector(to.dst, at - (LANES - 1), 1, there, 0, LANES, 0 HOOK_ARGUMENTS);
    else
        LOOP(uint lane = 0; lane < lanes; lane++)
            if (!folded_twice(to.column + lane, to.elements / N, k))
                store_element(to.dst, at - lane * to.transform, ((cplx *)&z)[lane] HOOK_ARGUMENTS);
}
#endif

static INLINE void store_result(Target to, uint k, points x HOOK_PARAMETERS)
{
    uint lanes = to.lanes;
    if (ROW_OUTPUTS) {
        lanes = min(lanes, remaining(to.outputs, k * ROW_COLUMNS + to.column));
        if (lanes == 0)
            return;
    }
    if (CHIRP_LAST) /* of the conjugate */
        x = products(conjugated(x), to.tables.row_chirp[k * (ROW_COLUMNS / LANES)]);
    else if (TWIST)
        x = twisted(x, k, 0, to.sizes, to.tables);
    x = scaled(x, to.factors);
#if FOLD_OUT
    if (2 * k >= N) {
        store_folded(to, k, x, lanes HOOK_ARGUMENTS);
        return;
    }
#endif
    store_column(to, k, x, 0, lanes HOOK_ARGUMENTS);
}
