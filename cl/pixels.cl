/* Pixels to complex numbers and back: the two ends of an image filter, so that an image crosses the
 * bus as it lies in its file.
 *
 * Images have CHANNELS interleaved values a pixel. On the device every channel, or their luma alone,
 * is a plane of its own, in whose middle the image lies when the plane is larger. */
#include "prelude.cl"

#ifndef PIXEL
#define PIXEL uchar /* uchar, ushort, or real for float images */
#endif
#ifndef RESULT
#define RESULT PIXEL /* PIXEL, or real for values without a scale */
#endif
#ifndef ROUND
#define ROUND 1 /* 1: results are integers, 0: real numbers */
#endif
#ifndef CHANNELS
#define CHANNELS 1 /* values a pixel: 1 or 3 */
#endif
#ifndef LUMA
#define LUMA 0 /* 1: one plane of brightness (ITU-R BT.601), colours kept; 0: a plane a channel */
#endif

#define PAD_ZERO 0
#define PAD_EDGE 1
#define PAD_MIRROR 2
#ifndef PAD
#define PAD PAD_ZERO /* what stands around the image */
#endif

#ifndef MAGNITUDE
#define MAGNITUDE 1 /* a result's value: 1: its magnitude, 0: its real part */
#endif

#define SCALE_NONE 0
#define SCALE_CLIP 1
#define SCALE_MAX 2
#define SCALE_STRETCH 3
#ifndef SCALE
#define SCALE SCALE_MAX /* which range of values becomes 0 .. top: all, 0 .. top, 0 .. max, min .. max */
#endif

#ifndef GROUP
#define GROUP 64 /* work-group size of the extrema kernels: a power of two */
#endif

/* Where a plane of rows x columns has an image of height x width in its middle. */
typedef struct {
    uint rows, columns, height, width;
} Frame;

static inline Frame make_frame(uint4 sizes)
{
    Frame frame = {sizes.x, sizes.y, sizes.z, sizes.w};
    return frame;
}

/* Index within the image of plane index i along one side, or -1 for none. */
static inline long image_index(uint i, uint plane, uint image)
{
    long index = (long)i - (plane - image) / 2;
#if PAD == PAD_EDGE
    return clamp(index, 0L, (long)image - 1);
#elif PAD == PAD_MIRROR
    long period = 2 * (long)image; /* ... 2 1 0 0 1 2 ...: the edge itself is mirrored too */
    index = (index % period + period) % period;
    return index < image ? index : period - 1 - index;
#else
    return index >= 0 && index < image ? index : -1;
#endif
}

static inline real luma(global const PIXEL *pixel)
{
#if CHANNELS == 3
    return R(0.299) * pixel[0] + R(0.587) * pixel[1] + R(0.114) * pixel[2];
#else
    return pixel[0];
#endif
}

/* Range: (column, row, plane). */
kernel void loadPixels(global const PIXEL *image, global cplx *planes, uint4 sizes)
{
    Frame frame = make_frame(sizes);
    uint column = get_global_id(0), row = get_global_id(1), plane = get_global_id(2);
    if (column >= frame.columns || row >= frame.rows)
        return;
    long x = image_index(column, frame.columns, frame.width);
    long y = image_index(row, frame.rows, frame.height);
    real value = 0;
    if (x >= 0 && y >= 0) {
        global const PIXEL *pixel = image + (y * frame.width + x) * CHANNELS;
        value = LUMA ? luma(pixel) : (real)pixel[plane];
    }
    planes[((size_t)plane * frame.rows + row) * frame.columns + column] = (cplx)(value, 0);
}

/* The value of image pixel (x, y) in a plane. */
static inline real value_at(global const cplx *planes, Frame frame, uint plane, size_t y, size_t x)
{
    size_t row = y + (frame.rows - frame.height) / 2;
    size_t column = x + (frame.columns - frame.width) / 2;
    cplx z = planes[((size_t)plane * frame.rows + row) * frame.columns + column];
    return MAGNITUDE ? sqrt(z.x * z.x + z.y * z.y) : z.x;
}

/* Smallest and largest of a group's pairs, left in extremes[0]. */
static inline void reduce_extremes(local cplx *extremes)
{
    uint lane = get_local_id(0);
    for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < half_size) {
            cplx other = extremes[lane + half_size];
            extremes[lane].x = fmin(extremes[lane].x, other.x);
            extremes[lane].y = fmax(extremes[lane].y, other.y);
        }
    }
}

/* Smallest and largest value of the image within `planes` planes, one pair for each group. A pass of
 * one group over these pairs (extremaOfParts) then gives the pair of all: no atomics, and the same
 * result every time. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void extrema(global const cplx *data, global cplx *parts, uint4 sizes, uint planes)
{
    Frame frame = make_frame(sizes);
    local cplx extremes[GROUP];
    size_t pixels = (size_t)frame.height * frame.width;
    real first = value_at(data, frame, 0, 0, 0);
    cplx mine = (cplx)(first, first);
    for (size_t i = get_global_id(0); i < pixels * planes; i += get_global_size(0)) {
        size_t place = i % pixels;
        real value = value_at(data, frame, i / pixels, place / frame.width, place % frame.width);
        mine = (cplx)(fmin(mine.x, value), fmax(mine.y, value));
    }
    extremes[get_local_id(0)] = mine;
    reduce_extremes(extremes);
    if (get_local_id(0) == 0)
        parts[get_group_id(0)] = extremes[0];
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void extremaOfParts(global const cplx *parts, global cplx *range, uint count)
{
    local cplx extremes[GROUP];
    cplx mine = parts[0];
    for (uint i = get_local_id(0); i < count; i += GROUP)
        mine = (cplx)(fmin(mine.x, parts[i].x), fmax(mine.y, parts[i].y));
    extremes[get_local_id(0)] = mine;
    reduce_extremes(extremes);
    if (get_local_id(0) == 0)
        *range = extremes[0];
}

/* A value on the scale of the result. */
static inline real scaled(real value, cplx range, real top)
{
#if SCALE == SCALE_MAX
    return range.y > 0 ? value * (top / range.y) : 0;
#elif SCALE == SCALE_STRETCH
    return range.y > range.x ? (value - range.x) * (top / (range.y - range.x)) : 0;
#else
    return value;
#endif
}

/* A scaled value as what the result holds: without a scale as it is, else within 0 .. top. */
static inline RESULT to_result(real value, real top)
{
    if (SCALE == SCALE_NONE)
        return (RESULT)value;
    return (RESULT)clamp(ROUND ? rint(value) : value, (real)0, top);
}

/* Range: (column, row) of the image. `image` is the input, looked at only for the luma's colours:
 * every channel keeps its distance from the brightness. */
kernel void storePixels(global const cplx *planes, global RESULT *result, global const cplx *range,
                        global const PIXEL *image, uint4 sizes, real top)
{
    Frame frame = make_frame(sizes);
    size_t x = get_global_id(0), y = get_global_id(1);
    if (x >= frame.width || y >= frame.height)
        return;
    size_t first = (y * frame.width + x) * CHANNELS;
    cplx known_range = SCALE >= SCALE_MAX ? *range : (cplx)(0, 0);
    for (uint channel = 0; channel < CHANNELS; channel++) {
        real value = value_at(planes, frame, LUMA ? 0 : channel, y, x);
        value = scaled(value, known_range, top);
        if (LUMA)
            value += image[first + channel] - luma(image + first);
        result[first + channel] = to_result(value, top);
    }
}
