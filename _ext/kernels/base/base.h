/* base: integer types, bit counting, wide multiplication, instruction sets.
 *
 * Every kernel of this folder is a pure function over buffers that its caller
 * owns: no allocation, no input or output, no global state, no error code.
 * Since it performs no allocation and checks nothing, it cannot fail; the doors
 * (the `def` functions of the .pyx files) check every argument before.
 *
 * Argument order: inputs, sizes, options, workspace, outputs.
 */
#ifndef MOE_BASE_BASE_H
#define MOE_BASE_BASE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#define MOE_RESTRICT __restrict
#else
#define MOE_RESTRICT restrict
#endif

/* Vectors as a type, where the compiler has them. Without them, or with
 * MOELIGA_PLAIN, plain loops do the same sums in the same order. */
#if defined(__GNUC__) && (defined(__clang__) || __GNUC__ >= 12) && !defined(MOELIGA_PLAIN)
#define MOE_HAS_VECTORS 1
#else
#define MOE_HAS_VECTORS 0
#endif

/* Whether the hot loops are compiled for each instruction set (base/levels.inc.h). Every one
 * gives the same bits: contraction is off and no sum is reordered. */
#if MOE_HAS_VECTORS && defined(__x86_64__)
#define MOE_HAS_LEVELS 1
#else
#define MOE_HAS_LEVELS 0
#endif

/* The function `name` of a template of levels.inc.h for an instruction set, at most moe_base_level(). */
#if MOE_HAS_LEVELS
#include <immintrin.h>
#define MOE_AT(level, name) ((level) == 4 ? name##_v4 : (level) == 3 ? name##_v3 : name##_v0)
#else
#define MOE_AT(level, name) ((void)(level), name##_v0)
#endif

#if MOE_HAS_LEVELS && defined(__clang__)
#include <cpuid.h>
#endif

/* Whether the instructions of aarch64 are at hand by name; a bit for each lane of a comparison. */
#if MOE_HAS_VECTORS && defined(__aarch64__) && defined(__ARM_NEON) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#include <arm_neon.h>
#define MOE_HAS_NEON 1
#define MOE_NEON_MASK(lanes) vaddvq_u32(vandq_u32(lanes, (uint32x4_t){1, 2, 4, 8}))
#else
#define MOE_HAS_NEON 0
#endif

/* Parts of a hot loop: compiled into it, with its instruction set. */
#if defined(__GNUC__)
#define MOE_INLINE inline __attribute__((always_inline))
#else
#define MOE_INLINE inline
#endif

/* Parts that are kept out of the loop around them, so that registers are theirs alone. */
#if defined(__GNUC__)
#define MOE_NOINLINE __attribute__((noinline))
#else
#define MOE_NOINLINE
#endif

/* Best instruction set that this build and this machine have: 4 or 3 = x86-64-v4
 * or -v3, 0 = the one that the build is compiled for. */
static inline int moe_base_level(void)
{
#if MOE_HAS_LEVELS
    __builtin_cpu_init();
#if defined(__clang__) /* it knows the sets by name only since its version 18 */
    unsigned a, b, c = 0, d, more = 0;
    __get_cpuid(1, &a, &b, &c, &d);
    __get_cpuid(0x80000001, &a, &b, &more, &d);
    if (!(c & bit_MOVBE) || !(c & bit_F16C) || !(more & bit_LZCNT) || !__builtin_cpu_supports("avx2") ||
        !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("fma"))
        return 0;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return 4;
    return 3;
#else
    if (__builtin_cpu_supports("x86-64-v4")) return 4;
    if (__builtin_cpu_supports("x86-64-v3")) return 3;
#endif
#endif
    return 0;
}

/* Number of bits that are 1. */
static inline int moe_base_popcount(uint64_t word)
{
#if defined(__GNUC__)
    return __builtin_popcountll(word);
#else
    word -= (word >> 1) & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + ((word >> 2) & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int)((word * 0x0101010101010101u) >> 56);
#endif
}

/* Index of the lowest bit that is 1; word != 0. */
static inline int moe_base_lowest(uint64_t word)
{
#if defined(__GNUC__)
    return __builtin_ctzll(word);
#else
    return moe_base_popcount((word & (0 - word)) - 1);
#endif
}

/* High 64 bits of a * b. */
static inline uint64_t moe_base_mulhi(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 moe_u128_t;
    return (uint64_t)(((moe_u128_t)a * b) >> 64);
#elif defined(_MSC_VER) && defined(_M_X64)
    return __umulh(a, b);
#else
    uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t low = a_low * b_low, mid = a_high * b_low + (low >> 32);
    uint64_t cross = a_low * b_high + (uint32_t)mid;
    return a_high * b_high + (mid >> 32) + (cross >> 32);
#endif
}

/* Smallest multiple of `step` that is not below `size`. */
static inline int64_t moe_base_round_up(int64_t size, int64_t step)
{
    return (size + step - 1) / step * step;
}

#endif
