/* numbers: what is done to each number between global memory and a stage. */
#include "gpu/batch.cl"

#ifndef SOURCE
#define SOURCE COMPLEX /* what src holds: COMPLEX, REAL, HERMITIAN */
#endif
#ifndef TARGET
#define TARGET COMPLEX /* what dst receives: COMPLEX, REAL, HERMITIAN */
#endif
#ifndef PACKED
#define PACKED 0 /* 1: a transform is a real row of 2 LENGTH numbers, of which two are a point */
#endif
#ifndef SRC_TOGETHER
#define SRC_TOGETHER 0 /* 1: both numbers of a point lie side by side, aligned as a complex number */
#endif
#ifndef DST_TOGETHER
#define DST_TOGETHER 0 /* 1: they do so in the target */
#endif
#ifndef SHARED_ROWS
#define SHARED_ROWS 0 /* 1: all work-items of a group load and store all of its rows, by way of local memory */
#endif
#ifndef PLAIN_ROWS
#define PLAIN_ROWS 0 /* 1: these rows are whole and lie one behind the other, in the source and in the target */
#endif
#ifndef PARTS_APART
#define PARTS_APART 0 /* 1: two work-items transform the real parts and the imaginary parts of a row of a prime length */
#endif
#ifndef COSINE_ROWS
#define COSINE_ROWS 0 /* 1: these rows are of a cosine or a sine transform: cosineRows.cl */
#endif
#ifndef QUADS
#define QUADS 0 /* 1: four neighbours of a row of a cosine or a sine transform are loaded, or stored, at once: quads.cl */
#endif
#ifndef COSINE_PAIRS
#define COSINE_PAIRS 0 /* 1: mirror images are four numbers of such a row, on the spectrum's side: cosinePairs.cl */
#endif
#ifndef FOLD
#define FOLD DST_COLUMNS /* of columns that repeat: number FOLD - c is the mirror image of number c */
#endif
#ifndef TWIST_FIRST
#define TWIST_FIRST 0 /* 1: points, rather than results, are multiplied by the roots of the four-step algorithm */
#endif
#ifndef HALVED
#define HALVED 0 /* 1: the scale of spectra of real rows is 1/2, and they are not conjugated */
#endif
#ifndef REAL_ORIGIN
#define REAL_ORIGIN 0 /* 1: element 0 of the target is real, of which rounding would leave a little else */
#endif
#ifndef CHIRP_FIRST
#define CHIRP_FIRST 0 /* 1: points are multiplied by Bluestein's chirp */
#endif
#ifndef CHIRP_LAST
#define CHIRP_LAST 0 /* 1: results are, after a transform back */
#endif

#ifndef SPECTRUM
#define SPECTRUM 0 /* 1: a transform, times a spectrum, and a transform back: a cyclic convolution */
#endif

/* Flags say whether a transform is inverse. If so, its points and its results are conjugated. If it is from real numbers,
 * or from or to half of a spectrum, their real and imaginary parts change places instead, which has the same effect:
 * compilers then load all points before they compute with any. From half of a spectrum, 4096 numbers took 11 % less time
 * on an H200; to half of a spectrum, 96000 doubles took 7 % less, and 2^17 numbers 5 %. Rows of complex numbers took
 * longer, so they are conjugated. So are all numbers in Bluestein's algorithm, where one launch may invert the points and
 * another one the results, and rows that work-items share, whose points have all been loaded anyhow. The launch of
 * Bluestein's algorithm that is IN_BETWEEN two others is never inverse, but tests the flag so that compilers load all
 * points first. A version of these kernels that did took 1.93 ms for rows of 65537 numbers on an H200, and the next one,
 * in which this was not all that had changed, 2.29 ms.
 *
 * Shared rows are never inverse on the way from real numbers to half of their spectrum. Transforms from
 * half of a spectrum always are, but in Bluestein's and Rader's algorithms and in real stages; a codelet may take half of
 * a spectrum. The compiler then sees which parts of the points are zero, and which parts of the results nobody needs:
 * half of the arithmetic. */
#define IN_BETWEEN (SPECTRUM && !CHIRP_FIRST && !CHIRP_LAST)
#define TO_SPECTRA (TARGET == HERMITIAN && !CHIRP_LAST)
#define TURNS ((SOURCE != COMPLEX || TO_SPECTRA || IN_BETWEEN) && !CHIRP_FIRST && !SHARED_ROWS)
#define KNOWN_TO_HALF (SHARED_ROWS && SOURCE == REAL && OUTPUTS < N)
#define FROM_HALF (SOURCE == HERMITIAN && !REAL_RADIX && !CHIRP_FIRST && !SPECTRUM)
/* The codelet takes half of a spectrum. */
#define BACK_TO_REAL (PRIMES && SHARED_ROWS && !PACKED && FROM_HALF && TARGET == REAL && FIRST_RADIX == N)
#define MAY_INVERT (!BACK_TO_REAL && !PARTS_APART && !KNOWN_TO_HALF)
#define INVERTS_IN(flags) (MAY_INVERT && ((SHARED_ROWS && FROM_HALF) || (flags) & INVERSE_IN))
#define INVERTS_OUT(flags) (MAY_INVERT && (FROM_HALF || (flags) & INVERSE_OUT))
#define TURNS_OUT(flags) (TURNS && INVERTS_OUT(flags))
#define MAKES_SPECTRA (PACKED && TARGET == HERMITIAN) /* of the results of packed rows, and finishes them then */
#define SCALES(scale) (!MAKES_SPECTRA && (scale).x != 1)
#define CONJUGATES_OUT(flags)                                                                                          \
    (!MAKES_SPECTRA && ((!TURNS && INVERTS_OUT(flags)) != (((flags) & CONJUGATE_OUT) != 0)))

#define TWIST_LAST (TWIST && !TWIST_FIRST)
#define SEPARATED (PAIR && TARGET == HERMITIAN) /* a complex transform that is two of real numbers */

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
/* A hook that replaces the load finds both numbers of a packed point at once. */
typedef cplx source_vector;
typedef cplx loose_source __attribute__((aligned(4 << DOUBLE)));
#define POINT_OF_TWO 1
#define VECTOR_LOADS 1
#include "hooks.cl"

/* An element at `place`, `along` units of the axis behind the one at `begin`, with which its transform begins. A hook may
 * prefer both to the place: what it finds out about `begin` serves all elements of the transform. */
#ifndef LOAD_ALONG
#define LOAD_ALONG(src, axis, begin, along, place) LOAD_FROM(src, place, (place) - (axis).first)
#endif
#ifndef STORE_ALONG
#define STORE_ALONG(dst, axis, begin, along, place, value) STORE_TO(dst, place, value, (place) - (axis).first)
#endif

/* What becomes of frames that are added up: the dual window, by which they are multiplied; how many numbers of a signal are
 * wanted; which number of its first frame is the first of these; where the first signal goes, and numbers from one to the
 * next. */
typedef struct {
    global const real *dual;
    ulong count, before, start, pitch;
} Signals;

/* Tables. A kernel that does not need one has a null pointer in its place. */
typedef struct {
    global const cplx *twiddles, *chirp;
    Roots roots;
#if HOP
    Signals signals;
#endif
#if MEETS
    global uint *counters; /* of the borders between groups */
    uint seed;             /* of DELAY */
#endif
} Tables;

/* Real and imaginary part change places; not as a shuffle, in which Oclgrind 21.10 crashes. */
static INLINE cplx turn(cplx z)
{
    real x = z.x;
    z.x = z.y, z.y = x;
    return z;
}

/* What a forward transform takes in place of a point, so that it is an inverse one if its results are inverted, too. */
static INLINE cplx inverted(cplx z)
{
    return TURNS ? turn(z) : (cplx)(z.x, -z.y);
}

static INLINE cplx times_i(cplx z)
{
    return (cplx)(-z.y, z.x);
}

/* A number times a scale, and times what float lacks of the scale: a third, say, would be off by as much as all else in
 * short transforms, and by the same amount in every element. */
static INLINE cplx scaled(cplx z, cplx scale)
{
    return DOUBLE ? z * scale.x : z * scale.x + z * scale.y;
}

static INLINE real scaled_real(real x, cplx scale)
{
    return DOUBLE ? x * scale.x : x * scale.x + x * scale.y;
}

/* A number of the spectrum of real numbers, scaled and conjugated as the caller wishes. Packed spectra that are HALVED
 * have their factor already. */
static INLINE cplx finished(cplx z, cplx scale, uint flags)
{
    if (HALVED)
        return PACKED ? z : z * CONST(0.5);
    return (cplx)(scaled_real(z.x, scale), scaled_real(z.y, flags & CONJUGATE_OUT ? -scale : scale));
}

/* A number of half a spectrum, or the conjugate; where it is its own mirror image it is real, whatever the source says. */
static INLINE cplx of_half(cplx z, int conjugated, int own_image)
{
    return (cplx)(z.x, own_image ? 0 : conjugated ? -z.y : z.y);
}

/* A point times Bluestein's chirp: zero beyond the LENGTH of the transform. The chirp counts either the elements of the
 * axis or the points of the transform. */
static INLINE cplx times_chirp(cplx z, Element e, int by_point, whole columns, global const cplx *chirp)
{
    const whole i = by_point ? e.number : e.g;
    if (by_point)
        e.least /= columns, e.end /= columns;
    return is_before(e, i, LENGTH) ? cmul(z, chirp[i]) : (cplx)(0, 0);
}
