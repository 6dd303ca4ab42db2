/* relate: the greatest of all magnitudes, and each of them beside it: as a quotient, or in decibels. */
#include "prelude.cl"

#ifndef GROUP
#define GROUP 128 /* work-items in a group that looks for the greatest number: a power of two */
#endif
#ifndef RELATIVE
#define RELATIVE 1 /* 1: to the greatest number of all; 0: to a given one */
#endif
#ifndef DECIBELS
#define DECIBELS 0 /* 1: logarithms; 0: quotients */
#endif

/* Which is not a number if one of both is not, as NumPy has it. */
static inline real greater(real a, real b)
{
    return isnan(a) || a > b ? a : b;
}

/* Joins what the work-items of a group have found, and leaves it in found[0]. */
static inline void join_group(local real *found)
{
    uint lane = get_local_id(0);
    for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < half_size)
            found[lane] = greater(found[lane], found[lane + half_size]);
    }
}

/* Before a transform's kernel looks for the greatest number by itself. */
kernel void forgetGreatest(global real *greatest)
{
    *greatest = 0;
}

/* The greatest number of each group's share; a pass of one group over these finds that of all: no atomics, and
 * the same for integers and for both precisions. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void greatest(global const real *values, global real *parts, ulong count)
{
    local real found[GROUP];
    real mine = 0;
    for (ulong i = get_global_id(0); i < count; i += get_global_size(0))
        mine = greater(values[i], mine);
    found[get_local_id(0)] = mine;
    join_group(found);
    if (get_local_id(0) == 0)
        parts[get_group_id(0)] = found[0];
}

#if DECIBELS
/* Of a number that is none, nothing else. */
static inline real at_least(real least, real x)
{
    return isnan(x) ? x : fmax(least, x);
}
#endif

/* Each number beside the greatest, or another reference: their quotient, or `factor` times the logarithm of it,
 * where no number counts as less than `least`, and no result is more than `range` below the greatest. */
kernel void relate(global real *values, global const real *top, ulong count, real reference,
                   real factor, real least, real range)
{
    ulong i = get_global_id(0);
    if (i >= count)
        return;
    real value = values[i], most = *top;
    if (RELATIVE)
        reference = most;
#if DECIBELS
    real base = log10(at_least(least, reference)); /* so that equal numbers are 0 dB apart, exactly */
    real decibels = factor * (log10(at_least(least, value)) - base);
    real lowest = factor * (log10(at_least(least, most)) - base) - range;
    values[i] = decibels < lowest ? lowest : decibels;
#else
    values[i] = value == reference ? (reference != 0) : value / reference;
#endif
}
