/* lanes: vectors of 32-bit numbers, one register wide. A template: see base/levels.inc.h. */
#undef MOE_REALS
#undef MOE_WHOLE
#undef MOE_UNSIGNED
#undef MOE_WIDE
#undef MOE_REALS_AT
#undef MOE_WHOLE_AT
#undef MOE_WIDE_AT
#undef MOE_LANES
#undef MOE_LANES_RAMP
#undef MOE_LANES_EVEN
#undef MOE_LANES_ODD
#undef MOE_LANES_SHIFT_1
#undef MOE_LANES_SHIFT_2
#undef MOE_LANES_SHIFT_4
#undef MOE_LANES_SHIFT_8
#undef MOE_LANES_SWAP_1
#undef MOE_LANES_SWAP_2
#undef MOE_LANES_SWAP_4
#undef MOE_LANES_SWAP_8
#undef MOE_LANES_LAST

#if MOE_HAS_VECTORS
#define MOE_REALS MOE_L(moe_reals_t)
#define MOE_WHOLE MOE_L(moe_whole_t)
#define MOE_UNSIGNED MOE_L(moe_unsigned_t) /* uint32_t lanes: sums of arbitrary lanes wrap, never undefined */
#define MOE_WIDE MOE_L(moe_wide_t) /* uint64_t lanes, half as many */
typedef float MOE_REALS __attribute__((vector_size(MOE_BYTES)));
typedef int32_t MOE_WHOLE __attribute__((vector_size(MOE_BYTES)));
typedef uint32_t MOE_UNSIGNED __attribute__((vector_size(MOE_BYTES)));
typedef uint64_t MOE_WIDE __attribute__((vector_size(MOE_BYTES)));
/* The same types for unaligned loads. (The compiler may split a memcpy into two halves, and then the register waits for
 * both.) */
#define MOE_REALS_AT MOE_L(moe_reals_at_t)
#define MOE_WHOLE_AT MOE_L(moe_whole_at_t)
#define MOE_WIDE_AT MOE_L(moe_wide_at_t)
typedef float MOE_REALS_AT __attribute__((vector_size(MOE_BYTES), aligned(4), may_alias));
typedef int32_t MOE_WHOLE_AT __attribute__((vector_size(MOE_BYTES), aligned(4), may_alias));
typedef uint64_t MOE_WIDE_AT __attribute__((vector_size(MOE_BYTES), aligned(8), may_alias));

/* Lane indices for shuffles of one or two vectors. RAMP: 0, 1, ...; EVEN, ODD: the even or odd lanes of two vectors;
 * SHIFT_n: the vector moved up by n lanes, filled with lane 0 of the second vector; SWAP_n: blocks of n lanes exchanged
 * in pairs; LAST: the last lane in every lane. */
#if MOE_BYTES == 64
#define MOE_LANES 16
#define MOE_LANES_RAMP {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
#define MOE_LANES_EVEN 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define MOE_LANES_ODD 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define MOE_LANES_SHIFT_1 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
#define MOE_LANES_SHIFT_2 16, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
#define MOE_LANES_SHIFT_4 16, 16, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
#define MOE_LANES_SHIFT_8 16, 16, 16, 16, 16, 16, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7
#define MOE_LANES_SWAP_8 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7
#define MOE_LANES_SWAP_4 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11
#define MOE_LANES_SWAP_2 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13
#define MOE_LANES_SWAP_1 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14
#define MOE_LANES_LAST 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15
#elif MOE_BYTES == 32
#define MOE_LANES 8
#define MOE_LANES_RAMP {0, 1, 2, 3, 4, 5, 6, 7}
#define MOE_LANES_EVEN 0, 2, 4, 6, 8, 10, 12, 14
#define MOE_LANES_ODD 1, 3, 5, 7, 9, 11, 13, 15
#define MOE_LANES_SHIFT_1 8, 0, 1, 2, 3, 4, 5, 6
#define MOE_LANES_SHIFT_2 8, 8, 0, 1, 2, 3, 4, 5
#define MOE_LANES_SHIFT_4 8, 8, 8, 8, 0, 1, 2, 3
#define MOE_LANES_SWAP_4 4, 5, 6, 7, 0, 1, 2, 3
#define MOE_LANES_SWAP_2 2, 3, 0, 1, 6, 7, 4, 5
#define MOE_LANES_SWAP_1 1, 0, 3, 2, 5, 4, 7, 6
#define MOE_LANES_LAST 7, 7, 7, 7, 7, 7, 7, 7
#else
#define MOE_LANES 4
#define MOE_LANES_RAMP {0, 1, 2, 3}
#define MOE_LANES_EVEN 0, 2, 4, 6
#define MOE_LANES_ODD 1, 3, 5, 7
#define MOE_LANES_SHIFT_1 4, 0, 1, 2
#define MOE_LANES_SHIFT_2 4, 4, 0, 1
#define MOE_LANES_SWAP_2 2, 3, 0, 1
#define MOE_LANES_SWAP_1 1, 0, 3, 2
#define MOE_LANES_LAST 3, 3, 3, 3
#endif

/* Return the lane-by-lane maximum of int32 vectors: one instruction, which compilers do not find by themselves. */
#undef MOE_LANES_MAX
#if MOE_HAS_LEVELS && MOE_LEVEL == 4
#define MOE_LANES_MAX(a, b) ((MOE_WHOLE)_mm512_max_epi32((__m512i)(a), (__m512i)(b)))
#elif MOE_HAS_LEVELS && MOE_LEVEL == 3
#define MOE_LANES_MAX(a, b) ((MOE_WHOLE)_mm256_max_epi32((__m256i)(a), (__m256i)(b)))
#elif MOE_HAS_LEVELS && defined(__SSE4_1__)
#define MOE_LANES_MAX(a, b) ((MOE_WHOLE)_mm_max_epi32((__m128i)(a), (__m128i)(b)))
#elif MOE_HAS_NEON
#define MOE_LANES_MAX(a, b) ((MOE_WHOLE)vmaxq_s32((int32x4_t)(a), (int32x4_t)(b)))
#else
#define MOE_LANES_MAX(a, b) (((a) & ((a) > (b))) | ((b) & ((a) <= (b))))
#endif

/* Set *best to the maximum of *best and the bits of *score where *valid is -1. Non-negative floats compare like their
 * bits. */
static MOE_INLINE void MOE_L(moe_lanes_max_where)(const MOE_REALS *score, const MOE_WHOLE *valid, MOE_WHOLE *best)
{
    MOE_WHOLE bits = (MOE_WHOLE)*score & *valid;
    *best = MOE_LANES_MAX(bits, *best);
}

#define MOE_LANES_FOLD(...)                              \
    swapped = __builtin_shufflevector(a, a, __VA_ARGS__); \
    a = MOE_LANES_MAX(a, swapped)

/* Return the largest lane of non-negative floats that are given as their bits. */
static MOE_INLINE float MOE_L(moe_lanes_horizontal_max)(const MOE_WHOLE *bits)
{
    MOE_WHOLE a = *bits, swapped;
    int32_t largest;
    float value;
#if MOE_LANES == 16
    MOE_LANES_FOLD(MOE_LANES_SWAP_8);
#endif
#if MOE_LANES >= 8
    MOE_LANES_FOLD(MOE_LANES_SWAP_4);
#endif
    MOE_LANES_FOLD(MOE_LANES_SWAP_2);
    MOE_LANES_FOLD(MOE_LANES_SWAP_1);
    largest = a[0];
    memcpy(&value, &largest, sizeof value);
    return value;
}
#undef MOE_LANES_FOLD

/* Replace each lane by its inclusive prefix sum: sum[i] = sum[0] + ... + sum[i]. */
static MOE_INLINE void MOE_L(moe_lanes_prefix)(MOE_WHOLE *sum)
{
    const MOE_WHOLE zero = {0};
    *sum += __builtin_shufflevector(*sum, zero, MOE_LANES_SHIFT_1);
    *sum += __builtin_shufflevector(*sum, zero, MOE_LANES_SHIFT_2);
#if MOE_LANES >= 8
    *sum += __builtin_shufflevector(*sum, zero, MOE_LANES_SHIFT_4);
#endif
#if MOE_LANES == 16
    *sum += __builtin_shufflevector(*sum, zero, MOE_LANES_SHIFT_8);
#endif
}
#endif
