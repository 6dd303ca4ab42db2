/* axisStage: one stage along an axis of arrays in local memory. A template, of which each include makes one function.
 *
 *     RADIX points, DISTANCE apart  --->  codelet  --->  times twiddles  --->  the places of the points
 *
 * A stage has RADIX points and the distance between neighbours along its axis, INNER. If it is the first one of two along
 * the axis, DISTANCE is a multiple of INNER, and results are multiplied by twiddles, which begin at ROOTS. The FIRST_STAGE
 * takes its points from the array, and so needs no barrier before it; there is none if local memory has the points already.
 */
#if RADIX > 1
static INLINE void JOINED(stage_, STAGE)(local cplx *room, Source source, uint arrays, global const cplx *roots)
{
    if (STAGE != FIRST_STAGE)
        barrier(CLK_LOCAL_MEM_FENCE);
    for (uint line = get_local_id(0); line < arrays * (POINTS / RADIX); line += ITEMS) {
        const uint begin = line / DISTANCE * (RADIX * DISTANCE) + line % DISTANCE;
        cplx x[RADIX];
        UNROLL for (uint r = 0; r < RADIX; r++)
            x[r] = STAGE == FIRST_STAGE ? load_element(source, begin + r * DISTANCE)
                                        : room[place(begin, r * DISTANCE, RADIX * DISTANCE)];
        JOINED(fft, RADIX)(x, 1);
        if (DISTANCE > INNER) {
            const uint j = line % DISTANCE / INNER;
            UNROLL for (uint r = 1; r < RADIX; r++)
                x[r] = cmul(x[r], roots[ROOTS + r * j]);
        }
        UNROLL for (uint r = 0; r < RADIX; r++)
            room[place(begin, r * DISTANCE, RADIX * DISTANCE)] = x[r];
    }
}
#else
static INLINE void JOINED(stage_, STAGE)(local cplx *room, Source source, uint arrays, global const cplx *roots)
{
}
#endif
#undef STAGE
#undef RADIX
#undef DISTANCE
#undef INNER
#undef ROOTS
