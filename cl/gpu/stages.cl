/* stages: how a work-group transforms N points in registers and local memory (T. G. Stockham's autosort).
 *
 * A work-group takes TRANSFORMS of them at a time, with ITEMS work-items each. A work-item owns some
 * butterflies of every stage: it transforms R points in registers, then the group exchanges the
 * results through local memory, so that the points are in natural order again.
 *
 * Butterfly j of a stage with radix R and span S (the product of the radices before) takes the points
 * j + r N / R, times exp(-2 pi i r (j mod S) / (R S)), and leaves its results at
 * (j / S) S R + j mod S + r S.
 *
 * References: the autosort is T. G. Stockham's, in W. T. Cochran et al., "What is the fast Fourier
 * transform?", Proc. IEEE 55 (1967); N. K. Govindaraju et al., "High performance discrete Fourier
 * transforms on graphics processors", SC 2008, for the exchange through local memory.
 */
#include "radix.cl"

#ifndef N
#define N 16 /* points of a transform */
#endif
#ifndef ITEMS
#define ITEMS 4 /* work-items that share a transform */
#endif
#ifndef TRANSFORMS
#define TRANSFORMS 1 /* of a work-group */
#endif
#ifndef ELEMENTS
#define ELEMENTS 4 /* most points that a work-item holds in any stage */
#endif
#ifndef LOAD_COLUMNS
#define LOAD_COLUMNS 0 /* 1: neighbouring work-items load from neighbouring transforms; 0: from one */
#endif
#ifndef STORE_COLUMNS
#define STORE_COLUMNS 0 /* the same when they store */
#endif
#ifndef ROOM
#define ROOM (N + N / 2) /* elements of local memory for a transform, gaps included */
#endif
#ifndef PITCH
#define PITCH (TRANSFORMS + 1) /* of columns: elements from a point to the next in local memory */
#endif
#ifndef BANKS
#define BANKS ((SPLIT ? 32 : 16) >> DOUBLE) /* elements of a transform that are served at once */
#endif
#ifndef SPLIT
#define SPLIT 0 /* 1: exchanges real parts, then imaginary parts, in half the local memory */
#endif
#ifndef HALVES
#define HALVES 0 /* 1: exchanges the lower, then the upper half of a transform, in half of it again */
#endif

/* A stage of radix P after a span S leaves its results in blocks of P S elements, of which neighbouring
 * work-items fill S in a row at a time. Where P is even these rows would meet the same banks, so blocks
 * stand GAP elements apart. */
#define GAP(P, S) ((P) % 2 == 0 && (S) < BANKS ? (S) : 0)

/* Which transform of the group a work-item serves, and as which of its items. */
#define LANE(columns) ((columns) ? get_local_id(0) % TRANSFORMS : get_local_id(0) / ITEMS)
#define ITEM(columns) ((columns) ? get_local_id(0) / TRANSFORMS : get_local_id(0) % ITEMS)

/* The exchange between a stage of radix P and the next one, of radix R and span S: where result r of
 * butterfly j is left, and where point r of butterfly j is found. Both are a place of the work-item and a
 * constant that is added as a signed number: that may not overflow, so that compilers make it a part of
 * the instruction. The upper half begins where the lower one did. */
#define LEFT(item, b, r, P, S, lane)                                                               \
    AT(PLACE(QUOTIENT(item, b, S / P) * (S + GAP(P, S / P)) + REMAINDER(item, b, S / P), lane),    \
       FURTHER_QUOTIENT(b, S / P) * (S + GAP(P, S / P)) + FURTHER_REMAINDER(b, S / P) +            \
           (r) * (S / P) - BEGIN(P, S))
#define FOUND(item, b, r, P, R, S, lane)                                                           \
    AT(PLACE(QUOTIENT(item, b, S) * (S + GAP(P, S / P)) + REMAINDER(item, b, S), lane),            \
       FURTHER_QUOTIENT(b, S) * (S + GAP(P, S / P)) + FURTHER_REMAINDER(b, S) +                    \
           (r) * (N / R + N / R / (S) * GAP(P, S / P)) - BEGIN(P, S))
#define BEGIN(P, S) (upper ? N / 2 / (S) * (S + GAP(P, S / P)) : 0)
#define PLACE(i, lane) (LOAD_COLUMNS ? (i) * PITCH + (lane) : (lane) * ROOM + (i))
/* Butterfly j = item + b ITEMS, divided by a span: what the item has in it, and what b adds. */
#define QUOTIENT(item, b, S)                                                                       \
    (ITEMS % (S) == 0 ? (item) / (S) : (S) % ITEMS == 0 ? 0 : ((item) + (b) * ITEMS) / (S))
#define REMAINDER(item, b, S)                                                                      \
    (ITEMS % (S) == 0 ? (item) % (S) : (S) % ITEMS == 0 ? (item) : ((item) + (b) * ITEMS) % (S))
#define FURTHER_QUOTIENT(b, S)                                                                     \
    (ITEMS % (S) == 0 ? (b) * (ITEMS / (S)) : (S) % ITEMS == 0 ? (b) * ITEMS / (S) : 0)
#define FURTHER_REMAINDER(b, S) ((S) % ITEMS == 0 ? (b) * ITEMS % (S) : 0)
#define AT(place, further) exchange[(int)(place) + (int)(further) * (LOAD_COLUMNS ? PITCH : 1)]

/* A work-item's butterflies j of a stage of radix R after a span S; its point r of its b-th butterfly is
 * POINT(b, r, R) of x. Where the stage has IMAGES (ends.cl), the second half of a work-item's butterflies
 * are the mirror images N / R - j of its first half; in the place of number 0's, which there is not, stands
 * the one in the middle. */
#define COUNT(R) ((N / R + ITEMS - 1) / ITEMS)
#define INDEX(b, r, R) ((b) + (r) * COUNT(R))
#define POINT(b, r, R) x[INDEX(b, r, R)]
#define EACH_BUTTERFLY(R, S, item, ...)                                                            \
    UNROLL for (uint b = 0; b < COUNT(R); b++) {                                                   \
        const uint image = IMAGES(R, S) && b >= COUNT(R) / 2;                                      \
        uint j = (item) + (image ? b - COUNT(R) / 2 : b) * ITEMS;                                  \
        j = image ? IMAGE_OF(j, N / R) : j;                                                        \
        if (N / R % ITEMS == 0 || j < N / R) {                                                     \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define EACH_POINT(R, S, item, ...)                                                                \
    EACH_BUTTERFLY(R, S, item, UNROLL for (uint r = 0; r < R; r++) { __VA_ARGS__ })
#define IMAGE_OF(j, many) ((j) ? (many) - (j) : (many) / 2)
/* Butterfly b of an item as the exchange takes it: an image j counts as the first butterfly of item j. */
#define OWNER(item) (image ? j : (item))
#define STEP (image ? 0 : b)

/* A name that ends in the value of a macro: so a macro is chosen where it is used, and a program whose
 * parts have other values (fused.cl) needs no second copy of this file. */
#define JOINED(name, value) JOIN(name, value)
#define JOIN(name, value) name##value

#define BARRIER barrier(CLK_LOCAL_MEM_FENCE);
/* The first exchange also stands between the loads of the group and its stores, perhaps in place. */
#define FENCE(P, S) (CLK_LOCAL_MEM_FENCE | (S == P ? CLK_GLOBAL_MEM_FENCE : 0))
#define WHOLE(z) z
#define REAL_PART(z) (z).x
#define IMAGINARY_PART(z) (z).y

/* Whether butterfly j of so many is in the lower half; its number b tells, if that is all of its items. */
#define LOWER_HALF(many) (many / 2 % ITEMS ? j < many / 2 : b < many / 2 / ITEMS)

/* In one go, or in halves (1): what is found of the lower half waits in `held` until all of the upper
 * half has been left. */
#define EXCHANGE_PART JOINED(EXCHANGE_PART_, HALVES)
#define EXCHANGE_PART_0(P, R, S, to_lane, to_item, PART)                                           \
    {                                                                                              \
        const uint upper = 0;                                                                      \
        EACH_POINT(P, S / P, item,                                                                 \
                   LEFT(OWNER(item), STEP, r, P, S, lane) = PART(POINT(b, r, P));)                 \
        barrier(FENCE(P, S));                                                                      \
        EACH_POINT(R, S, to_item, PART(POINT(b, r, R)) =                                           \
                                      FOUND(OWNER(to_item), STEP, r, P, R, S, to_lane);)           \
    }
#define EXCHANGE_PART_1(P, R, S, to_lane, to_item, PART)                                           \
    {                                                                                              \
        uint upper = 0;                                                                            \
        EACH_POINT(P, S / P, item, if (LOWER_HALF(N / P))                                          \
                       LEFT(OWNER(item), STEP, r, P, S, lane) = PART(POINT(b, r, P));)             \
        barrier(FENCE(P, S));                                                                      \
        EACH_POINT(R, S, to_item, if (r < R / 2) held[INDEX(b, r, R)] =                            \
                                      FOUND(OWNER(to_item), STEP, r, P, R, S, to_lane);)           \
        BARRIER                                                                                    \
        upper = 1;                                                                                 \
        EACH_POINT(P, S / P, item, if (!LOWER_HALF(N / P))                                         \
                       LEFT(OWNER(item), STEP, r, P, S, lane) = PART(POINT(b, r, P));)             \
        BARRIER                                                                                    \
        EACH_POINT(R, S, to_item, PART(POINT(b, r, R)) =                                           \
                                      r < R / 2 ? held[INDEX(b, r, R)]                             \
                                                : FOUND(OWNER(to_item), STEP, r, P, R, S, to_lane);) \
    }

/* All of a number, or its parts one after the other (1). */
#define EACH_PART JOINED(EACH_PART_, SPLIT)
#define EACH_PART_0(WORD, R) WORD(R, WHOLE)
#define EACH_PART_1(WORD, R) WORD(R, REAL_PART) WORD(R, IMAGINARY_PART)
#define EXCHANGED JOINED(EXCHANGED_, SPLIT)
#define EXCHANGED_0 cplx
#define EXCHANGED_1 real
#define EXCHANGE JOINED(EXCHANGE_, SPLIT)
#define EXCHANGE_0(P, R, S, to_lane, to_item)                                                      \
    if (S != P)                                                                                    \
        BARRIER                                                                                    \
    EXCHANGE_PART(P, R, S, to_lane, to_item, WHOLE)
#define EXCHANGE_1(P, R, S, to_lane, to_item)                                                      \
    if (S != P)                                                                                    \
        BARRIER                                                                                    \
    EXCHANGE_PART(P, R, S, to_lane, to_item, REAL_PART)                                            \
    BARRIER                                                                                        \
    EXCHANGE_PART(P, R, S, to_lane, to_item, IMAGINARY_PART)

/* The words of STAGES, what a work-group does: LOAD(radix), then FFT(radix, span), with EXCHANGE between two
 * of them, STORE(radix) at the end. NEXT is a stage with the exchange before it; in the last
 * exchange work-items may change places (LAST). After the first one the memory is in use: AGAIN. */
#define FFT(R, S)                                                                                  \
    EACH_BUTTERFLY(R, S, item, BUTTERFLY(R, S))
#define NEXT(P, R, S) EXCHANGE(P, R, S, lane, item) FFT(R, S)
#define LAST(P, R, S)                                                                              \
    EXCHANGE(P, R, S, last_lane, last_item)                                                        \
    if (IMAGES(R, S) && R < LARGE) {                                                               \
        EACH_TWO(R, S)                                                                             \
    } else {                                                                                       \
        EACH_BUTTERFLY(R, S, last_item, BUTTERFLY(R, S))                                           \
    }
#define AGAIN BARRIER
#define BUTTERFLY(R, S)                                                                            \
    twiddle(x + b, COUNT(R), R, S, twiddles + (S - 1) + j % (S));                                  \
    fft##R(x + b, COUNT(R));

#define LARGE 16 /* radices from which on twiddles are too many to read them all */

/* Butterflies of the last stage and their images. The twiddles of an image are those of its butterfly,
 * conjugated, but for exp(-2 pi i r / R), which only moves the results by one: so both take what is read
 * once. Butterfly 0 needs none: those that are read are of the one in the middle. */
#define EACH_TWO(R, S)                                                                             \
    UNROLL for (uint b = 0; b < COUNT(R) / 2; b++) {                                               \
        const uint j = last_item + b * ITEMS, first = b == 0 && j == 0;                            \
        cplx *image = x + b + COUNT(R) / 2;                                                        \
        twiddle_two(x + b, image, COUNT(R), R, S, twiddles + (S - 1) + (first ? S / 2 : j), first); \
        fft##R(x + b, COUNT(R));                                                                   \
        fft##R(image, COUNT(R));                                                                   \
        move_down(image, COUNT(R), R);                                                             \
    }

static inline void twiddle_two(cplx *x, cplx *image, uint stride, uint radix, uint span,
                               global const cplx *w, uint first)
{
    cplx factors[LARGE];
    UNROLL for (uint r = 1; r < LARGE; r++)
        if (r < radix) {
            factors[r] = w[(r - 1) * span];
            image[r * stride] = cmul(image[r * stride], (cplx)(factors[r].x, -factors[r].y));
        }
    if (!first) {
        UNROLL for (uint r = 1; r < LARGE; r++)
            if (r < radix)
                x[r * stride] = cmul(x[r * stride], factors[r]);
    }
}
static inline void move_down(cplx *x, uint stride, uint radix)
{
    cplx last = x[0];
    UNROLL for (uint r = 1; r < LARGE; r++)
        if (r < radix)
            x[(r - 1) * stride] = x[r * stride];
    x[(radix - 1) * stride] = last;
}

/* Multiplies the points r = 1 .. R-1 of a butterfly by their twiddles, S apart in the table. From
 * radix 16 on only every fourth and the first three are read, and the others formed as products: that
 * costs less than it saves in registers and in traffic. */
static inline void twiddle(cplx *x, uint stride, uint radix, uint span, global const cplx *w)
{
    if (span == 1)
        return;
    if (radix < LARGE) {
        UNROLL for (uint r = 1; r < LARGE; r++) /* a constant, or clang may leave a loop, and x in memory */
            if (r < radix)
                x[r * stride] = cmul(x[r * stride], w[(r - 1) * span]);
        return;
    }
    cplx low[4];
    UNROLL for (uint r = 1; r < 4; r++) {
        low[r] = w[(r - 1) * span];
        x[r * stride] = cmul(x[r * stride], low[r]);
    }
    UNROLL for (uint high = 4; high < radix; high += 4) {
        cplx factor = w[(high - 1) * span];
        x[high * stride] = cmul(x[high * stride], factor);
        UNROLL for (uint r = 1; r < 4; r++)
            if (high + r < radix)
                x[(high + r) * stride] = cmul(x[(high + r) * stride], cmul(factor, low[r]));
    }
}
