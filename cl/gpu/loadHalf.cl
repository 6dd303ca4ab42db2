/* loadHalf: a point is a number of a spectrum of real numbers, of which the source has the first half.
 *
 *     element   0  1  2  3  4  5  6  7
 *     is        0  1  2  3  4  3* 2* 1*     (* conjugated)
 *
 * Of two columns (PAIR), the second one's number times i is added. */
static INLINE cplx IN_PASS(load_point_)(global const source_element *src, Axis axis, Transform from, Element e,
                              uint flags HOOK_PARAMETERS)
{
    const int beyond = 2 * e.least >= LENGTH || (2 * e.end > LENGTH && e.g > LENGTH - e.g);
    const whole there = beyond ? LENGTH - e.g : e.g;
    const ulong place = from.first + ((ulong)there - from.column) * axis.unit;
    const int may_lack = FILLED <= LENGTH / 2; /* else the source has the whole half, and no element is compared */
    if (!is_before(e, e.g, LENGTH) || (may_lack & (there >= FILLED)))
        return (cplx)(0, 0);
    const int conjugated = beyond != ((flags & CONJUGATE_IN) != 0);
    const int is_first = e.least == 0 && e.g == 0, in_the_middle = LENGTH % 2 == 0 && e.g == LENGTH - e.g;
    const int own_image = is_first | in_the_middle;
    cplx z = of_half(LOAD_ALONG(src, axis, from.first, there - from.column, place), conjugated, own_image);
    if (PAIR) {
        const ulong second = place + from.partner;
        z += times_i(
            of_half(LOAD_ALONG(src, axis, from.first + from.partner, there - from.column, second), conjugated,
                    own_image));
    }
    return z;
}
