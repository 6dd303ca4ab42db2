/* transpose: every matrix of a batch, rows x columns in src, columns x rows in dst.
 *
 * `transpose` is the textbook's: each work-item moves one element, and either its read or its
 * write strides through memory. `transposeBlocked` moves a square block through local memory, so
 * that both sides touch whole runs of TILE elements. Range: (column, row, matrix), exact in
 * its last dimension. */
#include "prelude.cl"

#ifndef TILE
#define TILE 16 /* edge of a block, and of the work-group: 8, 16 or 32 */
#endif

kernel void transpose(global const cplx *src, global cplx *dst, uint rows, uint columns)
{
    uint column = get_global_id(0), row = get_global_id(1);
    size_t matrix = get_global_id(2) * (size_t)rows * columns;
    if (column < columns && row < rows)
        dst[matrix + (size_t)column * rows + row] = src[matrix + (size_t)row * columns + column];
}

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void transposeBlocked(global const cplx *src, global cplx *dst, uint rows, uint columns)
{
    /* One element more than needed to a row: walking down a column then meets every memory bank. */
    local cplx block[TILE][TILE + 1];
    uint x = get_local_id(0), y = get_local_id(1);
    uint first_column = get_group_id(0) * TILE, first_row = get_group_id(1) * TILE;
    size_t matrix = get_global_id(2) * (size_t)rows * columns;

    uint column = first_column + x, row = first_row + y;
    if (column < columns && row < rows)
        block[y][x] = src[matrix + (size_t)row * columns + column];
    barrier(CLK_LOCAL_MEM_FENCE);

    column = first_column + y;
    row = first_row + x;
    if (column < columns && row < rows)
        dst[matrix + (size_t)column * rows + row] = block[x][y];
}
