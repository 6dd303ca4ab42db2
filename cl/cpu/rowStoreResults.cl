/* rowStoreResults: a result is a complex number, or two neighbouring real numbers (PACKED).
 *
 *     re re re ... | im im im ...  --->  store_result  --->  dst   re im re im re im ...
 *     collected                    --->  store_result  --->  waiting  --->  finish_row  --->  dst
 */
#if COLLECTED
static INLINE ulong address_of_results(Target target)
{
    return 0; /* of scratch memory */
}

static INLINE void store_result(Target target, uint k, points x HOOK_PARAMETERS)
{
    *(SCRATCH points *)(target.waiting + k * LANES) = interleaved(scaled(x, target.factors));
}

static INLINE void finish_row(Target target, Tables tables HOOK_PARAMETERS)
{
    store_run(target.dst, target.to, (SCRATCH const target_element *)target.waiting, N * TARGET_APART,
              target.stream HOOK_ARGUMENTS);
}
#else
static INLINE ulong address_of_results(Target target)
{
    return (ulong)(target.dst + target.to);
}

/* Result k of each lane: ROWS neighbours in the target. */
static INLINE void store_result(Target target, uint k, points x HOOK_PARAMETERS)
{
    store_vector(target.dst, target.to + k * ROWS * TARGET_APART, 1, interleaved(scaled(x, target.factors)), 0,
                 ROWS * TARGET_APART, target.stream HOOK_ARGUMENTS);
}

static INLINE void finish_row(Target target, Tables tables HOOK_PARAMETERS)
{
}
#endif
