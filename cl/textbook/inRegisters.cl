/* inRegisters: transforms of N points whose stages have a RADIX of more than 2. A work-group has one row, and a work-item
 * has RADIX points of it, in registers.
 *
 *     src  --->  x[]  --->  codelet  --->  room  --->  x[], times twiddles  --->  codelet  --->  ...  --->  dst
 *
 * This is the fourth of five steps from butterfly.cl to gpu/stockham.cl (docs/developer/kernels.md). autosort.cl goes through local
 * memory, and waits twice, for every factor of 2. A codelet of radix.cl transforms more points than two between both
 * waits: with radix 16, 4096 points need three stages instead of twelve. Butterfly j takes the points j + r N / RADIX.
 * If S is the span, it leaves its results at (j / S) RADIX S + j mod S + r S: autosort.cl with RADIX for 2.
 *
 * All loops over points are unrolled, so that every index of x is a constant, and x lives in registers.
 *
 * References: N. K. Govindaraju et al., "High performance discrete Fourier transforms on graphics processors", SC 2008.
 */
#include "radix.cl"

#ifndef N
#define N 16 /* points of a row: a power of RADIX */
#endif
#ifndef RADIX
#define RADIX 4 /* of every stage: one that has a codelet */
#endif
#ifndef ITEMS
#define ITEMS 4 /* work-items of a group: N / RADIX */
#endif
#define EACH(r) UNROLL for (uint r = 0; r < RADIX; r++)

/* The codelet's name ends in the value of RADIX. */
#define CODELET(radix) CODELET_OF(radix)
#define CODELET_OF(radix) fft##radix

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void inRegisters(global const cplx *src, global cplx *dst, global const cplx *roots, cplx scale, bits sign_flag)
{
    local cplx room[N];
    cplx x[RADIX];
    const uint j = get_local_id(0);
    const size_t row = get_group_id(0) * (size_t)N;

    EACH(r)
        x[r] = conj_if(src[row + j + r * ITEMS], sign_flag); /* the inverse is the conjugate of the conjugate's */
    CODELET(RADIX)(x, 1);

    for (uint span = RADIX; span < N; span *= RADIX) {
        const uint before = span / RADIX, left = (j - j % before) * RADIX + j % before;
        barrier(CLK_LOCAL_MEM_FENCE); /* all have read what the stage before has left */
        EACH(r)
            room[left + r * before] = x[r];
        barrier(CLK_LOCAL_MEM_FENCE);
        EACH(r)
            x[r] = cmul(room[j + r * ITEMS], roots[r * (j % span) * (ITEMS / span)]);
        CODELET(RADIX)(x, 1);
    }
    EACH(r) {
        const cplx z = conj_if(x[r], sign_flag);
        dst[row + j + r * ITEMS] = z * scale.x + z * scale.y; /* the nearest number, and what it lacks */
    }
}
