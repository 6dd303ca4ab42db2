/* raderNumbers: what stands between global memory and the local memory of raderReal.cl, where numbers wait in their order.
 *
 *     src  --->  numbers of a row, or those of which it has half the spectrum  --->  local memory
 *     local memory  --->  numbers of a row, or half of their spectrum  --->  dst
 *
 * Rows of numbers lie in local memory as close as in global memory. If rows are plain, a work-item need not know of which
 * row a number is.
 */
#define HALF (LENGTH / 2 + 1) /* elements of half a spectrum */
#define LOADED (SOURCE == HERMITIAN ? HALF : LENGTH)
#define STORED (TARGET == REAL ? LENGTH : HALF)
#define FIRST_PLACE 0 /* where number 0 waits before the convolution, */
#define SUM_PLACE 0   /* and where after it */

#define THE_NUMBERS {N, ITEMS, TRANSFORMS, LOAD_COLUMNS, LENGTH, PITCH, BANKS}

static INLINE void leave_number(local cplx *room, uint lane, uint k, real value)
{
    const Group numbers = THE_NUMBERS;
    leave(room, room_place(numbers, lane, k, 0), REAL_PART, (cplx)(value, 0));
}

static INLINE real find_number(local const cplx *room, uint lane, uint k)
{
    const Group numbers = THE_NUMBERS;
    return find(room, room_place(numbers, lane, k, 0), REAL_PART, (cplx)(0, 0)).x;
}

static INLINE uint image_of(uint k)
{
    return k ? LENGTH - k : 0;
}

/* Element k of a lane, the e-th one that a work-item loads or stores. Neighbouring work-items have neighbours in memory:
 * those of columns, or those of all rows of the group, as if these were one long row. Of plain rows, element i of that
 * row. */
typedef struct {
    uint lane, k, i;
    int exists;
} Moved;

static INLINE Moved moved(Batch batch, uint e, uint elements, uint by_columns)
{
    const uint id = get_local_id(0), i = id + e * GROUP_SIZE, k = id / TRANSFORMS + e * ITEMS;
    if (by_columns)
        return (Moved){id % TRANSFORMS, k, 0, k < elements};
    const uint all = PLAIN_ROWS ? all_elements(batch, elements) : elements * TRANSFORMS;
    return (Moved){i / elements, i % elements, i, i < all};
}

static INLINE cplx load_element(global const source_element *src, Batch batch, Axis axis, Moved each HOOK_PARAMETERS)
{
#if PLAIN_ROWS
    const ulong place = plain_place(batch, axis, LOADED, each.i);
#if SOURCE == REAL
    return (cplx)(LOAD_FROM(src, place, place - axis.first), 0);
#else
    return of_half(LOAD_FROM(src, place, place - axis.first), (batch.flags & CONJUGATE_IN) != 0, each.k == 0);
#endif
#else
    const Transform from = LOCATE(batch, axis, each.lane);
    return load_point_1(src, axis, from, element_number(axis, from, each.k), batch.flags HOOK_ARGUMENTS);
#endif
}

/* All loads come before the first store to local memory, so that none waits for another. */
static INLINE void lay_down(global const source_element *src, Batch batch, Axis axis, local cplx *room HOOK_PARAMETERS)
{
    cplx loaded[SHARE_OF(LOADED)];
    UNROLL for (uint e = 0; e < SHARE_OF(LOADED); e++) {
        const Moved each = moved(batch, e, LOADED, LOAD_COLUMNS);
        loaded[e] = each.exists ? load_element(src, batch, axis, each HOOK_ARGUMENTS) : (cplx)(0, 0);
    }
    UNROLL for (uint e = 0; e < SHARE_OF(LOADED); e++) {
        const Moved each = moved(batch, e, LOADED, LOAD_COLUMNS);
        const cplx z = loaded[e];
        if (LOAD_COLUMNS ? each.k < LOADED : each.i < LOADED * TRANSFORMS) {
            leave_number(room, each.lane, each.k, SOURCE == HERMITIAN ? z.x + z.y : z.x);
            if (SOURCE == HERMITIAN)
                leave_number(room, each.lane, image_of(each.k), z.x - z.y);
        }
    }
}

/* Two numbers of a Hartley transform are twice a number of a spectrum: the scale has a factor 1/2 for that. */
static INLINE void give(global target_element *dst, Batch batch, Axis axis, local const cplx *room,
                        cplx scale HOOK_PARAMETERS)
{
    UNROLL for (uint e = 0; e < SHARE_OF(STORED); e++) {
        const Moved each = moved(batch, e, STORED, STORE_COLUMNS);
        if (each.exists) {
            const real number = find_number(room, each.lane, each.k);
            const real image = TARGET == REAL ? 0 : find_number(room, each.lane, image_of(each.k));
            const cplx result = finished((cplx)(number + image, number - image), scale, batch.flags);
#if PLAIN_ROWS
            const ulong place = plain_place(batch, axis, STORED, each.i);
#if TARGET == REAL
            STORE_TO(dst, place, result.x, place - axis.first);
#else
            STORE_TO(dst, place, result, place - axis.first);
#endif
#else
            const Transform to = LOCATE(batch, axis, each.lane);
            if (to.active)
                store_result_1(dst, axis, to, element_number(axis, to, each.k), result HOOK_ARGUMENTS);
#endif
        }
    }
}
