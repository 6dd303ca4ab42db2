/* tiles: the discrete Fourier transform by its definition, as fast as the device multiplies and adds.
 *
 * X[k] = sum over m of x[m] w^(k m), with w = exp(-2 pi i / n). The samples are cut into tiles of `tile` samples, and
 * TILES tiles are a block. Sample m is number j of tile c of block b, m = (b TILES + c) tile + j, and so
 *
 *     X[k] = sum over b of w^(k b TILES tile) sum over c of w^(k c tile) sum over j of w^(k j) x[m].
 *
 * The roots of the inner sum, w^(k j), are those of every tile. A work-item copies the roots of its results k to local
 * memory once, and then multiplies each of them with the samples of TILES tiles at a time, whose sums it keeps in
 * registers. The roots w^(k c tile) lie in local memory too, and one root for each result and block is looked up.
 *
 * All roots come from a table of the n roots, by the exponent modulo n, which is exact: one exponent follows from the
 * one before by an addition modulo n. The sums of blocks are added with Kahan's compensation, so that the error does
 * not grow with n.
 *
 * A work-item owns OUTPUTS vectors of WIDTH results. On a CPU a vector is one of the processor's, and a group is one
 * work-item. On a GPU WIDTH is 1. The range is (work-items of the groups of a row, rows, parts): if few groups would
 * have all the work, the blocks are divided among `parts` groups, and place.cl adds what these store.
 *
 * References: W. Kahan, "Further remarks on reducing truncation errors", CACM 8 (1965); S. Chellappa, F. Franchetti,
 * M. Pueschel, "How to write fast numerical code", GTTSE 2007, for register blocking.
 */
#include "prelude.cl"
#include "vectors.cl"
#include "dft/rows.cl"

#pragma OPENCL FP_CONTRACT OFF /* keeps the compensation; products use fma() by name */

#ifndef GROUP
#define GROUP 64 /* work-items: 1 on CPUs, 64 on GPUs */
#endif
#ifndef WIDTH
#define WIDTH 1 /* results in a vector: 2 .. 16 on CPUs; 1 on GPUs */
#endif
#ifndef OUTPUTS
#define OUTPUTS (2 - DOUBLE) /* vectors of results of a work-item: 1 on CPUs and in double precision, 2 on GPUs */
#endif
#ifndef TILES
#define TILES 8 /* tiles of a block: 6 on CPUs, 8 on GPUs */
#endif
#ifndef TILE
#define TILE 16 /* samples of a tile, at most: 64 on CPUs, 16 on GPUs */
#endif
#if WIDTH == 1
typedef real vector;
typedef uint exponents; /* one for each result of a vector, always below n */
#define LANE(v, lane) (v)
#else
typedef real vector __attribute__((ext_vector_type(WIDTH)));
typedef uint exponents __attribute__((ext_vector_type(WIDTH)));
typedef vector loose __attribute__((aligned(4 << DOUBLE))); /* at any address, not that of a whole vector */
#define LANE(v, lane) (v)[lane]
#endif

/* Where sample j of tile c lies in local memory. */
#if GROUP == 1
#define MEET
#define POINT(c, j) ((c) * TILE + (j))
#else
#define MEET barrier(CLK_LOCAL_MEM_FENCE)
#define POINT(c, j) ((j) * TILES + (c)) /* what is needed at a time lies together */
#endif

/* Where a row of roots, one for each result of the group, lies in local memory: vectors of real parts, each followed
 * by a vector of imaginary parts. */
#define ROOT(row, v) ((((row) * OUTPUTS + (v)) * GROUP + (int)get_local_id(0)) * 2)

/* Adds `steps` to exponents, modulo n. */
static INLINE void advance(exponents *at, const exponents *steps, uint n)
{
    UNROLL for (int v = 0; v < OUTPUTS; v++)
        at[v] += at[v] >= n - steps[v] ? steps[v] - n : steps[v];
}

static INLINE void look_up(global const cplx *roots, const exponents *at, vector *re, vector *im)
{
    UNROLL for (int v = 0; v < OUTPUTS; v++)
        UNROLL for (int lane = 0; lane < WIDTH; lane++) {
            cplx root = roots[LANE(at[v], lane)];
            LANE(re[v], lane) = root.x;
            LANE(im[v], lane) = root.y;
        }
}

/* Copies `rows` rows of roots to local memory, with the exponents 0, steps, 2 steps ..; `next` follows the last. */
static INLINE void copy_roots(local vector *room, global const cplx *roots, const exponents *steps, uint rows, uint n,
                              exponents *next)
{
    UNROLL for (int v = 0; v < OUTPUTS; v++)
        next[v] = 0;
    LOOP(uint row = 0; row < rows; row++)
    {
        vector re[OUTPUTS], im[OUTPUTS];
        look_up(roots, next, re, im);
        UNROLL for (int v = 0; v < OUTPUTS; v++)
            room[ROOT(row, v)] = re[v], room[ROOT(row, v) + 1] = im[v];
        advance(next, steps, n);
    }
}

/* Copies a block, which begins with sample `first`, to local memory; zeros follow the last sample of the row. */
static INLINE void copy_samples(local real *samples, global const real *row, uint first, uint tile, uint n, long step)
{
#if GROUP == 1 && WIDTH > 1 /* then tiles are whole vectors */
    if (step == 1 && n - first >= TILES * tile) {
        row += (ulong)first * PARTS;
        LOOP(uint c = 0; c < TILES; c++)
        {
            LOOP(uint i = 0; i < tile * PARTS; i += WIDTH)
                *(local loose *)(samples + c * TILE * PARTS + i) = *(global const loose *)(row + i);
            row += tile * PARTS;
        }
        return;
    }
#endif
    LOOP(uint i = get_local_id(0); i < TILES * TILE; i += GROUP)
    {
        uint c = i / TILE, j = i % TILE, place = c * tile + j;
        int exists = j < tile && place < n - first;
        for (int part = 0; part < PARTS; part++)
            samples[POINT(c, j) * PARTS + part] = exists ? row[(long)(first + place) * step * PARTS + part] : 0;
    }
}

/* The sums over a block: over its tiles c, and within each over its samples j. */
static INLINE void sum_block(local const real *samples, local const vector *turns, local const vector *leaps, uint tile,
                             vector *sum_re, vector *sum_im)
{
    vector re[OUTPUTS][TILES], im[OUTPUTS][TILES];
    UNROLL for (int v = 0; v < OUTPUTS; v++)
        UNROLL for (int c = 0; c < TILES; c++)
            re[v][c] = im[v][c] = 0;
    LOOP(int j = 0; j < (int)tile; j++)
        UNROLL for (int v = 0; v < OUTPUTS; v++) {
            vector cosine = turns[ROOT(j, v)], sine = turns[ROOT(j, v) + 1];
            UNROLL for (int c = 0; c < TILES; c++) {
                local const real *x = samples + POINT(c, j) * PARTS;
                re[v][c] = fma(cosine, (vector)(x[0]), re[v][c]);
                im[v][c] = fma(sine, (vector)(x[0]), im[v][c]);
#if PARTS == 2
                re[v][c] = fma(-sine, (vector)(x[1]), re[v][c]);
                im[v][c] = fma(cosine, (vector)(x[1]), im[v][c]);
#endif
            }
        }
    UNROLL for (int v = 0; v < OUTPUTS; v++) {
        sum_re[v] = re[v][0], sum_im[v] = im[v][0]; /* the first root is 1 */
        UNROLL for (int c = 1; c < TILES; c++) {
            vector cosine = leaps[ROOT(c, v)], sine = leaps[ROOT(c, v) + 1];
            sum_re[v] = fma(-sine, im[v][c], fma(cosine, re[v][c], sum_re[v]));
            sum_im[v] = fma(cosine, im[v][c], fma(sine, re[v][c], sum_im[v]));
        }
    }
}

static INLINE void add_compensated(vector *sum, vector *lost, vector term)
{
    vector wanted = term - *lost, total = *sum + wanted;
    *lost = (total - *sum) - wanted;
    *sum = total;
}

kernel WIDE __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void dft_tiles(global const real *src, global cplx *sums, global const cplx *roots, global const uint *bins,
               global const long *geometry, uint n, uint count, uint tile, uint blocks_a_part)
{
    local real samples[TILES * TILE * PARTS];
    local vector turns[TILE * OUTPUTS * GROUP * 2], leaps[TILES * OUTPUTS * GROUP * 2];
    global const real *row = row_of(src, geometry, get_global_id(1));
    uint item = get_group_id(0) * OUTPUTS * GROUP + get_local_id(0);
    uint blocks = (n + TILES * tile - 1) / (TILES * tile);
    uint begin = get_global_id(2) * blocks_a_part, end = min(begin + blocks_a_part, blocks);

    exponents k[OUTPUTS], leap[OUTPUTS], stride[OUTPUTS], at[OUTPUTS];
    UNROLL for (int v = 0; v < OUTPUTS; v++)
        UNROLL for (int lane = 0; lane < WIDTH; lane++)
            LANE(k[v], lane) = bins[min((item + v * GROUP) * WIDTH + lane, count - 1)];
    copy_roots(turns, roots, k, tile, n, leap);
    copy_roots(leaps, roots, leap, TILES, n, stride);
    UNROLL for (int v = 0; v < OUTPUTS; v++)
        UNROLL for (int lane = 0; lane < WIDTH; lane++)
            LANE(at[v], lane) = (ulong)LANE(stride[v], lane) * begin % n;

    vector all_re[OUTPUTS] = {0}, all_im[OUTPUTS] = {0}, lost_re[OUTPUTS] = {0}, lost_im[OUTPUTS] = {0};
    LOOP(uint block = begin; block < end; block++)
    {
        vector re[OUTPUTS], im[OUTPUTS], cosine[OUTPUTS], sine[OUTPUTS];
        MEET;
        copy_samples(samples, row, block * TILES * tile, tile, n, geometry[1]);
        MEET;
        sum_block(samples, turns, leaps, tile, re, im);
        look_up(roots, at, cosine, sine);
        UNROLL for (int v = 0; v < OUTPUTS; v++) {
            add_compensated(&all_re[v], &lost_re[v], fma(-sine[v], im[v], cosine[v] * re[v]));
            add_compensated(&all_im[v], &lost_im[v], fma(cosine[v], im[v], sine[v] * re[v]));
        }
        advance(at, stride, n);
    }

    sums += (get_global_id(2) * get_global_size(1) + get_global_id(1)) * (ulong)count;
    UNROLL for (int v = 0; v < OUTPUTS; v++)
        UNROLL for (int lane = 0; lane < WIDTH; lane++) {
            uint i = (item + v * GROUP) * WIDTH + lane;
            if (i < count)
                sums[i] = (cplx)(LANE(all_re[v], lane), LANE(all_im[v], lane));
        }
}
