/* blocks: the ends of a convolution in the frequency domain, for hooks of its transforms.
 *
 * Block b of an axis has LENGTH points and begins at value b hop - skip of the first input, where zeros stand
 * outside of it. The blocks of all arrays of a batch, and along all axes, are an array that is nowhere: its
 * dimensions are the batch's, then the count of blocks along each axis, then the points of a block along each
 * axis. `block_point` finds an element of it, for the load of the transform there. `product` multiplies the two
 * spectra, for the load of the transform back. `store_block` drops the results that have wrapped around and those
 * that are not wanted, and stores the others where they belong in the result.
 *
 * Reference: A. V. Oppenheim, R. W. Schafer, "Discrete-Time Signal Processing", section 8.7 (overlap-save). */
#include "prelude.cl"

#ifndef AXES
#define AXES 1 /* along which the inputs are convolved */
#endif
#ifndef LENGTHS
#define LENGTHS 256 /* of the transforms along the axes, with commas between: constants divide faster */
#endif
#ifndef BINS
#define BINS 129 /* of the spectrum of a block, along all axes together */
#endif
#ifndef BATCH
#define BATCH 0 /* dimensions of the batch whose extent is not 1 */
#endif
#ifndef GRID
#define GRID 0 /* dimensions of batch and blocks along which `product` repeats one of the spectra; 0: none */
#endif
#ifndef INPUT_TYPE
#define INPUT_TYPE real /* an element of the first input: real or cplx */
#endif
#ifndef INPUT_CONJUGATED
#define INPUT_CONJUGATED 0 /* 1: the first input, which is complex, is conjugated as it is read */
#endif
#ifndef VALUE_TYPE
#define VALUE_TYPE real /* what the transform back leaves: real or cplx */
#endif
#ifndef RESULT_TYPE
#define RESULT_TYPE VALUE_TYPE /* an element of the result, of any type that VALUE_TYPE becomes */
#endif
#ifndef CONJUGATED
#define CONJUGATED 0 /* 1: the second spectrum is conjugated, which makes a correlation of the convolution */
#endif
#ifndef PLACE_TYPE
#define PLACE_TYPE ulong /* of an index over all points of all blocks; uint where it is enough */
#endif

#define AS_IT_IS 0
#define TO_INTEGER 1 /* to an integer */
#define TO_TRUTH 2   /* 1 where it is not 0 */
#define TO_HALF 3  /* to half precision */
#ifndef CONVERSION
#define CONVERSION AS_IT_IS /* how a VALUE_TYPE becomes a RESULT_TYPE */
#endif
#ifndef SAME_TYPE
#define SAME_TYPE 1 /* 1: RESULT_TYPE is VALUE_TYPE, and results may be stored by vectors; 0: they are converted */
#endif

#ifndef CONVERT
#define CONVERT convert_float /* makes a RESULT_TYPE of a VALUE_TYPE, where neither the types are the same nor CONVERSION says how */
#endif

constant uint lengths[AXES] = {LENGTHS};

/* --- in: the points of blocks ------------------------------------------------------------------- */

typedef struct {
    long count, hop, skip; /* of the blocks along an axis */
    long extent, stride;   /* of the first input */
} Cut;

typedef struct {
    long extent, stride; /* of the first input */
} Repeated;

/* What the host says about the first input: where it begins, and then its dimensions. */
#define CUTS(table) ((global const Cut *)((table) + 1))
#define REPEATED(table) ((global const Repeated *)(CUTS(table) + AXES))

/* The place of a point along each axis; returns where the point is in memory. */
static inline long find_point(long *places, PLACE_TYPE index, global const long *table)
{
    long at = table[0];
    UNROLL for (int d = AXES - 1; d >= 0; d--) {
        places[d] = index % lengths[d];
        index /= lengths[d];
    }
    UNROLL for (int d = AXES - 1; d >= 0; d--) {
        global const Cut *cut = CUTS(table) + d;
        places[d] += index % (PLACE_TYPE)cut->count * cut->hop - cut->skip;
        index /= (PLACE_TYPE)cut->count;
        at += places[d] * cut->stride;
    }
    UNROLL for (int d = BATCH - 1; d >= 0; d--) {
        global const Repeated *each = REPEATED(table) + d;
        at += index % (PLACE_TYPE)each->extent * each->stride;
        index /= (PLACE_TYPE)each->extent;
    }
    return at;
}

static inline INPUT_TYPE block_point(global const INPUT_TYPE *first, PLACE_TYPE index, global const long *table)
{
    long places[AXES];
    long at = find_point(places, index, table);
    int inside = 1;
    UNROLL for (int d = 0; d < AXES; d++)
        inside &= places[d] >= 0 && places[d] < CUTS(table)[d].extent;
    INPUT_TYPE value = inside ? first[at] : (INPUT_TYPE)(0);
#if INPUT_CONJUGATED
    value.y = -value.y;
#endif
    return value;
}

#if VECTOR_LOADS
/* As many neighbours as a vector has, of one block: all of them from memory, or one by one where some are outside. */
static inline source_vector block_points(global const INPUT_TYPE *first, PLACE_TYPE index, global const long *table)
{
    long places[AXES];
    long at = find_point(places, index, table);
    long steps = sizeof(source_vector) / sizeof(INPUT_TYPE);
    int inside = !INPUT_CONJUGATED && CUTS(table)[AXES - 1].stride == 1 && index % lengths[AXES - 1] + steps <= lengths[AXES - 1];
    UNROLL for (int d = 0; d < AXES; d++)
        inside &= places[d] >= 0 && places[d] + (d == AXES - 1 ? steps : 1) <= CUTS(table)[d].extent;
    if (inside)
        return *(global const loose_source *)(first + at);
    source_vector v;
    for (uint i = 0; i < steps; i++)
        ((INPUT_TYPE *)&v)[i] = block_point(first, index + i, table);
    return v;
}
#endif

/* --- between: the products of spectra ----------------------------------------------------------- */

typedef struct {
    long count, first, second; /* along a dimension, and how far neighbours are apart in both spectra */
} Pairing;

static inline void find_bins(ulong *first, ulong *second, PLACE_TYPE index, ulong second_begin,
                             global const long *table)
{
#if GRID
    PLACE_TYPE bin = index % BINS;
    index /= BINS;
    *first = bin, *second = second_begin + bin;
    UNROLL for (int d = GRID - 1; d >= 0; d--) {
        global const Pairing *pairing = (global const Pairing *)table + d;
        PLACE_TYPE place = index % (PLACE_TYPE)pairing->count;
        index /= (PLACE_TYPE)pairing->count;
        *first += place * pairing->first, *second += place * pairing->second;
    }
#else
    *first = index, *second = second_begin + index;
#endif
}

static inline cplx product(global const cplx *spectra, PLACE_TYPE index, ulong second_begin,
                           global const long *table)
{
    ulong first, second;
    find_bins(&first, &second, index, second_begin, table);
    cplx z = spectra[first], w = spectra[second];
    return cmul(z, CONJUGATED ? (cplx)(w.x, -w.y) : w);
}

#if VECTOR_LOADS
static inline source_vector products_of(global const cplx *spectra, PLACE_TYPE index, ulong second_begin,
                                        global const long *table)
{
    uint steps = sizeof(source_vector) / sizeof(cplx);
    source_vector v;
    if (GRID == 0 || index % BINS + steps <= BINS) {
        ulong first, second;
        find_bins(&first, &second, index, second_begin, table);
        source_vector z = *(global const loose_source *)(spectra + first);
        source_vector w = *(global const loose_source *)(spectra + second);
        if (CONJUGATED)
            w.odd = -w.odd;
        v.even = z.even * w.even - z.odd * w.odd;
        v.odd = z.even * w.odd + z.odd * w.even;
        return v;
    }
    for (uint i = 0; i < steps; i++)
        ((cplx *)&v)[i] = product(spectra, index + i, second_begin, table);
    return v;
}
#endif

/* --- out: the results that are wanted ----------------------------------------------------------- */

typedef struct {
    long count, hop, skip;      /* of the blocks along an axis */
    long turn;                  /* how far results move on, around the block */
    long start, extent, stride; /* of the result: where it begins in the full one */
} Kept;

typedef struct {
    long count;                 /* of the full result */
    long start, extent, stride; /* of the result */
} KeptOfBatch;

#define KEPT_PARTS(table) ((global const Kept *)((table) + 1))
#define KEPT_OF_BATCH(table) ((global const KeptOfBatch *)(KEPT_PARTS(table) + AXES))

/* Where `steps` neighbours go in the result, or -1 where not all of them do, or not as neighbours. */
static inline long find_result(PLACE_TYPE index, uint steps, global const long *table)
{
    long at = table[0], places[AXES];
    int kept = steps == 1 || KEPT_PARTS(table)[AXES - 1].stride == 1;
    UNROLL for (int d = AXES - 1; d >= 0; d--) {
        uint point = index % lengths[d], last = point + (d == AXES - 1 ? steps - 1 : 0);
        uint turn = KEPT_PARTS(table)[d].turn, begin = lengths[d] - turn;
        index /= lengths[d];
        kept &= last < lengths[d] && (point >= begin || last < begin);
        places[d] = point + turn - (point >= begin ? lengths[d] : 0);
    }
    UNROLL for (int d = AXES - 1; d >= 0; d--) {
        global const Kept *part = KEPT_PARTS(table) + d;
        long place = places[d] + index % (PLACE_TYPE)part->count * part->hop - part->skip - part->start;
        index /= (PLACE_TYPE)part->count;
        kept &= places[d] >= part->skip && place >= 0 &&
                place + (d == AXES - 1 ? steps : 1) <= part->extent;
        at += place * part->stride;
    }
    UNROLL for (int d = BATCH - 1; d >= 0; d--) {
        global const KeptOfBatch *part = KEPT_OF_BATCH(table) + d;
        long place = (long)(index % (PLACE_TYPE)part->count) - part->start;
        index /= (PLACE_TYPE)part->count;
        kept &= place >= 0 && place < part->extent;
        at += place * part->stride;
    }
    return kept ? at : -1;
}

static inline void store_block(global RESULT_TYPE *result, PLACE_TYPE index, VALUE_TYPE value, global const long *table)
{
    long at = find_result(index, 1, table);
    if (at < 0)
        return;
#if CONVERSION == TO_INTEGER
    value = rint(value);
    result[at] = value < 0 ? (RESULT_TYPE)(long)value : (RESULT_TYPE)(ulong)value;
#elif CONVERSION == TO_TRUTH
    result[at] = rint(value) != 0;
#elif CONVERSION == TO_HALF
    vstore_half(value, at, result);
#elif SAME_TYPE
    result[at] = value;
#else
    result[at] = CONVERT(value);
#endif
}

#if VECTOR_STORES
static inline void store_blocks(global RESULT_TYPE *result, PLACE_TYPE index, target_vector v,
                                global const long *table)
{
    uint steps = sizeof(target_vector) / sizeof(VALUE_TYPE);
    long at = SAME_TYPE ? find_result(index, steps, table) : -1;
    if (at >= 0) {
        *(global loose_target *)(result + at) = v;
        return;
    }
    for (uint i = 0; i < steps; i++)
        store_block(result, index + i, ((VALUE_TYPE *)&v)[i], table);
}
#endif
