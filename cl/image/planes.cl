/* planes: how pixels become numbers and numbers become pixels, for kernels and for hooks.
 *
 * An array holds one image, or a stack of them, with CHANNELS values a pixel, in any order in memory.
 * For a filter every channel of every image, or the luma alone of each, is a plane of its own, in
 * whose middle the image lies when the plane is larger. Alpha is no plane: it is copied. */
#ifndef COMPLEX /* a macro of prelude.cl, which the kernel around a hook has included */
#include "prelude.cl"
#endif

#ifndef PIXEL
#define PIXEL uchar /* what an image holds: an integer type, real, or half */
#endif
#ifndef HALF_PIXELS
#define HALF_PIXELS 0 /* 1: PIXEL is half, which kernels read by vload_half alone */
#endif
#ifndef RESULT_PIXEL
#define RESULT_PIXEL PIXEL /* what the result holds: PIXEL, or real */
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

#ifndef PIXEL_STEP
#define PIXEL_STEP CHANNELS /* elements from one pixel of the image to its right neighbour */
#endif
#ifndef PIXEL_CHANNEL
#define PIXEL_CHANNEL 1 /* elements from one channel of a pixel to the next */
#endif
#ifndef RESULT_STEP
#define RESULT_STEP CHANNELS /* as PIXEL_STEP, of the result */
#endif
#ifndef RESULT_CHANNEL
#define RESULT_CHANNEL 1 /* as PIXEL_CHANNEL, of the result */
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
#ifndef ODD_BEFORE
#define ODD_BEFORE 0 /* where an odd number of rows or columns surrounds the image, 1: one more stands before it */
#endif

#ifndef REAL_PLANES
#define REAL_PLANES 0 /* 1: filtered planes hold real numbers, 0: complex ones */
#endif
#ifndef MAGNITUDE
#define MAGNITUDE 1 /* a result's value: 1: its magnitude, 0: its real part */
#endif

#ifndef LOGARITHMIC
#define LOGARITHMIC 0 /* 1: planes hold logarithms of the brightness, 0: the brightness itself */
#endif
#ifndef GREY_STEP
#define GREY_STEP 1 /* to what the logarithm of black belongs, as a part of white: one of 256 greys */
#endif

#define SCALE_NONE 0
#define SCALE_CLIP 1
#define SCALE_MAX 2
#define SCALE_STRETCH 3
#ifndef SCALE
#define SCALE SCALE_MAX /* which range of values becomes 0 .. top: all, 0 .. top, 0 .. max, min .. max */
#endif

/* For hooks, which reach a plane's elements by one index over all planes. */
#ifndef PLANE_ROWS
#define PLANE_ROWS 1 /* rows of a plane */
#endif
#ifndef PLANE_COLUMNS
#define PLANE_COLUMNS 1 /* columns of a plane */
#endif
#ifndef IMAGE_ROWS
#define IMAGE_ROWS PLANE_ROWS /* rows of the image in its middle */
#endif
#ifndef IMAGE_COLUMNS
#define IMAGE_COLUMNS PLANE_COLUMNS /* columns of the image in its middle */
#endif
#ifndef PLACE_TYPE
#define PLACE_TYPE ulong /* of an index over all planes; uint where it is enough */
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
#if ODD_BEFORE /* for the transform, the last place lies directly before the first one */
    if (i == plane - 1 && (plane - image) % 2)
        index -= plane;
#endif
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
    return where.x + image_begin(axes, image, 0) + (long)y * where.y + (long)x * PIXEL_STEP;
}

static inline long target_place(long2 where, global const long *axes, uint image, size_t y, size_t x)
{
    return where.x + image_begin(axes, image, 1) + (long)y * where.y + (long)x * RESULT_STEP;
}

/* Channel `channel` of the pixel at element `place`. */
static inline real channel_of(global const PIXEL *image, long place, uint channel)
{
    long element = place + (long)channel * PIXEL_CHANNEL;
#if HALF_PIXELS
    return vload_half(element, image);
#else
    return image[element];
#endif
}

static inline real luma(global const PIXEL *image, long place)
{
    return CONST(0.299) * channel_of(image, place, 0) + CONST(0.587) * channel_of(image, place, 1) +
           CONST(0.114) * channel_of(image, place, 2);
}

/* The brightness of the pixel at element `place` for the plane of number `plane` of its image. */
static inline real pixel_value(global const PIXEL *image, long place, uint plane)
{
    return LUMA ? luma(image, place) : channel_of(image, place, plane);
}

/* What a plane holds of a brightness, for numbers and for vectors of them; what is below 0 counts as black. */
#define PLANE_VALUE(v) (LOGARITHMIC ? log(1 + fmax(v, (v) * 0) / GREY_STEP) : (v))

/* The brightness that a filtered value of a plane stands for, for numbers and for vectors of them. */
#define BRIGHTNESS(v) (LOGARITHMIC ? (exp(v) - 1) * GREY_STEP : MAGNITUDE ? fabs(v) : (v))

/* A value on the scale of the result. What is no number stays none, whatever the range. */
static inline real scaled_value(real value, cplx range, real top)
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
static inline RESULT_PIXEL to_result(real value, real top)
{
    if (SCALE == SCALE_NONE)
        return (RESULT_PIXEL)value;
    if (ROUND)
        return (RESULT_PIXEL)clamp(rint(value), (real)0, top);
    return (RESULT_PIXEL)(isnan(value) ? value : clamp(value, (real)0, top));
}

#if defined(LANES) && LANES > 1
/* Vectors of neighbours, for CPUs. */
#define VECTOR_PIXELS (PIXEL_STEP == 1 && !LUMA && !HALF_PIXELS) /* 1: a plane's pixels are neighbours */
typedef RESULT_PIXEL result_pixels __attribute__((ext_vector_type(LANES)));
typedef PIXEL loose_pixels __attribute__((ext_vector_type(LANES), aligned(sizeof(PIXEL))));
typedef RESULT_PIXEL loose_result_pixels __attribute__((ext_vector_type(LANES), aligned(sizeof(RESULT_PIXEL))));

static inline reals load_pixels(global const PIXEL *from)
{
    return __builtin_convertvector(*(global const loose_pixels *)from, reals);
}

/* Comparisons choose the same as fmin, fmax and clamp here, and are single instructions; a sum with SHIFTED has no
 * room for a fraction, and so does what rint does. */
#if DOUBLE
#define SHIFTED 0x1p52
#else
#define SHIFTED 0x1p23f
#endif
static inline void store_results(global RESULT_PIXEL *to, reals v, real top)
{
#if SCALE != SCALE_NONE
    if (ROUND)
        v = (v + SHIFTED) - SHIFTED;
    v = v < 0 ? (reals)0 : v;
    v = v > top ? (reals)top : v;
#endif
#if ROUND
    typedef int integers __attribute__((ext_vector_type(LANES)));
    *(global loose_result_pixels *)to = __builtin_convertvector(__builtin_convertvector(v, integers), result_pixels);
#else
    *(global loose_result_pixels *)to = __builtin_convertvector(v, result_pixels);
#endif
}
#endif

/* --- hooks ---------------------------------------------------------------------------------------- */

/* Where element `index` of all planes lies: column and row of a plane, and the plane's number. */
typedef struct {
    uint column, row, plane;
} PlanePlace;

static inline PlanePlace plane_place(PLACE_TYPE index)
{
    PLACE_TYPE line = index / PLANE_COLUMNS;
    PlanePlace place = {index % PLANE_COLUMNS, line % PLANE_ROWS, line / PLANE_ROWS};
    return place;
}

static inline real padded_pixel(global const PIXEL *image, PlanePlace at, long first, long pitch,
                                global const long *axes)
{
    long x = image_index(at.column, PLANE_COLUMNS, IMAGE_COLUMNS);
    long y = image_index(at.row, PLANE_ROWS, IMAGE_ROWS);
    if (x < 0 || y < 0)
        return 0;
    long place = source_place((long2)(first, pitch), axes, at.plane / PLANES, y, x);
    return PLANE_VALUE(pixel_value(image, place, at.plane % PLANES));
}

/* In the place of a load: the number that stands at `index` where planes are nowhere in memory. */
static inline real plane_point(global const PIXEL *image, PLACE_TYPE index, long first, long pitch,
                               global const long *axes)
{
    return padded_pixel(image, plane_place(index), first, pitch, axes);
}

/* In the place of a load: of the difference of opposite edges that `plane_point` would find at `index`, what makes the
 * image's Laplacian on a torus differ from that in the plane. It is 0 but in the outer rows and columns. */
static inline real edge_difference(global const PIXEL *image, PLACE_TYPE index, long first, long pitch,
                                   global const long *axes)
{
    PlanePlace here = plane_place(index), there = here;
    uint last_row = PLANE_ROWS - 1, last_column = PLANE_COLUMNS - 1;
    int in_outer_row = here.row == 0 || here.row == last_row;
    int in_outer_column = here.column == 0 || here.column == last_column;
    real difference = 0;
    if (!in_outer_row && !in_outer_column)
        return difference;
    real value = padded_pixel(image, here, first, pitch, axes);
    if (in_outer_row) {
        there.row = last_row - here.row;
        difference += padded_pixel(image, there, first, pitch, axes) - value;
    }
    if (in_outer_column) {
        there = here, there.column = last_column - here.column;
        difference += padded_pixel(image, there, first, pitch, axes) - value;
    }
    return difference;
}

/* In the place of a store: a filtered number becomes a pixel, unless it lies outside of the image. */
static inline void store_point(global RESULT_PIXEL *result, PLACE_TYPE index, real value, long first,
                               long pitch, global const long *axes, real top)
{
    PlanePlace at = plane_place(index);
    uint x = at.column - (PLANE_COLUMNS - IMAGE_COLUMNS) / 2;
    uint y = at.row - (PLANE_ROWS - IMAGE_ROWS) / 2;
    if (x >= IMAGE_COLUMNS || y >= IMAGE_ROWS) /* also where they would be negative */
        return;
    long place = target_place((long2)(first, pitch), axes, at.plane / PLANES, y, x);
    result[place + (long)(at.plane % PLANES) * RESULT_CHANNEL] =
        to_result(BRIGHTNESS(value), top);
}

#ifdef POINT_OF_TWO
static inline source_vector plane_vector(global const PIXEL *image, PLACE_TYPE index, uint offset,
                                         long first, long pitch, global const long *axes)
{
    PlanePlace at = plane_place(index + offset);
    real one = padded_pixel(image, at, first, pitch, axes);
    at.column++;
    return (source_vector)(one, padded_pixel(image, at, first, pitch, axes));
}
static inline source_vector edge_differences(global const PIXEL *image, PLACE_TYPE index, uint offset,
                                             long first, long pitch, global const long *axes)
{
    index += offset;
    return (source_vector)(edge_difference(image, index, first, pitch, axes),
                           edge_difference(image, index + 1, first, pitch, axes));
}
#elif VECTOR_LOADS
static inline source_vector edge_differences(global const PIXEL *image, PLACE_TYPE index, uint offset,
                                             long first, long pitch, global const long *axes)
{
    PlanePlace at = plane_place(index + offset);
    uint count = sizeof(source_vector) / sizeof(real);
    source_vector v = 0;
    int in_outer_row = at.row == 0 || at.row == PLANE_ROWS - 1;
    if (in_outer_row || at.column == 0 || at.column + count >= PLANE_COLUMNS)
        LOOP(uint i = 0; i < count; i++)
            ((real *)&v)[i] = edge_difference(image, index + offset + i, first, pitch, axes);
    return v;
}

/* Whether `count` neighbours from an element on lie in the image, whose pixel (x, y) is the first one. */
static inline int are_inside(PlanePlace at, uint count, uint *x, uint *y)
{
    *x = at.column - (PLANE_COLUMNS - IMAGE_COLUMNS) / 2, *y = at.row - (PLANE_ROWS - IMAGE_ROWS) / 2;
    return *x < IMAGE_COLUMNS && *x + count <= IMAGE_COLUMNS && *y < IMAGE_ROWS;
}

/* As many neighbours of a row as a vector of the source has, `offset` behind `index`. */
static inline source_vector plane_vector(global const PIXEL *image, PLACE_TYPE index, uint offset,
                                         long first, long pitch, global const long *axes)
{
    PlanePlace at = plane_place(index + offset);
    uint x, y, count = sizeof(source_vector) / sizeof(real);
    source_vector v;
    if (!are_inside(at, count, &x, &y)) {
        LOOP(uint i = 0; i < count; i++, at.column++)
            ((real *)&v)[i] = padded_pixel(image, at, first, pitch, axes);
        return v;
    }
    long place = source_place((long2)(first, pitch), axes, at.plane / PLANES, y, x);
#if VECTOR_PIXELS
    place += (long)(at.plane % PLANES) * PIXEL_CHANNEL;
    UNROLL for (uint i = 0; i < count; i += LANES)
        ((reals *)&v)[i / LANES] = PLANE_VALUE(load_pixels(image + place + i));
#else
    LOOP(uint i = 0; i < count; i++)
        ((real *)&v)[i] = PLANE_VALUE(pixel_value(image, place + (long)i * PIXEL_STEP, at.plane % PLANES));
#endif
    return v;
}
#endif

#if VECTOR_STORES
static inline void store_pixels(global RESULT_PIXEL *result, PLACE_TYPE index, target_vector v,
                                long first, long pitch, global const long *axes, real top)
{
    uint x, y, count = sizeof(target_vector) / sizeof(real);
    PlanePlace at = plane_place(index);
    if (RESULT_STEP != 1 || !are_inside(at, count, &x, &y)) {
        LOOP(uint i = 0; i < count; i++)
            store_point(result, index + i, ((real *)&v)[i], first, pitch, axes, top);
        return;
    }
    result += target_place((long2)(first, pitch), axes, at.plane / PLANES, y, x);
    result += (long)(at.plane % PLANES) * RESULT_CHANNEL;
    UNROLL for (uint i = 0; i < count; i += LANES) {
        reals part = ((reals *)&v)[i / LANES];
        store_results(result + i, BRIGHTNESS(part), top);
    }
}
#endif
