/* packed: real rows of an even length 2 h, as transforms of h complex points x[2i] + i x[2i + 1].
 *
 * images.cl tells how the spectrum of a row follows from the transform of its points. Numbers k and h - k need each other
 * and the same root, so one work-item reads, or writes, both:
 *
 *     the work-item that owns the lower one, k  ---  local memory  ---  the work-item that owns the upper one, h - k
 *
 * Where a stage is MIRRORED, both have one owner, and local memory is not needed.
 */
#include "gpu/images.cl"

/* With an even radix the number of a point within its butterfly tells in which half it is. */
#define IN_HALVES(R) (N == LENGTH && (R) % 2 == 0)

#ifndef FEWEST
#define FEWEST 32 /* the fewest work-items of a row that own mirror images: fewer took longer so on an H200 */
#endif
/* Whether work-items own the mirror images of their butterflies: in the stage that reads, or writes, the spectrum. They
 * then store as many neighbours as there are work-items. */
#define MIRRORED(R, SPAN)                                                                                              \
    (PACKED && !SHARED_ROWS && IN_HALVES(R) && N / (R) % ITEMS == 0 && BUTTERFLIES(R) % 2 == 0 && ITEMS >= FEWEST &&                   \
     (SPAN) == (SOURCE == HERMITIAN ? 1 : N / (R)))

/* Number k of a transform, with its mirror image LENGTH - k. The middle one and number 0 have no other. */
typedef struct {
    uint k;
    int is_lower, is_middle, is_upper;
} Number;

static INLINE Number number_of(uint radix, int in_halves, uint j, uint r, uint all)
{
    const uint k = j + r * all;
    const int is_lower = in_halves ? 2 * r < radix : 2 * k < LENGTH;
    const int is_middle = in_halves ? 2 * r == radix && j == 0 : 2 * k == LENGTH;
    return (Number){k, is_lower, is_middle, !is_lower && !is_middle && k < LENGTH};
}

/* Where the image of number k waits for the owner of k: at the place of the lower one's number. */
static INLINE RoomPlace place_of_lower(Group group, uint lane, uint j, uint r, uint all)
{
    return room_place(group, lane, j, r * all);
}
static INLINE RoomPlace place_of_upper(Group group, uint lane, uint j, uint r, uint all)
{
    return room_place(group, lane, LENGTH - j, -(int)(r * all));
}

#define WEIGHT (HALVED ? CONST(0.5) : 1) /* of the numbers of a spectrum */

/* --- mirrored stages ------------------------------------------------------------------------------- */

/* A work-item of a mirrored stage owns both numbers of each of its pairs: point r of butterfly j is number k, and point
 * R - 1 - r of the butterfly's image is LENGTH - k. But butterflies 0 and N / R / 2, both of item 0, are their own
 * images: numbers k and LENGTH - k are points r and R - r of the one, or r and R - 1 - r of the other. So item 0
 * sorts its points: the first half of its pairs is of butterfly 0, the second half is of the other one, and the middle
 * number waits outside. The two butterflies lie `to_other` apart, their points `stride`. */
static INLINE void sort_pairs(cplx *x, uint stride, uint radix, uint to_other)
{
    cplx *other = x + to_other;
    const uint half_radix = radix / 2, h = half_radix * stride;
    const cplx first = x[0];
    UNROLL for (uint s = 0; s < LARGEST / 2; s++)
        if (s < half_radix) {
            const uint i = s * stride;
            x[i + h] = other[i];
            other[i] = other[i + h];
            other[i + h] = s + 1 < half_radix ? x[i + h + stride] : first;
        }
}

static INLINE void put_back_pairs(cplx *x, uint stride, uint radix, uint to_other)
{
    cplx *other = x + to_other;
    const uint half_radix = radix / 2, h = half_radix * stride;
    UNROLL for (uint t = 0; t < LARGEST / 2; t++)
        if (t < half_radix) {
            const uint i = (half_radix - 1 - t) * stride;
            if (t)
                x[i + h + stride] = other[i + h];
            other[i + h] = other[i];
            other[i] = x[i + h];
        }
}

/* The number of point r of a work-item's b-th pair, after item 0 has sorted its points. */
static INLINE uint number_of_pair(uint radix, uint item, uint b, uint r)
{
    const uint j = item + b * ITEMS;
    const uint second = b == 0 && j == 0 ? N / radix / 2 - N / 2 : j; /* may be negative, until r N / R is added */
    return (2 * r < radix ? j : second) + r * (N / radix);
}
