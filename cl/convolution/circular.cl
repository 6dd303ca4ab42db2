/* circular: convolution by its definition, of a signal that runs round and round through a ring of memory.
 *
 * Each input has a ring of `total` frames, in which the newest frames end before `begin` + `count`; a chunk of frames
 * never crosses the ring's end. A work-item makes one frame of one output: the sum over k of tap k times the
 * frame k places before. Exactly `taps` frames are read, so that a NaN spoils exactly as many results. Products
 * are added in runs of RUN, whose sums are then added, which keeps the error of long sums small; the order does not depend on
 * where in the ring a chunk lies, nor on its length. */
#include "prelude.cl"

#ifndef RUN
#define RUN 256 /* products that are added at once */
#endif

/* The products of `count` taps from `h` on, with frames from `x` on backwards, added to `sum`. */
static inline real add_products(real sum, global const real *h, global const real *x, uint count)
{
    for (uint k = 0; k < count; k++)
        sum = fma(h[k], x[-(int)k], sum);
    return sum;
}

kernel void circular(global const real *ring, global const real *response, global real *result,
                     uint total, uint taps, uint terms, uint diagonal, uint pitch, uint begin, uint count)
{
    uint n = get_global_id(0), output = get_global_id(1);
    if (n >= count)
        return;
    uint at = begin + n;
    real all = 0;
    for (uint term = 0; term < terms; term++) {
        global const real *x = ring + (ulong)(diagonal ? output : term) * total;
        global const real *h = response + ((ulong)output * terms + term) * taps;
        for (uint run = 0; run < taps; run += RUN) {
            uint end = min(run + RUN, taps);
            uint wrap = clamp(at + 1, run, end); /* from this tap on, frames lie at the ring's end */
            real some = add_products(0, h + run, x + (at - min(run, at)), wrap - run);
            all += add_products(some, h + wrap, x + (at + total - wrap), end - wrap);
        }
    }
    result[(ulong)output * pitch + n] = all;
}
