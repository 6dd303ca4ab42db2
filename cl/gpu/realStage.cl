/* realStage: the stage of radix R that knows real numbers, in a transform of a real row of odd length n = R M.
 *
 * A row is a matrix of R rows of M numbers, of which the stage transforms the columns. Spectra of real columns
 * have conjugates as results k and R - k, so that only those up to the middle are KEPT. To real numbers the
 * stage comes last and takes the points up to the middle, from which it knows the others. A work-item
 * transforms two columns at a time, as the real and the imaginary part of a complex one; both are columns of
 * one row.
 *
 * References: H. V. Sorensen, D. L. Jones, M. T. Heideman, C. S. Burrus, "Real-valued fast Fourier
 * transform algorithms", IEEE Trans. ASSP-35 (1987).
 */
#include "gpu/ends.cl"

#if REAL_RADIX
#define M (N / KEPT)
/* Columns j, and j + ITEMS if the work-item has that one, too. */
#define EACH_TWO_COLUMNS(item, ...)                                                                \
    UNROLL for (uint b = 0; b < COUNT(KEPT); b += 2) {                                             \
        const uint j = (item) + b * ITEMS;                                                         \
        if (M % ITEMS == 0 || j < M) {                                                             \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define HAS_OTHER (b + 1 < COUNT(KEPT) && (M % ITEMS == 0 || j + ITEMS < M))
#define NUMBER(g)                                                                                  \
    (FILLED >= LENGTH || (g) < FILLED ? ELEMENT(from.first + (ulong)(g) * (ulong)(SRC_UNIT)) : 0)
#define PUT_AT(value, g) PUT(value, to.first + (ulong)(g) * (ulong)(DST_UNIT));

/* From real numbers: instead of LOAD and FFT. Results are twice those that are meant. */
#define REAL_FIRST(R)                                                                              \
    Transform from = LOCATE(lane, src_distances, src_axis, partner.x);                             \
    EACH_TWO_COLUMNS(                                                                              \
        item, cplx z[R]; UNROLL for (uint r = 0; r < R; r++) {                                     \
            z[r].x = NUMBER(j + r * M);                                                            \
            z[r].y = HAS_OTHER ? NUMBER(j + ITEMS + r * M) : 0;                                    \
        } fft##R(z, 1);                                                                            \
        UNROLL for (uint k = 0; k < KEPT; k++) {                                                   \
            cplx image = z[k ? R - k : 0];                                                         \
            POINT(b, k, KEPT) = (cplx)(z[k].x + image.x, z[k].y - image.y);                        \
            if (b + 1 < COUNT(KEPT))                                                               \
                POINT(b + 1, k, KEPT) = (cplx)(z[k].y + image.y, image.x - z[k].x);                \
        })
#if TARGET == HERMITIAN
/* Of a result from beyond the middle of the spectrum its conjugate, unless that is there already. */
#define STORE(R)                                                                                   \
    TO                                                                                             \
    if (to.active)                                                                                 \
        EACH_RESULT(R, const uint m = ELEMENT_OF(k); if (2 * m < LENGTH) {                         \
            PUT_AT(FINISHED(z), m)                                                                 \
        } else if (k % KEPT) { PUT_AT(FINISHED(((cplx)(z.x, -z.y))), LENGTH - m) })
#endif

/* To real numbers: instead of LAST and STORE. */
#define REAL_LAST(P, K, S)                                                                         \
    EXCHANGE(P, K, S, last_lane, last_item)                                                        \
    TO                                                                                             \
    EACH_TWO_COLUMNS(                                                                              \
        last_item, twiddle(x + b, COUNT(K), K, S, twiddles + (S - 1) + j);                         \
        if (HAS_OTHER)                                                                             \
            twiddle(x + b + 1, COUNT(K), K, S, twiddles + (S - 1) + j + ITEMS);                    \
        cplx z[REAL_RADIX];                                                                        \
        z[0] = (cplx)(POINT(b, 0, K).x, HAS_OTHER ? POINT(b + 1, 0, K).x : 0);                     \
        UNROLL for (uint k = 1; k < K; k++) {                                                      \
            cplx one = POINT(b, k, K), other = (cplx)(0, 0);                                       \
            if (HAS_OTHER)                                                                         \
                other = POINT(b + 1, k, K);                                                        \
            z[k] = (cplx)(one.x - other.y, one.y + other.x);                                       \
            z[REAL_RADIX - k] = (cplx)(one.x + other.y, other.x - one.y);                          \
        } JOINED(fft, REAL_RADIX)(z, 1);                                                           \
        if (to.active)                                                                             \
            UNROLL for (uint r = 0; r < REAL_RADIX; r++) {                                         \
                PUT_AT(SCALED(z[r].x, scale), j + r * M)                                           \
                if (HAS_OTHER)                                                                     \
                    PUT_AT(SCALED(z[r].y, scale), j + ITEMS + r * M)                               \
            })
#endif
