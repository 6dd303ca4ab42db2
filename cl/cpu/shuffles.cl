/* shuffles: the orders of lanes that lanes.cl knows, for each number of lanes in a vector.
 *
 *     FIRST_HALVES   a0 b0 a1 b1 ...   the lanes of two vectors a and b in turn, from their first halves
 *     SECOND_HALVES                    and from their second halves
 *     BACKWARD       a3 a2 a1 a0       the lanes of one vector in reverse
 *
 * If two matrices share a vector (TOGETHER 2), each half of its lanes is ordered by itself.
 *
 * Lane i usually has neighbour i of LANES neighbours in memory. But the vectors of AVX have two halves, and to shuffle
 * across these takes further instructions. So there the two quarters in the middle change places (HALVED):
 *
 *     in memory   0 1   2 3 | 4 5   6 7
 *     in lanes    0 1   4 5 | 2 3   6 7
 *
 * Complex numbers are loaded and stored then without an instruction that crosses halves. FIRST_HALVES and SECOND_HALVES
 * are those of each half. EVENS and ODDS are the real and the imaginary parts of complex numbers in two vectors.
 */
#define HALVED (VECTOR_BITS == 256 && LANES == 8 >> DOUBLE && TOGETHER == 1)

#if HALVED && LANES == 4
#define LANE_ORDER 0, 2, 1, 3
#define EVENS 0, 4, 2, 6
#define ODDS 1, 5, 3, 7
#elif HALVED
#define LANE_ORDER 0, 1, 4, 5, 2, 3, 6, 7
#define EVENS 0, 2, 8, 10, 4, 6, 12, 14
#define ODDS 1, 3, 9, 11, 5, 7, 13, 15
#endif

#if (TOGETHER == 2 || HALVED) && LANES == 4
#define FIRST_HALVES 0, 4, 2, 6
#define SECOND_HALVES 1, 5, 3, 7
#elif (TOGETHER == 2 || HALVED) && LANES == 8
#define FIRST_HALVES 0, 8, 1, 9, 4, 12, 5, 13
#define SECOND_HALVES 2, 10, 3, 11, 6, 14, 7, 15
#elif TOGETHER == 2 && LANES == 16
#define FIRST_HALVES 0, 16, 1, 17, 2, 18, 3, 19, 8, 24, 9, 25, 10, 26, 11, 27
#define SECOND_HALVES 4, 20, 5, 21, 6, 22, 7, 23, 12, 28, 13, 29, 14, 30, 15, 31
#elif LANES == 2
#define FIRST_HALVES 0, 2
#define SECOND_HALVES 1, 3
#elif LANES == 4
#define FIRST_HALVES 0, 4, 1, 5
#define SECOND_HALVES 2, 6, 3, 7
#elif LANES == 8
#define FIRST_HALVES 0, 8, 1, 9, 2, 10, 3, 11
#define SECOND_HALVES 4, 12, 5, 13, 6, 14, 7, 15
#elif LANES == 16
#define FIRST_HALVES 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define SECOND_HALVES 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#endif

#if LANES == 2
#define BACKWARD 1, 0
#elif LANES == 4
#define BACKWARD 3, 2, 1, 0
#elif LANES == 8
#define BACKWARD 7, 6, 5, 4, 3, 2, 1, 0
#elif LANES == 16
#define BACKWARD 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
#endif
