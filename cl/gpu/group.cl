/* group: how the work-items of a work-group share its transforms, and where they exchange points.
 *
 *     work-group        transforms side by side: lane 0, lane 1 ...
 *     transform         work-items: item 0, item 1 ...
 *     stage of radix R  N / R butterflies of R points; work-item i has number i, i + ITEMS, i + 2 ITEMS ...
 *     work-item         the points of its butterflies, in registers: x[]
 *
 * Point r of butterfly j is point j + r N / R of the transform. If a work-item has `many` butterflies, point r of its
 * b-th one is x[b + r many].
 */
#ifndef PRIMES
#define PRIMES 0 /* 1: a radix may be a prime from 17 to 61 */
#endif
#include "radix.cl"
#include "template.cl"
#if PRIMES
#include "gpu/primes.cl"
#endif
#include "gpu/shortRows.cl"

#ifndef N
#define N 16 /* points of a transform */
#endif
#ifndef ITEMS
#define ITEMS 4 /* work-items that share a transform */
#endif
#ifndef TRANSFORMS
#define TRANSFORMS 1 /* transforms of a work-group */
#endif
#ifndef ELEMENTS
#define ELEMENTS 4 /* the most points that a work-item holds in any stage */
#endif
#ifndef LOAD_COLUMNS
#define LOAD_COLUMNS 0 /* 1: neighbouring work-items load from neighbouring transforms; 0: from one transform */
#endif
#ifndef STORE_COLUMNS
#define STORE_COLUMNS 0 /* 1: neighbouring work-items store to neighbouring transforms; 0: to one transform */
#endif
#ifndef SPLIT
#define SPLIT 0 /* 1: real parts are exchanged first and imaginary parts after them, in half the local memory */
#endif
#ifndef HALVES
#define HALVES 0 /* 1: the lower half of a transform is exchanged first, the upper half after it, in half the memory */
#endif
#ifndef ROOM
#define ROOM (N + N / 2) /* elements of local memory for a transform, gaps included */
#endif
#ifndef PITCH
#define PITCH (TRANSFORMS + 1) /* of columns: elements of local memory from a point to the next one */
#endif
#ifndef BANKS
#define BANKS ((SPLIT ? 32 : 16) >> DOUBLE) /* elements of a transform that local memory serves at once */
#endif
#ifndef TAKEN_AT_ONCE
#define TAKEN_AT_ONCE 32 /* elements of shared rows that a work-item loads at once, at most: each takes registers, */
#endif
#ifndef GIVEN_AT_ONCE
#define GIVEN_AT_ONCE 16 /* and those that it stores at once */
#endif

/* The sizes of a group. Wherever a function is put in place, the compiler knows them. */
typedef struct {
    uint n, items, transforms;
    uint by_columns; /* LOAD_COLUMNS */
    uint room, pitch, banks;
} Group;

#define THE_GROUP {N, ITEMS, TRANSFORMS, LOAD_COLUMNS, ROOM, PITCH, BANKS}
#define ROOM_OF_GROUP (LOAD_COLUMNS ? ROOM * PITCH : ROOM * TRANSFORMS) /* elements of local memory, */
#define ROOM_OF_POINTS ((ROOM_OF_GROUP + SPLIT) >> SPLIT)               /* as complex numbers; SPLIT: elements are real */
#define BUTTERFLIES(R) ((N / (R) + ITEMS - 1) / ITEMS)                  /* of a work-item, at most */

/* If all work-items of a group share all of its rows (SHARED_ROWS): how many elements of rows with so many a work-item
 * has at most, and in how many rounds it loads or stores them, with how many elements in each. */
#define GROUP_SIZE (ITEMS * TRANSFORMS)
#define SHARE_OF(elements) (((elements) + ITEMS - 1) / ITEMS)
#define ROUNDS_OF(elements, at_once) ((SHARE_OF(elements) + (at_once)-1) / (at_once))
#define ROUND_OF(elements, at_once)                                                                                    \
    ((SHARE_OF(elements) + ROUNDS_OF(elements, at_once) - 1) / ROUNDS_OF(elements, at_once))

/* The transform that a work-item serves, and which of this transform's work-items it is. */
typedef struct {
    uint lane, item;
} Worker;

static INLINE Worker worker(Group group, uint by_columns)
{
    const uint id = get_local_id(0);
    return by_columns ? (Worker){id % group.transforms, id / group.transforms}
                      : (Worker){id / group.items, id % group.items};
}

/* How a stage may pair butterflies, so that the second half of a work-item's butterflies are images of its first half:
 * j and N / R - j (AROUND_ZERO), where the butterfly in the middle stands in for the image of number 0, which there is
 * not; or j and N / R - 1 - j (END_TO_END). */
#define NO_PAIRS 0
#define AROUND_ZERO 1
#define END_TO_END 2

typedef struct {
    uint radix, span; /* the span is the product of the radices before */
    int pairs;
} Stage;

/* Butterfly j of a stage, the b-th one of its work-item, which has `many`. The exchange counts it as butterfly `step` of
 * work-item `owner`: j = owner + step ITEMS. */
typedef struct {
    uint j, b, many, owner, step;
    int exists;
} Butterfly;

static INLINE Butterfly butterfly(Group group, Stage stage, uint b, uint item)
{
    const uint all = group.n / stage.radix, many = (all + group.items - 1) / group.items;
    const int is_image = stage.pairs && b >= many / 2;
    uint j = item + (is_image ? b - many / 2 : b) * group.items;
    if (is_image)
        j = stage.pairs == END_TO_END ? all - 1 - j : j ? all - j : all / 2;
    return (Butterfly){j, b, many, is_image ? j : item, is_image ? 0 : b, all % group.items == 0 || j < all};
}

/* --- local memory ---------------------------------------------------------------------------------- */

/* Which parts of a complex number are exchanged at once. */
#define BOTH_PARTS 0
#define REAL_PART 1
#define IMAGINARY_PART 2

/* A place in local memory: one that the work-item computes, and a distance that the compiler knows. They remain apart,
 * because the distance then becomes a part of the instruction that loads or stores. */
typedef struct {
    int place, distance;
} RoomPlace;

static INLINE void leave(local cplx *room, RoomPlace at, uint part, cplx z)
{
    if (part == BOTH_PARTS)
        (room + at.place)[at.distance] = z;
    else
        ((local real *)room + at.place)[at.distance] = part == REAL_PART ? z.x : z.y;
}

/* z, with the part that waits at a place. */
static INLINE cplx find(local const cplx *room, RoomPlace at, uint part, cplx z)
{
    if (part == BOTH_PARTS)
        return (room + at.place)[at.distance];
    const real found = ((local const real *)room + at.place)[at.distance];
    return part == REAL_PART ? (cplx)(found, z.y) : (cplx)(z.x, found);
}

/* The place of element i + further of a lane. */
static INLINE RoomPlace room_place(Group group, uint lane, uint i, int further)
{
    return group.by_columns ? (RoomPlace){i * group.pitch + lane, further * (int)group.pitch}
                            : (RoomPlace){lane * group.room + i, further};
}

/* How points lie in local memory between two stages. The stage before fills rows of span / radix before elements, and
 * blocks of `span` elements. If its radix is even, the rows that neighbouring work-items fill would meet the same banks,
 * so blocks stand a gap apart, as long as a row. */
typedef struct {
    uint row, span, block; /* elements; a block with its gap */
    uint begin;            /* where the half of a transform begins that is exchanged */
} Layout;

static INLINE Layout layout_between(Group group, uint radix_before, uint span, int upper_half)
{
    const uint row = span / radix_before, gap = radix_before % 2 == 0 && row < group.banks ? row : 0;
    const uint block = span + gap;
    return (Layout){row, span, block, upper_half ? group.n / 2 / span * block : 0};
}

/* The place of a point of butterfly j if butterflies lie in `rows` side by side, and their points `apart`. */
static INLINE RoomPlace place_among(Group group, Layout layout, uint lane, Butterfly of, uint rows, uint from_first)
{
    const uint items = group.items, j = of.owner + of.step * items;
    if (items % rows == 0)
        return room_place(group, lane, of.owner / rows * layout.block + of.owner % rows,
                          of.step * (items / rows) * layout.block + from_first - layout.begin);
    if (rows % items == 0)
        return room_place(group, lane, of.owner,
                          of.step * items / rows * layout.block + of.step * items % rows + from_first - layout.begin);
    return room_place(group, lane, j / rows * layout.block + j % rows, from_first - layout.begin);
}

/* Where result r of a butterfly of the stage before is left. */
static INLINE RoomPlace place_of_result(Group group, Layout layout, uint lane, Butterfly of, uint r)
{
    return place_among(group, layout, lane, of, layout.row, r * layout.row);
}

/* Where point r of a butterfly of the next stage is found. */
static INLINE RoomPlace place_of_point(Group group, Layout layout, uint lane, Butterfly of, uint radix, uint r)
{
    const uint all = group.n / radix;
    return place_among(group, layout, lane, of, layout.span,
                       r * (all + all / layout.span * (layout.block - layout.span)));
}

/* Whether a butterfly is one of the lower half of all: its number b tells, if that is so for all work-items. */
static INLINE int in_lower_half(Group group, Stage stage, Butterfly of)
{
    const uint half_of_all = group.n / stage.radix / 2;
    return half_of_all % group.items ? of.j < half_of_all : of.b < half_of_all / group.items;
}

/* The first exchange also stands between the loads of the group from global memory and its stores, perhaps in place. */
static INLINE void wait_for_group(int also_global)
{
    if (also_global) /* no conditional expression: Mesa's compiler crashes where flags are no constant */
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    else
        barrier(CLK_LOCAL_MEM_FENCE);
}

/* --- twiddles -------------------------------------------------------------------------------------- */

#define LARGE 8 /* radices from which on twiddles are too many to read them all */
#define LARGEST 64 /* more than any radix has */

/* Multiplies the points r = 1 .. radix - 1 of a butterfly by their twiddles, which lie `span` apart in the table. From
 * radix LARGE on only every fourth twiddle and the first three are read, and the others are formed as products: that
 * costs less than it saves in registers and in traffic. The bounds of loops are constants: some compilers unroll a loop
 * before they put its function in place, and a loop that remains around an array keeps the array in slow memory. */
static INLINE void twiddle(cplx *x, uint stride, uint radix, uint span, global const cplx *w)
{
    if (span == 1)
        return;
    if (radix < LARGE) {
        UNROLL for (uint r = 1; r < LARGE; r++)
            if (r < radix)
                x[r * stride] = cmul(x[r * stride], w[(r - 1) * span]);
        return;
    }
    cplx low[4];
    UNROLL for (uint r = 1; r < 4; r++) {
        low[r] = w[(r - 1) * span];
        x[r * stride] = cmul(x[r * stride], low[r]);
    }
    UNROLL for (uint high = 4; high < LARGEST; high += 4)
        if (high < radix) {
            const cplx factor = w[(high - 1) * span];
            x[high * stride] = cmul(x[high * stride], factor);
            UNROLL for (uint r = 1; r < 4; r++)
                if (high + r < radix)
                    x[(high + r) * stride] = cmul(x[(high + r) * stride], cmul(factor, low[r]));
        }
}

/* The same for a butterfly and its mirror image. The twiddles of an image are those of its butterfly, conjugated, but for
 * exp(-2 pi i r / R), which only moves the results by one (move_down). So what is read once serves both. Butterfly 0 is
 * `alone`: it needs no twiddles, and those that are read are of the one in the middle, which stands in for its image. */
static INLINE void twiddle_pair(cplx *x, cplx *image, uint stride, uint radix, uint span, global const cplx *w,
                                uint alone)
{
    cplx factors[LARGE];
    UNROLL for (uint r = 1; r < LARGE; r++)
        if (r < radix) {
            factors[r] = w[(r - 1) * span];
            image[r * stride] = cmul(image[r * stride], (cplx)(factors[r].x, -factors[r].y));
        }
    if (!alone)
        UNROLL for (uint r = 1; r < LARGE; r++)
            if (r < radix)
                x[r * stride] = cmul(x[r * stride], factors[r]);
}

static INLINE void move_down(cplx *x, uint stride, uint radix)
{
    const cplx first = x[0];
    UNROLL for (uint r = 1; r < LARGE; r++)
        if (r < radix)
            x[(r - 1) * stride] = x[r * stride];
    x[(radix - 1) * stride] = first;
}
