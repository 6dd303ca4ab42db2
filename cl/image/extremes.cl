/* extremes: of an image's result, and the range of values that they tell to be spread over the result's. */
#include "image/planes.cl"

#if DOUBLE
#define NOISE 0x1p-47 /* errors of two transforms, in parts of the image's greatest magnitude */
#else
#define NOISE 0x1p-18f
#endif

/* x is the least and y the greatest value of a result, z the greatest magnitude in the image, which tells how large
 * rounding errors are. */
static inline real4 join(real4 a, real4 b)
{
    return (real4)(fmin(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z), 0);
}

/* The range is empty where the values differ by no more than rounding errors: a flat image then stays flat rather
 * than show amplified errors. */
static inline cplx range_of(real4 all)
{
    real start = SCALE == SCALE_STRETCH ? all.x : 0;
    return (cplx)(start, all.y - start > NOISE * all.z ? all.y : start);
}
