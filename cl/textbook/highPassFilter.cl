/* highPassFilter and its relatives: gains for the bins of a two-dimensional spectrum, in place; gain.cl
 * says which. Range: (column, row, image), exact in its last dimension. */
#include "gain.cl"

static inline size_t element(uint rows, uint columns)
{
    return (get_global_id(2) * (size_t)rows + get_global_id(1)) * columns + get_global_id(0);
}

/* The textbook's: zero where the squared distance is below `pass_from`, all else as it is. */
kernel void highPassFilter(global cplx *data, uint rows, uint columns, ulong row_weight,
                           ulong column_weight, ulong pass_from)
{
    size_t column = get_global_id(0), row = get_global_id(1);
    if (column >= columns || row >= rows)
        return;
    if (squared_distance(row, column, rows, columns, row_weight, column_weight) < pass_from)
        data[element(rows, columns)] = (cplx)(0, 0);
}

/* All other bands. */
kernel void bandFilter(global cplx *data, uint rows, uint columns, ulong row_weight,
                       ulong column_weight, ulong low_first, ulong high_first, real low_cutoff,
                       real high_cutoff, real order)
{
    size_t column = get_global_id(0), row = get_global_id(1);
    if (column >= columns || row >= rows)
        return;
    ulong distance = squared_distance(row, column, rows, columns, row_weight, column_weight);
    data[element(rows, columns)] *=
        band_gain(distance, low_first, high_first, low_cutoff, high_cutoff, order);
}

/* A caller's own gains. The spectra lie transposed in memory: a row there is a column of the mask. */
kernel void maskFilter(global cplx *data, uint rows, uint columns, global const MASK_TYPE *mask)
{
    uint column = get_global_id(0), row = get_global_id(1);
    if (column >= columns || row >= rows)
        return;
    size_t place = element(rows, columns);
    data[place] = masked(data[place], mask, column, row, columns, rows);
}
