/* cosineRows: short rows that all work-items of a group share, as cosine or sine transforms of type 2 or 3. It stands in
 * the place of takeRows.cl and giveRows.cl.
 *
 *     src  --->  local memory, in order  --->  x[]: element_before  --->  the stages
 *     x[]: element_after  --->  local memory, in order  --->  dst
 *
 * The group loads and stores numbers in the order of memory. They change places on the way between local memory and
 * registers. If rows are packed, two of their numbers are a point. Type 3 makes points k and N - k of the same numbers of
 * the spectrum, and type 2 makes numbers k and N - k of the spectrum of the same results of the last stage (packed.cl).
 * Each number of the spectrum is two results of type 2. If the length is a multiple of 4, COSINE_PAIRS takes a shorter way
 * between both points and four numbers (cosinePairs.cl). If one work-item has both points in its registers, they take no
 * further way through local memory. It has both if it has the whole row, or if two work-items share the row as OWNS_IMAGES
 * says.
 */
#define NUMBERS (PACKED ? 2 * N : N) /* of a row */
#if PACKED /* two neighbours move at once, because each row begins where complex numbers may */
typedef cplx Moved;
#define MOVES N /* in how many moves a row is loaded, or stored */
#else
typedef real Moved;
#define MOVES NUMBERS
#endif
#define OF_MOVE (NUMBERS / MOVES)             /* numbers of a move */
#define MOVES_TAKEN (TAKEN_AT_ONCE / OF_MOVE) /* that a work-item loads at once, at most, */
#define MOVES_GIVEN (GIVEN_AT_ONCE / OF_MOVE) /* and that it stores at once */

/* OWNS_IMAGES: two work-items share a row, and each has one butterfly of the stage on the spectrum's side. The first one
 * has the even points or numbers of the transform, and the second one has the odd ones. So each has the mirror images of
 * its own points. */
#define SPECTRAL_RADIX (DCT_TYPE == 3 ? FIRST_RADIX : LAST_RADIX)
#define OWNS_IMAGES (COSINE_PAIRS && ITEMS == 2 && N == 2 * SPECTRAL_RADIX)

#define DCT_SOURCE local const real *
#define DCT_LOAD(src, place) ((src)[place])
#if MAKES_SPECTRA && !ROW_IN_ITEM && !OWNS_IMAGES
#define DCT_TARGET global real *
#else
#define DCT_TARGET local real *
#endif
#define DCT_STORE(dst, place, y) ((dst)[place] = (y))
#define SIGNED_ALREADY 1 /* by take_rows: of constant signs Intel's CPU compiler makes wrong code */
#include "dctParts.cl"

/* What a butterfly takes of numbers, and leaves: of a whole row that is not packed, half of its spectrum. */
#if DCT_TYPE == 3 && !PACKED
#define POINTS_TAKEN TAKEN
#else
#define POINTS_TAKEN FIRST_RADIX
#endif
#if DCT_TYPE == 2
#define RESULTS_LEFT STORED
#else
#define RESULTS_LEFT LAST_RADIX
#endif

#if COSINE_PAIRS
    #include "gpu/cosinePairs.cl"
#define PAIRS_OF_ROW (N / 2 + 1) /* pairs of mirror images: the middle one is its own image */
#define PAIRS_OF_ITEM ((PAIRS_OF_ROW + ITEMS - 1) / ITEMS)
#endif

static INLINE DctRow row_in_room(Worker me)
{
    return (DctRow){begin_of_row(me.lane, MOVES) * OF_MOVE, 1, NUMBERS};
}

/* Where move i + further of all rows waits. */
static INLINE uint place_of_move(uint i, uint further)
{
    const RoomPlace at = place_of_element(i, further, MOVES);
    return at.place + at.distance;
}

/* The numbers of move i, with the signs that a sine transform of type 2 gives to every other number. */
static INLINE Moved with_signs(Moved y, uint i)
{
#if PACKED
    return SIGNS_IN ? (Moved)(y.x, -y.y) : y;
#else
    return SIGNS_IN && i % NUMBERS % 2 ? -y : y;
#endif
}

#if DCT_TYPE == 3 && PACKED
/* Points k and N - k of the Fourier transform of a row. */
static INLINE Images points_of_numbers(local const real *waiting, DctRow row, global const cplx *roots, uint k)
{
#if COSINE_PAIRS
    return images_of_numbers(load_four(waiting + row.first, k), k, root_pair(roots, k));
#else
    const cplx lower = element_before(waiting, row, roots, k), upper = element_before(waiting, row, roots, N - k);
    return images(lower, k ? upper : (cplx)(upper.x, 0), turn(PACKED_ROOT(roots, k)), 1);
#endif
}
#endif

#if OWNS_IMAGES && DCT_TYPE == 3
/* A work-item's point r is point 2 r + me.item of the transform. Its image is point FIRST_RADIX - r of the first work-item,
 * and point FIRST_RADIX - 1 - r of the second one. If the radix is even, the first work-item alone has a point in the
 * middle: the second one makes it, too, and overwrites it. */
static INLINE void take_own_points(cplx *x, local const real *waiting, Worker me, global const cplx *roots)
{
    cplx image_before = 0;
    UNROLL for (uint r = 0; 2 * r <= FIRST_RADIX; r++) {
        const uint k = 2 * r < FIRST_RADIX ? 2 * r + me.item : FIRST_RADIX;
        const Images both = points_of_numbers(waiting, row_in_room(me), roots, k);
        x[r] = both.lower;
        if (r)
            x[FIRST_RADIX - r] = me.item ? image_before : both.upper;
        image_before = both.upper;
    }
}
#elif DCT_TYPE == 3 && COSINE_PAIRS && !ROW_IN_ITEM
/* Puts the points of each row into the place of its numbers. */
static INLINE void make_points(local cplx *room, Worker me, global const cplx *roots)
{
    Images both[PAIRS_OF_ITEM];
    local cplx *row = room + begin_of_row(me.lane, N);
    UNROLL for (uint p = 0; p < PAIRS_OF_ITEM; p++) {
        const uint k = me.item + p * ITEMS;
        if (k < PAIRS_OF_ROW)
            both[p] = points_of_numbers((local const real *)room, row_in_room(me), roots, k);
    }
    wait_for_group(0);
    UNROLL for (uint p = 0; p < PAIRS_OF_ITEM; p++) {
        const uint k = me.item + p * ITEMS;
        if (k < PAIRS_OF_ROW)
            row[k] = both[p].lower;
        if (k < PAIRS_OF_ROW && k)
            row[N - k] = both[p].upper;
    }
    wait_for_group(0);
}
#endif

/* Point k of the Fourier transform of a row. */
static INLINE cplx point_of_numbers(local const real *waiting, DctRow row, global const cplx *roots, uint k)
{
#if DCT_TYPE == 3 && PACKED
    return points_of_numbers(waiting, row, roots, k).lower;
#elif DCT_TYPE == 3
    return element_before(waiting, row, roots, k);
#elif PACKED
    return (cplx)(element_before(waiting, row, roots, 2 * k), element_before(waiting, row, roots, 2 * k + 1));
#else
    return (cplx)(element_before(waiting, row, roots, k), 0);
#endif
}

static INLINE void IN_PASS(take_rows_)(cplx *x, global const source_element *src, Batch batch, Axis axis, Worker me,
                                       local cplx *room, global const cplx *roots HOOK_PARAMETERS)
{
    global const Moved *rows = (global const Moved *)((global const real *)src + plain_place(batch, axis, NUMBERS, 0));
    local Moved *room_of_rows = (local Moved *)room;
    const uint all = all_elements(batch, MOVES);
    LOOP(uint begin = 0; begin < SHARE_OF(MOVES); begin += ROUND_OF(MOVES, MOVES_TAKEN)) {
        Moved loaded[ROUND_OF(MOVES, MOVES_TAKEN)];
        UNROLL for (uint e = 0; e < ROUND_OF(MOVES, MOVES_TAKEN); e++) {
            const uint i = get_local_id(0) + (begin + e) * GROUP_SIZE;
            loaded[e] = i < all ? rows[i] : 0;
        }
        UNROLL for (uint e = 0; e < ROUND_OF(MOVES, MOVES_TAKEN); e++) {
            const uint i = get_local_id(0), further = (begin + e) * GROUP_SIZE;
            if (i + further < MOVES * TRANSFORMS)
                room_of_rows[place_of_move(i, further)] = with_signs(loaded[e], i + further);
        }
    }
    local const real *waiting = (local const real *)room;
    wait_for_group(1);
#if DCT_TYPE == 3 && PACKED && ROW_IN_ITEM
    UNROLL for (uint k = 0; 2 * k <= N; k++) {
        const Images both = points_of_numbers(waiting, row_in_room(me), roots, k);
        x[k ? N - k : 0] = both.upper;
        x[k] = both.lower;
    }
#elif OWNS_IMAGES && DCT_TYPE == 3
    take_own_points(x, waiting, me, roots);
#else
#if DCT_TYPE == 3 && COSINE_PAIRS
    make_points(room, me, roots);
#endif
    const Group group = THE_GROUP;
    const Stage stage = {FIRST_RADIX, 1, 0};
    UNROLL for (uint b = 0; b < BUTTERFLIES(FIRST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, me.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < POINTS_TAKEN; r++)
                x[of.b + r * of.many] =
#if DCT_TYPE == 3 && COSINE_PAIRS
                    room[begin_of_row(me.lane, N) + of.j + r * (N / FIRST_RADIX)];
#else
                    point_of_numbers(waiting, row_in_room(me), roots, of.j + r * (N / FIRST_RADIX));
#endif
    }
#endif
#if DCT_TYPE == 3 && !PACKED && !BACK_TO_REAL
    UNROLL for (uint k = TAKEN; k < N; k++) /* a product conjugates, as in takeRows.cl */
        x[k] = x[N - k] * (cplx)(1, -1);
#endif
    wait_for_group(0);
}

#if MAKES_SPECTRA && !ROW_IN_ITEM && !OWNS_IMAGES
static INLINE void IN_PASS(give_rows_)(const cplx *x, global target_element *dst, Batch batch, Axis axis, Worker last,
                                       local cplx *room, cplx scale, global const cplx *roots HOOK_PARAMETERS)
{
    global real *numbers = (global real *)dst + plain_place(batch, axis, NUMBERS, 0);
    const uint all = all_elements(batch, STORED);
    leave_rows(x, room, last, scale, batch.flags, roots);
#if COSINE_PAIRS
    const uint pairs = all / STORED * PAIRS_OF_ROW;
    LOOP(uint i = get_local_id(0); i < pairs; i += GROUP_SIZE) {
        const uint row = i / PAIRS_OF_ROW, k = i % PAIRS_OF_ROW;
        local const cplx *z = room + begin_of_row(row, STORED);
        store_four(numbers + row * NUMBERS, k, 2 * k != N,
                   numbers_of_images(z[k], z[k ? N - k : 0], k, root_pair(roots, k), scale));
    }
#else
    LOOP(uint begin = 0; begin < SHARE_OF(STORED); begin += ROUND_OF(STORED, GIVEN_AT_ONCE))
        UNROLL for (uint e = 0; e < ROUND_OF(STORED, GIVEN_AT_ONCE); e++) {
            const uint i = get_local_id(0) + (begin + e) * GROUP_SIZE;
            const DctRow row = {i / STORED * NUMBERS, 1, NUMBERS};
            if (i < all)
                element_after(numbers, row, roots, i % STORED, element_of_row(room, i, scale, batch.flags, roots));
        }
#endif
}
#else
static INLINE void IN_PASS(give_rows_)(const cplx *x, global target_element *dst, Batch batch, Axis axis, Worker last,
                                       local cplx *room, cplx scale, global const cplx *roots HOOK_PARAMETERS)
{
    global Moved *rows = (global Moved *)((global real *)dst + plain_place(batch, axis, NUMBERS, 0));
    local real *waiting = (local real *)room;
    const uint all = all_elements(batch, MOVES);
    wait_for_group(0); /* for those who still find points of the last exchange */
#if MAKES_SPECTRA && OWNS_IMAGES
    UNROLL for (uint r = 0; 2 * r <= LAST_RADIX; r++) {
        const uint k = 2 * r + last.item;
        const cplx image_of_odd = x[r < LAST_RADIX ? LAST_RADIX - 1 - r : 0], image_of_even = x[r ? LAST_RADIX - r : 0];
        if (2 * k <= N)
            store_four(waiting + row_in_room(last).first, k, 2 * k != N,
                       numbers_of_images(x[r], last.item ? image_of_odd : image_of_even, k, root_pair(roots, k), scale));
    }
#elif MAKES_SPECTRA && COSINE_PAIRS
    UNROLL for (uint k = 0; 2 * k <= N; k++)
        store_four(waiting + row_in_room(last).first, k, 2 * k != N,
                   numbers_of_images(x[k], x[k ? N - k : 0], k, root_pair(roots, k), scale));
#elif MAKES_SPECTRA
    UNROLL for (uint k = 0; 2 * k <= N; k++) {
        const Images both = spectrum_of(x[k], x[k ? N - k : 0], k, scale, batch.flags, roots);
        element_after(waiting, row_in_room(last), roots, k, both.lower);
        element_after(waiting, row_in_room(last), roots, N - k, both.upper);
    }
#else
    const Group group = THE_GROUP;
    const Stage stage = {LAST_RADIX, N / LAST_RADIX, 0};
    UNROLL for (uint b = 0; b < BUTTERFLIES(LAST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, last.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < RESULTS_LEFT; r++) {
                const uint k = of.j + r * (N / LAST_RADIX);
                const cplx z = x[of.b + r * of.many];
#if DCT_TYPE == 2
                element_after(waiting, row_in_room(last), roots, k, z);
#elif PACKED
                element_after(waiting, row_in_room(last), roots, 2 * k, z.x);
                element_after(waiting, row_in_room(last), roots, 2 * k + 1, z.y);
#else
                element_after(waiting, row_in_room(last), roots, k, z.x);
#endif
            }
    }
#endif
    wait_for_group(0);
    local const Moved *room_of_rows = (local const Moved *)room;
    LOOP(uint begin = 0; begin < SHARE_OF(MOVES); begin += ROUND_OF(MOVES, MOVES_GIVEN))
        UNROLL for (uint e = 0; e < ROUND_OF(MOVES, MOVES_GIVEN); e++) {
            const uint i = get_local_id(0), further = (begin + e) * GROUP_SIZE;
            if (i + further < all)
                rows[i + further] = room_of_rows[place_of_move(i, further)];
        }
}
#endif
