/* Pixels to complex numbers and back: the two ends of an image filter, so that an image crosses the
 * bus as it lies in its file.
 *
 * An array holds one image, or a stack of them, with CHANNELS values a pixel, in any order in memory.
 * On the device every channel of every image, or the luma alone of each, is a plane of its own, in
 * whose middle the image lies when the plane is larger. Alpha is no plane: it is copied. */
#include "prelude.cl"

#ifndef PIXEL
#define PIXEL uchar /* what an image holds: an integer type, real, or half */
#endif
#ifndef HALF_PIXELS
#define HALF_PIXELS 0 /* 1: PIXEL is half, which kernels read by vload_half alone */
#endif
#ifndef RESULT
#define RESULT PIXEL /* what the result holds: PIXEL, or real */
#endif
#ifndef ROUND
#define ROUND 1 /* 1: results are integers, 0: real numbers */
#endif
#ifndef CHANNELS
#define CHANNELS 1 /* values a pixel: 1, 3, or 4 with alpha */
#endif
#ifndef LUMA
#define LUMA 0 /* 1: of colours one plane of brightness (ITU-R BT.601); 0: a plane for each channel */
#endif
#define COLOURS (CHANNELS == 4 ? 3 : CHANNELS) /* values a pixel without alpha */
#define PLANES (LUMA ? 1 : COLOURS)            /* of one image */

#ifndef SOURCE_STEP
#define SOURCE_STEP CHANNELS /* elements from one pixel of the image to its right neighbour */
#endif
#ifndef SOURCE_CHANNEL
#define SOURCE_CHANNEL 1 /* elements from one channel of a pixel to the next */
#endif
#ifndef TARGET_STEP
#define TARGET_STEP CHANNELS /* as SOURCE_STEP, of the result */
#endif
#ifndef TARGET_CHANNEL
#define TARGET_CHANNEL 1 /* as SOURCE_CHANNEL, of the result */
#endif
#ifndef STACK
#define STACK 0 /* axes of the array beside rows, columns and channels: 0 for one image */
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

#if DOUBLE
#define NOISE 0x1p-47 /* errors of two transforms, in parts of the image's greatest magnitude */
#else
#define NOISE 0x1p-18f
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

/* Elements from the first image of a stack to image number `image`. For each axis of the stack, the
 * last one first, `axes` holds its extent, its stride in the source and its stride in the target. */
static inline long image_begin(global const long *axes, uint image, uint side)
{
    long begin = 0;
    for (uint axis = 0; axis < STACK; axis++) {
        uint extent = axes[3 * axis];
        begin += image % extent * axes[3 * axis + 1 + side];
        image /= extent;
    }
    return begin;
}

/* The element of the first channel of pixel (x, y) in the image that is filtered, or in the result.
 * `where` holds the array's first element and the number of elements from one row to the next. */
static inline long source_place(long2 where, global const long *axes, uint image, size_t y, size_t x)
{
    return where.x + image_begin(axes, image, 0) + (long)y * where.y + (long)x * SOURCE_STEP;
}

static inline long target_place(long2 where, global const long *axes, uint image, size_t y, size_t x)
{
    return where.x + image_begin(axes, image, 1) + (long)y * where.y + (long)x * TARGET_STEP;
}

/* Channel `channel` of the pixel at element `place`. */
static inline real channel_of(global const PIXEL *image, long place, uint channel)
{
    long element = place + (long)channel * SOURCE_CHANNEL;
#if HALF_PIXELS
    return vload_half(element, image);
#else
    return image[element];
#endif
}

static inline real luma(global const PIXEL *image, long place)
{
    return R(0.299) * channel_of(image, place, 0) + R(0.587) * channel_of(image, place, 1) +
           R(0.114) * channel_of(image, place, 2);
}

/* What a plane, the one of number `plane` of its image, holds of the pixel at element `place`. */
static inline real pixel_value(global const PIXEL *image, long place, uint plane)
{
    return LUMA ? luma(image, place) : channel_of(image, place, plane);
}

/* Range: (column, row, plane), exact in its last dimension. */
kernel void loadPixels(global const PIXEL *image, global cplx *planes, uint4 sizes, long2 source,
                       global const long *axes)
{
    Frame frame = make_frame(sizes);
    uint column = get_global_id(0), row = get_global_id(1), plane = get_global_id(2);
    if (column >= frame.columns || row >= frame.rows)
        return;
    long x = image_index(column, frame.columns, frame.width);
    long y = image_index(row, frame.rows, frame.height);
    real value = 0;
    if (x >= 0 && y >= 0)
        value = pixel_value(image, source_place(source, axes, plane / PLANES, y, x), plane % PLANES);
    planes[((size_t)plane * frame.rows + row) * frame.columns + column] = (cplx)(value, 0);
}

/* The magnitude of z: its squares would overflow long before it does, and hypot() is slow on CPUs. */
static inline real magnitude(cplx z)
{
    real x = fabs(z.x), y = fabs(z.y);
    real larger = x > y ? x : y, smaller = x > y ? y : x;
    real ratio = larger > 0 ? smaller / larger : 0;
    return larger * sqrt(1 + ratio * ratio);
}

/* The value of image pixel (x, y) in a plane. */
static inline real value_at(global const cplx *planes, Frame frame, uint plane, size_t y, size_t x)
{
    size_t row = y + (frame.rows - frame.height) / 2;
    size_t column = x + (frame.columns - frame.width) / 2;
    cplx z = planes[((size_t)plane * frame.rows + row) * frame.columns + column];
    return MAGNITUDE ? magnitude(z) : z.x;
}

/* Extremes: x the least and y the greatest value of a result, z the greatest magnitude in the image,
 * which tells how large rounding errors are. */
static inline real4 join(real4 a, real4 b)
{
    return (real4)(fmin(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z), 0);
}

/* Joins what the work-items of a group have found, and leaves it in extremes[0]. */
static inline void join_group(local real4 *extremes)
{
    uint lane = get_local_id(0);
    for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < half_size)
            extremes[lane] = join(extremes[lane], extremes[lane + half_size]);
    }
}

/* Extremes of each image, one for each group. A pass of one group an image over these
 * (extremaOfParts) then joins them: no atomics, and the same result every time.
 * Range: (work-item, image); exact in both. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void extrema(global const cplx *data, global const PIXEL *image, global real4 *parts, uint4 sizes,
             long2 source, global const long *axes)
{
    Frame frame = make_frame(sizes);
    local real4 extremes[GROUP];
    uint number = get_group_id(1), first_plane = number * PLANES;
    real first = value_at(data, frame, first_plane, 0, 0);
    real4 mine = (real4)(first, first, 0, 0);
    for (size_t row = get_group_id(0); row < (size_t)frame.height * PLANES;
         row += get_num_groups(0)) {
        uint plane = row / frame.height;
        size_t y = row % frame.height;
        for (size_t x = get_local_id(0); x < frame.width; x += GROUP) {
            real value = value_at(data, frame, first_plane + plane, y, x);
            real pixel = fabs(pixel_value(image, source_place(source, axes, number, y, x), plane));
            mine = join(mine, (real4)(value, value, pixel, 0));
        }
    }
    extremes[get_local_id(0)] = mine;
    join_group(extremes);
    if (get_local_id(0) == 0)
        parts[number * get_num_groups(0) + get_group_id(0)] = extremes[0];
}

/* The range of an image's values that is spread over the result's. It is empty where the values differ by no
 * more than rounding errors: a flat image then stays flat rather than show amplified errors. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void extremaOfParts(global const real4 *parts, global cplx *range, uint count)
{
    local real4 extremes[GROUP];
    uint number = get_group_id(1);
    parts += number * count;
    real4 mine = parts[0];
    for (uint i = get_local_id(0); i < count; i += GROUP)
        mine = join(mine, parts[i]);
    extremes[get_local_id(0)] = mine;
    join_group(extremes);
    if (get_local_id(0) == 0) {
        real4 all = extremes[0];
        real start = SCALE == SCALE_STRETCH ? all.x : 0;
        range[number] = (cplx)(start, all.y - start > NOISE * all.z ? all.y : start);
    }
}

/* A value on the scale of the result. What is no number stays none, whatever the range. */
static inline real scaled(real value, cplx range, real top)
{
#if SCALE >= SCALE_MAX
    if (range.y > range.x)
        return (value - range.x) * (top / (range.y - range.x));
    return isnan(value) ? value : 0;
#else
    return value;
#endif
}

/* A scaled value as what the result holds: without a scale as it is, else within 0 .. top. A real
 * number that is none stays so. */
static inline RESULT to_result(real value, real top)
{
    if (SCALE == SCALE_NONE)
        return (RESULT)value;
    if (ROUND)
        return (RESULT)clamp(rint(value), (real)0, top);
    return (RESULT)(isnan(value) ? value : clamp(value, (real)0, top));
}

/* Range: (column, row, image), exact in its last dimension. `image` is the input: its alpha is copied,
 * and for the luma's colours every channel keeps its distance from the brightness. */
kernel void storePixels(global const cplx *planes, global RESULT *result, global const cplx *range,
                        global const PIXEL *image, uint4 sizes, long2 source, long2 target,
                        global const long *axes, real top)
{
    Frame frame = make_frame(sizes);
    size_t x = get_global_id(0), y = get_global_id(1);
    size_t number = STACK ? get_global_id(2) : 0; /* a constant makes faster code on CPUs */
    if (x >= frame.width || y >= frame.height)
        return;
    long place = source_place(source, axes, number, y, x);
    global RESULT *pixel = result + target_place(target, axes, number, y, x);
    cplx known_range = SCALE >= SCALE_MAX ? range[number] : (cplx)(0, 0);
    for (uint channel = 0; channel < COLOURS; channel++) {
        real value = value_at(planes, frame, number * PLANES + (LUMA ? 0 : channel), y, x);
        value = scaled(value, known_range, top);
        if (LUMA)
            value += channel_of(image, place, channel) - luma(image, place);
        pixel[(long)channel * TARGET_CHANNEL] = to_result(value, top);
    }
    if (CHANNELS > COLOURS)
        pixel[COLOURS * (long)TARGET_CHANNEL] = (RESULT)channel_of(image, place, COLOURS);
}
