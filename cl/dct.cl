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
#define ROOT_HALF CONST(0.70710678118654752440)
#define ROOT_TWO CONST(1.41421356237309504880)

/* Where a row of n elements lies: its first one, and elements from one to the next one. */
typedef struct {
    ulong first;
    uint inner, n;
} Row;

static inline ulong place_in(Row row, uint i)
{
    return row.first + (ulong)i * row.inner;
}

/* Number i of a row, as the cosine transform sees it. */
static inline real number(global const real *src, Row row, uint i HOOK_PARAMETERS)
{
    ulong place = place_in(row, BACKWARD_IN ? row.n - 1 - i : i);
    real x = LOAD_FROM(src, place, place);
#if ORTHO_IN
    if (AT_END(i, row.n))
        x *= ROOT_TWO;
#endif
    return SIGNS_IN && i % 2 ? -x : x;
}

#if ODD
/* Where 8 j + 1 falls below 2 n, for TYPE 4 of an odd length. */
static inline real folded(global const real *src, Row row, uint j HOOK_PARAMETERS)
{
    uint n = row.n;
    ulong a = 8 * (ulong)j + 1;
    uint quarter = (uint)(a / (2 * (ulong)n)), part = (uint)(a % (2 * (ulong)n));
    uint odd = quarter % 2 ? 2 * n - part : part;
    real x = number(src, row, odd / 2 HOOK_ARGUMENTS);
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
    Row row = {(ulong)ROW * n * inner + COLUMN, inner, n};
    ulong to = ((ulong)ROW * m + j) * inner + COLUMN;
#if TYPE == 1 && SINE
    int zero = j == 0 || j == n + 1, negative = j > n + 1;
    real x = zero ? 0 : number(src, row, negative ? 2 * n + 1 - j : j - 1 HOOK_ARGUMENTS);
    dst[to] = negative ? -x : x;
#elif TYPE == 1
    dst[to] = number(src, row, j < n ? j : m - j HOOK_ARGUMENTS);
#elif TYPE == 2
    dst[to] = number(src, row, 2 * j < n ? 2 * j : 2 * (n - 1 - j) + 1 HOOK_ARGUMENTS);
#elif TYPE == 3
    cplx w = roots[j];
    real x = number(src, row, j HOOK_ARGUMENTS), image = j ? -number(src, row, n - j HOOK_ARGUMENTS) : 0;
    dst[to] = cmul((cplx)(x, image), (cplx)(w.x, -w.y));
#elif ODD
    dst[to] = folded(src, row, j HOOK_ARGUMENTS);
#else
    real even = number(src, row, 2 * j HOOK_ARGUMENTS), odd = number(src, row, n - 1 - 2 * j HOOK_ARGUMENTS);
    dst[to] = cmul((cplx)(even, odd), roots[j]);
#endif
}

/* Result k of the cosine transform. */
static inline void leave(global real *dst, Row row, uint k, real y, cplx scale HOOK_PARAMETERS)
{
    ulong place = place_in(row, SIGNS_IN ? row.n - 1 - k : k);
#if ORTHO_OUT
    if (AT_END(k, row.n))
        y *= ROOT_HALF;
#endif
    if (BACKWARD_IN && k % 2)
        y = -y;
    y = y * scale.x + y * scale.y; /* the nearest number, and what it lacks */
    STORE_TO(dst, place, y, place);
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
    Row from = {(ulong)ROW * m * inner + COLUMN, inner, m}, row = {(ulong)ROW * n * inner + COLUMN, inner, n};
#if TYPE == 1
    leave(dst, row, k, SINE ? -src[place_in(from, k + 1)].y : src[place_in(from, k)].x, scale HOOK_ARGUMENTS);
#elif TYPE == 2
    cplx z = cmul(src[place_in(from, k)], roots[k]);
    leave(dst, row, k, 2 * z.x, scale HOOK_ARGUMENTS);
    if (k && 2 * k != n)
        leave(dst, row, n - k, -2 * z.y, scale HOOK_ARGUMENTS);
#elif TYPE == 3
    leave(dst, row, k, src[place_in(from, k % 2 ? n - 1 - k / 2 : k / 2)], scale HOOK_ARGUMENTS);
#elif ODD
    uint h = (2 * k + 1) % n;
    cplx z = src[place_in(from, 2 * h < n ? h : n - h)];
    z.y = 2 * h < n ? z.y : -z.y;
    leave(dst, row, k, 2 * cmul(z, roots[k]).x, scale HOOK_ARGUMENTS);
#else
    cplx z = cmul(src[place_in(from, k)], roots[k]);
    leave(dst, row, 2 * k, 2 * z.x, scale HOOK_ARGUMENTS);
    leave(dst, row, n - 1 - 2 * k, -2 * z.y, scale HOOK_ARGUMENTS);
#endif
}
