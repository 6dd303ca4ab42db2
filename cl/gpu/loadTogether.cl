/* loadTogether: a point is two neighbours in a packed row, which are aligned, and loaded, as one complex number. */
static INLINE cplx IN_PASS(load_point_)(global const source_element *src, Axis axis, Transform from, Element e,
                              uint flags HOOK_PARAMETERS)
{
    if (!is_before(e, e.g, axis.elements))
        return (cplx)(0, 0);
#if LOAD_VECTORS
    return LOAD_VECTOR_HOOK(src, from.first - axis.first, e.offset);
#else
    const cplx z = *(global const cplx *)(src + e.place);
    return (cplx)(LOAD_HOOK(z.x, e.place - axis.first), LOAD_HOOK(z.y, e.place + axis.unit - axis.first));
#endif
}
