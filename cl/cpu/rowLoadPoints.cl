/* rowLoadPoints: a point is a complex number, or two neighbouring real numbers (PACKED).
 *
 *     src   re im re im re im ...  --->  load_points  --->  re re re ... | im im im ...
 */
static INLINE void prepare_row(Source source, Tables tables HOOK_PARAMETERS)
{
}

/* LANES points of the row, from point i on. Point `fetched` of what is ahead is fetched into the cache meanwhile. */
static INLINE points load_points(Source source, uint i, uint fetched HOOK_PARAMETERS)
{
    const uint element = i * SOURCE_APART;
    const points z = load_vector(source.src, source.from + element, 1, existing(element) HOOK_ARGUMENTS);
    const points x = deinterleaved(z, source.sign);
    fetch(source.src + source.from + source.ahead + fetched * SOURCE_APART);
    return x;
}
