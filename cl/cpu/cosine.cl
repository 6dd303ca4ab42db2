/* cosine: what row.cl does before and behind the transform of a row of N points that makes it a cosine or a sine
 * transform of 2 N numbers. Formulas and references are those of dct.cl; the numbers never leave the cache between.
 *
 * cosine_in takes a row from the source and leaves N points in scratch memory, cosine_out makes results of what
 * the transform of these has left there. Vectors go in from both ends of a row, whose numbers they leave, or want, in
 * reverse. The last ones may overlap those before.
 */
#ifndef SINE
#define SINE 0 /* 1: a sine transform */
#endif
#ifndef ORTHO
#define ORTHO 0 /* 1: the first number has a factor that makes the transform an orthogonal one */
#endif
#ifndef N /* nobody includes this file */
#include "cpu/row.cl"
#endif

#if COSINE
typedef reals loose_reals __attribute__((aligned(4 << DOUBLE)));
#define LOOSE(at) (*(SCRATCH loose_reals *)(at))
#define NUMBERS (2 * N)
#define OTHER_END(count, i) ((count) - LANES - (i)) /* where a vector begins that ends as far from the end */
#define EACH_VECTOR(i, many)                                                                       \
    LOOP(uint block = 0; block < (many); block += LANES)                                           \
    {                                                                                              \
        uint i = min(block, (uint)(N - LANES));
#define ROOT_TWO R(1.41421356237309504880)

static inline reals backward(reals x)
{
    return __builtin_shufflevector(x, x, BACKWARD);
}

static inline reals weighed(reals x, factors_of_parts factors)
{
    return DOUBLE ? x * factors.s0 : x * factors.s0 + x * factors.s2;
}

static inline points numbers_at(global const real *src, ulong at)
{
    return *(global const loose *)(src + at);
}

/* Two vectors of numbers in turn, to the target. */
static inline void leave(global real *dst, ulong at, reals even, reals odd, int stream)
{
    points y;
    y.even = even, y.odd = odd;
    store_vector(dst, at, 1, y, 0, TARGET_STEP, N % LANES ? 0 : stream);
}
#endif

#if COSINE == 2
static inline void cosine_in(global const real *src, ulong from, SCRATCH cplx *waiting,
                             global const cplx *roots, global const cplx *turned, ulong ahead)
{
    SCRATCH real *v = (SCRATCH real *)waiting;
    EACH_VECTOR(i, N)
        points x = numbers_at(src, from + 2 * i);
        fetch(src + from + 2 * i + ahead);
        LOOSE(v + i) = x.even;
        LOOSE(v + OTHER_END(NUMBERS, i)) = backward(SINE ? -x.odd : x.odd);
    }
}

/* Results k and those above of a cosine transform, which are those of a sine transform in reverse. */
static inline void put(SCRATCH real *y, uint k, reals results)
{
    LOOSE(y + (SINE ? OTHER_END(NUMBERS, k) : k)) = SINE ? backward(results) : results;
}

static inline void cosine_out(SCRATCH const cplx *z, SCRATCH cplx *results, global real *dst, ulong to,
                              global const cplx *roots, global const cplx *turned,
                              factors_of_parts factors, int stream)
{
    SCRATCH real *y = (SCRATCH real *)results;
    EACH_IMAGE(i, image)
        points there, back;
        separate(z, i, image, roots, &there, &back);
        points a = products(there, load_roots(turned + i, 1));
        points b = products(back, load_roots(turned + image, 1));
        put(y, i, weighed(RE(a), factors));
        put(y, OTHER_END(NUMBERS, i) + 1, backward(weighed(-IM(a), factors)));
        put(y, image, weighed(RE(b), factors));
        put(y, OTHER_END(NUMBERS, image) + 1, backward(weighed(-IM(b), factors)));
    }
    real first = (ORTHO ? ROOT_TWO : 2) * (z[0].x + z[0].y), middle = ROOT_TWO * (z[0].x - z[0].y);
    y[SINE ? NUMBERS - 1 : 0] = first * factors.s0 + first * factors.s2;
    y[SINE ? N - 1 : N] = middle * factors.s0 + middle * factors.s2;
    store_run(dst, to, y, NUMBERS, stream);
}
#elif COSINE == 3
/* Numbers k and those above, which a sine transform has in reverse. */
static inline reals numbers_from(global const real *src, ulong from, uint k)
{
    reals x = *(global const loose_reals *)(src + from + (SINE ? OTHER_END(NUMBERS, k) : k));
    return SINE ? backward(x) : x;
}

static inline points turned_spectrum(global const real *src, ulong from, uint k, global const cplx *turned)
{
    points x = (points)(numbers_from(src, from, k),
                        -backward(numbers_from(src, from, OTHER_END(NUMBERS, k) + 1)));
    return products(x, load_roots(turned + k, -1));
}

static inline void cosine_in(global const real *src, ulong from, SCRATCH cplx *waiting,
                             global const cplx *roots, global const cplx *turned, ulong ahead)
{
    EACH_IMAGE(i, image)
        fetch(src + from + 2 * (i - 1) + ahead);
        points a = turned_spectrum(src, from, i, turned);
        points b = reversed(conjugated(turned_spectrum(src, from, image, turned)));
        join(a, b, i, image, waiting, roots);
    }
    real first = src[from + (SINE ? NUMBERS - 1 : 0)] * (ORTHO ? ROOT_TWO : 1);
    real middle = src[from + (SINE ? N - 1 : N)] * ROOT_TWO;
    waiting[0] = (cplx)(first + middle, middle - first);
}

static inline void cosine_out(SCRATCH const cplx *z, SCRATCH cplx *results, global real *dst, ulong to,
                              global const cplx *roots, global const cplx *turned,
                              factors_of_parts factors, int stream)
{
    SCRATCH const real *v = (SCRATCH const real *)z;
    EACH_VECTOR(i, N)
        reals odd = backward(LOOSE(v + OTHER_END(NUMBERS, i)));
        leave(dst, to + 2 * i, LOOSE(v + i), SINE ? -odd : odd, stream);
    }
}
#elif COSINE == 4
static inline points turned_points(reals even, reals odd, global const cplx *turned)
{
    return products(SINE ? (points)(odd, even) : (points)(even, odd), load_roots(turned, 1));
}

static inline void cosine_in(global const real *src, ulong from, SCRATCH cplx *waiting,
                             global const cplx *turned, ulong ahead)
{
    EACH_VECTOR(i, (N + 1) / 2)
        uint other = OTHER_END(N, i);
        points a = numbers_at(src, from + 2 * i), b = numbers_at(src, from + 2 * other);
        fetch(src + from + 2 * i + ahead), fetch(src + from + 2 * other + ahead);
        points there = turned_points(a.even, backward(b.odd), turned + i);
        points back = turned_points(b.even, backward(a.odd), turned + other);
        *(SCRATCH loose *)(waiting + i) = interleaved(there);
        *(SCRATCH loose *)(waiting + other) = interleaved(back);
    }
}

static inline void cosine_out(SCRATCH const cplx *z, SCRATCH cplx *results, global real *dst, ulong to,
                              global const cplx *turned, factors_of_parts factors, int stream)
{
    EACH_VECTOR(i, (N + 1) / 2)
        uint other = OTHER_END(N, i);
        points a = products(deinterleaved(*(SCRATCH const loose *)(z + i), 1), load_roots(turned + i, 1));
        points b = products(deinterleaved(*(SCRATCH const loose *)(z + other), 1), load_roots(turned + other, 1));
        reals odd = backward(weighed(SINE ? IM(b) : -IM(b), factors));
        reals other_odd = backward(weighed(SINE ? IM(a) : -IM(a), factors));
        leave(dst, to + 2 * i, weighed(RE(a), factors), odd, stream);
        leave(dst, to + 2 * other, weighed(RE(b), factors), other_odd, stream);
    }
}
#endif
