/* rowStoreResults: a result is a complex number, or two neighbouring real numbers (PACKED).
 *
 *     re re re ... | im im im ...  --->  store_result  --->  dst   re im re im re im ...
 */
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
