/* batch: where the transforms of a batch lie in memory, and the elements of which their points are made.
 *
 *     number of a transform  --->  coordinates in the batch  --->  column of the axis, place of its first element
 *     point of a transform   --->  element of the axis       --->  place of the element
 *
 * A batch has up to four dimensions. Transform q of it has the coordinates q mod extent 0, q / extent 0 mod extent 1
 * ..., and begins at the sum of coordinates times distances. Source and target have distances of their own: rows,
 * columns, rows that become columns, and views of any strides are all the same kernel. The points of a transform are
 * `columns` units apart, so that point i is element column + i columns of a longer axis, of which the transform is
 * one column.
 */
#include "gpu/group.cl"

#ifndef DIMENSIONS
#define DIMENSIONS 1 /* of the batch: 1 .. 4 */
#endif
#ifndef APART
#define APART 0 /* 1: dimension 0 begins and ends with a group: none takes transforms on both sides of an end */
#endif
#ifndef HOP
#define HOP 0 /* H > 0: the transforms are overlapping frames, which begin H points apart: storeFrames.cl adds them up */
#endif
#ifndef MEETS
#define MEETS 0 /* 1: each group has frames of its own, and neighbours add up the points at their border */
#endif
#define LAP (HOP ? (N - 1) / (HOP + !HOP) : 0) /* frames of a group that hold points of the next group's frames, too */
#define TWICE (MEETS ? 0 : LAP)                /* frames that a group transforms, and the next group, too */
#ifndef COLUMNS_0
#define COLUMNS_0 0 /* columns of a longer axis from one transform of dimension 0 to the next one, */
#endif
#ifndef COLUMNS_1
#define COLUMNS_1 0 /* of dimension 1, */
#endif
#ifndef COLUMNS_2
#define COLUMNS_2 0 /* 2 */
#endif
#ifndef COLUMNS_3
#define COLUMNS_3 0 /* and 3 */
#endif
#ifndef SRC_COLUMNS
#define SRC_COLUMNS 1 /* units from a point of the source to the next one */
#endif
#ifndef DST_COLUMNS
#define DST_COLUMNS 1 /* units from a point of the target to the next one */
#endif
#ifndef SRC_UNIT
#define SRC_UNIT 0 /* elements from one neighbour along the source's axis to the next one; 0: the kernel's argument says */
#endif
#ifndef DST_UNIT
#define DST_UNIT 0 /* elements from one neighbour along the target's axis to the next one; 0: the argument says */
#endif
#ifndef LENGTH
#define LENGTH N /* elements of the whole axis; of PACKED real rows: points */
#endif
#ifndef FILLED
#define FILLED ((ulong)N * SRC_COLUMNS) /* elements of the source's axis that exist; zeros follow */
#endif
#ifndef OUTPUTS
#define OUTPUTS ((ulong)N * DST_COLUMNS) /* elements of the target's axis that are wanted */
#endif
#ifndef PAIR
#define PAIR 0 /* 1: a transform is two neighbouring columns of real numbers, one in each part of its points */
#endif
#ifndef PAIR_DIMENSION
#define PAIR_DIMENSION 0 /* the dimension of the batch along which they are neighbours */
#endif
#ifndef REAL_RADIX
#define REAL_RADIX 0 /* R > 0: a transform is a real row of an odd length and has a stage of radix R for real numbers */
#endif
#define KEPT (REAL_RADIX / 2 + 1) /* the results, or points, of a butterfly of that stage that are not redundant */
#ifndef TWIST
#define TWIST 0 /* b > 0: the four-step algorithm multiplies by roots of unity, one for each b bits of their power */
#endif
#ifndef DIGITS
#define DIGITS 2 /* how many times b bits a power has: few long digits cost fewer products and larger tables */
#endif

#if LENGTH > 0xffffffff || TWIST * DIGITS > 32
typedef ulong whole; /* an index along the whole axis */
#else
typedef uint whole;
#endif

#define INVERSE_IN 1u  /* points are conjugated, or turned, on the way in, as numbers.cl says, */
#define INVERSE_OUT 2u /* and results on the way out: a forward transform between both is an inverse one */
#define CONJUGATE_IN 4u
#define CONJUGATE_OUT 8u
#define BACKWARD 16u /* the last group comes first, as what has been written last is still in the cache */

/* The transforms that a launch does. */
typedef struct {
    uint first, count; /* the group's first transform, and the number that the first one behind its part has */
    uint4 extents;     /* of the batch */
    uint lone;         /* the coordinate along dimension PAIR_DIMENSION of the transform that has no partner */
    uint flags;
} Batch;

/* The transforms of a group, in a launch whose groups take transforms in order or backward. They are some of all
 * `count` transforms, or with APART some of those that differ in their coordinate along dimension 0 alone. The first TWICE
 * frames of a group are the last ones of the group before. The numbers of frames that do not exist are below 0, or too
 * large. */
static INLINE Batch batch_of_group(uint count, uint4 extents, uint lone, uint flags)
{
    const uint number = flags & BACKWARD ? get_num_groups(0) - 1 - get_group_id(0) : get_group_id(0);
    if (!APART)
        return (Batch){TRANSFORMS * number, count, extents, lone, flags};
    const uint groups = HOP ? get_num_groups(0) / extents.s1 : (extents.s0 + TRANSFORMS - 1) / TRANSFORMS;
    const uint row = number / groups * extents.s0, first = row + (TRANSFORMS - TWICE) * (number % groups) - TWICE;
    return (Batch){first, row + extents.s0, extents, lone, flags};
}

/* Where the elements of the source, or of the target, lie. */
typedef struct {
    ulong4 distances; /* elements from one transform to the next one, along each dimension of the batch */
    ulong first;      /* the place of the array's first element */
    ulong unit;       /* elements from one neighbour along the axis to the next one */
    ulong partner;    /* elements from a transform to its partner */
    whole columns;    /* units from one point of a transform to the next one */
    ulong elements;   /* elements of the axis that exist in the source, or are wanted in the target */
} Axis;

#define SOURCE_AXIS(distances, axis, partner)                                                                          \
    {distances, (axis).x, SRC_UNIT ? SRC_UNIT : (axis).y, partner, SRC_COLUMNS, FILLED}
#define TARGET_AXIS(distances, axis, partner)                                                                          \
    {distances, (axis).x, DST_UNIT ? DST_UNIT : (axis).y, partner, DST_COLUMNS, OUTPUTS}

/* --- transforms ------------------------------------------------------------------------------------ */

/* Where one transform lies. */
typedef struct {
    int active;           /* whether there is such a transform */
    whole column;         /* of the axis */
    ulong first, partner; /* the place of its first element, and how far its partner is: 0 if it has none */
} Transform;

/* Adds what the coordinate along dimension d contributes. Returns what remains of the transform's number q. */
static INLINE uint along(Transform *found, uint d, uint dimensions, uint q, uint extent, ulong distance, whole columns,
                         uint lone)
{
    if (d >= dimensions)
        return q;
    const uint coordinate = d + 1 < dimensions ? q % extent : q;
    found->first += coordinate * distance;
    found->column += coordinate * columns;
    if (d == PAIR_DIMENSION && coordinate == lone)
        found->partner = 0;
    return d + 1 < dimensions ? q / extent : q;
}

/* The transform of a lane. The last group has lanes without one of their own, which load the last transform again. */
static INLINE Transform locate(Batch batch, Axis axis, uint dimensions, whole columns_0, whole columns_1,
                               whole columns_2, whole columns_3, uint lane)
{
    uint q = batch.first + lane;
    Transform found = {q < batch.count, 0, axis.first, axis.partner};
    q = q < batch.count ? q : batch.count - 1;
    q = along(&found, 0, dimensions, q, batch.extents.s0, axis.distances.s0, columns_0, batch.lone);
    q = along(&found, 1, dimensions, q, batch.extents.s1, axis.distances.s1, columns_1, batch.lone);
    q = along(&found, 2, dimensions, q, batch.extents.s2, axis.distances.s2, columns_2, batch.lone);
    along(&found, 3, dimensions, q, batch.extents.s3, axis.distances.s3, columns_3, batch.lone);
    return found;
}
#define LOCATE(batch, axis, lane) locate(batch, axis, DIMENSIONS, COLUMNS_0, COLUMNS_1, COLUMNS_2, COLUMNS_3, lane)

/* --- plain rows: whole ones, one behind the other -------------------------------------------------- */

/* How many elements all rows of the group have: the last group may have fewer rows. */
static INLINE uint all_elements(Batch batch, uint elements)
{
    const uint rows = batch.count - batch.first;
    return (rows < TRANSFORMS ? rows : TRANSFORMS) * elements;
}

/* The place in the array of element i, if rows lie one behind the other. */
static INLINE ulong plain_place(Batch batch, Axis axis, uint elements, uint i)
{
    return axis.first + (ulong)batch.first * elements + i;
}

/* --- points and elements --------------------------------------------------------------------------- */

/* A point, as number r of butterfly j of a stage: an element of the axis, and its place. The compiler knows for each r
 * that the element lies from `least` on and before `end`. */
typedef struct {
    uint number;      /* of the point, in the transform */
    whole g;          /* of the element, along the axis */
    ulong place;      /* in the array */
    uint offset;      /* in the array, from the transform's first element */
    ulong least, end;
} Element;

/* Point i is an element of the axis. Of REAL_RADIX elements of a real row only the first KEPT ones are points. */
static INLINE whole number_along(Axis axis, uint i, whole column)
{
    return REAL_RADIX ? i / KEPT * REAL_RADIX + i % KEPT : i * axis.columns + column;
}

static INLINE Element element(Group group, Axis axis, Transform at, uint radix, uint j, uint r)
{
    const uint all = group.n / radix, i = j + r * all;
    const ulong stride = axis.columns * axis.unit;
    return (Element){i, number_along(axis, i, at.column), at.first + j * stride + r * (all * stride),
                     j * (uint)stride + (uint)(r * (all * stride)),
                     (ulong)(r * all) / KEPT * (REAL_RADIX ? REAL_RADIX : axis.columns),
                     (ulong)((r + 1) * all + KEPT - 1) / KEPT * (REAL_RADIX ? REAL_RADIX : axis.columns)};
}

/* Element p of a transform, whatever the order in which elements are taken. */
static INLINE Element element_number(Axis axis, Transform at, uint p)
{
    const ulong stride = axis.columns * axis.unit;
    return (Element){p, p * axis.columns + at.column, at.first + p * stride, p * (uint)stride, 0, LENGTH};
}

/* Whether an element lies before a limit. Where r alone tells, the compiler leaves out the comparison, and the load or
 * the store. */
static INLINE int is_before(Element e, ulong g, ulong limit)
{
    return e.end <= limit || (e.least < limit && g < limit);
}

/* --- the four-step algorithm ----------------------------------------------------------------------- */

/* Roots of unity. Result k of column c is multiplied by the root to the power k c, which is the product of one root for
 * each digit of the power. */
typedef struct {
    uint bits, digits; /* of a digit; of a power */
    global const cplx *roots;
} Roots;

#define MOST_DIGITS 8

static INLINE cplx root_to_the(Roots table, whole power)
{
    const whole mask = ((whole)1 << table.bits) - 1;
    cplx w = table.roots[power & mask];
    UNROLL for (uint digit = 1; digit < MOST_DIGITS; digit++)
        if (digit < table.digits) {
            power >>= table.bits;
            table.roots += mask + 1;
            w = cmul(w, table.roots[power & mask]);
        }
    return w;
}

/* Multiplies point r of a butterfly by the root to the power first + r step. As of twiddles, only some roots are read,
 * and the others are formed as products. */
static INLINE void twist(Roots table, cplx *x, uint stride, uint radix, whole first, whole step)
{
    cplx low[4];
    const cplx two_steps = root_to_the(table, 2 * step);
    low[0] = root_to_the(table, first);
    low[1] = cmul(low[0], root_to_the(table, step));
    low[2] = cmul(low[0], two_steps);
    low[3] = cmul(low[1], two_steps);
    UNROLL for (uint high = 0; high < LARGEST; high += 4)
        if (high < radix) {
            const cplx factor = root_to_the(table, high * step);
            UNROLL for (uint r = 0; r < 4; r++)
                if (high + r < radix)
                    x[(high + r) * stride] = cmul(x[(high + r) * stride], high ? cmul(low[r], factor) : low[r]);
        }
}
