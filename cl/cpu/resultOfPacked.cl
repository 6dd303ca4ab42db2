/* resultOfPacked: of what waits, the spectrum of all numbers of a packed row.
 *
 *     Z[k] = E[k] + i O[k], of the even and of the odd numbers  --->  2 X[k] = 2 E[k] + 2 w^k O[k]
 */
static INLINE points waiting_result(Target to, uint k, uint begin)
{
    const uint length = to.sizes.length;
    const points z = to.results[k < length ? k : 0], image = conjugated(to.results[k ? length - k : 0]);
    return z + image + times_number(times_minus_i(z - image), to.tables.row_roots + k);
}
