/* exchangeHalves: as exchange.cl, in half the local memory.
 *
 *     x[]  --->  lower half  --->  held[]
 *     x[]  --->  upper half  --->  x[]
 *     held[]                 --->  x[]
 */
static INLINE void FUNCTION(leave_half_)(const cplx *x, local cplx *room, uint part, int upper, Worker from)
{
    const Group group = THE_GROUP;
    const Stage before = THE_STAGE_BEFORE;
    const Layout layout = layout_between(group, BEFORE, SPAN, upper);
    UNROLL for (uint b = 0; b < BUTTERFLIES(BEFORE); b++) {
        const Butterfly of = butterfly(group, before, b, from.item);
        if (of.exists && in_lower_half(group, before, of) != upper)
            UNROLL for (uint r = 0; r < BEFORE; r++)
                leave(room, place_of_result(group, layout, from.lane, of, r), part, x[of.b + r * of.many]);
    }
}

/* Finds the first half of the points of every butterfly, or the second half. */
static INLINE void FUNCTION(find_half_)(cplx *x, local const cplx *room, uint part, int upper, Worker to)
{
    const Group group = THE_GROUP;
    const Stage stage = THE_STAGE;
    const Layout layout = layout_between(group, BEFORE, SPAN, upper);
    UNROLL for (uint b = 0; b < BUTTERFLIES(RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, to.item);
        if (of.exists)
            UNROLL for (uint s = 0; s < RADIX / 2; s++) {
                const uint r = upper ? s + RADIX / 2 : s, i = of.b + r * of.many;
                x[i] = find(room, place_of_point(group, layout, to.lane, of, RADIX, r), part, x[i]);
            }
    }
}

/* What is found of the lower half is held until all of the upper half has been left. */
static INLINE void FUNCTION(exchange_)(cplx *x, local cplx *room, uint part, Worker from, Worker to)
{
    const uint lower = BUTTERFLIES(RADIX) * (RADIX / 2);
    cplx held[ELEMENTS];
    UNROLL for (uint i = 0; i < lower; i++)
        held[i] = x[i];
    FUNCTION(leave_half_)(x, room, part, 0, from);
    wait_for_group(SPAN == BEFORE);
    FUNCTION(find_half_)(held, room, part, 0, to);
    wait_for_group(0);
    FUNCTION(leave_half_)(x, room, part, 1, from);
    wait_for_group(0);
    FUNCTION(find_half_)(x, room, part, 1, to);
    UNROLL for (uint i = 0; i < lower; i++)
        x[i] = held[i];
}
