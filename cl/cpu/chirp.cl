/* chirp: Bluestein's algorithm for all points of a block in one launch.
 *
 *     scratch  --->  times the chirp, zeros behind  --->  convolution with the chirp  --->  times the chirp
 *
 * References: L. I. Bluestein, "A linear filtering approach to the computation of discrete Fourier transform",
 * IEEE Trans. Audio Electroacoustics AU-18 (1970).
 */

/* `length` points of `from` to the beginning of `scratch`, which may be the same place. */
static INLINE void modulate(SCRATCH points *scratch, SCRATCH const points *from, uint length, Sizes sizes,
                            Tables tables)
{
    LOOP(uint i = 0; i < length; i++)
        scratch[i] = times_number(from[i], tables.chirp + i);
    LOOP(uint i = length; i < sizes.points; i++)
        scratch[i] = 0;
}

/* A convolution has left conjugates. */
static INLINE void demodulate(SCRATCH points *to, SCRATCH const points *scratch, uint length, Tables tables)
{
    LOOP(uint k = 0; k < length; k++)
        to[k] = times_number(conjugated(scratch[k]), tables.chirp + k);
}
