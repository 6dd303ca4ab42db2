/* cosine4: a cosine or sine transform of type 4.
 *
 *     src       x0 x1 x2 x3 ...  --->  numbers 2 i and 2 N - 1 - 2 i as the parts of point i,
 *                                           times turned[i]  --->  waiting
 *     waiting   result k, times turned[k]  --->  real part at 2 k, imaginary part at 2 N - 1 - 2 k  --->  dst
 *
 * Two vectors, equally far from both ends of a row, have what each other needs. In a sine transform the real and the
 * imaginary part of a point have changed places.
 */
static INLINE ulong address_of_results(Target target)
{
    return (ulong)(target.dst + target.to);
}

static INLINE points turned_points(reals even, reals odd, global const cplx *turned)
{
    return products(SINE ? (points)(odd, even) : (points)(even, odd), load_roots(turned, 1));
}

static INLINE void prepare_row(Source source, Tables tables)
{
    LOOP(uint block = 0; block < (N + 1) / 2; block += LANES)
    {
        const uint i = begin_within(block), other = other_end(N, i);
        const points a = even_and_odd(source, 2 * i), b = even_and_odd(source, 2 * other);
        fetch_numbers(source, 2 * i), fetch_numbers(source, 2 * other);
        leave_points(source.waiting + i, turned_points(RE(a), backward(IM(b)), tables.turned + i));
        leave_points(source.waiting + other, turned_points(RE(b), backward(IM(a)), tables.turned + other));
    }
}

static INLINE void store_result(Target target, uint k, points x)
{
    leave_results(target.waiting + k * ROWS, x);
}

static INLINE void finish_row(Target target, Tables tables)
{
    SCRATCH const cplx *z = target.waiting;
    LOOP(uint block = 0; block < (N + 1) / 2; block += LANES)
    {
        const uint i = begin_within(block), other = other_end(N, i);
        const points a = products(waiting_points(z + i, 1), load_roots(tables.turned + i, 1));
        const points b = products(waiting_points(z + other, 1), load_roots(tables.turned + other, 1));
        const reals odd = backward(scaled_reals(SINE ? IM(b) : -IM(b), target.factors));
        const reals other_odd = backward(scaled_reals(SINE ? IM(a) : -IM(a), target.factors));
        store_even_and_odd(target, 2 * i, scaled_reals(RE(a), target.factors), odd);
        store_even_and_odd(target, 2 * other, scaled_reals(RE(b), target.factors), other_odd);
    }
}
