/* rowLoadHalf: the source is the first half of the spectrum of 2 N real numbers.
 *
 *     src   X[0] X[1] ... X[N]  --->  prepare_row  --->  waiting   Z[0] Z[1] ... Z[N-1]  --->  load_points
 *
 * rowPacked.cl says how Z is joined from X. X[0] and X[N] are real, whatever the source says.
 */
static INLINE points spectrum_at(Source source, uint k, real sign HOOK_PARAMETERS)
{
    return deinterleaved(load_vector(source.src, source.from + k, 1, existing(k) HOOK_ARGUMENTS), sign);
}

static INLINE real real_number_at(Source source, uint k HOOK_PARAMETERS)
{
    return existing(k) ? load_element(source.src, source.from + k HOOK_ARGUMENTS).x : 0;
}

static INLINE void prepare_row(Source source, Tables tables HOOK_PARAMETERS)
{
    LOOP(uint block = 1; block <= N / 2; block += LANES)
    {
        const uint k = begin_within(block);
        const points a = spectrum_at(source, k, source.sign HOOK_ARGUMENTS);
        const points b = reversed(spectrum_at(source, other_end(N + 1, k), -source.sign HOOK_ARGUMENTS));
        join(source.waiting, a, b, k, tables.roots);
    }
    const real first = real_number_at(source, 0 HOOK_ARGUMENTS), last = real_number_at(source, N HOOK_ARGUMENTS);
    source.waiting[0] = (cplx)(first + last, last - first);
}

static INLINE points load_points(Source source, uint i HOOK_PARAMETERS)
{
    return waiting_points(source.waiting + i, 1);
}

static INLINE void fetch_points(Source source, uint i)
{
}
