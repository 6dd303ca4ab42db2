/* sharedRows: what takeRows.cl, giveRows.cl and cosineRows.cl have in common: a group's rows as one long row.
 *
 *     element i of all rows is element i % elements of row i / elements
 */
#define ROW_IN_ITEM (FIRST_RADIX == N)         /* a work-item has a whole row */
#define HALF_OF_ROW ((PACKED ? N : N / 2) + 1) /* numbers of half of a row's spectrum */
#define TAKEN (FROM_HALF ? HALF_OF_ROW : N)    /* elements of a row in the source; of a packed real row, points */
#define STORED (MAKES_SPECTRA ? HALF_OF_ROW : OUTPUTS < N ? (uint)OUTPUTS : N) /* and in the target */
#define TAKEN_PARTS (SOURCE == REAL && !PACKED ? REAL_PART : BOTH_PARTS)
#define GIVEN_PARTS (TARGET == REAL && !PACKED ? REAL_PART : BOTH_PARTS)
#define SPECTRUM_OF_PART (N / 2 + 1) /* PARTS_APART: numbers of the spectrum of either part of a row */

/* Where element i + further of all rows waits in local memory, and where a lane's row begins there. Rows lie an odd number
 * of elements apart, so that neighbouring lanes meet different banks. The compiler knows `further`,
 * so that it becomes a part of the instruction that loads or stores. */
static INLINE RoomPlace place_of_element(uint i, uint further, uint elements)
{
    const uint at = i + further;
    return elements % 2 ? (RoomPlace){(int)i, (int)further} : (RoomPlace){(int)(at + at / elements), 0};
}
static INLINE int begin_of_row(uint lane, uint elements)
{
    return (int)(lane * (elements | 1));
}

#if PACKED
/* The root W^k of packed.cl: cosineRows.cl has roots of a fourth of its angle. */
#define PACKED_ROOT(roots, k) ((roots)[COSINE_ROWS ? 4 * (k) : (k)])
#endif

#if MAKES_SPECTRA
/* Numbers k and N - k of the spectrum of a packed row, of the same numbers of its transform. */
static INLINE Images spectrum_of(cplx lower, cplx upper, uint k, cplx scale, uint flags, global const cplx *roots)
{
    const Images both = images(lower, upper, times_minus_i(PACKED_ROOT(roots, k)), WEIGHT);
    return (Images){finished(both.lower, scale, flags), finished(both.upper, scale, flags)};
}

/* Number i of the spectra of packed rows, whose transforms lie in local memory. */
static INLINE cplx element_of_row(local const cplx *room, uint i, cplx scale, uint flags, global const cplx *roots)
{
    const uint k = i % STORED;
    local const cplx *row = room + begin_of_row(i / STORED, STORED);
    return spectrum_of(row[k < N ? k : 0], row[k ? N - k : 0], k, scale, flags, roots).lower;
}
#endif

#if !PARTS_APART
/* Leaves the results of the last stage in local memory, in order. If a work-item has the whole transform of a packed row, it
 * makes the spectrum first. */
static INLINE void leave_rows(const cplx *x, local cplx *room, Worker last, cplx scale, uint flags,
                              global const cplx *roots)
{
    const int row = begin_of_row(last.lane, STORED);
    wait_for_group(0); /* for those who still find points of the last exchange */
#if MAKES_SPECTRA && ROW_IN_ITEM
    UNROLL for (uint k = 0; 2 * k <= N; k++) {
        const Images both = spectrum_of(x[k], x[k ? N - k : 0], k, scale, flags, roots);
        leave(room, (RoomPlace){row, (int)k}, BOTH_PARTS, both.lower);
        leave(room, (RoomPlace){row, (int)(N - k)}, BOTH_PARTS, both.upper);
    }
#else
    const Group group = THE_GROUP;
    const Stage stage = {LAST_RADIX, N / LAST_RADIX, 0};
    UNROLL for (uint b = 0; b < BUTTERFLIES(LAST_RADIX); b++) {
        const Butterfly of = butterfly(group, stage, b, last.item);
        if (of.exists)
            UNROLL for (uint r = 0; r < LAST_RADIX; r++)
                if (of.j + r * (N / LAST_RADIX) < STORED)
                    leave(room, (RoomPlace){row + (int)of.j, (int)(r * (N / LAST_RADIX))}, GIVEN_PARTS,
                          x[of.b + r * of.many]);
    }
#endif
    wait_for_group(0);
}
#endif
