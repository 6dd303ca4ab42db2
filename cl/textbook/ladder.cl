/* ladder: radix-2 Cooley-Tukey transforms of rows of n = 2^m points in the five versions of a course report, each of
 * which changes one thing of an earlier one. They are here to be measured and read; all compute their twiddles where
 * they need them.
 *
 * ladder1: a launch for each stage. A row keeps the order in which it came: in every stage each work-item reverses
 *     the bits of its pair's two indices, one bit after the other. Floating-point functions find the pair.
 * ladder2: bit operations find the pair. The reversal stays the loop.
 * ladder3: one launch of bitReverse puts each row in bit-reversed order. After it no stage reverses anything.
 * ladder4: each stage takes its pair from two neighbouring places; after each stage, permuteArray makes neighbours of
 *     the points that the next stage combines.
 * compact: all stages in one launch, in local memory.
 *
 * The range of all but compact is (pair, row), and a pair's work-item writes where it has read, so that a stage may be
 * in place. Two kinds of launches move points and so may not: permuteArray, and the last stage of ladder1 and of
 * ladder2. stage is 0 .. m - 1; after it, transforms of 2^(stage + 1) points are done.
 *
 * References: J. W. Cooley, J. W. Tukey, "An algorithm for the machine calculation of complex Fourier series",
 * Math. Comp. 19 (1965); of ladder4's order: M. C. Pease, "An adaptation of the fast Fourier transform for parallel
 * processing", J. ACM 15 (1968).
 */
#include "textbook/bitReverse.cl"

#ifndef POINTS
#define POINTS 4 /* of a row, for compact: 2 .. what local memory holds */
#endif

/* exp(-pi i k / span), or its conjugate. The fraction of a half turn is exact, as span is a power of two. */
static inline cplx twiddle(uint k, uint span, bits sign_flag)
{
    real half_turns = (real)k / (real)span;
    return conj_if((cplx)(cospi(half_turns), -sinpi(half_turns)), sign_flag);
}

/* The pair (a, b) becomes (a + w b, a - w b). */
static inline void combine(cplx *a, cplx *b, cplx w)
{
    cplx product = cmul(w, *b);
    *b = *a - product;
    *a = *a + product;
}

/* --- ladder1 and ladder2 ------------------------------------------------------------------------------------- */

/* The lowest count bits of index, in reverse order: shift one out, shift it in. */
static inline uint reverse_by_loop(uint index, uint count)
{
    uint reversed = 0;
    for (uint bit = 0; bit < count; bit++) {
        reversed = (reversed << 1) | (index & 1);
        index >>= 1;
    }
    return reversed;
}

/* What a work-item has to know of its pair. */
typedef struct {
    uint log2_n;   /* bits of an index */
    uint stride;   /* between both points of the pair; also the number of pairs in a group */
    uint position; /* of the pair in its group */
    uint upper;    /* where the first point belongs */
} Pair;

/* OpenCL lets pown() err by 16 units in the last place, which round() mends up to 2^18. The square of the root serves
 * up to 2^36. */
static inline float power_of_two(uint exponent)
{
    float root = round(pown(2.0f, (int)(exponent / 2)));
    return root * root * (float)(1 + exponent % 2);
}

/* In floats, which hold whole numbers up to 2^24. */
static inline Pair pair_by_arithmetic(uint index, uint n, uint stage)
{
    float stride = power_of_two(stage);
    float position = fmod((float)index, stride);
    float group = 2.0f * ((float)index - position);
    return (Pair){(uint)round(log2((float)n)), (uint)stride, (uint)position, (uint)(group + position)};
}

static inline Pair pair_by_bits(uint index, uint n, uint stage)
{
    uint stride = 1u << stage, position = index & (stride - 1);
    uint group = (index ^ position) << 1;
    return (Pair){31 - clz(n), stride, position, group | position};
}

/* The stage of a pair in a row that keeps its order; the last stage leaves its results where they belong. */
static inline void reversing_stage(global const cplx *src, global cplx *dst, Pair pair, uint stage, bits sign_flag)
{
    uint upper = pair.upper, lower = upper + pair.stride;
    uint from_upper = reverse_by_loop(upper, pair.log2_n), from_lower = reverse_by_loop(lower, pair.log2_n);
    bool last = stage + 1 == pair.log2_n;
    cplx a = src[from_upper], b = src[from_lower];
    combine(&a, &b, twiddle(pair.position, pair.stride, sign_flag));
    dst[last ? upper : from_upper] = a;
    dst[last ? lower : from_lower] = b;
}

kernel void ladder1(global const cplx *src, global cplx *dst, uint n, uint stage, uint rows, bits sign_flag)
{
    uint index = get_global_id(0), row = get_global_id(1);
    if (index >= n / 2 || row >= rows)
        return;
    size_t start = (size_t)row * n;
    reversing_stage(src + start, dst + start, pair_by_arithmetic(index, n, stage), stage, sign_flag);
}

kernel void ladder2(global const cplx *src, global cplx *dst, uint n, uint stage, uint rows, bits sign_flag)
{
    uint index = get_global_id(0), row = get_global_id(1);
    if (index >= n / 2 || row >= rows)
        return;
    size_t start = (size_t)row * n;
    reversing_stage(src + start, dst + start, pair_by_bits(index, n, stage), stage, sign_flag);
}

/* --- ladder3 ------------------------------------------------------------------------------------------------- */

kernel void ladder3(global const cplx *src, global cplx *dst, uint n, uint stage, uint rows, bits sign_flag)
{
    uint index = get_global_id(0), row = get_global_id(1);
    if (index >= n / 2 || row >= rows)
        return;
    Pair pair = pair_by_bits(index, n, stage);
    size_t upper = (size_t)row * n + pair.upper, lower = upper + pair.stride;
    cplx a = src[upper], b = src[lower];
    combine(&a, &b, twiddle(pair.position, pair.stride, sign_flag));
    dst[upper] = a;
    dst[lower] = b;
}

/* --- ladder4 ------------------------------------------------------------------------------------------------- */

/* The points of a pair are neighbours. Pairs with the same twiddle follow each other, 2^(m - 1 - stage) of them. */
kernel void ladder4(global const cplx *src, global cplx *dst, uint n, uint stage, uint rows, bits sign_flag)
{
    uint index = get_global_id(0), row = get_global_id(1), half_n = n / 2;
    if (index >= half_n || row >= rows)
        return;
    uint run = half_n >> stage;
    size_t upper = (size_t)row * n + 2 * index, lower = upper + 1;
    cplx a = src[upper], b = src[lower];
    combine(&a, &b, twiddle(index & ~(run - 1), half_n, sign_flag));
    dst[upper] = a;
    dst[lower] = b;
}

/* The even places of each row go to its first half, the odd ones to its second. In the order after bitReverse, the
 * points that stage s combines have indices that differ in bit s; each call makes the next bit the lowest. After m
 * calls all bits have been lowest, and the row is in order. */
kernel void permuteArray(global const cplx *src, global cplx *dst, uint n, uint rows)
{
    uint index = get_global_id(0), row = get_global_id(1), half_n = n / 2;
    if (index >= half_n || row >= rows)
        return;
    size_t start = (size_t)row * n;
    dst[start + index] = src[start + 2 * index];
    dst[start + half_n + index] = src[start + 2 * index + 1];
}

/* --- compact ------------------------------------------------------------------------------------------------- */

/* A work-group owns a row and takes as many pairs at a time as it has work-items. */
kernel void compact(global const cplx *src, global cplx *dst, bits sign_flag)
{
    local cplx data[POINTS];
    uint item = get_local_id(0), items = get_local_size(0), log2_n = 31 - clz((uint)POINTS);
    size_t start = (size_t)get_group_id(0) * POINTS;
    for (uint i = item; i < POINTS; i += items)
        data[reverse_bits(i) >> (32 - log2_n)] = src[start + i];
    for (uint span = 1; span < POINTS; span *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint pair = item; pair < POINTS / 2; pair += items) {
            uint k = pair & (span - 1), upper = ((pair ^ k) << 1) | k, lower = upper | span;
            cplx a = data[upper], b = data[lower];
            combine(&a, &b, twiddle(k, span, sign_flag));
            data[upper] = a;
            data[lower] = b;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < POINTS; i += items)
        dst[start + i] = data[i];
}
