/* dctHook: dctParts.cl as hooks, so that a Fourier transform is a cosine or a sine transform by itself. Rows of types 2 and
 * 3 whose length is a multiple of 4 need no hooks in one launch of work-groups: gpu/quads.cl and gpu/cosinePairs.cl.
 *
 *     numbers  --->  the load of the Fourier transform: dct_load  --->  its stages  --->  its store: dct_store  --->  results
 *
 * The hooks get the number of an element in the array that the Fourier transform would take, or leave, if that existed:
 * DCT_INNER columns of rows of DCT_TAKEN, or of DCT_LEFT, elements.
 */
#ifndef DCT_N
#define DCT_N 16 /* numbers of a row */
#endif
#ifndef DCT_TAKEN
#define DCT_TAKEN 16 /* elements of a row that the Fourier transform takes, */
#endif
#ifndef DCT_LEFT
#define DCT_LEFT 9 /* and those that it leaves */
#endif
#ifndef DCT_INNER
#define DCT_INNER 1 /* rows that lie side by side */
#endif
#ifndef DCT_INDEX
#define DCT_INDEX ulong /* the type of an element's number: uint if that is enough */
#endif
#ifndef COMPLEX /* a macro of prelude.cl, which the kernel around a hook has included */
#include "prelude.cl"
#endif

/* No other hooks stand within these. */
#define LOAD_FROM(src, place, index) ((src)[place])
#define STORE_TO(dst, place, value, index) ((dst)[place] = (value))
#define HOOK_PARAMETERS
#define HOOK_ARGUMENTS
#include "dctParts.cl"
#undef LOAD_FROM
#undef STORE_TO
#undef HOOK_PARAMETERS
#undef HOOK_ARGUMENTS

/* The row of an element, and the number that the element has in it. Remainders are differences, because Oclgrind cannot
 * run what a compiler makes of / and % of the same numbers. */
static inline DctRow row_of_element(DCT_INDEX index, DCT_INDEX elements)
{
    DCT_INDEX line = index / DCT_INNER, row = line / elements;
    return (DctRow){(ulong)row * DCT_N * DCT_INNER + (index - line * DCT_INNER), DCT_INNER, DCT_N};
}
static inline uint number_in_row(DCT_INDEX index, DCT_INDEX elements)
{
    DCT_INDEX line = index / DCT_INNER;
    return (uint)(line - line / elements * elements);
}

static inline before_element dct_load(global const real *src, DCT_INDEX index, global const cplx *roots)
{
    return element_before(src, row_of_element(index, DCT_TAKEN), roots, number_in_row(index, DCT_TAKEN));
}
static inline void dct_store(global real *dst, DCT_INDEX index, global const cplx *roots, after_element z)
{
    element_after(dst, row_of_element(index, DCT_LEFT), roots, number_in_row(index, DCT_LEFT), z);
}

/* For the element that lies `along` times `unit` elements behind element `begin` of a row. A work-item finds the row of
 * `begin` once for all elements of its transform. */
static inline uint number_behind(DCT_INDEX begin, uint along, DCT_INDEX unit, DCT_INDEX elements)
{
    return number_in_row(begin, elements) + along * (uint)(unit / DCT_INNER);
}
static inline before_element dct_load_along(global const real *src, DCT_INDEX begin, uint along, DCT_INDEX unit,
                                            global const cplx *roots)
{
    const uint j = number_behind(begin, along, unit, DCT_TAKEN);
    return element_before(src, row_of_element(begin, DCT_TAKEN), roots, j);
}
static inline void dct_store_along(global real *dst, DCT_INDEX begin, uint along, DCT_INDEX unit,
                                   global const cplx *roots, after_element z)
{
    const uint k = number_behind(begin, along, unit, DCT_LEFT);
    element_after(dst, row_of_element(begin, DCT_LEFT), roots, k, z);
}
