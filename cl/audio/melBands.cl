/* melBands: spectra by bands of mels, and the coefficients that become of the bands' levels.
 *
 * A filter bank is a matrix with few numbers that are not 0: each band is a triangle over some bins. So a row of it is
 * the first bin of its triangle, how many bins there are, and where their weights begin in a list of all weights.
 *
 * Arrays have the shape (signals, rows, frames), and neighbouring work-items have neighbouring frames.
 */
#include "prelude.cl"

typedef struct {
    uint first, count, begin; /* the triangle's first bin, its bins, and the place of its first weight */
} Triangle;

/* Range: (frame, band, signal). */
kernel void melBands(global const real *spectra, global real *bands, global const uint *triangles,
                     global const real *weights, uint frames, uint bins, uint count)
{
    const uint frame = get_global_id(0), band = get_global_id(1);
    if (frame >= frames || band >= count)
        return;
    const ulong signal = get_global_id(2);
    const Triangle mine = {triangles[3 * band], triangles[3 * band + 1], triangles[3 * band + 2]};
    spectra += (signal * bins + mine.first) * frames + frame;
    real sum = 0;
    for (uint i = 0; i < mine.count; i++)
        sum += weights[mine.begin + i] * spectra[(ulong)i * frames];
    bands[(signal * count + band) * frames + frame] = sum;
}

/* The first `kept` of `count` coefficients, each times a factor of its own. Range: (frame, coefficient, signal). */
kernel void lifted(global const real *coefficients, global real *result, global const real *factors, uint frames,
                   uint count, uint kept)
{
    const uint frame = get_global_id(0), row = get_global_id(1);
    if (frame >= frames || row >= kept)
        return;
    const ulong signal = get_global_id(2);
    result[(signal * kept + row) * frames + frame] =
        factors[row] * coefficients[(signal * count + row) * frames + frame];
}
