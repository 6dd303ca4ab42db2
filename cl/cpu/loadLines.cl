/* loadLines: from memory to lanes, along columns or along rows of the source.
 *
 *     columns    x[i]         <---  element i of LANES transforms, which are neighbours or some distance apart
 *     rows       x[i .. ]     <---  LANES elements of each of LANES transforms, transposed in registers
 */

/* Points at a place; of real numbers, those at a second place are the imaginary parts. */
static INLINE points load_points(Source from, ulong at, ulong second, ulong apart, uint count,
                                 uint second_count HOOK_PARAMETERS)
{
    source_vector v = load_vector(from.src, at, apart, count HOOK_ARGUMENTS);
#if WIDENED
    return (points)(reordered(v), (reals)0);
#elif LOADS_PARTS
    return (points)(reordered(v), reordered(load_vector(from.src, second, apart, second_count HOOK_ARGUMENTS)));
#else
    return deinterleaved(v, from.sign);
#endif
}

/* Point i of all transforms, from `begin` on, side by side; `lanes` of the block exist. */
static INLINE points load_column(Source from, uint i, uint begin, uint lanes HOOK_PARAMETERS)
{
    const ulong at = from.first + SOURCE_ELEMENT(i) * from.point;
    const uint count = loaded_from(begin, lanes);
    if (PACKED & (SOURCE == REAL)) {
        const int has_second = from.sizes.filled == whole_of(from.sizes) || 2 * i + 1 < from.sizes.filled;
        return load_points(from, at, at + from.point, from.transform, count, has_second ? count : 0 HOOK_ARGUMENTS);
    }
    return load_points(from, at + begin * from.transform, at + LANES * from.transform, from.transform, count,
                       loaded_from(LANES, lanes) HOOK_ARGUMENTS);
}

/* LANES points, from i on, of all transforms from `begin` on. */
static INLINE void load_rows(points *x, Source from, uint i, uint begin HOOK_PARAMETERS)
{
    const ulong at = from.first + SOURCE_ELEMENT(i);
    const uint whole = whole_of(from.sizes);
    const uint count = from.sizes.filled == whole ? whole : remaining(from.sizes.filled, SOURCE_ELEMENT(i));
    UNROLL for (uint lane = 0; lane < LANES; lane++) {
        const ulong one = at + (begin + lane) * from.transform, other = at + (LANES + lane) * from.transform;
        x[lane] = load_points(from, one, other, 1, exists(begin + lane, from.lanes) ? count : 0,
                              exists(LANES + lane, from.lanes) ? count : 0 HOOK_ARGUMENTS);
        fetch(from.src + one + SOURCE_STEP);
    }
    transpose(x);
}
