/* severalHalf: half of the spectrum of real numbers, for severalAxes.cl.
 *
 *     half of the spectrum, in src  --->  local memory  --->  points of two real numbers  --->  all stages
 *     all stages  --->  transform of the points, in local memory  --->  half of the spectrum, in dst
 *
 * images.cl tells how one follows from the other: numbers k and -k need each other, along all axes. On the way in, a
 * work-item takes number k of a row and number EXTENT_2 - k of the row's mirror image, and puts both points in their places.
 * Number EXTENT_2 is the end of a row, for which the points have no place: the ends of all rows wait behind all points. On
 * the way out, each number is made of two as it is stored: to make both at once in local memory took up to 1.3 times as
 * long on an H200.
 */
#include "gpu/images.cl"

/* The row that holds the mirror image of another one: numbers k and -k along the axes before the last one. */
static INLINE uint image_of_row(uint row)
{
    const uint first = row / EXTENT_1 % EXTENT_0, second = row % EXTENT_1;
    return row - first * EXTENT_1 - second + (first ? EXTENT_0 - first : 0) * EXTENT_1 +
           (second ? EXTENT_1 - second : 0);
}

#if SOURCE == HERMITIAN
#define ENDS (ROOM - ROWS * TOGETHER)    /* where the ends of rows wait */
#define PAIRS_OF_ROW (EXTENT_2 / 2 + 1) /* numbers k of a row, up to the middle */

/* Whether the mirror image of a row has a pair that is one of both rows. */
static INLINE int has_image(uint row, uint image, uint k)
{
    return (k == 0 || 2 * k == EXTENT_2) && image < row;
}

/* The conjugate of a point of two real numbers, since a forward transform of it, conjugated, is the inverse one. */
static INLINE cplx point_of_images(cplx z)
{
    return (cplx)(z.x, -z.y);
}

/* Half of the sum of a number and the conjugate of its mirror image. At either end of rows both are the same in the spectrum
 * of real numbers; what contradicts that is left out, as if this axis were transformed last. */
static INLINE cplx symmetric(cplx z, cplx image)
{
    return CONST(0.5) * (cplx)(z.x + image.x, z.y - image.y);
}

static INLINE void take_halves(local cplx *room, Source source, uint arrays, global const cplx *roots)
{
    for (uint i = get_local_id(0); i < arrays * ELEMENTS_OF(SOURCE); i += ITEMS) {
        const uint row = i / HALF_ROW, k = i % HALF_ROW;
        room[k < EXTENT_2 ? place_of_point((Spot){row, k}) : ENDS + row] = load_element(source, i);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < arrays * ROWS * PAIRS_OF_ROW; i += ITEMS) {
        const uint row = i / PAIRS_OF_ROW, k = i % PAIRS_OF_ROW, image = image_of_row(row);
        if (has_image(row, image, k))
            continue;
        const cplx root = roots[ROOTS_OF_ROW + k], factor = (cplx)(root.y, root.x);
        const uint here = place_of_point((Spot){row, k});
        if (k == 0) {
            const uint there = place_of_point((Spot){image, 0});
            const cplx first = symmetric(room[here], room[there]), end = symmetric(room[ENDS + row], room[ENDS + image]);
            const cplx conj_first = (cplx)(first.x, -first.y), conj_end = (cplx)(end.x, -end.y);
            room[here] = point_of_images(images(first, conj_end, factor, 1).lower);
            room[there] = point_of_images(images(conj_first, end, factor, 1).lower);
        } else {
            const uint there = place_of_point((Spot){image, EXTENT_2 - k});
            const Images both = images(room[here], room[there], factor, 1);
            room[here] = point_of_images(both.lower);
            room[there] = point_of_images(both.upper);
        }
    }
}
#else
/* Number i of the group's half spectra. */
static INLINE cplx number_of_half(local const cplx *room, uint i, global const cplx *roots)
{
    const uint row = i / HALF_ROW, k = i % HALF_ROW;
    const cplx lower = room[place_of_number((Spot){row, k < EXTENT_2 ? k : 0})];
    const cplx upper = room[place_of_number((Spot){image_of_row(row), k ? EXTENT_2 - k : 0})];
    return images(lower, upper, times_minus_i(roots[ROOTS_OF_ROW + k]), 1).lower;
}
#endif
