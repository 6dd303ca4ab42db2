/* norm: multiplies every element by `scale`, 1/n after the textbook's inverse transform (the same
 * as its division for powers of two, and better rounded than OpenCL's division for the others). */
#include "prelude.cl"

kernel void norm(global cplx *data, ulong count, real scale)
{
    size_t i = get_global_id(0);
    if (i < count)
        data[i] *= scale;
}
