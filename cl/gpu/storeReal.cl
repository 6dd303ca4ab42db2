/* storeReal: the real part of a result is a real number, and so is the imaginary part if the result is one of a packed
 * row or of two columns of a row (PAIR). */
static INLINE void IN_PASS(store_result_)(global target_element *dst, Axis axis, Transform to, Element e, cplx z HOOK_PARAMETERS)
{
    const ulong second = e.place + (PACKED ? axis.unit : to.partner);
    const int has_second = PACKED ? 1 : PAIR ? to.partner != 0 : 0;
    if (!is_before(e, e.g, axis.elements))
        return;
    STORE_ALONG(dst, axis, to.first, e.g - to.column, e.place, z.x);
    if (has_second && PACKED)
        STORE_ALONG(dst, axis, to.first, e.g - to.column + 1, second, z.y);
    else if (has_second)
        STORE_ALONG(dst, axis, to.first + to.partner, e.g - to.column, second, z.y);
}
