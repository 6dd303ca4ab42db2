/* fused: two passes of transforms in one launch, the second of which finds the first one's results in cache.
 *
 * Both passes are those of stockham.cl. Where they are two launches, the second one reads from memory
 * what the first one has long written there. Here the work is cut into chunks of whole transforms (or
 * images) that both passes treat alone, and the second pass of a chunk runs soon after the first one
 * of it, while its results are still in the L2 cache.
 *
 * A macro that differs between the passes is defined as BOTH(value in the first, value in the second),
 * which means the one or the other while the function of that pass is compiled.
 *
 * ## Order
 *
 * A work-group draws a ticket and does the tile that it stands for. Tickets stand for, in this order:
 * the first passes of LAG chunks, then by turns the first pass of chunk c + LAG and the second pass
 * of chunk c, at last the second passes of LAG chunks. Each chunk has a counter. A group that has done a tile
 * of its first pass adds one; a group with a tile of its second pass begins by waiting until the
 * counter says that all tiles of the first one are done.
 *
 * No group waits for ever. As LAG >= 1, all tiles of a chunk's first pass have smaller tickets than
 * those of its second pass. So a group waits for groups with smaller tickets only. These have drawn
 * their tickets, and so have begun to run; and being of a first pass they wait for nobody.
 * All that is asked of a device is that a group that has begun goes on while others wait, which a GPU whose
 * groups stay on their multiprocessor until they end does ("occupancy-bound execution" in
 * T. Sorensen et al., "Portable inter-workgroup barrier synchronisation for GPUs", OOPSLA 2016). In which
 * order groups begin, and how many run at once, does not matter. With the group's number for a ticket it would.
 *
 * ## Memory
 *
 * Claim: what a first-pass group P has stored is what a second-pass group Q of the chunk loads. In the
 * words of the memory consistency model of the PTX ISA (chapter "Memory Consistency Model"; D. Lustig,
 * S. Sahasrabuddhe, O. Giroux, "A Formal Analysis of the NVIDIA PTX Memory Consistency Model", ASPLOS
 * 2019):
 * 1. Every work-item of P stores, then comes to the barrier in `done`, after which item 0 counts. Barriers
 *    synchronise within the group, so all these stores precede the count in causality order.
 * 2. The count is red.release.gpu on the counter, a release pattern. Q's item 0 reads it by
 *    ld.acquire.gpu, an acquire pattern. Both are strong and their scopes include each other's
 *    work-items, so they are morally strong. Between them there are only other atomic read-modify-writes of
 *    the counter, at gpu scope too, so P's count precedes Q's read in observation order, whose
 *    definition follows such chains: the release synchronises with the acquire, for each P.
 * 3. The load is followed by a barrier, and that by the loads of Q's work-items: the acquire precedes
 *    them in causality order.
 * Causality order is transitive over 1 to 3 (release and acquire are cumulative), so a load in Q must not
 * return anything older than P's store. There is no race, so both may be plain accesses. That
 * caches of different multiprocessors are not coherent is the concern of the acquire, which drops
 * what the nearest cache holds; nothing is loaded by way of a read-only cache, as the compiler
 * sees that the kernel writes where `middle` points.
 * 4. The other direction, that no store of a second pass changes what a first pass has yet to
 *    load: within a chunk the same order forbids it, as P's loads come before its stores. And chunks
 *    touch nothing of each other: the planner (solvers/fused.py) joins passes only where that is so.
 *
 * ## Counters
 *
 * counters[0] gives tickets, counters[1 + c] belongs to chunk c. All are 0 before and after a launch, and
 * nobody has to clear them: each addition goes back to 0 after the last one that a launch makes.
 * Tickets: a launch draws as many as it has groups. A chunk: every group adds one, of the first
 * pass when it is done, of the second pass when it has ceased to wait. Hence only first-pass groups
 * make the first TILES_1 additions, and a value of TILES_1 or more means that they are all made. The
 * last addition is that of a second-pass group, made when all others have ceased to wait: nobody is left
 * to read the 0. Two launches that share counters must not overlap: they are of the workspace that
 * a call leases, and a call that gets the lease of another one waits for its end.
 */
#ifndef BOTH
#define BOTH(first, second) first
#endif
#include "gpu/numbers.cl"
#include "gpu/counting.cl"

/* --- both passes --------------------------------------------------------------------------------- */

/* What a tile of one pass takes beside its source, its target and its memory; as in stockham.cl. */
#define TILE_PARAMETERS(s)                                                                         \
    global const cplx *twiddles##s, global const cplx *roots##s, uint count##s, uint4 extents##s,  \
        ulong4 src_distances##s, ulong4 dst_distances##s, ulong2 src_axis##s, ulong2 dst_axis##s,  \
        cplx scale##s, uint flags##s
#define TILE_ARGUMENTS(s)                                                                          \
    twiddles##s, roots##s, count##s, extents##s, src_distances##s, dst_distances##s, src_axis##s,  \
        dst_axis##s, scale##s, flags##s

#undef BOTH
#define BOTH(first, second) first
#define PASS 1
    #include "gpu/tile.cl"
enum { FIRST_ROOM = (ROOM_OF_GROUP + SPLIT) >> SPLIT };
#undef PASS

#undef BOTH
#define BOTH(first, second) second
#define PASS 2
    #include "gpu/tile.cl"
enum { SECOND_ROOM = (ROOM_OF_GROUP + SPLIT) >> SPLIT };

#define TILES_1 chunks.s2
#define TILES_2 chunks.s3

/* `chunks`: how many, by how many the first pass is ahead (LAG), and tiles of each in both passes. The
 * last chunk may have fewer transforms: tiles without any count as done, too. */
kernel __attribute__((reqd_work_group_size(ITEMS *TRANSFORMS, 1, 1)))
void fused(global const cplx *src, global cplx *middle, global cplx *dst, global uint *counters,
           uint4 chunks, TILE_PARAMETERS(_1), TILE_PARAMETERS(_2)
#if DELAY
           , uint seed
#endif
)
{
    local cplx room[FIRST_ROOM > SECOND_ROOM ? FIRST_ROOM : SECOND_ROOM];
    local uint drawn[1]; /* an array, as clang takes a scalar for a work-item's own */

    /* The order of tickets: `ahead` of a first pass, turns of one chunk of each, the rest of a second. */
    const uint turn = TILES_1 + TILES_2, ahead = chunks.s1 * TILES_1;
    const uint turns = (chunks.s0 - chunks.s1) * turn;
    if (get_local_id(0) == 0)
        drawn[0] = draw(counters, chunks.s0 * turn - 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint ticket = drawn[0];
    uint is_first, tile;
    if (ticket < ahead) {
        is_first = 1;
        tile = ticket;
    } else if (ticket - ahead < turns) {
        uint chunk = (ticket - ahead) / turn, place = (ticket - ahead) % turn;
        is_first = place < TILES_1;
        tile = is_first ? ahead + chunk * TILES_1 + place : chunk * TILES_2 + place - TILES_1;
    } else {
        is_first = 0;
        tile = (chunks.s0 - chunks.s1) * TILES_2 + (ticket - ahead - turns);
    }
    global uint *counter = counters + 1 + tile / (is_first ? TILES_1 : TILES_2);

    if (is_first) {
        PAUSE_WARP(ticket, seed, 0)
        tile_1(tile, src, middle, room, TILE_ARGUMENTS(_1));
        PAUSE_WARP(ticket, seed, 1)
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (get_local_id(0) == 0) {
            PAUSE(ticket, seed, 2)
            count_release(counter, turn - 1);
        }
    } else {
        if (get_local_id(0) == 0) {
            PAUSE(ticket, seed, 3)
            while (read_acquire(counter) < TILES_1) {
                IDLE
            }
            count_relaxed(counter, turn - 1);
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        PAUSE_WARP(ticket, seed, 4)
        tile_2(tile, middle, dst, room, TILE_ARGUMENTS(_2));
    }
}
