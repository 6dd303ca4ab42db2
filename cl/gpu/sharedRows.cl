/* sharedRows: what takeRows.cl, giveRows.cl and cosineRows.cl have in common: a group's rows as one long row.
 *
 *     element i of all rows is element i % elements of row i / elements
 */
#define TAKEN (FROM_HALF ? N / 2 + 1 : N)                 /* elements of a row in the source */
#define STORED (OUTPUTS < N ? (uint)OUTPUTS : N)          /* elements of a row in the target */
#define TAKEN_PARTS (SOURCE == REAL ? REAL_PART : BOTH_PARTS)
#define GIVEN_PARTS (TARGET == REAL ? REAL_PART : BOTH_PARTS)
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
