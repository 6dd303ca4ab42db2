/* smallChirp: Bluestein's algorithm around the stages of small.cl.
 *
 *     points  --->  times the chirp, zeros behind  --->  all stages  --->  times the spectrum of the chirp, conjugated
 *             --->  all stages, which now lead back  --->  conjugated, times the chirp
 *
 * References: L. I. Bluestein, "A linear filtering approach to the computation of discrete Fourier transform",
 * IEEE Trans. Audio Electroacoustics AU-18 (1970).
 */
static INLINE void modulate(SCRATCH points *x, const Work *work)
{
    LOOP(uint i = 0; i < work->length; i++)
        x[i] = times(x[i], work->chirp[i]);
    LOOP(uint i = work->length; i < work->points; i++)
        x[i] = 0;
}

static INLINE void times_spectrum(SCRATCH points *x, const Work *work)
{
    LOOP(uint k = 0; k < work->points; k++)
        x[k] = conjugated(times(x[k], work->spectrum[k]));
}

static INLINE void demodulate(SCRATCH points *x, const Work *work)
{
    LOOP(uint k = 0; k < work->length; k++)
        x[k] = times(conjugated(x[k]), work->chirp[k]);
}
