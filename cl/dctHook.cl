/* dctHook: dctParts.cl as hooks, so that a Fourier transform is a cosine or a sine transform by itself.
 *
 *     numbers  --->  the load of the Fourier transform: dct_load  --->  its stages  --->  its store: dct_store  --->  results
 *
 * The hooks get the number of an element in the array that the Fourier transform would take, or leave, if that existed.
 * Its bits are, from the lowest on: the column (DCT_INNER_BITS), the element of the row (DCT_TAKEN_BITS or
 * DCT_LEFT_BITS), and the row.
 */
#ifndef DCT_N
#define DCT_N 16 /* numbers of a row */
#endif
#ifndef DCT_INNER
#define DCT_INNER 1 /* rows that lie side by side */
#endif
#ifndef DCT_TAKEN_BITS
#define DCT_TAKEN_BITS 4 /* for the elements of a row that the Fourier transform takes, */
#endif
#ifndef DCT_LEFT_BITS
#define DCT_LEFT_BITS 4 /* and those that it leaves */
#endif
#ifndef DCT_INNER_BITS
#define DCT_INNER_BITS 0
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

/* The row of an element, whose number along the row is left in `along`. */
static inline DctRow row_of_element(DCT_INDEX index, uint bits, uint *along)
{
    const DCT_INDEX line = index >> DCT_INNER_BITS, row = line >> bits;
    *along = (uint)(line - (row << bits));
    return (DctRow){(ulong)row * DCT_N * DCT_INNER + (index - (line << DCT_INNER_BITS)), DCT_INNER, DCT_N};
}

static inline before_element dct_load(global const real *src, DCT_INDEX index, global const cplx *roots)
{
    uint along;
    const DctRow row = row_of_element(index, DCT_TAKEN_BITS, &along);
    return element_before(src, row, roots, along);
}

static inline void dct_store(global real *dst, DCT_INDEX index, global const cplx *roots, after_element z)
{
    uint along;
    const DctRow row = row_of_element(index, DCT_LEFT_BITS, &along);
    element_after(dst, row, roots, along, z);
}
