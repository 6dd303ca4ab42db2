/* partitions: what partitions of an impulse response make of the spectra of past blocks.
 *
 * The spectra of past blocks are a delay line: a ring of slots, each with a row of PITCH bins for every input. The
 * response has a row for every partition, output and term; a term is an input that the output hears. With
 * `diagonal`, output o hears input o alone, otherwise its terms are the first inputs, in order.
 *
 * `sum_partitions` adds partition p times the block that came p - first blocks before the newest one. A work-item
 * makes neighbouring vectors of bins of one output, TILE at a time, so that it reads whole stretches of each row.
 * Products are added in runs of RUN, whose sums are then added, which keeps the error of long sums small.
 * The first partition and the newest block may be left to the transform back, which adds their product as it loads
 * (newestBlock.cl). */
#include "prelude.cl"

#ifndef WIDTH
#define WIDTH 2 /* reals in a vector: 2, one bin, where work-items run in lockstep; 16 on CPUs; rows have whole ones */
#endif
#ifndef TILE
#define TILE 1 /* vectors that a work-item sums at once: 1 where work-items run in lockstep; 4 on CPUs */
#endif
#ifndef RUN
#define RUN 64 /* partitions whose products are added at once */
#endif

#define JOIN(type, width) type##width
#define VECTOR_OF(type, width) JOIN(type, width)
#if DOUBLE
typedef VECTOR_OF(double, WIDTH) bins_vector;
#else
typedef VECTOR_OF(float, WIDTH) bins_vector;
#endif
#define BINS_EACH (WIDTH / 2)

typedef struct {
    uint pitch, slot;            /* bins from row to row, and from slot to slot */
    uint terms, outputs, diagonal;
    uint slots, first, partitions;
} Shape;

/* The sums of `tile` vectors of bins, a constant: what one term and one output have to do with each other. `h` and `x`
 * are where these bins lie in the rows of partition 0 and of slot 0. */
static inline void add_term(bins_vector *sums, uint tile, global const cplx *h, global const cplx *x, ulong rows,
                            constant const Shape *shape, uint newest)
{
    uint slot = newest, partitions = shape->partitions;
    for (uint run = shape->first; run < partitions; run += RUN) {
        bins_vector straight[TILE], crossed[TILE];
        UNROLL for (uint i = 0; i < tile; i++)
            straight[i] = crossed[i] = 0;
        uint end = min(run + RUN, partitions);
        for (uint p = run; p < end; p++) {
            global const bins_vector *w = (global const bins_vector *)(h + p * rows);
            global const bins_vector *z = (global const bins_vector *)(x + (ulong)slot * shape->slot);
            UNROLL for (uint i = 0; i < tile; i++) {
                bins_vector re = z[i], im = re, turned = w[i];
                re.odd = z[i].even, im.even = z[i].odd;
                turned.even = w[i].odd, turned.odd = w[i].even;
                straight[i] += w[i] * re, crossed[i] += turned * im;
            }
            slot = slot ? slot - 1 : shape->slots - 1;
        }
        UNROLL for (uint i = 0; i < tile; i++) {
            sums[i].even += straight[i].even - crossed[i].even;
            sums[i].odd += straight[i].odd + crossed[i].odd;
        }
    }
}

static inline void sum_vectors(uint tile, global const cplx *response, global const cplx *line, global cplx *sums,
                               constant const Shape *shape, uint newest, uint vector)
{
    uint output = get_global_id(1), terms = shape->terms;
    ulong bin = (ulong)vector * BINS_EACH, pitch = shape->pitch;
    ulong rows = terms * shape->outputs * pitch; /* of a partition */
    bins_vector all[TILE];
    UNROLL for (uint i = 0; i < tile; i++)
        all[i] = 0;
    for (uint term = 0; term < terms; term++)
        add_term(all, tile, response + ((ulong)output * terms + term) * pitch + bin,
                 line + (shape->diagonal ? output : term) * pitch + bin, rows, shape, newest);
    UNROLL for (uint i = 0; i < tile; i++)
        ((global bins_vector *)(sums + output * pitch + bin))[i] = all[i];
}

/* `task` is the slot of the newest block, the vectors (from the second number to before the third), and how many of them
 * a work-item makes. */
kernel void sum_partitions(global const cplx *response, global const cplx *line, global cplx *sums,
                           constant Shape *shape, uint4 task)
{
    uint newest = task.x, begin = task.y, end = task.z, each = task.w;
    uint vector = begin + get_global_id(0) * each;
    end = min(end, vector + each);
    for (; vector + TILE <= end; vector += TILE)
        sum_vectors(TILE, response, line, sums, shape, newest, vector);
    for (; vector < end; vector++)
        sum_vectors(1, response, line, sums, shape, newest, vector);
}
