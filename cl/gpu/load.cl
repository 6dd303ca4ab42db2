/* load: the points of the first stage, from global memory. A template; its function is IN_PASS(load_).
 *
 *     src  --->  load_point  --->  turned, times chirp, times roots  --->  x[]
 *
 * The file that fits the source says what a point is made of.
 */
#define THE_STAGE {FIRST_RADIX, 1, 0}
static INLINE void IN_PASS(times_chirp_first_)(cplx *x, Axis axis, Transform at, Worker me, global const cplx *chirp)
{
    const Group group = THE_GROUP;
    const Stage stage = THE_STAGE;
    UNROLL for (uint b = 0; b < BUTTERFLIES(FIRST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, me.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < FIRST_RADIX; r++) {
                const uint i = of.b + r * of.many;
                const Element e = element(group, axis, at, FIRST_RADIX, of.j, r);
                x[i] = times_chirp(x[i], e, PACKED, axis.columns, chirp);
            }
    }
}
#undef THE_STAGE

#if SOURCE == HERMITIAN && PACKED && !SHARED_ROWS
    #include "gpu/loadPackedHalf.cl"
#elif SOURCE == REAL && REAL_RADIX
    #include "gpu/loadRealStage.cl"
#else
    #include "gpu/loadPoints.cl"
#endif
