/* axisStageInParts: axisStage.cl, if work-items keep their points from stage to stage. Local memory then holds the real
 * parts of all points, and after that the imaginary parts, so that an array may be twice as large.
 */
static INLINE Lines JOINED(stage_, STAGE)(cplx *x, local real *room, Source source, Lines before, global const cplx *roots)
{
#if RADIX > 1
    const Lines mine = {RADIX, DISTANCE};
    if (STAGE != FIRST_STAGE)
        exchange(x, room, before, mine);
    else
        UNROLL for (uint i = 0; i < SHARE; i++)
            if (is_kept(mine, i))
                x[i] = load_element(source, element(mine, i));
    UNROLL for (uint b = 0; b < SHARE / RADIX; b++)
        if (is_kept(mine, b * RADIX)) {
            JOINED(fft, RADIX)(x + b * RADIX, 1);
            if (DISTANCE > INNER) {
                const uint j = line_of(mine, b * RADIX) % DISTANCE / INNER;
                UNROLL for (uint r = 1; r < RADIX; r++)
                    x[b * RADIX + r] = cmul(x[b * RADIX + r], roots[ROOTS + r * j]);
            }
        }
    return mine;
#else
    return before;
#endif
}
#undef STAGE
#undef RADIX
#undef DISTANCE
#undef INNER
#undef ROOTS
