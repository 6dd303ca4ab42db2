/* phases: spectra with given magnitudes, whose phases are sought by Griffin's and Lim's algorithm.
 *
 * The arrays have one shape, and it does not matter in which order their elements lie.
 *
 * References: D. W. Griffin, J. S. Lim, "Signal estimation from modified short-time Fourier transform", IEEE Trans.
 * ASSP-32 (1984); N. Perraudin, P. Balazs, P. L. Søndergaard, "A fast Griffin-Lim algorithm", IEEE WASPAA (2013).
 */
#include "prelude.cl"

#ifndef GIVEN
#define GIVEN REAL /* what is given: REAL magnitudes, or COMPLEX numbers by which phases are multiplied */
#endif

#if GIVEN == COMPLEX
typedef cplx given;
#else
typedef real given;
#endif

static INLINE cplx times(cplx phase, given wanted)
{
#if GIVEN == COMPLEX
    return cmul(phase, wanted);
#else
    return phase * wanted;
#endif
}

/* The spectra with which the search begins: phases are given in turns. Range: (element). */
kernel void firstPhases(global const given *wanted, global const real *turns, global cplx *spectra, ulong count)
{
    const ulong i = get_global_id(0);
    if (i >= count)
        return;
    const real half_turns = 2 * turns[i];
    spectra[i] = times((cplx)(cospi(half_turns), sinpi(half_turns)), wanted[i]);
}

/* The next ones: their phases are those of a real signal's spectra, less `share` of what these were before. Phases of
 * numbers near 0 have a magnitude below 1, as `least` says. Range: (element). */
kernel void nextPhases(global const given *wanted, global const cplx *rebuilt, global const cplx *before,
                       global cplx *spectra, ulong count, real share, real least)
{
    const ulong i = get_global_id(0);
    if (i >= count)
        return;
    const cplx z = share == 0 ? rebuilt[i] : rebuilt[i] - share * before[i];
    spectra[i] = times(z / (length(z) + least), wanted[i]);
}
