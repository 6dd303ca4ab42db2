/* overlapAdd: a signal from its frames, of which each has been multiplied by a window.
 *
 * Range: (sample, 1, signal). A sample is the sum of what its frames say, each times the window once more, over the sum
 * of the window's squares: of all signals it is the one whose own frames are closest to these, and the signal
 * itself where they are its own. Where that sum is below the smallest normal number, nothing is divided: a sample that
 * lies in no frame is 0. Work-items gather, so that there are no atomics, and the same result every time.
 *
 * References: D. W. Griffin, J. S. Lim, "Signal estimation from modified short-time Fourier transform", IEEE Trans.
 * ASSP-32 (1984).
 */
#include "prelude.cl"

#ifndef FRAME_POINTS
#define FRAME_POINTS 2048 /* of a frame */
#endif
#ifndef WINDOWED
#define WINDOWED 1 /* 0: all points weigh 1 */
#endif

/* Samples wanted of a signal, of which the first is point `before` of its first frame; frames of a signal; samples
 * from one frame to the next; where the first signal begins, and samples from one signal to the next. */
kernel void overlapAdd(global const real *data, global real *signals, global const real *window,
                       ulong samples, uint frames, uint hop, ulong before, ulong start, ulong pitch)
{
    ulong t = get_global_id(0), signal = get_global_id(2);
    if (t >= samples)
        return;
    ulong at = t + before, last = at / hop, first = at < FRAME_POINTS ? 0 : (at - FRAME_POINTS) / hop + 1;
    real sum = 0, weight = 0;
    for (ulong frame = first; frame <= last && frame < frames; frame++) {
        ulong point = at - frame * hop;
        real w = WINDOWED ? window[point] : 1;
        sum += w * data[(signal * frames + frame) * FRAME_POINTS + point];
        weight += w * w;
    }
    const real normal = as_real((bits)1 << (DOUBLE ? 52 : 23)); /* the smallest normal number */
    signals[start + signal * pitch + t] = weight > normal ? sum / weight : sum;
}
