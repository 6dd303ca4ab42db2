/* quads: rows of a cosine or sine transform of type 2 or 3 whose length is a multiple of 4. Four neighbouring numbers of
 * a row are two points of the packed transform, and one work-item loads, or stores, all four at once:
 *
 *     numbers 4 i,  4 i + 1,  4 i + 2,  4 i + 3  <--->  point i = (4 i, 4 i + 2),  point N - 1 - i = (4 i + 3, 4 i + 1)
 *
 * For that the first stage of type 2, or the last one of type 3, is ENDS_MEET: butterfly N / R - 1 - j belongs to the
 * owner of butterfly j. Point r of the one and point R - 1 - r of the other are mirror images.
 */
typedef real quad __attribute__((ext_vector_type(4)));

/* The four numbers of a lower point and its image, and back. A sine transform changes the sign of odd numbers. */
static INLINE quad quad_of(cplx lower, cplx upper)
{
    return DCT_SINE ? (quad)(lower.x, -upper.y, lower.y, -upper.x) : (quad)(lower.x, upper.y, lower.y, upper.x);
}

/* Points i and N - 1 - i, of which i is the lower one, are pair p = 0 .. R - 1 of a work-item's b-th butterfly and its
 * image. The first half of the pairs has its lower point in the butterfly, the second half in the image. */
typedef struct {
    uint lower, upper; /* where both stand in x[] */
    uint i;
} QuadPair;

static INLINE QuadPair quad_pair(uint radix, uint many, uint item, uint b, uint r)
{
    const uint j = item + b * ITEMS, all = N / radix;
    const uint here = b + r * many, image = b + many / 2 + (radix - 1 - r) * many;
    if (2 * r < radix)
        return (QuadPair){here, image, j + r * all};
    return (QuadPair){image, here, all - 1 - j + (radix - 1 - r) * all};
}

#if SOURCE == REAL
static INLINE void IN_PASS(load_quads_)(cplx *x, global const source_element *src, Transform from, Worker me)
{
    const uint many = BUTTERFLIES(FIRST_RADIX);
    UNROLL for (uint b = 0; b < many / 2; b++)
        UNROLL for (uint r = 0; r < FIRST_RADIX; r++) {
            const QuadPair of = quad_pair(FIRST_RADIX, many, me.item, b, r);
            const quad four = *(global const quad *)(src + from.first + 4 * of.i);
            x[of.lower] = (cplx)(four.x, four.z);
            x[of.upper] = (cplx)(DCT_SINE ? -four.w : four.w, DCT_SINE ? -four.y : four.y);
        }
}
#else
static INLINE void IN_PASS(store_quads_)(const cplx *x, global target_element *dst, Transform to, Worker last)
{
    const uint many = BUTTERFLIES(LAST_RADIX);
    UNROLL for (uint b = 0; b < many / 2; b++)
        UNROLL for (uint r = 0; r < LAST_RADIX; r++) {
            const QuadPair of = quad_pair(LAST_RADIX, many, last.item, b, r);
            *(global quad *)(dst + to.first + 4 * of.i) = quad_of(x[of.lower], x[of.upper]);
        }
}
#endif
