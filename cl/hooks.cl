/* hooks: what a caller adds to the first load and to the last store; nothing by default.
 *
 * pyclfft puts a caller's text in this file's place. It defines LOAD_HOOK(value, index) or
 * STORE_HOOK(value, index), `index` being the element's distance from the array's first one, and
 * HOOK_PARAMETERS, what the kernel takes for them beside its own arguments: a comma before each. A
 * function that uses hooks takes them too, and is given HOOK_ARGUMENTS.
 *
 * A hook may also take the place of the memory access itself: LOAD_FROM and STORE_TO are how kernels
 * reach their arrays. For kernels that define VECTOR_LOADS or VECTOR_STORES, and types for it, it may take
 * vectors of neighbours too: LOAD_VECTOR_HOOK(src, index, offset) and STORE_VECTOR_HOOK(dst, index, value). Where
 * it leaves the access to the kernel, STORE_VECTOR_HOOK(value, index) changes the vectors that are stored.
 */
#define LOAD_HOOK(value, index) (value)
#define LOAD_HOOKED 0   /* 1: there is a hook */
#define LOAD_REPLACED 0 /* 1: it finds the value by itself */
#define LOAD_VECTORS 0  /* 1: also whole vectors */
#define LOAD_FROM(src, place, index) LOAD_HOOK((src)[place], index)
#define STORE_HOOK(value, index) (value)
#define STORE_HOOKED 0
#define STORE_REPLACED 0 /* 1: it leaves the value where it wants to */
#define STORE_VECTORS 0
#define STORE_TO(dst, place, value, index) ((dst)[place] = STORE_HOOK(value, index))
#define HOOK_PARAMETERS
#define HOOK_ARGUMENTS
