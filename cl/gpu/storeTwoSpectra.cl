/* storeTwoSpectra: the spectra of two columns of real numbers, which are the real and the imaginary part of one complex
 * transform Z: X1[k] = (Z[k] + conj Z[n - k]) / 2, and X2[k] = (Z[k] - conj Z[n - k]) / 2i.
 *
 *     x[]  --->  local memory  --->  the mirror image of each result  --->  sum and difference  --->  dst
 */
#define THE_STAGE {LAST_RADIX, N / LAST_RADIX, 0}

/* Whether number i is in the half of a transform that local memory holds, or local memory holds all of it. */
static INLINE int is_there(uint i, uint upper)
{
    return HALVES ? (i >= N / 2) == upper : 1;
}

/* Lays all results of one half of a transform down in local memory, in order, or of all of it. */
static INLINE void lay_down(const cplx *x, local cplx *room, uint part, uint upper, Worker last)
{
    const Group group = THE_GROUP;
    const Stage stage = THE_STAGE;
    UNROLL for (uint b = 0; b < BUTTERFLIES(LAST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, last.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < LAST_RADIX; r++) {
                const uint k = of.j + r * (N / LAST_RADIX);
                if (k < LENGTH && is_there(k, upper))
                    leave(room, room_place(group, last.lane, k - (upper ? N / 2 : 0), 0), part, x[of.b + r * of.many]);
            }
    }
}

/* Finds the mirror image of every result whose image lies in that half; of the images only a part, if they are SPLIT. */
static INLINE void find_images(cplx *images, local const cplx *room, uint part, uint upper, Worker last)
{
    const Group group = THE_GROUP;
    const Stage stage = THE_STAGE;
    UNROLL for (uint b = 0; b < BUTTERFLIES(LAST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, last.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < LAST_RADIX; r++) {
                const uint k = of.j + r * (N / LAST_RADIX), m = k ? LENGTH - k : 0, i = of.b + r * of.many;
                if (k < OUTPUTS && is_there(m, upper))
                    images[i] = find(room, room_place(group, last.lane, m - (upper ? N / 2 : 0), 0), part, images[i]);
            }
    }
}

static INLINE cplx twisted(cplx z, uint k, whole column, Roots roots)
{
    return TWIST ? cmul(z, root_to_the(roots, k * column)) : z;
}

static INLINE void store_both(global target_element *dst, Axis axis, Transform to, Element e, cplx z, cplx image,
                              cplx scale, uint flags, Roots roots HOOK_PARAMETERS)
{
    const cplx sum = (cplx)(z.x + image.x, z.y - image.y), difference = (cplx)(z.y + image.y, image.x - z.x);
    const whole second_column = to.column + JOINED(COLUMNS_, PAIR_DIMENSION) / 2;
    const ulong second = e.place + to.partner;
    STORE_ALONG(dst, axis, to.first, e.g - to.column, e.place,
                finished(twisted(sum, e.number, to.column, roots), scale, flags));
    if (to.partner)
        STORE_ALONG(dst, axis, to.first + to.partner, e.g - to.column, second,
                    finished(twisted(difference, e.number, second_column, roots), scale, flags));
}

static INLINE void IN_PASS(store_)(cplx *x, global target_element *dst, Batch batch, Axis axis, Worker last,
                                   Tables tables, local cplx *room, cplx scale HOOK_PARAMETERS)
{
    const Group group = THE_GROUP;
    const Stage stage = THE_STAGE;
    const Transform to = LOCATE(batch, axis, last.lane);
    cplx images[ELEMENTS];
    if (CHIRP_LAST)
        IN_PASS(times_chirp_last_)(x, axis, to, last, tables.chirp);
    UNROLL for (uint part = SPLIT; part <= 2 * SPLIT; part++)
        UNROLL for (uint upper = 0; upper <= HALVES; upper++) {
            wait_for_group(LAST_RADIX == N); /* if no stage has exchanged: between loads and stores in place */
            lay_down(x, room, part, upper, last);
            wait_for_group(0);
            find_images(images, room, part, upper, last);
        }
    UNROLL for (uint b = 0; b < BUTTERFLIES(LAST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, last.item);
        if (of.exists && to.active)
            UNROLL for (uint r = 0; r < LAST_RADIX; r++) {
                const uint i = of.b + r * of.many;
                const Element e = element(group, axis, to, LAST_RADIX, of.j, r);
                if (e.number < OUTPUTS)
                    store_both(dst, axis, to, e, x[i], images[i], scale, batch.flags, tables.roots HOOK_ARGUMENTS);
            }
    }
}
#undef THE_STAGE
