/* cosine3: a cosine or sine transform of type 3, the way back of type 2.
 *
 *     src       number k as real part,              --->  times turned[k], conjugated  --->  X[k]
 *               number 2 N - k as imaginary part
 *     X[k], X[N - k]  --->  joined  --->  waiting   Z[k], Z[N - k]
 *     waiting   x0 x2 x4 ...   ... x5 x3 x1  --->  finish_row  --->  dst   x0 x1 x2 x3 x4 x5 ...
 */
static INLINE ulong address_of_results(Target target)
{
    return (ulong)(target.dst + target.to);
}

/* Numbers k and those above, which a sine transform has in reverse. */
static INLINE reals numbers_from(Source source, uint k)
{
    const uint i = SINE ? other_end(NUMBERS, k) : k;
    const reals x = reordered(*(global const loose_reals *)(source.src + source.from + i));
    return SINE ? backward(x) : x;
}

static INLINE points spectrum_at(Source source, uint k, global const cplx *turned)
{
    const reals upper = backward(numbers_from(source, other_end(NUMBERS + 1, k)));
    return products((points)(numbers_from(source, k), -upper), load_roots(turned + k, -1));
}

static INLINE void prepare_row(Source source, Tables tables)
{
    LOOP(uint block = 1; block <= N / 2; block += LANES)
    {
        const uint k = begin_within(block);
        fetch_numbers(source, 2 * (k - 1));
        const points a = spectrum_at(source, k, tables.turned);
        const points b = reversed(conjugated(spectrum_at(source, other_end(N + 1, k), tables.turned)));
        join(source.waiting, a, b, k, tables.roots);
    }
    global const real *numbers = source.src + source.from;
    const real first = numbers[SINE ? NUMBERS - 1 : 0] * (ORTHO ? ROOT_TWO : 1);
    const real middle = numbers[SINE ? N - 1 : N] * ROOT_TWO;
    source.waiting[0] = (cplx)(first + middle, middle - first);
}

static INLINE void store_result(Target target, uint k, points x)
{
    leave_results(target.waiting + k * ROWS, scaled(x, target.factors));
}

static INLINE void finish_row(Target target, Tables tables)
{
    SCRATCH const real *v = (SCRATCH const real *)target.waiting;
    LOOP(uint block = 0; block < N; block += LANES)
    {
        const uint i = begin_within(block);
        const reals odd = backward(reals_at(v + other_end(NUMBERS, i)));
        store_even_and_odd(target, 2 * i, reals_at(v + i), SINE ? -odd : odd);
    }
}
