/* distances: of rows to others, several at a time.
 *
 * A distance of euclid is asked for where a lower bound of it, in single precision, is below the farthest neighbour so
 * far: then it is summed over MOE_DISTANCES_LANES running sums. Of a = x - m and b = q - m for a centre m,
 * |x - q|^2 / 2 = |a|^2 / 2 - a b + |b|^2 / 2; rounding is at most (k + 4) 2^-24 1.01 (|a|^2 + |b|^2 / 2), and what is
 * taken off is twice that. What is found does not depend on bounds, only how fast.
 */
#ifndef MOE_JUDGES_DISTANCES_H
#define MOE_JUDGES_DISTANCES_H

#include <math.h>

#include "base/base.h"

#if MOE_HAS_LEVELS
#include <immintrin.h>
#endif

#define MOE_DISTANCES_GROUP 4 /* rows to answer for whose distances are summed together */
#define MOE_DISTANCES_LANES 8
#define MOE_DISTANCES_TINY 1e-37 /* more than what a sum loses that underflows, for any k */

/* Share of squares that is more than what rounding takes. */
static MOE_INLINE double moe_distances_slack(int32_t k)
{
    return ((double)k + 8.0) * 0x1p-23;
}

/* Bounds below this may be of a row nearer than `farthest`, both squared, for a query of the given square. */
static MOE_INLINE float moe_distances_limit(double farthest, double square, double slack)
{
    double limit = 0.5 * (farthest * (1.0 + slack) - square) + slack * square + MOE_DISTANCES_TINY;
    return (float)(limit + fabs(limit) * 0x1p-22);
}

#endif
