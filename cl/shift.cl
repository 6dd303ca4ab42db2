/* shift: an array whose elements have moved along its axes, those that leave at one end coming in at the other.
 *
 * Elements are words of 1 to 16 bytes, whatever they mean. geometry holds for each dimension, slowest first:
 * its extent, how far elements move, and the distance of neighbours in the source. The target is
 * contiguous. */
#include "prelude.cl"

#ifndef WORD
#define WORD float2 /* as many bytes as an element */
#endif
#ifndef DIMENSIONS
#define DIMENSIONS 1
#endif

kernel void shift(global const WORD *src, global WORD *dst, global const long *geometry, ulong first,
                  ulong count)
{
    ulong i = get_global_id(0);
    if (i >= count)
        return;
    long rest = (long)i, from = (long)first;
    for (int d = DIMENSIONS - 1; d >= 0; d--) {
        long extent = geometry[3 * d], index = rest % extent - geometry[3 * d + 1];
        rest /= extent;
        from += (index < 0 ? index + extent : index) * geometry[3 * d + 2];
    }
    dst[i] = src[from];
}
