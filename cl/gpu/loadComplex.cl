/* loadComplex: a point is a complex number. */
static INLINE cplx IN_PASS(load_point_)(global const source_element *src, Axis axis, Transform from, Element e,
                              uint flags HOOK_PARAMETERS)
{
    return is_before(e, e.g, axis.elements) ? LOAD_FROM(src, e.place, e.place - axis.first) : (cplx)(0, 0);
}
