/* cosineRows: rows of an odd prime length that all work-items of a group share, as cosine or sine transforms of type 2
 * or 3. It stands in the place of takeRows.cl and giveRows.cl.
 *
 *     src  --->  local memory, in order  --->  x[]: element_before  --->  a codelet
 *     x[]: element_after  --->  local memory, in order  --->  dst
 *
 * The group loads and stores numbers in the order of memory. They change places on the way between local memory and
 * registers, where the compiler knows every place, because a work-item has a whole row.
 */
#define DCT_SOURCE local const real *
#define DCT_TARGET local real *
#define DCT_LOAD(src, place) ((src)[place])
#define DCT_STORE(dst, place, y) ((dst)[place] = (y))
#define SIGNED_ALREADY 1 /* by take_rows: of constant signs Intel's CPU compiler makes wrong code */
#include "dctParts.cl"

static INLINE DctRow row_in_room(Worker me)
{
    return (DctRow){begin_of_row(me.lane, N), 1, N};
}

static INLINE void IN_PASS(take_rows_)(cplx *x, global const source_element *src, Batch batch, Axis axis, Worker me,
                                       local cplx *room HOOK_PARAMETERS)
{
    global const real *numbers = (global const real *)src + plain_place(batch, axis, N, 0);
    local real *waiting = (local real *)room;
    const uint all = all_elements(batch, N);
    LOOP(uint begin = 0; begin < SHARE_OF(N); begin += ROUND_OF(N, TAKEN_AT_ONCE)) {
        real loaded[ROUND_OF(N, TAKEN_AT_ONCE)];
        UNROLL for (uint e = 0; e < ROUND_OF(N, TAKEN_AT_ONCE); e++) {
            const uint i = get_local_id(0) + (begin + e) * GROUP_SIZE;
            loaded[e] = i < all ? numbers[i] : 0;
        }
        UNROLL for (uint e = 0; e < ROUND_OF(N, TAKEN_AT_ONCE); e++) {
            const uint i = get_local_id(0) + (begin + e) * GROUP_SIZE;
            if (i < N * TRANSFORMS)
                waiting[i] = SIGNS_IN && i % N % 2 ? -loaded[e] : loaded[e];
        }
    }
    wait_for_group(1);
    UNROLL for (uint k = 0; k < TAKEN; k++)
#if DCT_TYPE == 3
        x[k] = element_before(waiting, row_in_room(me), 0, k);
#else
        x[k] = (cplx)(element_before(waiting, row_in_room(me), 0, k), 0);
#endif
    wait_for_group(0);
}

static INLINE void IN_PASS(give_rows_)(const cplx *x, global target_element *dst, Batch batch, Axis axis, Worker last,
                                       local cplx *room HOOK_PARAMETERS)
{
    global real *numbers = (global real *)dst + plain_place(batch, axis, N, 0);
    local real *waiting = (local real *)room;
    const uint all = all_elements(batch, N);
    UNROLL for (uint k = 0; k < STORED; k++)
#if DCT_TYPE == 3
        element_after(waiting, row_in_room(last), 0, k, x[k].x);
#else
        element_after(waiting, row_in_room(last), 0, k, x[k]);
#endif
    wait_for_group(0);
    LOOP(uint begin = 0; begin < SHARE_OF(N); begin += ROUND_OF(N, GIVEN_AT_ONCE))
        UNROLL for (uint e = 0; e < ROUND_OF(N, GIVEN_AT_ONCE); e++) {
            const uint i = get_local_id(0) + (begin + e) * GROUP_SIZE;
            if (i < all)
                numbers[i] = waiting[i];
        }
}
