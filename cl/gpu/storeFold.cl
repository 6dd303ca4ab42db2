/* storeFold: a result is a number of a spectrum of real numbers, of whose axis only the columns up to the middle one
 * have been transformed, and only the first half is wanted.
 *
 * What belongs beyond the middle of the axis is the conjugate of an element before it, except in columns that are their
 * own mirror image: there that element is a result, too, and would be written twice. */
static INLINE void IN_PASS(store_result_)(global target_element *dst, Axis axis, Transform to, Element e, cplx z HOOK_PARAMETERS)
{
    const whole column = to.column % FOLD;
    const ulong image = to.first + ((ulong)(LENGTH - e.g) - to.column) * axis.unit;
    if (e.g <= LENGTH - e.g)
        STORE_ALONG(dst, axis, to.first, e.g - to.column, e.place, z);
    else if (column && column != FOLD - column)
        STORE_ALONG(dst, axis, to.first, LENGTH - e.g - to.column, image, ((cplx)(z.x, -z.y)));
}
