/* ends: where transforms lie in memory, and what becomes of their points on the way in and out.
 *
 * A batch has up to four dimensions. Transform q of it has the coordinates q mod extent 0,
 * q / extent 0 mod extent 1 ..., and begins at the sum of coordinates times distances, which source
 * and target have each of their own: rows, columns, rows that become columns, and views of any strides are
 * all the same kernel. Its points are COLUMNS units apart, so that point i is element
 * column + i COLUMNS of a longer axis, where the transform is one column of it.
 *
 * Real rows of an even length n = 2h are transformed each by itself (PACKED), as h complex points
 * x[2i] + i x[2i+1]. Their transform Z is that of the even numbers plus i times that of the odd ones; Z's
 * parts that are, and are not, symmetric tell both apart:
 * X[k] = (Z[k] + conj Z[h-k]) / 2 - (i/2) W^k (Z[k] - conj Z[h-k]), W = exp(-2 pi i / n), Z[h] = Z[0].
 * The way back is Z[k] = (X[k] + conj X[h-k]) + i conj(W^k) (X[k] - conj X[h-k]), twice Z. Elements k and
 * h-k need each other and the same root, so one work-item reads, or writes, both.
 *
 * Real rows of an odd length n = R m have one stage of radix R that knows real numbers (REAL_RADIX), the first
 * one, or on the way back the last one. Butterflies of real numbers have conjugates as results k and R - k:
 * only those up to the middle are KEPT, and what follows are stages of KEPT m points. A work-item computes
 * two such butterflies as one, as the real and the imaginary part of a complex one.
 *
 * Columns of a real row are transformed two at a time (PAIR), as the real and the imaginary part of one
 * complex transform Z. Their spectra are X1[k] = (Z[k] + conj Z[n-k]) / 2 and X2[k] = (Z[k] - conj Z[n-k]) / 2i.
 * No two rows are ever joined: neither rounding errors nor NaNs pass from one to another.
 *
 * References: H. V. Sorensen, D. L. Jones, M. T. Heideman, C. S. Burrus, "Real-valued fast Fourier
 * transform algorithms", IEEE Trans. ASSP-35 (1987), and J. W. Cooley, P. A. W. Lewis, P. D. Welch, "The
 * fast Fourier transform algorithm: programming considerations in the calculation of sine, cosine and
 * Laplace transforms", J. Sound Vib. 12 (1970), for real rows; L. I. Bluestein, "A linear filtering approach
 * to the computation of discrete Fourier transform", IEEE Trans. AU-18 (1970), for the chirp.
 */
#include "gpu/stages.cl"

#ifndef SOURCE
#define SOURCE COMPLEX /* what src holds: COMPLEX, REAL, HERMITIAN */
#endif
#ifndef TARGET
#define TARGET COMPLEX /* what dst receives: COMPLEX, REAL, HERMITIAN */
#endif
#ifndef PAIR
#define PAIR 0 /* 1: a transform is two neighbouring columns of a row, one in each part; 0: one */
#endif
#ifndef PAIRED
#define PAIRED 0 /* the dimension of which they are neighbours */
#endif
#ifndef PACKED
#define PACKED 0 /* 1: a transform is a real row of 2 LENGTH numbers, of which two are a point */
#endif
#ifndef REAL_RADIX
#define REAL_RADIX 0 /* R > 0: a transform is a real row of an odd length, R N / KEPT, with a stage for that */
#endif
#define KEPT (REAL_RADIX / 2 + 1) /* results, or points, of a butterfly of that stage */
#ifndef SRC_TOGETHER
#define SRC_TOGETHER 0 /* 1: both numbers of a point lie side by side, aligned as a complex number */
#endif
#ifndef DST_TOGETHER
#define DST_TOGETHER 0 /* the same in the target */
#endif
#ifndef DIMENSIONS
#define DIMENSIONS 1 /* of the batch: 1 .. 4 */
#endif
#ifndef COLUMNS_0
#define COLUMNS_0 0 /* of a longer axis, from one transform of dimension 0 to the next */
#endif
#ifndef COLUMNS_1
#define COLUMNS_1 0 /* the same of dimension 1, */
#endif
#ifndef COLUMNS_2
#define COLUMNS_2 0 /* 2 */
#endif
#ifndef COLUMNS_3
#define COLUMNS_3 0 /* and 3 */
#endif
#ifndef SRC_COLUMNS
#define SRC_COLUMNS 1 /* units between points of the source */
#endif
#ifndef DST_COLUMNS
#define DST_COLUMNS 1 /* units between points of the target */
#endif
#ifndef SRC_UNIT
#define SRC_UNIT src_axis.y /* elements between neighbours along the source's axis; best a constant */
#endif
#ifndef DST_UNIT
#define DST_UNIT dst_axis.y /* elements between neighbours along the target's axis */
#endif
#ifndef LENGTH
#define LENGTH N /* elements of the whole axis; PACKED: points of it */
#endif
#ifndef FILLED
#define FILLED ((ulong)N * SRC_COLUMNS) /* elements of the source's axis that exist; zeros follow */
#endif
#ifndef FOLD
#define FOLD DST_COLUMNS /* columns that repeat: number FOLD - c is the mirror image of number c */
#endif
#ifndef OUTPUTS
#define OUTPUTS ((ulong)N * DST_COLUMNS) /* elements of the target's axis that are wanted */
#endif
#ifndef TWIST
#define TWIST 0 /* b > 0: result k of column c is multiplied by the root of unity to the power k c (the
                   four-step algorithm), a product of one root for each DIGIT of b bits of the power */
#endif
#ifndef DIGITS
#define DIGITS 2 /* of the power: few and long ones cost fewer products, short ones smaller tables */
#endif
#define MAX_DIGITS 8 /* that anybody asks for */
#ifndef TWIST_FIRST
#define TWIST_FIRST 0 /* 1: points, rather than results, are multiplied so */
#endif
#ifndef HALVED
#define HALVED 0 /* 1: the scale of spectra of real rows is 1/2, and they are not conjugated */
#endif
#ifndef REAL_ORIGIN
#define REAL_ORIGIN 0 /* 1: element 0 of the target is real, of which rounding would leave a little else */
#endif
#ifndef CHIRP_FIRST
#define CHIRP_FIRST 0 /* 1: points are multiplied by Bluestein's chirp */
#endif
#ifndef CHIRP_LAST
#define CHIRP_LAST 0 /* 1: results of a transform back are, too */
#endif

#define TURN_IN 1u    /* real and imaginary parts change places on the way in, */
#define TURN_OUT 2u   /* and out: a forward transform between both is an inverse one */
#define CONJUGATE_IN 4u
#define CONJUGATE_OUT 8u
#define BACKWARD 16u  /* the last group comes first, as what has been written last is still in the cache */

#define TURN(z) turn(z)
static inline cplx turn(cplx z) /* not as a shuffle, in which Oclgrind 21.10 crashes */
{
    real x = z.x;
    z.x = z.y, z.y = x;
    return z;
}

#if LENGTH > 0xffffffff || TWIST * DIGITS > 32
typedef ulong whole; /* an index along the whole axis */
#else
typedef uint whole;
#endif
#if SOURCE == REAL
typedef real source_element;
#else
typedef cplx source_element;
#endif
#if TARGET == REAL
typedef real target_element;
#else
typedef cplx target_element;
#endif
/* A hook that replaces the load finds both numbers of a PACKED point at once. */
typedef cplx source_vector;
typedef cplx loose_source __attribute__((aligned(4 << DOUBLE)));
#define POINT_OF_TWO 1
#define VECTOR_LOADS 1
#include "hooks.cl"

/* Where a transform begins in memory, whether there is one, which column it is, and how far its
 * partner is: 0 where it has none. */
typedef struct {
    int active;
    whole column;
    ulong first, partner;
} Transform;

#define COORDINATE(d, s)                                                                           \
    if (d < dimensions) {                                                                          \
        uint coordinate = d + 1 < dimensions ? q % extents.s : q;                                  \
        q = d + 1 < dimensions ? q / extents.s : q;                                                \
        found.first += coordinate * distances.s;                                                   \
        found.column += coordinate * columns_##d;                                                  \
        if (d == PAIRED && coordinate == lone)                                                     \
            found.partner = 0;                                                                     \
    }

/* Tiles, what a work-group transforms, are its TRANSFORMS. */
#ifndef TILE
#define TILE                                                                                       \
    (flags & BACKWARD ? get_num_groups(0) - 1 - get_group_id(0) : get_group_id(0)) /* which it is */
#endif
#define FIRST_OF_GROUP (TRANSFORMS * TILE)

/* The last group has lanes without a transform of their own: they load the last one again. */
#define LOCATE(lane, distances, axis, partner)                                                     \
    locate(FIRST_OF_GROUP + lane, DIMENSIONS, COLUMNS_0, COLUMNS_1, COLUMNS_2, COLUMNS_3, count,   \
           extents, distances, axis, partner, lone)
static inline Transform locate(uint q, uint dimensions, whole columns_0, whole columns_1,
                               whole columns_2, whole columns_3, uint count, uint4 extents,
                               ulong4 distances, ulong2 axis, ulong partner, uint lone)
{
    Transform found = {q < count, 0, axis.x, partner};
    q = q < count ? q : count - 1;
    COORDINATE(0, s0)
    COORDINATE(1, s1)
    COORDINATE(2, s2)
    COORDINATE(3, s3)
    return found;
}

#define PARTNER_COLUMNS (JOINED(COLUMNS_, PAIRED) / 2)
#define SRC_STRIDE ((ulong)SRC_COLUMNS * (ulong)(SRC_UNIT))
#define DST_STRIDE ((ulong)DST_COLUMNS * (ulong)(DST_UNIT))

/* The four-step algorithm: a root of unity by the digits of its power. */
static inline cplx root(whole power, uint bits, uint digits, global const cplx *roots)
{
    cplx w = roots[power & (((whole)1 << bits) - 1)];
    UNROLL for (uint digit = 1; digit < MAX_DIGITS; digit++) /* a constant, as in `twiddle` */
        if (digit < digits) {
            power >>= bits;
            roots += (whole)1 << bits;
            w = cmul(w, roots[power & (((whole)1 << bits) - 1)]);
        }
    return w;
}

/* Multiplies point r of a butterfly by the root to the power first + r step; as for twiddles, only some
 * roots are read and the others formed as products. */
static inline void twist(cplx *x, uint stride, uint radix, whole first, whole step, uint bits,
                         uint digits, global const cplx *roots)
{
    cplx low[4];
    low[0] = root(first, bits, digits, roots);
    UNROLL for (uint r = 1; r < 4; r++)
        low[r] = cmul(low[0], root(r * step, bits, digits, roots));
    UNROLL for (uint high = 0; high < radix; high += 4) {
        cplx factor = root(high * step, bits, digits, roots);
        UNROLL for (uint r = 0; r < 4; r++)
            if (high + r < radix)
                x[(high + r) * stride] =
                    cmul(x[(high + r) * stride], high ? cmul(low[r], factor) : low[r]);
    }
}
#define TWISTED(z, k, column)                                                                      \
    (TWIST ? cmul(z, root((k) * (column), TWIST, DIGITS, roots)) : (z))
#define TWIST_POINTS(R, S, item, column)                                                           \
    EACH_BUTTERFLY(R, S, item, twist(x + b, COUNT(R), R, j * (column), N / R * (column), TWIST,    \
                                  DIGITS, roots);)

/* Number r of a butterfly bounds the number of its element, as its point is j + r (N / R) with j < N / R:
 * the element lies from LEAST on, and before END. The compiler, which knows r but not j, leaves out the
 * comparisons, and the loads and stores, that this settles. */
#define LEAST(R, columns) FIRST_ELEMENT(r * (N / R), columns)
#define END(R, columns) FIRST_ELEMENT((r + 1) * (N / R) + KEPT - 1, columns)
#define FIRST_ELEMENT(i, columns) ((ulong)(i) / KEPT * (REAL_RADIX ? REAL_RADIX : (columns)))
#ifndef WITHIN /* rader.cl has one for points in another order */
#define WITHIN(limit, g, R, columns)                                                               \
    (END(R, columns) <= (limit) || (LEAST(R, columns) < (limit) && (g) < (limit)))
#endif

/* --- in: point i of a transform is element g of the axis ---------------------------------------- */

#define ELEMENT(place) LOAD_FROM(src, place, (place) - src_axis.x)
#define SRC_PLACE(R) (from.first + j * SRC_STRIDE + r * (N / R * SRC_STRIDE))
#define OFFSET(R) ((uint)j * (uint)SRC_STRIDE + (uint)(r * (N / R * SRC_STRIDE)))
#define EXISTS(R) WITHIN(FILLED, g, R, SRC_COLUMNS)
/* The imaginary part: of PACKED points the next number, else the partner's, perhaps the next column. */
#define SECOND_EXISTS(R) WITHIN(FILLED, g + (PACKED ? 1 : PARTNER_COLUMNS), R, SRC_COLUMNS)
#define SECOND_SRC_PLACE(R) (SRC_PLACE(R) + (PACKED ? (ulong)(SRC_UNIT) : from.partner))
#define NUMBERED(i) (PACKED ? (i) : g) /* a point of the axis: of PACKED ones g counts the numbers */

#if SOURCE == HERMITIAN
/* Elements beyond the middle are the conjugates of their mirror images. Those that are their own are
 * real, whatever the source says. */
#define BEYOND(R)                                                                                  \
    (2 * LEAST(R, SRC_COLUMNS) >= LENGTH ||                                                        \
     (2 * END(R, SRC_COLUMNS) > LENGTH && g > LENGTH - g))
#define GET(R)                                                                                     \
    whole m = BEYOND(R) ? LENGTH - g : g;                                                          \
    ulong place = from.first + ((ulong)m - from.column) * (ulong)(SRC_UNIT);                       \
    cplx z = (cplx)(0, 0);                                                                         \
    if (WITHIN(LENGTH, g, R, SRC_COLUMNS) && (FILLED > LENGTH / 2 || m < FILLED)) {                \
        int conjugated = BEYOND(R) != ((flags & CONJUGATE_IN) != 0);                               \
        int own_image = (r == 0 && g == 0) || (LENGTH % 2 == 0 && g == LENGTH - g);                \
        z = of_half(ELEMENT(place), conjugated, own_image);                                        \
        if (PAIR)                                                                                  \
            z += times_i(of_half(ELEMENT(place + from.partner), conjugated, own_image));           \
    }
static inline cplx of_half(cplx z, int conjugated, int own_image)
{
    return (cplx)(z.x, own_image ? 0 : conjugated ? -z.y : z.y);
}
static inline cplx times_i(cplx z)
{
    return (cplx)(-z.y, z.x);
}
#elif SOURCE == REAL && PACKED && SRC_TOGETHER && LOAD_VECTORS
#define GET(R)                                                                                     \
    cplx z = EXISTS(R) ? LOAD_VECTOR_HOOK(src, from.first - src_axis.x, OFFSET(R)) : (cplx)(0, 0);
#elif SOURCE == REAL && PACKED && SRC_TOGETHER && !LOAD_REPLACED
#define GET(R)                                                                                     \
    cplx z = (cplx)(0, 0);                                                                         \
    if (EXISTS(R)) {                                                                               \
        z = *(global const cplx *)(src + SRC_PLACE(R));                                            \
        z.x = LOAD_HOOK(z.x, SRC_PLACE(R) - src_axis.x);                                           \
        z.y = LOAD_HOOK(z.y, SECOND_SRC_PLACE(R) - src_axis.x);                                    \
    }
#elif SOURCE == REAL && (PAIR || PACKED)
#define GET(R)                                                                                     \
    cplx z = (cplx)(EXISTS(R) ? ELEMENT(SRC_PLACE(R)) : 0,                                         \
                    SECOND_EXISTS(R) ? ELEMENT(SECOND_SRC_PLACE(R)) : 0);
#elif SOURCE == REAL
#define GET(R) cplx z = EXISTS(R) ? (cplx)(ELEMENT(SRC_PLACE(R)), 0) : (cplx)(0, 0);
#else
#define GET(R) cplx z = EXISTS(R) ? ELEMENT(SRC_PLACE(R)) : (cplx)(0, 0);
#endif

#if CHIRP_FIRST
#define CHIRP_POINTS(R)                                                                            \
    EACH_LOADED(R, POINT(b, r, R) = WITHIN(LENGTH, NUMBERED(i), R, PACKED ? 1 : SRC_COLUMNS)       \
                                        ? cmul(POINT(b, r, R), chirp[NUMBERED(i)])                 \
                                        : (cplx)(0, 0);)
#else
#define CHIRP_POINTS(R)
#endif

#if REAL_RADIX /* of every REAL_RADIX elements the first ones are points */
#define ELEMENT_OF(i) ((i) / KEPT * REAL_RADIX + (i) % KEPT)
#else
#define ELEMENT_OF(i) ((i) * (whole)SRC_COLUMNS + from.column)
#endif
#define EACH_LOADED(R, ...)                                                                        \
    EACH_POINT(R, 1, item, uint i = j + r * (N / R); whole g = ELEMENT_OF(i); (void)g; __VA_ARGS__)
/* What all points of a group have or have not done to them is asked once for all. */
#define TURN_POINTS(R)                                                                             \
    if (flags & TURN_IN)                                                                           \
        EACH_LOADED(R, POINT(b, r, R) = TURN(POINT(b, r, R));)

#if PACKED
/* Points k and LENGTH - k, or results, are made together, by the work-item that owns the LOWER one; the
 * UPPER one passes through local memory, at the place of the lower one's number. The MIDDLE one and
 * number 0 have no other. With an even radix a point's number within its butterfly tells which it is. */
#define IN_HALVES(R) (N == LENGTH && (R) % 2 == 0)
#define MIDDLE(R) (IN_HALVES(R) ? 2 * r == (R) && j == 0 : 2 * k == LENGTH)
#define LOWER(R) (IN_HALVES(R) ? 2 * r < (R) : 2 * k < LENGTH)
#define OWNED(R) (LOWER(R) || MIDDLE(R))
#define UPPER(R) (!OWNED(R) && k < LENGTH)
#define OWN_IMAGE(R) (k == 0 || MIDDLE(R))
#define EACH_NUMBER(R, item, ...)                                                                  \
    EACH_POINT(R, 0 /* no images */, item, uint k = j + r * (N / R); (void)k; __VA_ARGS__)
#define OF_LOWER(R, lane) AT(PLACE(j, lane), r * (N / R)) /* where number k waits, and */
#define OF_UPPER(R, lane) AT(PLACE(LENGTH - j, lane), -(int)(r * (N / R))) /* LENGTH - k */

typedef struct {
    cplx lower, upper;
} Images;

/* What becomes of elements k and LENGTH - k, by a factor: -i W^k tells the spectra of the even and of the
 * odd numbers apart, and its conjugate, W^k turned, puts them together. All of it times a weight. */
static inline Images images(cplx lower, cplx upper, cplx factor, real weight)
{
    cplx even = weight * (cplx)(lower.x + upper.x, lower.y - upper.y);
    cplx odd = cmul(weight * factor, (cplx)(lower.x - upper.x, lower.y + upper.y));
    return (Images){even + odd, (cplx)(even.x - odd.x, odd.y - even.y)};
}

/* Where the stage has IMAGES, a work-item owns both of each of its pairs: point r of butterfly j is number
 * k, and point R - 1 - r of that butterfly's image is LENGTH - k. But butterflies 0 and N / R / 2, both of
 * item 0, are their own images: number k, and LENGTH - k, are points r and R - r of the one, or r and
 * R - 1 - r of the other. So item 0 sorts its points: the first half of its pairs is of butterfly 0, the
 * second half of the other one, and the MIDDLE waits outside. */
#define IMAGES(R, S)                                                                               \
    (PACKED && IN_HALVES(R) && N / (R) % ITEMS == 0 && COUNT(R) % 2 == 0 && ITEMS >= FEWEST &&     \
     (S) == (SOURCE == HERMITIAN ? 1 : N / (R)))
#define FEWEST 32 /* items, which store as many neighbours: with 16 it took longer than without, on an H200 */
#define IMAGE_POINT(r, R) POINT(b + COUNT(R) / 2, (R) - 1 - (r), R)
#define EACH_PAIR(R, item, ...)                                                                    \
    UNROLL for (uint b = 0; b < COUNT(R) / 2; b++) {                                               \
        uint j = (item) + b * ITEMS, second = b == 0 && j == 0 ? N / (R) / 2 - N / 2 : j;          \
        UNROLL for (uint r = 0; r < (R); r++) {                                                    \
            uint k = (2 * r < (R) ? j : second) + r * (N / (R));                                   \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

/* Item 0's points of butterfly 0, `stride` apart, and of the other one, behind them by `to_other`. */
static inline void sort_pairs(cplx *x, uint stride, uint radix, uint to_other)
{
    cplx *other = x + to_other;
    const uint half_radix = radix / 2, h = half_radix * stride;
    cplx first = x[0];
    UNROLL for (uint s = 0; s < 16; s++) /* a constant, as in `twiddle` */
        if (s < half_radix) {
            uint i = s * stride;
            x[i + h] = other[i];
            other[i] = other[i + h];
            other[i + h] = s + 1 < half_radix ? x[i + h + stride] : first;
        }
}
static inline void put_back_pairs(cplx *x, uint stride, uint radix, uint to_other)
{
    cplx *other = x + to_other;
    const uint half_radix = radix / 2, h = half_radix * stride;
    UNROLL for (uint t = 0; t < 16; t++)
        if (t < half_radix) {
            uint i = (half_radix - 1 - t) * stride;
            if (t)
                x[i + h + stride] = other[i + h];
            other[i + h] = other[i];
            other[i] = x[i + h];
        }
}
#else
#define IMAGES(R, S) 0
#endif

#if PACKED && SOURCE == HERMITIAN
/* Numbers 0 and LENGTH of the spectrum are real, whatever the source says. */
#define HALF(m)                                                                                    \
    (FILLED > LENGTH || (m) < FILLED                                                               \
         ? of_half(ELEMENT(from.first + (ulong)(m) * (ulong)(SRC_UNIT)),                           \
                   (flags & CONJUGATE_IN) != 0, k == 0)                                            \
         : (cplx)(0, 0))
#define HAND_OVER(R, PART)                                                                         \
    EACH_NUMBER(R, item,                                                                           \
                if (LOWER(R)) OF_LOWER(R, lane) = PART(upper[INDEX(b, r, R)]);)                    \
    BARRIER                                                                                        \
    EACH_NUMBER(R, item,                                                                           \
                if (UPPER(R)) PART(POINT(b, r, R)) = OF_UPPER(R, lane);)                           \
    BARRIER
#define BOTH_NUMBERS images(HALF(k), HALF(LENGTH - k), TURN(roots[k]), 1)
#define LOAD_PAIRS(R)                                                                              \
    EACH_PAIR(R, item, Images both = BOTH_NUMBERS; POINT(b, r, R) = both.lower;                    \
              IMAGE_POINT(r, R) = both.upper;)                                                     \
    const uint k = LENGTH / 2;                                                                     \
    cplx middle = BOTH_NUMBERS.lower;                                                              \
    if (item == 0) {                                                                               \
        put_back_pairs(x, COUNT(R), R, COUNT(R) / 2);                                              \
        POINT(0, R / 2, R) = middle;                                                               \
    }
#define LOAD_LOWER(R)                                                                              \
    cplx upper[ELEMENTS];                                                                          \
    EACH_NUMBER(R, item, if (OWNED(R)) {                                                           \
        Images both = BOTH_NUMBERS;                                                                \
        POINT(b, r, R) = both.lower;                                                               \
        upper[INDEX(b, r, R)] = both.upper;                                                        \
    })                                                                                             \
    EACH_PART(HAND_OVER, R)
#define LOAD(R)                                                                                    \
    Transform from = LOCATE(lane, src_distances, src_axis, partner.x);                             \
    if (IMAGES(R, 1)) {                                                                            \
        LOAD_PAIRS(R)                                                                              \
    } else {                                                                                       \
        LOAD_LOWER(R)                                                                              \
    }                                                                                              \
    TURN_POINTS(R)                                                                                 \
    CHIRP_POINTS(R)
#else
#define LOAD(R)                                                                                    \
    Transform from = LOCATE(lane, src_distances, src_axis, partner.x);                             \
    EACH_LOADED(R, GET(R) POINT(b, r, R) = z;)                                                     \
    TURN_POINTS(R)                                                                                 \
    CHIRP_POINTS(R)                                                                                \
    if (TWIST && TWIST_FIRST)                                                                      \
        TWIST_POINTS(R, 1, item, from.column)
#endif

/* --- out: result k of a transform is element g of the axis --------------------------------------- */

/* Found out late: what is known early takes registers all the while. */
#define TO                                                                                         \
    Transform to = LOCATE(last_lane, dst_distances, dst_axis, partner.y);
#define PUT(value, place) STORE_TO(dst, place, value, (place) - dst_axis.x)
#define DST_PLACE(R) (to.first + j * DST_STRIDE + r * (N / R * DST_STRIDE))
#define SECOND_DST_PLACE(R) (DST_PLACE(R) + (PACKED ? (ulong)(DST_UNIT) : to.partner))
#define WANTED(R) WITHIN(OUTPUTS, g, R, DST_COLUMNS)
#define SEPARATED (TARGET == HERMITIAN && PAIR)

#if CHIRP_LAST
#define CHIRPED_LAST(z, k, R, columns)                                                             \
    (WITHIN(LENGTH, k, R, columns) ? cmul(TURN(z), chirp[k]) : (cplx)(0, 0))
#else
#define CHIRPED_LAST(z, k, R, columns) (z)
#endif
/* By the scale and by what float lacks of it: a third, say, would be off by as much as all else in short
 * transforms, and the same way in every element. */
#if DOUBLE
#define SCALED(z, s) ((z) * (s).x)
#else
#define SCALED(z, s) ((z) * (s).x + (z) * (s).y)
#endif
/* Of the spectra of real numbers, which never turn. */
#if HALVED && PACKED
#define WEIGHT R(0.5)
#define FINISHED(z) (z) /* by its weight */
#elif HALVED
#define FINISHED(z) ((z) * R(0.5))
#else
#define WEIGHT 1
#define FINISHED(z)                                                                                \
    ((cplx)(SCALED((z).x, scale), SCALED((z).y, flags & CONJUGATE_OUT ? -scale : scale)))
#endif

#define EACH_RESULT(R, ...)                                                                        \
    EACH_POINT(R, N / R, last_item, uint k = j + r * (N / R);                                      \
               whole g = k * (whole)DST_COLUMNS + to.column; cplx z = POINT(b, r, R); (void)g;     \
               __VA_ARGS__)

#if SEPARATED
/* The group lays its results down, then picks up the mirror image of each. */
#define MIRROR_IMAGE (k ? LENGTH - k : 0)
#define IN_THIS_HALF(i) (!HALVES || ((i) >= N / 2) == upper)
#define LAID(i) exchange[PLACE((i) - (upper ? N / 2 : 0), last_lane)]
#define REFLECT(R, PART, ...)                                                                      \
    UNROLL for (uint upper = 0; upper <= HALVES; upper++) {                                        \
        BARRIER                                                                                    \
        EACH_RESULT(R, if (k < LENGTH && IN_THIS_HALF(k)) LAID(k) = PART(z);)                      \
        BARRIER                                                                                    \
        EACH_RESULT(R, uint m = MIRROR_IMAGE;                                                      \
                    if (k < OUTPUTS && IN_THIS_HALF(m)) { __VA_ARGS__ })                           \
    }
#define PUT_BOTH(R, m)                                                                             \
    if (to.active) {                                                                               \
        cplx mirrored = m;                                                                         \
        cplx sum = (cplx)(z.x + mirrored.x, z.y - mirrored.y);                                     \
        cplx difference = (cplx)(z.y + mirrored.y, mirrored.x - z.x);                              \
        PUT(FINISHED(TWISTED(sum, k, to.column)), DST_PLACE(R));                                   \
        if (to.partner)                                                                            \
            PUT(FINISHED(TWISTED(difference, k, to.column + PARTNER_COLUMNS)),                     \
                DST_PLACE(R) + to.partner);                                                        \
    }
#if SPLIT
#define STORE(R)                                                                                   \
    TO                                                                                             \
    real mirrored_real[ELEMENTS];                                                                  \
    EACH_RESULT(R, POINT(b, r, R) = CHIRPED_LAST(z, k, R, 1);)                                     \
    REFLECT(R, REAL_PART, mirrored_real[INDEX(b, r, R)] = LAID(m);)                                \
    REFLECT(R, IMAGINARY_PART, PUT_BOTH(R, (cplx)(mirrored_real[INDEX(b, r, R)], LAID(m))))
#else
#define STORE(R)                                                                                   \
    TO                                                                                             \
    EACH_RESULT(R, POINT(b, r, R) = CHIRPED_LAST(z, k, R, 1);)                                     \
    REFLECT(R, WHOLE, PUT_BOTH(R, LAID(m)))
#endif
#elif PACKED && TARGET == HERMITIAN
#define TAKE_OVER(R, PART)                                                                         \
    BARRIER                                                                                        \
    EACH_NUMBER(R, last_item,                                                                      \
                if (UPPER(R)) OF_UPPER(R, last_lane) = PART(POINT(b, r, R));)                      \
    BARRIER                                                                                        \
    EACH_NUMBER(R, last_item,                                                                      \
                if (OWNED(R)) PART(upper[INDEX(b, r, R)]) =                                        \
                    OWN_IMAGE(R) ? PART(POINT(b, r, R)) : OF_LOWER(R, last_lane);)
#define PUT_NUMBER(z, m)                                                                           \
    PUT(FINISHED(z), to.first + (ulong)(m) * (ulong)(DST_UNIT));
#define PUT_BOTH_NUMBERS(z, other, has_upper)                                                      \
    Images both = images(z, other, times_minus_i(roots[k]), WEIGHT);                               \
    PUT_NUMBER(both.lower, k)                                                                      \
    if (has_upper)                                                                                 \
        PUT_NUMBER(both.upper, LENGTH - k)
#define STORE_PAIRS(R)                                                                             \
    cplx middle = POINT(0, R / 2, R);                                                              \
    if (last_item == 0)                                                                            \
        sort_pairs(x, COUNT(R), R, COUNT(R) / 2);                                                  \
    if (to.active) {                                                                               \
        EACH_PAIR(R, last_item, PUT_BOTH_NUMBERS(POINT(b, r, R), IMAGE_POINT(r, R), 1))            \
        if (last_item == 0) {                                                                      \
            const uint k = LENGTH / 2;                                                             \
            PUT_BOTH_NUMBERS(middle, middle, 0)                                                    \
        }                                                                                          \
    }
#define STORE_LOWER(R)                                                                             \
    cplx upper[ELEMENTS];                                                                          \
    EACH_NUMBER(R, last_item, POINT(b, r, R) = CHIRPED_LAST(POINT(b, r, R), k, R, 1);)             \
    EACH_PART(TAKE_OVER, R)                                                                        \
    if (to.active)                                                                                 \
        EACH_NUMBER(R, last_item, if (OWNED(R)) {                                                  \
            PUT_BOTH_NUMBERS(POINT(b, r, R), upper[INDEX(b, r, R)], !MIDDLE(R))                    \
        })
#define STORE(R)                                                                                   \
    TO                                                                                             \
    if (IMAGES(R, N / R)) {                                                                        \
        STORE_PAIRS(R)                                                                             \
    } else {                                                                                       \
        STORE_LOWER(R)                                                                             \
    }
#elif !(REAL_RADIX && TARGET == HERMITIAN) /* realStage.cl has that one */
#if TARGET == REAL && PACKED && DST_TOGETHER && !STORE_REPLACED
#define PUT_RESULT(R)                                                                              \
    if (WANTED(R))                                                                                 \
        *(global cplx *)(dst + DST_PLACE(R)) =                                                     \
            (cplx)(STORE_HOOK(z.x, DST_PLACE(R) - dst_axis.x),                                     \
                   STORE_HOOK(z.y, SECOND_DST_PLACE(R) - dst_axis.x));
#elif TARGET == REAL
#define PUT_RESULT(R)                                                                              \
    if (WANTED(R)) {                                                                               \
        PUT(z.x, DST_PLACE(R));                                                                    \
        if (PACKED || (PAIR && to.partner))                                                        \
            PUT(z.y, SECOND_DST_PLACE(R));                                                         \
    }
#elif TARGET == HERMITIAN
/* The first half of a longer axis, of which the columns up to the middle one have been transformed:
 * what belongs beyond the middle is the conjugate of an element before it, but for columns that are
 * their own mirror image, whose other half would be written twice. */
#define PUT_RESULT(R)                                                                              \
    if (g <= LENGTH - g)                                                                           \
        PUT(z, DST_PLACE(R));                                                                      \
    else if (to.column % FOLD && to.column % FOLD != FOLD - to.column % FOLD)                      \
        PUT(((cplx)(z.x, -z.y)), to.first + ((ulong)(LENGTH - g) - to.column) * (ulong)(DST_UNIT));
#else
#define PUT_RESULT(R)                                                                              \
    if (WANTED(R))                                                                                 \
        PUT((REAL_ORIGIN && g == 0 ? (cplx)(z.x, 0) : z), DST_PLACE(R));
#endif
#define STORE(R)                                                                                   \
    TO                                                                                             \
    if (TWIST && !TWIST_FIRST)                                                                     \
        TWIST_POINTS(R, N / R, last_item, to.column)                                               \
    EACH_RESULT(R, POINT(b, r, R) = CHIRPED_LAST(z, NUMBERED(k), R, PACKED ? 1 : DST_COLUMNS);)    \
    if (flags & TURN_OUT)                                                                          \
        EACH_RESULT(R, POINT(b, r, R) = TURN(z);)                                                  \
    if (flags & CONJUGATE_OUT)                                                                     \
        EACH_RESULT(R, POINT(b, r, R).y = -z.y;)                                                   \
    if (scale.x != 1)                                                                              \
        EACH_RESULT(R, POINT(b, r, R) = SCALED(z, scale);)                                         \
    if (to.active)                                                                                 \
        EACH_RESULT(R, PUT_RESULT(R))
#endif
