/* loadRealStage: the first stage of a real row of odd length n = REAL_RADIX M, which knows that its points are real.
 *
 *     src: a matrix of REAL_RADIX rows of M numbers
 *      --->  columns j and j + ITEMS as the real and the imaginary part of a complex one, transformed
 *      --->  the first KEPT results of each column, all that are not conjugates of others  --->  x[]
 *
 * Both columns are of one row of the batch. Results are twice those that are meant.
 *
 * References: H. V. Sorensen, D. L. Jones, M. T. Heideman, C. S. Burrus, "Real-valued fast Fourier
 * transform algorithms", IEEE Trans. ASSP-35 (1987).
 */
static INLINE real number_at(global const source_element *src, Axis axis, Transform from, uint g HOOK_PARAMETERS)
{
    const ulong place = from.first + (ulong)g * axis.unit;
    return FILLED >= LENGTH || g < FILLED ? LOAD_FROM(src, place, place - axis.first) : 0;
}

static INLINE whole IN_PASS(load_)(cplx *x, global const source_element *src, Batch batch, Axis axis, Worker me,
                                   Tables tables, local cplx *room HOOK_PARAMETERS)
{
    const uint many = BUTTERFLIES(KEPT), columns = N / KEPT;
    const Transform from = LOCATE(batch, axis, me.lane);
    UNROLL for (uint b = 0; b < BUTTERFLIES(KEPT); b += 2) {
        const uint j = me.item + b * ITEMS, other = j + ITEMS;
        const int has_other = (b + 1 < many) & (columns % ITEMS == 0 || other < columns);
        if (columns % ITEMS == 0 || j < columns) {
            cplx z[REAL_RADIX];
            UNROLL for (uint r = 0; r < REAL_RADIX; r++) {
                z[r].x = number_at(src, axis, from, j + r * columns HOOK_ARGUMENTS);
                z[r].y = has_other ? number_at(src, axis, from, other + r * columns HOOK_ARGUMENTS) : 0;
            }
            JOINED(fft, REAL_RADIX)(z, 1);
            UNROLL for (uint k = 0; k < KEPT; k++) {
                const cplx image = z[k ? REAL_RADIX - k : 0];
                x[b + k * many] = (cplx)(z[k].x + image.x, z[k].y - image.y);
                if (b + 1 < many)
                    x[b + 1 + k * many] = (cplx)(z[k].y + image.y, image.x - z[k].x);
            }
        }
    }
    return from.column;
}
