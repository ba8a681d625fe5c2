/* sum: add many numbers of [0, 1] exactly and round once.
 *
 * The sum is an integer multiple of 2^-1074, the smallest positive double, in limbs of 32 bits that are stored in 64
 * bits and so have room for carries: the order of the terms does not matter.
 *
 * Limits: fewer than 2^31 terms (each adds less than 2^33 to a limb).
 */
#ifndef MOE_BINNING_SUM_H
#define MOE_BINNING_SUM_H

#include "base/base.h"

#define MOE_SUM_LIMBS 36 /* 36 * 32 bits hold sums up to 2^78 */

/* Add a number of [0, 1] to an exact sum. */
static inline void moe_sum_add(double term, uint64_t *limbs /* IN, OUT [MOE_SUM_LIMBS] */)
{
    uint64_t bits;
    memcpy(&bits, &term, sizeof bits);
    int exponent = (int)(bits >> 52 & 1023), at = exponent ? exponent - 1 : 0, shift = at % 32;
    uint64_t digits = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)(exponent != 0) << 52;
    uint64_t low = (digits & UINT32_MAX) << shift, high = (digits >> 32) << shift;
    limbs += at / 32;
    limbs[0] += low & UINT32_MAX;
    limbs[1] += (low >> 32) + (high & UINT32_MAX);
    limbs[2] += high >> 32;
}

/* Propagate the carries and return the sum, rounded once, to nearest, ties to even. */
static inline double moe_sum_round(uint64_t *limbs /* WORK [MOE_SUM_LIMBS] */)
{
    int top = 0, low_bit = 0;
    for (int l = 0; l + 1 < MOE_SUM_LIMBS; l++) {
        limbs[l + 1] += limbs[l] >> 32;
        limbs[l] &= UINT32_MAX;
        if (limbs[l + 1]) top = l + 1;
    }
    /* take the 64 highest bits, and set the last one if any lower bit is 1; then sum = top_bits 2^(low_bit - 1074) */
    int bit = 31;
    while (bit && !(limbs[top] >> bit)) bit--;
    low_bit = 32 * top + bit - 63;
    if (low_bit < 0) low_bit = 0;
    int l = low_bit / 32, shift = low_bit % 32;
    uint64_t top_bits = limbs[l] >> shift, lower_bits = limbs[l] & (((uint64_t)1 << shift) - 1), scale_bits;
    top_bits |= limbs[l + 1] << (32 - shift);
    if (shift && l + 2 < MOE_SUM_LIMBS) top_bits |= limbs[l + 2] << (64 - shift);
    while (l-- > 0) lower_bits |= limbs[l];
    top_bits |= lower_bits != 0;
    scale_bits = low_bit < 52 ? (uint64_t)1 << low_bit : (uint64_t)(low_bit - 51) << 52;
    double scale;
    memcpy(&scale, &scale_bits, sizeof scale);
    return (double)top_bits * scale; /* the product is exact */
}

#endif
