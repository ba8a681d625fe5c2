/* rank: dominance rank and rank fitness.
 *
 * All objectives are maximised. a dominates b if a >= b in every objective and
 * a > b in one. Equal vectors do not dominate each other.
 */
#ifndef MOE_RANK_H
#define MOE_RANK_H

#include "base.h"

static inline int moe_rank_dominates(const double *a, const double *b, int32_t n_objectives)
{
    int better = 0;
    for (int32_t m = 0; m < n_objectives; m++) {
        if (a[m] < b[m]) return 0;
        better |= a[m] > b[m];
    }
    return better;
}

/* r(x) = 1 + number of individuals that dominate x (Eq. `eqrank`). O(P^2 M). */
static inline void moe_rank_dominance(const double *objectives /* IN [n, n_objectives] */, int32_t n,
                                      int32_t n_objectives, int32_t *rank /* OUT [n] */)
{
    for (int32_t i = 0; i < n; i++) rank[i] = 1;
    for (int32_t i = 0; i < n; i++) {
        const double *a = objectives + (int64_t)i * n_objectives;
        for (int32_t j = i + 1; j < n; j++) {
            const double *b = objectives + (int64_t)j * n_objectives;
            if (moe_rank_dominates(a, b, n_objectives))
                rank[j]++;
            else if (moe_rank_dominates(b, a, n_objectives))
                rank[i]++;
        }
    }
}

/* Which points some point of `by` dominates. O(n n_by M). */
static inline void moe_rank_dominated(const double *points /* IN [n, n_objectives] */,
                                      const double *by /* IN [n_by, n_objectives] */, int32_t n, int32_t n_by,
                                      int32_t n_objectives, uint8_t *dominated /* OUT [n] */)
{
    for (int32_t i = 0; i < n; i++) {
        dominated[i] = 0;
        for (int32_t j = 0; j < n_by && !dominated[i]; j++)
            dominated[i] = (uint8_t)moe_rank_dominates(by + (int64_t)j * n_objectives,
                                                       points + (int64_t)i * n_objectives, n_objectives);
    }
}

/* f(x) = P - sum over k < r of n_k - (n_r - 1)/2 (Eq. `eqfit1`); multiples of
 * 1/2, hence exact. paper: n_r counts x itself; authors: the others only (0.5
 * more for everybody); we: the paper. */
static inline void moe_rank_fitness(const int32_t *rank /* IN [n], 1..n */, int32_t n,
                                    int32_t *counts /* workspace [n + 1] */,
                                    double *fitness /* OUT [n] */)
{
    memset(counts, 0, (size_t)(n + 1) * sizeof(int32_t));
    for (int32_t i = 0; i < n; i++) counts[rank[i]]++;
    int32_t before = 0; /* counts[r] becomes n_1 + ... + n_r */
    for (int32_t r = 1; r <= n; r++) {
        before += counts[r];
        counts[r] = before;
    }
    for (int32_t i = 0; i < n; i++) {
        int32_t better = counts[rank[i] - 1], equal = counts[rank[i]] - better;
        fitness[i] = (double)n - better - 0.5 * (equal - 1);
    }
}

#endif
