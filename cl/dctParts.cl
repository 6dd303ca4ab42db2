/* dctParts: what stands before and behind a Fourier transform that makes it a cosine or a sine transform, element by
 * element.
 *
 *     row of n numbers  --->  element_before(j)  --->  element j that the Fourier transform takes
 *     element k that the Fourier transform leaves  --->  element_after(k)  --->  one or two results of the row
 *
 * dct.cl has launches of its own for both. dctHook.cl does both in the Fourier transform's own load and store.
 *
 * Rows of n real numbers become what a transform of real numbers, of complex ones (DCT_TYPE 4 of an even length) or to
 * real numbers (DCT_TYPE 3) takes, and its result becomes theirs. No point is moved that does not have to be, and nothing is
 * padded: DCT_TYPE 1 alone is a transform of about 2 n points, the others have n.
 *
 * With w = exp(-2 pi i / (16 n)), v the points of the transform and V its result:
 * type 1: v is x forward and, without its ends, backward. Result k is Re V[k].
 * type 2: v is x[0], x[2], x[4] .. and then the others from the last one back. Result k is 2 Re w^4k V[k].
 * type 3: the reverse of that: V[k] = w^-4k (x[k] - i x[n - k]).
 * type 2, odd n = 2 h + 1: v[j + h + 1 mod n] is x[j] of an even j, v[h - j mod n] is x[j] of an odd one. Nothing is
 *     multiplied: (-1)^k 2 V[k] has the results 2k as its real part and, negative, n - 2k as its imaginary part.
 * type 3, odd n: the reverse of that: V[k] = (-1)^k (x[2k] - i x[n - 2k]).
 * type 4, even n: v[j] = w^(8j + 1) (x[2j] + i x[n - 1 - 2j]); 2 w^(8k + 1) V[k] are the results 2k and, negative,
 *     n - 1 - 2k.
 * type 4, odd n: 2k + 1 and 8j + 1 take all odd values. v[j] is x where 8j + 1 falls, folded into the odd numbers
 *     below 2n as the cosine is symmetric there. Result k is 2 Re w^(4k + 2) V[2k + 1 mod n].
 *
 * A sine transform is a cosine transform of the same numbers with every other sign changed (type 2) or in reverse
 * (3, 4), whose results are in reverse (2) or have every other sign changed (3, 4). Type 1 has its own extension, whose
 * second half is the first one negative, between zeros.
 *
 * References: J. Makhoul, "A fast cosine transform in one and two dimensions", IEEE Trans. ASSP 28 (1980);
 * P. N. Swarztrauber, "Symmetric FFTs", Math. Comp. 47 (1986); M. T. Heideman, "Computation of an odd-length DCT from a
 * real-valued DFT of the same length", IEEE Trans. Signal Processing 40 (1992).
 */
#ifndef DCT_TYPE
#define DCT_TYPE 2 /* 1 .. 4 */
#endif
#ifndef DCT_SINE
#define DCT_SINE 0 /* 1: a sine transform */
#endif
#ifndef DCT_ODD
#define DCT_ODD 0 /* 1: type 2, 3 or 4 of an odd length */
#endif
#ifndef DCT_ORTHO
#define DCT_ORTHO 0 /* 1: elements at the ends have factors that make the transform an orthogonal one */
#endif

#if DCT_TYPE == 3
typedef cplx before_element; /* what the Fourier transform takes, and what it leaves */
typedef real after_element;
#elif DCT_TYPE == 4 && !DCT_ODD
typedef cplx before_element;
typedef cplx after_element;
#else
typedef real before_element;
typedef cplx after_element;
#endif
#ifndef DCT_SOURCE /* where numbers are, where results go, and how to reach both; rows may lie in local memory */
#define DCT_SOURCE global const real *
#define DCT_TARGET global real *
#define DCT_LOAD(src, place) LOAD_FROM(src, place, place)
#define DCT_STORE(dst, place, y) STORE_TO(dst, place, y, place)
#endif
#ifndef SIGNED_ALREADY
#define SIGNED_ALREADY 0 /* 1: the numbers of a sine transform of type 2 have their signs already */
#endif

#define TURNED_BEFORE (!DCT_ODD && (DCT_TYPE == 3 || DCT_TYPE == 4)) /* points are times roots */
#define TURNED_AFTER ((!DCT_ODD && DCT_TYPE == 2) || DCT_TYPE == 4) /* results are */

/* A sine transform: numbers in reverse and then results of every other sign, or signs first and then in reverse. */
#define BACKWARD_IN (DCT_SINE & (DCT_TYPE > 2))
#define SIGNS_IN (DCT_SINE & (DCT_TYPE == 2))
#define SIGNS_WHERE_LOADED (SIGNS_IN & (SIGNED_ALREADY == 0))

/* Elements at the ends have a factor before the transform, or after it. */
#define ORTHO_IN (DCT_ORTHO & (DCT_TYPE == 1 || DCT_TYPE == 3))
#define ORTHO_OUT (DCT_ORTHO & (DCT_TYPE == 1 || DCT_TYPE == 2))
#define AT_END(i, n) ((i) == 0 || (DCT_TYPE == 1 && (i) == (n) - 1))

/* Where a row of n elements lies: its first one, and elements from one to the next one. */
typedef struct {
    ulong first;
    uint inner, n;
} DctRow;

static inline ulong place_in(DctRow row, uint i)
{
    return row.first + (ulong)i * row.inner;
}

/* Number i of a row, as the cosine transform sees it. */
static inline real number(DCT_SOURCE src, DctRow row, uint i HOOK_PARAMETERS)
{
    ulong place = place_in(row, BACKWARD_IN ? row.n - 1 - i : i);
    real x = DCT_LOAD(src, place);
    if (ORTHO_IN && AT_END(i, row.n))
        x *= CONST(1.41421356237309504880);
    return SIGNS_WHERE_LOADED && i % 2 ? -x : x;
}

#if DCT_TYPE == 4 && DCT_ODD
/* Where 8 j + 1 falls below 2 n, for type 4 of an odd length. */
static inline real folded(DCT_SOURCE src, DctRow row, uint j HOOK_PARAMETERS)
{
    uint n = row.n;
    ulong a = 8 * (ulong)j + 1;
    uint quarter = (uint)(a / (2 * (ulong)n)), part = (uint)(a % (2 * (ulong)n));
    uint odd = quarter % 2 ? 2 * n - part : part;
    real x = number(src, row, odd / 2 HOOK_ARGUMENTS);
    return quarter == 1 || quarter == 2 ? -x : x;
}
#endif

#if DCT_TYPE == 2 || DCT_TYPE == 3
/* Where in a row element j of the Fourier transform stands, which type 2 takes and type 3 leaves. */
static inline uint number_of_element(uint j, uint n)
{
#if DCT_ODD
    const uint h = n / 2, even = j <= h ? j + h : j - h - 1;
    return even % 2 == 0 ? even : j <= h ? h - j : n + h - j;
#else
    return 2 * j < n ? 2 * j : 2 * (n - 1 - j) + 1;
#endif
}
#endif

#if DCT_TYPE == 3
/* The negative of number n - i, or 0 if i is 0. Of rows side by side, a number is loaded whatever i is, because compilers
 * wait for each number before a branch that may ask for the next one: 1024 x 1024 numbers took 14 % longer on an H100.
 * Of rows one behind the other some took longer without the branch, before cosinePairs.cl: 4096 numbers 23 %. */
static inline real image_number(DCT_SOURCE src, DctRow row, uint i HOOK_PARAMETERS)
{
    if (row.inner == 1)
        return i ? -number(src, row, row.n - i HOOK_ARGUMENTS) : 0;
    const real x = number(src, row, i ? row.n - i : 0 HOOK_ARGUMENTS);
    return i ? -x : 0;
}
#endif

/* Element j that the Fourier transform takes. */
static inline before_element element_before(DCT_SOURCE src, DctRow row, global const cplx *roots,
                                            uint j HOOK_PARAMETERS)
{
    const uint n = row.n;
    (void)n;
#if DCT_TYPE == 1 && !DCT_SINE
    return number(src, row, j < n ? j : 2 * n - 2 - j HOOK_ARGUMENTS);
#elif DCT_TYPE == 1
    int zero = j == 0 || j == n + 1, negative = j > n + 1;
    real x = zero ? 0 : number(src, row, negative ? 2 * n + 1 - j : j - 1 HOOK_ARGUMENTS);
    return negative ? -x : x;
#elif DCT_TYPE == 2
    return number(src, row, number_of_element(j, n) HOOK_ARGUMENTS);
#elif DCT_TYPE == 3 && DCT_ODD
    const real x = number(src, row, 2 * j HOOK_ARGUMENTS), image = image_number(src, row, 2 * j HOOK_ARGUMENTS);
    return (cplx)(j % 2 ? -x : x, j % 2 ? -image : image); /* of -(cplx)(...) Intel's CPU compiler makes wrong code */
#elif DCT_TYPE == 3
    const cplx w = roots[j];
    const real x = number(src, row, j HOOK_ARGUMENTS), image = image_number(src, row, j HOOK_ARGUMENTS);
    return cmul((cplx)(x, image), (cplx)(w.x, -w.y));
#elif DCT_ODD
    return folded(src, row, j HOOK_ARGUMENTS);
#else
    real even = number(src, row, 2 * j HOOK_ARGUMENTS), odd = number(src, row, n - 1 - 2 * j HOOK_ARGUMENTS);
    return cmul((cplx)(even, odd), roots[j]);
#endif
}

/* Result k of the cosine transform. */
static inline void leave_result(DCT_TARGET dst, DctRow row, uint k, real y HOOK_PARAMETERS)
{
    ulong place = place_in(row, SIGNS_IN ? row.n - 1 - k : k);
    if (ORTHO_OUT && AT_END(k, row.n))
        y *= CONST(0.70710678118654752440);
    if (BACKWARD_IN && k % 2)
        y = -y;
    DCT_STORE(dst, place, y);
}

/* What becomes of element k that the Fourier transform has left. */
static inline void element_after(DCT_TARGET dst, DctRow row, global const cplx *roots, uint k,
                                 after_element z HOOK_PARAMETERS)
{
    const uint n = row.n;
    (void)n;
#if DCT_TYPE == 1 && !DCT_SINE
    leave_result(dst, row, k, z.x HOOK_ARGUMENTS);
#elif DCT_TYPE == 1
    if (k >= 1 && k <= n)
        leave_result(dst, row, k - 1, -z.y HOOK_ARGUMENTS);
#elif DCT_TYPE == 2 && DCT_ODD
    z *= (real)(k % 2 ? -2 : 2);
    leave_result(dst, row, 2 * k, z.x HOOK_ARGUMENTS);
    if (k)
        leave_result(dst, row, n - 2 * k, -z.y HOOK_ARGUMENTS);
#elif DCT_TYPE == 2
    z = cmul(z, roots[k]);
    leave_result(dst, row, k, 2 * z.x HOOK_ARGUMENTS);
    if (k && 2 * k != n)
        leave_result(dst, row, n - k, -2 * z.y HOOK_ARGUMENTS);
#elif DCT_TYPE == 3
    leave_result(dst, row, number_of_element(k, n), z HOOK_ARGUMENTS);
#elif DCT_ODD
    uint image = n - k; /* element `image` is the conjugate of element k */
    uint one = k % 2 ? (k - 1) / 2 : (k + n - 1) / 2, other = image % 2 ? (image - 1) / 2 : (image + n - 1) / 2;
    leave_result(dst, row, one, 2 * cmul(z, roots[one]).x HOOK_ARGUMENTS);
    if (k)
        leave_result(dst, row, other, 2 * cmul((cplx)(z.x, -z.y), roots[other]).x HOOK_ARGUMENTS);
#else
    z = cmul(z, roots[k]);
    leave_result(dst, row, 2 * k, 2 * z.x HOOK_ARGUMENTS);
    leave_result(dst, row, n - 1 - 2 * k, -2 * z.y HOOK_ARGUMENTS);
#endif
}
