/* butterfly: stage `iter` (1 .. log2_n) of the radix-2 decimation-in-time transform of bit-reversed
 * rows, in place. A work-item owns one pair; range (pair, row).
 *
 * Both inputs are read before either output is written: storing the sum over `upper` first would
 * make the difference wrong. */
#include "prelude.cl"

kernel void butterfly(global cplx *data, global const cplx *w, uint log2_n, uint iter, uint rows,
                      bits sign_flag)
{
    uint pair = get_global_id(0), row = get_global_id(1);
    uint half_n = 1u << (log2_n - 1);
    if (pair >= half_n || row >= rows)
        return;

    uint span = 1u << (iter - 1); /* distance between the two inputs */
    uint position = pair & (span - 1);
    size_t upper = (size_t)row * 2 * half_n + 2 * (pair - position) + position;
    size_t lower = upper + span;

    cplx factor = conj_if(w[position << (log2_n - iter)], sign_flag);
    cplx a = data[upper];
    cplx b = cmul(factor, data[lower]);
    data[upper] = a + b;
    data[lower] = a - b;
}
