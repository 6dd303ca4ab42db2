/* loadPoints: loads point by point. */
#if SOURCE == HERMITIAN
    #include "gpu/loadHalf.cl"
#elif SOURCE == REAL && PACKED && SRC_TOGETHER && (LOAD_VECTORS || !LOAD_REPLACED)
    #include "gpu/loadTogether.cl"
#elif SOURCE == REAL && (PAIR || PACKED)
    #include "gpu/loadTwo.cl"
#elif SOURCE == REAL
    #include "gpu/loadReal.cl"
#else
    #include "gpu/loadComplex.cl"
#endif

#if SHARED_ROWS
    #include "gpu/sharedRows.cl"
#endif
#if QUADS && SOURCE == REAL
    #include "gpu/quads.cl"
#endif
#if COSINE_ROWS
    #include "gpu/cosineRows.cl"
#elif SHARED_ROWS
    #include "gpu/takeRows.cl"
#endif

#define THE_STAGE {FIRST_RADIX, 1, 0}

/* What all points have, or have not, done to them is asked once for all. Returns the column of the transform. */
static INLINE whole IN_PASS(load_)(cplx *x, global const source_element *src, Batch batch, Axis axis, Worker me,
                                   Tables tables, local cplx *room HOOK_PARAMETERS)
{
    const Group group = THE_GROUP;
    const Stage stage = THE_STAGE;
    const Transform from = LOCATE(batch, axis, me.lane);
#if SHARED_ROWS
    IN_PASS(take_rows_)(x, src, batch, axis, me, room, tables.roots.roots HOOK_ARGUMENTS);
#elif QUADS && SOURCE == REAL
    IN_PASS(load_quads_)(x, src, from, me);
#else
    UNROLL for (uint b = 0; b < BUTTERFLIES(FIRST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, me.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < FIRST_RADIX; r++)
                x[of.b + r * of.many] = IN_PASS(load_point_)(src, axis, from, element(group, axis, from, FIRST_RADIX, of.j, r),
                                                   batch.flags HOOK_ARGUMENTS);
    }
#endif
    if (INVERTS_IN(batch.flags))
        UNROLL for (uint i = 0; i < BUTTERFLIES(FIRST_RADIX) * FIRST_RADIX; i++)
            x[i] = inverted(x[i]);
    if (CHIRP_FIRST)
        IN_PASS(times_chirp_first_)(x, axis, from, me, tables.chirp);
    if (TWIST_FIRST)
        UNROLL for (uint b = 0; b < BUTTERFLIES(FIRST_RADIX); b++) {
            const Butterfly of = butterfly(group, stage, b, me.item);
            if (of.exists)
                twist(tables.roots, x + b, of.many, FIRST_RADIX, of.j * from.column, N / FIRST_RADIX * from.column);
        }
    return from.column;
}
#undef THE_STAGE
