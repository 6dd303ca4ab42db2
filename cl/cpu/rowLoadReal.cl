/* rowLoadReal: a point is a real number.
 *
 *     src   re re re ...  --->  load_points  --->  re re re ... | 0 0 0 ...
 */
static INLINE void prepare_row(Source source, Tables tables HOOK_PARAMETERS)
{
}

static INLINE points load_points(Source source, uint i, uint fetched HOOK_PARAMETERS)
{
    const reals x = load_vector(source.src, source.from + i, 1, existing(i) HOOK_ARGUMENTS);
    fetch(source.src + source.from + source.ahead + fetched);
    return (points)(x, (reals)0);
}
