/* rowLoadPoints: a point is a complex number, or two neighbouring real numbers (PACKED).
 *
 *     src   re im re im re im ...  --->  load_points  --->  re re re ... | im im im ...
 */
static INLINE void prepare_row(Source source, Tables tables HOOK_PARAMETERS)
{
}

/* LANES points of the row, from point i on. */
static INLINE points load_points(Source source, uint i HOOK_PARAMETERS)
{
    const uint element = i * SOURCE_APART;
    const points z = load_vector(source.src, source.from + element, 1, existing(element) HOOK_ARGUMENTS);
    return deinterleaved(z, source.sign);
}

/* The points that lie ahead of points i and up. */
static INLINE void fetch_points(Source source, uint i)
{
    fetch(source.src + source.from + source.ahead + i * SOURCE_APART);
}
