/* highPassFilter and its relatives: gains for the bins of a two-dimensional spectrum, in place.
 *
 * The spectrum has DC at its corner and its indices wrap: bin k of n lies |k| or n - k from DC. The
 * squared distance is an integer, row_weight * dr^2 + column_weight * dc^2; the weights are 1 where
 * distances are counted in bins and make up for unlike lengths where they are frequencies. So which
 * bins an ideal filter passes is decided without any rounding. Range: (column, row, image), exact
 * in its last dimension. */
#include "prelude.cl"

#define LOWPASS 0
#define HIGHPASS 1
#define BANDPASS 2
#define BANDSTOP 3
#ifndef KIND
#define KIND HIGHPASS /* which of these bandFilter is */
#endif

#define IDEAL 0
#define GAUSSIAN 1
#define BUTTERWORTH 2
#ifndef SHAPE
#define SHAPE IDEAL /* how bandFilter goes from pass to stop */
#endif

#ifndef KEEP_DC
#define KEEP_DC 0 /* 1: bandFilter leaves DC, the mean, as it is */
#endif

static inline ulong squared_distance(uint rows, uint columns, ulong row_weight,
                                     ulong column_weight)
{
    ulong column = get_global_id(0), row = get_global_id(1);
    ulong dc = min(column, columns - column), dr = min(row, rows - row);
    return row_weight * dr * dr + column_weight * dc * dc;
}

static inline size_t element(uint rows, uint columns)
{
    return (get_global_id(2) * (size_t)rows + get_global_id(1)) * columns + get_global_id(0);
}

/* The textbook's: zero where the squared distance is below `pass_from`, all else as it is. */
kernel void highPassFilter(global cplx *data, uint rows, uint columns, ulong row_weight,
                           ulong column_weight, ulong pass_from)
{
    if (get_global_id(0) >= columns || get_global_id(1) >= rows)
        return;
    if (squared_distance(rows, columns, row_weight, column_weight) < pass_from)
        data[element(rows, columns)] = (cplx)(0, 0);
}

/* Gain of the low pass. `first_stopped` is the least squared distance that an ideal one stops,
 * `cutoff` the squared distance at which a Gaussian has fallen to exp(-1/2) and a Butterworth filter
 * to 1/2. With a cut-off of 0 nothing passes. */
static inline real lowpass_gain(ulong distance, ulong first_stopped, real cutoff, real order)
{
#if SHAPE == IDEAL
    return distance < first_stopped;
#else
    if (cutoff == 0)
        return 0;
    real ratio = (real)distance / cutoff;
#if SHAPE == GAUSSIAN
    return exp(R(-0.5) * ratio);
#else
    return 1 / (1 + pow(ratio, order));
#endif
#endif
}

/* All the relatives: low pass at `high`, high pass at `low`, band pass low <= r < high as their
 * product, band stop as its complement. */
kernel void bandFilter(global cplx *data, uint rows, uint columns, ulong row_weight,
                       ulong column_weight, ulong low_first, ulong high_first, real low_cutoff,
                       real high_cutoff, real order)
{
    if (get_global_id(0) >= columns || get_global_id(1) >= rows)
        return;
    ulong distance = squared_distance(rows, columns, row_weight, column_weight);
    real gain = 1;
    if (KIND != HIGHPASS)
        gain *= lowpass_gain(distance, high_first, high_cutoff, order);
    if (KIND != LOWPASS)
        gain *= 1 - lowpass_gain(distance, low_first, low_cutoff, order);
    if (KIND == BANDSTOP)
        gain = 1 - gain;
    if (KEEP_DC && distance == 0)
        gain = 1;
    data[element(rows, columns)] *= gain;
}
