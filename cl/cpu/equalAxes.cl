/* equalAxes: two or three axes of N points each, array after array in the cache of a CPU's core.
 *
 *     src      a b c  --->  transforms along a  --->  b c a   between, which stays in the cache
 *     between  b c a  --->  transforms along b  --->  c a b   between
 *     between  c a b  --->  transforms along c  --->  a b c   dst
 *
 * An array is a matrix of N rows, whose columns are the transforms along its first axis. Neighbouring columns are the
 * lanes of vectors, as in cols.cl. The results of a column become a row, and so the first axis becomes the last one.
 * After a round for each axis the axes are in their old order, and all rounds are the same code.
 *
 * Launches for each axis would move all arrays through memory as often as there are axes.
 *
 * References: D. H. Bailey, "FFTs in external or hierarchical memory", J. Supercomputing 4 (1990), for transforms of
 * columns whose results are transposed while they are in the cache.
 */
#ifndef AXES
#define AXES 2 /* of an array: 2 or 3 */
#endif

#define TO_ROWS 1
#include "cpu/block.cl"
#define STORES_LAST 0
#include "cpu/loadBlock.cl"
#include "cpu/storeBlock.cl"
#include "cpu/stages.cl"
#include "cpu/chirp.cl"
#include "cpu/blockOfPoints.cl"

#define COLUMNS (AXES == 2 ? N : N * N)
#define POINTS ((ulong)N * COLUMNS) /* of an array */

/* Transforms all columns of the matrix that `from` describes; result k of column c is element c N + k of the target. */
static INLINE void columns_to_rows(SCRATCH points *scratch, Source from, Target to HOOK_PARAMETERS)
{
    const ulong here = from.first, there = to.first;
    LOOP(uint column = 0; column < COLUMNS; column += LANES)
    {
        from.column = to.column = column;
        from.lanes = to.lanes = min((uint)LANES, COLUMNS - column);
        from.first = here + column, to.first = there + (ulong)column * N;
        transform_block(scratch, from, to HOOK_ARGUMENTS);
    }
}

kernel WIDE __attribute__((reqd_work_group_size(1, 1, 1)))
void equalAxes(global const cplx *src, global cplx *dst, global const cplx *twiddles, global cplx *between,
               WORKSPACE uint count, uint4 extents, ulong4 src_distances, ulong4 dst_distances, ulong2 first,
               cplx scale, real sign HOOK_PARAMETERS)
{
    SCRATCH_OF(scratch, SCRATCH_POINTS(N), workspace)
    const Share share = share_of(count);
    Source from = {src, 0, COLUMNS, 1};
    Target to = {dst, 0, 1, N};
    from.sign = sign, from.sizes = to.sizes = (Sizes){N, N, N}, from.tables = to.tables = (Tables){twiddles};
    src += first.x, dst += first.y, between += get_group_id(0) * (AXES - 1) * POINTS;
    LOOP(uint q = share.begin; q < share.end; q++)
    {
        global cplx *target = dst + place(q, extents, dst_distances);
        const ulong addresses = COLLECTED ? 0 : (ulong)target | N * sizeof(cplx);
        LOOP(uint axis = 0; axis < AXES; axis++)
        {
            const int is_last = axis == AXES - 1;
            from.src = axis == 0 ? src + place(q, extents, src_distances) : between + (axis - 1) * POINTS;
            to.dst = is_last ? target : between + axis * POINTS;
            to.factors = factors_of(is_last ? scale : (cplx)(1, 0), sign);
            to.stream = is_last && streams(src, dst, addresses);
            columns_to_rows(scratch, from, to HOOK_ARGUMENTS);
        }
    }
}
