/* anyPrime: stages of a prime radix of 7, 11 or 13 in a kernel for all lengths. The radix is an argument.
 *
 *     radix x `below` points  --->  sums over pairs, twiddles  --->  radix blocks of `below` points
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

static INLINE void stage_there_prime(SCRATCH points *scratch, uint n, uint radix, uint below,
                                     global const cplx *twiddles)
{
    LOOP(uint at = 0; at < n; at += radix * below)
        LOOP(uint j = 0; j < below; j++)
        {
            points x[LARGEST_PRIME];
            global const cplx *w = twiddles + (below - 1) + j * (radix - 1);
            LOOP(uint r = 0; r < radix; r++)
                x[r] = scratch[at + j + r * below];
            fft_prime(x, radix);
            scratch[at + j] = x[0];
            LOOP(uint k = 1; k < radix; k++)
                scratch[at + j + k * below] = times(x[k], w[k - 1]);
        }
}

/* The last stage. `rows` has the number of each block's first result. */
static INLINE void last_stage_prime(SCRATCH points *scratch, uint n, uint radix, global const long *rows, Source source,
                                    Target target HOOK_PARAMETERS)
{
    LOOP(uint block = 0; block < n / radix; block++)
    {
        points x[LARGEST_PRIME];
        LOOP(uint r = 0; r < radix; r++)
            x[r] = scratch[block * radix + r];
        fft_prime(x, radix);
        LOOP(uint k = 0; k < radix; k++)
            store_result(target, rows[block] + k * (n / radix), x[k] HOOK_ARGUMENTS);
    }
}
