/* rows: where the rows of a direct transform lie in memory.
 *
 * geometry holds the number of the first sample, how far neighbouring samples are apart, and for each dimension of the
 * batch, slowest first, its extent and how far neighbouring rows are apart. */
#ifndef CONST /* nobody includes this file */
#include "prelude.cl"
#endif

#ifndef PARTS
#define PARTS 2 /* real numbers of a sample: 1 if it is real, 2 if it is complex */
#endif
#ifndef DIMENSIONS
#define DIMENSIONS 1 /* of the batch */
#endif

/* How far row number `index` begins from the first one, in elements. */
static inline long row_place(global const long *dimensions, ulong index)
{
    long place = 0;
    for (int d = DIMENSIONS - 1; d >= 0; d--) {
        ulong extent = dimensions[2 * d];
        place += (long)(index % extent) * dimensions[2 * d + 1];
        index /= extent;
    }
    return place;
}

/* The first sample of row number `index`. */
static inline global const real *row_of(global const real *src, global const long *geometry, ulong index)
{
    return src + (geometry[0] + row_place(geometry + 2, index)) * PARTS;
}
