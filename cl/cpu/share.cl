/* share: what one work-item of a CPU has to do, and the scratch memory in which it does that.
 *
 *     batch      | share of group 0 | share of group 1 | ...
 *     group      one work-item, which takes the transforms of its share one after the other
 *     transform  source  --->  scratch memory, which stays in the nearest cache  --->  target
 *
 * A work-item is a work-group of its own, because a CPU's runtime imitates barriers by loops over all work-items.
 */
#include "cpu/lanes.cl"

#ifndef LOCAL_SCRATCH
#define LOCAL_SCRATCH 1 /* 1: points lie in local memory, which is quick to get; 0: in a workspace */
#endif
#ifndef DIMENSIONS
#define DIMENSIONS 1 /* of the batch: 1 .. 4 */
#endif

/* SCRATCH_OF(name, count, workspace) declares room for `count` vectors of points. A workspace, which is then a
 * parameter of the kernel, has a part for each group. */
#if LOCAL_SCRATCH
#define SCRATCH local
#define WORKSPACE
#define SCRATCH_OF(name, count, workspace) local points name[count];
#else
#define SCRATCH global
#define WORKSPACE global points *workspace,
#define SCRATCH_OF(name, count, workspace) global points *name = (workspace) + get_group_id(0) * (count);
#endif

/* The transforms of a batch that a group does. */
typedef struct {
    uint begin, end;
} Share;

static INLINE Share share_of(uint count)
{
    const ulong group = get_group_id(0), groups = get_num_groups(0);
    return (Share){count * group / groups, count * (group + 1) / groups};
}

/* Where transform q of a batch begins. */
static INLINE ulong place(uint q, uint4 extents, ulong4 distances)
{
    ulong at = 0;
    if (DIMENSIONS > 1)
        at += q % extents.s0 * distances.s0, q /= extents.s0;
    if (DIMENSIONS > 2)
        at += q % extents.s1 * distances.s1, q /= extents.s1;
    if (DIMENSIONS > 3)
        at += q % extents.s2 * distances.s2, q /= extents.s2;
    return at + q * (DIMENSIONS == 1   ? distances.s0
                     : DIMENSIONS == 2 ? distances.s1
                     : DIMENSIONS == 3 ? distances.s2
                                       : distances.s3);
}
