/* rowPacked: rows of 2 N real numbers, of which two neighbours are one point, and their spectra of N + 1 numbers.
 *
 *     spectrum Z of the points  --->  separate  --->  spectrum X of the real numbers
 *     spectrum X of the real numbers  --->  join  --->  spectrum Z of the points
 *
 * The transform of the points is Z = E + i O, with the spectrum E of the even numbers and O of the odd ones. With
 * W = exp(-2 pi i / (2 N)), X[k] = E[k] + W^k O[k] and X[N - k] is the conjugate of E[k] - W^k O[k]. So numbers k and
 * N - k, which is the mirror image of k, are made at once, both times two. Vectors go through a row from both ends:
 *
 *     numbers   0 | 1 2 3 4 ...  --->            <---  ... N-4 N-3 N-2 N-1 | N
 *
 * The last vectors of both may overlap those before. Rows wait in scratch memory until all of them is there.
 *
 * References: J. W. Cooley, P. A. W. Lewis, P. D. Welch, "The fast Fourier transform algorithm: programming
 * considerations in the calculation of sine, cosine and Laplace transforms", J. Sound Vib. 12 (1970).
 */

/* --- rows that wait -------------------------------------------------------------------------------- */

/* LANES points of a row, or their conjugates: `sign` is then -1. */
static INLINE points waiting_points(SCRATCH const cplx *from, real sign)
{
    return deinterleaved(*(SCRATCH const loose *)from, sign);
}

static INLINE void leave_points(SCRATCH cplx *to, points z)
{
    *(SCRATCH loose *)to = interleaved(z);
}

/* The results of the lanes in use. */
static INLINE void leave_results(SCRATCH cplx *to, points z)
{
    const points there = interleaved(z);
    if (ROWS == LANES)
        *(SCRATCH loose *)to = there;
    else
        UNROLL for (uint i = 0; i < 2 * ROWS; i++)
            ((SCRATCH real *)to)[i] = there[i];
}

/* --- mirror images --------------------------------------------------------------------------------- */

/* The first number of the vector that begins with number `block`, or earlier, because it must end within the row. */
static INLINE uint begin_within(uint block)
{
    return min(block, (uint)(N - LANES));
}

/* The first number of the vector that ends as far from the end of `count` numbers as number i is from their beginning.
 * The mirror images of the numbers from k on are those from other_end(N + 1, k) on. */
static INLINE uint other_end(uint count, uint i)
{
    return count - LANES - i;
}

/* Vectors of numbers from k on and of their images, each in ascending order. */
typedef struct {
    points lower, upper;
} Images;

static INLINE points load_roots(global const cplx *roots, real sign)
{
    return deinterleaved(*(global const loose *)roots, sign);
}

/* Twice the numbers of X from k on, and their images. */
static INLINE Images separate(SCRATCH const cplx *z, uint k, global const cplx *roots)
{
    const points a = waiting_points(z + k, 1), b = reversed(waiting_points(z + other_end(N + 1, k), -1));
    const points odd = times_minus_i(products(a - b, load_roots(roots + k, 1)));
    return (Images){a + b + odd, reversed(conjugated(a + b - odd))};
}

/* Leaves twice the numbers of Z from k on, and their images, as conjugates, since the transform back is that of
 * conjugates. `a` are numbers of X, and `b` are the conjugates of their images, in the order of `a`. */
static INLINE void join(SCRATCH cplx *z, points a, points b, uint k, global const cplx *roots)
{
    const points odd = times_minus_i(products(a - b, load_roots(roots + k, -1)));
    leave_points(z + k, conjugated(a + b - odd));
    leave_points(z + other_end(N + 1, k), reversed(a + b + odd));
}

/* A real number times the scale. */
static INLINE real scaled_real(real x, factors_of_parts factors)
{
    return x * factors.s0 + x * factors.s2;
}
