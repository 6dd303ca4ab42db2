/* spectrum: for hooks that turn the pixels of an image into the magnitudes of its spectrum, DC in the middle.
 *
 * planes.cl says how pixels are read; here a window may fade them out towards the image's edges. gain.cl says where
 * bins lie in half a spectrum. */
#include "image/planes.cl"
#include "image/magnitude.cl"
#include "gain.cl"

/* What a window leaves of element `index` of the plane: the product of its values down and across. What stands around
 * the image has the factors of the pixels that it repeats. */
static inline real window_at(PLACE_TYPE index, global const real *down, global const real *across)
{
    PlanePlace at = plane_place(index);
    long x = image_index(at.column, PLANE_COLUMNS, IMAGE_COLUMNS);
    long y = image_index(at.row, PLANE_ROWS, IMAGE_ROWS);
    return x < 0 || y < 0 ? 0 : down[y] * across[x];
}

#ifdef POINT_OF_TWO
#define VECTOR_WINDOW 1
#else
#define VECTOR_WINDOW VECTOR_LOADS /* 1: hooks may take vectors of neighbours */
#endif
#if VECTOR_WINDOW
/* Neighbours of a row, from element `index` on, in a window. */
static inline source_vector windowed(source_vector v, PLACE_TYPE index, global const real *down,
                                     global const real *across)
{
    LOOP(uint i = 0; i < sizeof(source_vector) / sizeof(real); i++)
        ((real *)&v)[i] *= window_at(index + i, down, across);
    return v;
}
#endif

/* In the place of a store: the magnitude of the bin with element `index` of half a spectrum, and that of its mirror
 * image, in a spectrum of SPECTRUM_ROWS x SPECTRUM_COLUMNS with DC in the middle. */
static inline void store_magnitude(global real *result, PLACE_TYPE index, cplx value)
{
    Bin bin = bin_at(index);
    uint left = SPECTRUM_COLUMNS / 2, opposite = bin.row ? SPECTRUM_ROWS - bin.row : 0;
    if (bin.column > left) /* a gap between two rows */
        return;
    real distance = magnitude(value);
    size_t row = (bin.row + SPECTRUM_ROWS / 2) % SPECTRUM_ROWS, mirrored = (opposite + SPECTRUM_ROWS / 2) % SPECTRUM_ROWS;
    result[row * SPECTRUM_COLUMNS + (bin.column + left) % SPECTRUM_COLUMNS] = distance;
    if (bin.column && 2 * bin.column != SPECTRUM_COLUMNS) /* else the mirror image is in this half, too */
        result[mirrored * SPECTRUM_COLUMNS + left - bin.column] = distance;
}
