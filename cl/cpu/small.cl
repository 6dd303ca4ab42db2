/* small: a few short transforms of any length and of any kind, in one work-item of a CPU. A block of LANES transforms at a
 * time lies in two areas of scratch memory, between which its points go to and fro.
 *
 *     src  --->  load  --->  join  --->  all stages  --->  finish  --->  store  --->  dst
 *
 * Lengths, radices, strides and the kinds of the source and of the target are arguments, because compiling a program
 * takes as long as thousands of small transforms. For the same reason numbers are loaded and stored one by one, so that
 * one loop serves rows and columns, real and complex numbers.
 *
 * `join` makes points of half of a spectrum. `finish` makes half of a spectrum of results, and scales. If a length is
 * not smooth, Bluestein's algorithm stands around all stages (smallChirp.cl), which are then done twice. Cosine and sine
 * transforms make each element of two numbers, and each result of the two parts of an element (smallSums.cl).
 */
#ifndef LANES
#define LANES 2 /* transforms of a block: the fewest lanes, for a single transform or a few, or all lanes */
#endif
#define LOCAL_SCRATCH 0
#define DIMENSIONS 4
#include "cpu/share.cl"

/* What `join` and `finish` do. */
#define AS_THEY_ARE 0
#define HALF 1        /* half of a spectrum of as many real numbers as there are points */
#define PACKED_HALF 2 /* half of a spectrum of twice as many real numbers: two neighbours are a point */

/* How the numbers of a block lie in the source, or in the target. */
typedef struct {
    ulong first;                  /* the place of the block's first number */
    ulong point, part, transform; /* numbers from one point to the next one, from its real part to its imaginary part, */
                                  /* and from one transform to the next one */
    uint points, parts;           /* the points of a transform that have a real part there, and an imaginary part */
    uint lanes;                   /* the transforms that exist */
    real sign;                    /* of imaginary parts */
} Numbers;

/* What is done with each block. */
typedef struct {
    uint points, stages; /* that all stages transform, and how many stages there are */
    uint length;         /* points of the wanted transform */
    uint loaded;         /* elements that are loaded, or are zero because the source does not have them */
    uint joins, finishes;
    uint convolves;      /* 1: Bluestein's algorithm */
    uint radices;        /* four bits for each stage, the lowest ones for the first stage */
    global const cplx *twiddles;
    global const cplx *roots;            /* for halves of spectra */
    global const cplx *chirp, *spectrum; /* for a convolution */
    global const real *weights, *places; /* for sums */
} Work;

/* --- from the source ------------------------------------------------------------------------------- */

/* One part of `count` points, which begins at `first` in the source and is at `to` in the first of them. */
static INLINE void load_parts(SCRATCH real *to, global const real *src, ulong first, uint count, Numbers from, real sign)
{
    LOOP(uint i = 0; i < count; i++)
    {
        ulong at = first + i * from.point;
        LOOP(uint lane = 0; lane < from.lanes; lane++)
        {
            to[2 * LANES * i + lane] = src[at] * sign;
            at += from.transform;
        }
    }
}

static INLINE void load(SCRATCH points *to, uint count, global const real *src, Numbers from)
{
    SCRATCH real *parts = (SCRATCH real *)to;
    if (from.lanes < LANES || min(from.points, from.parts) < count)
        LOOP(uint i = 0; i < count; i++)
            to[i] = 0;
    load_parts(parts, src, from.first, from.points, from, 1);
    load_parts(parts + LANES, src, from.first + from.part, from.parts, from, from.sign);
}

/* Points from half of the spectrum of real numbers. They are those of the conjugate, for the way back. Elements at the
 * ends are real, whatever the source says. */
static INLINE void join_half(SCRATCH points *to, SCRATCH const points *from, uint length)
{
    LOOP(uint k = 0; k <= length / 2; k++)
    {
        const points x = k == 0 || 2 * k == length ? (points)(RE(from[k]), (reals)0) : from[k];
        to[k] = conjugated(x);
        if (k)
            to[length - k] = x;
    }
}

/* Of the spectrum X[k] of 2 N numbers, Z[k] = E[k] + i O[k] of N points: E is the spectrum of the even numbers and O that
 * of the odd ones. */
static INLINE void join_packed_half(SCRATCH points *to, SCRATCH const points *from, uint length,
                                    global const cplx *roots)
{
    LOOP(uint k = 0; k <= length / 2; k++)
    {
        const cplx root = {roots[k].x, -roots[k].y};
        points x = from[k], image = conjugated(from[length - k]);
        if (k == 0)
            x = (points)(RE(x), (reals)0), image = (points)(RE(image), (reals)0);
        const points odd = times_minus_i(times(x - image, root));
        to[k] = conjugated(x + image - odd);
        if (k)
            to[length - k] = x + image + odd;
    }
}

/* --- to the target --------------------------------------------------------------------------------- */

/* Element k of the spectrum of numbers of which two are a point: E[k] + w^k O[k], doubled. */
static INLINE points packed_result(SCRATCH const points *z, uint k, uint length, cplx root)
{
    const points x = z[k < length ? k : 0], image = conjugated(z[k ? length - k : 0]);
    return x + image + times(times_minus_i(x - image), root);
}

static INLINE void finish(SCRATCH points *to, SCRATCH const points *from, uint count, const Work *work,
                          factors_of_parts factors)
{
    LOOP(uint k = 0; k < count; k++)
    {
        points x = from[k < work->length ? k : 0];
        if (work->finishes == PACKED_HALF)
            x = packed_result(from, k, work->length, work->roots[k]);
        else if (work->finishes == HALF && k == 0) /* it is real, and rounding would leave a little else */
            x = (points)(RE(x), (reals)0);
        to[k] = scaled(x, factors);
    }
}

/* One part of `count` results, likewise. */
static INLINE void store_parts(global real *dst, ulong first, SCRATCH const real *from, uint count, Numbers to)
{
    LOOP(uint k = 0; k < count; k++)
    {
        ulong at = first + k * to.point;
        LOOP(uint lane = 0; lane < to.lanes; lane++)
        {
            dst[at] = from[2 * LANES * k + lane];
            at += to.transform;
        }
    }
}

static INLINE void store(global real *dst, Numbers to, SCRATCH const points *from)
{
    SCRATCH const real *parts = (SCRATCH const real *)from;
    store_parts(dst, to.first, parts, to.points, to);
    store_parts(dst, to.first + to.part, parts + LANES, to.parts, to);
}

/* --- between --------------------------------------------------------------------------------------- */

#include "cpu/smallChirp.cl"
#include "cpu/smallStages.cl"
#include "cpu/smallSums.cl"

/* The two areas of scratch memory. */
typedef struct {
    SCRATCH points *here; /* has the points */
    SCRATCH points *there;
} Areas;

static INLINE void exchange(Areas *areas)
{
    SCRATCH points *here = areas->here;
    areas->here = areas->there, areas->there = here;
}

static INLINE void join(Areas *areas, const Work *work)
{
    if (work->joins == HALF)
        join_half(areas->there, areas->here, work->length);
    else
        join_packed_half(areas->there, areas->here, work->length, work->roots);
    exchange(areas);
}

static INLINE void all_stages(Areas *areas, const Work *work)
{
    uint before = 1, below = work->points;
    LOOP(uint stage = 0; stage < work->stages; stage++)
    {
        const uint radix = work->radices >> 4 * stage & 15;
        below /= radix;
        any_stage(radix, areas->here, areas->there, before, below, work->twiddles);
        before *= radix;
        exchange(areas);
    }
}

static INLINE void transform(Areas *areas, const Work *work)
{
    if (work->convolves)
        modulate(areas->here, work);
    LOOP(uint again = 0; again <= work->convolves; again++)
    {
        all_stages(areas, work);
        if (again < work->convolves)
            times_spectrum(areas->here, work);
    }
    if (work->convolves)
        demodulate(areas->here, work);
}

/* `sizes`, `kinds`, `source` and `target` have the members of Work and Numbers, in the order in which they are used.
 * `tables` says where in `table` the other tables begin behind the twiddles. There is one table, because the time of a
 * launch grows with the number of buffers. */
kernel WIDE __attribute__((reqd_work_group_size(1, 1, 1)))
void small(global const real *src, global real *dst, global const real *table, WORKSPACE uint8 sizes, uint8 kinds,
           uint radices, uint4 tables, uint4 extents, ulong8 source, ulong8 target, cplx scale, cplx signs)
{
    const uint finished = sizes.s4, area = sizes.s5, transforms = sizes.s6;
    SCRATCH_OF(scratch, 2 * area, workspace)
    const Work work = {
        .points = sizes.s0, .stages = sizes.s1, .length = sizes.s2, .loaded = sizes.s3,
        .joins = kinds.s0, .finishes = kinds.s1, .convolves = kinds.s2, .radices = radices,
        .twiddles = (global const cplx *)table, .roots = (global const cplx *)(table + tables.s0),
        .chirp = (global const cplx *)(table + tables.s1),
        .spectrum = (global const cplx *)(table + tables.s1) + sizes.s2,
        .weights = table + tables.s2, .places = table + tables.s3};
    const factors_of_parts factors = factors_of(scale, signs.y);
    const Share share = share_of(sizes.s7);
    LOOP(uint q = share.begin; q < share.end; q++)
    {
        const uint lanes = min((uint)LANES, transforms - q % extents.s0 * LANES);
        const Numbers from = {place(q, extents, source.lo) + source.s4, source.s5, source.s6, source.s7,
                              kinds.s4, kinds.s5, lanes, signs.x};
        const Numbers to = {place(q, extents, target.lo) + target.s4, target.s5, target.s6, target.s7,
                            kinds.s6, kinds.s7, lanes, 1};
        Areas areas = {scratch, scratch + area};
        if (kinds.s3)
            load_sums(areas.here, src, from, &work);
        else
            load(areas.here, work.loaded, src, from);
        if (work.joins)
            join(&areas, &work);
        transform(&areas, &work);
        finish(areas.there, areas.here, finished, &work, factors);
        if (kinds.s3)
            store_sums(dst, to, areas.there, &work);
        else
            store(dst, to, areas.there);
    }
}
