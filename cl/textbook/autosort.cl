/* autosort: radix-2 transforms of N points in local memory, without bit reversal (T. G. Stockham). A work-group has one
 * row, and a work-item has one butterfly of every stage.
 *
 *     src  --->  room, in order  --->  stage by stage, in order  --->  room  --->  dst
 *
 * This is the third of five steps from butterfly.cl to gpu/stockham.cl (docs/developer/kernels.md). butterfly.cl leaves results
 * where it has found its points, and therefore needs the points in bit-reversed order. Here butterfly j takes points j
 * and j + N / 2, whatever the stage. If S is the span, the number of points that transforms have so far, butterfly j is
 * number j mod S of transform j / S, and leaves its results where that transform, now of 2 S points, has them: at
 * (j / S) 2 S + j mod S, and S places further. The last stage leaves the whole transform in order.
 *
 * References: T. G. Stockham's autosort, in W. T. Cochran et al., "What is the fast Fourier transform?", Proc. IEEE 55
 * (1967).
 */
#include "prelude.cl"

#ifndef N
#define N 4 /* points of a row: a power of two */
#endif
#ifndef ITEMS
#define ITEMS 2 /* work-items of a group: N / 2 */
#endif

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void autosort(global const cplx *src, global cplx *dst, global const cplx *roots, cplx scale, bits sign_flag)
{
    local cplx room[N];
    const uint j = get_local_id(0);
    const size_t row = get_group_id(0) * (size_t)N;
    cplx a = src[row + j], b = src[row + j + ITEMS];

    for (uint span = 1; span < N; span *= 2) {
        const uint position = j % span, left = (j - position) * 2 + position;
        const cplx product = cmul(b, conj_if(roots[position * (ITEMS / span)], sign_flag));
        barrier(CLK_LOCAL_MEM_FENCE); /* all have read what the stage before has left */
        room[left] = a + product;
        room[left + span] = a - product;
        barrier(CLK_LOCAL_MEM_FENCE);
        a = room[j];
        b = room[j + ITEMS];
    }
    dst[row + j] = a * scale.x + a * scale.y; /* the nearest number, and what it lacks */
    dst[row + j + ITEMS] = b * scale.x + b * scale.y;
}
