/* frames: the points of a signal's overlapping frames, for a hook in the place of a transform's first load.
 *
 * A transform of frames reads an array that is nowhere: point p of frame f of signal s is element
 * (s FRAMES + f) FRAME_POINTS + p of it, and sample f hop - before + p of the signal, times window[p]. What lies
 * outside of the signal is PADDING. So frames overlap, are cut at their ends and weighted, and nobody ever
 * writes them down.
 *
 * References: J. B. Allen, L. R. Rabiner, "A unified approach to short-time Fourier analysis and synthesis", Proc.
 * IEEE 65 (1977).
 */
#include "prelude.cl"

#define ZEROS 0
#define EDGE 1
#define REFLECT 2
#define SYMMETRIC 3
#define RAMP 4
#ifndef PADDING
#define PADDING ZEROS /* what stands outside of a signal, with NumPy's names: EDGE, its mirror image without
                         (REFLECT) or with the last sample (SYMMETRIC), or a linear RAMP down to zero */
#endif
#ifndef FRAME_POINTS
#define FRAME_POINTS 2048 /* of a frame */
#endif
#ifndef SIGNALS
#define SIGNALS 0 /* 1: there are several, one after the other */
#endif
#ifndef WINDOWED
#define WINDOWED 1 /* 0: all points weigh 1 */
#endif
#ifndef PLACE_TYPE
#define PLACE_TYPE ulong /* of an index over all frames; uint where it is enough */
#endif

/* The first signal's first sample, and how far the next signal is; samples of a signal and its frames; samples
 * from one frame to the next, and from the first one's start to the signal's. */
#define FRAMING_PARAMETERS                                                                         \
    global const real *window, ulong first, ulong pitch, ulong samples, uint frames, uint hop, long before
#define FRAMING window, first, pitch, samples, frames, hop, before

/* What a signal is continued by. */
static inline real outside(global const real *signal, long at, ulong samples, long before)
{
    long last = (long)samples - 1;
#if PADDING == EDGE
    return signal[at < 0 ? 0 : last];
#elif PADDING == REFLECT || PADDING == SYMMETRIC
    long period = 2 * (last + (PADDING == SYMMETRIC));
    if (period == 0)
        return signal[0];
    at %= period;
    at += at < 0 ? period : 0;
    return signal[at <= last ? at : period - at - (PADDING == SYMMETRIC)];
#elif PADDING == RAMP
    long away = at < 0 ? -at : at - last;
    return away < before ? signal[at < 0 ? 0 : last] * ((real)(before - away) / before) : 0;
#else
    return 0;
#endif
}

static inline real sample(global const real *signal, long at, ulong samples, long before)
{
    return (ulong)at < samples ? signal[at] : outside(signal, at, samples, before);
}

/* Where the frame with an element of the array that is nowhere begins: the signal is moved to its own. */
static inline long frame_begin(global const real **signal, PLACE_TYPE index, ulong first, ulong pitch, uint frames,
                               uint hop, long before)
{
    PLACE_TYPE frame = index / FRAME_POINTS;
    *signal += first;
#if SIGNALS
    *signal += frame / frames * pitch;
    frame %= frames;
#endif
    return (long)((ulong)frame * hop) - before;
}

static inline real frame_point(global const real *signal, PLACE_TYPE index, FRAMING_PARAMETERS)
{
    PLACE_TYPE point = index % FRAME_POINTS;
    long begin = frame_begin(&signal, index, first, pitch, frames, hop, before);
    real value = sample(signal, begin + (long)point, samples, before);
    return WINDOWED ? value * window[point] : value;
}

#if VECTOR_HOOKS
/* As many neighbours of a frame as a vector of the source has. */
static inline source_vector frame_vector(global const real *signal, PLACE_TYPE index, FRAMING_PARAMETERS)
{
    PLACE_TYPE point = index % FRAME_POINTS;
    long at = frame_begin(&signal, index, first, pitch, frames, hop, before) + (long)point;
    source_vector v;
    if (at >= 0 && at + (long)SOURCE_STEP <= (long)samples)
        v = *(global const loose_source *)(signal + at);
    else
        LOOP(uint i = 0; i < SOURCE_STEP; i++)
            ((real *)&v)[i] = sample(signal, at + i, samples, before);
    return WINDOWED ? v * *(global const loose_source *)(window + point) : v;
}
#endif
