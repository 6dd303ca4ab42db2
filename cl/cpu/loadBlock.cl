/* loadBlock: from the source to the first stage.
 *
 *     src  --->  gather: all points to scratch memory  --->  take_point: from there          --->  the first stage
 *     src  --------------------------------------------->  take_point: as the stage goes on  --->  the first stage
 *
 * The file that fits the source says what a point is made of.
 */
#include "cpu/loadLines.cl"

#define LOADS_FIRST (!FROM_ROWS && SOURCE != HERMITIAN && !SPECTRUM && !REAL_RADIX)

#if LOADS_FIRST
    #include "cpu/loadFirst.cl"
#else
static INLINE points take_point(SCRATCH const points *block, uint i, int is_first, Source from,
                                Target to HOOK_PARAMETERS)
{
    return block[i];
}
#endif

#if REAL_RADIX && SOURCE == REAL
    #include "cpu/gatherNumbers.cl"
#elif REAL_RADIX
    #include "cpu/gatherKept.cl"
#elif SOURCE == HERMITIAN && PACKED
    #include "cpu/gatherPackedHalf.cl"
#elif SOURCE == HERMITIAN
    #include "cpu/gatherHalf.cl"
#else
    #include "cpu/gatherPoints.cl"
#endif
