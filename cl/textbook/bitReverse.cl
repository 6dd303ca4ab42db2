/* bitReverse: row after row, element j of a row of 2^log2_n goes to the place whose index has
 * the bits of j in reverse order. Out of place; range (column, row). */
#include "prelude.cl"

static inline uint reverse_bits(uint v)
{
    v = ((v >> 1) & 0x55555555u) | ((v & 0x55555555u) << 1);
    v = ((v >> 2) & 0x33333333u) | ((v & 0x33333333u) << 2);
    v = ((v >> 4) & 0x0F0F0F0Fu) | ((v & 0x0F0F0F0Fu) << 4);
    v = ((v >> 8) & 0x00FF00FFu) | ((v & 0x00FF00FFu) << 8);
    return (v >> 16) | (v << 16);
}

kernel void bitReverse(global const cplx *src, global cplx *dst, uint log2_n, uint rows)
{
    uint column = get_global_id(0), row = get_global_id(1);
    uint n = 1u << log2_n;
    if (column >= n || row >= rows)
        return;
    size_t start = (size_t)row * n;
    dst[start + (reverse_bits(column) >> (32 - log2_n))] = src[start + column];
}
