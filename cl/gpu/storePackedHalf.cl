/* storePackedHalf: the first half of the spectra of packed rows.
 *
 *     x[] of the owner of each  --->  results k and LENGTH - k  --->  two numbers of the spectrum  --->  dst
 */
#define THE_STAGE {LAST_RADIX, N / LAST_RADIX, MIRRORED(LAST_RADIX, N / LAST_RADIX)}

#if COSINE_PAIRS
    #include "gpu/cosinePairs.cl"
#else
static INLINE void store_images(global target_element *dst, Axis axis, Transform to, uint k, cplx lower, cplx upper,
                                int has_upper, cplx scale, uint flags, global const cplx *roots HOOK_PARAMETERS)
{
    const Images both = images(lower, upper, times_minus_i(roots[k]), WEIGHT);
    const ulong place = to.first + (ulong)k * axis.unit, image = to.first + (ulong)(LENGTH - k) * axis.unit;
    STORE_ALONG(dst, axis, to.first, k, place, finished(both.lower, scale, flags));
    if (has_upper)
        STORE_ALONG(dst, axis, to.first, LENGTH - k, image, finished(both.upper, scale, flags));
}
#endif

#if MIRRORED(LAST_RADIX, N / LAST_RADIX)
static INLINE void store_numbers(cplx *x, global target_element *dst, Batch batch, Axis axis, Transform to,
                                 Worker last, global const cplx *roots, local cplx *room, cplx scale HOOK_PARAMETERS)
{
    const uint many = BUTTERFLIES(LAST_RADIX), pairs = many / 2;
    const cplx middle = x[LAST_RADIX / 2 * many];
    if (last.item == 0)
        sort_pairs(x, many, LAST_RADIX, pairs);
    if (!to.active)
        return;
    UNROLL for (uint b = 0; b < pairs; b++)
        UNROLL for (uint r = 0; r < LAST_RADIX; r++)
            store_images(dst, axis, to, number_of_pair(LAST_RADIX, last.item, b, r), x[b + r * many],
                         x[b + pairs + (LAST_RADIX - 1 - r) * many], 1, scale, batch.flags, roots HOOK_ARGUMENTS);
    if (last.item == 0)
        store_images(dst, axis, to, LENGTH / 2, middle, middle, 0, scale, batch.flags, roots HOOK_ARGUMENTS);
}
#else
/* Takes the upper results over from their owners. */
static INLINE void take_over(const cplx *x, cplx *upper, local cplx *room, uint part, Worker last)
{
    const Group group = THE_GROUP;
    const Stage stage = THE_STAGE;
    const uint all = N / LAST_RADIX;
    wait_for_group(LAST_RADIX == N); /* if no stage has exchanged: between loads and stores in place */
    UNROLL for (uint b = 0; b < BUTTERFLIES(LAST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, last.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < LAST_RADIX; r++)
                if (number_of(LAST_RADIX, IN_HALVES(LAST_RADIX), of.j, r, all).is_upper)
                    leave(room, place_of_upper(group, last.lane, of.j, r, all), part, x[of.b + r * of.many]);
    }
    wait_for_group(0);
    UNROLL for (uint b = 0; b < BUTTERFLIES(LAST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, last.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < LAST_RADIX; r++) {
                const uint i = of.b + r * of.many;
                const Number n = number_of(LAST_RADIX, IN_HALVES(LAST_RADIX), of.j, r, all);
                if (n.k == 0 || n.is_middle) /* its own image */
                    upper[i] = x[i];
                else if (n.is_lower)
                    upper[i] = find(room, place_of_lower(group, last.lane, of.j, r, all), part, upper[i]);
            }
    }
}

static INLINE void store_numbers(cplx *x, global target_element *dst, Batch batch, Axis axis, Transform to,
                                 Worker last, global const cplx *roots, local cplx *room, cplx scale HOOK_PARAMETERS)
{
    const Group group = THE_GROUP;
    const Stage stage = THE_STAGE;
    cplx upper[ELEMENTS];
    UNROLL for (uint part = SPLIT; part <= 2 * SPLIT; part++)
        take_over(x, upper, room, part, last);
    if (!to.active)
        return;
    UNROLL for (uint b = 0; b < BUTTERFLIES(LAST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, last.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < LAST_RADIX; r++) {
                const uint i = of.b + r * of.many;
                const Number n = number_of(LAST_RADIX, IN_HALVES(LAST_RADIX), of.j, r, N / LAST_RADIX);
                if (n.is_lower || n.is_middle)
                    store_images(dst, axis, to, n.k, x[i], upper[i], !n.is_middle, scale, batch.flags,
                                 roots HOOK_ARGUMENTS);
            }
    }
}
#endif

static INLINE void IN_PASS(store_)(cplx *x, global target_element *dst, Batch batch, Axis axis, Worker last,
                                   Tables tables, local cplx *room, cplx scale HOOK_PARAMETERS)
{
    const Transform to = LOCATE(batch, axis, last.lane);
    if (CHIRP_LAST)
        IN_PASS(times_chirp_last_)(x, axis, to, last, tables.chirp);
    store_numbers(x, dst, batch, axis, to, last, tables.roots.roots, room, scale HOOK_ARGUMENTS);
}
#undef THE_STAGE
