/* sequence: the stages of a transform, one after the other. A template, whose function is called SEQUENCE.
 *
 *     x[]  --->  stage 1  --->  stage 2  --->  ...  --->  x[]
 *
 * SEQUENCE_RADICES are the radices in order. Stages that the transform does not have get the radix 1 and do nothing.
 * From the last exchange on, a work-item is `last` rather than `me`: it may then serve another transform.
 */
#define RADIX_OF(k) CALL(JOINED(NUMBER_, k), (SEQUENCE_RADICES))
#define THROUGH_1 RADIX_OF(1)
#define THROUGH_2 (THROUGH_1 * RADIX_OF(2))
#define THROUGH_3 (THROUGH_2 * RADIX_OF(3))
#define THROUGH_4 (THROUGH_3 * RADIX_OF(4))
#define THROUGH_5 (THROUGH_4 * RADIX_OF(5))

#define STAGE 1
#define RADIX RADIX_OF(1)
#define BEFORE 1
#define SPAN 1
    #include "gpu/stage.cl"

#define STAGE 2
#define RADIX RADIX_OF(2)
#define BEFORE RADIX_OF(1)
#define SPAN THROUGH_1
    #include "gpu/stage.cl"

#define STAGE 3
#define RADIX RADIX_OF(3)
#define BEFORE RADIX_OF(2)
#define SPAN THROUGH_2
    #include "gpu/stage.cl"

#define STAGE 4
#define RADIX RADIX_OF(4)
#define BEFORE RADIX_OF(3)
#define SPAN THROUGH_3
    #include "gpu/stage.cl"

#define STAGE 5
#define RADIX RADIX_OF(5)
#define BEFORE RADIX_OF(4)
#define SPAN THROUGH_4
    #include "gpu/stage.cl"

#define STAGE 6
#define RADIX RADIX_OF(6)
#define BEFORE RADIX_OF(5)
#define SPAN THROUGH_5
    #include "gpu/stage.cl"

#define STAGE_OF(k) JOINED(JOINED(stage_, SEQUENCE), k)

static INLINE void SEQUENCE(cplx *x, local cplx *room, Worker me, Worker last, global const cplx *twiddles)
{
    STAGE_OF(1)(x, room, me, me, twiddles);
    STAGE_OF(2)(x, room, me, RADIX_OF(3) > 1 ? me : last, twiddles);
    STAGE_OF(3)(x, room, me, RADIX_OF(4) > 1 ? me : last, twiddles);
    STAGE_OF(4)(x, room, me, RADIX_OF(5) > 1 ? me : last, twiddles);
    STAGE_OF(5)(x, room, me, RADIX_OF(6) > 1 ? me : last, twiddles);
    STAGE_OF(6)(x, room, me, last, twiddles);
}
#undef RADIX_OF
#undef STAGE_OF
#undef THROUGH_1
#undef THROUGH_2
#undef THROUGH_3
#undef THROUGH_4
#undef THROUGH_5
