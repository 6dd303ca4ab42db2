/* rader: transforms of a prime number of points in one launch (C. M. Rader).
 *
 * A generator g of a prime n has powers that run through all of 1 .. n-1. With the points in the order of g^q
 * and the results in the order of g^-p, a transform without its element 0 is a cyclic convolution of n-1 points:
 * X[g^-p] = x[0] + sum over q of x[g^q] W^(g^(q-p)), W = exp(-2 pi i / n).
 * A work-group convolves as it does for Bluestein's algorithm (stockham.cl), but with half the points: it
 * transforms forward, multiplies by a spectrum that the host has computed, and transforms back.
 *
 * Between both transforms element 0 joins: X[0] is x[0] and number 0 of the spectrum of the other points; and
 * x[0], added to number 0 of the product, is added to every result.
 *
 * The powers' order is none that memory likes. A group that loads and stores whole rows lays each row down in
 * local memory, picks up the points in that order, and lays the results down in it (LAID_OUT). A group of
 * neighbouring columns loads and stores runs of neighbours in any order of the rows.
 *
 * References: C. M. Rader, "Discrete Fourier transforms when the number of data samples is prime", Proc. IEEE
 * 56 (1968).
 */
#ifndef LENGTH
#define LENGTH 17 /* the prime n: N + 1 */
#endif
#define WITHIN(limit, g, R, columns) ((limit) >= LENGTH || (g) < (limit)) /* for element g, in any order */
#include "gpu/ends.cl"

#ifndef STAGES
#define STAGES TAKE(4) FFT(4, 1) NEXT(4, 4, 4) MULTIPLY(4) FFT(4, 1) NEXT(4, 4, 4) LEAVE(4)
#endif
#ifndef LAID_OUT
#define LAID_OUT 1 /* 1: rows are laid down in local memory; 0: the group's neighbours are columns */
#endif

/* The elements p of a transform that an item loads, or stores, if the items share them in natural order. */
#define SHARE ((LENGTH + ITEMS - 1) / ITEMS)
#define EACH_ELEMENT(item, ...)                                                                    \
    UNROLL for (uint e = 0; e < SHARE; e++) {                                                      \
        const uint p = (item) + e * ITEMS;                                                         \
        if (LENGTH % ITEMS == 0 || p < LENGTH) {                                                   \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

/* Element p as z. What ends.cl says of point r of butterfly j, it says of number p for a radix of 1. */
#define AS_NUMBER(p)                                                                               \
    const uint j = p, r = 0;                                                                       \
    const whole g = j;
#define LOADED(p)                                                                                  \
    AS_NUMBER(p)                                                                                   \
    GET(1)                                                                                         \
    z = flags & TURN_IN ? TURN(z) : z;
#define STORED(p)                                                                                  \
    AS_NUMBER(p)                                                                                   \
    z = flags & TURN_OUT ? TURN(z) : z;                                                            \
    z.y = flags & CONJUGATE_OUT ? -z.y : z.y;                                                      \
    z = scale.x != 1 ? SCALED(z, scale) : z;                                                       \
    PUT_RESULT(1)

#if LAID_OUT
#define TAKE(R)                                                                                    \
    Transform from = LOCATE(lane, src_distances, src_axis, partner.x);                             \
    cplx origin, sum, given[SHARE];                                                                \
    EACH_ELEMENT(item, LOADED(p) given[e] = z;)                                                    \
    EACH_PART(PICK_UP, R)
#define PICK_UP(R, PART)                                                                           \
    EACH_ELEMENT(item, exchange[PLACE(p, lane)] = PART(given[e]);)                                 \
    BARRIER                                                                                        \
    PART(origin) = exchange[PLACE(0, lane)];                                                       \
    EACH_POINT(R, 1, item, const uint q = j + r * (N / R);                                         \
               PART(POINT(b, r, R)) = exchange[PLACE(powers[q], lane)];)                           \
    BARRIER
#define LEAVE(R)                                                                                   \
    cplx results[SHARE];                                                                           \
    EACH_PART(LAY_DOWN, R)                                                                         \
    TO                                                                                             \
    if (to.active)                                                                                 \
        EACH_ELEMENT(last_item, cplx z = results[e]; STORED(p))
#define LAY_DOWN(R, PART)                                                                          \
    BARRIER                                                                                        \
    EACH_POINT(R, N / R, item, const uint k = j + r * (N / R); cplx z = TURN(POINT(b, r, R));      \
               exchange[PLACE(powers[N + k], lane)] = PART(z);)                                    \
    if (item == 0)                                                                                 \
        exchange[PLACE(0, lane)] = PART(sum);                                                      \
    BARRIER                                                                                        \
    EACH_ELEMENT(last_item, PART(results[e]) = exchange[PLACE(p, last_lane)];)
#else
#define TAKE(R)                                                                                    \
    Transform from = LOCATE(lane, src_distances, src_axis, partner.x);                             \
    cplx origin, sum;                                                                              \
    {                                                                                              \
        LOADED(0)                                                                                  \
        origin = z;                                                                                \
    }                                                                                              \
    EACH_POINT(R, 1, item, const uint q = j + r * (N / R); cplx point;                             \
               { LOADED(powers[q]) point = z; } POINT(b, r, R) = point;)
#define LEAVE(R)                                                                                   \
    TO                                                                                             \
    if (to.active) {                                                                               \
        EACH_POINT(R, N / R, last_item, const uint k = j + r * (N / R);                            \
                   cplx z = TURN(POINT(b, r, R)); STORED(powers[N + k]))                           \
        if (last_item == 0) {                                                                      \
            cplx z = sum;                                                                          \
            STORED(0)                                                                              \
        }                                                                                          \
    }
#endif

#define MULTIPLY(R)                                                                                \
    barrier(FENCE(R, N)); /* where nothing is exchanged, between loads and stores in place */      \
    EACH_POINT(R, N / R, item, const uint k = j + r * (N / R); cplx z = POINT(b, r, R);            \
               cplx product = cmul(z, spectrum[k]); if (k == 0) {                                  \
                   sum = origin + z;                                                               \
                   product += origin;                                                              \
               } POINT(b, r, R) = TURN(product);)                                                  \
    twiddles += N - 1;

kernel __attribute__((reqd_work_group_size(ITEMS *TRANSFORMS, 1, 1)))
void rader(global const source_element *src, global target_element *dst,
           global const cplx *twiddles, global const cplx *spectrum, global const uint *powers,
           uint count, uint4 extents, ulong4 src_distances, ulong4 dst_distances, ulong2 src_axis,
           ulong2 dst_axis, ulong2 partner, uint lone, cplx scale, uint flags HOOK_PARAMETERS)
{
    local EXCHANGED exchange[LOAD_COLUMNS ? ROOM * PITCH : ROOM * TRANSFORMS];
#if HALVES
    EXCHANGED held[ELEMENTS / 2];
#endif
    global const cplx *roots = 0; /* never read */
    cplx x[ELEMENTS];
    uint lane = LANE(LOAD_COLUMNS), item = ITEM(LOAD_COLUMNS);
    uint last_lane = LANE(STORE_COLUMNS), last_item = ITEM(STORE_COLUMNS);
    (void)exchange, (void)last_lane, (void)roots; /* not every transform needs them */
    STAGES
}
