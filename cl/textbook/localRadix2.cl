/* localRadix2: radix-2 transforms of N points in local memory, one work-group for each, in one launch: as a program for
 * music analysis computes spectrograms.
 *
 * Points are put where reversed bits tell as they are loaded, then all stages of decimation in time follow, with the
 * N / 2 twiddles that spinFact has computed ahead. ITEMS work-items share the butterflies, as many as the device has in
 * a group: more than N / 2 have nothing to do.
 *
 * With MAXIMUM the group also raises a number to the greatest of its magnitudes, which a hook leaves as results: by
 * atomics on the bits of a float, which are in the same order where numbers are not negative.
 *
 * Both inputs of a butterfly are read before either result is written. The source stores the sum first and takes the
 * difference from it: its lower results are all wrong.
 *
 * References: J. W. Cooley, J. W. Tukey, "An algorithm for the machine calculation of complex Fourier series", Math.
 * Comp. 19 (1965).
 */
#include "textbook/bitReverse.cl"

#ifndef N
#define N 2048 /* points: a power of two, 2 at least */
#endif
#ifndef ITEMS
#define ITEMS 256 /* work-items of a group */
#endif
#ifndef SOURCE
#define SOURCE COMPLEX /* what src holds: COMPLEX or REAL */
#endif
#ifndef OUTPUTS
#define OUTPUTS N /* results that are wanted */
#endif
#if SOURCE == REAL
typedef real source_element;
#define AS_COMPLEX(x) (cplx)(x, 0)
#else
typedef cplx source_element;
#define AS_COMPLEX(x) (x)
#endif
#include "hooks.cl"

#ifndef MAXIMUM
#define MAXIMUM 0 /* k > 0: a hook wants the greatest magnitude of the first k results; single precision */
#endif
#define LOG2_N (31 - clz((uint)N))
#define EACH(i, count) (uint i = get_local_id(0); i < (count); i += ITEMS)

/* Each group takes the transform of its number, from first_group on, as there may be several launches. Transform q
 * begins at coordinates times distances: q mod extent and q / extent. Lines are where the first one begins and how
 * far its points are from each other. */
kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void localRadix2(global const source_element *src, global cplx *dst, global const cplx *w,
                 uint first_group, uint extent,
                 ulong2 src_distances, ulong2 dst_distances, ulong2 src_line, ulong2 dst_line, cplx scale,
                 bits sign_flag HOOK_PARAMETERS)
{
    local cplx x[N];
    uint q = first_group + get_group_id(0);
    ulong from = q % extent * src_distances.x + q / extent * src_distances.y;
    ulong to = q % extent * dst_distances.x + q / extent * dst_distances.y;
    for EACH(i, N) {
        ulong at = from + i * src_line.y;
        x[reverse_bits(i) >> (32 - LOG2_N)] = AS_COMPLEX(LOAD_FROM(src, src_line.x + at, at));
    }
    for (uint stage = 0; stage < LOG2_N; stage++) {
        uint span = 1u << stage; /* distance between the two inputs */
        barrier(CLK_LOCAL_MEM_FENCE);
        for EACH(pair, N / 2) {
            uint position = pair & (span - 1), upper = 2 * (pair - position) + position;
            cplx factor = conj_if(w[position << (LOG2_N - 1 - stage)], sign_flag);
            cplx a = x[upper], b = cmul(factor, x[upper + span]);
            x[upper] = a + b;
            x[upper + span] = a - b;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#if MAXIMUM
    local uint mine;
    if (get_local_id(0) == 0)
        mine = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    for EACH(k, OUTPUTS) {
        ulong at = to + k * dst_line.y;
        cplx z = x[k] * scale.x + x[k] * scale.y;
        STORE_TO(dst, dst_line.x + at, z, at);
#if MAXIMUM
        if (k < MAXIMUM)
            atomic_max(&mine, as_uint(MAGNITUDE(z)));
#endif
    }
#if MAXIMUM
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_max(GREATEST, mine);
#endif
}
