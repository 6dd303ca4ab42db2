/* exchangeParts: points that the work-items of severalAxes.cl keep, and their exchange between two stages.
 *
 * A work-item has SHARE points or fewer: all points of some lines, of which each has as many as the stage's radix.
 */

/* The lines of a stage: how many points each has, and the distance between them. */
typedef struct {
    uint radix, distance;
} Lines;

/* The line of a work-item's point i. */
static INLINE uint line_of(Lines lines, uint i)
{
    return get_local_id(0) + i / lines.radix * ITEMS;
}

/* Whether the work-item has a point i. */
static INLINE int is_kept(Lines lines, uint i)
{
    const uint count = POINTS / lines.radix, rounds = (count + ITEMS - 1) / ITEMS;
    return i < rounds * lines.radix && (count % ITEMS == 0 || i / lines.radix + 1 < rounds || line_of(lines, i) < count);
}

/* The number of the array's element that is point i. */
static INLINE uint element(Lines lines, uint i)
{
    const uint line = line_of(lines, i);
    return line / lines.distance * (lines.radix * lines.distance) + line % lines.distance + i % lines.radix * lines.distance;
}

/* The place of point i. */
static INLINE uint place_of(Lines lines, uint i)
{
    const uint begin = element(lines, i / lines.radix * lines.radix);
    return place(begin, i % lines.radix * lines.distance, lines.radix * lines.distance);
}

static INLINE void exchange(cplx *x, local real *room, Lines from, Lines to)
{
    UNROLL for (int part = 0; part < 2; part++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL for (uint i = 0; i < SHARE; i++)
            if (is_kept(from, i))
                room[place_of(from, i)] = part ? x[i].y : x[i].x;
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL for (uint i = 0; i < SHARE; i++)
            if (is_kept(to, i)) {
                const real number = room[place_of(to, i)];
                x[i] = part ? (cplx)(x[i].x, number) : (cplx)(number, x[i].y);
            }
    }
}

/* Takes the results in the order of the target, in which work-item i has each ITEMS-th one. */
static INLINE void take_results(cplx *x, local real *room, Lines from)
{
    UNROLL for (int part = 0; part < 2; part++) {
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* also between loads and stores in place */
        UNROLL for (uint i = 0; i < SHARE; i++)
            if (is_kept(from, i))
                room[place_of(from, i)] = part ? x[i].y : x[i].x;
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL for (uint i = 0; i < SHARE; i++) {
            const uint number = get_local_id(0) + i * ITEMS;
            if (number < POINTS) {
                const real found = room[place_of_number((Spot){number / EXTENT_2, number % EXTENT_2})];
                x[i] = part ? (cplx)(x[i].x, found) : (cplx)(found, x[i].y);
            }
        }
    }
}
