/* giveRows: stores rows that all work-items of a group share. A template of storeResults.cl.
 * The group stores its rows as if they were one long row, as takeRows.cl has loaded them.
 *
 *     x[]  --->  local memory, in order  --->  dst
 */
#define STORED (OUTPUTS < N ? (uint)OUTPUTS : N) /* elements of a row in the target */
#define GIVEN_PARTS (TARGET == REAL ? REAL_PART : BOTH_PARTS)

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
                if (of.j + r * (N / LAST_RADIX) < STORED)
                    leave(room, room_place(group, last.lane, of.j, r * (N / LAST_RADIX)), GIVEN_PARTS,
                          x[of.b + r * of.many]);
    }
    wait_for_group(0);
    LOOP(uint begin = 0; begin < SHARE_OF(STORED); begin += ROUND_OF(STORED, GIVEN_AT_ONCE))
        UNROLL for (uint e = 0; e < ROUND_OF(STORED, GIVEN_AT_ONCE); e++) {
            const uint i = get_local_id(0) + (begin + e) * GROUP_SIZE, lane = i / STORED, p = i % STORED;
            const Transform to = LOCATE(batch, axis, lane);
            if (i < STORED * TRANSFORMS && to.active)
                IN_PASS(store_result_)(dst, axis, to, element_number(axis, to, p),
                                       find(room, room_place(group, lane, p, 0), GIVEN_PARTS, (cplx)(0, 0)) HOOK_ARGUMENTS);
        }
}
