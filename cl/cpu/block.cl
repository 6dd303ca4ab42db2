/* block: what cols.cl does at a time, a vector full of neighbouring transforms.
 *
 *     batch       | block | block | block | ...      along the dimension of the lanes
 *     block       lane 0, lane 1 ... : transforms side by side
 *     transform   point 0, point 1 ...
 *
 * A row may be a matrix whose columns, or rows, are the transforms of a launch: then element i ROW_COLUMNS + c of the
 * row is point i of transform c.
 */
#include "cpu/share.cl"

#ifndef N
#define N 16 /* points that are transformed */
#endif
#ifndef LENGTH
#define LENGTH N /* points of the transform: with a chirp and a spectrum at most (N + 1) / 2 */
#endif
#ifndef CHIRP_FIRST
#define CHIRP_FIRST 0 /* 1: Bluestein's chirp multiplies the points before the transform, */
#endif
#ifndef CHIRP_LAST
#define CHIRP_LAST 0 /* 1: and the results after it */
#endif
#ifndef SPECTRUM
#define SPECTRUM 0 /* 1: the launch convolves: it transforms, multiplies by a spectrum and transforms back */
#endif
#ifndef SOURCE
#define SOURCE COMPLEX /* what src holds: COMPLEX, REAL, HERMITIAN */
#endif
#ifndef TARGET
#define TARGET COMPLEX /* what dst receives: COMPLEX, HERMITIAN (src is REAL), REAL (it is HERMITIAN) */
#endif
#ifndef FILLED
#define FILLED ALL_ELEMENTS /* elements of a transform in the source: the others are zero */
#endif
#define ALL_ELEMENTS (SOURCE == HERMITIAN ? HALF_SPECTRUM : SOURCE == REAL ? LENGTH << PACKED : LENGTH)
#define HALF_SPECTRUM (PACKED ? LENGTH + 1 : LENGTH / 2 + 1)
#ifndef PACKED
#define PACKED 0 /* 1: two neighbouring real numbers of a transform are a point */
#endif
#ifndef PAIR
#define PAIR 0 /* 1: a lane has two transforms, of columns of one real row */
#endif
#ifndef REAL_RADIX
#define REAL_RADIX 0 /* R > 0: rows of an odd length begin, or end, with a stage of radix R for real numbers */
#endif
#ifndef FROM_ROWS
#define FROM_ROWS 0 /* 1: points of a transform are neighbours in the source; there are at least LANES */
#endif
#ifndef TO_ROWS
#define TO_ROWS 0 /* 1: they are in the target; there are at least LANES */
#endif
#ifndef SPREAD_IN
#define SPREAD_IN 0 /* 1: in the source neither points nor transforms are neighbours */
#endif
#ifndef SPREAD_OUT
#define SPREAD_OUT 0 /* 1: nor are they in the target */
#endif
#ifndef COLLECTED
#define COLLECTED 0 /* 1: rows of results wait in scratch memory until all can be stored as one run of whole lines */
#endif
#ifndef RAGGED
#define RAGGED 0 /* 1: the last block of transforms leaves lanes empty */
#endif
#ifndef INNER
#define INNER 0 /* 1: dimension 0 of the batch is not that of the lanes, which is the next one */
#endif
#ifndef TWIST
#define TWIST 0 /* 1: results are multiplied by roots of unity; points instead, if the launch has the last chirp */
#endif
#ifndef ROW_COLUMNS
#define ROW_COLUMNS 0 /* of a row that is a matrix, whose columns are the transforms */
#endif
#ifndef ROW_FILLED
#define ROW_FILLED 0 /* 1: fewer elements of such a row may be in the source: the others are zero */
#endif
#ifndef ROW_OUTPUTS
#define ROW_OUTPUTS 0 /* 1: fewer elements of such a row may be wanted */
#endif
#ifndef FOLD_IN
#define FOLD_IN 0 /* 1: the source has the first half of such a row, and the other one is its conjugate */
#endif
#ifndef FOLD_OUT
#define FOLD_OUT 0 /* 1: the target has the first half of rows */
#endif
#define CONVOLVES (SPECTRUM || BACK)
#define BLUESTEIN (CHIRP_FIRST && CHIRP_LAST) /* the launch does all of it, for transforms of LENGTH points */

/* --- elements ------------------------------------------------------------------------------------- */

#define TRANSFORMS (LANES << PAIR) /* of a block */
#define TWO_IN_ONE (PACKED || PAIR || REAL_RADIX) /* two real numbers are a point */
#define WIDENED (SOURCE == REAL && !TWO_IN_ONE)   /* a real number is a point, whose imaginary part is zero */
#define NARROWED (TARGET == REAL && !TWO_IN_ONE)  /* or what remains of one */

/* A vector of real numbers is one part of LANES points, unless the two parts of each point are neighbours. */
#define LOADS_PARTS (SOURCE == REAL && !(PACKED && FROM_ROWS))
#define STORES_PARTS (TARGET == REAL && !(PACKED && TO_ROWS))
#if SOURCE == REAL
typedef real source_element;
#else
typedef cplx source_element;
#endif
#if LOADS_PARTS
typedef reals source_vector;
#else
typedef points source_vector;
#endif
#if TARGET == REAL
typedef real target_element;
#else
typedef cplx target_element;
#endif
#if STORES_PARTS
typedef reals target_vector;
#else
typedef points target_vector;
#endif
#include "cpu/access.cl"

/* Elements of the source, or of the target, from the first of a transform to its point i. */
#define SOURCE_ELEMENT(i) ((i) << (PACKED && SOURCE == REAL))
#define TARGET_ELEMENT(i) ((i) << (PACKED && TARGET == REAL))

/* How long transforms are. */
typedef struct {
    uint points; /* that are transformed, */
    uint length; /* and those of the transform that is wanted */
    uint filled; /* elements of a transform in the source: the others are zero */
} Sizes;

/* The elements of half a spectrum. */
static INLINE uint half_of(Sizes sizes)
{
    return PACKED ? sizes.length + 1 : sizes.length / 2 + 1;
}

/* The elements of a transform in the source, if none are missing. */
static INLINE uint whole_of(Sizes sizes)
{
    return SOURCE == HERMITIAN ? half_of(sizes) : SOURCE == REAL ? sizes.length << PACKED : sizes.length;
}

/* The points of a transform that have an element in the source. */
static INLINE uint filled_points(Sizes sizes)
{
    return SOURCE == REAL ? (sizes.filled + PACKED) >> PACKED : sizes.filled;
}

/* The points of a transform that the target takes. */
static INLINE uint outputs_of(Sizes sizes)
{
    return TARGET == HERMITIAN ? half_of(sizes) : sizes.length;
}

/* --- blocks --------------------------------------------------------------------------------------- */

/* Tables that all work-items share, and null pointers in place of those that a kernel has no use for. */
typedef struct {
    global const cplx *twiddles;
    global const cplx *row_roots;    /* for halves of spectra */
    global const points *lane_roots; /* for TWIST: the root to the power k (c + lane) is the product of one root of */
    global const cplx *block_roots;  /* the lanes and one of the block, which stay in the cache */
    global const cplx *chirp, *spectrum;
    global const points *row_chirp, *row_spectrum; /* of a row that is a matrix: a number for each lane */
} Tables;

/* The block's transforms in the source. */
typedef struct {
    global const source_element *src;
    ulong first;            /* the place of the block's first element */
    ulong point, transform; /* elements from one point to the next one, and from one transform to the next one */
    uint column, lanes;     /* the first transform along the lanes' dimension, and how many transforms exist */
    uint filled, elements;  /* of a row that is a matrix: elements in the source, and all elements */
    real sign;              /* of imaginary parts */
    Sizes sizes;
    Tables tables;
} Source;

/* The block's transforms in the target. */
typedef struct {
    global target_element *dst;
    ulong first;
    ulong point, transform;
    uint column, lanes;
    uint outputs, elements; /* of a row that is a matrix: elements that are wanted, and all elements */
    factors_of_parts factors;
    int stream;             /* whether results go past the caches */
    SCRATCH points *results;      /* where results wait, */
    SCRATCH target_element *rows; /* and where rows of them are collected */
    ulong behind;                 /* the place behind the last element of a row whose second half is folded */
    Sizes sizes;
    Tables tables;
} Target;

/* Which of a block's transforms exist: `lanes`, a number that the compiler knows where all do. */
static INLINE int exists(uint transform, uint lanes)
{
    return !RAGGED || transform < lanes;
}

static INLINE uint loaded_from(uint transform, uint lanes)
{
    return RAGGED || ROW_FILLED ? remaining(lanes, transform) : TRANSFORMS;
}

static INLINE uint stored_from(uint transform, uint lanes)
{
    return RAGGED || ROW_OUTPUTS ? remaining(lanes, transform) : TRANSFORMS;
}

/* Point or result k of the transforms from `begin` on, times the roots of unity of the four-step algorithm. */
static INLINE points twisted(points x, uint k, uint begin, Sizes sizes, Tables tables)
{
    return products(x, times_number(tables.lane_roots[k], tables.block_roots + begin / LANES * sizes.points + k));
}
