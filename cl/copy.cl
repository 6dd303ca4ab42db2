/* copy: from an array of any strides, cut or filled with zeros, to another one of any strides, from real
 * numbers to complex ones or back. A work-item owns one element of the target. It serves the solvers
 * that know contiguous rows of complex numbers only.
 *
 * geometry holds the index of the first element of source and of target, then for each dimension,
 * slowest first: the extent of the target, the extent of the source, and both strides. */
#include "prelude.cl"
#include "hooks.cl"

#ifndef SOURCE
#define SOURCE COMPLEX /* what src holds: COMPLEX, REAL, HERMITIAN */
#endif
#ifndef TARGET
#define TARGET COMPLEX /* what dst receives: COMPLEX, REAL */
#endif
#ifndef DIMENSIONS
#define DIMENSIONS 1 /* of the arrays */
#endif
#ifndef MIRROR
#define MIRROR 0 /* the dimension along which the source is HERMITIAN */
#endif

#if SOURCE == REAL
typedef real source_element;
#define AS_COMPLEX(x) (cplx)(x, 0)
#else
typedef cplx source_element;
#define AS_COMPLEX(x) (x)
#endif
#if TARGET == REAL
typedef real target_element;
#define AS_TARGET(z) (z).x
#else
typedef cplx target_element;
#define AS_TARGET(z) (z)
#endif

kernel void copy(global const source_element *src, global target_element *dst,
                 global const long *geometry, ulong count HOOK_PARAMETERS)
{
    size_t i = get_global_id(0);
    if (i >= count)
        return;
    long rest = (long)i, from = 0, to = 0;
    int inside = 1, conjugated = 0, own_image = 0;
    for (int d = DIMENSIONS - 1; d >= 0; d--) {
        global const long *dimension = geometry + 2 + 4 * d;
        long extent = dimension[0], index = rest % extent;
        rest /= extent;
        to += index * dimension[3];
        if (SOURCE == HERMITIAN && d == MIRROR) {
            own_image = index == 0 || 2 * index == extent;
            conjugated = 2 * index > extent;
            index = conjugated ? extent - index : index;
        }
        inside &= index < dimension[1];
        from += index * dimension[2];
    }
    cplx z = (cplx)(0, 0);
    if (inside)
        z = AS_COMPLEX(LOAD_FROM(src, geometry[0] + from, from));
    if (SOURCE == HERMITIAN)
        z = (cplx)(z.x, own_image ? 0 : conjugated ? -z.y : z.y);
    STORE_TO(dst, geometry[1] + to, AS_TARGET(z), to);
}
