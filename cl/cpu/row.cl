/* row: rows of N points, one after the other, each in one work-item of a CPU.
 *
 * A row is a matrix of ROWS rows of M points, N = ROWS M, ROWS as many as a vector has lanes or a few less.
 * LANES columns at a time are transformed across vectors, multiplied by twiddles and transposed in
 * registers; what is left are transforms of M points, one in each lane (lanes.cl), whose results of all lanes
 * are neighbours in memory. That is the six-step algorithm with a matrix so narrow that its
 * transpositions never touch memory. Where half of the lanes are enough for the matrix, two rows of the batch have
 * one half each.
 *
 * A row of 2 N real numbers is one of N points, two neighbours each, whose spectrum is that of the even numbers
 * and, as the imaginary part, that of the odd ones: separated and put together they are N + 1 results. A
 * transform to real numbers does the reverse first. Cosine and sine transforms of 2 N numbers put more before it
 * and behind it (cosine.cl).
 *
 * References: D. H. Bailey, "FFTs in external or hierarchical memory", J. Supercomputing 4 (1990);
 * J. W. Cooley, P. A. W. Lewis, P. D. Welch, "The fast Fourier transform algorithm: programming
 * considerations in the calculation of sine, cosine and Laplace transforms", J. Sound Vib. 12 (1970).
 */
#include "cpu/lanes.cl"

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
#define N (ROWS * M)
#define PACKED (SOURCE != COMPLEX && TARGET != COMPLEX) /* a real row has 2 N numbers */
#ifndef GIVEN
#define GIVEN WHOLE /* elements of a row in the source: the others are zero */
#endif
#define WHOLE (SOURCE == HERMITIAN ? N + 1 : SOURCE_ELEMENT(N))

#if SOURCE == REAL
typedef real source_element;
#else
typedef cplx source_element;
#endif
#if TARGET == REAL
typedef real target_element;
#else
typedef cplx target_element;
#endif
#if SOURCE == REAL && !PACKED
typedef reals source_vector;
#else
typedef points source_vector;
#endif
typedef points target_vector;
#define KNOWN_PARTS 1 /* the lanes in use */
#include "cpu/access.cl"

/* Where point i is in a row of the source, or of the target. */
#define SOURCE_ELEMENT(i) ((i) << (PACKED && SOURCE == REAL))
#define TARGET_ELEMENT(i) ((i) << (TARGET == REAL))

/* Elements of a row from one on: a number that the compiler knows, if none are missing. */
#define EXISTING(element) (GIVEN == WHOLE ? WHOLE : remaining(GIVEN, element))

/* Short rows are fetched about 1024 points before they are needed, in order, whatever the order in which they are
 * read; long ones a block of columns before. */
#define SHORT (N <= 4096)
#define AHEAD (SHORT ? (1 + 1023 / N) * src_distances.s0 : SOURCE_ELEMENT(SIDE))
#define FETCHED(column, r) SOURCE_ELEMENT(SHORT ? (column) * ROWS + (r) * SIDE : (column) + (r) * M)

#define FFT_OF(R) FFT_CALL(R)
#define FFT_CALL(R) fft##R

/* A row of points on its way to or from a half of a spectrum waits in scratch memory. */
#define WAITING_IN (SOURCE == HERMITIAN || COSINE)
#define WAITING_OUT (TARGET == HERMITIAN || COSINE)
#if TARGET == HERMITIAN || COSINE == 2
#define FROM_SCRATCH 1 /* whole rows of results are copied from scratch memory, wherever lines begin */
#else
#define FROM_SCRATCH 0
#endif
#if WAITING_OUT
#if COSINE == 3
#define STORE(k, x) put_aside(waiting + (k) * ROWS, interleaved(scaled(x, factors)));
#else
#define STORE(k, x) put_aside(waiting + (k) * ROWS, interleaved(x));
#endif
static inline void put_aside(SCRATCH cplx *to, points z)
{
    if (ROWS == LANES)
        *(SCRATCH loose *)to = z;
    else
        UNROLL for (uint i = 0; i < 2 * ROWS; i++)
            ((SCRATCH real *)to)[i] = z[i];
}
#elif TOGETHER == 2
#define STORE(k, x)                                                                                \
    store_both(dst, to + (k) * ROWS, other_to + (k) * ROWS, interleaved(scaled(x, factors)), stream);
#else
#define STORE(k, x)                                                                                \
    store_vector(dst, to + TARGET_ELEMENT((k) * ROWS), 1, interleaved(scaled(x, factors)), 0,      \
                 TARGET_ELEMENT(ROWS), stream HOOK_ARGUMENTS);
#endif
#if COSINE == 4
#define ROOTS global const cplx *turned,
#define ROOT_ARGUMENTS turned
#elif COSINE
#define ROOTS global const cplx *roots, global const cplx *turned,
#define ROOT_ARGUMENTS roots, turned
#elif PACKED
#define ROOTS global const cplx *roots,
#else
#define ROOTS
#endif

#if TOGETHER == 2
/* SIDE points of each of two rows. */
typedef reals loose_half __attribute__((aligned(4 << DOUBLE)));
typedef real loose_quarter __attribute__((ext_vector_type(SIDE), aligned(4 << DOUBLE)));
static inline points load_both(global const cplx *src, ulong one, ulong other)
{
    return (points)(*(global const loose_half *)(src + one), *(global const loose_half *)(src + other));
}

static inline void store_both(global cplx *dst, ulong one, ulong other, points z, int stream)
{
#if STREAM
    if (stream) {
        __builtin_nontemporal_store(z.lo, (global reals *)(dst + one));
        __builtin_nontemporal_store(z.hi, (global reals *)(dst + other));
        return;
    }
#endif
    UNROLL for (uint i = 0; i < 2; i++) { /* in other pieces: compilers would take both ways for one */
        ((global loose_quarter *)(dst + one))[i] = i ? z.lo.hi : z.lo.lo;
        ((global loose_quarter *)(dst + other))[i] = i ? z.hi.hi : z.hi.lo;
    }
}
#endif

/* A vector of the source as points. */
#if SOURCE == REAL && !PACKED
#define POINTS(v, sign) (points)(v, (reals)0)
#else
#define POINTS(v, sign) deinterleaved(v, sign)
#endif

/* The first pass: rows become lanes. The last block of columns may overlap the one before. */
static inline void to_lanes(global const source_element *src, ulong from, ulong other_from,
                            SCRATCH const cplx *waiting, SCRATCH points *scratch,
                            global const points *turns, ulong ahead, real sign HOOK_PARAMETERS)
{
    LOOP(uint column = 0; column < M; column += SIDE)
    {
        uint m = M % SIDE == 0 || column + SIDE <= M ? column : M - SIDE;
        points x[SIDE];
        UNROLL for (uint r = 0; r < ROWS; r++) {
#if WAITING_IN
            x[r] = POINTS(*(SCRATCH const loose *)(waiting + m + r * M), sign);
#elif TOGETHER == 2
            uint i = m + r * M;
            x[r] = POINTS(load_both(src, from + i, other_from + i), sign);
            fetch(src + from + ahead + FETCHED(column, r));
            fetch(src + other_from + ahead + FETCHED(column, r));
#else
            uint i = SOURCE_ELEMENT(m + r * M);
            x[r] = POINTS(load_vector(src, from + i, 1, EXISTING(i) HOOK_ARGUMENTS), sign);
            fetch(src + from + ahead + FETCHED(column, r));
#endif
        }
        FFT_OF(ROWS)(x, 1);
        UNROLL for (uint k = 1; k < ROWS; k++)
            x[k] = products(x[k], *turns++);
        UNROLL for (uint r = ROWS; r < SIDE; r++)
            x[r] = x[0];
        transpose(x);
        UNROLL for (uint i = 0; i < SIDE; i++)
            scratch[m + i] = x[i];
    }
}

/* Points i to i + LANES - 1 and, in reverse, their images N - i and below; those of the last block overlap. */
#define EACH_IMAGE(i, image)                                                                       \
    LOOP(uint block = 1; block <= N / 2; block += LANES)                                           \
    {                                                                                              \
        uint i = min(block, (uint)(N - LANES)), image = N - (LANES - 1) - i;

#if PACKED
static inline points load_roots(global const cplx *roots, real sign)
{
    return deinterleaved(*(global const loose *)roots, sign);
}
#endif

#if TARGET == HERMITIAN || COSINE == 2
/* Of even and odd numbers apart, Z = E + i O, to twice X[k] = E[k] + w^k O[k] and X[N - k]. */
static inline void separate(SCRATCH const cplx *z, uint i, uint image, global const cplx *roots,
                            points *there, points *back)
{
    points a = deinterleaved(*(SCRATCH const loose *)(z + i), 1);
    points b = reversed(deinterleaved(*(SCRATCH const loose *)(z + image), -1));
    points odd = times_minus_i(products(a - b, load_roots(roots + i, 1)));
    *there = a + b + odd, *back = reversed(conjugated(a + b - odd));
}
#endif

#if TARGET == HERMITIAN
/* Half of a spectrum; X[N] is returned. */
static inline cplx half_spectrum(SCRATCH const cplx *z, SCRATCH cplx *results, global const cplx *roots,
                                 factors_of_parts factors)
{
    EACH_IMAGE(i, image)
        points there, back;
        separate(z, i, image, roots, &there, &back);
        *(SCRATCH loose *)(results + i) = interleaved(scaled(there, factors));
        *(SCRATCH loose *)(results + image) = interleaved(scaled(back, factors));
    }
    real first = 2 * (z[0].x + z[0].y), last = 2 * (z[0].x - z[0].y);
    results[0] = (cplx)(first * factors.s0 + first * factors.s2, 0);
    return (cplx)(last * factors.s0 + last * factors.s2, 0);
}
#endif

#if SOURCE == HERMITIAN || COSINE == 3
/* The reverse, conjugated, since the transform back is that of conjugates: a is X[k], b the conjugate of X[N - k]. */
static inline void join(points a, points b, uint i, uint image, SCRATCH cplx *z, global const cplx *roots)
{
    points odd = times_minus_i(products(a - b, load_roots(roots + i, -1)));
    points there = conjugated(a + b - odd), back = reversed(a + b + odd);
    *(SCRATCH loose *)(z + i) = interleaved(there);
    *(SCRATCH loose *)(z + image) = interleaved(back);
}
#endif

#if SOURCE == HERMITIAN
/* X[0] and X[N] are real. */
static inline void join_all(global const cplx *src, ulong from, SCRATCH cplx *z,
                            global const cplx *roots, real sign HOOK_PARAMETERS)
{
    EACH_IMAGE(i, image)
        points a = deinterleaved(load_vector(src, from + i, 1, EXISTING(i) HOOK_ARGUMENTS), sign);
        points b = deinterleaved(load_vector(src, from + image, 1, EXISTING(image) HOOK_ARGUMENTS), -sign);
        join(a, reversed(b), i, image, z, roots);
    }
    real first = EXISTING(0) ? load_element(src, from HOOK_ARGUMENTS).x : 0;
    real last = EXISTING(N) ? load_element(src, from + N HOOK_ARGUMENTS).x : 0;
    z[0] = (cplx)(first + last, last - first);
}
#endif

#include "cpu/cosine.cl"

kernel WIDE __attribute__((reqd_work_group_size(1, 1, 1)))
void row(global const source_element *src, global target_element *dst, global const cplx *twiddles,
         global const points *turns, ROOTS WORKSPACE uint count, uint4 extents,
         ulong4 src_distances, ulong4 dst_distances, ulong2 first, cplx scale,
         real sign HOOK_PARAMETERS)
{
    SCRATCH_OF((1 + PACKED) * M)
    SCRATCH cplx *waiting = (SCRATCH cplx *)(scratch + M), *results = (SCRATCH cplx *)scratch;
    factors_of_parts factors = factors_of(scale, TARGET == REAL ? -1 : sign);
    uint at = 0, row = 0;
    (void)waiting, (void)results;
    src += first.x, dst += first.y;
    EACH_OF_SHARE(q)
    {
        ulong from = place(q, extents, src_distances), to = place(q, extents, dst_distances);
        uint other = min(q + TOGETHER, end) - 1;
        ulong other_from = place(other, extents, src_distances);
        ulong other_to = place(other, extents, dst_distances);
        int stream = streams(src, dst, FROM_SCRATCH ? 0 : (ulong)(dst + to) | (ulong)(dst + other_to));
#if SOURCE == HERMITIAN
        join_all(src, from, waiting, roots, -sign HOOK_ARGUMENTS); /* forward is the unusual way: of conjugates */
#elif COSINE
        cosine_in(src, from, waiting, ROOT_ARGUMENTS, AHEAD);
#endif
        claim_row(dst + to, TARGET_ELEMENT(N), stream);
        if (TOGETHER == 2)
            claim_row(dst + other_to, N, stream);
        to_lanes(src, from, other_from, waiting, scratch, turns, AHEAD, PACKED ? 1 : sign HOOK_ARGUMENTS);
        PASSES
#if TARGET == HERMITIAN
        cplx last = half_spectrum(waiting, results, roots, factors);
        store_run(dst, to, results, N, stream HOOK_ARGUMENTS);
        store_element(dst, to + N, last HOOK_ARGUMENTS);
#elif COSINE
        cosine_out(waiting, results, dst, to, ROOT_ARGUMENTS, factors, stream);
#endif
    }
}
