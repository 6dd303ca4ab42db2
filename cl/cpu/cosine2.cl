/* cosine2: a cosine or sine transform of type 2.
 *
 *     src       x0 x1 x2 x3 x4 x5 ...  --->  prepare_row  --->  waiting   x0 x2 x4 ...   ... x5 x3 x1
 *     waiting   Z[k]  --->  finish_row  --->  X[k]  --->  times turned[k]  --->  dst   real part at k,
 *                                                                                      imaginary part at 2 N - k
 */
static INLINE ulong address_of_results(Target target)
{
    return 0; /* of scratch memory */
}

static INLINE void prepare_row(Source source, Tables tables)
{
    SCRATCH real *v = (SCRATCH real *)source.waiting;
    LOOP(uint block = 0; block < N; block += LANES)
    {
        const uint i = begin_within(block);
        const points x = even_and_odd(source, 2 * i);
        fetch_numbers(source, 2 * i);
        leave_reals(v + i, RE(x));
        leave_reals(v + other_end(NUMBERS, i), backward(SINE ? -IM(x) : IM(x)));
    }
}

static INLINE void store_result(Target target, uint k, points x)
{
    leave_results(target.waiting + k * ROWS, x);
}

/* Results k and those above of a cosine transform, which are those of a sine transform in reverse. */
static INLINE void leave_numbers(SCRATCH real *y, uint k, reals results, factors_of_parts factors)
{
    const reals finished = scaled_reals(results, factors);
    leave_reals(y + (SINE ? other_end(NUMBERS, k) : k), SINE ? backward(finished) : finished);
}

static INLINE void finish_row(Target target, Tables tables)
{
    SCRATCH const cplx *z = target.waiting;
    SCRATCH real *y = (SCRATCH real *)target.whole;
    LOOP(uint block = 1; block <= N / 2; block += LANES)
    {
        const uint k = begin_within(block), image = other_end(N + 1, k);
        const Images x = separate(z, k, tables.roots);
        const points a = products(x.lower, load_roots(tables.turned + k, 1));
        const points b = products(x.upper, load_roots(tables.turned + image, 1));
        leave_numbers(y, k, RE(a), target.factors);
        leave_numbers(y, other_end(NUMBERS + 1, k), backward(-IM(a)), target.factors);
        leave_numbers(y, image, RE(b), target.factors);
        leave_numbers(y, other_end(NUMBERS + 1, image), backward(-IM(b)), target.factors);
    }
    const real first = (ORTHO ? ROOT_TWO : 2) * (z[0].x + z[0].y), middle = ROOT_TWO * (z[0].x - z[0].y);
    y[SINE ? NUMBERS - 1 : 0] = scaled_real(first, target.factors);
    y[SINE ? N - 1 : N] = scaled_real(middle, target.factors);
    store_run(target.dst, target.to, y, NUMBERS, target.stream);
}
