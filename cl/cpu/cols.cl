/* cols: transforms of N points along any axis, neighbouring ones side by side, in one work-item of a CPU.
 *
 * Where neighbouring transforms are neighbours in memory (the columns of a matrix) lanes are loaded and stored as
 * they lie. Where neighbouring points are (FROM_ROWS, TO_ROWS) blocks of LANES x LANES points are transposed in
 * registers on the way. The last transforms of a batch may leave lanes empty (RAGGED).
 *
 * Of real numbers two are one point. Where their number is even (PACKED) neighbours are: the spectrum is that
 * of the even ones and, times i, of the odd ones. Where transforms are the columns of one real row (PAIR), numbers of
 * LANES of them are real parts and those of the next LANES imaginary parts: the spectrum is that of the first and,
 * times i, of the second. As spectra of real numbers have conjugates at k and N - k, the two can be told from each
 * other; on the way back they are put together so. Other rows of odd lengths have a pass that knows real numbers
 * (REAL_RADIX, realPass.cl); if their length has no radix for it, they are transformed as complex numbers whose
 * imaginary parts are zero. No two rows are ever joined: neither rounding errors nor NaNs pass from one to another.
 *
 * TWIST multiplies result k of column c by exp(-2 pi i k c / n), for the four-step algorithm: two launches of
 * this kernel are a transform that is too long for the cache. Of real numbers n1 / 2 + 1 rows of spectra are enough
 * for the second launch, whose last results are conjugates of those that are wanted (FOLD); back again, the
 * first launch reads conjugates.
 *
 * Where neighbouring transforms are some elements apart, and points farther (SPREAD_IN, SPREAD_OUT), lanes are
 * loaded and stored one by one.
 *
 * CHIRP is Bluestein's algorithm: points times a chirp, in a convolution of N of them, times the chirp again. If they
 * are too many for the cache it takes three launches, with a convolution that is a matrix: one BEFORE transforms its
 * columns, one convolves WITHIN its rows, one transforms the columns back and leaves what comes AFTER.
 *
 * References: D. H. Bailey, "FFTs in external or hierarchical memory", J. Supercomputing 4 (1990);
 * J. W. Cooley, P. A. W. Lewis, P. D. Welch, "The fast Fourier transform algorithm: programming
 * considerations in the calculation of sine, cosine and Laplace transforms", J. Sound Vib. 12 (1970);
 * L. I. Bluestein, "A linear filtering approach to the computation of discrete Fourier transform",
 * IEEE Trans. Audio Electroacoustics AU-18 (1970).
 */
#ifndef PASSES
#define PASSES FIRST(4, 4, 1, LAST(4, 4)) /* PASS first where points are in scratch memory; AROUND for a CHIRP */
#endif
#include "cpu/lanes.cl"

#if SHARED
#define N sizes.x
#define LENGTH sizes.y
#define GIVEN sizes.z
#endif
#ifndef N
#define N 16 /* points that are transformed */
#endif
#define ALONE 1
#define BEFORE 2
#define WITHIN 3
#define AFTER 4
#ifndef CHIRP
#define CHIRP 0 /* a convolution: ALONE, or what there is to do BEFORE, WITHIN its rows, or AFTER */
#endif
#define CONVOLVED (CHIRP == ALONE || CHIRP == WITHIN)
#ifndef LENGTH
#define LENGTH N /* points of the transform: with a CHIRP at most (N + 1) / 2 */
#endif
#ifndef PACKED
#define PACKED 0 /* 1: two neighbouring real numbers of a transform are a point */
#endif
#ifndef PAIR
#define PAIR 0 /* 1: a lane has two transforms, of columns of one real row */
#endif
#ifndef REAL_RADIX
#define REAL_RADIX 0 /* R > 0: rows of an odd length begin, or end, with a pass of radix R of real numbers */
#endif
#ifndef SOURCE
#define SOURCE COMPLEX /* what src holds: COMPLEX, REAL, HERMITIAN */
#endif
#ifndef TARGET
#define TARGET COMPLEX /* what dst receives: COMPLEX, HERMITIAN (src is REAL), REAL (it is HERMITIAN) */
#endif
#define HALF (PACKED ? LENGTH + 1 : LENGTH / 2 + 1)
#define WHOLE (SOURCE == HERMITIAN ? HALF : SOURCE == REAL ? LENGTH << PACKED : LENGTH)
#ifndef GIVEN
#define GIVEN WHOLE /* elements of a transform in the source: the others are zero */
#endif
#define GIVEN_POINTS (SOURCE == REAL ? (GIVEN + PACKED) >> PACKED : GIVEN)
#define WRITTEN (TARGET == HERMITIAN ? HALF : LENGTH)
#define ROW TARGET_ELEMENT(WRITTEN) /* elements of a transform in the target */
#ifndef FROM_ROWS
#define FROM_ROWS 0 /* 1: points of a transform are neighbours in the source; there are at least LANES */
#endif
#ifndef TO_ROWS
#define TO_ROWS 0 /* 1: they are in the target; there are at least LANES */
#endif
#ifndef SPREAD_IN
#define SPREAD_IN 0 /* 1: in the source neither points nor transforms are neighbours */
#endif
#ifndef SPREAD_OUT
#define SPREAD_OUT 0 /* 1: nor are they in the target */
#endif
#ifndef STAGED
#define STAGED 0 /* 1: such rows wait in scratch memory until all can be stored as one run of whole lines */
#endif
#ifndef RAGGED
#define RAGGED 0 /* 1: the last block of transforms leaves lanes empty */
#endif
#ifndef TWIST
#define TWIST 0 /* 1: results are multiplied by roots of unity */
#endif
#ifndef ROW_COLUMNS
#define ROW_COLUMNS 0 /* of a row that is a matrix, whose columns are the transforms */
#endif
#ifndef ROW_GIVEN
#define ROW_GIVEN 0 /* 1: fewer elements of such a row may be in the source: the others are zero */
#endif
#ifndef ROW_WRITTEN
#define ROW_WRITTEN 0 /* 1: fewer elements of such a row may be wanted */
#endif
#ifndef FOLD_IN
#define FOLD_IN 0 /* 1: the source has the first half of such a row, and the other one is its conjugate */
#endif
#ifndef FOLD_OUT
#define FOLD_OUT 0 /* 1: the target has the first half of rows */
#endif
#ifndef INNER
#define INNER 0 /* 1: dimension 0 of the batch is not that of the lanes, which is the next one */
#endif
#define ROW_PARAMETERS , uint4 limits /* transforms, elements of a row given, written, and at all */
#define ROW_ARGUMENTS , limits
#define ELEMENTS_GIVEN limits.y
#define ELEMENTS_WRITTEN limits.z
#define ELEMENTS limits.w

/* Transforms of a block. */
#define TRANSFORMS (LANES << PAIR)
#define JOINED (PACKED || PAIR || REAL_RADIX) /* two real numbers are a point */
#define WIDENED (SOURCE == REAL && !JOINED)
#define NARROWED (TARGET == REAL && !JOINED)

/* A vector of real numbers is half of LANES points, unless their other halves are neighbours. */
#define HALVES_LOADED (SOURCE == REAL && !(PACKED && FROM_ROWS))
#define HALVES_STORED (TARGET == REAL && !(PACKED && TO_ROWS))
#if SOURCE == REAL
typedef real source_element;
#else
typedef cplx source_element;
#endif
#if HALVES_LOADED
typedef reals source_vector;
#else
typedef points source_vector;
#endif
#if TARGET == REAL
typedef real target_element;
#else
typedef cplx target_element;
#endif
#if HALVES_STORED
typedef reals target_vector;
#else
typedef points target_vector;
#endif
#include "cpu/access.cl"

/* Elements of the source, or of the target, from the first of a transform to its point i. */
#define SOURCE_ELEMENT(i) ((i) << (PACKED && SOURCE == REAL))
#define TARGET_ELEMENT(i) ((i) << (PACKED && TARGET == REAL))

/* Which of a block's transforms exist: `lanes`, a number that the compiler knows where all do. */
#define EXISTS(transform) (!RAGGED || (transform) < lanes)
#define LOADED(transform) (RAGGED || ROW_GIVEN ? remaining(lanes, transform) : TRANSFORMS)
#define STORED(transform) (RAGGED || ROW_WRITTEN ? remaining(lanes, transform) : TRANSFORMS)

/* --- from memory -----------------------------------------------------------------------------------
 *
 * Points of a transform are `in.x` apart, and transforms `in.y`. */

/* Points at a place; of real numbers, with those at a second one as imaginary parts. */
static inline points load(global const source_element *src, ulong at, ulong second, ulong apart,
                          uint count, uint second_count, real sign HOOK_PARAMETERS)
{
    source_vector v = load_vector(src, at, apart, count HOOK_ARGUMENTS);
#if WIDENED
    return (points)(v, (reals)0);
#elif HALVES_LOADED
    return (points)(v, load_vector(src, second, apart, second_count HOOK_ARGUMENTS));
#else
    return deinterleaved(v, sign);
#endif
}

/* Point i of all transforms, from `begin` on, side by side. */
static inline points load_column(global const source_element *src, ulong from, ulong2 in, uint i,
                                 uint begin, uint lanes, real sign SIZE_PARAMETERS HOOK_PARAMETERS)
{
    ulong at = from + SOURCE_ELEMENT(i) * in.x;
#if PACKED && SOURCE == REAL
    uint second_count = GIVEN == WHOLE || 2 * i + 1 < GIVEN ? LOADED(begin) : 0;
    return load(src, at, at + in.x, in.y, LOADED(begin), second_count, sign HOOK_ARGUMENTS);
#else
    return load(src, at + begin * in.y, at + LANES * in.y, in.y, LOADED(begin), LOADED(LANES),
                sign HOOK_ARGUMENTS);
#endif
}

#if FROM_ROWS
/* LANES points, from i on, of all transforms from `begin` on. */
static inline void load_rows(points *x, global const source_element *src, ulong from, ulong2 in,
                             uint i, uint begin, uint lanes,
                             real sign SIZE_PARAMETERS HOOK_PARAMETERS)
{
    ulong at = from + SOURCE_ELEMENT(i);
    uint count = GIVEN == WHOLE ? WHOLE : remaining(GIVEN, SOURCE_ELEMENT(i));
    UNROLL for (uint lane = 0; lane < LANES; lane++) {
        ulong one = at + (begin + lane) * in.y, other = at + (LANES + lane) * in.y;
        x[lane] = load(src, one, other, 1, EXISTS(begin + lane) ? count : 0,
                       EXISTS(LANES + lane) ? count : 0, sign HOOK_ARGUMENTS);
        fetch(src + one + SOURCE_STEP);
    }
    transpose(x);
}
#endif

/* The spectrum Z of points, conjugated for the way back, from what is known of spectra of real numbers. */
#if PACKED || REAL_RADIX
#define ROW_ROOTS global const cplx *row_roots,
#define ROW_ROOT_PARAMETERS , global const cplx *row_roots
#define ROW_ROOT_ARGUMENTS , row_roots
#else
#define ROW_ROOTS
#define ROW_ROOT_PARAMETERS
#define ROW_ROOT_ARGUMENTS
#endif
#if SOURCE == HERMITIAN && PACKED
/* From X[k] and X[LENGTH - k] of one. */
static inline void join(SCRATCH points *scratch, uint k, points x, points image, cplx root SIZE_PARAMETERS)
{
    if (k == 0) /* there both are real, whatever the source says */
        x = (points)(RE(x), (reals)0), image = (points)(RE(image), (reals)0);
    image = conjugated(image);
    points odd = times_minus_i(times(x - image, (cplx)(root.x, -root.y)));
    scratch[k] = conjugated(x + image - odd);
    if (k)
        scratch[LENGTH - k] = x + image + odd;
}
#elif SOURCE == HERMITIAN && !REAL_RADIX
/* From A[k] and B[k] of two, or of one, whose B is zero. */
static inline void join(SCRATCH points *scratch, uint k, points a, points b SIZE_PARAMETERS)
{
    if (k == 0 || 2 * k == LENGTH) /* there they are real, whatever the source says */
        a = (points)(RE(a), (reals)0), b = (points)(RE(b), (reals)0);
    scratch[k] = PAIR ? conjugated(a) + times_minus_i(conjugated(b)) : conjugated(a);
    if (k)
        scratch[LENGTH - k] = PAIR ? a + times_minus_i(b) : a;
}
#endif

/* All points of a block of transforms to scratch memory: not needed where the first pass loads them itself. */
#define AS_THEY_LIE (!FROM_ROWS && SOURCE != HERMITIAN && !CONVOLVED && !SHARED && !REAL_RADIX)
#if AS_THEY_LIE || REAL_RADIX
#elif SOURCE == HERMITIAN && PACKED
static inline void gather(global const source_element *src, ulong from, SCRATCH points *scratch,
                          ulong2 in, uint lanes,
                          real sign SIZE_PARAMETERS ROW_ROOT_PARAMETERS HOOK_PARAMETERS)
{
#if FROM_ROWS
    LOOP(uint block = 0; block <= LENGTH / 2; block += LANES)
    {
        uint k = min(block, (uint)(LENGTH + 1 - LANES)), image = LENGTH - (LANES - 1) - k;
        points x[LANES], y[LANES];
        load_rows(x, src, from, in, k, 0, lanes, sign SIZE_ARGUMENTS HOOK_ARGUMENTS);
        load_rows(y, src, from, in, image, 0, lanes, sign SIZE_ARGUMENTS HOOK_ARGUMENTS);
        UNROLL for (uint i = 0; i < LANES; i++)
            if (k + i <= LENGTH / 2)
                join(scratch, k + i, x[i], y[LANES - 1 - i], row_roots[k + i] SIZE_ARGUMENTS);
    }
#else
    LOOP(uint k = 0; k <= LENGTH / 2; k++)
    {
        points x = 0, image = 0;
        if (k < GIVEN)
            x = load_column(src, from, in, k, 0, lanes, sign SIZE_ARGUMENTS HOOK_ARGUMENTS);
        if (LENGTH - k < GIVEN)
            image = load_column(src, from, in, LENGTH - k, 0, lanes, sign SIZE_ARGUMENTS HOOK_ARGUMENTS);
        join(scratch, k, x, image, row_roots[k] SIZE_ARGUMENTS);
    }
#endif
}
#else
static inline void gather(global const source_element *src, ulong from, SCRATCH points *scratch,
                          ulong2 in, uint lanes,
                          real sign SIZE_PARAMETERS ROW_ROOT_PARAMETERS HOOK_PARAMETERS)
{
#if FROM_ROWS
    LOOP(uint block = 0; block < GIVEN_POINTS; block += LANES)
    {
        uint i = GIVEN_POINTS <= LANES ? 0 : min(block, (uint)(GIVEN_POINTS - LANES));
        points x[LANES];
        load_rows(x, src, from, in, i, 0, lanes, sign SIZE_ARGUMENTS HOOK_ARGUMENTS);
#if SOURCE == HERMITIAN
        points b[LANES];
        if (PAIR)
            load_rows(b, src, from, in, i, LANES, lanes, sign SIZE_ARGUMENTS HOOK_ARGUMENTS);
#endif
        UNROLL for (uint k = 0; k < LANES; k++) {
#if SOURCE == HERMITIAN
            if (i + k < GIVEN)
                join(scratch, i + k, x[k], PAIR ? b[k] : 0 SIZE_ARGUMENTS);
#else
            scratch[i + k] = x[k];
#endif
        }
    }
#else
    LOOP(uint i = 0; i < GIVEN_POINTS; i++)
    {
        points a = load_column(src, from, in, i, 0, lanes, sign SIZE_ARGUMENTS HOOK_ARGUMENTS);
#if SOURCE == HERMITIAN
        points b = 0;
        if (PAIR)
            b = load_column(src, from, in, i, LANES, lanes, sign SIZE_ARGUMENTS HOOK_ARGUMENTS);
        join(scratch, i, a, b SIZE_ARGUMENTS);
#else
        scratch[i] = a;
#endif
    }
#endif
    LOOP(uint i = GIVEN_POINTS; i < (SOURCE == HERMITIAN ? HALF : LENGTH); i++)
    {
        scratch[i] = 0;
        if (SOURCE == HERMITIAN)
            scratch[LENGTH - i] = 0;
    }
}
#endif

#if TWIST
#define ROOTS global const points *lane_roots, global const cplx *all_block_roots,
#define ROOT_PARAMETERS , global const points *lane_roots, global const cplx *block_roots
#define ROOT_ARGUMENTS , lane_roots, block_roots
#else
#define ROOTS
#define ROOT_PARAMETERS
#define ROOT_ARGUMENTS
#endif

/* The root to the power k (c + lane) is the product of two of tables that stay in the cache. */
#define TURNED(x, k, begin)                                                                        \
    products(x, times(lane_roots[k], block_roots[(begin) / LANES * N + (k)]))

#if CHIRP == ALONE
#define CHIRPS global const cplx *chirp, global const cplx *spectrum,
#define SPECTRUM(x, place) times(x, spectrum[place])
#elif CHIRP == WITHIN
#define CHIRPS global const points *spectra,
#define SPECTRUM(x, place) products(x, spectrum[place])
#elif CHIRP
#define CHIRPS global const points *chirps,
#else
#define CHIRPS
#endif
#if CHIRP == BEFORE || CHIRP == AFTER
#define CHIRP_PARAMETERS , global const points *chirp
#define CHIRP_ARGUMENTS , chirp
#else
#define CHIRP_PARAMETERS
#define CHIRP_ARGUMENTS
#endif

#if FOLD_IN
/* Elements k and up of a row of which the first half is there: at 0, and in the middle, they are real. */
static inline points load_folded(global const source_element *src, ulong row, ulong apart, uint k,
                                 uint lanes, real sign ROW_PARAMETERS HOOK_PARAMETERS)
{
    uint given = ELEMENTS_GIVEN, last = k + LANES - 1;
    if (lanes >= LANES && k && 2 * last < ELEMENTS && last < given) {
        fetch(src + row + (k + 4 * ROW_COLUMNS) * apart);
        return load(src, row + k * apart, 0, apart, LANES, 0, sign HOOK_ARGUMENTS);
    }
    if (lanes >= LANES && 2 * k > ELEMENTS && ELEMENTS - k < given) {
        ulong at = row + (ELEMENTS - last) * apart;
        return conjugated(reversed(load(src, at, 0, apart, LANES, 0, sign HOOK_ARGUMENTS)));
    }
    points z = 0;
    LOOP(uint lane = 0; lane < min(lanes, (uint)LANES); lane++, k++)
    {
        int back = 2 * k > ELEMENTS;
        uint there = back ? ELEMENTS - k : k;
        if (there >= given)
            continue;
        cplx value = load_element(src, row + there * apart HOOK_ARGUMENTS);
        ((real *)&z)[lane] = value.x;
        if (k && 2 * k != ELEMENTS)
            ((real *)&z)[LANES + lane] = back ? -sign * value.y : sign * value.y;
    }
    return z;
}
#endif

/* Point i of a block of transforms, as it lies; of columns of a row, with what the row's chirp makes of it. */
#define LOAD(i)                                                                                    \
    (claim(dst + to + (i) * out.x, stream || !AS_THEY_COME),                                       \
     load_point(src, from, i, in, column, lanes,                                                   \
                sign SIZE_ARGUMENTS ROW_ARGUMENTS ROOT_ARGUMENTS CHIRP_ARGUMENTS HOOK_ARGUMENTS))
static inline points load_point(global const source_element *src, ulong from, uint i, ulong2 in,
                                uint column, uint lanes, real sign SIZE_PARAMETERS ROW_PARAMETERS
                                    ROOT_PARAMETERS CHIRP_PARAMETERS HOOK_PARAMETERS)
{
#if ROW_GIVEN || FOLD_IN
    uint element = i * ROW_COLUMNS + column;
    lanes = min(lanes, remaining(FOLD_IN ? ELEMENTS : ELEMENTS_GIVEN, element));
    if (lanes == 0)
        return 0;
#endif
#if FOLD_IN
    points x = load_folded(src, from - column * in.y, in.y, element, lanes,
                           sign ROW_ARGUMENTS HOOK_ARGUMENTS);
#else
    if (i >= GIVEN_POINTS)
        return 0;
    /* Rows are too far apart for the hardware to foresee them. */
    fetch(src + from + SOURCE_ELEMENT(i + 4) * in.x);
    points x = load_column(src, from, in, i, 0, lanes, sign SIZE_ARGUMENTS HOOK_ARGUMENTS);
#endif
#if CHIRP == BEFORE
    x = products(x, chirp[i * (ROW_COLUMNS / LANES)]);
#elif CHIRP == AFTER
    x = TURNED(x, i, 0);
#endif
    return x;
}

/* --- to memory -------------------------------------------------------------------------------------
 *
 * Results of a transform are `out.x` apart, and transforms `out.y`. */

/* As `load`. */
static inline void put(global target_element *dst, ulong at, ulong second, ulong apart, points x,
                       uint begin, uint end, uint second_end, int stream HOOK_PARAMETERS)
{
#if HALVES_STORED
    store_vector(dst, at, apart, RE(x), begin, end, stream HOOK_ARGUMENTS);
    store_vector(dst, second, apart, IM(x), begin, second_end, stream HOOK_ARGUMENTS);
#else
    store_vector(dst, at, apart, interleaved(x), begin, end, stream HOOK_ARGUMENTS);
#endif
}

static inline void store_column(global target_element *dst, ulong to, ulong2 out, uint k,
                                points x, uint begin, uint lanes, int stream HOOK_PARAMETERS)
{
    ulong at = to + TARGET_ELEMENT(k) * out.x;
#if PACKED && TARGET == REAL
    put(dst, at, at + out.x, out.y, x, 0, STORED(0), STORED(0), stream HOOK_ARGUMENTS);
#else
    uint second = NARROWED ? 0 : STORED(LANES);
    put(dst, at + begin * out.y, at + LANES * out.y, out.y, x, 0, STORED(begin), second,
        stream HOOK_ARGUMENTS);
#endif
}

#if STAGED
/* Results k and up of all transforms to their rows in scratch memory. */
static inline void stage_rows(SCRATCH target_element *rows, uint k, points *x SIZE_PARAMETERS)
{
    transpose(x);
    UNROLL for (uint lane = 0; lane < LANES; lane++) {
        SCRATCH target_element *row = rows + lane * ROW + TARGET_ELEMENT(k);
#if HALVES_STORED
        *(SCRATCH loose_target *)row = RE(x[lane]);
        if (!NARROWED)
            *(SCRATCH loose_target *)(row + LANES * ROW) = IM(x[lane]);
#else
        *(SCRATCH loose_target *)row = interleaved(x[lane]);
#endif
    }
}
/* All such rows, of which some transforms exist. */
static inline void store_staged(global target_element *dst, ulong to, SCRATCH const target_element *rows,
                                ulong apart, uint all, int stream HOOK_PARAMETERS)
{
    uint runs = apart == ROW ? 1 : all, length = runs == 1 ? all * ROW : ROW;
    LOOP(uint run = 0; run < runs; run++)
        store_run(dst, to + run * apart, rows + run * ROW, length, stream HOOK_ARGUMENTS);
}
#elif TO_ROWS
/* Results k and up of all transforms from `begin` on, but for some that are stored already. */
static inline void store_rows(points *x, global target_element *dst, ulong to, ulong2 out, uint k,
                              uint stored, uint begin, uint lanes, int stream HOOK_PARAMETERS)
{
    ulong at = to + TARGET_ELEMENT(k);
    transpose(x);
    UNROLL for (uint lane = 0; lane < LANES; lane++)
        if (EXISTS(begin + lane)) {
            uint other = LANES + lane;
            ulong one = at + (begin + lane) * out.y;
            claim(dst + one + TARGET_STEP, stream);
            put(dst, one, at + other * out.y, 1, x[lane],
                TARGET_ELEMENT(stored), TARGET_STEP, !NARROWED && EXISTS(other) ? TARGET_STEP : 0,
                stream HOOK_ARGUMENTS);
        }
}
#endif

#if TWIST
#define TWISTED(x, k, begin) TURNED(x, k, begin)
#else
#define TWISTED(x, k, begin) (x)
#endif

#if TARGET == HERMITIAN && !PACKED && !PAIR
/* Element 0 of a real row's spectrum is real, of which rounding would leave a little else. */
static inline points real_at_origin(points x, uint k)
{
    return k ? x : (points)(RE(x), (reals)0);
}
#endif

/* Result k of a block of transforms; of a pair of real ones, that of the first or of the second. */
#if TARGET == HERMITIAN && PACKED
#define RESULT(k, begin) whole_of_pair(results, k, row_roots[k] SIZE_ARGUMENTS)
static inline points whole_of_pair(SCRATCH const points *results, uint k,
                                   cplx root SIZE_PARAMETERS)
{
    points z = results[k < LENGTH ? k : 0], image = conjugated(results[k ? LENGTH - k : 0]);
    return z + image + times(times_minus_i(z - image), root);
}
#elif TARGET == HERMITIAN && REAL_RADIX
#define RESULT(k, begin) of_half(results, k)
#elif TARGET == HERMITIAN && PAIR
#define RESULT(k, begin) TWISTED(part_of_pair(results, k, begin SIZE_ARGUMENTS), k, begin)
static inline points part_of_pair(SCRATCH const points *results, uint k,
                                  uint begin SIZE_PARAMETERS)
{
    points z = results[k], image = conjugated(results[k ? LENGTH - k : 0]);
    return begin ? times_minus_i(z - image) : z + image;
}
#elif TARGET == HERMITIAN
#define RESULT(k, begin) real_at_origin(results[k], k)
#else
#define RESULT(k, begin) results[k]
#endif

#if FOLD_OUT
/* Whether result k of a row, of `rows` whose halves are folded, is one that is there already. */
static inline int folded_twice(ulong row, ulong rows, uint k)
{
    return row == 0 ? 2 * k != N : 2 * row == rows;
}
#endif

/* All results from scratch memory: not needed where the last pass stores them itself. */
#define AS_THEY_COME (!TO_ROWS && TARGET != HERMITIAN && !CONVOLVED && !REAL_RADIX)
#if AS_THEY_COME
#define STORE(k, x)                                                                                \
    store_result(dst, to, k, x, out, column, lanes, behind, factors,                               \
                 stream ROW_ARGUMENTS ROOT_ARGUMENTS CHIRP_ARGUMENTS HOOK_ARGUMENTS);
static inline void store_result(global target_element *dst, ulong to, uint k, points x, ulong2 out,
                                uint column, uint lanes, ulong behind, factors_of_parts factors,
                                int stream ROW_PARAMETERS ROOT_PARAMETERS CHIRP_PARAMETERS HOOK_PARAMETERS)
{
#if ROW_WRITTEN
    lanes = min(lanes, remaining(ELEMENTS_WRITTEN, k * ROW_COLUMNS + column));
    if (lanes == 0)
        return;
#endif
#if CHIRP == AFTER /* of the conjugate */
    x = products(conjugated(x), chirp[k * (ROW_COLUMNS / LANES)]);
#else
    x = TWISTED(x, k, 0);
#endif
    x = scaled(x, factors);
#if FOLD_OUT
    if (2 * k >= N) {
        ulong at = behind - k * out.x; /* of the first lane: the others are before it */
        points z = interleaved(conjugated(x)), there = interleaved(reversed(conjugated(x)));
        if (!STORE_HOOKED && lanes == LANES && out.y == 1)
            store_vector(dst, at - (LANES - 1), 1, there, 0, LANES, 0 HOOK_ARGUMENTS);
        else
            LOOP(uint lane = 0; lane < lanes; lane++)
                if (!folded_twice(column + lane, ELEMENTS / N, k))
                    store_element(dst, at - lane * out.y, ((cplx *)&z)[lane] HOOK_ARGUMENTS);
        return;
    }
#endif
    store_column(dst, to, out, k, x, 0, lanes, stream HOOK_ARGUMENTS);
}
#else
#define STORE(k, x) results[k] = TARGET == HERMITIAN ? x : TWISTED(x, k, 0);
#if REAL_RADIX
#include "cpu/realPass.cl"
#endif
static inline void scatter(SCRATCH const points *results, SCRATCH target_element *rows,
                           global target_element *dst, ulong to, ulong2 out, uint lanes,
                           factors_of_parts factors,
                           int stream SIZE_PARAMETERS ROW_ROOT_PARAMETERS ROOT_PARAMETERS HOOK_PARAMETERS)
{
    LOOP(uint begin = 0; begin < (TARGET == HERMITIAN ? TRANSFORMS : LANES); begin += LANES)
    {
#if TO_ROWS
        LOOP(uint block = 0; block < WRITTEN; block += LANES)
        {
            uint k = min(block, (uint)(WRITTEN - LANES));
            points x[LANES];
            UNROLL for (uint i = 0; i < LANES; i++)
                x[i] = scaled(RESULT(k + i, begin), factors);
#if STAGED
            stage_rows(rows, k, x SIZE_ARGUMENTS);
        }
        uint all = HALVES_STORED ? lanes : min((uint)LANES, remaining(lanes, begin));
        store_staged(dst, to + begin * out.y, rows, out.y, all, stream HOOK_ARGUMENTS);
#else
            store_rows(x, dst, to, out, k, block - k, begin, lanes,
                       stream && TARGET_ELEMENT(k) % TARGET_LINE == 0 HOOK_ARGUMENTS);
        }
#endif
#else
        LOOP(uint k = 0; k < WRITTEN; k++)
            store_column(dst, to, out, k, scaled(RESULT(k, begin), factors), begin, lanes,
                         stream HOOK_ARGUMENTS);
#endif
    }
}
#endif

/* --- Bluestein's algorithm ------------------------------------------------------------------------- */

#if CHIRP == ALONE && !REAL_RADIX
static inline void modulate(SCRATCH points *scratch, global const cplx *chirp SIZE_PARAMETERS)
{
    LOOP(uint i = 0; i < LENGTH; i++)
        scratch[i] = times(scratch[i], chirp[i]);
    LOOP(uint i = LENGTH; i < N; i++)
        scratch[i] = 0;
}
static inline void demodulate(SCRATCH points *scratch, global const cplx *chirp SIZE_PARAMETERS)
{
    LOOP(uint k = 0; k < LENGTH; k++)
        scratch[k] = times(conjugated(scratch[k]), chirp[k]);
}
#endif

kernel WIDE __attribute__((reqd_work_group_size(1, 1, 1)))
void cols(global const source_element *src, global target_element *dst, global const cplx *twiddles,
          ROW_ROOTS ROOTS CHIRPS WORKSPACE SHARED_PARAMETERS uint count, uint4 extents, ulong4 src_distances,
          ulong4 dst_distances, ulong2 first, uint4 limits, ulong2 strides, cplx scale,
          real sign HOOK_PARAMETERS)
{
#if REAL_RADIX
    SCRATCH_OF(FIRST_AREA + SECOND_AREA + 2 * STAGED)
    SCRATCH points *first_area = scratch, *second_area = scratch + FIRST_AREA;
    SCRATCH points *results = CONVOLVED ? first_area : second_area;
    SCRATCH points *other_area = CONVOLVED ? second_area : first_area;
    SCRATCH reals *numbers = (SCRATCH reals *)(SOURCE == REAL ? second_area : other_area);
    SCRATCH target_element *rows = (SCRATCH target_element *)(SOURCE == REAL ? other_area : results);
#else
    SCRATCH_OF((CONVOLVED || AS_THEY_COME ? 1 : 2) * N + 2 * STAGED)
    SCRATCH points *results = CONVOLVED ? scratch : scratch + N + 2 * STAGED;
    SCRATCH target_element *rows = (SCRATCH target_element *)(CONVOLVED ? scratch + LENGTH : scratch);
#endif
    factors_of_parts factors = factors_of(scale, TARGET == REAL ? -1 : sign);
    ulong2 blocks = INNER ? (ulong2)(src_distances.s1, dst_distances.s1)
                          : (ulong2)(src_distances.s0, dst_distances.s0);
    ulong2 in = (ulong2)(strides.x, SPREAD_IN ? (long)blocks.x / TRANSFORMS : 1);
    ulong2 out = (ulong2)(strides.y, SPREAD_OUT ? (long)blocks.y / TRANSFORMS : 1);
    in = FROM_ROWS ? in.yx : in, out = TO_ROWS ? out.yx : out;
    uint at = 0, row = 0;
    (void)results, (void)rows;
    src += first.x, dst += first.y;
    if (SOURCE != COMPLEX)
        sign = SOURCE == HERMITIAN ? -sign : 1; /* to real numbers, forward is the unusual way */
    EACH_OF_SHARE(q)
    {
        uint block = INNER ? q / extents.s0 % extents.s1 : q % extents.s0;
        uint column = block * TRANSFORMS, lanes = min((uint)TRANSFORMS, limits.x - column);
        ulong from = place(q, extents, src_distances), to = place(q, extents, dst_distances);
        ulong behind = to + (ELEMENTS - 2 * column) * out.y;
        int stream = streams(src, dst, STAGED ? 0 : (ulong)(dst + to) | strides.y * sizeof(target_element));
        (void)behind;
#if TWIST
        global const cplx *block_roots = all_block_roots + block * (TRANSFORMS / LANES) * N;
#endif
#if CHIRP == BEFORE || CHIRP == AFTER
        global const points *chirp = chirps + block;
#elif CHIRP == WITHIN
        global const points *spectrum = spectra + block * N;
#endif
#if REAL_RADIX
#if SOURCE == REAL
        gather_numbers(src, from, numbers, in, lanes, sign HOOK_ARGUMENTS);
        real_first(numbers, first_area, row_roots);
#else
        gather_half(src, from, first_area, in, lanes, sign HOOK_ARGUMENTS);
#endif
        KEPT_PASSES
#if TARGET == REAL
        real_last(results, numbers, row_roots);
        scatter_numbers(numbers, rows, dst, to, out, lanes, factors, stream HOOK_ARGUMENTS);
#else
        scatter(results, rows, dst, to, out, lanes, factors,
                stream SIZE_ARGUMENTS ROW_ROOT_ARGUMENTS ROOT_ARGUMENTS HOOK_ARGUMENTS);
#endif
#else
#if !AS_THEY_LIE
        gather(src, from, scratch, in, lanes, sign SIZE_ARGUMENTS ROW_ROOT_ARGUMENTS HOOK_ARGUMENTS);
#endif
#if CHIRP == ALONE
        modulate(scratch, chirp SIZE_ARGUMENTS);
#endif
#if CHIRP && SHARED
        CONVOLUTION
#else
        PASSES
#endif
#if CHIRP == ALONE
        demodulate(scratch, chirp SIZE_ARGUMENTS);
#endif
#if !AS_THEY_COME
        scatter(results, rows, dst, to, out, lanes, factors,
                stream SIZE_ARGUMENTS ROW_ROOT_ARGUMENTS ROOT_ARGUMENTS HOOK_ARGUMENTS);
#endif
#endif
    }
}
