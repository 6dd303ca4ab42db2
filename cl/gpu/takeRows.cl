/* takeRows: loads rows that all work-items of a group share. A template of loadPoints.cl.
 *
 * If a work-item has all points of a row, or nearly all, its own loads lie far from its neighbours'. So the group loads
 * its rows as if they were one long row, of which neighbouring work-items load neighbouring elements.
 *
 *     src  --->  local memory, in order  --->  x[]
 */
#define TAKEN_PARTS (SOURCE == REAL ? REAL_PART : BOTH_PARTS)
#define TAKEN (BACK_TO_REAL ? N / 2 + 1 : N) /* elements of a row that the codelet takes */

static INLINE void IN_PASS(take_rows_)(cplx *x, global const source_element *src, Batch batch, Axis axis, Worker me,
                                       local cplx *room HOOK_PARAMETERS)
{
    const Group group = THE_GROUP;
    const Stage stage = {FIRST_RADIX, 1, 0};
    LOOP(uint begin = 0; begin < SHARE_OF(TAKEN); begin += ROUND_OF(TAKEN, TAKEN_AT_ONCE)) {
        cplx loaded[ROUND_OF(TAKEN, TAKEN_AT_ONCE)];
        UNROLL for (uint e = 0; e < ROUND_OF(TAKEN, TAKEN_AT_ONCE); e++) {
            const uint i = get_local_id(0) + (begin + e) * GROUP_SIZE;
            if (i < TAKEN * TRANSFORMS) {
                const Transform from = LOCATE(batch, axis, i / TAKEN);
                loaded[e] = IN_PASS(load_point_)(src, axis, from, element_number(axis, from, i % TAKEN), batch.flags
                                                 HOOK_ARGUMENTS);
            }
        }
        UNROLL for (uint e = 0; e < ROUND_OF(TAKEN, TAKEN_AT_ONCE); e++) {
            const uint i = get_local_id(0) + (begin + e) * GROUP_SIZE;
            if (i < TAKEN * TRANSFORMS)
                leave(room, room_place(group, i / TAKEN, i % TAKEN, 0), TAKEN_PARTS, loaded[e]);
        }
    }
    wait_for_group(1);
    UNROLL for (uint b = 0; b < BUTTERFLIES(FIRST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, me.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < TAKEN * FIRST_RADIX / N; r++)
                x[of.b + r * of.many] = find(room, room_place(group, me.lane, of.j, r * (N / FIRST_RADIX)), TAKEN_PARTS,
                                             (cplx)(0, 0));
    }
    wait_for_group(0);
}
