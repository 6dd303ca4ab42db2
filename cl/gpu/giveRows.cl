/* giveRows: stores rows that all work-items of a group share. A template of storeResults.cl.
 * The group stores its rows as if they were one long row, as takeRows.cl has loaded them.
 *
 *     x[]  --->  local memory, in order  --->  dst
 */
#define STORED (OUTPUTS < N ? (uint)OUTPUTS : N) /* elements of a row in the target */

static INLINE void IN_PASS(give_rows_)(const cplx *x, global target_element *dst, Batch batch, Axis axis, Worker last,
                                       local cplx *room HOOK_PARAMETERS)
{
    const Group group = THE_GROUP;
    const Stage stage = {LAST_RADIX, N / LAST_RADIX, 0};
    wait_for_group(0); /* for those who still find points of the last exchange */
    UNROLL for (uint b = 0; b < BUTTERFLIES(LAST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, last.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < LAST_RADIX; r++)
                leave(room, room_place(group, last.lane, of.j, r * (N / LAST_RADIX)), BOTH_PARTS, x[of.b + r * of.many]);
    }
    wait_for_group(0);
    UNROLL for (uint e = 0; e < SHARE_OF(STORED); e++) {
        const uint i = get_local_id(0) + e * GROUP_SIZE, lane = i / STORED, p = i % STORED;
        if (HAS_SHARE(e, i, STORED)) {
            const Transform to = LOCATE(batch, axis, lane);
            if (to.active)
                IN_PASS(store_result_)(dst, axis, to, element_number(axis, to, p),
                                       find(room, room_place(group, lane, p, 0), BOTH_PARTS, (cplx)(0, 0)) HOOK_ARGUMENTS);
        }
    }
}
