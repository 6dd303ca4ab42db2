/* giveRows: stores rows that all work-items of a group share. A template of storeResults.cl.
 * The group stores its rows as if they were one long row, as takeRows.cl has loaded them.
 *
 *     x[]  --->  local memory, in order  --->  dst
 */
static INLINE void IN_PASS(give_element_)(global target_element *dst, Batch batch, Axis axis, uint i, uint further,
                                          cplx z HOOK_PARAMETERS)
{
#if PLAIN_ROWS && PACKED && TARGET == REAL
    ((global cplx *)(dst + axis.first) + (ulong)batch.first * STORED + i)[further] = z;
#elif MAKES_SPECTRA && !PLAIN_ROWS
    const Transform to = LOCATE(batch, axis, (i + further) / STORED);
    const ulong place = to.first + (i + further) % STORED;
    if (to.active)
        STORE_TO(dst, place, z, place - axis.first);
#elif PLAIN_ROWS
    const ulong place = plain_place(batch, axis, STORED, i) + further;
#if TARGET == REAL
    STORE_TO(dst, place, z.x, place - axis.first);
#else
    STORE_TO(dst, place, z, place - axis.first);
#endif
#else
    const Transform to = LOCATE(batch, axis, (i + further) / STORED);
    if (to.active)
        IN_PASS(store_result_)(dst, axis, to, element_number(axis, to, (i + further) % STORED), z HOOK_ARGUMENTS);
#endif
}

#if PARTS_APART
/* Work-items have transformed the real part, and the imaginary part, of each row: A + i B is the row's spectrum, of which
 * local memory holds the first halves of A and B. */
static INLINE cplx element_of_row(local const cplx *room, uint i, cplx scale, uint flags, global const cplx *roots)
{
    const uint lane = i / N, k = i % N, there = k < SPECTRUM_OF_PART ? k : N - k;
    local const cplx *row = room + begin_of_row(lane, 2 * SPECTRUM_OF_PART);
    const cplx a = row[there], b = row[SPECTRUM_OF_PART + there];
    /* Beyond the middle both are conjugated; so are both spectra of an inverse transform. */
    const real sign = (k < SPECTRUM_OF_PART) == !(flags & INVERSE_OUT) ? 1 : -1;
    return (cplx)(a.x - sign * b.y, sign * a.y + b.x);
}
#endif

static INLINE void IN_PASS(give_rows_)(const cplx *x, global target_element *dst, Batch batch, Axis axis, Worker last,
                                       local cplx *room, cplx scale, global const cplx *roots HOOK_PARAMETERS)
{
    const uint all = PLAIN_ROWS ? all_elements(batch, STORED) : STORED * TRANSFORMS;
#if PARTS_APART
    const int row = begin_of_row(last.lane, 2 * SPECTRUM_OF_PART) + (int)(get_local_id(0) % 2) * SPECTRUM_OF_PART;
    wait_for_group(0);
    UNROLL for (uint k = 0; k < SPECTRUM_OF_PART; k++)
        (room + row)[k] = x[k];
    wait_for_group(0);
#else
    leave_rows(x, room, last, scale, batch.flags, roots);
#endif
    LOOP(uint begin = 0; begin < SHARE_OF(STORED); begin += ROUND_OF(STORED, GIVEN_AT_ONCE))
        UNROLL for (uint e = 0; e < ROUND_OF(STORED, GIVEN_AT_ONCE); e++) {
            const uint i = get_local_id(0), further = (begin + e) * GROUP_SIZE;
            if (i + further < all)
#if PARTS_APART || (MAKES_SPECTRA && !ROW_IN_ITEM)
                IN_PASS(give_element_)(dst, batch, axis, i, further,
                                       element_of_row(room, i + further, scale, batch.flags, roots) HOOK_ARGUMENTS);
#else
                IN_PASS(give_element_)(dst, batch, axis, i, further,
                                       find(room, place_of_element(i, further, STORED), GIVEN_PARTS,
                                            (cplx)(0, 0)) HOOK_ARGUMENTS);
#endif
        }
}
