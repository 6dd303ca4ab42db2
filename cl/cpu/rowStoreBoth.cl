/* rowStoreBoth: half of the lanes have results of one row, and the others those of another.
 *
 *                                                                                    +->  row        re im re im ...
 *     re re ... of the row, re re ... of the other | im im ...  --->  store_result  -+
 *                                                                                    +->  other row  re im re im ...
 */
typedef real loose_quarter __attribute__((ext_vector_type(SIDE), aligned(4 << DOUBLE)));

static INLINE ulong address_of_results(Target target)
{
    return (ulong)(target.dst + target.to) | (ulong)(target.dst + target.other_to);
}

/* The two ways store different pieces, because compilers would take them for one. */
static INLINE void store_both(global cplx *one, global cplx *other, points z, int stream)
{
    if (STREAM && stream) {
        __builtin_nontemporal_store(z.lo, (global reals *)one);
        __builtin_nontemporal_store(z.hi, (global reals *)other);
        return;
    }
    UNROLL for (uint i = 0; i < 2; i++) {
        ((global loose_quarter *)one)[i] = i ? z.lo.hi : z.lo.lo;
        ((global loose_quarter *)other)[i] = i ? z.hi.hi : z.hi.lo;
    }
}

static INLINE void store_result(Target target, uint k, points x HOOK_PARAMETERS)
{
    global cplx *results = target.dst + k * ROWS;
    store_both(results + target.to, results + target.other_to, interleaved(scaled(x, target.factors)), target.stream);
}

static INLINE void finish_row(Target target, Tables tables HOOK_PARAMETERS)
{
}
