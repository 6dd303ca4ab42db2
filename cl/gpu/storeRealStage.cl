/* storeRealStage: the last stage of a transform to a real row of odd length n = REAL_RADIX M, which knows that its
 * results are real.
 *
 *     x[]: the first KEPT points of columns j and j + ITEMS, from which it knows the others
 *      --->  both columns as one complex column, transformed
 *      --->  real and imaginary parts: REAL_RADIX rows of M numbers  --->  dst
 *
 * References: as in loadRealStage.cl.
 */
static INLINE void store_number(global target_element *dst, Axis axis, Transform to, uint g, real value HOOK_PARAMETERS)
{
    const ulong place = to.first + (ulong)g * axis.unit;
    STORE_ALONG(dst, axis, to.first, g, place, value);
}

static INLINE void IN_PASS(store_)(cplx *x, global target_element *dst, Batch batch, Axis axis, Worker last,
                                   Tables tables, local cplx *room, cplx scale HOOK_PARAMETERS)
{
    const uint many = BUTTERFLIES(KEPT), columns = N / KEPT;
    const Transform to = LOCATE(batch, axis, last.lane);
    global const cplx *twiddles = tables.twiddles + (columns - 1);
    UNROLL for (uint b = 0; b < BUTTERFLIES(KEPT); b += 2) {
        const uint j = last.item + b * ITEMS, other = j + ITEMS;
        const int has_other = (b + 1 < many) & (columns % ITEMS == 0 || other < columns);
        if (columns % ITEMS == 0 || j < columns) {
            twiddle(x + b, many, KEPT, columns, twiddles + j);
            if (has_other)
                twiddle(x + b + 1, many, KEPT, columns, twiddles + other);
            cplx z[REAL_RADIX];
            z[0] = (cplx)(x[b].x, has_other ? x[b + 1].x : 0);
            UNROLL for (uint k = 1; k < KEPT; k++) {
                const cplx one = x[b + k * many], two = has_other ? x[b + 1 + k * many] : (cplx)(0, 0);
                z[k] = (cplx)(one.x - two.y, one.y + two.x);
                z[REAL_RADIX - k] = (cplx)(one.x + two.y, two.x - one.y);
            }
            JOINED(fft, REAL_RADIX)(z, 1);
            if (to.active)
                UNROLL for (uint r = 0; r < REAL_RADIX; r++) {
                    store_number(dst, axis, to, j + r * columns, scaled_real(z[r].x, scale) HOOK_ARGUMENTS);
                    if (has_other)
                        store_number(dst, axis, to, other + r * columns, scaled_real(z[r].y, scale) HOOK_ARGUMENTS);
                }
        }
    }
}
