/* dct: launches before and behind a Fourier transform that make it a cosine or a sine transform.
 *
 *     rows of numbers  --->  dctBefore  --->  a Fourier transform  --->  dctAfter  --->  rows of results
 *
 * A work-item owns one element that the Fourier transform takes, or one that it leaves. dctParts.cl says what becomes of
 * each.
 */
#include "prelude.cl"
#include "hooks.cl"
#include "dctParts.cl"

#ifndef SIDE_BY_SIDE
#define SIDE_BY_SIDE 0 /* 1: rows lie side by side, `inner` of them; 0: one behind the other, and inner is 1 */
#endif

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

kernel void dctBefore(global const real *src, global before_element *dst,
#if TURNED_BEFORE
                      global const cplx *roots,
#endif
                      uint n, uint m, uint inner, uint rows HOOK_PARAMETERS)
{
#if !TURNED_BEFORE
    global const cplx *roots = 0;
#endif
    uint j = ELEMENT;
    if (j >= m || COLUMN >= inner || ROW >= rows)
        return;
    DctRow row = {(ulong)ROW * n * inner + COLUMN, inner, n};
    DctRow to = {(ulong)ROW * m * inner + COLUMN, inner, m};
    dst[place_in(to, j)] = element_before(src, row, roots, j HOOK_ARGUMENTS);
}

kernel void dctAfter(global const after_element *src, global real *dst,
#if TURNED_AFTER
                     global const cplx *roots,
#endif
                     uint n, uint m, uint inner, uint rows, cplx scale HOOK_PARAMETERS)
{
#if !TURNED_AFTER
    global const cplx *roots = 0;
#endif
    uint k = ELEMENT;
    if (k >= m || COLUMN >= inner || ROW >= rows)
        return;
    DctRow from = {(ulong)ROW * m * inner + COLUMN, inner, m};
    DctRow row = {(ulong)ROW * n * inner + COLUMN, inner, n};
    after_element z = src[place_in(from, k)];
    z = z * scale.x + z * scale.y; /* the nearest number, and what it lacks */
    element_after(dst, row, roots, k, z HOOK_ARGUMENTS);
}
