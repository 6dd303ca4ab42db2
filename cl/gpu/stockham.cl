/* stockham: transforms of N points in one launch, one work-group for TRANSFORMS of them.
 *
 * stages.cl says how they are transformed, ends.cl where they lie, realStage.cl what becomes of real rows of odd
 * lengths. STAGES is what a group does, word by
 * word. The first stage loads from global memory and the last one stores to it, both in natural
 * order, so that there is no bit reversal. The target may be the source where both have the same
 * distances.
 *
 * With SPECTRUM the group transforms forward, multiplies by a spectrum (CONVOLVE), and transforms back: a
 * cyclic convolution, as Bluestein's algorithm needs. The points that the last stage leaves are those
 * that the first stage back takes, so that nothing is exchanged between both. Stages back have twiddles
 * of their own, even where they are the same: to share them made 4099 points a fifth slower on an H200.
 */
#include "gpu/realStage.cl"

#ifndef STAGES
/* LOAD(radix) FFT(radix, 1) NEXT(radix before, radix, span) ... LAST(radix before, radix, span)
 * STORE(radix), or ONLY(radix); the span is the product of the radices before. With a REAL_RADIX, of which KEPT
 * takes the place, REAL_FIRST(radix) is at the beginning, or REAL_LAST(radix before, KEPT, span) at the end. */
#define STAGES LOAD(4) FFT(4, 1) LAST(4, 4, 4) STORE(4)
#endif
#ifndef SPECTRUM
#define SPECTRUM 0 /* 1: STAGES has a CONVOLVE */
#endif

#define ONLY(R)                                                                                    \
    if (SEPARATED || PACKED || FIRST_OF_GROUP + lane < count) {                                    \
        LOAD(R) FFT(R, 1) STORE(R)                                                                 \
    }
#define CONVOLVE(R)                                                                                \
    barrier(FENCE(R, N)); /* where nothing is exchanged, between loads and stores in place */      \
    EACH_POINT(R, N / R, item,                                                                     \
               uint k = j + r * (N / R);                                                           \
               POINT(b, r, R) = TURN(cmul(POINT(b, r, R), spectrum[from.column * N + k]));)        \
    twiddles += N - 1;

kernel __attribute__((reqd_work_group_size(ITEMS *TRANSFORMS, 1, 1)))
void stockham(global const source_element *src, global target_element *dst,
              global const cplx *twiddles,
#if TWIST || PACKED
              global const cplx *roots,
#endif
#if CHIRP_FIRST || CHIRP_LAST
              global const cplx *chirp,
#endif
#if SPECTRUM
              global const cplx *spectrum,
#endif
              uint count, uint4 extents, ulong4 src_distances, ulong4 dst_distances,
              ulong2 src_axis, ulong2 dst_axis, ulong2 partner, uint lone, cplx scale,
              uint flags HOOK_PARAMETERS)
{
    local EXCHANGED exchange[LOAD_COLUMNS ? ROOM * PITCH : ROOM * TRANSFORMS];
#if HALVES
    EXCHANGED held[ELEMENTS / 2];
#endif
#if !TWIST && !PACKED
    global const cplx *roots = 0; /* never read */
#endif
    cplx x[ELEMENTS];
    uint lane = LANE(LOAD_COLUMNS), item = ITEM(LOAD_COLUMNS);
    uint last_lane = LANE(STORE_COLUMNS), last_item = ITEM(STORE_COLUMNS);
    (void)exchange, (void)last_item, (void)roots; /* not every transform needs them */
    STAGES
}
