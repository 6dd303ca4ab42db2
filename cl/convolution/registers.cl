/* registers: convolution along one axis by its definition, as fast as the device multiplies and adds.
 *
 * wet[n] = sum over k of ir[k] dry[n - k]: each work-item keeps the sums of many neighbouring results in registers, so
 * that every number that it loads serves many of them. It owns OUTPUTS vectors of WIDTH neighbours and takes
 * TAPS * WIDTH taps at a time. Result v * WIDTH + lane meets tap u * WIDTH + k at
 *
 *     dry[(v - u) * WIDTH + lane - k + what depends on the work-item],
 *
 * so that for each k the products of all OUTPUTS * TAPS pairs (v, u) need only the OUTPUTS + TAPS - 1 vectors of
 * different v - u. On a CPU a vector is one of the processor's, and a group is one work-item. On a GPU WIDTH is 1.
 *
 * A group copies a tile of TILE taps, and the part of dry that meets it, to local memory. The products of a tile are
 * added on their own, and then the sums of the tiles in the order of their taps, which keeps the error of long sums
 * small and makes it the same however the work is divided. Tiles that lie outside dry are skipped. In tiles of which
 * a part lies outside, products that do not exist are left out, rather than being 0: infinity and NaN go only into
 * results that they belong to.
 *
 * If few groups would have all the work, each tile is a group's own. Then convolve_tile stores the sums of tiles, and
 * add_tiles adds them, in the same order.
 *
 * Complex numbers are pairs of real ones. Where both arrays are complex (PRODUCT is COMPLEX), each part of a result is
 * the sum of two real convolutions; in other cases complex arrays are real ones with another dimension.
 *
 * Reference: S. Chellappa, F. Franchetti, M. Pueschel, "How to write fast numerical code", GTTSE 2007, for register
 * blocking.
 */
#include "prelude.cl"
#include "vectors.cl"

#ifndef GROUP
#define GROUP 128 /* work-items: 1 on CPUs, 32 .. 256 on GPUs */
#endif
#ifndef WIDTH
#define WIDTH 1 /* numbers in a vector: 4, 8 or 16 on CPUs; 1 on GPUs */
#endif
#ifndef OUTPUTS
#define OUTPUTS 8 /* vectors of results of a work-item: 8 .. 16 */
#endif
#ifndef TAPS
#define TAPS 8 /* vectors of taps at a time: 2 on CPUs; on GPUs a multiple of OUTPUTS */
#endif
#ifndef TILE
#define TILE 1024 /* taps whose products are added on their own: a multiple of TAPS * WIDTH */
#endif
#ifndef PRODUCT
#define PRODUCT REAL /* COMPLEX: both arrays are complex */
#endif
#ifndef CONJUGATED
#define CONJUGATED 0 /* of a complex product: 1: dry is conjugated; 2: ir is; of a real one: 1: odd rows get the other sign */
#endif
#ifndef DIMENSIONS
#define DIMENSIONS 1 /* of the batch */
#endif
#ifndef ADDS
#define ADDS 0 /* 1: sums are added to what wet holds; 0: they replace it */
#endif
#if DOUBLE
typedef long index; /* as wide as a real */
#else
typedef int index;
#endif

#if WIDTH == 1
typedef real vector, loose;
typedef index lanes;
#define LANES 0
#else
typedef real vector __attribute__((ext_vector_type(WIDTH)));
typedef index lanes __attribute__((ext_vector_type(WIDTH)));
#if WIDTH == 2
#define LANES (lanes)(0, 1)
#elif WIDTH == 4
#define LANES (lanes)(0, 1, 2, 3)
#elif WIDTH == 8
#define LANES (lanes)(0, 1, 2, 3, 4, 5, 6, 7)
#else
#define LANES (lanes)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#endif
typedef vector loose __attribute__((aligned(4 << DOUBLE))); /* at any address, not that of a whole vector */
#endif

#if GROUP == 1
#define MEET
#define SLOWLY LOOP /* code that seldom runs had better be short */
#else
#define MEET barrier(CLK_LOCAL_MEM_FENCE)
#define SLOWLY UNROLL for /* but on a GPU all indices of an array in registers must be constants */
#endif
#if WIDTH == 1 && TAPS % OUTPUTS
#error TAPS must be a multiple of OUTPUTS if WIDTH is 1, and PLACE relies on it
#endif

#define RESULTS (GROUP * OUTPUTS * WIDTH) /* of a group */
#define WINDOW (TILE + RESULTS)           /* the part of dry that meets a tile, and one number more */
#define CHUNK (TAPS * WIDTH)              /* taps at a time */
/* The number of the window that is the first one of what a work-item meets with the chunk from tap t on. If WIDTH is 1,
 * it is a multiple of OUTPUTS. */
#define FIRST(t) ((int)get_local_id(0) * OUTPUTS * WIDTH + TILE - CHUNK - (t))

/* Where number i of the window lies. The work-items of a GPU read numbers that are OUTPUTS apart; with a gap after
 * each OUTPUTS numbers these lie in different banks of local memory. */
#if WIDTH == 1
#define PLACE(i) ((i) + (i) / OUTPUTS)
#else
#define PLACE(i) (i)
#endif

typedef struct {
    long results, start;           /* of wet: their number, and where they begin in the full result */
    long taps;                     /* of ir */
    long low, high;                /* dry exists from low to high - 1 */
    long ring;                     /* dry[i] lies at place (i + begin) mod ring, with begin an argument of the kernel */
    long dry_step, ir_step, step;  /* how far neighbours are apart in memory */
    long dry_at, ir_at, at;        /* where the arrays begin */
    long terms, dry_term, ir_term; /* convolutions whose sum is the result, and how far their arrays are apart */
} Line;

typedef struct {
    long extent, dry_step, ir_step, step;
} Dimension;

/* The arrays of one row of the batch. */
typedef struct {
    global const real *dry, *ir;
    ulong at;  /* the place of the first result */
    uint part; /* of complex results, whose parts are neighbouring rows: 0: the real part; 1: the imaginary one */
} Row;

static inline Row row_of(global const real *dry, global const real *ir, ulong index, global const long *table)
{
    global const Line *line = (global const Line *)table;
    global const Dimension *dimensions = (global const Dimension *)(line + 1);
    Row row = {dry + line->dry_at, ir + line->ir_at, line->at, index % 2};
#if PRODUCT == COMPLEX
    row.at += row.part;
    index /= 2;
#endif
    for (int d = DIMENSIONS - 1; d >= 0; d--) {
        ulong place = index % (ulong)dimensions[d].extent;
        index /= (ulong)dimensions[d].extent;
        row.dry += (long)place * dimensions[d].dry_step;
        row.ir += (long)place * dimensions[d].ir_step;
        row.at += (long)place * dimensions[d].step;
    }
    return row;
}

/* The arrays of one of the convolutions whose sum is a row of the result; returns the sign of its products. */
static inline real take_term(Row *row, uint term, global const Line *line)
{
#if PRODUCT == COMPLEX
    uint imaginary_ir = row->part ^ term; /* term 0 has the real part of dry, term 1 the imaginary one */
    row->dry += term;
    row->ir += imaginary_ir;
    uint minus = (term & imaginary_ir) ^ (CONJUGATED == 1 && term) ^ (CONJUGATED == 2 && imaginary_ir);
    return minus ? CONST(-1.0) : CONST(1.0);
#else
    row->dry += term * line->dry_term;
    row->ir += term * line->ir_term;
    return CONJUGATED && row->part ? CONST(-1.0) : CONST(1.0);
#endif
}

/* --- a tile to local memory ---------------------------------------------------------------------------------- */

/* The window: dry from dry[first] on, 0 where it does not exist. The first `skip` numbers are not needed. */
static inline void copy_window(local real *window, global const real *dry, long first, uint skip, long begin,
                               global const Line *line)
{
    long low = line->low, high = line->high, ring = line->ring, step = line->dry_step;
    long from = first + begin;
    from += from < 0 ? ring : from >= ring ? -ring : 0;
#if GROUP == 1 && WIDTH > 1
    if (step == 1 && first >= low && first + WINDOW <= high && from + WINDOW <= ring) {
        for (uint i = skip / WIDTH * WIDTH; i < WINDOW; i += WIDTH)
            *(local loose *)(window + i) = *(global const loose *)(dry + from + i);
        return;
    }
#endif
    for (uint i = skip + get_local_id(0); i < WINDOW; i += GROUP) {
        long there = from + i;
        there -= there >= 2 * ring ? 2 * ring : there >= ring ? ring : 0;
        window[PLACE(i)] = first + i >= low && first + i < high ? dry[there * step] : 0;
    }
}

static inline void copy_taps(local real *taps, global const real *ir, uint count, real sign, long step)
{
    for (uint k = get_local_id(0); k < count; k += GROUP)
        taps[k] = sign * ir[k * step];
}

/* --- the products of a tile ---------------------------------------------------------------------------------- */

/* What is to be left out of a tile: taps from `taps` on, and all but the numbers low .. high - 1 of the window. */
typedef struct {
    int taps, low, high;
} Bounds;

/* Adds to sums[] the products with taps begin .. end - 1, all of which exist. */
static INLINE void multiply(vector *sums, local const real *window, local const real *taps, int begin, int end)
{
    vector fast[OUTPUTS]; /* in registers, since all its indices are constants */
    UNROLL for (int v = 0; v < OUTPUTS; v++)
        fast[v] = sums[v];
    LOOP(int t = begin; t < end; t += CHUNK)
    {
        local const real *near = window + PLACE(FIRST(t));
        LOOP(int k = 0; k < WIDTH; k++)
        {
            real tap[TAPS];
            UNROLL for (int u = 0; u < TAPS; u++)
                tap[u] = taps[t + u * WIDTH + k];
            UNROLL for (int w = 1; w < OUTPUTS + TAPS; w++) {
                vector x = *(local const loose *)(near + PLACE(w * WIDTH) - k);
                UNROLL for (int u = 0; u < TAPS; u++) {
                    int v = w + u - TAPS;
                    if (v >= 0 && v < OUTPUTS)
                        fast[v] = fma(x, (vector)(tap[u]), fast[v]);
                }
            }
        }
    }
    UNROLL for (int v = 0; v < OUTPUTS; v++)
        sums[v] = fast[v];
}

/* Does what multiply does, in the same order, but leaves out products that do not exist. */
static INLINE void multiply_in_bounds(vector *sums, local const real *window, local const real *taps, int begin, int end,
                                      Bounds bounds)
{
    LOOP(int t = begin; t < end; t += CHUNK)
    {
        LOOP(int place = 0; place < CHUNK; place++)
        {
            int tap = t + (TAPS - 1 - place % TAPS) * WIDTH + place / TAPS;
            if (tap >= bounds.taps)
                continue;
            SLOWLY(int v = 0; v < OUTPUTS; v++)
            {
                int at = FIRST(tap) + CHUNK + v * WIDTH;
                lanes there = at + LANES;
                vector x = *(local const loose *)(window + PLACE(at));
                vector sum = fma(x, (vector)(taps[tap]), sums[v]);
                sums[v] = there >= bounds.low && there < bounds.high ? sum : sums[v];
            }
        }
    }
}

/* Adds the products of a tile to sums[]. All products exist from tap `begin` to tap `end` - 1. */
static INLINE void multiply_tile(vector *sums, local const real *window, local const real *taps, Bounds bounds)
{
    int begin = (max(TILE + RESULTS - bounds.high, 0) + CHUNK - 1) / CHUNK * CHUNK;
    int end = min(bounds.taps, max(TILE + 1 - bounds.low, 0)) / CHUNK * CHUNK;
    begin = min(begin, bounds.taps), end = max(begin, end);
    multiply_in_bounds(sums, window, taps, 0, begin, bounds);
    multiply(sums, window, taps, begin, end);
    multiply_in_bounds(sums, window, taps, end, bounds.taps, bounds);
}

/* Copies tile number `tile` of a term to local memory, and adds what it contributes to the results from `from` on. */
static INLINE void add_tile(vector *some, Row row, uint term, uint tile, long from, long begin,
                            global const Line *line, local real *window, local real *taps)
{
    real sign = take_term(&row, term, line);
    long tap = (long)tile * TILE, first = line->start + from - tap - TILE; /* dry[first] is number 0 of the window */
    int count = (int)min((long)TILE, line->taps - tap);
    MEET;
    copy_window(window, row.dry, first, TILE - count, begin, line);
    copy_taps(taps, row.ir + tap * line->ir_step, count, sign, line->ir_step);
    MEET;
    Bounds bounds = {count, (int)max(line->low - first, 0L), (int)min(line->high - first, (long)WINDOW)};
    multiply_tile(some, window, taps, bounds);
}

/* The tiles that meet dry for a group's results, which begin with result `from`: x .. y - 1. */
static inline uint2 tiles_of(long from, global const Line *line)
{
    long tiles = (line->taps + TILE - 1) / TILE, place = line->start + from;
    long end = (max(place + RESULTS - line->low, 0L) + TILE - 1) / TILE;
    return (uint2)(min(max(place - line->high, 0L) / TILE, tiles), min(end, tiles));
}

static inline void store(global real *wet, vector sum, long from, long step, long results, int adds)
{
#if WIDTH == 1
    if (from < results)
        wet[from * step] = sum + (adds ? wet[from * step] : 0);
#else
    if (!adds && step == 1 && from + WIDTH <= results) {
        *(global loose *)(wet + from) = sum;
        return;
    }
    UNROLL for (int lane = 0; lane < WIDTH; lane++)
        if (from + lane < results)
            wet[(from + lane) * step] = sum[lane] + (adds ? wet[(from + lane) * step] : 0);
#endif
}

/* --- kernels ------------------------------------------------------------------------------------------------- */

/* The range is (work-items of the groups of a row, rows): a group makes RESULTS neighbouring results. */
kernel WIDE __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void convolve(global const real *dry, global const real *ir, global real *wet, global const long *table, long begin)
{
    local real window[PLACE(WINDOW) + 1], taps[TILE];
    global const Line *line = (global const Line *)table;
    Row row = row_of(dry, ir, get_global_id(1), table);
    long from = (long)get_group_id(0) * RESULTS;
    uint2 tiles = tiles_of(from, line);
    vector all[OUTPUTS] = {0};
    LOOP(uint term = 0; term < line->terms; term++)
    {
        LOOP(uint tile = tiles.x; tile < tiles.y; tile++)
        {
            vector some[OUTPUTS] = {0};
            add_tile(some, row, term, tile, from, begin, line, window, taps);
            UNROLL for (int v = 0; v < OUTPUTS; v++)
                all[v] += some[v];
        }
    }
    UNROLL for (int v = 0; v < OUTPUTS; v++)
        store(wet + row.at, all[v], from + (get_local_id(0) * OUTPUTS + v) * WIDTH, line->step, line->results,
              ADDS);
}

/* The range is (work-items of the groups of a row, rows, tiles of all terms): a group stores the sums of its tile.
 * sums[(tile * rows + row) * results + n] belongs to result n. */
kernel WIDE __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void convolve_tile(global const real *dry, global const real *ir, global real *sums, global const long *table, long begin)
{
    local real window[PLACE(WINDOW) + 1], taps[TILE];
    global const Line *line = (global const Line *)table;
    Row row = row_of(dry, ir, get_global_id(1), table);
    long from = (long)get_group_id(0) * RESULTS;
    uint tiles = (line->taps + TILE - 1) / TILE, tile = get_global_id(2);
    vector some[OUTPUTS] = {0};
    uint2 met = tiles_of(from, line);
    if (tile % tiles >= met.x && tile % tiles < met.y)
        add_tile(some, row, tile / tiles, tile % tiles, from, begin, line, window, taps);
    sums += ((ulong)tile * get_global_size(1) + get_global_id(1)) * line->results;
    UNROLL for (int v = 0; v < OUTPUTS; v++)
        store(sums, some[v], from + (get_local_id(0) * OUTPUTS + v) * WIDTH, 1, line->results, 0);
}

/* The range is (results of a row, rounded up, rows): adds the sums of the tiles. */
kernel void add_tiles(global const real *sums, global real *wet, global const long *table, uint tiles)
{
    global const Line *line = (global const Line *)table;
    long n = get_global_id(0);
    if (n >= line->results)
        return;
    Row row = row_of(sums, sums, get_global_id(1), table);
    ulong results = get_global_size(1) * line->results;
    sums += get_global_id(1) * line->results + n;
    real all = 0;
    for (uint tile = 0; tile < tiles; tile++)
        all += sums[tile * results];
    ulong at = row.at + n * line->step;
    wet[at] = all + (ADDS ? wet[at] : 0);
}
