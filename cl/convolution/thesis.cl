/* ladder: convolution of stereo sound by its definition, in the steps of a master's thesis on convolution reverb.
 *
 *     wet[n] = sum over k of ir[k] dry[n - k], one fused multiply-add each, for both channels in one float2
 *
 * Each macro is one optimisation that the thesis measures. They are here to be measured beside each other, and beside
 * registers.cl. Offline the whole signal lies in dry. In real time (RING is 1) dry is a circular buffer, and each
 * launch makes the results of one chunk.
 *
 * A group takes as many taps at a time as it has work-items: a tile. The impulse response is followed by zeros up to
 * a whole tile, and by another tile of them for PREFETCH. Offline as many zeros as it has taps lie before dry, so that
 * no bounds are checked. The products of a tile are added on their own, which keeps the error of long sums small.
 */
#include "prelude.cl"

#ifndef GROUP
#define GROUP 64 /* work-items of a group, and taps of a tile: 64 .. 512 */
#endif
#ifndef TEXTURES
#define TEXTURES 0 /* 1: the impulse response, and offline also dry, is read through an image1d_buffer_t */
#endif
#ifndef LOCAL
#define LOCAL 0 /* 1: a group copies each tile to local memory */
#endif
#ifndef PREFETCH
#define PREFETCH 0 /* 1: the next tile is on its way while one is computed with; needs LOCAL */
#endif
#ifndef UNROLLED
#define UNROLLED 1 /* taps in one turn of the inner loop: 1, 4 or 8 */
#endif
#ifndef OUTER_LOOP
#define OUTER_LOOP 1 /* 1: any number of groups makes all results; 0: a work-item makes one result */
#endif
#ifndef RING
#define RING 0 /* 1: real time */
#endif

#if TEXTURES
#define IR read_only image1d_buffer_t
#define IR_AT(i) read_imagef(ir, i).xy
#else
#define IR global const cplx *
#define IR_AT(i) ir[i]
#endif

#if TEXTURES && !RING
#define DRY read_only image1d_buffer_t
#define DRY_AT(i) read_imagef(dry, i).xy
#else
#define DRY global const cplx *
#define DRY_AT(i) dry[i]
#endif

typedef struct {
    int taps;    /* of the impulse response, a multiple of GROUP */
    int results; /* of a launch, a multiple of GROUP */
    int ring;    /* frames of the circular buffer */
} Lengths;

/* A frame of dry, `back` frames before `at`. */
#if RING
#define FRAME(at, back) DRY_AT((at) - (back) + ((at) < (back) ? lengths->ring : 0))
#else
#define FRAME(at, back) DRY_AT((at) - (back))
#endif

/* dry_start is the place in dry of the frame that belongs to result 0, and wet_start that of result 0. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void ladder(global cplx *wet, DRY dry, IR ir, constant Lengths *lengths, int dry_start, int wet_start)
{
    int item = get_local_id(0);
    (void)item; /* not every rung needs it */
#if LOCAL
    local cplx tile[GROUP];
#define TAP(t, k) tile[k]
#else
#define TAP(t, k) IR_AT((t) + (k))
#endif
#if OUTER_LOOP
    for (int n = get_global_id(0); n < lengths->results; n += get_global_size(0))
#else
    int n = get_global_id(0);
#endif
    {
        cplx all = 0;
        int at = dry_start + n;
#if RING
        at -= at >= lengths->ring ? lengths->ring : 0;
#endif
#if PREFETCH
        cplx next = IR_AT(item);
#endif
        for (int t = 0; t < lengths->taps; t += GROUP) {
#if LOCAL
            barrier(CLK_LOCAL_MEM_FENCE);
#if PREFETCH
            tile[item] = next;
            next = IR_AT(t + GROUP + item);
#else
            tile[item] = IR_AT(t + item);
#endif
            barrier(CLK_LOCAL_MEM_FENCE);
#endif
            cplx some = 0;
            __attribute__((opencl_unroll_hint(UNROLLED))) for (int k = 0; k < GROUP; k++)
                some = fma(TAP(t, k), FRAME(at, t + k), some);
            all += some;
        }
        wet[wet_start + n] = all;
    }
}
