/* cosinePairs: rows of a cosine or sine transform of type 2 or 3 whose length n is a multiple of 4, on the spectrum's
 * side. Two mirror images of the packed transform, which has L = n / 2 points, are four numbers of a row, and one
 * work-item has all of them:
 *
 *     Z[k],  Z[L - k]  <--->  numbers k,  n - k,  L - k,  L + k
 *
 * packed.cl tells the spectra of the even and of the odd numbers apart by w^4k, and dctParts.cl turns numbers k and L - k
 * of the spectrum by w^k and w^(L - k), where w = exp(-2 pi i / (4 n)). As w^(L - k) is (1 - i) / sqrt 2 times the
 * conjugate of w^k, two products do all this. For type 2, with A = w^k (Z[k] + conj Z[L - k]) and
 * B = -i w^5k (Z[k] - conj Z[L - k]), the results y are
 *
 *     y[k] - i y[n - k] = A + B,   y[L - k] = Re (1 + i) (A - B) / sqrt 2,   y[L + k] = Im (1 + i) (A - B) / sqrt 2
 *
 * Type 3 is the reverse of that: with P = x[k] - i x[n - k], R = (1 - i) (x[L - k] + i x[L + k]) / sqrt 2,
 * A = conj(w^k) (P + R) and B = conj(-i w^5k) (P - R), the points are Z[k] = A + B and Z[L - k] = conj(A - B).
 *
 * There is no number n: x[n] counts as 0. If k is L / 2, number k is its own image.
 */
#define ROOT_OF_HALF CONST(0.70710678118654752440)
#ifndef DCT_SOURCE /* where the numbers of a row are, and where they go */
#define DCT_SOURCE global const real *
#define DCT_TARGET global real *
#endif

/* w^k and -i w^5k, which lie side by side in the table. */
typedef real RootPair __attribute__((ext_vector_type(4)));

static INLINE RootPair root_pair(global const cplx *roots, uint k)
{
    return *(global const RootPair *)(roots + 2 * k);
}

/* Which number of a row counts as number i: a sine transform counts from the end. */
static INLINE uint number_from_end(uint i)
{
    return DCT_SINE ? 2 * LENGTH - 1 - i : i;
}

/* The numbers k, n - k, L - k and L + k. */
typedef struct {
    real at_k, at_image, below, above;
} FourNumbers;

#if SOURCE == HERMITIAN
static INLINE FourNumbers load_four(DCT_SOURCE row, uint k)
{
    return (FourNumbers){row[number_from_end(k)], k ? row[number_from_end(2 * LENGTH - k)] : 0,
                         row[number_from_end(LENGTH - k)], row[number_from_end(LENGTH + k)]};
}

/* Points k and L - k, of four numbers. */
static INLINE Images images_of_numbers(FourNumbers y, uint k, RootPair w)
{
    const cplx p = (cplx)(DCT_ORTHO && k == 0 ? y.at_k * (2 * ROOT_OF_HALF) : y.at_k, -y.at_image);
    const cplx r = ROOT_OF_HALF * (cplx)(y.below + y.above, y.above - y.below);
    const cplx a = cmul(p + r, (cplx)(w.x, -w.y)), b = cmul(p - r, (cplx)(w.z, -w.w));
    return (Images){a + b, (cplx)(a.x - b.x, b.y - a.y)};
}
#else
/* A result, times the plan's factor. That is twice the scale, which packed.cl would apply to twice the spectrum; if the
 * scale is HALVED, the factor is 1. */
static INLINE real result_of(real y, cplx scale)
{
    return HALVED ? y : scaled_real(y, 2 * scale);
}

/* Four results, of numbers k and L - k of the transform of the points. */
static INLINE FourNumbers numbers_of_images(cplx lower, cplx upper, uint k, RootPair w, cplx scale)
{
    const cplx a = cmul((cplx)(lower.x + upper.x, lower.y - upper.y), (cplx)(w.x, w.y));
    const cplx b = cmul((cplx)(lower.x - upper.x, lower.y + upper.y), (cplx)(w.z, w.w));
    const cplx sum = a + b, difference = ROOT_OF_HALF * (a - b);
    return (FourNumbers){result_of(DCT_ORTHO && k == 0 ? sum.x * ROOT_OF_HALF : sum.x, scale), result_of(-sum.y, scale),
                         result_of(difference.x - difference.y, scale), result_of(difference.x + difference.y, scale)};
}

/* Only the middle number k = L / 2 has no upper image. */
static INLINE void store_four(DCT_TARGET row, uint k, int has_upper, FourNumbers y)
{
    row[number_from_end(k)] = y.at_k;
    if (k)
        row[number_from_end(2 * LENGTH - k)] = y.at_image;
    if (has_upper)
        row[number_from_end(LENGTH - k)] = y.below;
    if (has_upper && k)
        row[number_from_end(LENGTH + k)] = y.above;
}
#endif

#if !COSINE_ROWS && SOURCE == HERMITIAN
static INLINE Images load_images(global const source_element *spectrum, Axis axis, Transform from, uint k, uint flags,
                                 global const cplx *roots)
{
    return images_of_numbers(load_four((global const real *)spectrum + from.first, k), k, root_pair(roots, k));
}
#elif !COSINE_ROWS
static INLINE void store_images(global target_element *spectrum, Axis axis, Transform to, uint k, cplx lower, cplx upper,
                                int has_upper, cplx scale, uint flags, global const cplx *roots)
{
    store_four((global real *)spectrum + to.first, k, has_upper,
               numbers_of_images(lower, upper, k, root_pair(roots, k), scale));
}
#endif
