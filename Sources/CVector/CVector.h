// What Swift can't say to the processor: the standard library compares and chooses vectors lane by lane, and takes roots
// one by one. Here each is an instruction or two for four lanes, and all are inlined. Nothing else belongs here.
#ifndef LOCWATCH_CVECTOR_H
#define LOCWATCH_CVECTOR_H

#include <stdint.h>
#include <string.h>

#define LOCWATCH_INLINE static inline __attribute__((always_inline))

// Swift sees them as SIMD2<Double>, SIMD4<Float>, SIMD8<Float>, SIMD16<Float>, and of Int32.
typedef double locwatch_double2 __attribute__((ext_vector_type(2)));
typedef float locwatch_float4 __attribute__((ext_vector_type(4)));
typedef float locwatch_float8 __attribute__((ext_vector_type(8)));
typedef float locwatch_float16 __attribute__((ext_vector_type(16)));
typedef int64_t locwatch_long2 __attribute__((ext_vector_type(2)));
typedef int32_t locwatch_int4 __attribute__((ext_vector_type(4)));
typedef int32_t locwatch_int8 __attribute__((ext_vector_type(8)));
typedef int32_t locwatch_int16 __attribute__((ext_vector_type(16)));
typedef _Bool locwatch_bool2 __attribute__((ext_vector_type(2)));
typedef _Bool locwatch_bool4 __attribute__((ext_vector_type(4)));
typedef _Bool locwatch_bool8 __attribute__((ext_vector_type(8)));
typedef _Bool locwatch_bool16 __attribute__((ext_vector_type(16)));

// The lesser of each pair of lanes, which are numbers; of two where one is not, that of `b`.
LOCWATCH_INLINE locwatch_double2 locwatch_lesser2(locwatch_double2 a, locwatch_double2 b) { return a < b ? a : b; }
LOCWATCH_INLINE locwatch_float4 locwatch_lesser4(locwatch_float4 a, locwatch_float4 b) { return a < b ? a : b; }
LOCWATCH_INLINE locwatch_float8 locwatch_lesser8(locwatch_float8 a, locwatch_float8 b) { return a < b ? a : b; }
LOCWATCH_INLINE locwatch_float16 locwatch_lesser16(locwatch_float16 a, locwatch_float16 b) { return a < b ? a : b; }

// The greater of each pair of lanes, which are numbers; of two where one is not, that of `b`.
LOCWATCH_INLINE locwatch_double2 locwatch_greater2(locwatch_double2 a, locwatch_double2 b) { return a > b ? a : b; }
LOCWATCH_INLINE locwatch_float4 locwatch_greater4(locwatch_float4 a, locwatch_float4 b) { return a > b ? a : b; }
LOCWATCH_INLINE locwatch_float8 locwatch_greater8(locwatch_float8 a, locwatch_float8 b) { return a > b ? a : b; }
LOCWATCH_INLINE locwatch_float16 locwatch_greater16(locwatch_float16 a, locwatch_float16 b) { return a > b ? a : b; }

// Each lane of `a`, or that of `b` where it is negative.
LOCWATCH_INLINE locwatch_float8 locwatch_where_negative8(locwatch_float8 a, locwatch_float8 b) { return a < 0 ? b : a; }

// The square root of each lane.
LOCWATCH_INLINE locwatch_float8 locwatch_root8(locwatch_float8 a) { return __builtin_elementwise_sqrt(a); }

// One bit for each lane that is negative.
LOCWATCH_INLINE uint32_t locwatch_negative8(locwatch_int8 a) {
  locwatch_bool8 lanes = __builtin_convertvector(a < 0, locwatch_bool8);
  uint8_t bits;
  memcpy(&bits, &lanes, sizeof bits);
  return bits;
}
LOCWATCH_INLINE uint32_t locwatch_negative16(locwatch_int16 a) {
  locwatch_bool16 lanes = __builtin_convertvector(a < 0, locwatch_bool16);
  uint16_t bits;
  memcpy(&bits, &lanes, sizeof bits);
  return bits;
}

// Whether an odd number of lanes is negative: 1 or 0.
LOCWATCH_INLINE int locwatch_odd2(locwatch_long2 a) {
  locwatch_bool2 lanes = __builtin_convertvector(a < 0, locwatch_bool2);
  uint8_t bits = 0;
  memcpy(&bits, &lanes, sizeof lanes);
  return __builtin_parity(bits & 3);
}
LOCWATCH_INLINE int locwatch_odd4(locwatch_int4 a) {
  locwatch_bool4 lanes = __builtin_convertvector(a < 0, locwatch_bool4);
  uint8_t bits = 0;
  memcpy(&bits, &lanes, sizeof lanes);
  return __builtin_parity(bits & 15);
}

// Asks for the memory at an address that is read soon; any address will do.
LOCWATCH_INLINE void locwatch_prefetch(const void *address) { __builtin_prefetch(address); }

#endif
