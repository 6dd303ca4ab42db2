/* counting: counters in global memory, by which the work-groups of a launch wait for each other.
 *
 * A function adds one to a counter, or reads it. If the counter is `most`, an addition makes it 0. fused.cl and
 * storeFrames.cl say why no group waits for ever, and why a group that has waited loads what the other one has stored. The
 * macros PAUSE and PAUSE_WARP idle, for tests.
 */
#ifndef PTX
#define PTX 0 /* 1: the device compiles inline PTX for compute capability 7.0 or newer */
#endif
#ifndef DELAY
#define DELAY 0 /* for tests: up to so many steps of idling at random, at all points that matter */
#endif

#if PTX
static INLINE uint draw(global uint *counter, uint most)
{
    uint ticket;
    asm volatile("atom.relaxed.gpu.global.inc.u32 %0, [%1], %2;"
                 : "=r"(ticket)
                 : "l"(counter), "r"(most)
                 : "memory");
    return ticket;
}
static INLINE void count_relaxed(global uint *counter, uint most)
{
    asm volatile("red.relaxed.gpu.global.inc.u32 [%0], %1;" : : "l"(counter), "r"(most) : "memory");
}
static INLINE void count_release(global uint *counter, uint most)
{
    asm volatile("red.release.gpu.global.inc.u32 [%0], %1;" : : "l"(counter), "r"(most) : "memory");
}
static INLINE uint read_acquire(global uint *counter)
{
    uint value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
    return value;
}
#define IDLE asm volatile("nanosleep.u32 50;");
#else
/* OpenCL 1.2 promises nothing between groups, so this is for tests: on CPUs a fence is what it takes. */
static INLINE uint draw(global uint *counter, uint most)
{
    uint ticket = atomic_inc(counter);
    if (ticket == most) /* the last one: nobody else draws */
        atomic_xchg(counter, 0u);
    return ticket;
}
static INLINE void count_relaxed(global uint *counter, uint most)
{
    draw(counter, most);
}
static INLINE void count_release(global uint *counter, uint most)
{
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    draw(counter, most);
}
static INLINE uint read_acquire(global uint *counter)
{
    uint value = atomic_add(counter, 0u);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    return value;
}
#define IDLE
#endif

#if DELAY
/* Idles in one of four cases, else not at all. Where warps and groups are sent different ways, an order that
 * is not enforced breaks. */
static INLINE void delay(uint group, uint launch, uint place)
{
    uint hash = group * 0x9e3779b9u + launch * 0x85ebca6bu + place * 0xc2b2ae35u;
    hash ^= hash >> 15;
    hash *= 0x2c1b3c6du;
    hash ^= hash >> 12;
    hash *= 0x297a2d39u;
    hash ^= hash >> 15;
    volatile uint steps = hash % 4 ? 0 : (hash >> 2) % DELAY;
    while (steps) {
        IDLE /* NVIDIA's assembler removes a loop that only counts, even if its variable is volatile. */
        steps--;
    }
}
#define PAUSE(group, launch, place) delay(group, launch, place);
#define PAUSE_WARP(group, launch, place) delay(group, launch, (place) + 8 * (1 + get_local_id(0) / 32));
#else
#define PAUSE(group, launch, place)
#define PAUSE_WARP(group, launch, place)
#endif
