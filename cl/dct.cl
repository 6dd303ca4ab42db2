/* dct: what stands before and behind a Fourier transform that makes it a cosine or a sine transform.
 *
 * Rows of n real numbers, the elements of each `inner` apart, become what a transform of real numbers, of
 * complex ones (TYPE 4 of an even length) or to real numbers (TYPE 3) takes, and its result becomes theirs. No point is
 * moved that does not have to be, and nothing is padded: TYPE 1 alone is a transform of about 2 n points, the
 * others have n.
 *
 * With w = exp(-2 pi i / (16 n)), v the points of the transform and V its result:
 * TYPE 1: v is x forward and, without its ends, backward. Result k is Re V[k].
 * TYPE 2: v is x[0], x[2], x[4] .. and then the others from the last one back. Result k is 2 Re w^4k V[k].
 * TYPE 3: the reverse of that: V[k] = w^-4k (x[k] - i x[n - k]).
 * TYPE 4, even n: v[j] = w^(8j + 1) (x[2j] + i x[n - 1 - 2j]); 2 w^(8k + 1) V[k] are the results 2k and, negative,
 *     n - 1 - 2k.
 * TYPE 4, odd n: 2k + 1 and 8j + 1 take all odd values. v[j] is x where 8j + 1 falls, folded into the odd numbers
 *     below 2n as the cosine is symmetric there. Result k is 2 Re w^(4k + 2) V[2k + 1 mod n].
 *
 * A sine transform is a cosine transform of the same numbers with every other sign changed (TYPE 2) or in reverse
 * (3, 4), whose results are in reverse (2) or have every other sign changed (3, 4). TYPE 1 has its own extension, whose
 * second half is the first one negative, between zeros.
 *
 * References: J. Makhoul, "A fast cosine transform in one and two dimensions", IEEE Trans. ASSP 28 (1980);
 * P. N. Swarztrauber, "Symmetric FFTs", Math. Comp. 47 (1986).
 */
#include "prelude.cl"
#include "hooks.cl"

#ifndef TYPE
#define TYPE 2 /* 1 .. 4 */
#endif
#ifndef SINE
#define SINE 0 /* 1: a sine transform */
#endif
#ifndef ODD
#define ODD 0 /* 1: TYPE 4 of an odd length */
#endif
#ifndef ORTHO
#define ORTHO 0 /* 1: elements at the ends have factors that make the transform an orthogonal one */
#endif
#ifndef SIDE_BY_SIDE
#define SIDE_BY_SIDE 0 /* 1: rows lie side by side, `inner` of them; 0: one behind the other, and inner is 1 */
#endif

#if TYPE == 3
typedef cplx before_element; /* what the transform takes, and what it leaves */
typedef real after_element;
#elif TYPE == 4 && !ODD
typedef cplx before_element;
typedef cplx after_element;
#else
typedef real before_element;
typedef cplx after_element;
#endif
#define TURNED_BEFORE (TYPE == 3 || (TYPE == 4 && !ODD)) /* points are times roots */
#define TURNED_AFTER (TYPE == 2 || TYPE == 4) /* results are */
#define EACH_ALONE (TYPE == 1 || TYPE == 3 || ODD) /* a work-item leaves one result, not two */

/* Which element of which row a work-item has: neighbours in memory have neighbours. */
#if SIDE_BY_SIDE
#define ELEMENT get_global_id(1)
#define ROW get_global_id(2)
#define COLUMN get_global_id(0)
#else
#define ELEMENT get_global_id(0)
#define ROW get_global_id(1)
#define COLUMN 0
#endif

/* A sine transform: numbers in reverse and then results of every other sign, or signs first and then in reverse. */
#define BACKWARD_IN (SINE & (TYPE > 2))
#define SIGNS_IN (SINE & (TYPE == 2))

/* Elements at the ends have a factor before the transform, or after it. */
#define ORTHO_IN (ORTHO && (TYPE == 1 || TYPE == 3))
#define ORTHO_OUT (ORTHO && (TYPE == 1 || TYPE == 2))
#if TYPE == 1
#define AT_END(i, n) ((i) == 0 || (i) == (n) - 1)
#else
#define AT_END(i, n) ((i) == 0)
#endif
#define ROOT_HALF R(0.70710678118654752440)
#define ROOT_TWO R(1.41421356237309504880)

/* Element i of a row of n numbers, as the cosine transform sees it. */
static inline real given(global const real *src, ulong row, uint inner, uint n, uint i HOOK_PARAMETERS)
{
    uint at = BACKWARD_IN ? n - 1 - i : i;
    real x = LOAD_FROM(src, row + (ulong)at * inner, row + (ulong)at * inner);
#if ORTHO_IN
    if (AT_END(i, n))
        x *= ROOT_TWO;
#endif
    return SIGNS_IN && i % 2 ? -x : x;
}

#if ODD
/* Where 8 j + 1 falls below 2 n, for TYPE 4 of an odd length. */
static inline real folded(global const real *src, ulong row, uint inner, uint n, uint j HOOK_PARAMETERS)
{
    ulong a = 8 * (ulong)j + 1;
    uint quarter = (uint)(a / (2 * (ulong)n)), part = (uint)(a % (2 * (ulong)n));
    uint odd = quarter % 2 ? 2 * n - part : part;
    real x = given(src, row, inner, n, odd / 2 HOOK_ARGUMENTS);
    return quarter == 1 || quarter == 2 ? -x : x;
}
#endif

kernel void dctBefore(global const real *src, global before_element *dst,
#if TURNED_BEFORE
                      global const cplx *roots,
#endif
                      uint n, uint m, uint inner, uint rows HOOK_PARAMETERS)
{
    uint j = ELEMENT;
    if (j >= m || COLUMN >= inner || ROW >= rows)
        return;
    ulong row = (ulong)ROW * n * inner + COLUMN, to = ((ulong)ROW * m + j) * inner + COLUMN;
#define GIVEN(i) given(src, row, inner, n, i HOOK_ARGUMENTS)
#if TYPE == 1 && SINE
    int zero = j == 0 || j == n + 1;
    dst[to] = zero ? 0 : j <= n ? GIVEN(j - 1) : -GIVEN(2 * n + 1 - j);
#elif TYPE == 1
    dst[to] = GIVEN(j < n ? j : m - j);
#elif TYPE == 2
    dst[to] = GIVEN(2 * j < n ? 2 * j : 2 * (n - 1 - j) + 1);
#elif TYPE == 3
    cplx w = roots[j];
    dst[to] = cmul((cplx)(GIVEN(j), j ? -GIVEN(n - j) : 0), (cplx)(w.x, -w.y));
#elif ODD
    dst[to] = folded(src, row, inner, n, j HOOK_ARGUMENTS);
#else
    dst[to] = cmul((cplx)(GIVEN(2 * j), GIVEN(n - 1 - 2 * j)), roots[j]);
#endif
}

/* Result k of the cosine transform. */
static inline void leave(global real *dst, ulong row, uint inner, uint n, uint k, real y,
                         cplx scale HOOK_PARAMETERS)
{
    uint at = SIGNS_IN ? n - 1 - k : k;
#if ORTHO_OUT
    if (AT_END(k, n))
        y *= ROOT_HALF;
#endif
    if (BACKWARD_IN && k % 2)
        y = -y;
    y = y * scale.x + y * scale.y; /* the nearest number, and what it lacks */
    STORE_TO(dst, row + (ulong)at * inner, y, row + (ulong)at * inner);
}

kernel void dctAfter(global const after_element *src, global real *dst,
#if TURNED_AFTER
                     global const cplx *roots,
#endif
                     uint n, uint m, uint inner, uint rows, cplx scale HOOK_PARAMETERS)
{
    uint k = ELEMENT;
    if (k >= (EACH_ALONE ? n : m) || COLUMN >= inner || ROW >= rows)
        return;
    ulong from = (ulong)ROW * m * inner + COLUMN, row = (ulong)ROW * n * inner + COLUMN;
#define POINT(i) src[from + (ulong)(i) * inner]
#define LEAVE(k, y) leave(dst, row, inner, n, k, y, scale HOOK_ARGUMENTS)
#if TYPE == 1
    LEAVE(k, SINE ? -POINT(k + 1).y : POINT(k).x);
#elif TYPE == 2
    cplx z = cmul(POINT(k), roots[k]);
    LEAVE(k, 2 * z.x);
    if (k && 2 * k != n)
        LEAVE(n - k, -2 * z.y);
#elif TYPE == 3
    LEAVE(k, POINT(k % 2 ? n - 1 - k / 2 : k / 2));
#elif ODD
    uint h = (2 * k + 1) % n;
    cplx z = POINT(2 * h < n ? h : n - h);
    LEAVE(k, 2 * (2 * h < n ? cmul(z, roots[k]).x : cmul((cplx)(z.x, -z.y), roots[k]).x));
#else
    cplx z = cmul(POINT(k), roots[k]);
    LEAVE(2 * k, 2 * z.x);
    LEAVE(n - 1 - 2 * k, -2 * z.y);
#endif
}
