/* multiplyAdd: multiplies and adds in registers, to measure how fast a device can do that.
 *
 * Each work-item adds up CHAINS sums side by side. The next addition to a sum waits for the one before, so there must
 * be more chains than a fused multiply-add takes cycles, times those that begin in each cycle. Nothing is loaded or
 * stored in the loop.
 */
#include "prelude.cl"
#include "vectors.cl"

#ifndef CHAINS
#define CHAINS 12 /* sums of a work-item: 10 .. 14 where there are 16 registers */
#endif
#ifndef WIDTH
#define WIDTH 4 /* numbers in a vector: 4, 8 or 16 on CPUs; 1 on GPUs */
#endif
#if WIDTH == 1
typedef real vector;
#else
typedef real vector __attribute__((ext_vector_type(WIDTH)));
#endif

/* sums[i] = factor sums[i] + step, `turns` times, in each chain. The result goes to memory, so that no compiler leaves
 * the work out. */
kernel WIDE void multiply_add(global real *result, real factor, real step, uint turns)
{
    vector sums[CHAINS];
    UNROLL for (int i = 0; i < CHAINS; i++)
        sums[i] = (vector)(CONST(1.0) * i);
    for (uint turn = 0; turn < turns; turn++) {
        UNROLL for (int i = 0; i < CHAINS; i++)
            sums[i] = fma((vector)(factor), sums[i], (vector)(step));
    }
    vector all = 0;
    UNROLL for (int i = 0; i < CHAINS; i++)
        all += sums[i];
#if WIDTH == 1
    result[get_global_id(0)] = all;
#else
    for (int lane = 0; lane < WIDTH; lane++)
        result[get_global_id(0) * WIDTH + lane] = all[lane];
#endif
}
