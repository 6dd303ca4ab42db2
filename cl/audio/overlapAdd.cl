/* overlapAdd: a signal from its frames.
 *
 * A sample is the sum of what its frames say, each times the window once more, divided by the sum of the window's squares.
 * Of all signals it is the one whose own frames are closest to these, and the signal itself where they are its own. The
 * caller gives the dual window, which is the window divided by that sum. Near both ends, where frames are missing,
 * dualWindow.cl corrects what they add up to. Where the sum of squares is below the smallest normal number, nothing is
 * divided: a sample that lies in no frame is 0. Work-items gather, so that there are no atomics, and the same result every
 * time.
 *
 * Range: (sample, 1, signal). If WIDTH is more than 1: (work-item, 1, signal); the work-items of a CPU share the
 * stretches of `hop` samples, each of which begins where a frame does, so that all its samples have the same frames.
 *
 * References: D. W. Griffin, J. S. Lim, "Signal estimation from modified short-time Fourier transform", IEEE Trans.
 * ASSP-32 (1984).
 */
#include "prelude.cl"
#include "vectors.cl"
#include "dualWindow.cl"

#ifndef FRAME_POINTS
#define FRAME_POINTS 2048 /* of a frame */
#endif
#ifndef WIDTH
#define WIDTH 1 /* samples that are computed at once: 2, 4, 8 or 16 on CPUs; 1 on GPUs, and if frames are nearer */
#endif
#ifndef FAR
#define FAR 0 /* 1: there are 2^32 samples, or more */
#endif

#if FAR
typedef ulong sample_index;
#else
typedef uint sample_index;
#endif
#if WIDTH == 1
typedef real vector, loose;
#else
typedef real vector __attribute__((ext_vector_type(WIDTH)));
typedef vector loose __attribute__((aligned(4 << DOUBLE))); /* at any address, not that of a whole vector */
#endif

/* Point `at` of a frame, or of the dual window, with its following ones: 0 behind the end. */
static inline vector points_of(global const real *frame, uint at)
{
    if (at + WIDTH <= FRAME_POINTS)
        return *(global const loose *)(frame + at);
    vector points = 0;
#if WIDTH > 1
    for (uint i = 0; at + i < FRAME_POINTS; i++)
        ((real *)&points)[i] = frame[at + i];
#endif
    return points;
}

/* The samples from number `point` on of the stretch that frame `number` begins. The last `reach` frames hold them, the
 * oldest of these maybe only the first of them. */
static inline vector samples_at(global const real *data, global const real *dual, uint frames, uint hop, uint reach,
                                uint number, uint point)
{
    const uint oldest = min(number, reach - 1), newest = number < frames ? 0 : number - (frames - 1);
    vector sum = 0;
    for (uint back = oldest + 1; back-- > newest;) {
        const uint at = point + back * hop;
        sum += points_of(dual, at) * points_of(data + (ulong)(number - back) * FRAME_POINTS, at);
    }
    if (oldest == reach - 1 && newest == 0)
        return sum;
    vector all = 0, found = 0;
    for (uint back = 0; back < reach; back++) {
        const vector weight = points_of(dual, point + back * hop);
        all += weight * weight;
    }
    const vector divisor = DIVISOR(all);
    for (uint back = newest; back <= oldest; back++) {
        const vector weight = divisor * points_of(dual, point + back * hop);
        found += weight * weight;
    }
    return SAMPLE_NEAR_END(sum, divisor, found);
}

/* The dual window; samples wanted of a signal, of which the first is point `before` of its first frame; frames of a
 * signal; samples from one frame to the next; how many frames hold a sample; where the first signal begins, and samples
 * from one signal to the next. */
kernel WIDE void overlapAdd(global const real *data, global real *signals, global const real *dual, ulong samples,
                            uint frames, uint hop, uint reach, ulong before, ulong start, ulong pitch)
{
    const ulong signal = get_global_id(2);
    data += signal * frames * FRAME_POINTS;
    signals += start + signal * pitch;
#if WIDTH == 1
    const sample_index t = get_global_id(0), at = t + (sample_index)before, number = at / hop;
    if (t < (sample_index)samples)
        signals[t] = samples_at(data, dual, frames, hop, reach, number, at - number * hop);
#else
    const ulong item = get_global_id(0), items = get_global_size(0);
    const ulong first = before / hop, stretches = (before + samples - 1) / hop + 1 - first;
    const ulong end = first + stretches * (item + 1) / items;
    for (ulong number = first + stretches * item / items; number < end; number++) {
        const ulong begin = number * hop;
        const uint stop = min((ulong)hop, before + samples - begin);
        uint point = begin < before ? before - begin : 0;
        global real *target = signals + (begin + point - before);
        for (; point < stop; point += WIDTH, target += WIDTH) {
            const vector values = samples_at(data, dual, frames, hop, reach, number, point);
            if (point + WIDTH <= stop)
                *(global loose *)target = values;
            else
                for (uint i = 0; point + i < stop; i++)
                    target[i] = ((const real *)&values)[i];
        }
    }
#endif
}
