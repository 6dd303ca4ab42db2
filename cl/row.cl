/* row: rows of N points, one after the other, each in one work-item of a CPU.
 *
 * A row is a matrix of ROWS rows of M points, N = ROWS M, ROWS as many as a vector has lanes or a few less.
 * LANES columns at a time are transformed across vectors, multiplied by twiddles and transposed in
 * registers; what is left are transforms of M points, one in each lane (lanes.cl), whose results of all lanes
 * are neighbours in memory. That is the six-step algorithm with a matrix so narrow that its
 * transpositions never touch memory.
 *
 * References: D. H. Bailey, "FFTs in external or hierarchical memory", J. Supercomputing 4 (1990).
 */
#include "lanes.cl"

#ifndef ROWS
#define ROWS LANES /* lanes in use: at most LANES */
#endif
#ifndef M
#define M 16 /* points of a lane: at least LANES */
#endif
#define N (ROWS * M)

/* Short rows are fetched about 1024 points before they are needed, long ones a block of columns. */
#define AHEAD (N <= 4096 ? (1 + 1023 / N) * src_distances.s0 : LANES)

#define FFT_OF(R) FFT_CALL(R)
#define FFT_CALL(R) fft##R

#define STORE(k, x) store_rows(to + (k) * ROWS, interleaved(x, factors), stream);

/* The lanes in use. */
static inline void store_rows(global cplx *to, points z, int stream)
{
    if (ROWS == LANES)
        store_lanes(to, z, stream);
    else
        UNROLL for (uint i = 0; i < 2 * ROWS; i++)
            ((global real *)to)[i] = z[i];
}

/* The first pass: rows become lanes. The last block of columns may overlap the one before. */
static inline void to_lanes(global const cplx *from, SCRATCH points *scratch,
                            global const points *turns, ulong ahead, real sign)
{
    LOOP(uint column = 0; column < M; column += LANES)
    {
        uint m = M % LANES == 0 || column + LANES <= M ? column : M - LANES;
        points x[LANES];
        UNROLL for (uint r = 0; r < ROWS; r++) {
            x[r] = load_lanes(from + m + r * M, sign);
            fetch(from + m + r * M + ahead);
        }
        FFT_OF(ROWS)(x, 1);
        UNROLL for (uint k = 1; k < ROWS; k++)
            x[k] = products(x[k], *turns++);
        UNROLL for (uint r = ROWS; r < LANES; r++)
            x[r] = x[0];
        transpose(x);
        UNROLL for (uint i = 0; i < LANES; i++)
            scratch[m + i] = x[i];
    }
}

kernel WIDE __attribute__((reqd_work_group_size(1, 1, 1)))
void row(global const cplx *src, global cplx *dst, global const cplx *twiddles,
         global const points *turns, WORKSPACE uint count, uint4 extents, ulong4 src_distances,
         ulong4 dst_distances, ulong2 first, real scale, real sign)
{
    SCRATCH_OF(M)
    cplx factors = (cplx)(scale, scale * sign);
    uint at = 0, row = 0;
    EACH_OF_SHARE(q)
    {
        global cplx *to = dst + first.y + place(q, extents, dst_distances);
        int stream = (ulong)to % sizeof(reals) == 0;
        to_lanes(src + first.x + place(q, extents, src_distances), scratch, turns, AHEAD, sign);
        PASSES
    }
}
