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

#define PAD_ZEROS 0
#define PAD_EDGE 1
#define PAD_REFLECT 2
#define PAD_SYMMETRIC 3
#define PAD_RAMP 4
#ifndef PADDING
#define PADDING PAD_ZEROS /* what stands outside of a signal, with NumPy's names: PAD_EDGE, its mirror image without
                         (PAD_REFLECT) or with the last sample (PAD_SYMMETRIC), or a linear PAD_RAMP down to zero */
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
#ifndef NEAR
#define NEAR 1 /* 1: there is less of it on one side than a signal has samples */
#endif
#ifndef PAIRS
#define PAIRS 0 /* 1: signals, and what lies outside, begin and end at even samples, and so do all frames */
#endif
#ifndef FAR
#define FAR 0 /* 1: there are 2^31 points or samples, or more */
#endif

#if FAR
typedef ulong frame_index; /* over the points of all frames */
typedef long sample_index; /* over those of a signal, and what lies outside */
#else
typedef uint frame_index;
typedef int sample_index;
#endif

/* The first signal's first sample, and how far the next signal is; samples of a signal and its frames; samples
 * from one frame to the next, and from the first one's start to the signal's; samples outside on either side. */
#define FRAMING_PARAMETERS                                                                         \
    global const real *window, ulong first, ulong pitch, ulong samples, uint frames, uint hop, long before, \
        uint pad
#define FRAMING window, first, pitch, samples, frames, hop, before, pad

/* The sample that stands at a place outside of a signal, or the one that is there. All of this is without branches,
 * between which compilers would wait for each sample before they ask for the next. */
static inline sample_index place_of(sample_index at, sample_index last)
{
#if PADDING == PAD_REFLECT || PADDING == PAD_SYMMETRIC
    const sample_index own = PADDING == PAD_SYMMETRIC; /* times that the image has the sample at an end */
#if !NEAR
    sample_index period = max(2 * (last + own), (sample_index)1);
    at %= period, at += at < 0 ? period : 0;
#endif
    at = at < 0 ? -at - own : at;
    at = at > last ? 2 * last + own - at : at;
#endif
    return clamp(at, (sample_index)0, last);
}

static inline real sample(global const real *signal, sample_index at, sample_index samples, sample_index pad)
{
#if PADDING == PAD_ZEROS
    return (frame_index)at < (frame_index)samples ? signal[at] : 0;
#else
    real value = signal[place_of(at, samples - 1)];
#if PADDING == PAD_RAMP
    sample_index away = at < 0 ? -at : at >= samples ? at - (samples - 1) : 0;
    value *= away == 0 ? 1 : away < pad ? (real)(pad - away) / pad : 0;
#endif
    return value;
#endif
}

/* Where the frame with an element of the array that is nowhere begins: the signal is moved to its own. */
static inline sample_index frame_begin(global const real **signal, frame_index index, ulong first, ulong pitch,
                                       uint frames, uint hop, sample_index before)
{
    frame_index frame = index / FRAME_POINTS;
    *signal += first;
#if SIGNALS
    *signal += frame / frames * pitch;
    frame %= frames;
#endif
    return (sample_index)(frame * hop) - before;
}

static inline real frame_point(global const real *signal, frame_index index, FRAMING_PARAMETERS)
{
    frame_index point = index % FRAME_POINTS;
    sample_index begin = frame_begin(&signal, index, first, pitch, frames, hop, before);
    real value = sample(signal, begin + (sample_index)point, samples, pad);
    return WINDOWED ? value * window[point] : value;
}

#if VECTOR_LOADS
/* As many neighbours of a frame as a vector of the source has, `offset` behind a point of the same frame: what follows
 * from the one is known once for all of a work-item's vectors. */
static inline source_vector frame_vector(global const real *signal, frame_index index, uint offset,
                                         FRAMING_PARAMETERS)
{
    uint point = index % FRAME_POINTS;
    sample_index begin = frame_begin(&signal, index, first, pitch, frames, hop, before) + (sample_index)point;
    sample_index at = begin + (sample_index)offset;
    point += offset;
    source_vector v;
#if defined(POINT_OF_TWO) && PAIRS && PADDING == PAD_ZEROS
    v = (frame_index)at < (frame_index)samples ? *(global const source_vector *)(signal + at) : (source_vector)(0);
    return WINDOWED ? v * *(global const source_vector *)(window + point) : v;
#elif defined(POINT_OF_TWO)
    v = (source_vector)(sample(signal, at, samples, pad), sample(signal, at + 1, samples, pad));
#else
    if (at >= 0 && at + (sample_index)SOURCE_STEP <= (sample_index)samples)
        v = *(global const loose_source *)(signal + at);
    else
        LOOP(uint i = 0; i < SOURCE_STEP; i++)
            ((real *)&v)[i] = sample(signal, at + (sample_index)i, samples, pad);
#endif
    return WINDOWED ? v * *(global const loose_source *)(window + point) : v;
}
#endif
