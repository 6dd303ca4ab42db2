/* storeFrames: the samples of signals, from overlapping frames, whose rows a group has transformed back.
 *
 *     x[]  --->  frames in local memory  --->  weighted sums of samples  --->  dst
 *
 * Each frame has 2 N samples, and begins 2 HOP samples behind the frame before. A group of TRANSFORMS frames stores
 * TRANSFORMS - LAP stretches of 2 HOP samples, because it has all frames that hold these samples. overlapAdd.cl says what
 * the samples of a signal are. Local memory holds the even samples of all frames first, which are the real parts of points,
 * and then the odd ones.
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

#define STRETCHES (TRANSFORMS - LAP)
#define SUMS ((STRETCHES * HOP + GROUP_SIZE - 1) / GROUP_SIZE) /* pairs of samples of a work-item, at most */
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

/* Sample 2 p + odd of the group, of which local memory has the frames' samples with the same parity. The group's first frame
 * is number `first` of its signal, which has so many frames. */
static INLINE real summed_sample(local const real *room, Signals signals, uint first, uint frames, uint p, uint odd)
{
    const uint stretch = p / (HOP + !HOP), point = p % (HOP + !HOP);
    real sum = 0, weight = 0;
    UNROLL for (uint lap = 0; lap <= LAP; lap++) { /* the oldest frame first */
        const uint at = point + (LAP - lap) * HOP, lane = stretch + lap;
        if (at < N && first + lane < frames) {
            const real w = WEIGHTED ? signals.window[2 * at + odd] : 1;
            sum += w * room[lane * N + at];
            weight += w * w;
        }
    }
    const real normal = as_real((bits)1 << (DOUBLE ? 52 : 23)); /* the smallest normal number */
    return weight > normal ? sum / weight : sum;
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
    const uint frames = batch.extents.s0, row = batch.count - frames, first = batch.first - row;
    IN_PASS(invert_and_scale_)(x, last, batch.flags, scale);
    global real *target = dst + tables.signals.start + row / frames * tables.signals.pitch;
    UNROLL for (uint odd = 0; odd < 2; odd++) {
        wait_for_group(0);
        leave_samples(x, room, odd ? IMAGINARY_PART : REAL_PART, last);
        wait_for_group(0);
        UNROLL for (uint i = 0; i < SUMS; i++) {
            const uint p = id + i * GROUP_SIZE;
            if (p < STRETCHES * HOP) {
                const real found = summed_sample((local const real *)room, tables.signals, first, frames, p, odd);
                if (odd)
                    store_pair(target, tables.signals, ((ulong)(first + LAP) * HOP + p) * 2, (cplx)(even[i], found));
                else
                    even[i] = found;
            }
        }
    }
}
#undef THE_STAGE
