/* images: a number of the spectrum of real numbers and its mirror image, from the transform of half as many points.
 *
 * A point is two neighbours of a row of 2 h real numbers. The numbers k and h - k of the transform Z of the points, and
 * the numbers k and h - k of the spectrum X, need each other and the same root W^k = exp(-2 pi i k / (2 h)):
 *     X[k] = (Z[k] + conj Z[h - k]) / 2 - (i / 2) W^k (Z[k] - conj Z[h - k])
 *     Z[k] = (X[k] + conj X[h - k]) + i conj(W^k) (X[k] - conj X[h - k]), which is twice Z.
 *
 * References: J. W. Cooley, P. A. W. Lewis, P. D. Welch, "The fast Fourier transform algorithm: programming
 * considerations in the calculation of sine, cosine and Laplace transforms", J. Sound Vib. 12 (1970).
 */

/* Numbers k and h - k. */
typedef struct {
    cplx lower, upper;
} Images;

/* What becomes of both. The factor -i W^k tells the spectra of the even and of the odd numbers apart, and the factor's
 * conjugate, W^k turned, puts them together. All of it times a weight. */
static INLINE Images images(cplx lower, cplx upper, cplx factor, real weight)
{
    const cplx even = weight * (cplx)(lower.x + upper.x, lower.y - upper.y);
    const cplx odd = cmul(weight * factor, (cplx)(lower.x - upper.x, lower.y + upper.y));
    return (Images){even + odd, (cplx)(even.x - odd.x, odd.y - even.y)};
}
