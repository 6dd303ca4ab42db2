/* loadPackedHalf: the points of packed rows, from the first half of their spectra.
 *
 *     src  --->  numbers k and LENGTH - k  --->  two points  --->  x[] of the owner of each
 */
#define THE_STAGE {FIRST_RADIX, 1, MIRRORED(FIRST_RADIX, 1)}

#if COSINE_PAIRS
    #include "gpu/cosinePairs.cl"
#else
/* Number m of a spectrum. The first and the last one are real, whatever the source says. */
static INLINE cplx half_at(global const source_element *src, Axis axis, Transform from, uint m, int is_real,
                           uint flags HOOK_PARAMETERS)
{
    const ulong place = from.first + (ulong)m * axis.unit;
    if (!(FILLED > LENGTH || m < FILLED))
        return (cplx)(0, 0);
    return of_half(LOAD_ALONG(src, axis, from.first, m, place), (flags & CONJUGATE_IN) != 0, is_real);
}

static INLINE Images load_images(global const source_element *src, Axis axis, Transform from, uint k, uint flags,
                                 global const cplx *roots HOOK_PARAMETERS)
{
    return images(half_at(src, axis, from, k, k == 0, flags HOOK_ARGUMENTS),
                  half_at(src, axis, from, LENGTH - k, k == 0, flags HOOK_ARGUMENTS), turn(roots[k]), 1);
}
#endif

#if MIRRORED(FIRST_RADIX, 1)
static INLINE void load_numbers(cplx *x, global const source_element *src, Batch batch, Axis axis, Transform from,
                                Worker me, global const cplx *roots, local cplx *room HOOK_PARAMETERS)
{
    const uint many = BUTTERFLIES(FIRST_RADIX), pairs = many / 2;
    UNROLL for (uint b = 0; b < pairs; b++)
        UNROLL for (uint r = 0; r < FIRST_RADIX; r++) {
            const uint k = number_of_pair(FIRST_RADIX, me.item, b, r);
            const Images both = load_images(src, axis, from, k, batch.flags, roots HOOK_ARGUMENTS);
            x[b + r * many] = both.lower;
            x[b + pairs + (FIRST_RADIX - 1 - r) * many] = both.upper;
        }
    const cplx middle = load_images(src, axis, from, LENGTH / 2, batch.flags, roots HOOK_ARGUMENTS).lower;
    if (me.item == 0) {
        put_back_pairs(x, many, FIRST_RADIX, pairs);
        x[FIRST_RADIX / 2 * many] = middle;
    }
}
#else
/* Hands the upper points to their owners. */
static INLINE void hand_over(cplx *x, const cplx *upper, local cplx *room, uint part, Worker me)
{
    const Group group = THE_GROUP;
    const Stage stage = THE_STAGE;
    const uint all = N / FIRST_RADIX;
    UNROLL for (uint b = 0; b < BUTTERFLIES(FIRST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, me.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < FIRST_RADIX; r++)
                if (number_of(FIRST_RADIX, IN_HALVES(FIRST_RADIX), of.j, r, all).is_lower)
                    leave(room, place_of_lower(group, me.lane, of.j, r, all), part, upper[of.b + r * of.many]);
    }
    wait_for_group(FIRST_RADIX == N); /* if no stage will exchange: between loads and stores in place */
    UNROLL for (uint b = 0; b < BUTTERFLIES(FIRST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, me.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < FIRST_RADIX; r++) {
                const uint i = of.b + r * of.many;
                if (number_of(FIRST_RADIX, IN_HALVES(FIRST_RADIX), of.j, r, all).is_upper)
                    x[i] = find(room, place_of_upper(group, me.lane, of.j, r, all), part, x[i]);
            }
    }
    wait_for_group(0);
}

static INLINE void load_numbers(cplx *x, global const source_element *src, Batch batch, Axis axis, Transform from,
                                Worker me, global const cplx *roots, local cplx *room HOOK_PARAMETERS)
{
    const Group group = THE_GROUP;
    const Stage stage = THE_STAGE;
    cplx upper[ELEMENTS];
    UNROLL for (uint b = 0; b < BUTTERFLIES(FIRST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, me.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < FIRST_RADIX; r++) {
                const Number n = number_of(FIRST_RADIX, IN_HALVES(FIRST_RADIX), of.j, r, N / FIRST_RADIX);
                if (n.is_lower || n.is_middle) {
                    const Images both = load_images(src, axis, from, n.k, batch.flags, roots HOOK_ARGUMENTS);
                    x[of.b + r * of.many] = both.lower;
                    upper[of.b + r * of.many] = both.upper;
                }
            }
    }
    UNROLL for (uint part = SPLIT; part <= 2 * SPLIT; part++)
        hand_over(x, upper, room, part, me);
}
#endif

static INLINE whole IN_PASS(load_)(cplx *x, global const source_element *src, Batch batch, Axis axis, Worker me,
                                   Tables tables, local cplx *room HOOK_PARAMETERS)
{
    const Transform from = LOCATE(batch, axis, me.lane);
    load_numbers(x, src, batch, axis, from, me, tables.roots.roots, room HOOK_ARGUMENTS);
    if (INVERTS_IN(batch.flags))
        UNROLL for (uint i = 0; i < BUTTERFLIES(FIRST_RADIX) * FIRST_RADIX; i++)
            x[i] = inverted(x[i]);
    if (CHIRP_FIRST)
        IN_PASS(times_chirp_first_)(x, axis, from, me, tables.chirp);
    return from.column;
}
#undef THE_STAGE
