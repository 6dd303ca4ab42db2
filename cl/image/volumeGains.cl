/* volumeGains: what a filter in three dimensions leaves of the bins of half a spectrum, for hooks.
 *
 * gain.cl says what a band leaves at a squared distance from DC; here this distance has a part along the slices, too. */
#include "gain.cl"

#ifndef SPECTRUM_SLICES
#define SPECTRUM_SLICES 1 /* slices of a spectrum in memory */
#endif

/* The part of the squared distance of element `index` of a spectrum from DC that is the same for its whole row. */
static inline DISTANCE_TYPE row_distance(PLACE_TYPE index, ulong slice_weight, ulong row_weight)
{
    PLACE_TYPE line = index / SPECTRUM_PITCH;
    uint row = line % SPECTRUM_ROWS, slice = line / SPECTRUM_ROWS;
    DISTANCE_TYPE dr = min(row, SPECTRUM_ROWS - row), ds = min(slice, SPECTRUM_SLICES - slice);
    return SQUARED_DISTANCE(ds, dr, (DISTANCE_TYPE)slice_weight, (DISTANCE_TYPE)row_weight);
}

/* What remains of element `index` of half a spectrum. */
static inline real volume_gain(PLACE_TYPE index, ulong slice_weight, BAND_PARAMETERS)
{
    uint column = index % SPECTRUM_PITCH;
    DISTANCE_TYPE dc = min(column, SPECTRUM_COLUMNS - column);
    DISTANCE_TYPE distance = row_distance(index, slice_weight, row_weight) + dc * dc * (DISTANCE_TYPE)column_weight;
    return band_gain(distance, low_first, high_first, low_cutoff, high_cutoff, order);
}

#if VECTOR_STORES
/* The complex numbers of a vector, from element `index` of half a spectrum on, times their gains. */
static inline target_vector times_volume_gains(target_vector v, PLACE_TYPE index, ulong slice_weight, BAND_PARAMETERS)
{
    uint first = index % SPECTRUM_PITCH;
    distances distance = row_distance(index, slice_weight, row_weight);
    UNROLL for (uint i = 0; i < LANES; i++) {
        DISTANCE_TYPE dc = min(first + i, SPECTRUM_COLUMNS - (first + i));
        ((DISTANCE_TYPE *)&distance)[i] += dc * dc * (DISTANCE_TYPE)column_weight;
    }
    reals gains = BAND_GAIN(lowpass_gains(distance, low_first, low_cutoff, order),
                            lowpass_gains(distance, high_first, high_cutoff, order));
    if (KEEP_DC)
        gains = fmax(gains, -__builtin_convertvector(distance == 0, reals));
    v.even *= gains, v.odd *= gains;
    return v;
}
#endif
