/* load: gathers an array of any strides, real or complex, into contiguous complex numbers, cut or
 * filled with zeros to the wanted shape. A work-item owns one element of dst.
 *
 * geometry holds the index of the first source element, then for each dimension, slowest first:
 * the extent wanted, the extent that the source has, and the source's stride in elements. */
#include "prelude.cl"

#ifndef REAL_SOURCE
#define REAL_SOURCE 0 /* 1: src holds real numbers, 0: complex ones */
#endif
#ifndef DIMENSIONS
#define DIMENSIONS 1 /* of the array */
#endif

#if REAL_SOURCE
typedef real element;
#define TO_COMPLEX(x) (cplx)(x, 0)
#else
typedef cplx element;
#define TO_COMPLEX(x) (x)
#endif

kernel void load(global const element *src, global cplx *dst, global const long *geometry,
                 ulong count)
{
    size_t i = get_global_id(0);
    if (i >= count)
        return;
    long rest = (long)i, place = geometry[0];
    int inside = 1;
    for (int d = DIMENSIONS - 1; d >= 0; d--) {
        global const long *dimension = geometry + 1 + 3 * d;
        long index = rest % dimension[0];
        rest /= dimension[0];
        inside &= index < dimension[1];
        place += index * dimension[2];
    }
    dst[i] = inside ? TO_COMPLEX(src[place]) : (cplx)(0, 0);
}
