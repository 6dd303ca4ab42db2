/* tile: what a work-group of fused.cl does in one of both passes. A template, with the macros of that pass.
 *
 *     src  --->  load  --->  stage 1  --->  stage 2  --->  ...  --->  store  --->  dst
 */
    #include "gpu/pass.cl"

/* Transforms one tile, if there is one of that number. */
static INLINE void IN_PASS(tile_)(uint tile, global const cplx *src, global cplx *dst, local cplx *room,
                                  TILE_PARAMETERS())
{
    const Group group = THE_GROUP;
    const uint nobody = 0xffffffff; /* is alone: there are no partners */
    const Batch batch = {TRANSFORMS * tile, count, extents, nobody, flags};
    const Axis source = SOURCE_AXIS(src_distances, src_axis, 0), target = TARGET_AXIS(dst_distances, dst_axis, 0);
    const Worker me = worker(group, LOAD_COLUMNS), last = worker(group, STORE_COLUMNS);
    const Tables tables = {twiddles, 0, {TWIST, DIGITS, roots}};
    cplx x[ELEMENTS];
    if (batch.first >= count)
        return;
    IN_PASS(load_)(x, src, batch, source, me, tables, room);
    IN_PASS(there_)(x, room, me, last, twiddles);
    IN_PASS(store_)(x, dst, batch, target, last, tables, room, scale);
}
