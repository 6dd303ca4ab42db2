/* prime: the codelets of an odd PRIME p, by the definition of the transform. A template: primes.cl includes it once for
 * each prime.
 *
 *     x[k], x[p - k]  --->  sum, difference  --->  sums over k with cosines, with sines  --->  X[j], X[p - j]
 *
 * X[j] = x[0] + sum over k of (x[k] + x[p - k]) cos(2 pi j k / p) - i sum over k of (x[k] - x[p - k]) sin(2 pi j k / p)
 * for k from 1 to (p - 1) / 2. The real parts of the sums of pairs, their imaginary parts, and both parts of the
 * differences never meet, so each of these four rows of real numbers is transformed on its own, one after the other,
 * because registers are few: one row needs (p - 1) / 2 registers for its results before it can give up its own.
 */
#define HALF (PRIME / 2)
#define FUNCTION(name) JOINED(name, PRIME)

/* Adds what a point, number k of its row, contributes to each sum j: the point times the wave at j k. Of the waves the
 * tables hold the first half; cosines are the same in the second half, and sines have the other sign. */
static INLINE void FUNCTION(add_)(real *sums, real point, int k, constant real *waves, int sign)
{
    UNROLL for (int j = 1; j <= HALF; j++) {
        const int m = j * k % PRIME;
        sums[j - 1] += point * (m <= HALF ? waves[m - 1] : sign * waves[PRIME - m - 1]);
    }
}

/* Result j is `first` plus the sum over k of row[k] times the wave at j k. Each point is added to all results before the
 * next one: it is then done with, and no addition waits for the one before. There are two loops because compilers unroll
 * only what they deem short. */
static INLINE void FUNCTION(sums_)(real *row, real first, constant real *waves, int sign)
{
    real sums[HALF];
    UNROLL for (int j = 0; j < HALF; j++)
        sums[j] = first;
    UNROLL for (int k = 1; k <= HALF / 2; k++)
        FUNCTION(add_)(sums, row[k - 1], k, waves, sign);
    UNROLL for (int k = HALF / 2 + 1; k <= HALF; k++)
        FUNCTION(add_)(sums, row[k - 1], k, waves, sign);
    UNROLL for (int j = 0; j < HALF; j++)
        row[j] = sums[j];
}

static INLINE void FUNCTION(fft)(points *x, int s)
{
    const points first = x[0];
    real re_sums[HALF], im_sums[HALF], re_differences[HALF], im_differences[HALF];
    UNROLL for (int k = 1; k <= HALF; k++) {
        const points sum = x[k * s] + x[(PRIME - k) * s], difference = x[k * s] - x[(PRIME - k) * s];
        x[0] += sum;
        re_sums[k - 1] = sum.x;
        im_sums[k - 1] = sum.y;
        re_differences[k - 1] = difference.x;
        im_differences[k - 1] = difference.y;
    }
    FUNCTION(sums_)(re_sums, first.x, FUNCTION(COSINES_), 1);
    FUNCTION(sums_)(im_differences, 0, FUNCTION(SINES_), -1);
    FUNCTION(sums_)(im_sums, first.y, FUNCTION(COSINES_), 1);
    FUNCTION(sums_)(re_differences, 0, FUNCTION(SINES_), -1);
    UNROLL for (int j = 1; j <= HALF; j++) {
        const points even = (points)(re_sums[j - 1], im_sums[j - 1]);
        const points odd = (points)(im_differences[j - 1], -re_differences[j - 1]);
        x[j * s] = even + odd;
        x[(PRIME - j) * s] = even - odd;
    }
}

/* The real results of a transform back, from the points 0 .. (p - 1) / 2, of which the others are the conjugates: two of
 * the four rows are zero, and half of the results need no arithmetic of their own. The results are real parts. */
static INLINE void FUNCTION(back_to_real)(points *x, int s)
{
    const real first = x[0].x;
    real sum = first, doubled_re[HALF], doubled_im[HALF];
    UNROLL for (int k = 1; k <= HALF; k++) {
        doubled_re[k - 1] = 2 * x[k * s].x;
        doubled_im[k - 1] = 2 * x[k * s].y;
        sum += doubled_re[k - 1];
    }
    FUNCTION(sums_)(doubled_re, first, FUNCTION(COSINES_), 1);
    FUNCTION(sums_)(doubled_im, 0, FUNCTION(SINES_), -1);
    x[0] = (points)(sum, 0);
    UNROLL for (int j = 1; j <= HALF; j++) {
        x[j * s] = (points)(doubled_re[j - 1] - doubled_im[j - 1], 0);
        x[(PRIME - j) * s] = (points)(doubled_re[j - 1] + doubled_im[j - 1], 0);
    }
}
#undef HALF
#undef FUNCTION
#undef PRIME
