/* direct: the discrete Fourier transform as its definition says, dst[k] = sum_j src[j] w^(j k), for
 * rows of any length n, in n^2 steps. A work-item owns one output; range (output, row).
 *
 * The group stages TILE inputs at a time in local memory. What a tile adds is summed by itself and
 * the tiles are summed with Kahan's compensation, so that the error does not grow with n. */
#include "prelude.cl"

#pragma OPENCL FP_CONTRACT OFF /* keeps the compensation; products use fma() by name */

#ifndef TILE
#define TILE 64 /* inputs staged at a time, and the work-group's size: 1 .. 256 */
#endif

static inline cplx fma_complex(cplx a, cplx b, cplx sum)
{
    return (cplx)(fma(-a.y, b.y, fma(a.x, b.x, sum.x)), fma(a.y, b.x, fma(a.x, b.y, sum.y)));
}

kernel __attribute__((reqd_work_group_size(TILE, 1, 1)))
void direct(global const cplx *src, global cplx *dst, global const cplx *roots, uint n,
            bits sign_flag, real scale)
{
    local cplx tile[TILE];
    uint lane = get_local_id(0);
    uint k = get_global_id(0) % n; /* the items beyond n repeat the first ones and store nothing */
    size_t row = get_global_id(1) * (size_t)n;

    cplx sum = (cplx)(0, 0), lost = (cplx)(0, 0);
    uint exponent = 0; /* j k mod n */
    for (uint start = 0; start < n; start += TILE) {
        uint inputs = min((uint)TILE, n - start);
        if (lane < inputs)
            tile[lane] = src[row + start + lane];
        barrier(CLK_LOCAL_MEM_FENCE);

        cplx part = (cplx)(0, 0);
        for (uint j = 0; j < inputs; j++) {
            part = fma_complex(tile[j], conj_if(roots[exponent], sign_flag), part);
            exponent = exponent >= n - k ? exponent - (n - k) : exponent + k;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        cplx term = part - lost;
        cplx total = sum + term;
        lost = (total - sum) - term;
        sum = total;
    }
    if (get_global_id(0) < n)
        dst[row + k] = sum * scale;
}
