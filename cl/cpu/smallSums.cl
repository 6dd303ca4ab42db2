/* smallSums: what small.cl loads and stores of a cosine or sine transform.
 *
 *     numbers p and q of the source, times complex weights      --->  their sum: an element of the Fourier transform
 *     real and imaginary part of an element, times real weights  --->  their sum: a number of the target
 *
 * `places` has p and q of each element, and behind them the element of each number of the target; that they are real
 * numbers makes all tables one. `weights` are in the same order. So all types of transforms, of even and odd lengths, are
 * one piece of code. dctParts.cl has the formulas from which the tables come.
 */
static INLINE void load_sums(SCRATCH points *to, global const real *src, Numbers from, const Work *work)
{
    LOOP(uint i = 0; i < work->loaded; i++)
    {
        SCRATCH real *point = (SCRATCH real *)(to + i);
        global const real *w = work->weights + 4 * i;
        global const real *p = src + from.first + (uint)work->places[2 * i] * from.point;
        global const real *q = src + from.first + (uint)work->places[2 * i + 1] * from.point;
        if (from.lanes < LANES)
            to[i] = 0;
        LOOP(uint lane = 0; lane < from.lanes; lane++)
        {
            point[lane] = *p * w[0] + *q * w[2];
            point[LANES + lane] = *p * w[1] + *q * w[3];
            p += from.transform, q += from.transform;
        }
    }
}

static INLINE void store_sums(global real *dst, Numbers to, SCRATCH const points *from, const Work *work)
{
    LOOP(uint k = 0; k < to.points; k++)
    {
        SCRATCH const real *element = (SCRATCH const real *)(from + (uint)work->places[2 * work->loaded + k]);
        global const real *w = work->weights + 4 * work->loaded + 2 * k;
        const ulong place = to.first + k * to.point;
        LOOP(uint lane = 0; lane < to.lanes; lane++)
            dst[place + lane * to.transform] = element[lane] * w[0] + element[LANES + lane] * w[1];
    }
}
