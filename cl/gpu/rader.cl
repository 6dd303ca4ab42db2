/* rader: transforms of a prime number of points in one launch (C. M. Rader).
 *
 *     src  --->  points in the order of powers  --->  convolution of n - 1 points  --->  results in their order  --->  dst
 *
 * A generator g of a prime n has powers that run through all of 1 .. n - 1. With the points in the order of g^q
 * and the results in the order of g^-p, a transform without its element 0 is a cyclic convolution of n - 1 points:
 * X[g^-p] = x[0] + sum over q of x[g^q] W^(g^(q - p)), W = exp(-2 pi i / n).
 * A work-group convolves as stockham.cl does for Bluestein's algorithm, but with half the points: it transforms
 * forward, multiplies by a spectrum that the host has computed, and transforms back.
 *
 * Between both transforms element 0 joins: X[0] is x[0] and number 0 of the spectrum of the other points; and
 * x[0], added to number 0 of the product, is added to every result.
 *
 * The powers' order is none that memory likes. A group that loads and stores whole rows lays each row down in
 * local memory, picks up the points in that order, and lays the results down in it (raderRows.cl). A group of
 * neighbouring columns loads and stores runs of neighbours in any order of the rows (raderColumns.cl).
 *
 * References: C. M. Rader, "Discrete Fourier transforms when the number of data samples is prime", Proc. IEEE
 * 56 (1968).
 */
#ifndef LENGTH
#define LENGTH 17 /* the prime n: N + 1 */
#endif
#define SPECTRUM 1 /* a convolution */
#include "gpu/numbers.cl"

#ifndef LAID_OUT
#define LAID_OUT 1 /* 1: rows are laid down in local memory; 0: the group's neighbours are columns */
#endif

#define PASS 1
    #include "gpu/pass.cl"

/* Element 0 of a transform, and result 0, which is the sum of all elements. Only work-item 0 knows the sum. */
typedef struct {
    cplx origin, sum;
} Origin;

static INLINE cplx load_element(global const source_element *src, Axis axis, Transform from, uint p,
                                uint flags HOOK_PARAMETERS)
{
    const cplx z = load_point_1(src, axis, from, element_number(axis, from, p), flags HOOK_ARGUMENTS);
    return INVERTS_IN(flags) ? inverted(z) : z;
}

static INLINE void store_element(global target_element *dst, Axis axis, Transform to, uint p, cplx z, cplx scale,
                                 uint flags HOOK_PARAMETERS)
{
    if (TURNS_OUT(flags))
        z = turn(z);
    if (CONJUGATES_OUT(flags))
        z.y = -z.y;
    if (scale.x != 1)
        z = scaled(z, scale);
    store_result_1(dst, axis, to, element_number(axis, to, p), z HOOK_ARGUMENTS);
}

#if LAID_OUT
#include "gpu/raderRows.cl"
#else
#include "gpu/raderColumns.cl"
#endif

/* The product of both spectra, turned, which the stages back transform; element 0 joins. */
static INLINE void multiply(cplx *x, Origin *origin, Worker me, global const cplx *spectrum)
{
    const Group group = THE_GROUP;
    const Stage stage = {MIDDLE_RADIX, N / MIDDLE_RADIX, 0};
    UNROLL for (uint b = 0; b < BUTTERFLIES(MIDDLE_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, me.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < MIDDLE_RADIX; r++) {
                const uint k = of.j + r * (N / MIDDLE_RADIX), i = of.b + r * of.many;
                cplx product = cmul(x[i], spectrum[k]);
                if (k == 0) {
                    origin->sum = origin->origin + x[i];
                    product += origin->origin;
                }
                x[i] = turn(product);
            }
    }
}

kernel __attribute__((reqd_work_group_size(ITEMS *TRANSFORMS, 1, 1)))
void rader(global const source_element *src, global target_element *dst, global const cplx *twiddles,
           global const cplx *spectrum, global const ushort *powers, uint count, uint4 extents,
           ulong4 src_distances, ulong4 dst_distances, ulong2 src_axis, ulong2 dst_axis, ulong2 partner,
           uint lone, cplx scale, uint flags HOOK_PARAMETERS)
{
    local cplx room[ROOM_OF_POINTS];
    cplx x[ELEMENTS];
    const Group group = THE_GROUP;
    const Batch batch = batch_of_group(count, extents, lone, flags);
    const Axis source = SOURCE_AXIS(src_distances, src_axis, partner.x);
    const Axis target = TARGET_AXIS(dst_distances, dst_axis, partner.y);
    const Worker me = worker(group, LOAD_COLUMNS), last = worker(group, STORE_COLUMNS);

    Origin origin = take(x, src, batch, source, me, powers, room HOOK_ARGUMENTS);
    there_1(x, room, me, me, twiddles);
    wait_for_group(MIDDLE_RADIX == N); /* if nothing is exchanged: between loads and stores in place */
    multiply(x, &origin, me, spectrum);
    back_1(x, room, me, me, twiddles + (N - 1));
    give(x, origin, dst, batch, target, me, last, powers + N, room, scale HOOK_ARGUMENTS);
}
