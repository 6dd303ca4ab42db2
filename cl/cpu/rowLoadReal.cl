/* rowLoadReal: a point is a real number.
 *
 *     src   re re re ...  --->  load_points  --->  re re re ... | 0 0 0 ...
 */
static INLINE void prepare_row(Source source, Tables tables HOOK_PARAMETERS)
{
}

static INLINE points load_points(Source source, uint i HOOK_PARAMETERS)
{
    return (points)(reordered(load_vector(source.src, source.from + i, 1, existing(i) HOOK_ARGUMENTS)), (reals)0);
}

static INLINE void fetch_points(Source source, uint i)
{
    fetch(source.src + source.from + source.ahead + i);
}
