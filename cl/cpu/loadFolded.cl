/* loadFolded: elements of a row of which the source has the first half.
 *
 *     element   0  1  2  3  4  5  6  7
 *     is        0  1  2  3  4  3* 2* 1*     (* conjugated; 0 and 4 are real)
 */
static INLINE points load_folded(Source from, uint k, uint lanes HOOK_PARAMETERS)
{
    const ulong row = from.first - from.column * from.transform, apart = from.transform;
    const uint last = k + LANES - 1, elements = from.elements;
    if (lanes >= LANES && k && 2 * last < elements && last < from.filled) {
        fetch(from.src + row + (k + 4 * ROW_COLUMNS) * apart);
        return load_points(from, row + k * apart, 0, apart, LANES, 0 HOOK_ARGUMENTS);
    }
    if (lanes >= LANES && 2 * k > elements && elements - k < from.filled) {
        const ulong at = row + (elements - last) * apart;
        return conjugated(reversed(load_points(from, at, 0, apart, LANES, 0 HOOK_ARGUMENTS)));
    }
    points z = 0;
    LOOP(uint lane = 0; lane < min(lanes, (uint)LANES); lane++, k++)
    {
        const int back = 2 * k > elements;
        const uint there = back ? elements - k : k;
        if (there >= from.filled)
            continue;
        const cplx value = load_element(from.src, row + there * apart HOOK_ARGUMENTS);
        ((cplx *)&z)[lane] = (cplx)(value.x, k == 0 || 2 * k == elements ? 0 : back ? -value.y : value.y);
    }
    return deinterleaved(z, from.sign);
}
