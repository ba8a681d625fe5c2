/* distances: of rows to a group of others, roughly, in single precision, and how far off they may be.
 *
 * A distance t is that of the judge: half the square of euclid's, a sum of squares whose differences are multiplied by
 * weights, or a sum of absolute differences; all of it in units that keep singles in range. P is the same of a row to
 * answer for to the centre that all are taken from, twice where t is a half. Then |rough - t| <= slack (3 P + 4 t):
 *
 * - |a|^2 / 2 - a b + |b|^2 / 2: at most 2 k + 4 roundings, each of at most 2^-24 (|a|^2 + |b|^2), a half of the
 *   squares' own ones likewise; |a|^2 + |b|^2 <= 3 P + 4 t. Products may be fused with sums, or not.
 * - sums of differences: k + 4 roundings of t, and 2^-24 of |a| and |b| in each difference, which is at most
 *   2^-24 (2 P + 4 t).
 */
#ifndef MOE_JUDGES_DISTANCES_H
#define MOE_JUDGES_DISTANCES_H

#include <math.h>

#include "base/base.h"

#define MOE_DISTANCES_TILE 16 /* rows to learn from that are together, and the most rows to answer for */
#define MOE_DISTANCES_RANKED 4 /* rows that are ranked together */
#define MOE_DISTANCES_LANES 8 /* running sums of exact distances */
#define MOE_DISTANCES_TINY 1e-37 /* more than what sums lose that underflow, for any k */
#define MOE_DISTANCES_HUGE 1e30  /* rough distances and P from here on say nothing */

#define MOE_DISTANCES_EXACT 0x1p23 /* sums of whole numbers, and of their halves, are exact below */

#define MOE_DISTANCES_SQUARES 0   /* half squares, by products */
#define MOE_DISTANCES_WEIGHTED 1  /* squares of weighted differences */
#define MOE_DISTANCES_MANHATTAN 2 /* absolute differences */
#define MOE_DISTANCES_BOTH 3      /* absolute weighted differences */

/* More than the share that rounding takes. */
static MOE_INLINE double moe_distances_slack(int32_t k)
{
    return ((double)k + 8.0) * 0x1p-23;
}

/* Rows at most t away are at most so far away roughly: the next single above. */
static MOE_INLINE float moe_distances_upper(double t, double square, double slack)
{
    const double upper = t * (1.0 + 4.0 * slack) + 3.0 * slack * square + MOE_DISTANCES_TINY;
    return (float)(upper * (1.0 + 0x1p-22));
}

/* If so many rows are at most `rough` away roughly, all of them are at most so far away. */
static MOE_INLINE double moe_distances_farthest(double rough, double square, double slack)
{
    return (rough + 3.0 * slack * square + MOE_DISTANCES_TINY) / (1.0 - 4.0 * slack);
}

/* Rows that are less than this away roughly are nearer than any that is at least `rough` away roughly. */
static MOE_INLINE float moe_distances_lower(double rough, double square, double slack)
{
    const double t = (rough - 3.0 * slack * square - MOE_DISTANCES_TINY) / (1.0 + 4.0 * slack);
    const double lower = t * (1.0 - 4.0 * slack) - 3.0 * slack * square - MOE_DISTANCES_TINY;
    return (float)(lower - fabs(lower) * 0x1p-22);
}

#endif
