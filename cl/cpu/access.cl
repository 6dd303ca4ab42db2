/* access: vectors of neighbouring elements from memory and back, for one work-item of a CPU.
 *
 * The file that includes this one says before what a vector holds: source_element and
 * source_vector, target_element and target_vector. Where fewer elements exist than a vector has, and
 * where a caller's hooks want to see each, they are taken one by one. Places are counted from an array's
 * first element. KNOWN_PARTS: vectors of which a part is stored all have the same part.
 */
#ifndef LANES /* nobody includes this file */
#include "cpu/share.cl"
typedef cplx source_element, target_element;
typedef points source_vector, target_vector;
#endif

#ifndef STREAM
#define STREAM 0 /* 1: results go past the caches to memory, unless they replace the source; 2: anyway */
#endif
#ifndef PREFETCH
#define PREFETCH 0 /* 1: points are fetched into the cache some time before they are needed */
#endif

#ifndef BACK
#define BACK 0 /* 1: the launch transforms there and back, and the store hook changes the results in between */
#endif

#define SOURCE_STEP (sizeof(source_vector) / sizeof(source_element))
#define TARGET_STEP (sizeof(target_vector) / sizeof(target_element))
#define LINE_BYTES 64 /* of a line of a CPU's caches */
#define TARGET_LINE (LINE_BYTES / sizeof(target_element))

/* At any address: not that of a whole vector. */
typedef source_vector loose_source __attribute__((aligned(4 << DOUBLE)));
typedef target_vector loose_target __attribute__((aligned(4 << DOUBLE)));
#define VECTOR_LOADS 1
#define VECTOR_STORES 1
#include "hooks.cl"
#if BACK
    #include "cpu/thereAndBack.cl"
#endif
#define LOADED_ONE_BY_ONE (LOAD_HOOKED > LOAD_VECTORS)
#define STORED_ONE_BY_ONE (STORE_HOOKED > STORE_VECTORS)

/* Elements one by one: in a loop, or the code would be long; but not where the compiler knows which. */
#if KNOWN_PARTS && !STORE_HOOKED
#define EACH_STORED UNROLL for
#else
#define EACH_STORED LOOP
#endif

/* What remains of `all` behind `before`: nothing if it is less. */
static INLINE uint remaining(uint all, uint before)
{
    return all > before ? all - before : 0;
}

static INLINE source_element load_element(global const source_element *src, ulong at HOOK_PARAMETERS)
{
    return LOAD_FROM(src, at, at);
}

static INLINE void store_element(global target_element *dst, ulong at,
                                 target_element value HOOK_PARAMETERS)
{
    STORE_TO(dst, at, value, at);
}

/* The elements from a place on, `apart` from each other, of which `count` exist: the others are zero. Whole vectors are
 * volatile, which keeps a compiler from loading them in another order than that of the text. A CPU follows loads in
 * ascending order by fetching what comes next: with Intel's runtime and AVX-512, rows that come from memory take 5 to
 * 20 % less time in this order. */
static INLINE source_vector load_vector(global const source_element *src, ulong at, ulong apart,
                                        uint count HOOK_PARAMETERS)
{
    if (!LOADED_ONE_BY_ONE && count >= SOURCE_STEP && apart == 1)
#if LOAD_VECTORS
        return LOAD_VECTOR_HOOK(src, at, 0);
#else
        return *(volatile global const loose_source *)(src + at);
#endif
    source_vector v = 0;
    LOOP(uint i = 0; i < SOURCE_STEP; i++)
        if (i < count)
            ((source_element *)&v)[i] = load_element(src, at + i * apart HOOK_ARGUMENTS);
    return v;
}

/* Whether results go past the caches. Only whole lines can do so quickly: vectors have to be lines, and `addresses` a
 * multiple of one. A CPU with AVX2 would also store half a line past the caches, and take three times as long. */
static INLINE int streams(global const source_element *src, global target_element *dst, ulong addresses)
{
    const int replaced = (global const void *)src == (global const void *)dst;
    const ulong beside_lines = addresses % LINE_BYTES + sizeof(target_vector) % LINE_BYTES;
    return STREAM > replaced && beside_lines == 0;
}

/* Elements of a vector from `begin` on, up to `end` or all it has, `apart` from each other; `stream` where it
 * begins as vectors do.
 * Those before are stored already: the same once more does no harm, but to hooks and to what has gone past the
 * caches, which would have to come back. */
static INLINE void store_vector(global target_element *dst, ulong at, ulong apart, target_vector v,
                                uint begin, uint end, int stream HOOK_PARAMETERS)
{
#if STORE_VECTORS && STORE_REPLACED
    if (end >= TARGET_STEP && apart == 1) {
        STORE_VECTOR_HOOK(dst, at, v);
        return;
    }
#elif STORE_VECTORS
    if (end >= TARGET_STEP && apart == 1)
        v = STORE_VECTOR_HOOK(v, at);
#endif
    if (STORED_ONE_BY_ONE || end < TARGET_STEP || apart != 1) {
        EACH_STORED(uint i = 0; i < TARGET_STEP; i++)
            if (i >= begin && i < end)
                store_element(dst, at + i * apart, ((target_element *)&v)[i] HOOK_ARGUMENTS);
        return;
    }
#if STREAM
    if (stream) {
        global reals *to = (global reals *)(dst + at); /* one each, or not all compilers heed it */
        UNROLL for (uint part = 0; part < sizeof(v) / sizeof(reals); part++)
            if ((part + 1) * sizeof(reals) / sizeof(target_element) > begin)
                __builtin_nontemporal_store(((reals *)&v)[part], to + part);
        return;
    }
#endif
    *(global loose_target *)(dst + at) = v;
}

/* Neighbours from scratch memory; with `stream` past the caches, but for those before the first and behind the
 * last whole line. */
static INLINE void store_run(global target_element *dst, ulong at, SCRATCH const target_element *from,
                             uint count, int stream HOOK_PARAMETERS)
{
    uint i = 0;
    if (stream)
        LOOP(; i < count && (ulong)(dst + at + i) % LINE_BYTES; i++)
            store_element(dst, at + i, from[i] HOOK_ARGUMENTS);
    if (!STORED_ONE_BY_ONE)
        LOOP(; i + TARGET_STEP <= count; i += TARGET_STEP)
            store_vector(dst, at + i, 1, *(SCRATCH const loose_target *)(from + i), 0, TARGET_STEP,
                         stream HOOK_ARGUMENTS);
    LOOP(; i < count; i++)
        store_element(dst, at + i, from[i] HOOK_ARGUMENTS);
}

static INLINE void fetch(global const source_element *from)
{
#if PREFETCH
    UNROLL for (uint line = 0; line < sizeof(source_vector) / TOGETHER; line += 64)
        __builtin_prefetch((global const char *)from + line);
#endif
}

/* The same for what will be written, unless it goes past the caches; vectors may begin within a line. */
static INLINE void claim(global const target_element *to, int stream)
{
#if PREFETCH
    if (!stream)
        UNROLL for (uint line = 0; line <= sizeof(target_vector); line += 64)
            __builtin_prefetch((global const char *)to + min(line, (uint)sizeof(target_vector) - 1), 1);
#endif
}

static INLINE void claim_row(global const target_element *to, uint count, int stream)
{
    if (!stream)
        LOOP(uint i = 0; i < count; i += TARGET_STEP)
            claim(to + i, stream);
}
