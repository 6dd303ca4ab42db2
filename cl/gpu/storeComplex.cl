/* storeComplex: a result is a complex number. */
static INLINE void IN_PASS(store_result_)(global target_element *dst, Axis axis, Transform to, Element e, cplx z HOOK_PARAMETERS)
{
    if (REAL_ORIGIN && e.g == 0)
        z.y = 0;
    if (is_before(e, e.g, axis.elements))
        STORE_ALONG(dst, axis, to.first, e.g - to.column, e.place, z);
}
