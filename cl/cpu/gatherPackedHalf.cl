/* gatherPackedHalf: the spectra of packed real numbers to scratch memory, from the halves that the source has.
 *
 *     src  X[k], X[N - k]  --->  Z[k] = E[k] + i O[k] and Z[N - k]  --->  scratch[k], scratch[N - k]
 *
 * E is the spectrum of the even numbers and O that of the odd ones. All of it is conjugated, for the way back.
 */
static INLINE void join(SCRATCH points *scratch, uint k, points x, points image, cplx root, Sizes sizes)
{
    if (k == 0) /* there both are real, whatever the source says */
        x = (points)(RE(x), (reals)0), image = (points)(RE(image), (reals)0);
    image = conjugated(image);
    const points odd = times_minus_i(times(x - image, (cplx)(root.x, -root.y)));
    scratch[k] = conjugated(x + image - odd);
    if (k)
        scratch[sizes.length - k] = x + image + odd;
}

#if FROM_ROWS
static INLINE void gather(SCRATCH points *scratch, Source from HOOK_PARAMETERS)
{
    const uint length = from.sizes.length;
    LOOP(uint block = 0; block <= length / 2; block += LANES)
    {
        const uint k = min(block, (uint)(length + 1 - LANES)), image = length - (LANES - 1) - k;
        points x[LANES], y[LANES];
        load_rows(x, from, k, 0 HOOK_ARGUMENTS);
        load_rows(y, from, image, 0 HOOK_ARGUMENTS);
        UNROLL for (uint i = 0; i < LANES; i++)
            if (k + i <= length / 2)
                join(scratch, k + i, x[i], y[LANES - 1 - i], from.tables.row_roots[k + i], from.sizes);
    }
}
#else
static INLINE void gather(SCRATCH points *scratch, Source from HOOK_PARAMETERS)
{
    const uint length = from.sizes.length;
    LOOP(uint k = 0; k <= length / 2; k++)
    {
        points x = 0, image = 0;
        if (k < from.sizes.filled)
            x = load_column(from, k, 0, from.lanes HOOK_ARGUMENTS);
        if (length - k < from.sizes.filled)
            image = load_column(from, length - k, 0, from.lanes HOOK_ARGUMENTS);
        join(scratch, k, x, image, from.tables.row_roots[k], from.sizes);
    }
}
#endif
