/* lanes: vectors that hold a point of LANES transforms each.
 *
 *     points   | real part of lane 0, 1, 2 ... | imaginary part of lane 0, 1, 2 ... |
 *
 * Every vector instruction does the same for all lanes, and arithmetic never crosses them. In memory the two parts of
 * a complex number are neighbours: deinterleaved() and interleaved() lead from one order to the other. transpose()
 * makes rows of numbers in memory the lanes of vectors. shuffles.cl says which of LANES neighbours in memory are in which
 * lanes.
 *
 * References: F. Franchetti, M. Pueschel, "Short vector code generation for the discrete Fourier transform", IPDPS
 * 2003, for vectors that hold real or imaginary parts only; H. S. Stone, "Parallel processing with the perfect
 * shuffle", IEEE Trans. Computers C-20 (1971), for the transposition.
 */
#ifndef LANES
#define LANES 4 /* numbers in a vector: 16 for AVX-512, 8 for AVX, half of it in double precision */
#endif
#include "vectors.cl"
#include "radix.cl"
#include "template.cl"

#ifndef TOGETHER
#define TOGETHER 1 /* matrices side by side in a vector: 2 where half of its lanes are enough for one */
#endif
#define SIDE (LANES / TOGETHER) /* lanes of a matrix */
#include "cpu/shuffles.cl"

/* LANES complex numbers in a row in memory, at any address: not that of a whole vector. */
typedef points loose __attribute__((aligned(4 << DOUBLE)));

/* Points as they lie in memory, to lanes and back. The inverse transform is that of the conjugates, conjugated: the
 * sign of their imaginary parts is then -1. */
static INLINE points deinterleaved(points z, real sign)
{
#if HALVED
    return (points)(__builtin_shufflevector(z.lo, z.hi, EVENS), __builtin_shufflevector(z.lo, z.hi, ODDS) * sign);
#else
    return (points)(z.even, z.odd * sign);
#endif
}

static INLINE points interleaved(points z)
{
    points there;
#if HALVED
    there.lo = __builtin_shufflevector(RE(z), IM(z), FIRST_HALVES);
    there.hi = __builtin_shufflevector(RE(z), IM(z), SECOND_HALVES);
#else
    there.even = RE(z), there.odd = IM(z);
#endif
    return there;
}

/* Real numbers as they lie in memory, to lanes; and back, which is the same. */
static INLINE reals reordered(reals x)
{
#if HALVED
    return __builtin_shufflevector(x, x, LANE_ORDER);
#else
    return x;
#endif
}

static INLINE points conjugated(points z)
{
    return (points)(RE(z), -IM(z));
}

static INLINE points reversed(points z)
{
    return (points)(__builtin_shufflevector(RE(z), RE(z), BACKWARD), __builtin_shufflevector(IM(z), IM(z), BACKWARD));
}

/* All points times a number in memory. Its parts are loaded one by one, because a CPU fills a vector with a number that it
 * loads, but needs shuffles to fill two vectors with the parts of a number that it has loaded as a whole. */
static INLINE points times_number(points z, global const cplx *number)
{
    global const real *parts = (global const real *)number;
    const real re = parts[0], im = parts[1];
    return (points)(RE(z) * re - IM(z) * im, RE(z) * im + IM(z) * re);
}

/* Products lane by lane. */
static INLINE points products(points z, points w)
{
    return (points)(RE(z) * RE(w) - IM(z) * IM(w), RE(z) * IM(w) + IM(z) * RE(w));
}

/* The factors of the real and of the imaginary parts of results, and what float lacks of both. An inverse transform
 * gives its imaginary parts the sign -1. */
typedef real factors_of_parts __attribute__((ext_vector_type(4)));

static INLINE factors_of_parts factors_of(cplx scale, real sign)
{
    return (factors_of_parts)(scale.x, scale.x * sign, scale.y, scale.y * sign);
}

static INLINE points scaled(points z, factors_of_parts factors)
{
#if DOUBLE
    return (points)(RE(z) * factors.s0, IM(z) * factors.s1);
#else
    return (points)(RE(z) * factors.s0 + RE(z) * factors.s2, IM(z) * factors.s1 + IM(z) * factors.s3);
#endif
}

/* Rounds of perfect shuffles among the first `count` vectors: lane i of vector j becomes lane j of vector i, in each half
 * of the lanes if shuffles do not cross halves. */
static INLINE void shuffle(points *x, uint count)
{
    UNROLL for (uint done = 1; done < count; done *= 2) {
        points y[SIDE];
        UNROLL for (uint i = 0; i < count / 2; i++) {
            points a = x[i], b = x[i + count / 2];
            y[2 * i] = (points)(__builtin_shufflevector(RE(a), RE(b), FIRST_HALVES),
                                __builtin_shufflevector(IM(a), IM(b), FIRST_HALVES));
            y[2 * i + 1] = (points)(__builtin_shufflevector(RE(a), RE(b), SECOND_HALVES),
                                    __builtin_shufflevector(IM(a), IM(b), SECOND_HALVES));
        }
        UNROLL for (uint i = 0; i < count; i++)
            x[i] = y[i];
    }
}

#if HALVED
/* The number of the neighbour in lane i. */
static INLINE uint neighbour_in(uint i)
{
    const uint quarter = i / (LANES / 4);
    return quarter == 1 ? i + LANES / 4 : quarter == 2 ? i - LANES / 4 : i;
}

/* The points of LANES vectors change places: the neighbour i of vector j is the neighbour j of vector i afterwards. The
 * vectors that become one half of the lanes change places by themselves, and then halves change places. */
static INLINE void transpose(points *x)
{
    points y[LANES];
    UNROLL for (uint i = 0; i < LANES; i++)
        y[i] = x[neighbour_in(i)];
    shuffle(y, LANES / 2);
    shuffle(y + LANES / 2, LANES / 2);
    UNROLL for (uint i = 0; i < LANES / 2; i++) {
        const points a = y[i], b = y[i + LANES / 2];
        x[neighbour_in(i)] = (points)(RE(a).lo, RE(b).lo, IM(a).lo, IM(b).lo);
        x[neighbour_in(i + LANES / 2)] = (points)(RE(a).hi, RE(b).hi, IM(a).hi, IM(b).hi);
    }
}
#else
/* The points of SIDE vectors change places: lane i of vector j is lane j of vector i afterwards. */
static INLINE void transpose(points *x)
{
    shuffle(x, SIDE);
}
#endif
