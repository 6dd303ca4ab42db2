/* anyRadix: a stage of one RADIX over any number of points. A template: smallStages.cl, which says how points lie before a
 * stage and after it, includes it once for each radix.
 */
#define OF_RADIX(name) JOINED(name, RADIX)

static INLINE void OF_RADIX(stage_)(SCRATCH const points *from, SCRATCH points *to, uint before, uint below,
                                    global const cplx *twiddles)
{
    LOOP(uint j = 0; j < below; j++)
    {
        global const cplx *w = twiddles + (below - 1) + j * (RADIX - 1);
        LOOP(uint i = j * before; i < (j + 1) * before; i++)
        {
            SCRATCH points *y = to + i + j * before * (RADIX - 1);
            points x[RADIX];
            UNROLL for (uint r = 0; r < RADIX; r++)
                x[r] = from[i + r * below * before];
            OF_RADIX(fft)(x, 1);
            if (j)
                UNROLL for (uint k = 1; k < RADIX; k++)
                    x[k] = times_number(x[k], w + k - 1);
            UNROLL for (uint k = 0; k < RADIX; k++)
                y[k * before] = x[k];
        }
    }
}
#undef OF_RADIX
#undef RADIX
