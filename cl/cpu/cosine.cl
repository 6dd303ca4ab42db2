/* cosine: what row.cl does before and behind the transform of a row of N points that makes it a cosine or a sine
 * transform of 2 N numbers.
 *
 *     src: 2 N numbers  --->  prepare_row  --->  waiting: N points  --->  transform  --->  waiting: N results
 *     waiting: N results  --->  finish_row  --->  dst: 2 N numbers
 *
 * Formulas and references are those of dctParts.cl. The numbers of a row never leave the cache between.
 * Vectors go in from both ends of a row, whose numbers they leave, or want, in reverse. The last vectors may overlap
 * those before. Sine transforms are cosine transforms with other signs and orders of numbers.
 */
#ifndef SINE
#define SINE 0 /* 1: a sine transform */
#endif
#ifndef ORTHO
#define ORTHO 0 /* 1: the first number has a factor that makes the transform an orthogonal one */
#endif

#define NUMBERS (2 * N)
#define ROOT_TWO CONST(1.41421356237309504880)

typedef reals loose_reals __attribute__((aligned(4 << DOUBLE)));

static INLINE reals backward(reals x)
{
    return __builtin_shufflevector(x, x, BACKWARD);
}

static INLINE reals scaled_reals(reals x, factors_of_parts factors)
{
    return DOUBLE ? x * factors.s0 : x * factors.s0 + x * factors.s2;
}

static INLINE reals reals_at(SCRATCH const real *from)
{
    return reordered(*(SCRATCH const loose_reals *)from);
}

static INLINE void leave_reals(SCRATCH real *to, reals x)
{
    *(SCRATCH loose_reals *)to = reordered(x);
}

/* Numbers i to i + 2 LANES - 1 of the source: those at even places, and behind them those at odd places. */
static INLINE points even_and_odd(Source source, uint i)
{
    const points x = *(global const loose *)(source.src + source.from + i);
    return deinterleaved(x, 1);
}

static INLINE void fetch_numbers(Source source, uint i)
{
    fetch(source.src + source.from + i + source.ahead);
}

/* Two vectors of numbers in turn, to the target. */
static INLINE void store_even_and_odd(Target target, uint i, reals even, reals odd)
{
    store_vector(target.dst, target.to + i, 1, interleaved((points)(even, odd)), 0, TARGET_STEP,
                 N % LANES ? 0 : target.stream);
}

static INLINE points load_points(Source source, uint i)
{
    return waiting_points(source.waiting + i, 1);
}

static INLINE void fetch_points(Source source, uint i)
{
}

#if COSINE == 2
#include "cpu/cosine2.cl"
#elif COSINE == 3
#include "cpu/cosine3.cl"
#else
#include "cpu/cosine4.cl"
#endif
