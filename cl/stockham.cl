/* stockham: Stockham's autosort transform of N points in one kernel, in registers and local memory.
 *
 * A work-group takes TRANSFORMS of them at a time, with ITEMS work-items each. A work-item owns some
 * butterflies of every stage: it transforms R points in registers, then the group exchanges the
 * results through local memory. The first stage loads from global memory and the last one stores
 * to it, both in the natural order, so that there is no bit reversal.
 *
 * Butterfly j of a stage with radix R and span S (the product of the radices before) takes the points
 * j + r N / R, times exp(-2 pi i r (j mod S) / (R S)), and leaves its results at
 * (j / S) S R + j mod S + r S.
 *
 * Transform q stands at (q / inner) outer + (q mod inner) column, its points `stride` apart, with
 * distances of their own for the source and the target: rows, columns, and rows that become columns
 * are all the same kernel. The source may be the target where both have the same distances.
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
#ifndef STAGES
/* FIRST(radix) STAGE(radix before, radix, span) ... LAST(radix before, radix, span), or ONLY(radix) */
#define STAGES FIRST(4) LAST(4, 4, 4)
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
#ifndef SPLIT
#define SPLIT 0 /* 1: exchanges real parts, then imaginary parts, in half the local memory */
#endif
#ifndef TWIST
#define TWIST 0 /* b > 0: result k of column c is multiplied by the root of unity to the power k c, the
                   product of one of 2^b fine roots and of a coarse one (the four-step algorithm) */
#endif

/* Local memory has BANKS places that are served at once. A stage of radix P after a span S leaves its
 * results in blocks of P S elements, of which neighbouring work-items fill S in a row at a time. Where
 * P is even these rows would meet the same banks, so blocks stand GAP elements apart. */
#define BANKS ((SPLIT ? 32 : 16) >> DOUBLE)
#define GAP(P, S) ((P) % 2 == 0 && (S) < BANKS ? (S) : 0)

/* Which transform of the group a work-item serves, and as which of its items. */
#define LANE(columns) ((columns) ? get_local_id(0) % TRANSFORMS : get_local_id(0) / ITEMS)
#define ITEM(columns) ((columns) ? get_local_id(0) / TRANSFORMS : get_local_id(0) % ITEMS)

/* The exchange between a stage of radix P and the next one, of radix R and span S: where result r of
 * butterfly j is left, and where point r of butterfly j is found. Both are a place of the butterfly
 * and a constant, which costs no arithmetic. */
#define LEFT(j, r, P, S, lane)                                                                     \
    PLACE((j) / (S / P) * (S + GAP(P, S / P)) + (j) % (S / P) + (r) * (S / P), lane)
#define FOUND(j, r, P, R, S, lane)                                                                 \
    PLACE((j) + (j) / (S) * GAP(P, S / P) + (r) * (N / R + N / R / (S) * GAP(P, S / P)), lane)
#define PLACE(i, lane) (LOAD_COLUMNS ? (i) * TRANSFORMS + (lane) : (lane) * ROOM + (i))

/* A work-item's butterflies j of a stage; its point r of its b-th butterfly is POINT(b, r, R) of x. */
#define COUNT(R) ((N / R + ITEMS - 1) / ITEMS)
#define POINT(b, r, R) x[(b) + (r) * COUNT(R)]
#define EACH_BUTTERFLY(R, item, ...)                                                               \
    UNROLL for (uint b = 0; b < COUNT(R); b++) {                                                   \
        uint j = (item) + b * ITEMS;                                                               \
        if (N / R % ITEMS == 0 || j < N / R) {                                                     \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define EACH_POINT(R, item, ...)                                                                   \
    EACH_BUTTERFLY(R, item, UNROLL for (uint r = 0; r < R; r++) { __VA_ARGS__ })

/* The inverse transform is the forward one with real and imaginary parts swapped at both ends. */
#define TURN(z) (inverse ? (cplx)((z).y, (z).x) : (z))

#define BARRIER barrier(CLK_LOCAL_MEM_FENCE);
/* The first exchange also stands between the loads of the group and its stores, perhaps in place. */
#define FENCE(P, S) (CLK_LOCAL_MEM_FENCE | (S == P ? CLK_GLOBAL_MEM_FENCE : 0))
#define EXCHANGE_PART(P, R, S, to_lane, to_item, PART)                                             \
    EACH_POINT(P, item, exchange[LEFT(j, r, P, S, lane)] = PART(POINT(b, r, P));)                  \
    barrier(FENCE(P, S));                                                                          \
    EACH_POINT(R, to_item, PART(POINT(b, r, R)) = exchange[FOUND(j, r, P, R, S, to_lane)];)
#define WHOLE(z) z
#define REAL(z) (z).x
#define IMAGINARY(z) (z).y

#if SPLIT
#define EXCHANGE(P, R, S, to_lane, to_item)                                                        \
    if (S != P)                                                                                    \
        BARRIER                                                                                    \
    EXCHANGE_PART(P, R, S, to_lane, to_item, REAL)                                                 \
    BARRIER                                                                                        \
    EXCHANGE_PART(P, R, S, to_lane, to_item, IMAGINARY)
#else
#define EXCHANGE(P, R, S, to_lane, to_item)                                                        \
    if (S != P)                                                                                    \
        BARRIER                                                                                    \
    EXCHANGE_PART(P, R, S, to_lane, to_item, WHOLE)
#endif

#define TRANSFORM(R, S, item)                                                                      \
    EACH_BUTTERFLY(R, item,                                                                        \
                   twiddle(x + b, COUNT(R), R, S, twiddles + (S - 1) + j % (S));                   \
                   fft##R(x + b, COUNT(R));)

#define LOAD(R)                                                                                    \
    EACH_POINT(R, item, POINT(b, r, R) = from.active                                               \
                            ? src[from.first + (j + r * (N / R)) * SRC_STRIDE]                     \
                            : (cplx)(0, 0);                                                        \
               POINT(b, r, R) = TURN(POINT(b, r, R));)
#define STORE(R, item)                                                                             \
    if (to.active)                                                                                 \
        EACH_POINT(R, item, uint k = j + r * (N / R); cplx result = POINT(b, r, R) * scale;        \
                   TWIST_RESULT dst[to.first + k * DST_STRIDE] = TURN(result);)

/* Between the points of a transform; of rows it is known, which saves a register for every point. */
#define SRC_STRIDE (LOAD_COLUMNS ? src_stride : (size_t)1)
#define DST_STRIDE (STORE_COLUMNS ? dst_stride : (size_t)1)

#define FIRST(R) LOAD(R) TRANSFORM(R, 1, item)
#define STAGE(P, R, S) EXCHANGE(P, R, S, lane, item) TRANSFORM(R, S, item)
#define LAST(P, R, S)                                                                              \
    EXCHANGE(P, R, S, last_lane, last_item) TRANSFORM(R, S, last_item) STORE(R, last_item)
#define ONLY(R) LOAD(R) TRANSFORM(R, 1, item) STORE(R, item)

#if TWIST
#define TWIST_RESULT                                                                               \
    result = cmul(result, twist_factor(k * to.column, fine, coarse));
static inline cplx twist_factor(uint exponent, global const cplx *fine, global const cplx *coarse)
{
    return cmul(coarse[exponent >> TWIST], fine[exponent & ((1u << TWIST) - 1)]);
}
#else
#define TWIST_RESULT
#endif

/* Multiplies the points r = 1 .. R-1 of a butterfly by their twiddles, S apart in the table. From
 * radix 16 on only every fourth and the first three are read, and the others formed as products: that
 * costs less than it saves in registers and in traffic. */
static inline void twiddle(cplx *x, uint stride, uint radix, uint span, global const cplx *w)
{
    if (span == 1)
        return;
    if (radix < 16) {
        UNROLL for (uint r = 1; r < 16; r++) /* a constant, or clang may leave a loop, and x in memory */
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

/* Where a transform begins in memory, whether there is one, and which column it is. */
typedef struct {
    int active;
    uint column;
    size_t first;
} Transform;

static inline Transform locate(uint lane, uint transforms, uint inner, ulong outer_distance,
                               ulong column_distance)
{
    uint q = get_group_id(0) * TRANSFORMS + lane;
    Transform found = {q < transforms, q % inner, 0};
    found.first = q / inner * outer_distance + found.column * column_distance;
    return found;
}

kernel __attribute__((reqd_work_group_size(ITEMS *TRANSFORMS, 1, 1)))
void stockham(global const cplx *src, global cplx *dst, global const cplx *twiddles,
#if TWIST
              global const cplx *fine, global const cplx *coarse,
#endif
              uint transforms, uint inner, ulong src_outer, ulong src_column, ulong src_stride,
              ulong dst_outer, ulong dst_column, ulong dst_stride, real scale, uint inverse)
{
#if SPLIT
    local real exchange[ROOM * TRANSFORMS];
#else
    local cplx exchange[ROOM * TRANSFORMS];
#endif
    cplx x[ELEMENTS];
    uint lane = LANE(LOAD_COLUMNS), item = ITEM(LOAD_COLUMNS);
    uint last_lane = LANE(STORE_COLUMNS), last_item = ITEM(STORE_COLUMNS);
    Transform from = locate(lane, transforms, inner, src_outer, src_column);
    Transform to = locate(last_lane, transforms, inner, dst_outer, dst_column);
    (void)exchange, (void)last_item; /* a single stage needs neither */
    STAGES
}
