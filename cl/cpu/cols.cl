/* cols: transforms of N points along any axis, neighbouring ones side by side, in one work-item of a CPU.
 *
 *     src  --->  load  --->  stage 1  --->  stage 2  --->  ...  --->  store  --->  dst
 *
 * Where neighbouring transforms are neighbours in memory (the columns of a matrix) lanes are loaded and stored as
 * they lie. Where neighbouring points are (FROM_ROWS, TO_ROWS) blocks of LANES x LANES points are transposed in
 * registers on the way. Where neither are (SPREAD_IN, SPREAD_OUT) lanes are loaded and stored one by one. The last
 * transforms of a batch may leave lanes empty (RAGGED).
 *
 * Of real numbers two are one point. Where their number is even (PACKED) neighbours are: the spectrum is that
 * of the even ones and, times i, of the odd ones. Where transforms are the columns of one real row (PAIR), numbers of
 * LANES of them are real parts and those of the next LANES imaginary parts: the spectrum is that of the first and,
 * times i, of the second. As spectra of real numbers have conjugates at k and N - k, the two can be told from each
 * other; on the way back they are put together so. Other rows of odd lengths have a stage that knows real numbers
 * (REAL_RADIX, realStage.cl); if their length has no radix for it, they are transformed as complex numbers whose
 * imaginary parts are zero. No two rows are ever joined: neither rounding errors nor NaNs pass from one to another.
 *
 * TWIST multiplies result k of column c by exp(-2 pi i k c / n), for the four-step algorithm: two launches of
 * this kernel are a transform that is too long for the cache. Of real numbers n1 / 2 + 1 rows of spectra are enough
 * for the second launch, whose last results are conjugates of those that are wanted (FOLD_OUT); back again, the
 * first launch reads conjugates (FOLD_IN).
 *
 * Bluestein's algorithm is points times a chirp, a convolution of N of them (SPECTRUM), and the chirp again. If they
 * are too many for the cache it takes three launches, with a convolution that is a matrix: one with CHIRP_FIRST
 * transforms its columns, one with SPECTRUM convolves its rows, one with CHIRP_LAST transforms the columns back.
 *
 * With BACK the launch transforms complex columns, changes the results by the store hook, and transforms them back
 * (thereAndBack.cl). So a filter reads and writes its spectra once instead of twice.
 *
 * References: D. H. Bailey, "FFTs in external or hierarchical memory", J. Supercomputing 4 (1990);
 * J. W. Cooley, P. A. W. Lewis, P. D. Welch, "The fast Fourier transform algorithm: programming
 * considerations in the calculation of sine, cosine and Laplace transforms", J. Sound Vib. 12 (1970).
 */
#include "cpu/block.cl"

/* The last stage stores its results itself, unless they have to wait until all are there. */
#define STORES_LAST (!TO_ROWS && TARGET != HERMITIAN && !SPECTRUM && !REAL_RADIX)
#if REAL_RADIX
#include "cpu/realStage.cl"
#endif
#include "cpu/loadBlock.cl"
#include "cpu/storeBlock.cl"

#if BACK
/* Result k, as the caller's hook changes it. */
static INLINE points times_spectrum(points x, Source from, Target to, uint k HOOK_PARAMETERS)
{
    const uint count = stored_from(0, to.lanes);
    return deinterleaved(changed(interleaved(x), to.first + k * to.point, to.transform, count HOOK_ARGUMENTS), 1);
}
#elif CONVOLVES
/* The product of result `place` of a convolution, where the stages leave it, with the spectrum. */
static INLINE points times_spectrum(points x, Source from, Target to, uint place HOOK_PARAMETERS)
{
    return BLUESTEIN ? times_number(x, from.tables.spectrum + place) : products(x, from.tables.row_spectrum[place]);
}
#endif

#include "cpu/stages.cl"
#include "cpu/chirp.cl"

#if REAL_RADIX
#include "cpu/blockOfReal.cl"
#else
#include "cpu/blockOfPoints.cl"
#endif

kernel WIDE __attribute__((reqd_work_group_size(1, 1, 1)))
void cols(global const source_element *src, global target_element *dst, global const cplx *twiddles,
#if PACKED || REAL_RADIX
          global const cplx *row_roots,
#endif
#if TWIST
          global const points *lane_roots, global const cplx *block_roots,
#endif
#if BLUESTEIN
          global const cplx *chirp, global const cplx *spectrum,
#elif SPECTRUM
          global const points *row_spectrum,
#elif CHIRP_FIRST || CHIRP_LAST
          global const points *row_chirp,
#endif
          WORKSPACE uint count, uint4 extents, ulong4 src_distances, ulong4 dst_distances, ulong2 first, uint4 limits,
          ulong2 strides, cplx scale, real sign HOOK_PARAMETERS)
{
    const Sizes of = {N, LENGTH, FILLED};
    SCRATCH_OF(scratch, SCRATCH_POINTS(N), workspace)
    Tables tables = {twiddles};
#if PACKED || REAL_RADIX
    tables.row_roots = row_roots;
#endif
#if TWIST
    tables.lane_roots = lane_roots;
#endif
#if BLUESTEIN
    tables.chirp = chirp, tables.spectrum = spectrum;
#endif
    const factors_of_parts factors = factors_of(scale, (BACK | (TARGET == REAL)) ? -1 : sign);
    const ulong src_block = INNER ? src_distances.s1 : src_distances.s0;
    const ulong dst_block = INNER ? dst_distances.s1 : dst_distances.s0;
    const ulong near_in = SPREAD_IN ? (long)src_block / TRANSFORMS : 1;
    const ulong near_out = SPREAD_OUT ? (long)dst_block / TRANSFORMS : 1;
    const Share share = share_of(count);
    src += first.x, dst += first.y;
    if (SOURCE != COMPLEX)
        sign = SOURCE == HERMITIAN ? -sign : 1; /* to real numbers, forward is the unusual way */
    LOOP(uint q = share.begin; q < share.end; q++)
    {
        const uint block = INNER ? q / extents.s0 % extents.s1 : q % extents.s0;
        const uint column = block * TRANSFORMS, lanes = min((uint)TRANSFORMS, limits.x - column);
        Source from = {src, place(q, extents, src_distances), strides.x, near_in, column, lanes};
        Target to = {dst, place(q, extents, dst_distances), strides.y, near_out, column, lanes};
#if TWIST
        tables.block_roots = block_roots + block * (TRANSFORMS / LANES) * N;
#endif
#if SPECTRUM && !BLUESTEIN
        tables.row_spectrum = row_spectrum + block * N;
#elif (CHIRP_FIRST || CHIRP_LAST) && !BLUESTEIN
        tables.row_chirp = row_chirp + block;
#endif
        if (FROM_ROWS)
            from.point = near_in, from.transform = strides.x;
        if (TO_ROWS)
            to.point = near_out, to.transform = strides.y;
        from.filled = limits.y, from.elements = to.elements = limits.w, to.outputs = limits.z;
        from.sign = sign, from.sizes = to.sizes = of, from.tables = to.tables = tables;
        to.behind = to.first + (to.elements - 2 * column) * to.transform;
        to.factors = factors;
        const ulong addresses = (ulong)(dst + to.first) | strides.y * sizeof(target_element);
        to.stream = streams(src, dst, COLLECTED ? 0 : addresses);
        transform_block(scratch, from, to HOOK_ARGUMENTS);
    }
}
