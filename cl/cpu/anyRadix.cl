/* anyRadix: stages of one RADIX in a kernel for all lengths. A template: anyLength.cl includes it once for each radix.
 *
 *     blocks of RADIX x `below` points  --->  codelets, twiddles  --->  RADIX times as many blocks of `below` points
 */
#define OF_RADIX(name) JOINED(name, RADIX)

static INLINE void OF_RADIX(stage_there_)(SCRATCH points *scratch, uint n, uint below, global const cplx *twiddles)
{
    LOOP(uint at = 0; at < n; at += RADIX * below)
        LOOP(uint j = 0; j < below; j++)
        {
            points x[RADIX];
            global const cplx *w = twiddles + (below - 1) + j * (RADIX - 1);
            UNROLL for (uint r = 0; r < RADIX; r++)
                x[r] = scratch[at + j + r * below];
            OF_RADIX(fft)(x, 1);
            scratch[at + j] = x[0];
            UNROLL for (uint k = 1; k < RADIX; k++)
                scratch[at + j + k * below] = times(x[k], w[k - 1]);
        }
}

#if CONVOLVES
static INLINE void OF_RADIX(stage_back_)(SCRATCH points *scratch, uint n, uint below, global const cplx *twiddles)
{
    LOOP(uint at = 0; at < n; at += RADIX * below)
        LOOP(uint j = 0; j < below; j++)
        {
            points x[RADIX];
            global const cplx *w = twiddles + (below - 1) + j * (RADIX - 1);
            x[0] = scratch[at + j];
            UNROLL for (uint k = 1; k < RADIX; k++)
                x[k] = times(scratch[at + j + k * below], w[k - 1]);
            OF_RADIX(fft)(x, 1);
            UNROLL for (uint r = 0; r < RADIX; r++)
                scratch[at + j + r * below] = x[r];
        }
}

/* The last stage there, the product with the spectrum, and the first stage back. */
static INLINE void OF_RADIX(last_stage_)(SCRATCH points *scratch, uint n, global const long *rows, Source source,
                                         Target target HOOK_PARAMETERS)
{
    LOOP(uint at = 0; at < n; at += RADIX)
    {
        points x[RADIX];
        UNROLL for (uint r = 0; r < RADIX; r++)
            x[r] = scratch[at + r];
        OF_RADIX(fft)(x, 1);
        UNROLL for (uint k = 0; k < RADIX; k++)
            x[k] = conjugated(times_spectrum(x[k], source, at + k));
        OF_RADIX(fft)(x, 1);
        UNROLL for (uint r = 0; r < RADIX; r++)
            scratch[at + r] = x[r];
    }
}
#else
/* The last stage. `rows` has the number of each block's first result. */
static INLINE void OF_RADIX(last_stage_)(SCRATCH points *scratch, uint n, global const long *rows, Source source,
                                         Target target HOOK_PARAMETERS)
{
    LOOP(uint block = 0; block < n / RADIX; block++)
    {
        points x[RADIX];
        UNROLL for (uint r = 0; r < RADIX; r++)
            x[r] = scratch[block * RADIX + r];
        OF_RADIX(fft)(x, 1);
        UNROLL for (uint k = 0; k < RADIX; k++)
            store_result(target, rows[block] + k * (n / RADIX), x[k] HOOK_ARGUMENTS);
    }
}
#endif
#undef OF_RADIX
#undef RADIX
