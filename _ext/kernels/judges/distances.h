/* distances: approximate ("rough") distances in single precision, and bounds of their errors.
 *
 * The exact distance t of the judge is half the squared Euclidean distance, a weighted sum of squared differences, or a
 * sum of absolute differences (weighted or not), in units that keep single precision in range. P is the distance of the
 * query (the row to predict) from the centre that is subtracted from all rows, doubled where t is half a square. Then
 * |rough - t| <= slack (3 P + 4 t):
 *
 * - |a|^2 / 2 - a b + |b|^2 / 2: at most 2 k + 4 roundings, each of at most 2^-24 (|a|^2 + |b|^2), and half of those of
 *   the squares likewise; |a|^2 + |b|^2 <= 3 P + 4 t. Products may be fused with sums, or not.
 * - sums of differences: k + 4 roundings of t, and 2^-24 of |a| and |b| in each difference, together at most
 *   2^-24 (2 P + 4 t).
 */
#ifndef MOE_JUDGES_DISTANCES_H
#define MOE_JUDGES_DISTANCES_H

#include <math.h>

#include "base/base.h"

#define MOE_DISTANCES_TILE 16 /* training rows of a tile; also the most queries of a group */
#define MOE_DISTANCES_MERGED 4 /* rows that are merged into the nearest together */
#define MOE_DISTANCES_LANES 8 /* running sums of an exact distance */
#define MOE_DISTANCES_UNDERFLOW 1e-37 /* more than sums lose by underflow, for any k */
#define MOE_DISTANCES_HUGE 1e30  /* rough distances and P of at least this are not usable */

#define MOE_DISTANCES_EXACT 0x1p23 /* sums of integers, and of their halves, are exact below this */

#define MOE_DISTANCES_SQUARES 0   /* half squared Euclidean distance, by scalar products */
#define MOE_DISTANCES_WEIGHTED 1  /* sum of squares of weighted differences */
#define MOE_DISTANCES_MANHATTAN 2 /* sum of absolute differences */
#define MOE_DISTANCES_BOTH 3      /* sum of absolute weighted differences */

/* Return an upper bound of the relative rounding error of a rough distance over k features. */
static MOE_INLINE double moe_distances_slack(int32_t k)
{
    return ((double)k + 8.0) * 0x1p-23;
}

/* Return an upper bound of the rough distance of any row with an exact distance <= t; `square` is P. */
static MOE_INLINE float moe_distances_upper(double t, double square, double slack)
{
    const double upper = t * (1.0 + 4.0 * slack) + 3.0 * slack * square + MOE_DISTANCES_UNDERFLOW;
    return (float)(upper * (1.0 + 0x1p-22));
}

/* Return an upper bound of the exact distance of any row with a rough distance <= `rough`. */
static MOE_INLINE double moe_distances_farthest(double rough, double square, double slack)
{
    return (rough + 3.0 * slack * square + MOE_DISTANCES_UNDERFLOW) / (1.0 - 4.0 * slack);
}

/* Return a bound: rows with a smaller rough distance are truly nearer than every row with one >= `rough`. */
static MOE_INLINE float moe_distances_lower(double rough, double square, double slack)
{
    const double t = (rough - 3.0 * slack * square - MOE_DISTANCES_UNDERFLOW) / (1.0 + 4.0 * slack);
    const double lower = t * (1.0 - 4.0 * slack) - 3.0 * slack * square - MOE_DISTANCES_UNDERFLOW;
    return (float)(lower - fabs(lower) * 0x1p-22);
}

#endif
