/* raderCosine: what stands between global memory and the local memory of raderReal.cl in cosine and sine transforms of type 2
 * or 3 of an odd prime length n, in plain rows. It stands in the place of raderNumbers.cl.
 *
 * dctParts.cl explains which numbers the transform of real numbers takes, and what becomes of its results. Each row is
 * loaded and stored in the order of memory. The numbers change places in the convolution, whose table of powers tells where
 * each number waits before it, and where after it:
 *
 *     type 2: the rows' own order                --->  number k of the Hartley transform at 2 k mod n
 *     type 3: number k of the one at 2 k mod n   --->  the rows' own order
 *
 * Numbers k and n - k of the Hartley transform, which are the sum and the difference of both parts of number k of the
 * spectrum, wait at j = 2 k mod n and at n - j. One of these places is even. With a the number at the even place e, b the
 * other one and s = (-1)^(e / 2), results e and n - e of type 2 are s (a + b) and s (b - a). In type 3, with a and b the
 * elements e and n - e of the row, the numbers at e and n - e are s (a - b) and s (a + b).
 */
    #include "dctParts.cl" /* again, after the one in cosineRows.cl, which does not count here */

#define HALF (LENGTH / 2 + 1)
#define FIRST_PLACE (DCT_TYPE == 2 ? LENGTH / 2 : 0)
#define SUM_PLACE (DCT_TYPE == 3 ? LENGTH / 2 : 0)

static INLINE void leave_number(local cplx *room, uint lane, uint k, real value)
{
    ((local real *)room)[lane * LENGTH + k] = value;
}

static INLINE real find_number(local const cplx *room, uint lane, uint k)
{
    return ((local const real *)room)[lane * LENGTH + k];
}

/* The pair of elements j and n - j of a row, the e-th pair of a work-item. Element 0 has no other one. */
typedef struct {
    uint lane, even, odd; /* both numbers of the pair, by which of them is even */
    int exists, is_alone;
    real sign;
} Moved;

static INLINE Moved moved_pair(Batch batch, uint e)
{
    const uint i = get_local_id(0) + e * GROUP_SIZE, lane = i / HALF, j = i % HALF;
    const uint even = j % 2 ? LENGTH - j : j;
    return (Moved){lane, even, LENGTH - even, i < all_elements(batch, HALF), j == 0, even % 4 ? -1 : 1};
}

static INLINE real load_number(global const real *src, Batch batch, Axis axis, uint lane, uint j)
{
    const uint there = BACKWARD_IN ? LENGTH - 1 - j : j;
    const real x = src[plain_place(batch, axis, LENGTH, lane * LENGTH + there)];
    return SIGNS_IN && j % 2 ? -x : ORTHO_IN && j == 0 ? x * CONST(1.41421356237309504880) : x;
}

static INLINE void store_number(global real *dst, Batch batch, Axis axis, uint lane, uint k, real y, cplx scale)
{
    const uint there = SIGNS_IN ? LENGTH - 1 - k : k;
    y = scaled_real(BACKWARD_IN && k % 2 ? -y : y, scale);
    dst[plain_place(batch, axis, LENGTH, lane * LENGTH + there)] =
        ORTHO_OUT && k == 0 ? y * CONST(0.70710678118654752440) : y;
}

#if DCT_TYPE == 2
static INLINE void lay_down(global const source_element *src, Batch batch, Axis axis, local cplx *room HOOK_PARAMETERS)
{
    const uint all = all_elements(batch, LENGTH);
    real loaded[SHARE_OF(LENGTH)];
    UNROLL for (uint e = 0; e < SHARE_OF(LENGTH); e++) {
        const uint i = get_local_id(0) + e * GROUP_SIZE;
        loaded[e] = i < all ? load_number((global const real *)src, batch, axis, i / LENGTH, i % LENGTH) : 0;
    }
    UNROLL for (uint e = 0; e < SHARE_OF(LENGTH); e++) {
        const uint i = get_local_id(0) + e * GROUP_SIZE;
        if (i < LENGTH * TRANSFORMS)
            leave_number(room, 0, i, loaded[e]);
    }
}

static INLINE void give(global target_element *dst, Batch batch, Axis axis, local const cplx *room,
                        cplx scale HOOK_PARAMETERS)
{
    UNROLL for (uint e = 0; e < SHARE_OF(HALF); e++) {
        const Moved pair = moved_pair(batch, e);
        if (pair.exists) {
            const real even = 2 * pair.sign * find_number(room, pair.lane, pair.even);
            const real odd = pair.is_alone ? even : 2 * pair.sign * find_number(room, pair.lane, pair.odd);
            store_number((global real *)dst, batch, axis, pair.lane, pair.even, even + odd, scale);
            if (!pair.is_alone)
                store_number((global real *)dst, batch, axis, pair.lane, pair.odd, odd - even, scale);
        }
    }
}
#else
static INLINE void lay_down(global const source_element *src, Batch batch, Axis axis, local cplx *room HOOK_PARAMETERS)
{
    global const real *numbers = (global const real *)src;
    real evens[SHARE_OF(HALF)], odds[SHARE_OF(HALF)];
    UNROLL for (uint e = 0; e < SHARE_OF(HALF); e++) {
        const Moved pair = moved_pair(batch, e);
        evens[e] = pair.exists ? load_number(numbers, batch, axis, pair.lane, pair.even) : 0;
        odds[e] = pair.exists && !pair.is_alone ? load_number(numbers, batch, axis, pair.lane, pair.odd) : 0;
    }
    UNROLL for (uint e = 0; e < SHARE_OF(HALF); e++) {
        const Moved pair = moved_pair(batch, e);
        if (pair.lane < TRANSFORMS) {
            leave_number(room, pair.lane, pair.even, pair.sign * (evens[e] - odds[e]));
            if (!pair.is_alone)
                leave_number(room, pair.lane, pair.odd, pair.sign * (evens[e] + odds[e]));
        }
    }
}

static INLINE void give(global target_element *dst, Batch batch, Axis axis, local const cplx *room,
                        cplx scale HOOK_PARAMETERS)
{
    const uint all = all_elements(batch, LENGTH);
    UNROLL for (uint e = 0; e < SHARE_OF(LENGTH); e++) {
        const uint i = get_local_id(0) + e * GROUP_SIZE;
        if (i < all)
            store_number((global real *)dst, batch, axis, i / LENGTH, i % LENGTH, find_number(room, 0, i), scale);
    }
}
#endif
