/* lanes: how one work-item of a CPU transforms LANES transforms of M points side by side.
 *
 * Every vector instruction does the same for all of them: there are no shuffles, and twiddles are
 * numbers that are broadcast. The points lie in `scratch`, where each pass works in place: a pass of
 * radix R with S points below transforms points j, j + S, j + 2 S ..., and result k, times
 * exp(-2 pi i j k / (R S)), belongs to block k of S points, which are then transformed on their own
 * (decimation in frequency). Depth first: a block is finished before the next one begins, so that all
 * but the first passes find their points in the nearest cache. The last pass stores each result where it
 * belongs.
 *
 * References: W. M. Gentleman, G. Sande, "Fast Fourier transforms for fun and profit", AFIPS 1966;
 * M. Frigo, C. E. Leiserson, H. Prokop, S. Ramachandran, "Cache-oblivious algorithms", FOCS 1999, for
 * depth first; F. Franchetti, M. Pueschel, "Short vector code generation for the discrete Fourier
 * transform", IPDPS 2003, for vectors that hold real or imaginary parts only.
 */
#ifndef LANES
#define LANES 4 /* numbers in a vector: 16 for AVX-512, 8 for AVX, half of it in double precision */
#endif
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpsabi" /* how vectors wider than registers are passed: all is inlined */
#endif
#include "radix.cl"

#ifndef PASSES
/* PASS(radix, points below, radices before, what is done with each block ...), at the end LAST(radix,
 * radices before): the product of all radices is the number of points. */
#define PASSES PASS(4, 4, 1, LAST(4, 4))
#endif
#ifndef LOCAL_SCRATCH
#define LOCAL_SCRATCH 1 /* 1: points lie in local memory, which is quick to get; 0: in a workspace */
#endif
#ifndef DIMENSIONS
#define DIMENSIONS 1 /* of the batch: 1 .. 4 */
#endif
#ifndef TOGETHER
#define TOGETHER 1 /* matrices side by side in a vector: 2 where half of its lanes are enough for one */
#endif
#ifndef VECTOR_BITS
#define VECTOR_BITS 0 /* wide vectors that clang would avoid by itself: 512 for AVX-512 */
#endif

#if VECTOR_BITS
#define WIDE __attribute__((min_vector_width(VECTOR_BITS)))
#else
#define WIDE
#endif
#define LOOP __attribute__((opencl_unroll_hint(1))) for

/* SCRATCH_OF(M) declares room for M points of each lane; a workspace has a part for each group. */
#if LOCAL_SCRATCH
#define SCRATCH local
#define WORKSPACE
#define SCRATCH_OF(M) local points scratch[M];
#else
#define SCRATCH global
#define WORKSPACE global points *workspace,
#define SCRATCH_OF(M) global points *scratch = workspace + get_group_id(0) * (M);
#endif

/* Each group takes an equal share of what is to be done. */
#define SHARE(group) ((uint)((ulong)count * (group) / get_num_groups(0)))
#define EACH_OF_SHARE(q)                                                                           \
    LOOP(uint q = SHARE(get_group_id(0)), end = SHARE(get_group_id(0) + 1); q < end; q += TOGETHER)

/* Where transform q of a batch begins. */
static inline ulong place(uint q, uint4 extents, ulong4 distances)
{
    ulong at = 0;
#if DIMENSIONS > 1
    at += q % extents.s0 * distances.s0;
    q /= extents.s0;
#if DIMENSIONS > 2
    at += q % extents.s1 * distances.s1;
    q /= extents.s1;
#if DIMENSIONS > 3
    at += q % extents.s2 * distances.s2;
    q /= extents.s2;
#endif
#endif
#endif
    return at + q * (DIMENSIONS == 1   ? distances.s0
                     : DIMENSIONS == 2 ? distances.s1
                     : DIMENSIONS == 3 ? distances.s2
                                       : distances.s3);
}

/* LANES complex numbers in a row in memory, at any address: not that of a whole vector. */
typedef points loose __attribute__((aligned(4 << DOUBLE)));
typedef real factors_of_parts __attribute__((ext_vector_type(4)));

/* Points as they lie in memory, to lanes and back. The inverse transform is that of the conjugates, conjugated:
 * the sign of their imaginary parts is then -1, and so is that in the factors of the result's parts, which
 * are followed by what float lacks of them. */
static inline points deinterleaved(points z, real sign)
{
    return (points)(z.even, z.odd * sign);
}

static inline points interleaved(points z)
{
    points there;
    there.even = RE(z), there.odd = IM(z);
    return there;
}

static inline factors_of_parts factors_of(cplx scale, real sign)
{
    return (factors_of_parts)(scale.x, scale.x * sign, scale.y, scale.y * sign);
}

static inline points scaled(points z, factors_of_parts factors)
{
#if DOUBLE
    return (points)(RE(z) * factors.s0, IM(z) * factors.s1);
#else
    return (points)(RE(z) * factors.s0 + RE(z) * factors.s2,
                    IM(z) * factors.s1 + IM(z) * factors.s3);
#endif
}

/* Products lane by lane. */
static inline points products(points z, points w)
{
    return (points)(RE(z) * RE(w) - IM(z) * IM(w), RE(z) * IM(w) + IM(z) * RE(w));
}

/* The passes, on the block of `scratch` that begins at `at` and whose results begin at row `row`.
 * Twiddles of a pass are R - 1 for each j, those of the passes below before them. */
#define PASS(R, S, T, ...) THERE(R, S, IN_SCRATCH) BLOCKS(R, S, T, __VA_ARGS__)
#define FIRST(R, S, T, ...) THERE(R, S, LOAD) BLOCKS(R, S, T, __VA_ARGS__)
#define IN_SCRATCH(i) scratch[at + (i)]
#define THERE(R, S, POINT)                                                                         \
    LOOP(uint j = 0; j < S; j++)                                                                   \
    {                                                                                              \
        points x[R];                                                                               \
        global const cplx *w = twiddles + (S - 1) + j * (R - 1);                                   \
        UNROLL for (uint r = 0; r < R; r++)                                                        \
            x[r] = POINT(j + r * S);                                                               \
        fft##R(x, 1);                                                                              \
        scratch[at + j] = x[0];                                                                    \
        UNROLL for (uint k = 1; k < R; k++)                                                        \
            scratch[at + j + k * S] = times(x[k], w[k - 1]);                                       \
    }
#define BLOCKS(R, S, T, ...)                                                                       \
    LOOP(uint k = 0; k < R; k++)                                                                   \
    {                                                                                              \
        __VA_ARGS__                                                                                \
        at += S, row += T;                                                                         \
    }                                                                                              \
    at -= R * S, row -= R * T;
#define LAST(R, T)                                                                                 \
    {                                                                                              \
        points x[R];                                                                               \
        UNROLL for (uint r = 0; r < R; r++)                                                        \
            x[r] = scratch[at + r];                                                                \
        fft##R(x, 1);                                                                              \
        UNROLL for (uint k = 0; k < R; k++)                                                        \
            STORE(row + k * T, x[k])                                                               \
    }
#define ONLY(R)                                                                                    \
    {                                                                                              \
        points x[R];                                                                               \
        UNROLL for (uint r = 0; r < R; r++)                                                        \
            x[r] = LOAD(r);                                                                        \
        fft##R(x, 1);                                                                              \
        UNROLL for (uint k = 0; k < R; k++)                                                        \
            STORE(k, x[k])                                                                         \
    }

/* A convolution: passes there, products with a spectrum, conjugates, and the same passes in reverse, which need
 * the points where the first ones have left them. AROUND is a pass there, what is done with each block, and the
 * pass back; in the middle of it MIDDLE(radix) does all three. What they leave is the conjugate. */
#define AROUND(R, S, ...) THERE(R, S, IN_SCRATCH) BLOCKS(R, S, 0, __VA_ARGS__) BACK(R, S)
#define BACK(R, S)                                                                                 \
    LOOP(uint j = 0; j < S; j++)                                                                   \
    {                                                                                              \
        points x[R];                                                                               \
        global const cplx *w = twiddles + (S - 1) + j * (R - 1);                                   \
        x[0] = scratch[at + j];                                                                    \
        UNROLL for (uint k = 1; k < R; k++)                                                        \
            x[k] = times(scratch[at + j + k * S], w[k - 1]);                                       \
        fft##R(x, 1);                                                                              \
        UNROLL for (uint r = 0; r < R; r++)                                                        \
            scratch[at + j + r * S] = x[r];                                                        \
    }
#define MIDDLE(R)                                                                                  \
    {                                                                                              \
        points x[R];                                                                               \
        UNROLL for (uint r = 0; r < R; r++)                                                        \
            x[r] = scratch[at + r];                                                                \
        fft##R(x, 1);                                                                              \
        UNROLL for (uint k = 0; k < R; k++)                                                        \
            x[k] = conjugated(SPECTRUM(x[k], at + k));                                             \
        fft##R(x, 1);                                                                              \
        UNROLL for (uint r = 0; r < R; r++)                                                        \
            scratch[at + r] = x[r];                                                                \
    }

/* One kernel for all lengths: what the macros above say is in sizes and steps. Each pass goes through all blocks
 * before the next one begins, and the last pass finds in `steps` the row of each block's first result. */
#ifndef SHARED
#define SHARED 0 /* 1: the points and the radices are arguments */
#endif
#ifndef LARGEST
#define LARGEST 5 /* of the radices that a kernel of all lengths knows: 5 or 7 */
#endif
#if LARGEST == 5
#define RADICES(CASE) CASE(2) CASE(3) CASE(4) CASE(5)
#else
#define RADICES(CASE) CASE(2) CASE(3) CASE(4) CASE(5) CASE(7)
#endif
#if SHARED
#define SHARED_PARAMETERS uint4 sizes, global const long *steps,
#define SIZE_PARAMETERS , uint4 sizes
#define SIZE_ARGUMENTS , sizes
#define LAST_PASS (sizes.w - 1)

/* A pass of each radix over all blocks of R S points, and the last one, or in a convolution the middle one. */
#define ALL_THERE(R)                                                                               \
    case R:                                                                                        \
        LOOP(at = 0; at < N; at += R * S)                                                          \
            THERE(R, S, IN_SCRATCH)                                                                \
        break;
#define ALL_BACK(R)                                                                                \
    case R:                                                                                        \
        LOOP(at = 0; at < N; at += R * S)                                                          \
            BACK(R, S)                                                                             \
        break;
#define TO_END(R)                                                                                  \
    case R:                                                                                        \
        LOOP(uint block = 0; block < N / R; block++)                                               \
        {                                                                                          \
            at = block * R, row = steps[sizes.w + block];                                          \
            LAST(R, N / R)                                                                         \
        }                                                                                          \
        break;
#define IN_MIDDLE(R)                                                                               \
    case R:                                                                                        \
        LOOP(at = 0; at < N; at += R)                                                              \
            MIDDLE(R)                                                                              \
        break;
#define BUT_THE_LAST                                                                               \
    uint S = N;                                                                                    \
    LOOP(uint pass = 0; pass < LAST_PASS; pass++)                                                  \
    {                                                                                              \
        S /= steps[pass];                                                                          \
        switch (steps[pass]) { RADICES(ALL_THERE) }                                                \
    }
#undef PASSES
#define PASSES BUT_THE_LAST switch (steps[LAST_PASS]) { RADICES(TO_END) }
#define CONVOLUTION                                                                                \
    BUT_THE_LAST                                                                                   \
    switch (steps[LAST_PASS]) { RADICES(IN_MIDDLE) }                                               \
    LOOP(int pass = LAST_PASS - 1; pass >= 0; pass--)                                              \
    {                                                                                              \
        switch (steps[pass]) { RADICES(ALL_BACK) }                                                 \
        S *= steps[pass];                                                                          \
    }
#else
#define SHARED_PARAMETERS
#define SIZE_PARAMETERS
#define SIZE_ARGUMENTS
#endif

#define SIDE (LANES / TOGETHER) /* lanes of a matrix */

/* Lanes of two vectors in turn, of their first halves and of their second ones; the same of each of both matrices. */
#if TOGETHER == 2 && LANES == 4
#define FIRST_HALVES 0, 4, 2, 6
#define SECOND_HALVES 1, 5, 3, 7
#elif TOGETHER == 2 && LANES == 8
#define FIRST_HALVES 0, 8, 1, 9, 4, 12, 5, 13
#define SECOND_HALVES 2, 10, 3, 11, 6, 14, 7, 15
#elif TOGETHER == 2 && LANES == 16
#define FIRST_HALVES 0, 16, 1, 17, 2, 18, 3, 19, 8, 24, 9, 25, 10, 26, 11, 27
#define SECOND_HALVES 4, 20, 5, 21, 6, 22, 7, 23, 12, 28, 13, 29, 14, 30, 15, 31
#elif LANES == 2
#define FIRST_HALVES 0, 2
#define SECOND_HALVES 1, 3
#elif LANES == 4
#define FIRST_HALVES 0, 4, 1, 5
#define SECOND_HALVES 2, 6, 3, 7
#elif LANES == 8
#define FIRST_HALVES 0, 8, 1, 9, 2, 10, 3, 11
#define SECOND_HALVES 4, 12, 5, 13, 6, 14, 7, 15
#elif LANES == 16
#define FIRST_HALVES 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define SECOND_HALVES 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#endif

/* Points in reverse, and conjugated. */
#if LANES == 2
#define BACKWARD 1, 0
#elif LANES == 4
#define BACKWARD 3, 2, 1, 0
#elif LANES == 8
#define BACKWARD 7, 6, 5, 4, 3, 2, 1, 0
#elif LANES == 16
#define BACKWARD 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
#endif
static inline points reversed(points z)
{
    return (points)(__builtin_shufflevector(RE(z), RE(z), BACKWARD),
                    __builtin_shufflevector(IM(z), IM(z), BACKWARD));
}
static inline points conjugated(points z)
{
    return (points)(RE(z), -IM(z));
}

/* Points of SIDE vectors change places: lane i of vector j is lane j of vector i afterwards. Each
 * round is a perfect shuffle of all points: H. S. Stone, "Parallel processing with the perfect
 * shuffle", IEEE Trans. Computers C-20 (1971). */
static inline void transpose(points *x)
{
    UNROLL for (uint done = 1; done < SIDE; done *= 2) {
        points y[SIDE];
        UNROLL for (uint i = 0; i < SIDE / 2; i++) {
            points a = x[i], b = x[i + SIDE / 2];
            y[2 * i] = (points)(__builtin_shufflevector(RE(a), RE(b), FIRST_HALVES),
                                __builtin_shufflevector(IM(a), IM(b), FIRST_HALVES));
            y[2 * i + 1] = (points)(__builtin_shufflevector(RE(a), RE(b), SECOND_HALVES),
                                    __builtin_shufflevector(IM(a), IM(b), SECOND_HALVES));
        }
        UNROLL for (uint i = 0; i < SIDE; i++)
            x[i] = y[i];
    }
}
