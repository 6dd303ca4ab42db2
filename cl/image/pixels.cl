/* Pixels to complex numbers and back: the two ends of an image filter, so that an image crosses the
 * bus as it lies in its file. Where the planes are real numbers (REAL_PLANES), the first transform
 * reads the pixels by itself (planes.cl), and these kernels are the second end alone. */
#include "image/extremes.cl"
#include "image/magnitude.cl"

#ifndef GROUP
#define GROUP 64 /* work-group size of the extrema kernels: a power of two */
#endif

#if REAL_PLANES
typedef real plane_element;
#else
typedef cplx plane_element;
#endif

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
        value = PLANE_VALUE(pixel_value(image, source_place(source, axes, plane / PLANES, y, x), plane % PLANES));
    planes[((size_t)plane * frame.rows + row) * frame.columns + column] = (cplx)(value, 0);
}

/* The value of image pixel (x, y) in a plane. */
static inline real value_at(global const plane_element *planes, Frame frame, uint plane, size_t y, size_t x)
{
    size_t row = y + (frame.rows - frame.height) / 2;
    size_t column = x + (frame.columns - frame.width) / 2;
    plane_element z = planes[((size_t)plane * frame.rows + row) * frame.columns + column];
#if REAL_PLANES
    return BRIGHTNESS(z);
#else
    return MAGNITUDE ? magnitude(z) : BRIGHTNESS(z.x);
#endif
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
void extrema(global const plane_element *data, global const PIXEL *image, global real4 *parts, uint4 sizes,
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

/* The range of each image's values that is spread over the result's. */
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
    if (get_local_id(0) == 0)
        range[number] = range_of(extremes[0]);
}

/* Range: (column, row, image), exact in its last dimension. `image` is the input: its alpha is copied,
 * and for the luma's colours every channel keeps its distance from the brightness. */
kernel void storePixels(global const plane_element *planes, global RESULT_PIXEL *result, global const cplx *range,
                        global const PIXEL *image, uint4 sizes, long2 source, long2 target,
                        global const long *axes, real top)
{
    Frame frame = make_frame(sizes);
    size_t x = get_global_id(0), y = get_global_id(1);
    size_t number = STACK ? get_global_id(2) : 0; /* a constant makes faster code on CPUs */
    if (x >= frame.width || y >= frame.height)
        return;
    long place = source_place(source, axes, number, y, x);
    global RESULT_PIXEL *pixel = result + target_place(target, axes, number, y, x);
    cplx known_range = SCALE >= SCALE_MAX ? range[number] : (cplx)(0, 0);
    for (uint channel = 0; channel < COLOURS; channel++) {
        real value = value_at(planes, frame, number * PLANES + (LUMA ? 0 : channel), y, x);
        value = scaled_value(value, known_range, top);
        if (LUMA)
            value += channel_of(image, place, channel) - luma(image, place);
        pixel[(long)channel * RESULT_CHANNEL] = to_result(value, top);
    }
    if (CHANNELS > COLOURS)
        pixel[COLOURS * (long)RESULT_CHANNEL] = (RESULT_PIXEL)channel_of(image, place, COLOURS);
}
