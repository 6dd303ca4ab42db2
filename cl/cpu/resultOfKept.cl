/* resultOfKept: of the KEPT transforms that wait, result k of a row, k up to the middle of its spectrum. */
static INLINE points waiting_result(Target to, uint k, uint begin)
{
    const uint part = k % REAL_RADIX, row = k / REAL_RADIX;
    if (part >= KEPT)
        return conjugated(to.results[(REAL_RADIX - part) * M + M - 1 - row]);
    const points x = to.results[part * M + row];
    return k ? x : (points)(RE(x), (reals)0); /* element 0 is real, of which rounding would leave a little else */
}
