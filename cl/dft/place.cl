/* place: brings the bins that a direct transform has computed to their places in the result.
 *
 * The range is (results of a row, rounded up, rows). sums[(part rows + row) count + i] is what part number `part` of
 * the samples adds to bin number i. place / 2 is the bin that a result comes from; if place is odd, the result is the
 * bin's conjugate. geometry says how the rows of dst lie, as rows.cl explains. */
#include "prelude.cl"
#include "dft/rows.cl"

#pragma OPENCL FP_CONTRACT OFF /* keeps the compensation */

kernel void place_bins(global const cplx *sums, global cplx *dst, global const uint *places,
                       global const long *geometry, uint results, uint count, uint parts)
{
    uint i = get_global_id(0);
    if (i >= results)
        return;
    uint place = places[i];
    sums += get_global_id(1) * count + place / 2;
    cplx all = sums[0], lost = 0;
    for (uint part = 1; part < parts; part++) {
        cplx wanted = sums[part * get_global_size(1) * count] - lost, total = all + wanted;
        lost = (total - all) - wanted;
        all = total;
    }
    long at = geometry[0] + row_place(geometry + 2, get_global_id(1)) + (long)i * geometry[1];
    dst[at] = (cplx)(all.x, place % 2 ? -all.y : all.y);
}
