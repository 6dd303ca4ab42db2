/* rowLoadBoth: SIDE points of each of two rows are the lanes of one vector.
 *
 *     row          re im re im ...  -+
 *                                    +->  load_points  --->  re re ... of the row, re re ... of the other | im im ...
 *     other row    re im re im ...  -+
 */
typedef reals loose_half __attribute__((aligned(4 << DOUBLE)));

static INLINE void prepare_row(Source source, Tables tables HOOK_PARAMETERS)
{
}

static INLINE points load_points(Source source, uint i HOOK_PARAMETERS)
{
    const reals one = *(global const loose_half *)(source.src + source.from + i);
    const reals other = *(global const loose_half *)(source.src + source.other_from + i);
    return deinterleaved((points)(one, other), source.sign);
}

static INLINE void fetch_points(Source source, uint i)
{
    fetch(source.src + source.from + source.ahead + i);
    fetch(source.src + source.other_from + source.ahead + i);
}
