/* storeResults: stores result by result. */
#if TARGET == HERMITIAN
    #include "gpu/storeFold.cl"
#elif TARGET == REAL && PACKED && DST_TOGETHER && !STORE_REPLACED
    #include "gpu/storeTogether.cl"
#elif TARGET == REAL
    #include "gpu/storeReal.cl"
#else
    #include "gpu/storeComplex.cl"
#endif

#if SHARED_ROWS && !COSINE_ROWS
    #include "gpu/giveRows.cl"
#endif
#if QUADS && TARGET == REAL
    #include "gpu/quads.cl"
#endif

#define THE_STAGE {LAST_RADIX, N / LAST_RADIX, 0}

/* Where the results belong is found out here, and not earlier, because it would take registers all the while. */
static INLINE void IN_PASS(store_)(cplx *x, global target_element *dst, Batch batch, Axis axis, Worker last,
                                   Tables tables, local cplx *room, cplx scale HOOK_PARAMETERS)
{
    const Group group = THE_GROUP;
    const Stage stage = THE_STAGE;
    batch = BATCH_AGAIN(batch);
    const Transform to = LOCATE(batch, axis, last.lane);
    const uint many = BUTTERFLIES(LAST_RADIX);
    if (TWIST_LAST)
        UNROLL for (uint b = 0; b < many; b++) {
            const Butterfly of = butterfly(group, stage, b, last.item);
            if (of.exists)
                twist(tables.roots, x + b, of.many, LAST_RADIX, of.j * to.column, N / LAST_RADIX * to.column);
        }
    if (CHIRP_LAST)
        IN_PASS(times_chirp_last_)(x, axis, to, last, tables.chirp);
    IN_PASS(invert_and_scale_)(x, last, batch.flags, scale);
#if SHARED_ROWS
    IN_PASS(give_rows_)(x, dst, batch, axis, last, room, scale, tables.roots.roots HOOK_ARGUMENTS);
#elif QUADS && TARGET == REAL
    if (to.active)
        IN_PASS(store_quads_)(x, dst, to, last);
#else
    if (to.active)
        UNROLL for (uint b = 0; b < many; b++) {
            const Butterfly of = butterfly(group, stage, b, last.item);
            if (of.exists)
                UNROLL for (uint r = 0; r < LAST_RADIX; r++)
                    IN_PASS(store_result_)(dst, axis, to, element(group, axis, to, LAST_RADIX, of.j, r),
                                 x[of.b + r * of.many] HOOK_ARGUMENTS);
        }
#endif
}
#undef THE_STAGE
