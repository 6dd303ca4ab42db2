/* realStage: the stage of radix R that knows real numbers, for rows of odd lengths n = R M that cols.cl transforms.
 *
 *     R rows of M numbers  --->  columns transformed  --->  KEPT rows of M points  --->  transformed  --->  half
 *     half  --->  KEPT rows of M points  --->  transformed  --->  columns transformed  --->  R rows of M numbers
 *
 * Spectra of real columns have conjugates as results k and R - k, so that only those up to the middle are KEPT: as many
 * transforms of M complex points remain. Back to real numbers these come first, and the stage, which knows the
 * conjugates, comes last. It takes two columns at a time, as the real and the imaginary part of complex numbers; both
 * are columns of one row. If M is not smooth, its transforms are Bluestein's.
 *
 * There are two areas of scratch memory. The first one has the M points of each transform; the stages leave their
 * results in the second one or, with a chirp, use it and leave them in the first one. The numbers of a row wait in
 * the area that is free.
 *
 * References: H. V. Sorensen, D. L. Jones, M. T. Heideman, C. S. Burrus, "Real-valued fast Fourier transform
 * algorithms", IEEE Trans. ASSP-35 (1987).
 */
#define KEPT (REAL_RADIX / 2 + 1)
#define M (LENGTH / REAL_RADIX)
#define FIRST_AREA (KEPT * M)
#define SECOND_AREA (!BLUESTEIN ? FIRST_AREA : N > LENGTH / 2 ? N : LENGTH / 2 + 1)

/* Where the vectors of a block of 2 LANES numbers begin, if they may not reach beyond the last number. */
static INLINE uint vector_begin(uint block, uint vector)
{
    return min(block + vector * LANES, (uint)(LENGTH - LANES));
}

/* The stage, where it is the first one. Results are twice those that are meant. */
static INLINE void real_first(SCRATCH const reals *numbers, SCRATCH points *kept, global const cplx *row_roots)
{
    LOOP(uint j = 0; j < M; j += 2)
    {
        const uint other = min(j + 1, (uint)(M - 1)); /* the last column goes with itself */
        points x[REAL_RADIX];
        UNROLL for (uint r = 0; r < REAL_RADIX; r++)
            x[r] = (points)(numbers[j + r * M], numbers[other + r * M]);
        JOINED(fft, REAL_RADIX)(x, 1);
        kept[j] = (points)(2 * RE(x[0]), (reals)0);
        kept[other] = (points)(2 * IM(x[0]), (reals)0);
        UNROLL for (uint k = 1; k < KEPT; k++) {
            const points image = conjugated(x[REAL_RADIX - k]);
            kept[k * M + j] = times_number(x[k] + image, row_roots + k * j);
            kept[k * M + other] = times_number(times_minus_i(x[k] - image), row_roots + k * other);
        }
    }
}

/* The stage, where it is the last one. */
static INLINE void real_last(SCRATCH const points *results, SCRATCH reals *numbers, global const cplx *row_roots)
{
    LOOP(uint j = 0; j < M; j += 2)
    {
        const uint other = min(j + 1, (uint)(M - 1));
        points x[REAL_RADIX];
        x[0] = (points)(RE(results[j]), RE(results[other]));
        UNROLL for (uint k = 1; k < KEPT; k++) {
            const points one = times_number(results[k * M + j], row_roots + k * j);
            const points two = times_number(results[k * M + other], row_roots + k * other);
            x[k] = one - times_minus_i(two);
            x[REAL_RADIX - k] = conjugated(one) - times_minus_i(conjugated(two));
        }
        JOINED(fft, REAL_RADIX)(x, 1);
        UNROLL for (uint r = 0; r < REAL_RADIX; r++)
            numbers[j + r * M] = RE(x[r]), numbers[other + r * M] = IM(x[r]);
    }
}
