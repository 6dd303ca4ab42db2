/* shift: an array whose elements have moved along its axes, those that leave at one end coming in at the other,
 * or have become numbers of another type.
 *
 * Elements that only move are words of 1 to 16 bytes, whatever they mean. geometry holds for each
 * dimension, slowest first: its extent, how far elements move, and the distance of neighbours in the source.
 * The target is contiguous. */
#include "prelude.cl"

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable /* the source may hold doubles, whatever the target holds */
#endif

#define WORDS (-1)
#ifndef TARGET
#define TARGET WORDS /* what the target holds: the source's words, REAL or COMPLEX numbers */
#endif
#ifndef ELEMENT
#define ELEMENT float2 /* of the source: a word as large as its elements, or a type of numbers */
#endif
#ifndef FLOAT16
#define FLOAT16 0 /* 1: ELEMENT is half, which every device reads, with cl_khr_fp16 or without */
#endif
#ifndef PAIRS
#define PAIRS 0 /* 1: ELEMENT is a complex number, a vector of two */
#endif
#ifndef DIMENSIONS
#define DIMENSIONS 1
#endif

#if FLOAT16
#define LOAD(src, i) vload_half(i, src)
#else
#define LOAD(src, i) (src)[i]
#endif
#if TARGET == COMPLEX
#define RESULT cplx
#if PAIRS
#define CONVERT(z) (cplx)((real)(z).x, (real)(z).y)
#else
#define CONVERT(x) (cplx)((real)(x), 0)
#endif
#elif TARGET == REAL
#define RESULT real
#define CONVERT(x) (real)(x)
#else
#define RESULT ELEMENT
#define CONVERT(x) x
#endif

kernel void shift(global const ELEMENT *src, global RESULT *dst, global const long *geometry, ulong first,
                  ulong count)
{
    ulong i = get_global_id(0);
    if (i >= count)
        return;
    long rest = (long)i, from = (long)first;
    for (int d = DIMENSIONS - 1; d >= 0; d--) {
        long extent = geometry[3 * d], index = rest % extent - geometry[3 * d + 1];
        rest /= extent;
        from += (index < 0 ? index + extent : index) * geometry[3 * d + 2];
    }
    dst[i] = CONVERT(LOAD(src, from));
}
