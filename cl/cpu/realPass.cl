/* realPass: the pass of radix R that knows real numbers, for rows of odd lengths n = R M that cols.cl transforms.
 *
 * A row is a matrix of R rows of M numbers, whose columns the pass transforms. Spectra of real columns have
 * conjugates as results k and R - k, so that only those up to the middle are KEPT: as many transforms of M complex
 * points remain. Back to real numbers these come first, and the pass, which knows the conjugates, comes last. It
 * takes two columns at a time, as the real and the imaginary part of complex numbers; both are columns of one row.
 * With a CHIRP the M points are transformed by Bluestein's algorithm.
 *
 * There are two areas of scratch memory. The first one has the M points of each transform; the passes leave their
 * results in the second one, or, with a CHIRP, use it and leave them in the first one. The numbers of a row wait in
 * the other one.
 *
 * References: H. V. Sorensen, D. L. Jones, M. T. Heideman, C. S. Burrus, "Real-valued fast Fourier
 * transform algorithms", IEEE Trans. ASSP-35 (1987).
 */
#ifndef LANES /* nobody includes this file */
#include "cpu/cols.cl"
#endif

#if REAL_RADIX
#define KEPT (REAL_RADIX / 2 + 1)
#define M (LENGTH / REAL_RADIX)
#define FIRST_AREA (KEPT * M)
#define SECOND_AREA (CHIRP != ALONE ? FIRST_AREA : N > LENGTH / 2 ? N : LENGTH / 2 + 1)
#define REAL_FFT(R) REAL_FFT_OF(R)
#define REAL_FFT_OF(R) fft##R

/* The transforms of M points, from the first area. */
#if CHIRP == ALONE
#define KEPT_PASSES                                                                                \
    LOOP(uint k = 0; k < KEPT; k++)                                                                \
    {                                                                                              \
        SCRATCH points *scratch = second_area, *kept = first_area + k * M;                         \
        LOOP(uint i = 0; i < M; i++)                                                               \
            scratch[i] = times(kept[i], chirp[i]);                                                 \
        LOOP(uint i = M; i < N; i++)                                                               \
            scratch[i] = 0;                                                                        \
        PASSES                                                                                     \
        LOOP(uint i = 0; i < M; i++)                                                               \
            kept[i] = times(conjugated(scratch[i]), chirp[i]);                                     \
    }
#else
#define KEPT_PASSES                                                                                \
    LOOP(uint k = 0; k < KEPT; k++)                                                                \
    {                                                                                              \
        SCRATCH points *scratch = first_area + k * M, *results = second_area + k * M;              \
        PASSES                                                                                     \
    }
#endif

/* Where the vectors of a block of 2 LANES numbers begin, if they may not reach beyond the last number. */
#define PART(block, part) min((block) + (part) * LANES, (uint)(LENGTH - LANES))

#if SOURCE == REAL
/* The numbers of LANES rows. */
static inline void gather_numbers(global const source_element *src, ulong from, SCRATCH reals *numbers,
                                  ulong2 in, uint lanes, real sign HOOK_PARAMETERS)
{
#if FROM_ROWS
    LOOP(uint block = 0; block < LENGTH; block += 2 * LANES)
    {
        uint i = PART(block, 0), other = PART(block, 1);
        points x[LANES];
        UNROLL for (uint lane = 0; lane < LANES; lane++) {
            ulong row = from + lane * in.y;
            x[lane] = load(src, row + i, row + other, 1, EXISTS(lane) ? remaining(GIVEN, i) : 0,
                           EXISTS(lane) ? remaining(GIVEN, other) : 0, sign HOOK_ARGUMENTS);
            fetch(src + row + i + 2 * LANES);
        }
        transpose(x);
        UNROLL for (uint k = 0; k < LANES; k++)
            numbers[i + k] = RE(x[k]), numbers[other + k] = IM(x[k]);
    }
#else
    LOOP(uint i = 0; i < LENGTH; i++)
    {
        numbers[i] = 0;
        if (i < GIVEN) {
            fetch(src + from + (i + 4) * in.x);
            numbers[i] = load_vector(src, from + i * in.x, in.y, LOADED(0) HOOK_ARGUMENTS);
        }
    }
#endif
}

/* The pass, where it is the first one. Results are twice those that are meant. */
static inline void real_first(SCRATCH const reals *numbers, SCRATCH points *kept,
                              global const cplx *row_roots)
{
    LOOP(uint j = 0; j < M; j += 2)
    {
        uint other = min(j + 1, (uint)(M - 1)); /* the last column goes with itself */
        points x[REAL_RADIX];
        UNROLL for (uint r = 0; r < REAL_RADIX; r++)
            x[r] = (points)(numbers[j + r * M], numbers[other + r * M]);
        REAL_FFT(REAL_RADIX)(x, 1);
        kept[j] = (points)(2 * RE(x[0]), (reals)0);
        kept[other] = (points)(2 * IM(x[0]), (reals)0);
        UNROLL for (uint k = 1; k < KEPT; k++) {
            points image = conjugated(x[REAL_RADIX - k]);
            kept[k * M + j] = times(x[k] + image, row_roots[k * j]);
            kept[k * M + other] = times(times_minus_i(x[k] - image), row_roots[k * other]);
        }
    }
}

/* Result k of a row, k up to the middle of its spectrum. */
static inline points of_half(SCRATCH const points *results, uint k)
{
    uint part = k % REAL_RADIX, row = k / REAL_RADIX;
    if (part < KEPT)
        return real_at_origin(results[part * M + row], k);
    return conjugated(results[(REAL_RADIX - part) * M + M - 1 - row]);
}
#else
/* Element k of half a spectrum, wherever it or its conjugate is a point; all of it conjugated, for the way back. */
static inline void keep(SCRATCH points *kept, uint k, points x)
{
    uint part = k % REAL_RADIX, row = k / REAL_RADIX, image = LENGTH - k;
    if (k == 0) /* there it is real, whatever the source says */
        x = (points)(RE(x), (reals)0);
    if (part < KEPT)
        kept[part * M + row] = conjugated(x);
    if (k && image % REAL_RADIX < KEPT)
        kept[image % REAL_RADIX * M + image / REAL_RADIX] = x;
}

static inline void gather_half(global const source_element *src, ulong from, SCRATCH points *kept,
                               ulong2 in, uint lanes, real sign HOOK_PARAMETERS)
{
#if FROM_ROWS
    LOOP(uint block = 0; block < GIVEN; block += LANES)
    {
        uint i = GIVEN <= LANES ? 0 : min(block, (uint)(GIVEN - LANES));
        points x[LANES];
        load_rows(x, src, from, in, i, 0, lanes, sign SIZE_ARGUMENTS HOOK_ARGUMENTS);
        UNROLL for (uint k = 0; k < LANES; k++)
            if (i + k < GIVEN)
                keep(kept, i + k, x[k]);
    }
#else
    LOOP(uint k = 0; k < GIVEN; k++)
        keep(kept, k, load_column(src, from, in, k, 0, lanes, sign SIZE_ARGUMENTS HOOK_ARGUMENTS));
#endif
    LOOP(uint k = GIVEN; k < HALF; k++)
        keep(kept, k, 0);
}

/* The pass, where it is the last one. */
static inline void real_last(SCRATCH const points *results, SCRATCH reals *numbers,
                             global const cplx *row_roots)
{
    LOOP(uint j = 0; j < M; j += 2)
    {
        uint other = min(j + 1, (uint)(M - 1));
        points x[REAL_RADIX];
        x[0] = (points)(RE(results[j]), RE(results[other]));
        UNROLL for (uint k = 1; k < KEPT; k++) {
            points one = times(results[k * M + j], row_roots[k * j]);
            points two = times(results[k * M + other], row_roots[k * other]);
            x[k] = one - times_minus_i(two);
            x[REAL_RADIX - k] = conjugated(one) - times_minus_i(conjugated(two));
        }
        REAL_FFT(REAL_RADIX)(x, 1);
        UNROLL for (uint r = 0; r < REAL_RADIX; r++)
            numbers[j + r * M] = RE(x[r]), numbers[other + r * M] = IM(x[r]);
    }
}

/* The numbers of LANES rows to where they belong. */
static inline void scatter_numbers(SCRATCH const reals *numbers, SCRATCH target_element *rows,
                                   global target_element *dst, ulong to, ulong2 out, uint lanes,
                                   factors_of_parts factors, int stream HOOK_PARAMETERS)
{
    factors = factors.s0022; /* both parts of a point are numbers */
#if TO_ROWS
    LOOP(uint block = 0; block < LENGTH; block += 2 * LANES)
    {
        uint i = PART(block, 0), other = PART(block, 1);
        points x[LANES];
        UNROLL for (uint k = 0; k < LANES; k++)
            x[k] = scaled((points)(numbers[i + k], numbers[other + k]), factors);
        transpose(x);
        UNROLL for (uint lane = 0; lane < LANES; lane++) {
#if STAGED
            *(SCRATCH loose_target *)(rows + lane * ROW + i) = RE(x[lane]);
            *(SCRATCH loose_target *)(rows + lane * ROW + other) = IM(x[lane]);
#else
            ulong row = to + lane * out.y;
            if (EXISTS(lane)) {
                claim(dst + row + i + 2 * LANES, stream);
                store_vector(dst, row + i, 1, RE(x[lane]), block - i, LANES,
                             stream && i % TARGET_LINE == 0 HOOK_ARGUMENTS);
                store_vector(dst, row + other, 1, IM(x[lane]), block + LANES - other, LANES,
                             stream && other % TARGET_LINE == 0 HOOK_ARGUMENTS);
            }
#endif
        }
    }
#if STAGED
    store_staged(dst, to, rows, out.y, lanes, stream HOOK_ARGUMENTS);
#endif
#else
    LOOP(uint k = 0; k < LENGTH; k++)
        store_vector(dst, to + k * out.x, out.y, RE(scaled((points)(numbers[k], (reals)0), factors)), 0,
                     STORED(0), stream HOOK_ARGUMENTS);
#endif
}
#endif
#endif
