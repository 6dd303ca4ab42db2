/* thereAndBack: the store hook between a transform and the transform back, which are one launch of cols.cl.
 *
 *     all stages  --->  result k of each lane  --->  the store hook  --->  all stages back  --->  dst
 *
 * The hook knows a result by the place in the target where a launch that only transforms there would store it. What this
 * launch stores is no such result any more, so the macros of hooks.cl say from here on that there is no store hook.
 */

/* The elements of a vector from place `at` on, `apart` from each other, as the hook changes them; `count` of them exist. */
static INLINE target_vector changed(target_vector v, ulong at, ulong apart, uint count HOOK_PARAMETERS)
{
#if STORE_VECTORS
    if (count >= TARGET_STEP && apart == 1)
        return STORE_VECTOR_HOOK(v, at);
#endif
    LOOP(uint i = 0; i < TARGET_STEP; i++)
        if (i < count)
            ((target_element *)&v)[i] = STORE_HOOK(((target_element *)&v)[i], at + i * apart);
    return v;
}

#undef STORE_HOOKED
#undef STORE_VECTORS
#undef STORE_TO
#define STORE_HOOKED 0
#define STORE_VECTORS 0
#define STORE_TO(dst, place, value, index) ((dst)[place] = (value))
