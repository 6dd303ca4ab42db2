/* smallStages: the stages of small.cl, for any length. The number of points and the radices are arguments.
 *
 *     from   RADIX x `below` x `before` points  --->  codelets, twiddles  --->  `below` x RADIX x `before` points   to
 *
 * Each stage goes from one area of scratch memory to the other one and leaves its results so that those of the last
 * stage are in natural order (Stockham's algorithm). Radices are 2, 3, 4, 5, 7, 11 and 13.
 */
#define RADIX 2
    #include "cpu/anyRadix.cl"
#define RADIX 3
    #include "cpu/anyRadix.cl"
#define RADIX 4
    #include "cpu/anyRadix.cl"
#define RADIX 5
    #include "cpu/anyRadix.cl"
#include "cpu/anyPrime.cl"

static INLINE void any_stage(uint radix, SCRATCH const points *from, SCRATCH points *to, uint before, uint below,
                             global const cplx *twiddles)
{
    switch (radix) {
    case 2: stage_2(from, to, before, below, twiddles); break;
    case 3: stage_3(from, to, before, below, twiddles); break;
    case 4: stage_4(from, to, before, below, twiddles); break;
    case 5: stage_5(from, to, before, below, twiddles); break;
    default: stage_prime(radix, from, to, before, below, twiddles);
    }
}
