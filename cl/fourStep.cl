/* fourStep: the multiplication between the two halves of one long transform, for hooks.
 *
 * A row of n = rows x columns numbers is transformed as an array of that shape: first its columns, then its
 * rows. In between, the element at (row, column) is multiplied by the root exp(-2 pi i row column / n) for the
 * forward direction, and by the conjugate for the inverse one. A hook does this as it stores or loads the
 * element, so that the multiplication needs no pass over the memory.
 *
 * The exponent row * column is an exact integer. A table for all n exponents would be as large as the array.
 * So the exponent is cut in two at bit `shift`, and the root is the product of two entries: one from `fine`, for
 * the bits below `shift`, and one from `coarse`, for the others. Each table has about sqrt(n) entries.
 *
 * Remainders are differences here: Oclgrind cannot run what a compiler makes of / and % of the same numbers. */
#include "prelude.cl"

/* `value` times the root whose exponent is `power`. */
static inline cplx times_power(cplx value, ulong power, uint shift, global const cplx *fine,
                               global const cplx *coarse)
{
    return cmul(value, cmul(fine[power & (((ulong)1 << shift) - 1)], coarse[power >> shift]));
}

/* `value` times the root for element `index` of a part of `part_rows` x `part_columns` elements. The array's
 * element that is first in the part lies at row origin[0] and column origin[1] of the whole array. */
static inline cplx times_step_root(cplx value, ulong index, ulong part_rows, ulong part_columns,
                                   global const ulong *origin, uint shift, global const cplx *fine,
                                   global const cplx *coarse)
{
    ulong rows = index / part_columns, parts = rows / part_rows; /* before this element */
    ulong row = rows - parts * part_rows + origin[0];
    ulong column = index - rows * part_columns + origin[1];
    return times_power(value, row * column, shift, fine, coarse);
}

/* `value` times the root for element `index` of a part of `last` x `part_middle` x `first` elements: a row of
 * n = first x middle x first numbers, seen as an array of that shape, whose first and last axes have changed
 * places. The part's place along the middle axis is origin[1]; of the others it has all. */
static inline cplx times_swapped_root(cplx value, ulong index, ulong part_middle, ulong first,
                                      global const ulong *origin, uint shift,
                                      global const cplx *fine, global const cplx *coarse)
{
    ulong rows = index / first, last = rows / part_middle;
    ulong row = index - rows * first, middle = rows - last * part_middle + origin[1];
    ulong column = middle * first + last;
    return times_power(value, row * column, shift, fine, coarse);
}
