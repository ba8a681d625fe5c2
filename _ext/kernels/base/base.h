/* base: integer types, bit counting, wide multiplication, instruction sets.
 *
 * Every kernel of this folder is a pure function over buffers that its caller owns: no allocation, no input or output,
 * no global state, no error code. It allocates nothing and checks nothing, so it cannot fail; the doors (the `def`
 * functions of the .pyx files) check every argument before they call one.
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
#pragma fp_contract(off) /* its default since Visual Studio 2022; for GCC and clang setup.py turns contraction off */
#else
#define MOE_RESTRICT restrict
#endif

/* 1 if the compiler has vector types. Without (or with MOELIGA_PLAIN) plain loops do the same sums in the same
 * order. */
#if defined(__GNUC__) && (defined(__clang__) || __GNUC__ >= 12) && !defined(MOELIGA_PLAIN)
#define MOE_HAS_VECTORS 1
#else
#define MOE_HAS_VECTORS 0
#endif

/* 1 if the hot loops are compiled once for each instruction set (base/levels.inc.h). All versions return the same bits:
 * contraction is off and no sum is reordered. */
#if MOE_HAS_VECTORS && defined(__x86_64__)
#define MOE_HAS_LEVELS 1
#else
#define MOE_HAS_LEVELS 0
#endif

/* Name the version of function `name`, from a template of levels.inc.h, for an instruction set <= moe_base_level(). */
#if MOE_HAS_LEVELS
#include <immintrin.h>
#define MOE_AT(level, name) ((level) == 4 ? name##_v4 : (level) == 3 ? name##_v3 : name##_v0)
#else
#define MOE_AT(level, name) ((void)(level), name##_v0)
#endif

#if MOE_HAS_LEVELS && defined(__clang__)
#include <cpuid.h>
#endif

/* MOE_HAS_NEON is 1 if NEON intrinsics can be called. MOE_NEON_MASK packs a comparison of four lanes into 4 bits. */
#if MOE_HAS_VECTORS && defined(__aarch64__) && defined(__ARM_NEON) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#include <arm_neon.h>
#define MOE_HAS_NEON 1
#define MOE_NEON_MASK(lanes) vaddvq_u32(vandq_u32(lanes, (uint32x4_t){1, 2, 4, 8}))
#else
#define MOE_HAS_NEON 0
#endif

/* Marks functions that are inlined into a hot loop, so that they are compiled for its instruction set. */
#if defined(__GNUC__)
#define MOE_INLINE inline __attribute__((always_inline))
#else
#define MOE_INLINE inline
#endif

/* Marks functions that must not be inlined into the calling loop, so that they have all registers to themselves. */
#if defined(__GNUC__)
#define MOE_NOINLINE __attribute__((noinline))
#else
#define MOE_NOINLINE
#endif

/* Return the best instruction set that this build and this machine have: 4 or 3 = x86-64-v4 or -v3, 0 = the set that
 * the build was compiled for. */
static inline int moe_base_level(void)
{
#if MOE_HAS_LEVELS
    __builtin_cpu_init();
#if defined(__clang__) /* clang knows the sets by name only from version 18 on */
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

/* Return the number of bits that are 1. */
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

/* Return the index of the lowest bit that is 1; word != 0. */
static inline int moe_base_lowest(uint64_t word)
{
#if defined(__GNUC__)
    return __builtin_ctzll(word);
#else
    return moe_base_popcount((word & (0 - word)) - 1);
#endif
}

/* Return the high 64 bits of the 128-bit product a * b. */
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

/* Return the smallest multiple of `step` that is >= `size`. */
static inline int64_t moe_base_round_up(int64_t size, int64_t step)
{
    return (size + step - 1) / step * step;
}

#endif
