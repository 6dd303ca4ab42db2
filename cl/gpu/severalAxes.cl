/* severalAxes: transforms along the last two or three axes of arrays so small that local memory holds them, in one launch.
 * One work-group transforms TOGETHER arrays, and moves each number through global memory once.
 *
 *     src  --->  stage  --->  local memory  --->  stage  --->  local memory  ...  --->  in order  --->  dst
 *
 * Each axis has one stage, or two, along all lines of all arrays of the group: these are one array of one more axis.
 * Stages replace points by their results (decimation in frequency). So number k of an axis of A B points, in stages of
 * A and of B points, ends at place (k mod A) B + k / A; the store finds it there.
 *
 * The first axis comes first, because its neighbours lie side by side in the source. The last load from local memory and
 * the store to global memory take neighbours of all arrays, as if these were one long row.
 *
 * Of real numbers, two neighbours of the last axis are a point; severalHalf.cl makes half of their spectrum, or points of it.
 *
 * References: W. M. Gentleman, G. Sande, "Fast Fourier transforms: for fun and profit", AFIPS Proc. 29 (1966).
 */
#include "radix.cl"
#include "template.cl"
#include "gpu/shortRows.cl"

#ifndef RADICES
#define RADICES 1, 1, 4, 1, 4, 1, 1, 1 /* two of each axis: its stages, of which the second may be 1 */
#endif
#ifndef TOGETHER
#define TOGETHER 1 /* arrays of a work-group */
#endif
#ifndef ITEMS
#define ITEMS 4 /* work-items of a work-group */
#endif
#ifndef GAP
#define GAP 0 /* elements of local memory between two gaps of one element, so that lines meet all banks; 0: no gaps */
#endif
#ifndef ROOM
#define ROOM 16 /* elements of local memory, gaps included, and those of the ends of half spectra */
#endif
#ifndef SHARE
#define SHARE 0 /* points that a work-item keeps, while local memory holds parts of them; 0: local memory holds all points */
#endif
#ifndef SOURCE
#define SOURCE COMPLEX /* what src holds: COMPLEX, REAL, HERMITIAN */
#endif
#ifndef TARGET
#define TARGET COMPLEX /* what dst receives: COMPLEX, HERMITIAN, REAL */
#endif

#define RADIX_OF(k) CALL(JOINED(NUMBER_, k), (RADICES))
#define EXTENT_0 (RADIX_OF(1) * RADIX_OF(2))
#define EXTENT_1 (RADIX_OF(3) * RADIX_OF(4))
#define EXTENT_2 (RADIX_OF(5) * RADIX_OF(6))
#define POINTS (EXTENT_0 * EXTENT_1 * EXTENT_2)
#define ROWS (EXTENT_0 * EXTENT_1)
#define HALF (SOURCE == HERMITIAN || TARGET == HERMITIAN) /* 1: one side is half of the spectrum of real numbers */
#define HALF_ROW (EXTENT_2 + 1)                           /* numbers of half of the spectrum of a row */
#define ELEMENTS_OF(held) (ROWS * ((held) == HERMITIAN ? HALF_ROW : EXTENT_2)) /* of an array */
#define FIRST_STAGE (SOURCE == HERMITIAN ? 0 : RADIX_OF(1) > 1 ? 1 : 3) /* the last axis is never alone */

/* The table: the roots of unity of each axis that has two stages, and at the end those of a row of real numbers. */
#define ROOTS_0 0
#define ROOTS_1 (ROOTS_0 + (RADIX_OF(2) > 1 ? EXTENT_0 : 0))
#define ROOTS_2 (ROOTS_1 + (RADIX_OF(4) > 1 ? EXTENT_1 : 0))
#define ROOTS_OF_ROW (ROOTS_2 + (RADIX_OF(6) > 1 ? EXTENT_2 : 0))

/* The place in local memory of element begin + further, in a block of so many elements that begins at a multiple of its
 * size. The compiler knows `further` and `block`. */
static INLINE uint place(uint begin, uint further, uint block)
{
    if (GAP == 0)
        return begin + further;
    if (further % (GAP + !GAP) == 0 || (GAP + !GAP) % block == 0) /* no division by zero, even where none is done */
        return begin + begin / (GAP + !GAP) + further + further / (GAP + !GAP);
    return begin + further + (begin + further) / (GAP + !GAP);
}

/* --- numbers of an array ------------------------------------------------------------------------------ */

/* Number k of a row, which counts from the group's first row. */
typedef struct {
    uint row, k;
} Spot;

/* The place along an axis at which two stages, of a and b points, leave number k. */
static INLINE uint left_at(uint k, uint a, uint b)
{
    return a == 1 || b == 1 ? k : k % a * b + k / a;
}

/* The place of a point of a row, and the place of a number of its transform. */
static INLINE uint place_of_point(Spot at)
{
    return place(at.row * EXTENT_2 + at.k, 0, 1);
}
static INLINE uint place_of_number(Spot at)
{
    uint row = at.row;
    if (RADIX_OF(2) * RADIX_OF(4) > 1) {
        const uint array = row / (EXTENT_0 * EXTENT_1), first = row / EXTENT_1 % EXTENT_0, second = row % EXTENT_1;
        row = (array * EXTENT_0 + left_at(first, RADIX_OF(1), RADIX_OF(2))) * EXTENT_1 +
              left_at(second, RADIX_OF(3), RADIX_OF(4));
    }
    return place_of_point((Spot){row, left_at(at.k, RADIX_OF(5), RADIX_OF(6))});
}

/* Where the group's numbers begin in the source. The sign conjugates them. */
typedef struct {
    global const cplx *first;
    bits sign;
} Source;

static INLINE cplx load_element(Source source, uint i)
{
    return conj_if(source.first[i], source.sign);
}

#if HALF
#include "gpu/severalHalf.cl"
#endif

#if SHARE
#include "gpu/exchangeParts.cl"
#endif

/* --- stages ------------------------------------------------------------------------------------------- */

#define STAGE 1
#define RADIX RADIX_OF(1)
#define DISTANCE (RADIX_OF(2) * EXTENT_1 * EXTENT_2)
#define INNER (EXTENT_1 * EXTENT_2)
#define ROOTS ROOTS_0
#if SHARE
    #include "gpu/axisStageInParts.cl"
#else
    #include "gpu/axisStage.cl"
#endif

#define STAGE 2
#define RADIX RADIX_OF(2)
#define DISTANCE (EXTENT_1 * EXTENT_2)
#define INNER DISTANCE
#define ROOTS 0
#if SHARE
    #include "gpu/axisStageInParts.cl"
#else
    #include "gpu/axisStage.cl"
#endif

#define STAGE 3
#define RADIX RADIX_OF(3)
#define DISTANCE (RADIX_OF(4) * EXTENT_2)
#define INNER EXTENT_2
#define ROOTS ROOTS_1
#if SHARE
    #include "gpu/axisStageInParts.cl"
#else
    #include "gpu/axisStage.cl"
#endif

#define STAGE 4
#define RADIX RADIX_OF(4)
#define DISTANCE EXTENT_2
#define INNER DISTANCE
#define ROOTS 0
#if SHARE
    #include "gpu/axisStageInParts.cl"
#else
    #include "gpu/axisStage.cl"
#endif

#define STAGE 5
#define RADIX RADIX_OF(5)
#define DISTANCE RADIX_OF(6)
#define INNER 1
#define ROOTS ROOTS_2
#if SHARE
    #include "gpu/axisStageInParts.cl"
#else
    #include "gpu/axisStage.cl"
#endif

#define STAGE 6
#define RADIX RADIX_OF(6)
#define DISTANCE 1
#define INNER 1
#define ROOTS 0
#if SHARE
    #include "gpu/axisStageInParts.cl"
#else
    #include "gpu/axisStage.cl"
#endif

/* --- the whole ---------------------------------------------------------------------------------------- */

/* A number times the scale, and times what float lacks of the scale. */
static INLINE cplx scaled(cplx z, cplx scale)
{
    return DOUBLE ? z * scale.x : z * scale.x + z * scale.y;
}

/* Element i of the group's results. */
static INLINE cplx result(local const cplx *room, uint i, global const cplx *roots)
{
#if TARGET == HERMITIAN
    return number_of_half(room, i, roots);
#else
    return room[place_of_number((Spot){i / EXTENT_2, i % EXTENT_2})];
#endif
}

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void severalAxes(global const cplx *src, global cplx *dst, global const cplx *roots, uint count, ulong2 firsts,
                 cplx scale, bits sign_in, bits sign_out)
{
#if SHARE
    local real room[ROOM];
    cplx x[SHARE];
    const ulong array = get_group_id(0);
    const Source source = {src + firsts.x + array * POINTS, sign_in};
    Lines lines = {1, 1};
    lines = stage_1(x, room, source, lines, roots);
    lines = stage_2(x, room, source, lines, roots);
    lines = stage_3(x, room, source, lines, roots);
    lines = stage_4(x, room, source, lines, roots);
    lines = stage_5(x, room, source, lines, roots);
    lines = stage_6(x, room, source, lines, roots);
    take_results(x, room, lines);
    global cplx *target = dst + firsts.y + array * POINTS;
    UNROLL for (uint i = 0; i < SHARE; i++)
        if (get_local_id(0) + i * ITEMS < POINTS)
            target[get_local_id(0) + i * ITEMS] = conj_if(scaled(x[i], scale), sign_out);
#else
    local cplx room[ROOM];
    const uint array = get_group_id(0) * TOGETHER, left = count - array, arrays = left < TOGETHER ? left : TOGETHER;
    const Source source = {src + firsts.x + (ulong)array * ELEMENTS_OF(SOURCE), sign_in};
#if SOURCE == HERMITIAN
    take_halves(room, source, arrays, roots);
#endif
    stage_1(room, source, arrays, roots);
    stage_2(room, source, arrays, roots);
    stage_3(room, source, arrays, roots);
    stage_4(room, source, arrays, roots);
    stage_5(room, source, arrays, roots);
    stage_6(room, source, arrays, roots);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* also between loads and stores in place */
    global cplx *target = dst + firsts.y + (ulong)array * ELEMENTS_OF(TARGET);
    for (uint i = get_local_id(0); i < arrays * ELEMENTS_OF(TARGET); i += ITEMS)
        target[i] = conj_if(scaled(result(room, i, roots), scale), sign_out);
#endif
}
