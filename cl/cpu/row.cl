/* row: rows of N points, one after the other, each in one work-item of a CPU.
 *
 *     src  --->  prepare_row  --->  scratch memory: rows that wait        (if points must be made of elements first)
 *     src, or a row that waits  --->  load_points  --->  rows_to_lanes  --->  scratch memory: lanes
 *     lanes  --->  all_stages  --->  store_result  --->  dst, or scratch memory: rows that wait
 *     rows that wait  --->  finish_row  --->  dst                         (if elements must be made of results)
 *
 * A row is a matrix of ROWS rows of M points, N = ROWS M, ROWS as many as a vector has lanes or a few less. As many
 * columns at a time are transformed across vectors, multiplied by twiddles and transposed in registers. What is left
 * are transforms of M points, one in each lane, whose results of all lanes are neighbours in memory. That is the
 * six-step algorithm with a matrix so narrow that its transpositions never touch memory. Where half of the lanes are
 * enough for the matrix, two rows of the batch have one half each (TOGETHER).
 *
 * The files rowLoad*.cl have the functions prepare_row, load_points and fetch_points, each file for another source. The
 * files rowStore*.cl have store_result and finish_row. A cosine or sine transform has all five in one file, cosine*.cl.
 *
 * References: D. H. Bailey, "FFTs in external or hierarchical memory", J. Supercomputing 4 (1990).
 */
#include "cpu/share.cl"

#ifndef ROWS
#define ROWS LANES /* lanes in use: at most SIDE */
#endif
#ifndef M
#define M 16 /* points of a lane: at least SIDE */
#endif
#ifndef SOURCE
#define SOURCE COMPLEX /* what src holds: COMPLEX, REAL, HERMITIAN */
#endif
#ifndef TARGET
#define TARGET COMPLEX /* what dst receives: COMPLEX, HERMITIAN (src is REAL), REAL (it is HERMITIAN) */
#endif
#ifndef COSINE
#define COSINE 0 /* 2 .. 4: a cosine or sine transform of this type, from REAL to REAL */
#endif
#ifndef FILLED
#define FILLED SOURCE_ELEMENTS /* elements of a row that exist in the source; zeros follow */
#endif
#ifndef COLLECTED
#define COLLECTED 0 /* 1: the results of a row, as many as all lanes have, wait until they can be stored as one run */
#endif

#define N (ROWS * M)
#define PACKED (SOURCE != COMPLEX && TARGET != COMPLEX) /* two neighbouring real numbers are one point */
#define WAITS (PACKED || COLLECTED) /* rows wait in scratch memory */
#define SOURCE_APART (PACKED && SOURCE == REAL ? 2 : 1) /* elements from a point of the source to the next one */
#define TARGET_APART (TARGET == REAL ? 2 : 1)           /* elements from a result in the target to the next one */
#define SOURCE_ELEMENTS (SOURCE == HERMITIAN ? N + 1 : N * SOURCE_APART) /* of a row of which none are missing */
#define HAS_ROOTS (PACKED && COSINE != 4) /* the kernel takes the roots that tell even from odd numbers */

#include "cpu/rowEnds.cl"
#if PACKED
#include "cpu/rowPacked.cl"
#endif

#if COSINE
#include "cpu/cosine.cl"
#elif SOURCE == HERMITIAN
#include "cpu/rowLoadHalf.cl"
#elif TOGETHER == 2
#include "cpu/rowLoadBoth.cl"
#elif SOURCE == REAL && !PACKED
#include "cpu/rowLoadReal.cl"
#else
#include "cpu/rowLoadPoints.cl"
#endif

#if TARGET == HERMITIAN
#include "cpu/rowStoreHalf.cl"
#elif TOGETHER == 2
#include "cpu/rowStoreBoth.cl"
#elif !COSINE
#include "cpu/rowStoreResults.cl"
#endif

/* --- rows become lanes ----------------------------------------------------------------------------- */

/* Short rows are fetched about 1024 points before they are needed, in order, whatever the order in which they are
 * read; long ones a block of columns before. Loads and fetches alternate, which takes a tenth less time than all loads
 * first, but if a row is one block of columns, it takes a fifth more (AVX-512, Intel's runtime, rows from memory). */
#define SHORT (N <= 4096)
#define FETCHED_LAST (M == SIDE)

/* The last block of columns may overlap the one before. */
static INLINE void rows_to_lanes(Source source, SCRATCH points *lanes, global const points *turns HOOK_PARAMETERS)
{
    LOOP(uint column = 0; column < M; column += SIDE)
    {
        const uint m = M % SIDE == 0 || column + SIDE <= M ? column : M - SIDE;
        points x[SIDE];
        UNROLL for (uint r = 0; r < ROWS; r++) {
            x[r] = load_points(source, m + r * M HOOK_ARGUMENTS);
            if (!FETCHED_LAST)
                fetch_points(source, SHORT ? column * ROWS + r * SIDE : column + r * M);
        }
        UNROLL for (uint r = 0; r < ROWS; r++)
            if (FETCHED_LAST)
                fetch_points(source, column * ROWS + r * SIDE);
        JOINED(fft, ROWS)(x, 1);
        UNROLL for (uint k = 1; k < ROWS; k++)
            x[k] = products(x[k], *turns++);
        UNROLL for (uint r = ROWS; r < SIDE; r++)
            x[r] = x[0];
        transpose(x);
        UNROLL for (uint i = 0; i < SIDE; i++)
            lanes[m + i] = x[i];
    }
}

/* --- the transform of each lane -------------------------------------------------------------------- */

#define CONVOLVES 0
static INLINE points take_point(SCRATCH const points *block, uint i, int is_first, Source source,
                                Target target HOOK_PARAMETERS)
{
    return block[i];
}
#include "cpu/stages.cl"

/* --- the kernel ------------------------------------------------------------------------------------ */

/* A forward transform of half a spectrum is the unusual one: it is that of the conjugates. */
#define SOURCE_SIGN(sign) (SOURCE == HERMITIAN ? -(sign) : PACKED ? 1 : (sign))
#define TARGET_SIGN(sign) (TARGET == REAL ? -1 : (sign))

kernel WIDE __attribute__((reqd_work_group_size(1, 1, 1)))
void row(global const source_element *src, global target_element *dst, global const cplx *twiddles,
         global const points *turns,
#if HAS_ROOTS
         global const cplx *roots,
#endif
#if COSINE
         global const cplx *turned,
#endif
         WORKSPACE uint count, uint4 extents, ulong4 src_distances, ulong4 dst_distances, ulong2 first, cplx scale,
         real sign HOOK_PARAMETERS)
{
#if !HAS_ROOTS
    global const cplx *roots = 0;
#endif
#if !COSINE
    global const cplx *turned = 0;
#endif
    SCRATCH_OF(scratch, (1 + WAITS) * M, workspace)
    SCRATCH cplx *waiting = (SCRATCH cplx *)(scratch + WAITS * M);
    const Share share = share_of(count);
    const Tables tables = {twiddles, turns, roots, turned};
    const ulong ahead = SHORT ? (1 + 1023 / N) * src_distances.s0 : SIDE * SOURCE_APART;
    Source source = {src + first.x, 0, 0, ahead, SOURCE_SIGN(sign), waiting};
    Target target = {dst + first.y, 0, 0, 0, factors_of(scale, TARGET_SIGN(sign)), waiting, (SCRATCH cplx *)scratch};
    LOOP(uint q = share.begin; q < share.end; q += TOGETHER)
    {
        const uint other = TOGETHER == 2 ? min(q + 2, share.end) - 1 : q;
        source.from = place(q, extents, src_distances), source.other_from = place(other, extents, src_distances);
        target.to = place(q, extents, dst_distances), target.other_to = place(other, extents, dst_distances);
/* Half of an AVX2 vector is half a line. It becomes whole on its way only if one stage stores all results in order. */
#if TOGETHER == 1 || LAST == 1 || LANES << DOUBLE >= 16
        target.stream = streams(source.src, target.dst, address_of_results(target));
#else
        target.stream = 0;
#endif
        prepare_row(source, tables HOOK_ARGUMENTS);
        claim_row(target.dst + target.to, N * TARGET_APART, target.stream);
        if (TOGETHER == 2)
            claim_row(target.dst + target.other_to, N * TARGET_APART, target.stream);
        rows_to_lanes(source, scratch, tables.turns HOOK_ARGUMENTS);
        all_stages(scratch, tables.twiddles, source, target HOOK_ARGUMENTS);
        finish_row(target, tables HOOK_ARGUMENTS);
    }
}
