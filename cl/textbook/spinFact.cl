/* spinFact: the table of n/2 twiddle factors, w[i] = (cos a, -sin a) with a = 2 pi i / n, n even.
 *
 * The textbook takes the cosine of the vector (a, a + pi/2) in float, which is off by many units
 * in the last place. Here every factor is right to the last bit, in single and in double precision,
 * on any device: the angle is folded into the first octant with integers, then sine and cosine come
 * from their power series in double-word arithmetic, where a number is the unevaluated sum of two
 * reals and fma() gives the rounding error of a product.
 *
 * References: T. J. Dekker, "A floating-point technique for extending the available precision",
 * Numer. Math. 18 (1971); M. Joldes, J.-M. Muller, V. Popescu, "Tight and rigorous error bounds
 * for basic building blocks of double-word arithmetic", ACM TOMS 44 (2017).
 */
#include "prelude.cl"

#pragma OPENCL FP_CONTRACT OFF /* the error terms below vanish if a compiler fuses on its own */

#if DOUBLE
#define TERMS 11 /* (pi/4)^22 / 22! < 2^-77 */
#define HALF_PI (cplx)(1.57079632679489655799898173427, 6.12323399573676603586882014729e-17)
#else
#define TERMS 7 /* (pi/4)^14 / 14! < 2^-41 */
#define HALF_PI (cplx)(1.57079637050628662109375f, -4.37113900018624283e-8f)
#endif

/* A double-word number is a cplx here: x holds the leading part, y the rest. */

static inline cplx dw_normal(real high, real low) /* needs |high| >= |low| */
{
    real sum = high + low;
    return (cplx)(sum, low - (sum - high));
}

static inline cplx dw_mul(cplx a, cplx b)
{
    real product = a.x * b.x;
    real error = fma(a.x, b.x, -product);
    return dw_normal(product, error + (a.x * b.y + a.y * b.x));
}

/* The second quotient makes up for whatever the first one lacks, so the device's division need not
 * round correctly. */
static inline cplx dw_div(cplx a, cplx d)
{
    real quotient = a.x / d.x;
    return dw_normal(quotient, (fma(-quotient, d.x, a.x) + (a.y - quotient * d.y)) / d.x);
}

static inline cplx dw_integer(uint v) /* exact up to 2^31, which a float alone is not */
{
    real high = (real)v;
    return (cplx)(high, (real)(int)(v - (uint)high));
}

/* 1 - z / (first (first + 1)) (1 - z / ((first + 2) (first + 3)) (1 - ...)):
 * the cosine of sqrt(z) for first = 1, the sine over its angle for first = 2. */
static inline cplx dw_series(cplx z, int first)
{
    cplx sum = (cplx)(1, 0);
    for (int k = first + 2 * (TERMS - 1); k >= first; k -= 2) {
        cplx term = dw_div(dw_mul(z, sum), (cplx)((real)(k * (k + 1)), 0));
        cplx one_less = dw_normal(1, -term.x);
        sum = dw_normal(one_less.x, one_less.y - term.y);
    }
    return sum;
}

static inline cplx spin_factor(uint i, uint n)
{
    /* The angle as `part` n-ths of a quarter turn beyond `quarters` of them, then folded about an
     * eighth of a turn, so that the series sees at most pi/4. */
    ulong scaled = 4 * (ulong)i;
    int quarters = scaled >= n;
    uint part = (uint)(scaled - (quarters ? n : 0));
    int folded = part > n - part;
    if (folded)
        part = n - part;

    cplx angle = dw_mul(HALF_PI, dw_div(dw_integer(part), dw_integer(n)));
    cplx z = dw_mul(angle, angle);
    real c = dw_series(z, 1).x;
    real s = dw_mul(angle, dw_series(z, 2)).x;

    cplx w_octant = folded ? (cplx)(s, c) : (cplx)(c, s); /* (cos, sin) in the first quarter */
    return quarters ? (cplx)(-w_octant.y, -w_octant.x) : (cplx)(w_octant.x, -w_octant.y);
}

kernel void spinFact(global cplx *w, uint n)
{
    uint i = get_global_id(0);
    if (i < n / 2)
        w[i] = spin_factor(i, n);
}
