/* Codelets: forward discrete Fourier transforms of a few points, in registers.
 *
 * They are the same for one transform and, on CPUs, for LANES of them side by side, which vector
 * instructions carry out at once: a `points` then holds LANES real parts, behind them as many
 * imaginary parts, so that arithmetic never crosses lanes.
 *
 * Each takes the points x[0], x[s], x[2 s] ... of a private array and leaves the result there in
 * natural order. Once the compiler has unrolled the loops around a call every index is a constant,
 * and the array lives in registers.
 *
 * References: J. W. Cooley, J. W. Tukey (1965) for the powers of a prime; I. J. Good (1958) and L. H. Thomas
 * (1963) for the other composite radices; for the odd primes the symmetric form of the definition, which
 * pairs x[k] with x[p - k].
 */
#include "prelude.cl"

#ifndef LANES
#define LANES 1 /* transforms side by side in a vector: 1, or 2, 4, 8, 16 */
#endif

#if LANES == 1
typedef cplx points;
#else /* wider than OpenCL's vectors may be, which clang does not mind */
typedef real reals __attribute__((ext_vector_type(LANES)));
typedef real points __attribute__((ext_vector_type(2 * LANES)));
#endif

/* The real parts, and the imaginary parts. */
#define RE(z) (z).lo
#define IM(z) (z).hi

/* All points times the same number. */
static INLINE points times(points z, cplx w)
{
    return (points)(RE(z) * w.x - IM(z) * w.y, RE(z) * w.y + IM(z) * w.x);
}

/* z times -i, and times the eighth root of unity exp(-i pi / 4). */
static INLINE points times_minus_i(points z)
{
    return (points)(IM(z), -RE(z));
}

static INLINE points times_w8(points z)
{
    return (points)(RE(z) + IM(z), IM(z) - RE(z)) * CONST(0.707106781186547524400844362105);
}

static INLINE void fft1(points *x, int s)
{
}

static INLINE void fft2(points *x, int s)
{
    points a = x[0], b = x[s];
    x[0] = a + b;
    x[s] = a - b;
}

static INLINE void fft4(points *x, int s)
{
    points even_sum = x[0] + x[2 * s], even_difference = x[0] - x[2 * s];
    points odd_sum = x[s] + x[3 * s], odd_difference = times_minus_i(x[s] - x[3 * s]);
    x[0] = even_sum + odd_sum;
    x[s] = even_difference + odd_difference;
    x[2 * s] = even_sum - odd_sum;
    x[3 * s] = even_difference - odd_difference;
}

static INLINE void fft8(points *x, int s)
{
    fft4(x, 2 * s);     /* even points: results k = 0 .. 3 at 0, 2, 4, 6 */
    fft4(x + s, 2 * s); /* odd points */
    points a0 = x[0], a1 = x[2 * s], a2 = x[4 * s], a3 = x[6 * s];
    points b0 = x[s], b1 = times_w8(x[3 * s]), b2 = times_minus_i(x[5 * s]);
    points b3 = times_w8(times_minus_i(x[7 * s]));
    x[0] = a0 + b0;
    x[s] = a1 + b1;
    x[2 * s] = a2 + b2;
    x[3 * s] = a3 + b3;
    x[4 * s] = a0 - b0;
    x[5 * s] = a1 - b1;
    x[6 * s] = a2 - b2;
    x[7 * s] = a3 - b3;
}

/* An odd prime number p of points, of which at most MOST_PAIRS pairs have numbers k and p - k. X[j] and X[p - j] share
 * the sums over the pairs, with cosines and sines of 2 pi j k / p. The first sine of a sum is its common factor, so that it
 * takes no multiplication of its own: devices add and multiply in one step. But then each sum has constants of
 * its own, and a GPU keeps constants of double precision in registers: by NVIDIA's assembler, rows of 13^3 points took 136
 * of them instead of 78. So 11 and 13 points have no factor in double precision. The bounds of the loops are constants,
 * because some compilers unroll loops before they know what p is. */
#define MOST_PAIRS 6
#define LARGEST_WITH_FACTOR (DOUBLE ? 7 : 13)
static INLINE void fft_of_prime(points *x, int s, int p, constant real *cosines, constant real *sines)
{
    points first = x[0], sums[MOST_PAIRS + 1], differences[MOST_PAIRS + 1];
    UNROLL for (int k = 1; k <= MOST_PAIRS; k++)
        if (k <= p / 2) {
            sums[k] = x[k * s] + x[(p - k) * s];
            differences[k] = times_minus_i(x[k * s] - x[(p - k) * s]);
            x[0] += sums[k];
        }
    UNROLL for (int j = 1; j <= MOST_PAIRS; j++)
        if (j <= p / 2) {
            const real factor = p <= LARGEST_WITH_FACTOR ? sines[j - 1] : 1;
            points even = first + sums[1] * cosines[j - 1], odd = differences[1] * (sines[j - 1] / factor);
            UNROLL for (int k = 2; k <= MOST_PAIRS; k++)
                if (k <= p / 2) {
                    int m = j * k % p, pair = m <= p / 2 ? m : p - m;
                    even += sums[k] * cosines[pair - 1];
                    odd += differences[k] * ((m == pair ? sines[pair - 1] : -sines[pair - 1]) / factor);
                }
            x[j * s] = even + odd * factor;
            x[(p - j) * s] = even - odd * factor;
        }
}

constant real COSINES_3[] = {
    CONST(-0.5)};
constant real SINES_3[] = {
    CONST(0.866025403784438646763723)};
static INLINE void fft3(points *x, int s)
{
    fft_of_prime(x, s, 3, COSINES_3, SINES_3);
}

constant real COSINES_5[] = {
    CONST(0.309016994374947424102293),
    CONST(-0.809016994374947424102293)};
constant real SINES_5[] = {
    CONST(0.951056516295153572116439),
    CONST(0.587785252292473129168706)};
static INLINE void fft5(points *x, int s)
{
    fft_of_prime(x, s, 5, COSINES_5, SINES_5);
}

constant real COSINES_7[] = {
    CONST(0.623489801858733530525005),
    CONST(-0.222520933956314404288903),
    CONST(-0.900968867902419126236102)};
constant real SINES_7[] = {
    CONST(0.781831482468029808708445),
    CONST(0.974927912181823607018132),
    CONST(0.433883739117558120475768)};
static INLINE void fft7(points *x, int s)
{
    fft_of_prime(x, s, 7, COSINES_7, SINES_7);
}

constant real COSINES_11[] = {
    CONST(0.841253532831181168861812),
    CONST(0.415415013001886425529274),
    CONST(-0.142314838273285140443793),
    CONST(-0.654860733945285064056925),
    CONST(-0.959492973614497389890368)};
constant real SINES_11[] = {
    CONST(0.540640817455597582107636),
    CONST(0.909631995354518371411715),
    CONST(0.989821441880932732376092),
    CONST(0.755749574354258283774036),
    CONST(0.281732556841429697711418)};
static INLINE void fft11(points *x, int s)
{
    fft_of_prime(x, s, 11, COSINES_11, SINES_11);
}

constant real COSINES_13[] = {
    CONST(0.885456025653209895900376),
    CONST(0.568064746731155802511808),
    CONST(0.120536680255323053349068),
    CONST(-0.354604887042535625969638),
    CONST(-0.748510748171101098634631),
    CONST(-0.970941817426052027156982)};
constant real SINES_13[] = {
    CONST(0.464723172043768545656015),
    CONST(0.822983865893656394579617),
    CONST(0.992708874098053992800752),
    CONST(0.935016242685414823439785),
    CONST(0.663122658240795202376785),
    CONST(0.239315664287557767148754)};
static INLINE void fft13(points *x, int s)
{
    fft_of_prime(x, s, 13, COSINES_13, SINES_13);
}

/* Radices A x B of coprime numbers: A-point transforms, B-point transforms, and nothing between them. Point n is
 * n = B a + A b modulo A B, so that n k / (A B) is a k / A + b k / B, but for whole numbers: result k is result k mod A
 * over a, and result k mod B over b (I. J. Good, L. H. Thomas). */
#define COPRIME_RADIX(N, A, B)                                                                     \
    static INLINE void fft##N(points *x, int s)                                                      \
    {                                                                                              \
        points y[N];                                                                                 \
        UNROLL for (int b = 0; b < B; b++) {                                                       \
            UNROLL for (int a = 0; a < A; a++)                                                     \
                y[B * a + b] = x[(B * a + A * b) % N * s];                                         \
            fft##A(y + b, B);                                                                      \
        }                                                                                          \
        UNROLL for (int a = 0; a < A; a++)                                                         \
            fft##B(y + B * a, 1);                                                                  \
        UNROLL for (int k = 0; k < N; k++)                                                         \
            x[k * s] = y[B * (k % A) + k % B];                                                     \
    }
COPRIME_RADIX(6, 2, 3)
COPRIME_RADIX(10, 2, 5)
COPRIME_RADIX(12, 4, 3)
COPRIME_RADIX(15, 3, 5)

/* Other composite radices A x B: A-point transforms of every B-th point, twiddles, B-point transforms. */
#define COMPOSITE_RADIX(N, A, B)                                                                   \
    static INLINE void fft##N(points *x, int s)                                                      \
    {                                                                                              \
        points y[N];                                                                                 \
        UNROLL for (int b = 0; b < B; b++)                                                         \
            fft##A(x + b * s, B * s);                                                              \
        UNROLL for (int a = 0; a < A; a++) {                                                       \
            UNROLL for (int b = 0; b < B; b++)                                                     \
                y[B * a + b] = times_root(x[(B * a + b) * s], a * b, N, ROOTS_##N);                \
            fft##B(y + B * a, 1);                                                                  \
        }                                                                                          \
        UNROLL for (int k = 0; k < N; k++)                                                         \
            x[k * s] = y[B * (k % A) + k / A];                                                     \
    }

/* z times exp(-2 pi i m / n), without a product where that is one of the axes or a diagonal. */
static INLINE points times_root(points z, int m, int n, constant cplx *roots)
{
    if (m == 0)
        return z;
    if (4 * m == n)
        return times_minus_i(z);
    if (8 * m == n)
        return times_w8(z);
    return times(z, roots[m]);
}

constant cplx ROOTS_9[] = {
    {1, 0},
    {CONST(0.766044443118978035202393), CONST(-0.642787609686539326322643)},
    {CONST(0.173648177666930348851717), CONST(-0.984807753012208059366743)},
    {CONST(-0.5), CONST(-0.866025403784438646763723)},
    {CONST(-0.939692620785908384054109), CONST(-0.3420201433256687330441)}};
COMPOSITE_RADIX(9, 3, 3)

constant cplx ROOTS_16[] = {
    {1, 0},
    {CONST(0.923879532511286756128183), CONST(-0.38268343236508977172846)},
    {CONST(0.707106781186547524400844), CONST(-0.707106781186547524400844)},
    {CONST(0.38268343236508977172846), CONST(-0.923879532511286756128183)},
    {CONST(2.06703210982639882364969e-43), CONST(-1.0)},
    {CONST(-0.38268343236508977172846), CONST(-0.923879532511286756128183)},
    {CONST(-0.707106781186547524400844), CONST(-0.707106781186547524400844)},
    {CONST(-0.923879532511286756128183), CONST(-0.38268343236508977172846)},
    {CONST(-1.0), CONST(-4.13406421965279764729938e-43)},
    {CONST(-0.923879532511286756128183), CONST(0.38268343236508977172846)}};
COMPOSITE_RADIX(16, 4, 4)

constant cplx ROOTS_25[] = {
    {1, 0},
    {CONST(0.968583161128631119490168), CONST(-0.248689887164854788242284)},
    {CONST(0.876306680043863587308116), CONST(-0.481753674101715274987192)},
    {CONST(0.72896862742141152314673), CONST(-0.684547105928688673732283)},
    {CONST(0.535826794978996618271309), CONST(-0.844327925502015078548558)},
    {CONST(0.309016994374947424102293), CONST(-0.951056516295153572116439)},
    {CONST(0.0627905195293133760761782), CONST(-0.998026728428271561952337)},
    {CONST(-0.187381314585724630542551), CONST(-0.982287250728688681085642)},
    {CONST(-0.425779291565072648862502), CONST(-0.904827052466019527713669)},
    {CONST(-0.637423989748689710176713), CONST(-0.77051324277578923080301)},
    {CONST(-0.809016994374947424102293), CONST(-0.587785252292473129168706)},
    {CONST(-0.929776485888251403660943), CONST(-0.368124552684677959156947)},
    {CONST(-0.992114701314477831049793), CONST(-0.125333233564304245373119)},
    {CONST(-0.992114701314477831049793), CONST(0.125333233564304245373119)},
    {CONST(-0.929776485888251403660943), CONST(0.368124552684677959156947)},
    {CONST(-0.809016994374947424102293), CONST(0.587785252292473129168706)},
    {CONST(-0.637423989748689710176713), CONST(0.77051324277578923080301)}};
COMPOSITE_RADIX(25, 5, 5)

constant cplx ROOTS_32[] = {
    {1, 0},
    {CONST(0.980785280403230449126182), CONST(-0.195090322016128267848285)},
    {CONST(0.923879532511286756128183), CONST(-0.38268343236508977172846)},
    {CONST(0.831469612302545237078788), CONST(-0.555570233019602224742831)},
    {CONST(0.707106781186547524400844), CONST(-0.707106781186547524400844)},
    {CONST(0.555570233019602224742831), CONST(-0.831469612302545237078788)},
    {CONST(0.38268343236508977172846), CONST(-0.923879532511286756128183)},
    {CONST(0.195090322016128267848285), CONST(-0.980785280403230449126182)},
    {CONST(2.06703210982639882364969e-43), CONST(-1.0)},
    {CONST(-0.195090322016128267848285), CONST(-0.980785280403230449126182)},
    {CONST(-0.38268343236508977172846), CONST(-0.923879532511286756128183)},
    {CONST(-0.555570233019602224742831), CONST(-0.831469612302545237078788)},
    {CONST(-0.707106781186547524400844), CONST(-0.707106781186547524400844)},
    {CONST(-0.831469612302545237078788), CONST(-0.555570233019602224742831)},
    {CONST(-0.923879532511286756128183), CONST(-0.38268343236508977172846)},
    {CONST(-0.980785280403230449126182), CONST(-0.195090322016128267848285)},
    {CONST(-1.0), CONST(-4.13406421965279764729938e-43)},
    {CONST(-0.980785280403230449126182), CONST(0.195090322016128267848285)},
    {CONST(-0.923879532511286756128183), CONST(0.38268343236508977172846)},
    {CONST(-0.831469612302545237078788), CONST(0.555570233019602224742831)},
    {CONST(-0.707106781186547524400844), CONST(0.707106781186547524400844)},
    {CONST(-0.555570233019602224742831), CONST(0.831469612302545237078788)}};
COMPOSITE_RADIX(32, 4, 8)
