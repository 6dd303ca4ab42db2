/* declarations: the functions of OpenCL C that kernels use.
 *
 * A compiler knows them by itself, but PoCL's reads them from a header of 900 KB for each program, which takes longer
 * than all else that it does with a kernel of ours. A program that begins with this file does without: it is built with
 * the macro _OPENCL_H_, as if the header had been read already. A function that stands here stands here for each type
 * of number that it takes, so that no argument is converted unseen.
 */
#define OVERLOADED __attribute__((overloadable))
#define PURE __attribute__((overloadable, const))

/* --- work-items ------------------------------------------------------------------------------------ */

size_t PURE get_global_id(uint);
size_t PURE get_global_size(uint);
size_t PURE get_group_id(uint);
size_t PURE get_num_groups(uint);
size_t PURE get_local_id(uint);
size_t PURE get_local_size(uint);

void OVERLOADED __attribute__((convergent)) barrier(uint);
void OVERLOADED mem_fence(uint);

#define ATOMIC(type)                                            \
    type OVERLOADED atomic_add(volatile global type *, type);  \
    type OVERLOADED atomic_add(volatile local type *, type);   \
    type OVERLOADED atomic_inc(volatile global type *);        \
    type OVERLOADED atomic_inc(volatile local type *);         \
    type OVERLOADED atomic_max(volatile global type *, type);  \
    type OVERLOADED atomic_max(volatile local type *, type);   \
    type OVERLOADED atomic_xchg(volatile global type *, type); \
    type OVERLOADED atomic_xchg(volatile local type *, type);
ATOMIC(int)
ATOMIC(uint)
float OVERLOADED atomic_xchg(volatile global float *, float);
float OVERLOADED atomic_xchg(volatile local float *, float);

/* --- numbers --------------------------------------------------------------------------------------- */

#define FUNCTIONS_OF_INTEGERS(type)       \
    type PURE min(type, type);            \
    type PURE max(type, type);            \
    type PURE clamp(type, type, type);    \
    type PURE clz(type);
FUNCTIONS_OF_INTEGERS(char)
FUNCTIONS_OF_INTEGERS(uchar)
FUNCTIONS_OF_INTEGERS(short)
FUNCTIONS_OF_INTEGERS(ushort)
FUNCTIONS_OF_INTEGERS(int)
FUNCTIONS_OF_INTEGERS(uint)
FUNCTIONS_OF_INTEGERS(long)
FUNCTIONS_OF_INTEGERS(ulong)
FUNCTIONS_OF_INTEGERS(uint4)
FUNCTIONS_OF_INTEGERS(uint8)
FUNCTIONS_OF_INTEGERS(uint16)
FUNCTIONS_OF_INTEGERS(ulong4)
FUNCTIONS_OF_INTEGERS(ulong8)
FUNCTIONS_OF_INTEGERS(ulong16)

#define FUNCTIONS_OF_REALS(type)          \
    type PURE min(type, type);            \
    type PURE max(type, type);            \
    type PURE clamp(type, type, type);    \
    type PURE fmin(type, type);           \
    type PURE fmax(type, type);           \
    type PURE fabs(type);                 \
    type PURE fma(type, type, type);      \
    type PURE fmod(type, type);           \
    type PURE rint(type);                 \
    type PURE round(type);                \
    type PURE floor(type);                \
    type PURE sqrt(type);                 \
    type PURE exp(type);                  \
    type PURE log(type);                  \
    type PURE log2(type);                 \
    type PURE log10(type);                \
    type PURE pow(type, type);            \
    type PURE pown(type, int);            \
    type PURE sin(type);                  \
    type PURE cos(type);                  \
    type PURE sinpi(type);                \
    type PURE cospi(type);                \
    type PURE length(type);               \
    type PURE length(type##2);            \
    int PURE isnan(type);
FUNCTIONS_OF_REALS(float)
FUNCTIONS_OF_REALS(double)

#define FUNCTIONS_OF_VECTORS(type)        \
    type PURE fmin(type, type);           \
    type PURE fmax(type, type);           \
    type PURE fabs(type);                 \
    type PURE exp(type);                  \
    type PURE log(type);                  \
    type PURE sqrt(type);                 \
    type PURE pow(type, type);            \
    type PURE fma(type, type, type);
FUNCTIONS_OF_VECTORS(float2)
FUNCTIONS_OF_VECTORS(float3)
FUNCTIONS_OF_VECTORS(float4)
FUNCTIONS_OF_VECTORS(float8)
FUNCTIONS_OF_VECTORS(float16)
FUNCTIONS_OF_VECTORS(double2)
FUNCTIONS_OF_VECTORS(double3)
FUNCTIONS_OF_VECTORS(double4)
FUNCTIONS_OF_VECTORS(double8)
FUNCTIONS_OF_VECTORS(double16)

float OVERLOADED __attribute__((pure)) vload_half(size_t, const global half *);
void OVERLOADED vstore_half(float, size_t, global half *);
float4 OVERLOADED __attribute__((pure)) read_imagef(read_only image1d_buffer_t, int);
