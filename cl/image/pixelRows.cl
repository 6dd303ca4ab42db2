/* pixelRows: the second end of an image filter on CPUs, whose work-items take whole rows by vectors.
 *
 * pixels.cl does the same where neighbouring work-items take neighbouring pixels. Here the planes hold real
 * numbers. Range: (work-item, image); the rows of an image are shared among its work-items. */
#ifndef LANES
#define LANES 4 /* numbers in a vector: 16 for AVX-512, 8 for AVX, half of it in double precision */
#endif
#include "vectors.cl"
#include "radix.cl"
#include "image/extremes.cl"

typedef reals loose_reals __attribute__((aligned(sizeof(real))));

/* The rows of an image, or of its planes, that a work-item takes. */
#define EACH_ROW(row, rows)                                                                        \
    for (size_t row = (size_t)(rows) * get_group_id(0) / get_num_groups(0),                        \
                end = (size_t)(rows) * (get_group_id(0) + 1) / get_num_groups(0);                  \
         row < end; row++)

/* The first value of row y of an image in a plane. */
static inline global const real *row_of(global const real *planes, Frame frame, size_t plane, size_t y)
{
    size_t row = plane * frame.rows + y + (frame.rows - frame.height) / 2;
    return planes + row * frame.columns + (frame.columns - frame.width) / 2;
}

static inline reals values_of(global const real *line)
{
    reals v = *(global const loose_reals *)line;
    return BRIGHTNESS(v);
}

/* Extremes of each image, one for each work-item. */
kernel WIDE __attribute__((reqd_work_group_size(1, 1, 1)))
void extremaOfRows(global const real *data, global const PIXEL *image, global real4 *parts, uint4 sizes,
                   long2 source, global const long *axes)
{
    Frame frame = make_frame(sizes);
    uint number = get_group_id(1);
    size_t first_plane = (size_t)number * PLANES;
    real first = row_of(data, frame, first_plane, 0)[0];
    first = BRIGHTNESS(first);
    reals least = INFINITY, greatest = -INFINITY, peak = 0; /* NaNs are neither less nor greater */
    EACH_ROW(row, (size_t)frame.height * PLANES)
    {
        uint plane = row / frame.height, y = row % frame.height, x = 0;
        global const real *line = row_of(data, frame, first_plane + plane, y);
        long place = source_place(source, axes, number, y, 0);
#if VECTOR_PIXELS
        global const PIXEL *pixels = image + place + (long)plane * PIXEL_CHANNEL;
#endif
        LOOP(; x + LANES <= frame.width; x += LANES)
        {
            reals v = values_of(line + x);
            least = v < least ? v : least, greatest = v > greatest ? v : greatest;
#if VECTOR_PIXELS
            reals pixel = fabs(load_pixels(pixels + x));
            peak = pixel > peak ? pixel : peak;
#endif
        }
        LOOP(; x < frame.width; x++)
        {
            real value = BRIGHTNESS(line[x]);
            least.s0 = fmin(least.s0, value), greatest.s0 = fmax(greatest.s0, value);
#if VECTOR_PIXELS
            peak.s0 = fmax(peak.s0, fabs(pixel_value(image, place + (long)x * PIXEL_STEP, plane)));
#endif
        }
#if !VECTOR_PIXELS
        real highest = peak.s0;
        for (x = 0; x < frame.width; x++)
            highest = fmax(highest, fabs(pixel_value(image, place + (long)x * PIXEL_STEP, plane)));
        peak.s0 = highest;
#endif
    }
    real4 mine = (real4)(first, first, 0, 0);
    LOOP(uint lane = 0; lane < LANES; lane++)
        mine = join(mine, (real4)(((real *)&least)[lane], ((real *)&greatest)[lane], ((real *)&peak)[lane], 0));
    parts[number * get_num_groups(0) + get_group_id(0)] = mine;
}

/* `count` parts of each image's extremes tell the range that is spread over the result's. */
kernel WIDE __attribute__((reqd_work_group_size(1, 1, 1)))
void storeRows(global const real *planes, global RESULT_PIXEL *result, global const real4 *parts,
               global const PIXEL *image, uint4 sizes, long2 source, long2 target,
               global const long *axes, uint count, real top)
{
    Frame frame = make_frame(sizes);
    uint number = get_group_id(1);
    cplx range = (cplx)(0, 0);
    real factor = 1;
#if SCALE >= SCALE_MAX
    real4 all = parts[(size_t)number * count];
    for (uint i = 1; i < count; i++)
        all = join(all, parts[(size_t)number * count + i]);
    range = range_of(all);
    factor = range.y > range.x ? top / (range.y - range.x) : 0;
#endif
    EACH_ROW(y, frame.height)
    {
        global const PIXEL *pixels = image + source_place(source, axes, number, y, 0);
        global RESULT_PIXEL *to = result + target_place(target, axes, number, y, 0);
        for (uint channel = 0; channel < COLOURS; channel++) {
            global const real *line = row_of(planes, frame, (size_t)number * PLANES + (LUMA ? 0 : channel), y);
            uint x = 0;
#if RESULT_STEP == 1 && !LUMA
            LOOP(; x + LANES <= frame.width; x += LANES)
                store_results(to + (long)channel * RESULT_CHANNEL + x,
                              (values_of(line + x) - range.x) * factor, top);
#endif
            for (; x < frame.width; x++) {
                real value = scaled_value(BRIGHTNESS(line[x]), range, top);
                if (LUMA)
                    value += channel_of(pixels, (long)x * PIXEL_STEP, channel) - luma(pixels, (long)x * PIXEL_STEP);
                to[(long)x * RESULT_STEP + (long)channel * RESULT_CHANNEL] = to_result(value, top);
            }
        }
        if (CHANNELS > COLOURS)
            for (uint x = 0; x < frame.width; x++)
                to[(long)x * RESULT_STEP + (long)COLOURS * RESULT_CHANNEL] =
                    (RESULT_PIXEL)channel_of(pixels, (long)x * PIXEL_STEP, COLOURS);
    }
}
