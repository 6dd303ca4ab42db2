/* Types and complex arithmetic that every kernel shares: one source for both precisions.
 *
 * A kernel file begins with #include "prelude.cl", so that it also compiles alone with the
 * defaults below (clang -x cl -I cl FILE.cl); pyclfft puts the text in place itself, since
 * include paths do not work alike on all runtimes.
 */
#ifndef DOUBLE
#define DOUBLE 0 /* 1: double precision, needs cl_khr_fp64; 0: single */
#endif

#if DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
typedef double2 cplx;
typedef double4 real4;
typedef ulong bits;                  /* the integer as wide as a real */
#define CONST(literal) literal       /* a constant of type real: CONST(0.5) */
#define as_real(b) as_double(b)
#define as_bits(x) as_ulong(x)
#else
typedef float real;
typedef float2 cplx;
typedef float4 real4;
typedef uint bits;
#define CONST(literal) literal##f
#define as_real(b) as_float(b)
#define as_bits(x) as_uint(x)
#endif

/* Every function is put in place of its calls, so that arguments that are constants there are constants within.
 * Oclgrind cannot run what a compiler makes of that without optimisation: its tests define NO_INLINE. */
#ifdef NO_INLINE
#define INLINE
#else
#define INLINE inline __attribute__((always_inline))
#endif

/* Loops that the compiler is to unroll, and loops that it is to leave as they are. */
#define UNROLL __attribute__((opencl_unroll_hint))
#define LOOP __attribute__((opencl_unroll_hint(1))) for

/* What an array holds. */
#define COMPLEX 0
#define REAL 1
#define HERMITIAN 2 /* the first half of points of which the second are the conjugates in reverse */

static INLINE cplx cmul(cplx a, cplx b)
{
    return (cplx)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* z, or its conjugate where sign_flag is the sign bit of a real rather than 0: the textbook's
 * way from the forward to the inverse transform without a branch. */
static INLINE cplx conj_if(cplx z, bits sign_flag)
{
    return (cplx)(z.x, as_real(as_bits(z.y) ^ sign_flag));
}
