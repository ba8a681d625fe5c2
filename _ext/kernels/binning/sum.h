/* sum: the sum of many numbers of [0, 1], exact and rounded once.
 *
 * A whole number of 2^-1074, the least double, in limbs of 32 bits with space for
 * carries: the order of the terms does not matter.
 *
 * Limits: fewer than 2^31 terms (each adds less than 2^33 to a limb).
 */
#ifndef MOE_BINNING_SUM_H
#define MOE_BINNING_SUM_H

#include "base/base.h"

#define MOE_SUM_LIMBS 36 /* up to 2^78 */

/* Add a number of [0, 1] to an exact sum: a whole number of 2^-1074, in 32 bits a limb. */
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

/* The sum, rounded once, to the nearest, ties to even. */
static inline double moe_sum_round(uint64_t *limbs /* WORK [MOE_SUM_LIMBS] */)
{
    int top = 0, least = 0;
    for (int l = 0; l + 1 < MOE_SUM_LIMBS; l++) {
        limbs[l + 1] += limbs[l] >> 32;
        limbs[l] &= UINT32_MAX;
        if (limbs[l + 1]) top = l + 1;
    }
    /* the 64 highest bits, the last of them 1 if a lower one is; then value = head 2^(least - 1074) */
    int bit = 31;
    while (bit && !(limbs[top] >> bit)) bit--;
    least = 32 * top + bit - 63;
    if (least < 0) least = 0;
    int l = least / 32, shift = least % 32;
    uint64_t head = limbs[l] >> shift, rest = limbs[l] & (((uint64_t)1 << shift) - 1), scale_bits;
    head |= limbs[l + 1] << (32 - shift);
    if (shift && l + 2 < MOE_SUM_LIMBS) head |= limbs[l + 2] << (64 - shift);
    while (l-- > 0) rest |= limbs[l];
    head |= rest != 0;
    scale_bits = least < 52 ? (uint64_t)1 << least : (uint64_t)(least - 51) << 52;
    double scale;
    memcpy(&scale, &scale_bits, sizeof scale);
    return (double)head * scale; /* the product is exact */
}

#endif
