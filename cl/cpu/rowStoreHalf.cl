/* rowStoreHalf: the target is the first half of the spectrum of 2 N real numbers.
 *
 *     store_result  --->  waiting   Z[0] Z[1] ... Z[N-1]  --->  finish_row  --->  dst   X[0] X[1] ... X[N]
 *
 * rowPacked.cl says how X is separated from Z. Numbers 0 to N - 1 become a whole row in scratch memory first, so that
 * vectors are stored wherever lines begin.
 */
static INLINE ulong address_of_results(Target target)
{
    return 0; /* of scratch memory */
}

static INLINE void store_result(Target target, uint k, points x HOOK_PARAMETERS)
{
    leave_results(target.waiting + k * ROWS, x);
}

static INLINE void finish_row(Target target, Tables tables HOOK_PARAMETERS)
{
    SCRATCH const cplx *z = target.waiting;
    LOOP(uint block = 1; block <= N / 2; block += LANES)
    {
        const uint k = begin_within(block);
        const Images x = separate(z, k, tables.roots);
        leave_points(target.whole + k, scaled(x.lower, target.factors));
        leave_points(target.whole + other_end(N + 1, k), scaled(x.upper, target.factors));
    }
    const real first = 2 * (z[0].x + z[0].y), last = 2 * (z[0].x - z[0].y);
    target.whole[0] = (cplx)(scaled_real(first, target.factors), 0);
    store_run(target.dst, target.to, target.whole, N, target.stream HOOK_ARGUMENTS);
    store_element(target.dst, target.to + N, (cplx)(scaled_real(last, target.factors), 0) HOOK_ARGUMENTS);
}
