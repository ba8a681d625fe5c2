/* crowd: dominance fronts and crowding distances (Deb, Pratap, Agarwal and Meyarivan, 2002).
 *
 * All objectives are maximised. Front 1 is dominated by nobody, front 2 only by members of front 1, and so on: the
 * number of a front is the length of the longest chain of dominance that ends in it; Eq. `eqrank` counts all who
 * dominate.
 */
#ifndef MOE_DOMINANCE_CROWD_H
#define MOE_DOMINANCE_CROWD_H

#include "dominance/rank.h"

#include <math.h>

/* Assign each individual to its front. In descending order of the first objective, ties by the second and so on, nobody
 * dominates an earlier individual: each joins the first front none of whose members dominates it. Members of front f
 * are a linked list from latest[f] through `before`; the latest come first, as they are the nearest. O(P^2 M). */
static inline void moe_crowd_fronts(const double *objectives /* IN [n, n_objectives] */, int32_t n,
                                    int32_t n_objectives, const int32_t *order /* IN [n], the best first */,
                                    int32_t *latest /* workspace [n] */, int32_t *before /* workspace [n] */,
                                    int32_t *front /* OUT [n], from 1 on */, moe_poll_t *poll)
{
    int32_t n_fronts = 0;
    for (int32_t p = 0; p < n; p++) {
        const int32_t i = order[p];
        const double *own = objectives + (int64_t)i * n_objectives;
        int32_t f = 0;
        int64_t n_compared = 0;
        for (; f < n_fronts; f++) {
            int32_t member = latest[f];
            while (member >= 0 && !moe_rank_dominates(objectives + (int64_t)member * n_objectives, own, n_objectives)) {
                member = before[member];
                n_compared++;
            }
            if (member < 0) break;
        }
        before[i] = f < n_fronts ? latest[f] : -1;
        latest[f] = i;
        front[i] = f + 1;
        n_fronts += f == n_fronts;
        if (moe_poll_stops(poll, n_compared + f)) return;
    }
}

/* Add to each crowding distance, for objective m, the difference of the two neighbours in the front divided by the
 * range of the front; infinity for both ends of a front; nothing if the range is 0. Values are halved first: no
 * difference overflows. */
static inline void moe_crowd_add(const double *objectives /* IN [n, n_objectives] */, int32_t n, int32_t n_objectives,
                                 int32_t m, const int32_t *front /* IN [n] */,
                                 const int32_t *order /* IN [n], by front, then ascending */,
                                 double *distance /* IN and OUT [n] */)
{
#define MOE_CROWD_VALUE(p) (objectives[order[p] * (int64_t)n_objectives + m] / 2)
    for (int32_t start = 0, end; start < n; start = end) {
        for (end = start + 1; end < n && front[order[end]] == front[order[start]];) end++;
        const double range = MOE_CROWD_VALUE(end - 1) - MOE_CROWD_VALUE(start);
        if (!(range > 0)) continue;
        distance[order[start]] = distance[order[end - 1]] = INFINITY;
        for (int32_t p = start + 1; p < end - 1; p++)
            distance[order[p]] += (MOE_CROWD_VALUE(p + 1) - MOE_CROWD_VALUE(p - 1)) / range;
    }
#undef MOE_CROWD_VALUE
}

/* Rank individuals in a given order by front and crowding distance; equal ones share a place; no gaps. */
static inline void moe_crowd_places(const int32_t *front /* IN [n] */, const double *distance /* IN [n] */,
                                    const int32_t *order /* IN [n] */, int32_t n,
                                    int32_t *place /* OUT [n], from 1 on */)
{
    int32_t last = 0;
    for (int32_t p = 0; p < n; p++) {
        const int32_t i = order[p], other = order[p ? p - 1 : 0];
        last += !p || front[i] != front[other] || distance[i] != distance[other];
        place[i] = last;
    }
}

#endif
