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
#define SPECTRUM_ROWS 1 /* of a spectrum in memory, for hooks: constants divide faster */
#endif
#ifndef SPECTRUM_COLUMNS
#define SPECTRUM_COLUMNS 1 /* likewise; all of them, where the columns 0 .. n / 2 alone are in memory */
#endif
#ifndef SPECTRUM_PITCH
#define SPECTRUM_PITCH SPECTRUM_COLUMNS /* elements from one row of a spectrum in memory to the next */
#endif
#ifndef SPECTRUM_TRANSPOSED
#define SPECTRUM_TRANSPOSED 1 /* 1: a row in memory is a column of a mask; 0: it is a row */
#endif
#ifndef REAL_RESULT
#define REAL_RESULT 0 /* 1: of what a mask makes of an image, the real part alone is wanted */
#endif
#ifndef DISTANCE_TYPE
#define DISTANCE_TYPE ulong /* of squared distances; uint where it is enough */
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

/* The squared distance of a bin from DC, for numbers and for vectors of them. */
#define SQUARED_DISTANCE(dr, dc, row_weight, column_weight)                                        \
    ((row_weight) * (dr) * (dr) + (dc) * (dc) * (column_weight))

static inline ulong squared_distance(ulong row, ulong column, uint rows, uint columns,
                                     ulong row_weight, ulong column_weight)
{
    ulong dc = min(column, columns - column), dr = min(row, rows - row);
    return SQUARED_DISTANCE(dr, dc, row_weight, column_weight);
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
    return exp(CONST(-0.5) * ratio);
#else
    return 1 / (1 + pow(ratio, order));
#endif
#endif
}

/* Gain of a band, made of those of the low passes at its ends: low pass at `high`, high pass at `low`, band pass
 * low <= r < high as their product, band stop as its complement. */
#define BAND_GAIN(below_low, below_high)                                                           \
    (KIND == LOWPASS    ? (below_high)                                                             \
     : KIND == HIGHPASS ? 1 - (below_low)                                                          \
     : KIND == BANDPASS ? (below_high) * (1 - (below_low))                                         \
                        : 1 - (below_high) * (1 - (below_low)))

static inline real band_gain(ulong distance, ulong low_first, ulong high_first, real low_cutoff,
                             real high_cutoff, real order)
{
    if (KEEP_DC && distance == 0)
        return 1;
    return BAND_GAIN(lowpass_gain(distance, low_first, low_cutoff, order),
                     lowpass_gain(distance, high_first, high_cutoff, order));
}

/* The bin of a spectrum with element `index` of spectra one after the other: its row and column in memory. */
typedef struct {
    uint row, column;
} Bin;

static inline Bin bin_at(PLACE_TYPE index)
{
    Bin bin = {index / SPECTRUM_PITCH % SPECTRUM_ROWS, index % SPECTRUM_PITCH};
    return bin;
}

/* What a hook is given of a band. */
#define BAND_PARAMETERS                                                                            \
    ulong row_weight, ulong column_weight, ulong low_first, ulong high_first, real low_cutoff,     \
        real high_cutoff, real order

/* Gain of element `index` of spectra, for a hook. */
static inline real gain_at(ulong index, BAND_PARAMETERS)
{
    Bin bin = bin_at(index);
    DISTANCE_TYPE dr = min(bin.row, SPECTRUM_ROWS - bin.row);
    DISTANCE_TYPE dc = min(bin.column, SPECTRUM_COLUMNS - bin.column);
    DISTANCE_TYPE distance = SQUARED_DISTANCE(dr, dc, (DISTANCE_TYPE)row_weight, (DISTANCE_TYPE)column_weight);
    return band_gain(distance, low_first, high_first, low_cutoff, high_cutoff, order);
}

#if VECTOR_STORES
/* Gains of neighbours in a row of a spectrum, a vector of them at once. */
typedef DISTANCE_TYPE distances __attribute__((ext_vector_type(LANES)));

static inline reals lowpass_gains(distances distance, DISTANCE_TYPE first_stopped, real cutoff, real order)
{
#if SHAPE == IDEAL
    return -__builtin_convertvector(distance < first_stopped, reals); /* what is true is -1 */
#else
    if (cutoff == 0)
        return 0;
    reals ratio = __builtin_convertvector(distance, reals) / cutoff;
#if SHAPE == GAUSSIAN
    return exp(CONST(-0.5) * ratio);
#else
    return 1 / (1 + pow(ratio, (reals)order));
#endif
#endif
}

/* The complex numbers of a vector, from element `index` of spectra on, times their gains. */
static inline target_vector times_gains(target_vector v, ulong index, BAND_PARAMETERS)
{
    Bin bin = bin_at(index);
    distances lane;
    UNROLL for (uint i = 0; i < LANES; i++)
        ((DISTANCE_TYPE *)&lane)[i] = i;
    DISTANCE_TYPE dr = min(bin.row, SPECTRUM_ROWS - bin.row);
#if SHAPE == IDEAL && (KIND == HIGHPASS || KIND == BANDSTOP)
    /* All of a row passes if it is far enough from DC. Most rows are. */
    if (dr * dr * (DISTANCE_TYPE)row_weight >= (DISTANCE_TYPE)(KIND == HIGHPASS ? low_first : high_first))
        return v;
#endif
    distances column = lane + (DISTANCE_TYPE)bin.column, dc = min(column, SPECTRUM_COLUMNS - column);
    distances distance = SQUARED_DISTANCE(dr, dc, (DISTANCE_TYPE)row_weight, (DISTANCE_TYPE)column_weight);
    reals gains = BAND_GAIN(lowpass_gains(distance, low_first, low_cutoff, order),
                            lowpass_gains(distance, high_first, high_cutoff, order));
    if (KEEP_DC)
        gains = fmax(gains, -__builtin_convertvector(distance == 0, reals));
    v.even *= gains, v.odd *= gains;
    return v;
}
#endif

/* Element `index` of the spectrum of `edge_difference` (planes.cl), made that of the smooth part of an image: of the
 * function with this Laplacian on a torus, and with the mean 0. */
static inline cplx smooth_part(cplx value, ulong index, global const real *down, global const real *across)
{
    Bin bin = bin_at(index);
    real laplacian = down[bin.row] + across[bin.column]; /* the Laplacian's gain: 0 for DC, negative for all others */
    return laplacian < 0 ? value / laplacian : (cplx)(0, 0);
}

#if VECTOR_STORES
typedef target_vector loose_targets __attribute__((aligned(sizeof(real))));

/* The complex numbers from element `index` of spectra on. */
static inline target_vector values_at(global const cplx *spectra, ulong index)
{
    return *(global const loose_targets *)(spectra + index);
}

/* As `smooth_part`, for a vector of neighbours in a row. */
static inline target_vector smooth_parts(target_vector v, ulong index, global const real *down, global const real *across)
{
    typedef reals loose_gains_across __attribute__((aligned(sizeof(real))));
    Bin bin = bin_at(index);
    reals laplacian = down[bin.row] + *(global const loose_gains_across *)(across + bin.column);
    reals factors = laplacian < 0 ? 1 / laplacian : (reals)0;
    v.even *= factors, v.odd *= factors;
    return v;
}
#endif

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
 * mirror image becomes symmetric, too: the filtered image is real, as irfft2 makes it. A whole mask
 * becomes symmetric where the real part of what it makes of a real image is wanted. */
static inline cplx gain_of_mask(global const MASK_TYPE *mask, uint row, uint column, uint rows,
                                uint columns)
{
    uint opposite = row ? rows - row : 0, across = column ? columns - column : 0;
#if HALF_MASK
    if (column < across)
        return mask_gain(mask, row, column);
    cplx mirrored = mask_gain(mask, opposite, across) * (cplx)(1, -1);
    if (column > across)
        return mirrored;
#elif REAL_RESULT
    cplx mirrored = mask_gain(mask, opposite, across) * (cplx)(1, -1);
#endif
#if HALF_MASK || REAL_RESULT
    return CONST(0.5) * (mask_gain(mask, row, column) + mirrored);
#else
    (void)opposite, (void)across;
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

/* Element `index` of spectra, multiplied by its gain, for a hook. */
static inline cplx masked_at(cplx value, ulong index, global const MASK_TYPE *mask)
{
    Bin bin = bin_at(index);
#if SPECTRUM_TRANSPOSED
    return masked(value, mask, bin.column, bin.row, SPECTRUM_COLUMNS, SPECTRUM_ROWS);
#else
    return masked(value, mask, bin.row, bin.column, SPECTRUM_ROWS, SPECTRUM_COLUMNS);
#endif
}

#if VECTOR_STORES
/* Half a mask's gains lie side by side as the spectrum does: a vector of them at once, but for columns that are their
 * own mirror images. */
#if HALF_MASK && !COMPLEX_MASK && !SPECTRUM_TRANSPOSED && MASK_COLUMN == 1
#define VECTOR_GAINS 1
typedef MASK_TYPE loose_gains __attribute__((ext_vector_type(LANES), aligned(sizeof(MASK_TYPE))));
#else
#define VECTOR_GAINS 0
#endif

/* The complex numbers of a vector times a mask's gain of DC. */
static inline target_vector times_dc_masked(target_vector v, global const MASK_TYPE *mask)
{
    LOOP(uint i = 0; i < LANES; i++)
        ((cplx *)&v)[i] = masked_at(((cplx *)&v)[i], 0, mask);
    return v;
}

/* The complex numbers of a vector, from element `index` of spectra on, times a mask's gains. */
static inline target_vector times_masked(target_vector v, ulong index, global const MASK_TYPE *mask)
{
#if VECTOR_GAINS
    Bin bin = bin_at(index);
    uint last = bin.column + LANES - 1;
    if (bin.column > 0 && last < SPECTRUM_COLUMNS - last) {
        global const MASK_TYPE *from = mask + MASK_BEGIN + (long)bin.row * MASK_ROW + bin.column;
        reals gains = __builtin_convertvector(*(global const loose_gains *)from, reals);
        v.even *= gains, v.odd *= gains;
        return v;
    }
#endif
    LOOP(uint i = 0; i < LANES; i++)
        ((cplx *)&v)[i] = masked_at(((cplx *)&v)[i], index + i, mask);
    return v;
}
#endif
