/* resultOfOne: a result that waits is a result of one transform. */
static INLINE points waiting_result(Target to, uint k, uint begin)
{
    const points x = to.results[k];
    /* Element 0 of a real row's spectrum is real, of which rounding would leave a little else. */
    return TARGET == HERMITIAN && k == 0 ? (points)(RE(x), (reals)0) : x;
}
