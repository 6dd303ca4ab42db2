/* hooks: what a caller adds to the first load and to the last store; nothing by default.
 *
 * pyclfft puts a caller's text in this file's place. It defines LOAD_HOOK(value, index) or
 * STORE_HOOK(value, index), `index` being the element's distance from the array's first one, and
 * HOOK_PARAMETERS, what the kernel takes for them beside its own arguments: a comma before each. A
 * function that uses hooks takes them too, and is given HOOK_ARGUMENTS.
 */
#define LOAD_HOOK(value, index) (value)
#define LOAD_HOOKED 0 /* 1: there is a hook */
#define STORE_HOOK(value, index) (value)
#define STORE_HOOKED 0
#define HOOK_PARAMETERS
#define HOOK_ARGUMENTS
