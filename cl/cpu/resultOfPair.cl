/* resultOfPair: of what waits, the results of the first or of the second of two transforms of real numbers.
 *
 *     Z[k] = A[k] + i B[k]  --->  2 A[k] = Z[k] + conjugate of Z[N - k],  2 B[k] = (Z[k] - that conjugate) / i
 */
static INLINE points waiting_result(Target to, uint k, uint begin)
{
    const points z = to.results[k], image = conjugated(to.results[k ? to.sizes.length - k : 0]);
    const points x = begin ? times_minus_i(z - image) : z + image;
    return TWIST ? twisted(x, k, begin, to.sizes, to.tables) : x;
}
