/* norms: what all planes of an image, or of a stack of images, have in common at each frequency, for peaks that are
 * looked for on the host. So one half of a spectrum leaves the device, however many planes there are. */
#include "image/magnitude.cl"

/* The root of the sum of the squared magnitudes that a bin of half a spectrum has in all planes. `sizes` holds the
 * number of planes, the rows and the columns of half a spectrum, and the elements from one of its rows to the next.
 * Range: (column, row). */
kernel void planeNorms(global const cplx *spectra, global float *norms, uint4 sizes)
{
    uint column = get_global_id(0), row = get_global_id(1);
    if (column >= sizes.z || row >= sizes.y)
        return;
    real norm = 0;
    for (size_t plane = 0; plane < sizes.x; plane++) {
        real here = magnitude(spectra[(plane * sizes.y + row) * sizes.w + column]);
        norm = magnitude((cplx)(norm, here));
    }
    norms[(size_t)row * sizes.z + column] = (float)norm;
}
