/* storeRealHalf: the first half of the spectrum of a real row of an odd length, whose first stage was loadRealStage.
 *
 * A result beyond the middle is stored as its conjugate, unless that is a result, too. */
static INLINE void IN_PASS(store_)(cplx *x, global target_element *dst, Batch batch, Axis axis, Worker last,
                                   Tables tables, local cplx *room, cplx scale HOOK_PARAMETERS)
{
    const Group group = THE_GROUP;
    const Stage stage = {LAST_RADIX, N / LAST_RADIX, 0};
    const Transform to = LOCATE(batch, axis, last.lane);
    UNROLL for (uint b = 0; b < BUTTERFLIES(LAST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, last.item);
        if (of.exists && to.active)
            UNROLL for (uint r = 0; r < LAST_RADIX; r++) {
                const cplx z = x[of.b + r * of.many];
                const uint k = of.j + r * (N / LAST_RADIX), m = k / KEPT * REAL_RADIX + k % KEPT;
                const int beyond = 2 * m >= LENGTH;
                const uint there = beyond ? LENGTH - m : m;
                if (!beyond || k % KEPT)
                    STORE_ALONG(dst, axis, to.first, there, to.first + (ulong)there * axis.unit,
                                finished(beyond ? (cplx)(z.x, -z.y) : z, scale, batch.flags));
            }
    }
}
