/* gain: what a filter leaves of the bins of a two-dimensional spectrum, for kernels and for hooks: by
 * the rule of a band, or by a mask, an array of a caller's own gains.
 *
 * The spectrum has DC at its corner and its indices wrap: bin k of n lies |k| or n - k from DC. The
 * squared distance is an integer, row_weight * dr^2 + column_weight * dc^2; the weights are 1 where
 * distances are counted in bins and make up for unlike lengths where they are frequencies. So which
 * bins an ideal filter passes is decided without any rounding. */
#include "prelude.cl"

#define LOWPASS 0
#define HIGHPASS 1
#define BANDPASS 2
#define BANDSTOP 3
#ifndef KIND
#define KIND HIGHPASS /* which of these band_gain is */
#endif

#define IDEAL 0
#define GAUSSIAN 1
#define BUTTERWORTH 2
#ifndef SHAPE
#define SHAPE IDEAL /* how band_gain goes from pass to stop */
#endif

#ifndef KEEP_DC
#define KEEP_DC 0 /* 1: band_gain leaves DC, the mean, as it is */
#endif

#ifndef SPECTRUM_ROWS
#define SPECTRUM_ROWS 1 /* of a spectrum in memory, for gain_at and masked_at: constants divide faster */
#endif
#ifndef SPECTRUM_COLUMNS
#define SPECTRUM_COLUMNS 1 /* likewise */
#endif

#ifndef MASK_TYPE
#define MASK_TYPE float /* what a mask, which is an array of a caller's own gains, holds */
#endif
#ifndef COMPLEX_MASK
#define COMPLEX_MASK 0 /* 1: MASK_TYPE is float2 or double2, 0: it is a type of real numbers */
#endif
#ifndef HALF_MASK
#define HALF_MASK 0 /* 1: a mask holds the columns 0 .. n / 2 of the spectrum's n, 0: all of them */
#endif
#ifndef MASK_BEGIN
#define MASK_BEGIN 0 /* a mask's first element in its buffer */
#endif
#ifndef MASK_ROW
#define MASK_ROW 1 /* elements from one row of a mask to the next */
#endif
#ifndef MASK_COLUMN
#define MASK_COLUMN 1 /* elements from one column of a mask to the next */
#endif

#ifndef PLACE_TYPE
#define PLACE_TYPE ulong /* of an index over all spectra; uint where it is enough */
#endif

static inline ulong squared_distance(ulong row, ulong column, uint rows, uint columns,
                                     ulong row_weight, ulong column_weight)
{
    ulong dc = min(column, columns - column), dr = min(row, rows - row);
    return row_weight * dr * dr + column_weight * dc * dc;
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

/* Gain of a band: low pass at `high`, high pass at `low`, band pass low <= r < high as their product,
 * band stop as its complement. */
static inline real band_gain(ulong distance, ulong low_first, ulong high_first, real low_cutoff,
                             real high_cutoff, real order)
{
    real gain = 1;
    if (KIND != HIGHPASS)
        gain *= lowpass_gain(distance, high_first, high_cutoff, order);
    if (KIND != LOWPASS)
        gain *= 1 - lowpass_gain(distance, low_first, low_cutoff, order);
    if (KIND == BANDSTOP)
        gain = 1 - gain;
    if (KEEP_DC && distance == 0)
        gain = 1;
    return gain;
}

/* Gain of element `index` of spectra one after the other, for a hook. */
static inline real gain_at(ulong index, ulong row_weight, ulong column_weight, ulong low_first,
                           ulong high_first, real low_cutoff, real high_cutoff, real order)
{
    PLACE_TYPE place = index;
    PLACE_TYPE row = place / SPECTRUM_COLUMNS % SPECTRUM_ROWS, column = place % SPECTRUM_COLUMNS;
    ulong distance = squared_distance(row, column, SPECTRUM_ROWS, SPECTRUM_COLUMNS, row_weight,
                                      column_weight);
    return band_gain(distance, low_first, high_first, low_cutoff, high_cutoff, order);
}

/* A mask's own gain of a bin. */
static inline cplx mask_gain(global const MASK_TYPE *mask, uint row, uint column)
{
    MASK_TYPE gain = mask[MASK_BEGIN + (long)row * MASK_ROW + (long)column * MASK_COLUMN];
#if COMPLEX_MASK
    return (cplx)(gain.x, gain.y);
#else
    return (cplx)(gain, 0);
#endif
}

/* The gain that a mask has for a bin of a spectrum of rows x columns. Half a mask says of the bins in
 * its other half that they are the conjugates of their mirror images, and a column that is its own
 * mirror image becomes symmetric, too: the filtered image is real, as irfft2 makes it. */
static inline cplx gain_of_mask(global const MASK_TYPE *mask, uint row, uint column, uint rows,
                                uint columns)
{
#if HALF_MASK
    uint opposite = row ? rows - row : 0, across = column ? columns - column : 0;
    if (column < across)
        return mask_gain(mask, row, column);
    cplx mirrored = mask_gain(mask, opposite, across) * (cplx)(1, -1);
    if (column > across)
        return mirrored;
    return R(0.5) * (mask_gain(mask, row, column) + mirrored);
#else
    return mask_gain(mask, row, column);
#endif
}

/* A bin of a spectrum, multiplied by its gain. */
static inline cplx masked(cplx value, global const MASK_TYPE *mask, uint row, uint column, uint rows,
                          uint columns)
{
    cplx gain = gain_of_mask(mask, row, column, rows, columns);
    return COMPLEX_MASK ? cmul(value, gain) : value * gain.x;
}

/* Element `index` of spectra one after the other, multiplied by its gain, for a hook. The spectra lie
 * transposed in memory: a row there is a column of the mask. */
static inline cplx masked_at(cplx value, ulong index, global const MASK_TYPE *mask)
{
    PLACE_TYPE place = index;
    uint column = place / SPECTRUM_COLUMNS % SPECTRUM_ROWS, row = place % SPECTRUM_COLUMNS;
    return masked(value, mask, row, column, SPECTRUM_COLUMNS, SPECTRUM_ROWS);
}
