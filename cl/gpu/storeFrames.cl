/* storeFrames: the samples of signals, from overlapping frames, whose rows a group has transformed back.
 *
 *     x[]  --->  times the dual window  --->  frames in local memory  --->  sums of samples  --->  dst
 *
 * Each frame has 2 N samples. From the beginning of one frame to that of the next there are 2 HOP samples: a stretch. A
 * group of TRANSFORMS frames stores TRANSFORMS - LAP stretches, because it has all frames that hold these samples. A point
 * is a pair of samples: its real part is the even one, its imaginary part the odd one. Local memory holds both, or with
 * SPLIT first the even samples of all frames and then the odd ones. Instructions take more time than memory does on an
 * H200, so work-items compute little for each sample: the dual window holds the divisions, the compiler knows most places,
 * and groups that have all of their frames compare nothing.
 *
 * References: D. W. Griffin, J. S. Lim, "Signal estimation from modified short-time Fourier transform", IEEE Trans.
 * ASSP-32 (1984).
 */
#include "dualWindow.cl"

#ifndef SAMPLE_PAIRS
#define SAMPLE_PAIRS 0 /* 1: an even sample and the next odd one are aligned in the target, as a complex number */
#endif

#define ALL_PAIRS ((TRANSFORMS - LAP) * HOP)             /* pairs of samples of a group */
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
 * each sum. The oldest of the frames that hold a stretch has the stretch's number in the group. */
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

/* If frames of the group do not exist, because their numbers are below 0 or too large: takes what is in their places out of
 * local memory, and makes up for them. */
static INLINE void mend_ends(local held *room, global const real *dual, uint first, uint frames, uint part)
{
    LOOP(uint p = get_local_id(0); p < ALL_PAIRS; p += GROUP_SIZE) {
        const Pair pair = {p / HOP, p % HOP, 0, 0};
        held all = 0, found = 0;
        LOOP(uint lap = 0; lap <= LAP; lap++)
            if (is_held(pair, lap)) {
                const held weight = WEIGHT_OF(dual, point_in(pair, lap), part);
                all += weight * weight;
            }
        const held divisor = DIVISOR(all);
        LOOP(uint lap = 0; lap <= LAP; lap++)
            if (is_held(pair, lap) && first + pair.stretch + lap < frames) {
                const held weight = divisor * WEIGHT_OF(dual, point_in(pair, lap), part);
                found += weight * weight;
            }
        LOOP(uint lap = 0; lap <= LAP; lap++)
            if (is_held(pair, lap)) {
                local held *here = room + (pair.stretch + lap) * FRAME_PITCH + point_in(pair, lap);
                const int exists = first + pair.stretch + lap < frames;
                *here = exists ? SAMPLE_NEAR_END(*here, divisor, found) : (held)0;
            }
    }
}

/* Adds up what the frames hold of the pairs of a work-item. */
static INLINE void sum_up(held *sums, local const held *room, uint id)
{
    UNROLL for (uint i = 0; i < SUMS; i++)
        if (HAS_PAIR(id, i)) {
            const Pair pair = pair_of(id, i);
            local const held *own = room + (pair.stretch * FRAME_PITCH + pair.point);
            UNROLL for (uint lap = 0; lap <= LAP; lap++) { /* the oldest frame first */
                const uint known = (pair.known_stretch + lap) * FRAME_PITCH + pair.known_point + (LAP - lap) * HOP;
                const held sample = is_held(pair, lap) ? own[known] : (held)0;
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

/* Stores the pairs of a work-item: all of them, or what is wanted of each. */
static INLINE void store_pairs(held sums[1 + SPLIT][SUMS], Wanted wanted, int all, uint id)
{
    global real *own = wanted.target + 2 * id;
    UNROLL for (uint i = 0; i < SUMS; i++)
        if (HAS_PAIR(id, i)) {
            const cplx pair = BOTH(sums[0][i], sums[SPLIT][i]);
            const uint known = 2 * i * GROUP_SIZE, even = known + 2 * id, odd = even + 1;
            if (SAMPLE_PAIRS && (all || (even >= wanted.from && odd < wanted.to)))
                *(global cplx *)(own + known) = pair;
            else {
                if (all || (even >= wanted.from && even < wanted.to))
                    own[known] = pair.x;
                if (all || (odd >= wanted.from && odd < wanted.to))
                    own[known + 1] = pair.y;
            }
        }
}

static INLINE void IN_PASS(store_)(cplx *x, global target_element *dst, Batch batch, Axis axis, Worker last,
                                   Tables tables, local cplx *room, cplx scale HOOK_PARAMETERS)
{
    const uint id = get_local_id(0);
    const Signals signals = tables.signals;
    held sums[1 + SPLIT][SUMS];
    batch = BATCH_AGAIN(batch);
    const uint frames = batch.extents.s0, row = batch.count - frames, first = batch.first - row;
    const int all_exist = first < frames && first + TRANSFORMS <= frames;
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
    const Wanted wanted = wanted_of(signal, signals, (ulong)(first + LAP) * (2 * HOP));
    if (wanted.from == 0 && wanted.to == 2 * ALL_PAIRS)
        store_pairs(sums, wanted, 1, id);
    else
        store_pairs(sums, wanted, 0, id);
}
#undef THE_STAGE
