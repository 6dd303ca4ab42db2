/* anyPrime: stages of a prime radix of 7, 11 or 13 over any number of points. The radix is an argument.
 *
 *     radix points  --->  sums and differences of pairs  --->  sums over pairs, twiddles  --->  radix results
 *
 * The loops over the points of a codelet stay loops. Unrolled for each prime, they are quicker, but take longer to
 * compile than all else in the kernel.
 */
#define LARGEST_PRIME 13

/* A transform of p points: radix.cl describes the sums. */
static INLINE void fft_prime(points *x, uint p)
{
    constant real *cosines = p == 13 ? COSINES_13 : p == 11 ? COSINES_11 : COSINES_7;
    constant real *sines = p == 13 ? SINES_13 : p == 11 ? SINES_11 : SINES_7;
    points first = x[0], sums[LARGEST_PRIME / 2 + 1], differences[LARGEST_PRIME / 2 + 1];
    LOOP(uint k = 1; k <= p / 2; k++)
    {
        sums[k] = x[k] + x[p - k];
        differences[k] = times_minus_i(x[k] - x[p - k]);
        x[0] += sums[k];
    }
    LOOP(uint j = 1; j <= p / 2; j++)
    {
        points even = first, odd = 0;
        uint m = 0; /* j k modulo p */
        LOOP(uint k = 1; k <= p / 2; k++)
        {
            m += m + j < p ? j : j - p;
            even += sums[k] * cosines[min(m, p - m) - 1];
            odd += differences[k] * (m <= p / 2 ? sines[m - 1] : -sines[p - m - 1]);
        }
        x[j] = even + odd;
        x[p - j] = even - odd;
    }
}

static INLINE void stage_prime(uint radix, SCRATCH const points *from, SCRATCH points *to, uint before, uint below,
                               global const cplx *twiddles)
{
    LOOP(uint j = 0; j < below; j++)
    {
        global const cplx *w = twiddles + (below - 1) + j * (radix - 1);
        LOOP(uint i = j * before; i < (j + 1) * before; i++)
        {
            SCRATCH points *y = to + i + j * before * (radix - 1);
            points x[LARGEST_PRIME];
            LOOP(uint r = 0; r < radix; r++)
                x[r] = from[i + r * below * before];
            fft_prime(x, radix);
            LOOP(uint k = 0; k < radix; k++)
                y[k * before] = j && k ? times_number(x[k], w + k - 1) : x[k];
        }
    }
}
