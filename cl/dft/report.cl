/* report: the kernels of a report on parallel transforms, to compare with. Each work-item computes one bin of the
 * discrete Fourier transform, with cosine and sine for each product, and with separate sums of both parts.
 *
 * dft_global reads the samples from global memory. In dft_local the first work-item of a group copies all samples to
 * local memory, and the others wait for it. The range is (bins, rounded up, rows).
 *
 * The exponent k m is kept modulo n by additions, and the sums of TOGETHER products are added with compensation, so
 * that any number of samples can be transformed as exactly as by tiles.cl. */
#include "prelude.cl"
#include "dft/rows.cl"

#pragma OPENCL FP_CONTRACT OFF /* keeps the compensation; products use fma() by name */

#ifndef ROOM
#define ROOM 1024 /* real numbers of local memory that dft_local takes: all samples of a row */
#endif
#define TOGETHER 64

/* The sum of samples `first` .. `first` + `count` - 1, with exponents from *exponent on. SPACE is where they lie. */
#define ADD_SOME(SPACE, NAME)                                                                                          \
    static inline cplx NAME(SPACE const real *row, long step, uint first, uint count, uint k, uint n, uint *exponent) \
    {                                                                                                                  \
        cplx sum = (cplx)(0, 0);                                                                                       \
        for (uint m = first; m < first + count; m++) {                                                                 \
            SPACE const real *x = row + (long)m * step * PARTS;                                                        \
            cplx root = root_of(*exponent, n);                                                                         \
            sum.x = fma(x[0], root.x, sum.x);                                                                          \
            sum.y = fma(x[0], root.y, sum.y);                                                                          \
            if (PARTS == 2) {                                                                                          \
                sum.x = fma(-x[PARTS - 1], root.y, sum.x);                                                             \
                sum.y = fma(x[PARTS - 1], root.x, sum.y);                                                              \
            }                                                                                                          \
            *exponent += *exponent >= n - k ? k - n : k;                                                               \
        }                                                                                                              \
        return sum;                                                                                                    \
    }

/* exp(-2 pi i exponent / n), with an angle of half a turn at most. */
static inline cplx root_of(uint exponent, uint n)
{
    int folded = exponent > n / 2 ? (int)(exponent - n) : (int)exponent;
    real half_turns = 2 * (real)folded / n;
    return (cplx)(cospi(half_turns), -sinpi(half_turns));
}

ADD_SOME(global, add_global)
ADD_SOME(local, add_local)

#define BIN(ADD, row, step)                                                                                            \
    {                                                                                                                  \
        uint i = get_global_id(0), exponent = 0;                                                                       \
        if (i >= count)                                                                                                \
            return;                                                                                                    \
        cplx all = (cplx)(0, 0), lost = (cplx)(0, 0);                                                                  \
        for (uint first = 0; first < n; first += TOGETHER) {                                                           \
            cplx wanted = ADD(row, step, first, min(n - first, (uint)TOGETHER), bins[i], n, &exponent) - lost;         \
            cplx total = all + wanted;                                                                                 \
            lost = (total - all) - wanted;                                                                             \
            all = total;                                                                                               \
        }                                                                                                              \
        sums[get_global_id(1) * (ulong)count + i] = all;                                                               \
    }

kernel void dft_global(global const real *src, global cplx *sums, global const uint *bins,
                       global const long *geometry, uint n, uint count)
{
    BIN(add_global, row_of(src, geometry, get_global_id(1)), geometry[1])
}

kernel void dft_local(global const real *src, global cplx *sums, global const uint *bins,
                      global const long *geometry, uint n, uint count)
{
    local real samples[ROOM];
    if (get_local_id(0) == 0) {
        global const real *row = row_of(src, geometry, get_global_id(1));
        for (uint m = 0; m < n; m++)
            for (int part = 0; part < PARTS; part++)
                samples[m * PARTS + part] = row[(long)m * geometry[1] * PARTS + part];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    BIN(add_local, samples, 1)
}
