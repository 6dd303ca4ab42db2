/* takeRows: loads rows that all work-items of a group share. A template of loadPoints.cl.
 *
 * If a work-item has all points of a row, or nearly all, its own loads lie far from its neighbours'. So the group loads
 * its rows as if they were one long row, of which neighbouring work-items load neighbouring elements.
 *
 *     src  --->  local memory, in order  --->  x[]
 */
static INLINE cplx IN_PASS(take_element_)(global const source_element *src, Batch batch, Axis axis, uint i,
                                          uint further HOOK_PARAMETERS)
{
#if PLAIN_ROWS && PACKED && SOURCE == REAL
    return ((global const cplx *)(src + axis.first) + (ulong)batch.first * TAKEN + i)[further];
#elif PLAIN_ROWS || (PACKED && SOURCE == HERMITIAN)
#if PLAIN_ROWS
    const ulong place = plain_place(batch, axis, TAKEN, i) + further;
#else
    const ulong place = LOCATE(batch, axis, (i + further) / TAKEN).first + (i + further) % TAKEN;
#endif
#if SOURCE == REAL
    return (cplx)(LOAD_FROM(src, place, place - axis.first), 0);
#else
    return LOAD_FROM(src, place, place - axis.first);
#endif
#else
    const Transform from = LOCATE(batch, axis, (i + further) / TAKEN);
    return IN_PASS(load_point_)(src, axis, from, element_number(axis, from, (i + further) % TAKEN), batch.flags HOOK_ARGUMENTS);
#endif
}

/* A loaded element, conjugated if the flags ask for that. load_point_ conjugates what it loads, so its elements stay as they
 * are. The group conjugates after it has loaded all elements of a round, because arithmetic between two loads would delay
 * the second one. */
static INLINE cplx taken(cplx z, uint flags)
{
#if (PLAIN_ROWS && SOURCE != REAL) || (PACKED && SOURCE == HERMITIAN)
    return flags & CONJUGATE_IN ? (cplx)(z.x, -z.y) : z;
#else
    return z;
#endif
}

#if PACKED && SOURCE == HERMITIAN
/* Points k and N - k of a packed row, of the same numbers of its spectrum, of which the first and the last one are real. */
static INLINE Images points_of_row(local const cplx *room, RoomPlace own, RoomPlace image, uint k,
                                   global const cplx *roots)
{
    const cplx lower = find(room, own, BOTH_PARTS, (cplx)(0, 0)), upper = find(room, image, BOTH_PARTS, (cplx)(0, 0));
    return images(k ? lower : (cplx)(lower.x, 0), k ? upper : (cplx)(upper.x, 0), turn(PACKED_ROOT(roots, k)), 1);
}
#endif

/* Point k = j + further of the row that begins at `row`. */
static INLINE cplx IN_PASS(point_of_row_)(local const cplx *room, int row, uint j, uint further,
                                          global const cplx *roots)
{
    const RoomPlace own = {row + (int)j, (int)further}, image = {row - (int)j, (int)(N - further)};
#if PACKED && SOURCE == HERMITIAN
    return points_of_row(room, own, image, j + further, roots).lower;
#else
    /* Beyond half of a spectrum it is the conjugate of its mirror image. A product conjugates it, because Intel's
     * compiler of 2026 loses some of the numbers -y. */
    const int beyond = j + further >= TAKEN;
    return find(room, beyond ? image : own, TAKEN_PARTS, (cplx)(0, 0)) * (cplx)(1, beyond ? -1 : 1);
#endif
}

static INLINE void IN_PASS(take_rows_)(cplx *x, global const source_element *src, Batch batch, Axis axis, Worker me,
                                       local cplx *room, global const cplx *roots HOOK_PARAMETERS)
{
    const uint all = PLAIN_ROWS ? all_elements(batch, TAKEN) : TAKEN * TRANSFORMS;
    LOOP(uint begin = 0; begin < SHARE_OF(TAKEN); begin += ROUND_OF(TAKEN, TAKEN_AT_ONCE)) {
        cplx loaded[ROUND_OF(TAKEN, TAKEN_AT_ONCE)];
        UNROLL for (uint e = 0; e < ROUND_OF(TAKEN, TAKEN_AT_ONCE); e++) {
            const uint i = get_local_id(0), further = (begin + e) * GROUP_SIZE;
            loaded[e] = i + further < all ? IN_PASS(take_element_)(src, batch, axis, i, further HOOK_ARGUMENTS)
                                          : (cplx)(0, 0);
        }
        UNROLL for (uint e = 0; e < ROUND_OF(TAKEN, TAKEN_AT_ONCE); e++) {
            const uint i = get_local_id(0), further = (begin + e) * GROUP_SIZE;
            if (further + GROUP_SIZE <= TAKEN * TRANSFORMS || i + further < TAKEN * TRANSFORMS)
                leave(room, place_of_element(i, further, TAKEN), TAKEN_PARTS, taken(loaded[e], batch.flags));
        }
    }
    wait_for_group(1);
    const int row = begin_of_row(me.lane, TAKEN);
#if PACKED && SOURCE == HERMITIAN && ROW_IN_ITEM
    UNROLL for (uint k = 0; 2 * k <= N; k++) {
        const Images both = points_of_row(room, (RoomPlace){row, (int)k}, (RoomPlace){row, (int)(N - k)}, k, roots);
        x[k ? N - k : 0] = both.upper;
        x[k] = both.lower;
    }
#elif PARTS_APART
    const uint part = get_local_id(0) % 2;
    UNROLL for (uint k = 0; k < N; k++)
        x[k] = (cplx)(((local const real *)(room + row))[2 * k + part], 0);
#else
    const Group group = THE_GROUP;
    const Stage stage = {FIRST_RADIX, 1, 0};
    UNROLL for (uint b = 0; b < BUTTERFLIES(FIRST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, me.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < (BACK_TO_REAL ? TAKEN : FIRST_RADIX); r++)
                x[of.b + r * of.many] = IN_PASS(point_of_row_)(room, row, of.j, r * (N / FIRST_RADIX), roots);
    }
#endif
    wait_for_group(0);
}
