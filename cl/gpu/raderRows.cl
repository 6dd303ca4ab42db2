/* raderRows: rader.cl's way from and to rows, each of which waits in local memory.
 *
 *     src  --->  local memory, in order  --->  x[], in the order of powers
 *     x[], in the order of powers  --->  local memory, in order  --->  dst
 */
#define SHARE ((LENGTH + ITEMS - 1) / ITEMS) /* the elements of a transform that a work-item loads, or stores, at most */

/* Whether an item has its e-th element p. */
static INLINE int has_element(uint p)
{
    return LENGTH % ITEMS == 0 || p < LENGTH;
}

static INLINE void pick_up(cplx *x, Origin *origin, const cplx *loaded, local cplx *room, uint part, Worker me,
                           global const ushort *powers)
{
    const Group group = THE_GROUP;
    const Stage stage = {FIRST_RADIX, 1, 0};
    UNROLL for (uint e = 0; e < SHARE; e++) {
        const uint p = me.item + e * ITEMS;
        if (has_element(p))
            leave(room, room_place(group, me.lane, p, 0), part, loaded[e]);
    }
    wait_for_group(0);
    origin->origin = find(room, room_place(group, me.lane, 0, 0), part, origin->origin);
    UNROLL for (uint b = 0; b < BUTTERFLIES(FIRST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, me.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < FIRST_RADIX; r++) {
                const uint q = of.j + r * (N / FIRST_RADIX), i = of.b + r * of.many;
                x[i] = find(room, room_place(group, me.lane, powers[q], 0), part, x[i]);
            }
    }
    wait_for_group(0);
}

static INLINE Origin take(cplx *x, global const source_element *src, Batch batch, Axis axis, Worker me,
                          global const ushort *powers, local cplx *room HOOK_PARAMETERS)
{
    const Transform from = LOCATE(batch, axis, me.lane);
    Origin origin = {(cplx)(0, 0), (cplx)(0, 0)};
    cplx loaded[SHARE];
    UNROLL for (uint e = 0; e < SHARE; e++) {
        const uint p = me.item + e * ITEMS;
        if (has_element(p))
            loaded[e] = load_element(src, axis, from, p, batch.flags HOOK_ARGUMENTS);
    }
    UNROLL for (uint part = SPLIT; part <= 2 * SPLIT; part++)
        pick_up(x, &origin, loaded, room, part, me, powers);
    return origin;
}

static INLINE void lay_down(const cplx *x, Origin origin, cplx *results, local cplx *room, uint part, Worker me,
                            Worker last, global const ushort *powers)
{
    const Group group = THE_GROUP;
    const Stage stage = {LAST_RADIX, N / LAST_RADIX, 0};
    wait_for_group(0);
    UNROLL for (uint b = 0; b < BUTTERFLIES(LAST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, me.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < LAST_RADIX; r++) {
                const uint k = of.j + r * (N / LAST_RADIX);
                leave(room, room_place(group, me.lane, powers[k], 0), part, turn(x[of.b + r * of.many]));
            }
    }
    if (me.item == 0)
        leave(room, room_place(group, me.lane, 0, 0), part, origin.sum);
    wait_for_group(0);
    UNROLL for (uint e = 0; e < SHARE; e++) {
        const uint p = last.item + e * ITEMS;
        if (has_element(p))
            results[e] = find(room, room_place(group, last.lane, p, 0), part, results[e]);
    }
}

static INLINE void give(const cplx *x, Origin origin, global target_element *dst, Batch batch, Axis axis, Worker me,
                        Worker last, global const ushort *powers, local cplx *room, cplx scale HOOK_PARAMETERS)
{
    cplx results[SHARE];
    UNROLL for (uint part = SPLIT; part <= 2 * SPLIT; part++)
        lay_down(x, origin, results, room, part, me, last, powers);
    const Transform to = LOCATE(batch, axis, last.lane);
    UNROLL for (uint e = 0; e < SHARE; e++) {
        const uint p = last.item + e * ITEMS;
        if (to.active && has_element(p))
            store_element(dst, axis, to, p, results[e], scale, batch.flags HOOK_ARGUMENTS);
    }
}
