/* rowStoreBoth: half of the lanes have results of one row, and the others those of another.
 *
 *                                                                                        / row        re im re im ...
 *     re re ... of the row, re re ... of the other | im im ...  --->  store_result  --->
 *                                                                                        \ other row  re im re im ...
 */
typedef real loose_quarter __attribute__((ext_vector_type(SIDE), aligned(4 << DOUBLE)));

static INLINE ulong address_of_results(Target target)
{
    return (ulong)(target.dst + target.to) | (ulong)(target.dst + target.other_to);
}

/* The two ways store different pieces, because compilers would take them for one. */
static INLINE void store_side(global cplx *to, reals z, int stream)
{
    if (STREAM && stream)
        __builtin_nontemporal_store(z, (global reals *)to);
    else {
        ((global loose_quarter *)to)[0] = z.lo;
        ((global loose_quarter *)to)[1] = z.hi;
    }
}

static INLINE void store_result(Target target, uint k, points x HOOK_PARAMETERS)
{
    const points z = interleaved(scaled(x, target.factors));
    store_side(target.dst + target.to + k * ROWS, z.lo, target.stream);
    store_side(target.dst + target.other_to + k * ROWS, z.hi, target.stream);
}

static INLINE void finish_row(Target target, Tables tables HOOK_PARAMETERS)
{
}
