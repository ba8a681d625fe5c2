/* elementary: exp and log, the same bits everywhere.
 *
 * C libraries round these each in their own way. Here they are additions, multiplications and one division, each
 * rounded as IEEE 754 has it, in a fixed order, without a table or a branch: loops over them become vectors. Error:
 * less than 1 unit in the last place (of 10 million each: exp 0.96, log 0.83), also where the result is subnormal.
 */
#ifndef MOE_BASE_ELEMENTARY_H
#define MOE_BASE_ELEMENTARY_H

#include "base/base.h"

#define MOE_ELEMENTARY_LN2_HIGH 0x1.62e42feep-1 /* 21 zeros at its end: exact times a whole number below 2^21 */
#define MOE_ELEMENTARY_LN2_LOW 0x1.a39ef35793c76p-33

static MOE_INLINE double moe_elementary_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static MOE_INLINE uint64_t moe_elementary_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* `yes` or `no`, without a branch. */
static MOE_INLINE double moe_elementary_choose(int condition, double yes, double no)
{
    uint64_t mask = 0 - (uint64_t)condition;
    return moe_elementary_of_bits((moe_elementary_bits(yes) & mask) | (moe_elementary_bits(no) & ~mask));
}

/* e^x: x = n ln 2 + r with |r| <= ln 2 / 2, e^r by its series. inf of what is too large, 0 of what is too small (also
 * of -inf), nan of nan. */
static MOE_INLINE double moe_elementary_exp(double x)
{
    const double shift = 0x1.8p52 + 2048; /* a sum with it is a whole number, in its last bits */
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
    /* 2^n in two factors: the result is rounded once, when it is multiplied by the second */
    uint64_t whole = moe_elementary_bits(shifted) - 0x4338000000000000u /* n + 2048 */, half = whole >> 1;
    return sum * moe_elementary_of_bits((half - 1) << 52) * moe_elementary_of_bits((whole - half - 1) << 52);
}

/* Natural logarithm: x = 2^n (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), log(1 + f) by the series of
 * 2 atanh(f / (2 + f)) with the coefficients of fdlibm's e_log.c. -inf of 0, nan of what is negative or nan. */
static MOE_INLINE double moe_elementary_log(double x)
{
    const double infinite = moe_elementary_of_bits(0x7ff0000000000000u);
    const int tiny = x < 0x1p-1022;
    const double lift = moe_elementary_choose(tiny, 0x1p54, 1.0), lifted = moe_elementary_choose(tiny, 54.0, 0.0);
    uint64_t bits = moe_elementary_bits(x * lift) + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
    /* the exponent of what was moved up so that sqrt(1/2) becomes 1 */
    double n = moe_elementary_of_bits(0x4330000000000000u | bits >> 52) - (0x1p52 + 1023.0) - lifted;
    double f = moe_elementary_of_bits((bits & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;
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
    return moe_elementary_choose(x >= 0.0, result, moe_elementary_of_bits(0x7ff8000000000000u)); /* no nan is >= 0 */
}

#endif
