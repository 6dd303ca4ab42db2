/* magnitude: the distance of a complex number from 0, for files that turn spectra or filtered planes into real numbers. */
#ifndef COMPLEX /* a macro of prelude.cl, which the kernel around a hook has included */
#include "prelude.cl"
#endif

/* The magnitude of z: its squares would overflow long before it does, and hypot() is slow on CPUs. */
static inline real magnitude(cplx z)
{
    real x = fabs(z.x), y = fabs(z.y);
    real larger = x > y ? x : y, smaller = x > y ? y : x;
    real ratio = larger > 0 ? smaller / larger : 0;
    return larger * sqrt(1 + ratio * ratio);
}
