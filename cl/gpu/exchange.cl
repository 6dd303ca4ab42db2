/* exchange: the points of a group change from the work-items that have transformed them to those that need them next.
 * A template, of which stage.cl makes one function a stage.
 *
 *     x[] of every work-item  --->  local memory  --->  x[] of every work-item
 */
static INLINE void FUNCTION(exchange_)(cplx *x, local cplx *room, uint part, Worker from, Worker to)
{
    const Group group = THE_GROUP;
    const Stage before = THE_STAGE_BEFORE, stage = THE_STAGE;
    const Layout layout = layout_between(group, BEFORE, SPAN, 0);
    UNROLL for (uint b = 0; b < BUTTERFLIES(BEFORE); b++) {
        const Butterfly of = butterfly(group, before, b, from.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < BEFORE; r++)
                leave(room, place_of_result(group, layout, from.lane, of, r), part, x[of.b + r * of.many]);
    }
    wait_for_group(SPAN == BEFORE);
    UNROLL for (uint b = 0; b < BUTTERFLIES(RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, to.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < RADIX; r++) {
                const uint i = of.b + r * of.many;
                x[i] = find(room, place_of_point(group, layout, to.lane, of, RADIX, r), part, x[i]);
            }
    }
}
