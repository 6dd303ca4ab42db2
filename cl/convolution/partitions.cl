/* partitions: what partitions of an impulse response make of the spectra of past blocks.
 *
 * The spectra of past blocks are a delay line: a ring of slots, each with a row of PITCH bins for every input. The
 * response has a row for every partition, output and term; a term is an input that the output hears. With
 * `diagonal`, output o hears input o alone, otherwise its terms are the first inputs, in order.
 *
 * `sum_partitions` adds partition p times the block that came p - first blocks before the newest one. A work-item
 * makes a vector of neighbouring bins of one output. Products are added in runs of RUN, whose sums are then added,
 * which keeps the error of long sums small. Hooks of a transform back add one more partition as they load:
 * `newest_bin` and `newest_bins`. */
#include "prelude.cl"

#ifndef WIDTH
#define WIDTH 2 /* reals in a vector: 2, one bin, where work-items run in lockstep; 16 on CPUs; PITCH has whole ones */
#endif
#ifndef RUN
#define RUN 64 /* partitions whose products are added at once */
#endif
#ifndef PITCH
#define PITCH 144 /* bins from one row to the next, for hooks */
#endif
#ifndef TERMS
#define TERMS 1 /* inputs that an output hears, for hooks */
#endif
#ifndef DIAGONAL
#define DIAGONAL 0 /* 1: output o hears input o, for hooks */
#endif

#define JOIN(a, b) a##b
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

kernel void sum_partitions(global const cplx *response, global const cplx *line, global cplx *sums,
                           constant Shape *shape, uint newest, uint begin)
{
    uint vector = begin + get_global_id(0), output = get_global_id(1);
    ulong bin = (ulong)vector * BINS_EACH;
    uint first = shape->first, partitions = shape->partitions;
    ulong rows = (ulong)shape->terms * shape->outputs * shape->pitch; /* of a partition */
    bins_vector all = 0;
    for (uint term = 0; term < shape->terms; term++) {
        global const cplx *h = response + ((ulong)output * shape->terms + term) * shape->pitch + bin;
        global const cplx *x = line + (ulong)(shape->diagonal ? output : term) * shape->pitch + bin;
        uint slot = newest;
        for (uint run = first; run < partitions; run += RUN) {
            bins_vector straight = 0, crossed = 0;
            uint end = min(run + RUN, partitions);
            for (uint p = run; p < end; p++) {
                bins_vector w = *(global const bins_vector *)(h + p * rows);
                bins_vector z = *(global const bins_vector *)(x + (ulong)slot * shape->slot);
                bins_vector re = z, im = z, turned = w;
                re.odd = z.even, im.even = z.odd;
                turned.even = w.odd, turned.odd = w.even;
                straight += w * re, crossed += turned * im;
                slot = slot ? slot - 1 : shape->slots - 1;
            }
            all.even += straight.even - crossed.even;
            all.odd += straight.odd + crossed.odd;
        }
    }
    *(global bins_vector *)(sums + (ulong)output * shape->pitch + bin) = all;
}

/* --- hooks: one more partition, times the newest block ------------------------------------------ */

static inline cplx newest_bin(global const cplx *newest, ulong index, global const cplx *response,
                              global const cplx *sums)
{
    uint output = index / PITCH, bin = index % PITCH;
    cplx sum = sums[index];
    for (uint term = 0; term < TERMS; term++)
        sum += cmul(response[((ulong)output * TERMS + term) * PITCH + bin],
                    newest[(ulong)(DIAGONAL ? output : term) * PITCH + bin]);
    return sum;
}

#if VECTOR_LOADS
static inline source_vector newest_bins(global const cplx *newest, ulong index,
                                        global const cplx *response, global const cplx *sums)
{
    uint output = index / PITCH, bin = index % PITCH;
    source_vector sum = *(global const loose_source *)(sums + index);
    for (uint term = 0; term < TERMS; term++) {
        source_vector w = *(global const loose_source *)(response +
                                                         ((ulong)output * TERMS + term) * PITCH + bin);
        source_vector z = *(global const loose_source *)(newest +
                                                         (ulong)(DIAGONAL ? output : term) * PITCH + bin);
        sum.even += w.even * z.even - w.odd * z.odd;
        sum.odd += w.even * z.odd + w.odd * z.even;
    }
    return sum;
}
#endif
