/* row: rows of N points, one after the other, each in one work-item of a CPU.
 *
 * A row is a matrix of ROWS rows of M points, N = ROWS M, ROWS as many as a vector has lanes or a few less.
 * LANES columns at a time are transformed across vectors, multiplied by twiddles and transposed in
 * registers; what is left are transforms of M points, one in each lane (lanes.cl), whose results of all lanes
 * are neighbours in memory. That is the six-step algorithm with a matrix so narrow that its
 * transpositions never touch memory.
 *
 * A row of 2 N real numbers is one of N points, two neighbours each, whose spectrum is that of the even numbers
 * and, as the imaginary part, that of the odd ones: FROM_REAL separates the two and makes N + 1 results of
 * them, TO_REAL does the reverse before the transform.
 *
 * References: D. H. Bailey, "FFTs in external or hierarchical memory", J. Supercomputing 4 (1990);
 * J. W. Cooley, P. A. W. Lewis, P. D. Welch, "The fast Fourier transform algorithm: programming
 * considerations in the calculation of sine, cosine and Laplace transforms", J. Sound Vib. 12 (1970).
 */
#include "lanes.cl"

#ifndef ROWS
#define ROWS LANES /* lanes in use: at most LANES */
#endif
#ifndef M
#define M 16 /* points of a lane: at least LANES */
#endif
#ifndef FROM_REAL
#define FROM_REAL 0 /* 1: from real rows to the first half of their spectra */
#endif
#ifndef TO_REAL
#define TO_REAL 0 /* 1: from those to real rows */
#endif
#define N (ROWS * M)

/* Short rows are fetched about 1024 points before they are needed, long ones a block of columns. */
#define AHEAD (N <= 4096 ? (1 + 1023 / N) * src_distances.s0 >> FROM_REAL : LANES)

#define FFT_OF(R) FFT_CALL(R)
#define FFT_CALL(R) fft##R

#if FROM_REAL
typedef real source_element;
#else
typedef cplx source_element;
#endif
#if TO_REAL
typedef real target_element;
#else
typedef cplx target_element;
#endif

/* A row of points on its way to or from a half of a spectrum waits in scratch memory. */
#if FROM_REAL
#define STORE(k, x) store_rows(waiting + (k) * ROWS, as_in_memory(RE(x), IM(x)), 0);
#define RESULT SCRATCH
#define store_whole(to, z, stream) (*(SCRATCH loose *)(to) = (z))
#else
#define STORE(k, x) store_rows(to + (k) * ROWS, interleaved(x, factors), stream);
#define RESULT global
#define store_whole store_lanes
#endif
#if TO_REAL
#define GIVEN SCRATCH
#else
#define GIVEN global
#endif
#if FROM_REAL || TO_REAL
#define ROOTS global const cplx *roots,
#else
#define ROOTS
#endif

/* The lanes in use. */
static inline void store_rows(RESULT cplx *to, points z, int stream)
{
    if (ROWS == LANES)
        store_whole(to, z, stream);
    else
        UNROLL for (uint i = 0; i < 2 * ROWS; i++)
            ((RESULT real *)to)[i] = z[i];
}

/* The first pass: rows become lanes. The last block of columns may overlap the one before. */
static inline void to_lanes(GIVEN const cplx *from, SCRATCH points *scratch,
                            global const points *turns, ulong ahead, real sign)
{
    LOOP(uint column = 0; column < M; column += LANES)
    {
        uint m = M % LANES == 0 || column + LANES <= M ? column : M - LANES;
        points x[LANES];
        UNROLL for (uint r = 0; r < ROWS; r++) {
            x[r] = deinterleaved(*(GIVEN const loose *)(from + m + r * M), sign);
#if !TO_REAL
            fetch(from + m + r * M + ahead);
#endif
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

/* Points i to i + LANES - 1 and, in reverse, their images N - i and below; the last block overlaps. */
#define EACH_IMAGE(i, image)                                                                       \
    LOOP(uint block = 1; block <= N / 2; block += LANES)                                           \
    {                                                                                              \
        uint i = min(block, (uint)(N - LANES)), image = N - (LANES - 1) - i;

#if FROM_REAL
/* Of even and odd numbers apart, Z = E + i O, to X[k] = E[k] + w^k O[k] and X[N - k]. */
static inline void separate(SCRATCH const cplx *z, global cplx *to, global const cplx *roots,
                            factors_of_parts factors)
{
    EACH_IMAGE(i, image)
        points a = deinterleaved(*(SCRATCH const loose *)(z + i), 1);
        points b = reversed(deinterleaved(*(SCRATCH const loose *)(z + image), -1));
        points odd = times_minus_i(products(a - b, load_lanes(roots + i, 1)));
        store_lanes(to + i, interleaved(a + b + odd, factors), 0);
        store_lanes(to + image, interleaved(reversed(conjugated(a + b - odd)), factors), 0);
    }
    real first = 2 * (z[0].x + z[0].y), last = 2 * (z[0].x - z[0].y);
    to[0] = (cplx)(first * factors.s0 + first * factors.s2, 0);
    to[N] = (cplx)(last * factors.s0 + last * factors.s2, 0);
}
#elif TO_REAL
/* The reverse, conjugated: the transform back is that of conjugates. X[0] and X[N] are real. */
static inline void join(global const cplx *from, SCRATCH cplx *z, global const cplx *roots, real sign)
{
    EACH_IMAGE(i, image)
        points a = load_lanes(from + i, sign), b = reversed(load_lanes(from + image, -sign));
        points odd = times_minus_i(products(a - b, load_lanes(roots + i, -1)));
        points there = a + b - odd, back = reversed(a + b + odd);
        *(SCRATCH loose *)(z + i) = as_in_memory(RE(there), -IM(there));
        *(SCRATCH loose *)(z + image) = as_in_memory(RE(back), IM(back));
    }
    z[0] = (cplx)(from[0].x + from[N].x, from[N].x - from[0].x);
}
#endif

kernel WIDE __attribute__((reqd_work_group_size(1, 1, 1)))
void row(global const source_element *src, global target_element *dst, global const cplx *twiddles,
         global const points *turns, ROOTS WORKSPACE uint count, uint4 extents,
         ulong4 src_distances, ulong4 dst_distances, ulong2 first, cplx scale, real sign)
{
    SCRATCH_OF((1 + (FROM_REAL || TO_REAL)) * M)
    SCRATCH cplx *waiting = (SCRATCH cplx *)(scratch + M);
    factors_of_parts factors = factors_of(scale, TO_REAL ? -1 : sign);
    uint at = 0, row = 0;
    (void)waiting;
    EACH_OF_SHARE(q)
    {
        global const cplx *from =
            (global const cplx *)(src + first.x + place(q, extents, src_distances));
        global cplx *to = (global cplx *)(dst + first.y + place(q, extents, dst_distances));
        int stream = (ulong)to % sizeof(reals) == 0;
#if TO_REAL
        join(from, waiting, roots, -sign); /* forward is the unusual way: of conjugates */
        to_lanes(waiting, scratch, turns, 0, 1);
#else
        to_lanes(from, scratch, turns, AHEAD, FROM_REAL ? 1 : sign);
#endif
        PASSES
#if FROM_REAL
        separate(waiting, to, roots, factors);
#endif
    }
}
