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

#if SHARED_ROWS
    #include "gpu/giveRows.cl"
#endif

#define THE_STAGE {LAST_RADIX, N / LAST_RADIX, 0}

/* Where the results belong is found out here, and not earlier, because it would take registers all the while. */
static INLINE void IN_PASS(store_)(cplx *x, global target_element *dst, Batch batch, Axis axis, Worker last,
                                   Tables tables, local cplx *room, cplx scale HOOK_PARAMETERS)
{
    const Group group = THE_GROUP;
    const Stage stage = THE_STAGE;
    batch.first = FIRST_AGAIN(batch);
    const Transform to = LOCATE(batch, axis, last.lane);
    const uint points = BUTTERFLIES(LAST_RADIX) * LAST_RADIX;
    if (TWIST_LAST)
        UNROLL for (uint b = 0; b < BUTTERFLIES(LAST_RADIX); b++) {
            const Butterfly of = butterfly(group, stage, b, last.item);
            if (of.exists)
                twist(tables.roots, x + b, of.many, LAST_RADIX, of.j * to.column, N / LAST_RADIX * to.column);
        }
    if (CHIRP_LAST)
        IN_PASS(times_chirp_last_)(x, axis, to, last, tables.chirp);
    if (TURNS(batch.flags & TURN_OUT))
        UNROLL for (uint i = 0; i < points; i++)
            x[i] = FROM_HALF ? (cplx)(x[i].y, 0) : turn(x[i]);
    if (batch.flags & CONJUGATE_OUT)
        UNROLL for (uint i = 0; i < points; i++)
            x[i].y = -x[i].y;
    if (scale.x != 1)
        UNROLL for (uint i = 0; i < points; i++)
            x[i] = scaled(x[i], scale);
#if SHARED_ROWS
    IN_PASS(give_rows_)(x, dst, batch, axis, last, room HOOK_ARGUMENTS);
#else
    if (to.active)
        UNROLL for (uint b = 0; b < BUTTERFLIES(LAST_RADIX); b++) {
            const Butterfly of = butterfly(group, stage, b, last.item);
            if (of.exists)
                UNROLL for (uint r = 0; r < LAST_RADIX; r++)
                    IN_PASS(store_result_)(dst, axis, to, element(group, axis, to, LAST_RADIX, of.j, r),
                                 x[of.b + r * of.many] HOOK_ARGUMENTS);
        }
#endif
}
#undef THE_STAGE
