/* vectors: what kernels need that compute with vectors as wide as a CPU's registers, beside prelude.cl. */
#ifdef __clang__
#if __clang_major__ >= 10
#pragma clang diagnostic ignored "-Wpsabi" /* how vectors wider than registers are passed: all is inlined */
#endif
#endif
#ifndef VECTOR_BITS
#define VECTOR_BITS 0 /* wide vectors that clang would avoid by itself: 512 for AVX-512 */
#endif
#if VECTOR_BITS
#define WIDE __attribute__((min_vector_width(VECTOR_BITS)))
#else
#define WIDE
#endif
