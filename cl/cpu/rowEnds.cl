/* rowEnds: where rows come from and where their results go, and what is read on the way.
 *
 *     Source: src, or scratch memory if the row waits there  --->  Tables  --->  Target: dst, or scratch memory
 *
 * row.cl hands these structs to the functions that load and store. A member without a use in a kernel costs nothing,
 * because all functions are put in place of their calls.
 */
#if SOURCE == REAL
typedef real source_element;
#else
typedef cplx source_element;
#endif
#if TARGET == REAL
typedef real target_element;
#else
typedef cplx target_element;
#endif
#if SOURCE == REAL && !PACKED
typedef reals source_vector;
#else
typedef points source_vector;
#endif
typedef points target_vector;
#define KNOWN_PARTS 1 /* the lanes in use */
#include "cpu/access.cl"

/* Where a row comes from. */
typedef struct {
    global const source_element *src;
    ulong from, other_from; /* where the row begins, and the other row of the same vectors */
    ulong ahead;            /* elements from what is loaded to what is fetched into the cache meanwhile */
    real sign;              /* of the imaginary parts: -1 if the points are conjugates */
    SCRATCH cplx *waiting;  /* its points, if they are not those of the source */
} Source;

/* Where its results go. */
typedef struct {
    global target_element *dst;
    ulong to, other_to;
    int stream;            /* 1: past the caches */
    factors_of_parts factors;
    SCRATCH cplx *waiting; /* the results, if they are not those of the target */
    SCRATCH cplx *whole;   /* room for a row of the target, once the lanes are free */
} Target;

typedef struct {
    global const cplx *twiddles;
    global const points *turns; /* the twiddles before rows become lanes */
    global const cplx *roots;   /* of 2 N numbers */
    global const cplx *turned;  /* roots of a cosine transform */
} Tables;

/* Elements of a row from one on: a number that the compiler knows, if none are missing. */
static INLINE uint existing(uint element)
{
    return FILLED == SOURCE_ELEMENTS ? SOURCE_ELEMENTS : remaining(FILLED, element);
}
