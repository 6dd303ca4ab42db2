/* loadTwo: a point is two real numbers: neighbours in a packed row, or one each of two columns of a row (PAIR). */
static INLINE cplx IN_PASS(load_point_)(global const source_element *src, Axis axis, Transform from, Element e,
                              uint flags HOOK_PARAMETERS)
{
    const ulong second = e.place + (PACKED ? axis.unit : from.partner);
    const whole g = e.g + (PACKED ? 1 : JOINED(COLUMNS_, PAIR_DIMENSION) / 2);
    return (cplx)(is_before(e, e.g, axis.elements) ? LOAD_FROM(src, e.place, e.place - axis.first) : 0,
                  is_before(e, g, axis.elements) ? LOAD_FROM(src, second, second - axis.first) : 0);
}
