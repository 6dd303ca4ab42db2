/* storeBlock: from the last stage to the target.
 *
 *     the last stage  --->  store_result: to dst as the stage goes on
 *     the last stage  --->  store_result: to scratch memory  --->  scatter: all results to dst
 *
 * Results wait where rows are transposed, where the target is half a spectrum, and in a convolution with a table.
 */
#include "cpu/storeLines.cl"

#if STORES_LAST
    #include "cpu/storeLast.cl"
#elif REAL_RADIX && TARGET == REAL
    #include "cpu/scatterNumbers.cl"
#else
    #include "cpu/storeWaiting.cl"
#endif
