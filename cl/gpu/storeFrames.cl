/* storeFrames: the samples of signals, from overlapping frames, whose rows a group has transformed back.
 *
 *     x[]  --->  times the dual window  --->  frames in local memory  --->  sums of samples  --->  dst
 *
 * Each frame has 2 N samples. From the beginning of one frame to that of the next there are 2 HOP samples: a stretch. A point
 * is a pair of samples: its real part is the even one, its imaginary part the odd one. Local memory holds both, or with
 * SPLIT first the even samples of all frames and then the odd ones. Instructions take more time than memory does on an
 * H200, so work-items compute little for each sample: the dual window holds the divisions, the compiler knows most places,
 * and groups whose samples all have all of their frames do not ask which frames exist.
 *
 * ## The border of two groups
 *
 * LAP frames hold samples that the next group's frames hold, too. Without MEETS, both groups transform these frames, and a
 * group of TRANSFORMS frames stores the TRANSFORMS - LAP stretches of which it has all frames. With MEETS, each group
 * transforms frames of its own, and sums up what these have of all samples that they hold. At a border the earlier group
 * stores its sums, and the later group adds its own to them. Two numbers have the same sum in either order, so results do
 * not depend on which group is the earlier one.
 *
 * Each border has a counter, which is 0 before a launch and after it. Both groups add one to it. The group that found 0 is
 * the earlier one. It stores its sums, and adds one to the counter again. The later group waits until the counter is 3. It
 * adds one, which makes the counter 0, and then loads. As in fused.cl, a barrier, an addition that releases, a read that acquires and
 * another barrier lie between a store and the load of the same number, in this order. No group waits for ever: a group
 * waits for a group that has begun to run, and each group stores what others wait for before it waits itself.
 *
 * References: D. W. Griffin, J. S. Lim, "Signal estimation from modified short-time Fourier transform", IEEE Trans.
 * ASSP-32 (1984).
 */
#include "dualWindow.cl"
#if MEETS
    #include "gpu/counting.cl"
#endif

#ifndef SAMPLE_PAIRS
#define SAMPLE_PAIRS 0 /* 1: an even sample and the next odd one are aligned in the target, as a complex number */
#endif

/* Stretches at each border of a group that meets others: both groups have them. */
#define AT_BORDER (MEETS ? LAP : 0)
#define ALL_PAIRS ((TRANSFORMS - TWICE + AT_BORDER) * HOP)   /* pairs of samples of a group */
#define SUMS ((ALL_PAIRS + GROUP_SIZE - 1) / GROUP_SIZE) /* pairs of a work-item, at most */
#define HAS_PAIR(id, i) (((i) + 1) * GROUP_SIZE <= ALL_PAIRS || (i) * GROUP_SIZE + (id) < ALL_PAIRS)

/* The gap behind a frame in local memory. With it, neighbours in a subgroup of 32 work-items leave their points in different
 * banks, of which an NVIDIA GPU has 32, even if they have different frames. FRAME_PITCH is the distance from one frame to
 * the next one: it has the gap if there is room for it. */
#define GAP (ITEMS < 32 ? (ITEMS + 32 - N % 32) % 32 : 0)
#define FRAME_PITCH (TRANSFORMS * (N + GAP) <= ROOM_OF_GROUP ? N + GAP : N)

/* What local memory holds of a pair, and the same of the dual window. */
#if SPLIT
typedef real held;
#define WEIGHT_OF(dual, point, part) dual[2 * (point) + ((part) == IMAGINARY_PART)]
#define BOTH(real_part, imaginary_part) ((cplx)(real_part, imaginary_part))
#else
typedef cplx held;
#define WEIGHT_OF(dual, point, part) ((global const cplx *)dual)[point]
#define BOTH(real_part, imaginary_part) (real_part)
#endif

#define THE_STAGE {LAST_RADIX, N / LAST_RADIX, 0}

static INLINE void times_dual_window(cplx *x, global const real *dual, Worker last)
{
    const Group group = THE_GROUP;
    const Stage stage = THE_STAGE;
    UNROLL for (uint b = 0; b < BUTTERFLIES(LAST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, last.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < LAST_RADIX; r++)
                x[of.b + r * of.many] *= ((global const cplx *)dual)[of.j + r * (N / LAST_RADIX)];
    }
}

/* Leaves one part of all points, or both: the frames of the group lie one behind the other. */
static INLINE void leave_frames(const cplx *x, local cplx *room, uint part, Worker last)
{
    const Group group = THE_GROUP;
    const Stage stage = THE_STAGE;
    UNROLL for (uint b = 0; b < BUTTERFLIES(LAST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, last.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < LAST_RADIX; r++)
                leave(room, (RoomPlace){last.lane * FRAME_PITCH + of.j, r * (N / LAST_RADIX)}, part,
                      x[of.b + r * of.many]);
    }
}

/* A pair of a stretch: number `point + known_point` of stretch `stretch + known_stretch`. The compiler knows one term of
 * each sum. */
typedef struct {
    uint stretch, point, known_stretch, known_point;
} Pair;

/* Pair id + i GROUP_SIZE of the group. */
static INLINE Pair pair_of(uint id, uint i)
{
    const uint p = i * GROUP_SIZE;
    if (HOP % GROUP_SIZE == 0)
        return (Pair){0, id, p / HOP, p % HOP};
    if (GROUP_SIZE % HOP == 0)
        return (Pair){id / HOP, id % HOP, p / HOP, 0};
    return (Pair){(p + id) / HOP, (p + id) % HOP, 0, 0};
}

/* The number in the group of the oldest frame that holds a pair (lap 0), of the next one (lap 1), and so on. Another group
 * has the frame if the number is TRANSFORMS or more, or below 0: as a number without a sign, this is more, too. */
static INLINE uint frame_of(Pair pair, uint lap)
{
    return pair.stretch + (pair.known_stretch + lap - AT_BORDER);
}

static INLINE int is_own(Pair pair, uint lap)
{
    return MEETS ? frame_of(pair, lap) < TRANSFORMS : 1;
}

/* Where a pair is in the oldest frame that holds it (lap 0), in the next one (lap 1), and so on. */
static INLINE uint point_in(Pair pair, uint lap)
{
    return pair.point + pair.known_point + (LAP - lap) * HOP;
}

/* The oldest frame may hold only the first pairs of a stretch. */
static INLINE int is_held(Pair pair, uint lap)
{
    return N % HOP == 0 ? 1 : lap ? 1 : point_in(pair, lap) < N;
}

/* Whether all frames that hold a pair exist: they have numbers below `frames`. The group's first frame has number `first`. */
static INLINE int all_exist_of(Pair pair, uint first, uint frames)
{
    int all = 1;
    LOOP(uint lap = 0; lap <= LAP; lap++)
        all &= !is_held(pair, lap) || first + frame_of(pair, lap) < frames;
    return all;
}

/* If frames that hold the group's samples do not exist, because their numbers are below 0 or too large: takes what is in
 * their places out of local memory, and makes up for them. */
static INLINE void mend_ends(local held *room, global const real *dual, uint first, uint frames, uint part)
{
    LOOP(uint p = get_local_id(0); p < ALL_PAIRS; p += GROUP_SIZE) {
        const Pair pair = {p / HOP, p % HOP, 0, 0};
        if (all_exist_of(pair, first, frames))
            continue;
        held all = 0, found = 0;
        LOOP(uint lap = 0; lap <= LAP; lap++)
            if (is_held(pair, lap)) {
                const held weight = WEIGHT_OF(dual, point_in(pair, lap), part);
                all += weight * weight;
            }
        const held divisor = DIVISOR(all);
        LOOP(uint lap = 0; lap <= LAP; lap++)
            if (is_held(pair, lap) && first + frame_of(pair, lap) < frames) {
                const held weight = divisor * WEIGHT_OF(dual, point_in(pair, lap), part);
                found += weight * weight;
            }
        LOOP(uint lap = 0; lap <= LAP; lap++)
            if (is_held(pair, lap) && is_own(pair, lap)) {
                local held *here = room + frame_of(pair, lap) * FRAME_PITCH + point_in(pair, lap);
                const int exists = first + frame_of(pair, lap) < frames;
                *here = exists ? SAMPLE_NEAR_END(*here, divisor, found) : (held)0;
            }
    }
}

/* Adds up what the group's frames hold of the pairs of a work-item. */
static INLINE void sum_up(held *sums, local const held *room, uint id)
{
    UNROLL for (uint i = 0; i < SUMS; i++)
        if (HAS_PAIR(id, i)) {
            const Pair pair = pair_of(id, i);
            local const held *own = room + (pair.stretch * FRAME_PITCH + pair.point);
            UNROLL for (uint lap = 0; lap <= LAP; lap++) { /* the oldest frame first */
                const int known = (int)(pair.known_stretch + lap - AT_BORDER) * (int)FRAME_PITCH +
                                  (int)(pair.known_point + (LAP - lap) * HOP);
                const held sample = is_held(pair, lap) && is_own(pair, lap) ? own[known] : (held)0;
                sums[i] = lap ? sums[i] + sample : sample;
            }
        }
}

/* Which samples of the group are wanted: number `from` is the first one, and `to` the first one behind them. Sample 0 would
 * go to `target`. */
typedef struct {
    global real *target;
    uint from, to;
} Wanted;

static INLINE uint at_most(ulong count)
{
    return min(count, (ulong)(2 * ALL_PAIRS));
}

/* The group's first sample is number `begin` of those that the signal's frames hold. */
static INLINE Wanted wanted_of(global real *target, Signals signals, ulong begin)
{
    const ulong end = signals.before + signals.count;
    return (Wanted){target + ((long)begin - (long)signals.before),
                    at_most(signals.before - min(begin, signals.before)), at_most(end - min(begin, end))};
}

/* Sides of a group: the stretches that the group before has, too, those that the next one has, and all others. */
enum { BEFORE, BEHIND, INSIDE };

/* The side of pair id + i GROUP_SIZE, which the compiler knows for most i. */
static INLINE uint side_of(uint id, uint i)
{
    const uint least = i * GROUP_SIZE, end = least + GROUP_SIZE, begin = LAP * HOP, behind = TRANSFORMS * HOP;
    if (!MEETS || (least >= begin && end <= behind))
        return INSIDE;
    if (end <= begin)
        return BEFORE;
    if (least >= behind)
        return BEHIND;
    return least + id < begin ? BEFORE : least + id < behind ? INSIDE : BEHIND;
}

static INLINE void store_sample(global real *here, real sample, int adds)
{
    *here = adds ? *here + sample : sample;
}

/* Stores pairs of a work-item, or adds them to what is there: those on the sides whose bits are set. Of each pair it stores
 * both samples if all are wanted, or else what is wanted. */
static INLINE void store_pairs(held sums[1 + SPLIT][SUMS], Wanted wanted, int all, uint id, uint sides, int adds)
{
    global real *own = wanted.target + 2 * id;
    UNROLL for (uint i = 0; i < SUMS; i++)
        if (HAS_PAIR(id, i) && (sides >> side_of(id, i) & 1)) {
            const cplx pair = BOTH(sums[0][i], sums[SPLIT][i]);
            const uint known = 2 * i * GROUP_SIZE, even = known + 2 * id, odd = even + 1;
            if (SAMPLE_PAIRS && (all || (even >= wanted.from && odd < wanted.to))) {
                global cplx *here = (global cplx *)(own + known);
                *here = adds ? *here + pair : pair;
            } else {
                if (all || (even >= wanted.from && even < wanted.to))
                    store_sample(own + known, pair.x, adds);
                if (all || (odd >= wanted.from && odd < wanted.to))
                    store_sample(own + known + 1, pair.y, adds);
            }
        }
}

static INLINE void store_sides(held sums[1 + SPLIT][SUMS], Wanted wanted, uint id, uint sides, int adds)
{
    if (wanted.from == 0 && wanted.to == 2 * ALL_PAIRS)
        store_pairs(sums, wanted, 1, id, sides, adds);
    else
        store_pairs(sums, wanted, 0, id, sides, adds);
}

#if MEETS
/* A border of the group, which one work-item sees to: work-item 0 to the border with the group before, 1 to the one with the
 * next group. */
typedef struct {
    int exists; /* for this work-item */
    global uint *counter;
} Border;

/* The group is number `number` of the `groups` of its signal, whose counters begin at `counters`. */
static INLINE Border border_of(global uint *counters, uint number, uint groups, uint id)
{
    return (Border){(id == BEFORE && number > 0) || (id == BEHIND && number + 1 < groups),
                    counters + ((int)(number + id) - 1)};
}

/* Stores all sums. `found` says for each border what this group has found in its counter. */
static INLINE void meet(held sums[1 + SPLIT][SUMS], Wanted wanted, Border border, local const uint *found, uint id,
                        uint number, uint seed)
{
    const uint later = (found[BEFORE] != 0) << BEFORE | (found[BEHIND] != 0) << BEHIND;
    const uint own = border.exists ? found[id] : 0;
    PAUSE_WARP(number, seed, 1)
    store_sides(sums, wanted, id, (1 << BEFORE | 1 << BEHIND) & ~later, 0);
    wait_for_group(1);
    if (border.exists && !own) {
        PAUSE(number, seed, 2)
        count_release(border.counter, 3);
    }
    store_sides(sums, wanted, id, 1 << INSIDE, 0);
    if (own) {
        PAUSE(number, seed, 3)
        while (read_acquire(border.counter) < 3) {
            IDLE
        }
        count_relaxed(border.counter, 3);
    }
    /* This barrier is between the read that acquires and the loads. Groups that have not waited come to it, too: PoCL 3.1 lost
     * numbers where it was under a condition. */
    wait_for_group(1);
    PAUSE_WARP(number, seed, 4)
    store_sides(sums, wanted, id, later, 1);
}
#endif

static INLINE void IN_PASS(store_)(cplx *x, global target_element *dst, Batch batch, Axis axis, Worker last,
                                   Tables tables, local cplx *room, cplx scale HOOK_PARAMETERS)
{
    const uint id = get_local_id(0);
    const Signals signals = tables.signals;
    held sums[1 + SPLIT][SUMS];
    batch = BATCH_AGAIN(batch);
    const uint frames = batch.extents.s0, row = batch.count - frames, first = batch.first - row;
    /* Frames of both neighbours hold samples of a group that meets them. */
    const int all_exist = first < frames && first >= AT_BORDER && first + (TRANSFORMS + AT_BORDER) <= frames;
#if MEETS
    const uint groups = get_num_groups(0) / batch.extents.s1, number = first / TRANSFORMS;
    const Border border = border_of(tables.counters + row / frames * groups, number, groups, id);
    local uint *found = (local uint *)(room + ROOM_OF_POINTS);
    PAUSE_WARP(number, tables.seed, 0)
    if (id <= BEHIND)
        found[id] = border.exists ? draw(border.counter, 3) : 0;
#endif
    IN_PASS(invert_and_scale_)(x, last, batch.flags, scale);
    times_dual_window(x, signals.dual, last);
    UNROLL for (uint part = SPLIT; part <= 2 * SPLIT; part++) {
        wait_for_group(0);
        leave_frames(x, room, part, last);
        wait_for_group(0);
        if (!all_exist) {
            mend_ends((local held *)room, signals.dual, first, frames, part);
            wait_for_group(0);
        }
        sum_up(sums[part - SPLIT], (local const held *)room, id);
    }
    global real *signal = dst + signals.start + row / frames * signals.pitch;
    const Wanted wanted = wanted_of(signal, signals, (ulong)(first + TWICE) * (2 * HOP));
#if MEETS
    meet(sums, wanted, border, found, id, number, tables.seed);
#else
    store_sides(sums, wanted, id, 1 << INSIDE, 0);
#endif
}
#undef THE_STAGE
