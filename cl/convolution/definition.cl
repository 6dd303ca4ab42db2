/* definition: convolution by its definition, one work-item for each element of the result.
 *
 * result[n] = sum over m of second[m] first[n - m], along all axes at once. Only taps m are visited that meet an
 * element of the first array, so nobody pads or checks. Numbers are added in runs of RUN, whose sums are then added,
 * which keeps the error of long sums small; integers are added modulo 2^64, and are exact.
 *
 * `places` holds the index of the first element of first, second and result, and then the dimensions: those of
 * the batch first, the axes last. A correlation is the convolution with an array that is read backwards. */
#include "prelude.cl"

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable /* an input may hold doubles, whatever is added */
#endif

#define INTEGERS 2 /* beside REAL and COMPLEX: what is added */
#ifndef SUM
#define SUM REAL
#endif
#ifndef FIRST
#define FIRST real /* an element of the first array, of any type of numbers */
#endif
#ifndef SECOND
#define SECOND real
#endif
#ifndef RESULT
#define RESULT real
#endif
#ifndef FIRST_KIND
#define FIRST_KIND REAL /* REAL, COMPLEX, or FLOAT16, which every device reads as memory only */
#endif
#ifndef SECOND_KIND
#define SECOND_KIND REAL
#endif
#ifndef RESULT_KIND
#define RESULT_KIND REAL /* also TRUTH: 1 where the sum is not 0 */
#endif
#define FLOAT16 3
#define TRUTH 4
#ifndef CONJUGATED
#define CONJUGATED 0 /* 1: elements of the second array are conjugated */
#endif
#ifndef DIMENSIONS
#define DIMENSIONS 1
#endif
#ifndef RUN
#define RUN 256 /* products that are added at once */
#endif

#if SUM == INTEGERS
typedef long sum_type;
#elif SUM == COMPLEX
typedef cplx sum_type;
#else
typedef real sum_type;
#endif

#define AS_SUM_REAL(array, i) (sum_type)((array)[i])
#define AS_SUM_FLOAT16(array, i) (sum_type)(vload_half(i, (global const half *)(array)))
#define AS_SUM_COMPLEX(array, i) (cplx)((array)[i].x, (array)[i].y)
#define WIDENED_REAL(array, i) (cplx)((real)(array)[i], 0)
#define WIDENED_FLOAT16(array, i) (cplx)(vload_half(i, (global const half *)(array)), 0)

static inline sum_type first_at(global const FIRST *array, long i)
{
#if FIRST_KIND == COMPLEX
    return AS_SUM_COMPLEX(array, i);
#elif SUM == COMPLEX && FIRST_KIND == FLOAT16
    return WIDENED_FLOAT16(array, i);
#elif SUM == COMPLEX
    return WIDENED_REAL(array, i);
#elif FIRST_KIND == FLOAT16
    return AS_SUM_FLOAT16(array, i);
#else
    return AS_SUM_REAL(array, i);
#endif
}

static inline sum_type second_at(global const SECOND *array, long i)
{
#if SECOND_KIND == COMPLEX
    sum_type z = AS_SUM_COMPLEX(array, i);
    return CONJUGATED ? (sum_type)(z.x, -z.y) : z;
#elif SUM == COMPLEX && SECOND_KIND == FLOAT16
    return WIDENED_FLOAT16(array, i);
#elif SUM == COMPLEX
    return WIDENED_REAL(array, i);
#elif SECOND_KIND == FLOAT16
    return AS_SUM_FLOAT16(array, i);
#else
    return AS_SUM_REAL(array, i);
#endif
}

static inline sum_type multiplied(sum_type a, sum_type b)
{
#if SUM == COMPLEX
    return cmul(a, b);
#else
    return a * b;
#endif
}

/* The sum of `count` products of neighbours, `first_step` and `second_step` apart. */
static inline sum_type sum_of(global const FIRST *first, global const SECOND *second, long count,
                              long first_step, long second_step)
{
    sum_type all = 0;
    for (long begin = 0; begin < count; begin += RUN) {
        sum_type some = 0;
        long end = min(begin + RUN, count);
        for (long m = begin; m < end; m++)
            some += multiplied(first_at(first, m * first_step), second_at(second, m * second_step));
        all += some;
    }
    return all;
}

static inline void leave(global RESULT *result, long at, sum_type sum)
{
#if RESULT_KIND == FLOAT16
    vstore_half(sum, at, (global half *)result);
#elif RESULT_KIND == TRUTH
    result[at] = sum != 0;
#else
    result[at] = (RESULT)sum;
#endif
}

typedef struct {
    long result, start;                 /* the extent of the result, and where it begins in the full one */
    long first, second;                 /* the extents of the inputs; 0: a dimension of the batch */
    long first_step, second_step, step; /* how far neighbours are apart in the inputs and in the result */
} Dimension;

kernel void convolve_plainly(global const FIRST *first, global const SECOND *second, global RESULT *result,
                   global const long *places, ulong count)
{
    ulong rest = get_global_id(0);
    if (rest >= count)
        return;
    global const Dimension *dimensions = (global const Dimension *)(places + 3);
    long low[DIMENSIONS], high[DIMENSIONS], tap[DIMENSIONS]; /* of the second array, along each dimension */
    long at = places[2];
    first += places[0], second += places[1];
    for (int d = DIMENSIONS - 1; d >= 0; d--) {
        Dimension each = dimensions[d];
        long place = (long)(rest % (ulong)each.result);
        rest /= (ulong)each.result;
        at += place * each.step;
        place += each.start;
        first += place * each.first_step;
        if (each.first)
            low[d] = max(place - each.first + 1, 0L), high[d] = min(place, each.second - 1);
        else
            low[d] = high[d] = 0, second += place * each.second_step;
        first -= low[d] * each.first_step, second += each.first ? low[d] * each.second_step : 0;
        tap[d] = low[d];
    }
    Dimension last = dimensions[DIMENSIONS - 1];
    sum_type sum = 0;
    for (int d = 0; d >= 0;) {
        sum += sum_of(first, second, high[DIMENSIONS - 1] - low[DIMENSIONS - 1] + 1, -last.first_step,
                      last.second_step);
        for (d = DIMENSIONS - 2; d >= 0; d--) { /* on to the next tap along the dimensions before the last */
            if (tap[d] < high[d]) {
                tap[d]++;
                first -= dimensions[d].first_step, second += dimensions[d].second_step;
                break;
            }
            first += (tap[d] - low[d]) * dimensions[d].first_step;
            second -= (tap[d] - low[d]) * dimensions[d].second_step;
            tap[d] = low[d];
        }
    }
    leave(result, at, sum);
}
