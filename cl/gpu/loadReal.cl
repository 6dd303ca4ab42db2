/* loadReal: a point is a real number. */
static INLINE cplx IN_PASS(load_point_)(global const source_element *src, Axis axis, Transform from, Element e,
                              uint flags HOOK_PARAMETERS)
{
    return (cplx)(is_before(e, e.g, axis.elements) ? LOAD_FROM(src, e.place, e.place - axis.first) : 0, 0);
}
