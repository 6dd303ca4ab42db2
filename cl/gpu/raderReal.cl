/* raderReal: transforms of a prime number of real numbers in one launch, to half of their spectrum or back from it.
 *
 *     src  --->  numbers in their order  --->  convolution of half as many points  --->  numbers in their order  --->  dst
 *
 * The Hartley transform of n real numbers x, H[k] = sum over j of x[j] (cos(2 pi j k / n) - sin(2 pi j k / n)), is real.
 * It is the spectrum X in other words: H[k] = Re X[k] + Im X[k], and 2 X[k] = H[k] + H[n - k] + i (H[k] - H[n - k]).
 * The way back is the same transform: of the numbers Re X[k] + Im X[k].
 *
 * In the order of the powers of a generator g, as in rader.cl, all but number 0 is a cyclic convolution of real numbers:
 * H[g^-m] = x[0] + sum over q of a[q] D[m - q], where a[q] = x[g^q] and D[q] = cos(2 pi g^-q / n) - sin(2 pi g^-q / n).
 * Two neighbours are a point, z[q] = a[2 q] + i a[2 q + 1], and so are two results. A convolution of real numbers is then
 * a product of N = (n - 1) / 2 spectral values and their mirror images by two factors, which the host has computed:
 * Z'[k] = alpha[k] Z[k] + beta[k] conj Z[N - k]. Compared with rader.cl it takes half the points and half the memory.
 *
 * Element 0 joins as there: H[0] is x[0] and both parts of Z[0]; and x[0], added to both parts of Z'[0], is added to every
 * other result. Local memory holds the numbers in their order, rows and columns alike, before the convolution and after it.
 *
 * References: C. M. Rader, "Discrete Fourier transforms when the number of data samples is prime", Proc. IEEE 56 (1968);
 * R. N. Bracewell, "Discrete Hartley transform", J. Opt. Soc. Am. 73 (1983); M. Frigo, S. G. Johnson, "The design and
 * implementation of FFTW3", Proc. IEEE 93 (2005), does Rader's algorithm for real numbers by a Hartley transform, too.
 */
#ifndef LENGTH
#define LENGTH 17 /* the prime n: 2 N + 1 */
#endif
#ifndef N
#define N 8
#endif
#ifndef SOURCE
#define SOURCE REAL /* what src holds: REAL, and TARGET is COMPLEX; or HERMITIAN, and TARGET is REAL */
#endif
#ifndef RADICES
#define RADICES 4, 2, 1, 1, 1, 1, 1, 1
#endif
#ifndef RADICES_BACK
#define RADICES_BACK 2, 4, 1, 1, 1, 1, 1, 1
#endif
#ifndef WAITS_EARLY
#define WAITS_EARLY 0 /* 1: the group waits before the product, not behind it: Intel's CPU runtime gave wrong results */
#endif
#ifndef COSINE_ENDS
#define COSINE_ENDS 0 /* 1: rows are cosine or sine transforms of type 2 or 3, plain ones: raderCosine.cl */
#endif
#define SPECTRUM 1 /* a convolution */
#include "gpu/numbers.cl"

/* Whether work-items own the mirror images of their butterflies in the stages on both sides of the product. */
#define IN_PAIRS (N / MIDDLE_RADIX % (2 * ITEMS) == 0)
#define MIRRORED(R, SPAN) (IN_PAIRS && (R) == MIDDLE_RADIX && (SPAN) == (WAY_BACK ? 1 : N / (R)))

#define PASS 1
    #include "gpu/pass.cl"

#if COSINE_ENDS
    #include "gpu/raderCosine.cl"
#else
    #include "gpu/raderNumbers.cl"
#endif

/* --- from numbers to points ------------------------------------------------------------------------- */

/* Returns number 0. */
static INLINE real pick_up(cplx *x, local const cplx *room, Worker me, global const ushort2 *powers)
{
    const Group group = THE_GROUP;
    const Stage stage = {FIRST_RADIX, 1, 0};
    UNROLL for (uint b = 0; b < BUTTERFLIES(FIRST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, me.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < FIRST_RADIX; r++) {
                const ushort2 both = powers[of.j + r * (N / FIRST_RADIX)];
                x[of.b + r * of.many] =
                    (cplx)(find_number(room, me.lane, both.x), find_number(room, me.lane, both.y));
            }
    }
    return find_number(room, me.lane, FIRST_PLACE);
}

/* --- the convolution -------------------------------------------------------------------------------- */

#define MIDDLE_STAGE {MIDDLE_RADIX, N / MIDDLE_RADIX, IN_PAIRS ? AROUND_ZERO : NO_PAIRS}

#if IN_PAIRS
/* The mirror image N - k of each point k of a work-item, and of number 0 the point itself. Point r of butterfly j is
 * number j + r N / R. Its image is point R - 1 - r of the butterfly's image. But butterflies 0 and N / R / 2, both of
 * item 0, are their own images. */
static INLINE void find_all_images(const cplx *x, cplx *images, local cplx *room, Worker me)
{
    const uint many = BUTTERFLIES(MIDDLE_RADIX), pairs = many / 2;
    UNROLL for (uint b = 0; b < pairs; b++) {
        const int alone = b == 0 && me.item == 0;
        UNROLL for (uint r = 0; r < MIDDLE_RADIX; r++) {
            const uint i = b + r * many, turned = b + (MIDDLE_RADIX - 1 - r) * many;
            images[i] = alone ? x[b + (MIDDLE_RADIX - r) % MIDDLE_RADIX * many] : x[turned + pairs];
            images[i + pairs] = alone ? x[turned + pairs] : x[turned];
        }
    }
}
#else
static INLINE void find_images(const cplx *x, cplx *images, local cplx *room, uint part, Worker me)
{
    const Group group = THE_GROUP;
    const Stage stage = MIDDLE_STAGE;
    const int all = N / MIDDLE_RADIX;
    UNROLL for (uint b = 0; b < BUTTERFLIES(MIDDLE_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, me.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < MIDDLE_RADIX; r++)
                leave(room, room_place(group, me.lane, of.j, r * all), part, x[of.b + r * of.many]);
    }
    wait_for_group(0);
    UNROLL for (uint b = 0; b < BUTTERFLIES(MIDDLE_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, me.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < MIDDLE_RADIX; r++) {
                const uint i = of.b + r * of.many, image_of_j = r == 0 && of.j == 0 ? 0 : N - of.j;
                images[i] = find(room, room_place(group, me.lane, image_of_j, -(int)r * all), part, images[i]);
            }
    }
}

/* Finds the mirror image N - k of each point k of a work-item, and of number 0 the point itself. */
static INLINE void find_all_images(const cplx *x, cplx *images, local cplx *room, Worker me)
{
    if (MIDDLE_RADIX != N)
        wait_for_group(0); /* for those who still find points of the last exchange */
    find_images(x, images, room, SPLIT ? REAL_PART : BOTH_PARTS, me);
    if (SPLIT) {
        wait_for_group(0);
        find_images(x, images, room, IMAGINARY_PART, me);
    }
}
#endif

/* The product, turned, which the stages back transform; number 0 joins. Only work-item 0 knows the sum of all numbers,
 * which is returned. */
static INLINE real multiply(cplx *x, real origin, local cplx *room, Worker me, global const cplx *spectrum)
{
    const Group group = THE_GROUP;
    const Stage stage = MIDDLE_STAGE;
    real sum = 0;
    cplx images[ELEMENTS];
    find_all_images(x, images, room, me);
    if (WAITS_EARLY)
        wait_for_group(0);
    UNROLL for (uint b = 0; b < BUTTERFLIES(MIDDLE_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, me.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < MIDDLE_RADIX; r++) {
                const uint k = of.j + r * (N / MIDDLE_RADIX), i = of.b + r * of.many;
                const cplx z = x[i], image = (cplx)(images[i].x, -images[i].y);
                cplx product = cmul(z, spectrum[k]) + cmul(image, spectrum[N + k]);
                if (k == 0) {
                    sum = origin + z.x + z.y;
                    product += origin;
                }
                x[i] = turn(product);
            }
    }
    return sum;
}

/* --- from results to the target --------------------------------------------------------------------- */

static INLINE void lay_back(const cplx *x, real sum, local cplx *room, Worker me, global const ushort2 *powers)
{
    const Group group = THE_GROUP;
    const Stage stage = {LAST_RADIX, N / LAST_RADIX, 0};
    UNROLL for (uint b = 0; b < BUTTERFLIES(LAST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, me.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < LAST_RADIX; r++) {
                const ushort2 both = powers[of.j + r * (N / LAST_RADIX)];
                const cplx z = turn(x[of.b + r * of.many]);
                leave_number(room, me.lane, both.x, z.x);
                leave_number(room, me.lane, both.y, z.y);
            }
    }
    if (me.item == 0)
        leave_number(room, me.lane, SUM_PLACE, sum);
}

kernel __attribute__((reqd_work_group_size(ITEMS *TRANSFORMS, 1, 1)))
void raderReal(global const source_element *src, global target_element *dst, global const cplx *twiddles,
               global const cplx *spectrum, global const ushort2 *powers, uint count, uint4 extents,
               ulong4 src_distances, ulong4 dst_distances, ulong2 src_axis, ulong2 dst_axis, ulong2 partner,
               uint lone, cplx scale, uint flags HOOK_PARAMETERS)
{
    local cplx room[ROOM_OF_POINTS];
    cplx x[ELEMENTS];
    const Batch batch = batch_of_group(count, extents, lone, flags);
    const Axis source = SOURCE_AXIS(src_distances, src_axis, partner.x);
    const Axis target = TARGET_AXIS(dst_distances, dst_axis, partner.y);
    const Group group = THE_GROUP;
    const Worker me = worker(group, LOAD_COLUMNS);

    lay_down(src, batch, source, room HOOK_ARGUMENTS);
    wait_for_group(1); /* also between loads and stores in place */
    const real origin = pick_up(x, room, me, powers);
    wait_for_group(0);
    there_1(x, room, me, me, twiddles);
    const real sum = multiply(x, origin, room, me, spectrum);
    if (!WAITS_EARLY)
        wait_for_group(0); /* for those who still find images */
    back_1(x, room, me, me, twiddles + (N - 1));
    if (MIDDLE_RADIX != N)
        wait_for_group(0);
    lay_back(x, sum, room, me, powers + N);
    wait_for_group(0);
    give(dst, batch, target, room, scale HOOK_ARGUMENTS);
}
