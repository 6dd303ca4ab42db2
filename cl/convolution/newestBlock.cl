/* newestBlock: the last product of a convolution by partitions, in the place of a transform's first load.
 *
 * `sums` has what all other partitions make of earlier blocks. The first partition and the newest block are multiplied
 * here, so that this product has no launch of its own. The spectra are as partitions.cl has them. */
#include "prelude.cl"

#ifndef ROW_BINS
#define ROW_BINS 144 /* bins from one row of a spectrum to the next */
#endif
#ifndef TERMS
#define TERMS 1 /* inputs that an output hears */
#endif
#ifndef DIAGONAL
#define DIAGONAL 0 /* 1: output o hears input o alone; 0: it hears the first TERMS inputs */
#endif

/* Where the rows of a term begin: that of the partition, and that of the newest block. */
#define RESPONSE_ROW(output, term) (((ulong)(output) * TERMS + (term)) * ROW_BINS)
#define BLOCK_ROW(output, term) ((ulong)(DIAGONAL ? (output) : (term)) * ROW_BINS)

static inline cplx newest_bin(global const cplx *newest, ulong index, global const cplx *response,
                              global const cplx *sums)
{
    uint output = index / ROW_BINS, bin = index % ROW_BINS;
    cplx sum = sums[index];
    for (uint term = 0; term < TERMS; term++)
        sum += cmul(response[RESPONSE_ROW(output, term) + bin], newest[BLOCK_ROW(output, term) + bin]);
    return sum;
}

#if VECTOR_LOADS
static inline source_vector newest_bins(global const cplx *newest, ulong index,
                                        global const cplx *response, global const cplx *sums)
{
    uint output = index / ROW_BINS, bin = index % ROW_BINS;
    source_vector sum = *(global const loose_source *)(sums + index);
    for (uint term = 0; term < TERMS; term++) {
        source_vector w = *(global const loose_source *)(response + RESPONSE_ROW(output, term) + bin);
        source_vector z = *(global const loose_source *)(newest + BLOCK_ROW(output, term) + bin);
        sum.even += w.even * z.even - w.odd * z.odd;
        sum.odd += w.even * z.odd + w.odd * z.even;
    }
    return sum;
}
#endif
