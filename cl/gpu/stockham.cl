/* stockham: transforms of N points in one launch, one work-group for TRANSFORMS of them.
 *
 *     src  --->  load  --->  stage 1  --->  stage 2  --->  ...  --->  store  --->  dst
 *
 * RADICES are the radices of the stages. Points are loaded, and results are stored, in natural order, so that no bits
 * are reversed. The target may be the source if both have the same distances.
 *
 * With SPECTRUM the group transforms forward, multiplies by a spectrum and transforms back, with RADICES_BACK: a
 * cyclic convolution, as Bluestein's algorithm needs. The first stage back takes the points that the last stage leaves, so
 * that nothing is exchanged between both. Stages back have twiddles of their own, even where these are the same: to share
 * them made 4099 points a fifth slower on an H200.
 *
 * References: L. I. Bluestein, "A linear filtering approach to the computation of discrete Fourier transform",
 * IEEE Trans. Audio Electroacoustics AU-18 (1970).
 */
#include "gpu/numbers.cl"

#define PASS 1
#define BATCH_AGAIN(batch) batch_of_group((batch).count, (batch).extents, (batch).lone, (batch).flags)
    #include "gpu/pass.cl"

#if SPECTRUM
/* The product with the spectrum, turned, which the stages back transform. */
static INLINE void convolve(cplx *x, Worker me, whole column, global const cplx *spectrum)
{
    const Group group = THE_GROUP;
    const Stage stage = {MIDDLE_RADIX, N / MIDDLE_RADIX, 0};
    UNROLL for (uint b = 0; b < BUTTERFLIES(MIDDLE_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, me.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < MIDDLE_RADIX; r++) {
                const uint i = of.b + r * of.many, k = of.j + r * (N / MIDDLE_RADIX);
                x[i] = turn(cmul(x[i], spectrum[column * N + k]));
            }
    }
}
#endif

#define ALONE (FIRST_RADIX == N && !PACKED && !SEPARATED && !SPECTRUM && !SHARED_ROWS) /* work-items exchange nothing */

#define HAS_ROOTS (TWIST || PACKED || (COSINE_ROWS && !DCT_ODD))

kernel __attribute__((reqd_work_group_size(ITEMS *TRANSFORMS, 1, 1)))
void stockham(global const source_element *src, global target_element *dst, global const cplx *twiddles,
#if HAS_ROOTS
              global const cplx *roots,
#endif
#if CHIRP_FIRST || CHIRP_LAST
              global const cplx *chirp,
#endif
#if SPECTRUM
              global const cplx *spectrum,
#endif
              uint count, uint4 extents, ulong4 src_distances, ulong4 dst_distances, ulong2 src_axis,
              ulong2 dst_axis, ulong2 partner, uint lone, cplx scale, uint flags
#if HOP
              , global const real *dual, ulong4 signals
#endif
#if MEETS
              , global uint *counters
#endif
#if MEETS && DELAY
              , uint seed
#endif
              HOOK_PARAMETERS)
{
#if !HAS_ROOTS
    global const cplx *roots = 0;
#endif
#if !CHIRP_FIRST && !CHIRP_LAST
    global const cplx *chirp = 0;
#endif
    local cplx room[ROOM_OF_POINTS + MEETS];
    cplx x[ELEMENTS];
    const Group group = THE_GROUP;
    const Batch batch = batch_of_group(count, extents, lone, flags);
    const Axis source = SOURCE_AXIS(src_distances, src_axis, partner.x);
    const Axis target = TARGET_AXIS(dst_distances, dst_axis, partner.y);
    Worker me = worker(group, LOAD_COLUMNS), last = worker(group, STORE_COLUMNS);
    if (PARTS_APART) /* each of both has a row of its own, of real numbers */
        me.item = 0, last.item = 0;
    Tables tables = {twiddles, chirp, {TWIST, DIGITS, roots}};
#if HOP
    tables.signals = (Signals){dual, signals.x, signals.y, signals.z, signals.w};
#endif
#if MEETS
    tables.counters = counters;
#endif
#if MEETS && DELAY
    tables.seed = seed;
#endif
    if (ALONE && batch.first + me.lane >= batch.count)
        return;

    const whole column = load_1(x, src, batch, source, me, tables, room HOOK_ARGUMENTS);
    (void)column; /* which a convolution needs */
    there_1(x, room, me, SPECTRUM ? me : last, tables.twiddles);
#if SPECTRUM
    wait_for_group(MIDDLE_RADIX == N); /* if nothing is exchanged: between loads and stores in place */
    convolve(x, me, column, spectrum);
    tables.twiddles += N - 1;
    back_1(x, room, me, last, tables.twiddles);
#endif
    store_1(x, dst, batch, target, last, tables, room, scale HOOK_ARGUMENTS);
}
