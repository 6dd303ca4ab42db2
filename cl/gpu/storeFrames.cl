/* storeFrames: the samples of signals, from overlapping frames, whose rows a group has transformed back.
 *
 *     x[]  --->  frames in local memory  --->  weighted sums of samples  --->  dst
 *
 * Each frame has 2 N samples, and begins 2 HOP samples behind the frame before: a stretch of samples. A group has ROUNDS
 * rounds of TRANSFORMS frames each, one round after the other. It stores all stretches whose frames it has: all that begin
 * with its frames, but for the first LAP. A stretch whose frames belong to two rounds waits between both in local memory, as
 * the weighted sum of those that the group has had. overlapAdd.cl says what the samples of a signal are. Local memory holds
 * the even samples of all frames first, which are the real parts of points, and then the odd ones.
 *
 * References: D. W. Griffin, J. S. Lim, "Signal estimation from modified short-time Fourier transform", IEEE Trans.
 * ASSP-32 (1984).
 */
#ifndef WEIGHTED
#define WEIGHTED 1 /* 0: all points weigh 1 */
#endif
#ifndef SAMPLE_PAIRS
#define SAMPLE_PAIRS 0 /* 1: an even sample and the next odd one are aligned in the target, as a complex number */
#endif

#define BEGUN (ROUNDS > 1 ? 0 : LAP * HOP) /* pairs of samples at the beginning that a group never stores */
#define SUMS ((TRANSFORMS * HOP - BEGUN + GROUP_SIZE - 1) / GROUP_SIZE) /* pairs of a work-item in a round, at most */
#define CARRIES ((LAP * HOP + GROUP_SIZE - 1) / GROUP_SIZE)             /* and those that wait for the next round */
#define THE_STAGE {LAST_RADIX, N / LAST_RADIX, 0}

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

/* Samples of one parity: where those of this round's frames are, and the sums of earlier rounds; the number of the first of
 * these frames in its signal, which may be below 0, and how many frames the signal has. */
typedef struct {
    local const real *room, *carried;
    uint first, frames, odd;
} Samples;

typedef struct {
    real sum, weight;
} WeightedSum;

/* Sample 2 point + odd of a stretch, which begins with frame number `stretch` of the round, or would: the weighted sum of
 * what the group has had of its frames, and the weight of all of them. */
static INLINE WeightedSum summed_sample(Samples samples, Signals signals, uint stretch, uint point)
{
    const int waits = ROUNDS > 1 && signals.round && stretch < LAP;
    WeightedSum found = {waits ? samples.carried[stretch * HOP + point] : 0, 0};
    UNROLL for (uint lap = 0; lap <= LAP; lap++) { /* the oldest frame first */
        const uint at = point + (LAP - lap) * HOP, lane = stretch + lap - LAP;
        if (at < N && samples.first + lane < samples.frames) {
            const real w = WEIGHTED ? signals.window[2 * at + samples.odd] : 1;
            if (ROUNDS == 1 || lane < TRANSFORMS)
                found.sum += w * samples.room[lane * N + at];
            found.weight += w * w;
        }
    }
    return found;
}

static INLINE real normalized(WeightedSum of)
{
    const real normal = as_real((bits)1 << (DOUBLE ? 52 : 23)); /* the smallest normal number */
    return of.weight > normal ? of.sum / of.weight : of.sum;
}

/* Stores the pair of samples that begins `at` samples behind the first frame's beginning, or what is wanted of it. */
static INLINE void store_pair(global real *target, Signals signals, ulong at, cplx pair)
{
    const ulong i = at - signals.before; /* too large if the sample lies before those that are wanted */
    if (SAMPLE_PAIRS && i < signals.count && i + 1 < signals.count)
        *(global cplx *)(target + i) = pair;
    else {
        if (i < signals.count)
            target[i] = pair.x;
        if (i + 1 < signals.count)
            target[i + 1] = pair.y;
    }
}

static INLINE void IN_PASS(store_)(cplx *x, global target_element *dst, Batch batch, Axis axis, Worker last,
                                   Tables tables, local cplx *room, cplx scale HOOK_PARAMETERS)
{
    const uint id = get_local_id(0);
    real even[SUMS];
    batch = BATCH_AGAIN(batch);
    const Signals signals = tables.signals;
    const uint frames = batch.extents.s0, row = batch.count - frames, first = batch.first - row;
    const uint whole_from = ROUNDS > 1 && signals.round == 0 ? LAP : 0; /* the group before stores earlier stretches */
    IN_PASS(invert_and_scale_)(x, last, batch.flags, scale);
    global real *target = dst + signals.start + row / frames * signals.pitch;
    UNROLL for (uint odd = 0; odd < 2; odd++) {
        local real *carried = (local real *)room + ROOM_OF_GROUP + odd * LAP * HOP;
        const Samples samples = {(local const real *)room, carried, first, frames, odd};
        wait_for_group(0);
        leave_samples(x, room, odd ? IMAGINARY_PART : REAL_PART, last);
        wait_for_group(0);
        UNROLL for (uint i = 0; i < SUMS; i++) {
            const uint p = BEGUN + id + i * GROUP_SIZE, stretch = p / HOP, point = p % HOP;
            if (p < TRANSFORMS * HOP && stretch >= whole_from) {
                const real found = normalized(summed_sample(samples, signals, stretch, point));
                if (odd)
                    store_pair(target, signals, ((ulong)(first + stretch) * HOP + point) * 2, (cplx)(even[i], found));
                else
                    even[i] = found;
            }
        }
        /* Each work-item leaves sums where it has found the ones of the last round, or nothing. */
        if (signals.round + 1 < ROUNDS)
            UNROLL for (uint i = 0; i < CARRIES; i++) {
                const uint p = id + i * GROUP_SIZE;
                if (p < LAP * HOP)
                    carried[p] = summed_sample(samples, signals, TRANSFORMS + p / HOP, p % HOP).sum;
            }
    }
    if (ROUNDS > 1)
        wait_for_group(0);
}
#undef THE_STAGE
