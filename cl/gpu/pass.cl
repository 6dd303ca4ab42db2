/* pass: what a work-group does with its transforms, from the first load to the last store. A template: fused.cl has
 * two passes, with macros of their own.
 *
 *     load  --->  there: the stages of RADICES  --->  back: the stages of RADICES_BACK, in a convolution  --->  store
 */
#ifndef RADICES
#define RADICES 4, 4, 1, 1, 1, 1, 1, 1 /* of the stages, in order: at most 6 that are not 1 */
#endif
#ifndef RADICES_BACK
#define RADICES_BACK RADICES /* of the stages back: in reverse */
#endif

#define IN_PASS(name) JOINED(name, PASS)

/* The transforms of the group, as the store finds them. A kernel that can compute them anew at little cost does so,
 * because a value that is kept takes a register through all stages: 100^3 points took 4 % longer on an H200. */
#ifndef BATCH_AGAIN
#define BATCH_AGAIN(batch) (batch)
#endif

#if PACKED
#include "gpu/packed.cl"
#elif !defined MIRRORED
#define MIRRORED(R, SPAN) 0 /* which packed.cl explains */
#endif
#define IN_QUADS(R, SPAN) (QUADS && (SPAN) == (SOURCE == REAL ? 1 : N / (R))) /* which quads.cl explains */
#define PAIRING(R, SPAN) (MIRRORED(R, SPAN) ? AROUND_ZERO : IN_QUADS(R, SPAN) ? END_TO_END : NO_PAIRS)

#define FIRST_RADIX CALL(NUMBER_1, (RADICES))
#define LAST_OF(a, b, c, d, e, f, g, h) (f > 1 ? f : e > 1 ? e : d > 1 ? d : c > 1 ? c : b > 1 ? b : a)
#define MIDDLE_RADIX CALL(LAST_OF, (RADICES))
#define LAST_RADIX (SPECTRUM ? CALL(LAST_OF, (RADICES_BACK)) : MIDDLE_RADIX)

/* Whether the load, or the store, does the work of a stage's codelet because it knows that numbers are real. */
#define HAS_REAL_CODELET(R, SPAN)                                                                                      \
    (REAL_RADIX && ((SOURCE == REAL && (SPAN) == 1) || (TARGET == REAL && (SPAN) * (R) == N)))

#define WAY_BACK 0 /* 1: while the stages back are defined */
#define SEQUENCE IN_PASS(there_)
#define SEQUENCE_RADICES RADICES
    #include "gpu/sequence.cl"
#undef SEQUENCE
#undef SEQUENCE_RADICES

#if SPECTRUM
#undef WAY_BACK
#define WAY_BACK 1
#define SEQUENCE IN_PASS(back_)
#define SEQUENCE_RADICES RADICES_BACK
    #include "gpu/sequence.cl"
#undef SEQUENCE
#undef SEQUENCE_RADICES
#endif

    #include "gpu/load.cl"
    #include "gpu/store.cl"
