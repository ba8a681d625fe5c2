/* elementary: exp and log that return the same bits on every machine.
 *
 * C libraries differ in how they round exp and log. These functions use only additions, multiplications and one
 * division, each rounded as IEEE 754 prescribes, in a fixed order, with neither a table nor a branch, so that loops
 * over them vectorise. Error: less than 1 unit in the last place (measured on 10 million arguments each: exp 0.96, log
 * 0.83), also where the result is subnormal.
 */
#ifndef MOE_BASE_ELEMENTARY_H
#define MOE_BASE_ELEMENTARY_H

#include "base/base.h"

#define MOE_ELEMENTARY_LN2_HIGH 0x1.62e42feep-1 /* its last 21 bits are 0: exact times integers < 2^21 */
#define MOE_ELEMENTARY_LN2_LOW 0x1.a39ef35793c76p-33

static MOE_INLINE double moe_elementary_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static MOE_INLINE uint64_t moe_elementary_to_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Return `yes` if `condition` is 1, `no` if it is 0, without a branch. */
static MOE_INLINE double moe_elementary_choose(int condition, double yes, double no)
{
    uint64_t mask = 0 - (uint64_t)condition;
    return moe_elementary_from_bits((moe_elementary_to_bits(yes) & mask) | (moe_elementary_to_bits(no) & ~mask));
}

/* Return e^x. With x = n ln 2 + r, |r| <= ln 2 / 2: e^x = 2^n e^r, and e^r is its Taylor series up to r^13. Returns inf
 * on overflow, 0 on underflow (also for -inf), nan for nan. */
static MOE_INLINE double moe_elementary_exp(double x)
{
    const double shift = 0x1.8p52 + 2048; /* adding it rounds to an integer, which the last bits of the sum hold */
    x = moe_elementary_choose(x < -746.0, -746.0, x);
    x = moe_elementary_choose(x > 710.0, 710.0, x);
    double shifted = x * 0x1.71547652b82fep0 + shift, n = shifted - shift;
    double r = (x - n * MOE_ELEMENTARY_LN2_HIGH) - n * MOE_ELEMENTARY_LN2_LOW;
    double sum = 1.0 / 6227020800.0;
    sum = sum * r + 1.0 / 479001600.0;
    sum = sum * r + 1.0 / 39916800.0;
    sum = sum * r + 1.0 / 3628800.0;
    sum = sum * r + 1.0 / 362880.0;
    sum = sum * r + 1.0 / 40320.0;
    sum = sum * r + 1.0 / 5040.0;
    sum = sum * r + 1.0 / 720.0;
    sum = sum * r + 1.0 / 120.0;
    sum = sum * r + 1.0 / 24.0;
    sum = sum * r + 1.0 / 6.0;
    sum = sum * r + 0.5;
    sum = 1.0 + (r + r * r * sum);
    /* multiply by 2^n in two factors: only the second product is rounded */
    uint64_t whole = moe_elementary_to_bits(shifted) - 0x4338000000000000u /* = n + 2048 */, half = whole >> 1;
    return sum * moe_elementary_from_bits((half - 1) << 52) * moe_elementary_from_bits((whole - half - 1) << 52);
}

/* Return the natural logarithm of x. With x = 2^n (1 + f), 1 + f in [sqrt(1/2), sqrt(2)): log x = n ln 2 + log(1 + f),
 * and log(1 + f) is the series of 2 atanh(f / (2 + f)) with the coefficients of fdlibm's e_log.c. Returns -inf for 0,
 * nan for negative numbers and nan. */
static MOE_INLINE double moe_elementary_log(double x)
{
    const double infinite = moe_elementary_from_bits(0x7ff0000000000000u);
    const int tiny = x < 0x1p-1022;
    const double scale = moe_elementary_choose(tiny, 0x1p54, 1.0), exponent = moe_elementary_choose(tiny, 54.0, 0.0);
    uint64_t bits = moe_elementary_to_bits(x * scale) + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
    /* `bits` is shifted so that sqrt(1/2) maps to 1: its exponent field is n + 1023 */
    double n = moe_elementary_from_bits(0x4330000000000000u | bits >> 52) - (0x1p52 + 1023.0) - exponent;
    double f = moe_elementary_from_bits((bits & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;
    double s = f / (2.0 + f), z = s * s, square = 0.5 * f * f;
    double sum = 1.479819860511658591e-01;
    sum = sum * z + 1.531383769920937332e-01;
    sum = sum * z + 1.818357216161805012e-01;
    sum = sum * z + 2.222219843214978396e-01;
    sum = sum * z + 2.857142874366239149e-01;
    sum = sum * z + 3.999999999940941908e-01;
    sum = sum * z + 6.666666666666735130e-01;
    double result = n * MOE_ELEMENTARY_LN2_HIGH -
                    ((square - (s * (square + sum * z) + n * MOE_ELEMENTARY_LN2_LOW)) - f);
    result = moe_elementary_choose(x == infinite, infinite, result);
    result = moe_elementary_choose(x == 0.0, -infinite, result);
    return moe_elementary_choose(x >= 0.0, result, moe_elementary_from_bits(0x7ff8000000000000u)); /* false for nan */
}

#endif
