/* raderColumns: rader.cl's way from and to neighbouring columns, in any order of the rows.
 *
 *     src  --->  x[], in the order of powers
 *     x[], in the order of powers  --->  dst
 */
static INLINE Origin take(cplx *x, global const source_element *src, Batch batch, Axis axis, Worker me,
                          global const ushort *powers, local cplx *room HOOK_PARAMETERS)
{
    const Group group = THE_GROUP;
    const Stage stage = {FIRST_RADIX, 1, 0};
    const Transform from = LOCATE(batch, axis, me.lane);
    const Origin origin = {load_element(src, axis, from, 0, batch.flags HOOK_ARGUMENTS), (cplx)(0, 0)};
    UNROLL for (uint b = 0; b < BUTTERFLIES(FIRST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, me.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < FIRST_RADIX; r++) {
                const uint q = of.j + r * (N / FIRST_RADIX);
                x[of.b + r * of.many] = load_element(src, axis, from, powers[q], batch.flags HOOK_ARGUMENTS);
            }
    }
    return origin;
}

static INLINE void give(const cplx *x, Origin origin, global target_element *dst, Batch batch, Axis axis, Worker me,
                        Worker last, global const ushort *powers, local cplx *room, cplx scale HOOK_PARAMETERS)
{
    const Group group = THE_GROUP;
    const Stage stage = {LAST_RADIX, N / LAST_RADIX, 0};
    const Transform to = LOCATE(batch, axis, last.lane);
    if (!to.active)
        return;
    UNROLL for (uint b = 0; b < BUTTERFLIES(LAST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, last.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < LAST_RADIX; r++) {
                const uint k = of.j + r * (N / LAST_RADIX);
                store_element(dst, axis, to, powers[k], turn(x[of.b + r * of.many]), scale,
                              batch.flags HOOK_ARGUMENTS);
            }
    }
    if (last.item == 0)
        store_element(dst, axis, to, 0, origin.sum, scale, batch.flags HOOK_ARGUMENTS);
}
