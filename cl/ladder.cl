/* ladder: radix-2 Cooley-Tukey transforms of rows of 2^log2_n points in five versions, each of which changes one
 * thing of the one before. They are here to be measured and read; all compute their twiddles where they need them.
 *
 * ladder1: a launch for each stage. Rows keep the order in which they came: each work-item finds its pair by
 *     reversing the bits of both indices, by powers, remainders and quotients in floating point.
 * ladder2: the same by shifts and masks.
 * ladder3: rows are put in bit-reversed order once, by bitReverse; stages find their pairs where they belong.
 * ladder4: each stage reads both halves of a row from end to end; between stages ladderReorder puts points where
 *     the next one wants them, so that nothing is reversed.
 * compact: all stages in one launch, in local memory.
 *
 * The range of all but compact is (pair, row), and a pair's work-item writes where it has read, so that a stage may be
 * in place; but ladderReorder and the last stage of ladder1 and ladder2 move points. stage is 0 .. log2_n - 1; after
 * it, transforms of 2^(stage + 1) points are done.
 *
 * Reference: J. W. Cooley, J. W. Tukey, "An algorithm for the machine calculation of complex Fourier series",
 * Math. Comp. 19 (1965).
 */
#include "bitReverse.cl"

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

/* --- ladder1 ------------------------------------------------------------------------------------------------- */

/* pow() may be off by 16 units in the last place: less than a half, which rint() mends, up to 2^18. Hence the
 * square of half the exponent. */
static inline float power_of_two(uint exponent)
{
    float root = rint(pow(2.0f, (float)(exponent / 2)));
    return root * root * (float)(1 + exponent % 2);
}

/* In floats, which hold whole numbers up to 2^24. */
static inline uint reverse_by_arithmetic(uint index, uint log2_n)
{
    float rest = (float)index, reversed = 0;
    for (uint bit = 0; bit < log2_n; bit++) {
        float lowest = fmod(rest, 2.0f);
        reversed += lowest * power_of_two(log2_n - 1 - bit);
        rest = (rest - lowest) * 0.5f;
    }
    return (uint)reversed;
}

/* The last stage leaves the results in order. */
kernel void ladder1(global const cplx *src, global cplx *dst, uint log2_n, uint stage, uint rows, bits sign_flag)
{
    uint pair = get_global_id(0), row = get_global_id(1);
    uint half_n = (uint)power_of_two(log2_n - 1);
    if (pair >= half_n || row >= rows)
        return;
    uint span = (uint)power_of_two(stage);
    uint k = (uint)fmod((float)pair, (float)span);
    uint upper = 2 * (pair - k) + k, lower = upper + span;
    uint from_upper = reverse_by_arithmetic(upper, log2_n), from_lower = reverse_by_arithmetic(lower, log2_n);
    size_t start = (size_t)row * 2 * half_n;
    bool last = stage + 1 == log2_n;
    cplx a = src[start + from_upper], b = src[start + from_lower];
    combine(&a, &b, twiddle(k, span, sign_flag));
    dst[start + (last ? upper : from_upper)] = a;
    dst[start + (last ? lower : from_lower)] = b;
}

/* --- ladder2 ------------------------------------------------------------------------------------------------- */

kernel void ladder2(global const cplx *src, global cplx *dst, uint log2_n, uint stage, uint rows, bits sign_flag)
{
    uint pair = get_global_id(0), row = get_global_id(1);
    if (pair >= 1u << (log2_n - 1) || row >= rows)
        return;
    uint span = 1u << stage, k = pair & (span - 1);
    uint upper = ((pair ^ k) << 1) | k, lower = upper | span;
    uint from_upper = reverse_bits(upper) >> (32 - log2_n), from_lower = reverse_bits(lower) >> (32 - log2_n);
    size_t start = (size_t)row << log2_n;
    bool last = stage + 1 == log2_n;
    cplx a = src[start + from_upper], b = src[start + from_lower];
    combine(&a, &b, twiddle(k, span, sign_flag));
    dst[start + (last ? upper : from_upper)] = a;
    dst[start + (last ? lower : from_lower)] = b;
}

/* --- ladder3 ------------------------------------------------------------------------------------------------- */

kernel void ladder3(global const cplx *src, global cplx *dst, uint log2_n, uint stage, uint rows, bits sign_flag)
{
    uint pair = get_global_id(0), row = get_global_id(1);
    if (pair >= 1u << (log2_n - 1) || row >= rows)
        return;
    uint span = 1u << stage, k = pair & (span - 1);
    size_t upper = ((size_t)row << log2_n) + (((pair ^ k) << 1) | k), lower = upper + span;
    cplx a = src[upper], b = src[lower];
    combine(&a, &b, twiddle(k, span, sign_flag));
    dst[upper] = a;
    dst[lower] = b;
}

/* --- ladder4 ------------------------------------------------------------------------------------------------- */

/* A pair is a point of the first half of a row and the same of the second. */
kernel void ladder4(global const cplx *src, global cplx *dst, uint log2_n, uint stage, uint rows, bits sign_flag)
{
    uint pair = get_global_id(0), row = get_global_id(1), half_n = 1u << (log2_n - 1);
    if (pair >= half_n || row >= rows)
        return;
    uint span = 1u << stage, k = pair & (span - 1);
    size_t upper = ((size_t)row << log2_n) + pair, lower = upper + half_n;
    cplx a = src[upper], b = src[lower];
    combine(&a, &b, twiddle(k, span, sign_flag));
    dst[upper] = a;
    dst[lower] = b;
}

/* Transforms of 2^(stage + 1) points, whose halves lie in those of the row, are put together. */
kernel void ladderReorder(global const cplx *src, global cplx *dst, uint log2_n, uint stage, uint rows)
{
    uint pair = get_global_id(0), row = get_global_id(1), half_n = 1u << (log2_n - 1);
    if (pair >= half_n || row >= rows)
        return;
    uint span = 1u << stage, k = pair & (span - 1);
    size_t start = (size_t)row << log2_n, upper = start + (((pair ^ k) << 1) | k);
    dst[upper] = src[start + pair];
    dst[upper + span] = src[start + half_n + pair];
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
