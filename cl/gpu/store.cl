/* store: the results of the last stage, to global memory. A template; its function is IN_PASS(store_).
 *
 *     x[]  --->  times roots, times chirp, inverted, scaled  --->  store_result  --->  dst
 *
 * The file that fits the target says what becomes of a result.
 */
#define BY_POINT (PACKED || SEPARATED) /* the chirp counts points */
#define THE_STAGE {LAST_RADIX, N / LAST_RADIX, 0}
static INLINE void IN_PASS(times_chirp_last_)(cplx *x, Axis axis, Transform at, Worker me, global const cplx *chirp)
{
    const Group group = THE_GROUP;
    const Stage stage = THE_STAGE;
    UNROLL for (uint b = 0; b < BUTTERFLIES(LAST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, me.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < LAST_RADIX; r++) {
                const uint i = of.b + r * of.many;
                const Element e = element(group, axis, at, LAST_RADIX, of.j, r);
                x[i] = times_chirp(turn(x[i]), e, BY_POINT, axis.columns, chirp);
            }
    }
}

/* Butterflies that a work-item does not have are left out of every step, so that nothing holds their results. */
static INLINE void IN_PASS(invert_and_scale_)(cplx *x, Worker me, uint flags, cplx scale)
{
    const Group group = THE_GROUP;
    const Stage stage = THE_STAGE;
    const uint many = BUTTERFLIES(LAST_RADIX);
    if (TURNS_OUT(flags))
        UNROLL for (uint b = 0; b < many; b++)
            if (butterfly(group, stage, b, me.item).exists)
                UNROLL for (uint r = 0; r < LAST_RADIX; r++)
                    x[b + r * many] = turn(x[b + r * many]);
    if (CONJUGATES_OUT(flags))
        UNROLL for (uint b = 0; b < many; b++)
            if (butterfly(group, stage, b, me.item).exists)
                UNROLL for (uint r = 0; r < LAST_RADIX; r++)
                    x[b + r * many].y = -x[b + r * many].y;
    if (SCALES(scale))
        UNROLL for (uint b = 0; b < many; b++)
            if (butterfly(group, stage, b, me.item).exists)
                UNROLL for (uint r = 0; r < LAST_RADIX; r++)
                    x[b + r * many] = scaled(x[b + r * many], scale);
}
#undef THE_STAGE

#if HOP
    #include "gpu/storeFrames.cl"
#elif MAKES_SPECTRA && !SHARED_ROWS
    #include "gpu/storePackedHalf.cl"
#elif TARGET == HERMITIAN && PAIR
    #include "gpu/storeTwoSpectra.cl"
#elif REAL_RADIX && TARGET == REAL
    #include "gpu/storeRealStage.cl"
#elif REAL_RADIX && TARGET == HERMITIAN
    #include "gpu/storeRealHalf.cl"
#else
    #include "gpu/storeResults.cl"
#endif
