/* storeTogether: a result is two neighbours in a packed row, which are aligned, and stored, as one complex number. */
static INLINE void IN_PASS(store_result_)(global target_element *dst, Axis axis, Transform to, Element e, cplx z HOOK_PARAMETERS)
{
    if (is_before(e, e.g, axis.elements))
        *(global cplx *)(dst + e.place) = (cplx)(STORE_HOOK(z.x, e.place - axis.first),
                                                 STORE_HOOK(z.y, e.place + axis.unit - axis.first));
}
