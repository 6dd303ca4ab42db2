/* cols: transforms of N points along any axis, LANES neighbouring ones at a time, in one work-item of a CPU.
 *
 * Where neighbouring transforms are neighbours in memory (the columns of a matrix) lanes are loaded and stored as
 * they lie. Where neighbouring points are (FROM_ROWS, TO_ROWS) blocks of LANES x LANES points are transposed in
 * registers on the way. The last transforms of a batch may leave lanes empty (RAGGED).
 *
 * TWIST multiplies result k of column c by exp(-2 pi i k c / n), for the four-step algorithm: two launches of
 * this kernel are a transform that is too long for the cache.
 *
 * References: D. H. Bailey, "FFTs in external or hierarchical memory", J. Supercomputing 4 (1990).
 */
#ifndef PASSES
#define PASSES FIRST(4, 4, 1, LAST(4, 4)) /* PASS first where points come from rows */
#endif
#include "lanes.cl"

#ifndef N
#define N 16 /* points of a transform */
#endif
#ifndef FROM_ROWS
#define FROM_ROWS 0 /* 1: points of a transform are neighbours in the source; N is at least LANES */
#endif
#ifndef TO_ROWS
#define TO_ROWS 0 /* 1: they are in the target */
#endif
#ifndef RAGGED
#define RAGGED 0 /* 1: the number of columns is no multiple of LANES */
#endif
#ifndef TWIST
#define TWIST 0 /* 1: results are multiplied by roots of unity */
#endif

/* Numbers in the first lanes only: of the last transforms, where others would be beyond the end. */
#if RAGGED
#define ALL (lanes == LANES)
static points load_some(global const cplx *from, uint lanes, real sign)
{
    points z = 0;
    LOOP(uint i = 0; i < 2 * lanes; i++)
        z[i] = ((global const real *)from)[i];
    return deinterleaved(z, sign);
}
static void store_some(global cplx *to, points z, uint lanes)
{
    LOOP(uint i = 0; i < 2 * lanes; i++)
        ((global real *)to)[i] = z[i];
}
#else
#define ALL 1
#define load_some(from, lanes, sign) 0
#define store_some(to, z, lanes)
#endif

#if FROM_ROWS
#define LOAD(i) scratch[i]
static inline void gather(global const cplx *from, ulong distance, SCRATCH points *scratch,
                          uint lanes, real sign)
{
    LOOP(uint block = 0; block < N; block += LANES)
    {
        uint i = N % LANES == 0 || block + LANES <= N ? block : N - LANES;
        points x[LANES];
        UNROLL for (uint lane = 0; lane < LANES; lane++) {
            global const cplx *row = from + (ALL || lane < lanes ? lane : 0) * distance;
            x[lane] = load_lanes(row + i, sign);
            fetch(row + i + LANES);
        }
        transpose(x);
        UNROLL for (uint lane = 0; lane < LANES; lane++)
            scratch[i + lane] = x[lane];
    }
}
#else
#define LOAD(i) load(from + (i) * strides.x, strides.x, lanes, sign)
static inline points load(global const cplx *from, ulong stride, uint lanes, real sign)
{
    fetch(from + 4 * stride); /* rows are too far apart for the hardware to foresee them */
    return ALL ? load_lanes(from, sign) : load_some(from, lanes, sign);
}
#endif

#if TO_ROWS
#define STORE(k, x) results[k] = x;
static inline void scatter(SCRATCH const points *results, global cplx *to, ulong distance,
                           uint lanes, factors_of_parts factors, int stream)
{
    LOOP(uint block = 0; block < N; block += LANES)
    {
        uint i = N % LANES == 0 || block + LANES <= N ? block : N - LANES;
        points x[LANES];
        UNROLL for (uint lane = 0; lane < LANES; lane++)
            x[lane] = results[i + lane];
        transpose(x);
        UNROLL for (uint lane = 0; lane < LANES; lane++)
            if (ALL || lane < lanes)
                store_lanes(to + i + lane * distance, interleaved(x[lane], factors), stream);
    }
}
#else
#define STORE(k, x) store(to + (k) * strides.y, interleaved(TWISTED(x, k), factors), lanes, stream);
static inline void store(global cplx *to, points z, uint lanes, int stream)
{
    if (ALL)
        store_lanes(to, z, stream);
    else
        store_some(to, z, lanes);
}
#endif

/* The root to the power k (c + lane) is the product of two of tables that stay in the cache. */
#if TWIST
#define TWISTED(x, k) products(x, times(lane_roots[k], block_roots[k]))
#define ROOTS global const points *lane_roots, global const cplx *all_block_roots,
#else
#define TWISTED(x, k) (x)
#define ROOTS
#endif

kernel WIDE __attribute__((reqd_work_group_size(1, 1, 1)))
void cols(global const cplx *src, global cplx *dst, global const cplx *twiddles, ROOTS WORKSPACE
          uint count, uint4 extents, ulong4 src_distances, ulong4 dst_distances, ulong2 first,
          uint columns, ulong2 strides, cplx scale, real sign)
{
    SCRATCH_OF((1 + TO_ROWS) * N)
    SCRATCH points *results = scratch + N;
    factors_of_parts factors = factors_of(scale, sign);
    uint at = 0, row = 0;
    (void)results;
    EACH_OF_SHARE(q)
    {
        uint block = q % extents.s0, lanes = min((uint)LANES, columns - block * LANES);
        global const cplx *from = src + first.x + place(q, extents, src_distances);
        global cplx *to = dst + first.y + place(q, extents, dst_distances);
        int stream = ((ulong)to | strides.y * sizeof(cplx)) % sizeof(reals) == 0;
#if TWIST
        global const cplx *block_roots = all_block_roots + block * N;
#endif
#if FROM_ROWS
        gather(from, strides.x, scratch, lanes, sign);
#endif
        PASSES
#if TO_ROWS
        scatter(results, to, strides.y, lanes, factors, stream);
#endif
    }
}
