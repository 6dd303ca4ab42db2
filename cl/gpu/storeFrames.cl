/* storeFrames: the samples of signals, from overlapping frames, whose rows a group has transformed back.
 *
 *     x[]  --->  times the dual window  --->  frames in local memory  --->  sums of samples  --->  dst
 *
 * Each frame has 2 N samples, and begins 2 HOP samples behind the frame before: a stretch of samples. A group of TRANSFORMS
 * frames stores TRANSFORMS - LAP stretches, because it has all frames that hold these samples. Local memory holds the even
 * samples of all frames first, which are the real parts of points, and then the odd ones. Instructions limit these kernels
 * on an H200, so what a sample shares with others is computed once: whatever the dual window holds, or the compiler knows.
 *
 * References: D. W. Griffin, J. S. Lim, "Signal estimation from modified short-time Fourier transform", IEEE Trans.
 * ASSP-32 (1984).
 */
#include "audio/dualWindow.cl"

#ifndef SAMPLE_PAIRS
#define SAMPLE_PAIRS 0 /* 1: an even sample and the next odd one are aligned in the target, as a complex number */
#endif

#define ALL_PAIRS ((TRANSFORMS - LAP) * HOP)                   /* pairs of samples of a group */
#define SUMS ((ALL_PAIRS + GROUP_SIZE - 1) / GROUP_SIZE) /* pairs of a work-item, at most */
#define HAS_PAIR(id, i) (((i) + 1) * GROUP_SIZE <= ALL_PAIRS || (i) * GROUP_SIZE + (id) < ALL_PAIRS)
#define THE_STAGE {LAST_RADIX, N / LAST_RADIX, 0}

static INLINE void times_window(cplx *x, global const real *window, Worker last)
{
    const Group group = THE_GROUP;
    const Stage stage = THE_STAGE;
    UNROLL for (uint b = 0; b < BUTTERFLIES(LAST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, last.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < LAST_RADIX; r++)
                x[of.b + r * of.many] *= ((global const cplx *)window)[of.j + r * (N / LAST_RADIX)];
    }
}

/* Leaves one part of all results: the frames of the group lie one behind the other. */
static INLINE void leave_samples(const cplx *x, local cplx *room, uint part, Worker last)
{
    const Group group = THE_GROUP;
    const Stage stage = THE_STAGE;
    UNROLL for (uint b = 0; b < BUTTERFLIES(LAST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, last.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < LAST_RADIX; r++)
                leave(room, (RoomPlace){last.lane * N + of.j, r * (N / LAST_RADIX)}, part, x[of.b + r * of.many]);
    }
}

/* A pair of samples of a stretch, of which the compiler knows a part of both numbers. The oldest frame of a stretch has the
 * lane with the stretch's own number. */
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

/* Where a frame has a pair, and whether it has. */
typedef struct {
    uint lane, at;
    int exists;
} Place;

static INLINE Place place_of(Pair pair, uint lap)
{
    const uint at = pair.point + pair.known_point + (LAP - lap) * HOP;
    return (Place){pair.stretch + pair.known_stretch + lap, at, lap > 0 || N % HOP == 0 || at < N};
}

/* If frames of the group do not exist: takes what is in their places out of local memory, and makes up for them. Their
 * numbers are below 0, or too large. */
static INLINE void mend_ends(local real *room, global const real *window, uint first, uint frames, uint odd)
{
    LOOP(uint p = get_local_id(0); p < ALL_PAIRS; p += GROUP_SIZE) {
        const Pair pair = {p / HOP, p % HOP, 0, 0};
        real all = 0, found = 0;
        LOOP(uint lap = 0; lap <= LAP; lap++) {
            const Place of = place_of(pair, lap);
            if (of.exists) {
                const real w = window[2 * of.at + odd];
                all += w * w;
                found += first + of.lane < frames ? w * w : 0;
            }
        }
        LOOP(uint lap = 0; lap <= LAP; lap++) {
            const Place of = place_of(pair, lap);
            local real *here = room + of.lane * N + of.at;
            if (of.exists)
                *here = first + of.lane < frames ? SAMPLE_NEAR_END(*here, all, found) : 0;
        }
    }
}

/* Adds up the frames at the pairs of a work-item. */
static INLINE void sum_up(real *sums, local const real *room, uint id)
{
    UNROLL for (uint i = 0; i < SUMS; i++)
        if (HAS_PAIR(id, i)) {
            const Pair pair = pair_of(id, i);
            local const real *own = room + (pair.stretch * N + pair.point);
            UNROLL for (uint lap = 0; lap <= LAP; lap++) /* the oldest frame first */
                if (place_of(pair, lap).exists) {
                    const real sample = own[(pair.known_stretch + lap) * N + pair.known_point + (LAP - lap) * HOP];
                    sums[i] = lap ? sums[i] + sample : sample;
                } else
                    sums[i] = 0;
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

/* Stores the pairs of a work-item, or what is wanted of them. */
static INLINE void store_pairs(const real *even, const real *odd, Wanted wanted, int all, uint id)
{
    global real *own = wanted.target + 2 * id;
    UNROLL for (uint i = 0; i < SUMS; i++) {
        const uint known = 2 * i * GROUP_SIZE, at = known + 2 * id;
        if (!HAS_PAIR(id, i))
            continue;
        if (SAMPLE_PAIRS && (all || (at >= wanted.from && at + 1 < wanted.to)))
            *(global cplx *)(own + known) = (cplx)(even[i], odd[i]);
        else {
            if (all || (at >= wanted.from && at < wanted.to))
                own[known] = even[i];
            if (all || (at + 1 >= wanted.from && at + 1 < wanted.to))
                own[known + 1] = odd[i];
        }
    }
}

static INLINE void IN_PASS(store_)(cplx *x, global target_element *dst, Batch batch, Axis axis, Worker last,
                                   Tables tables, local cplx *room, cplx scale HOOK_PARAMETERS)
{
    const uint id = get_local_id(0);
    const Signals signals = tables.signals;
    real sums[2][SUMS];
    batch = BATCH_AGAIN(batch);
    const uint frames = batch.extents.s0, row = batch.count - frames, first = batch.first - row;
    const int whole_group = first < frames && first + TRANSFORMS <= frames;
    const Wanted wanted =
        wanted_of(dst + signals.start + row / frames * signals.pitch, signals, (ulong)(first + LAP) * (2 * HOP));
    IN_PASS(invert_and_scale_)(x, last, batch.flags, scale);
    times_window(x, signals.window, last);
    UNROLL for (uint odd = 0; odd < 2; odd++) {
        wait_for_group(0);
        leave_samples(x, room, odd ? IMAGINARY_PART : REAL_PART, last);
        wait_for_group(0);
        if (!whole_group) {
            mend_ends((local real *)room, signals.window, first, frames, odd);
            wait_for_group(0);
        }
        sum_up(sums[odd], (local const real *)room, id);
    }
    if (wanted.from == 0 && wanted.to == 2 * ALL_PAIRS)
        store_pairs(sums[0], sums[1], wanted, 1, id);
    else
        store_pairs(sums[0], sums[1], wanted, 0, id);
}
#undef THE_STAGE
