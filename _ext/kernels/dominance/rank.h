/* rank: dominance rank and rank fitness.
 *
 * All objectives are maximised. a dominates b if a >= b in every objective and a > b in at least one. Equal vectors do
 * not dominate each other.
 */
#ifndef MOE_DOMINANCE_RANK_H
#define MOE_DOMINANCE_RANK_H

#include "base/base.h"
#include "base/poll.h"

static inline int moe_rank_dominates(const double *a, const double *b, int32_t n_objectives)
{
    int better = 0;
    for (int32_t m = 0; m < n_objectives; m++) {
        if (a[m] < b[m]) return 0;
        better |= a[m] > b[m];
    }
    return better;
}

/* Compute r(x) = 1 + number of individuals that dominate x (Eq. `eqrank`). O(P^2 M). */
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

/* Compute the same ranks from one order for each objective, which is faster for many individuals. The individuals that
 * are >= x in every objective stand before x, or beside it with an equal value, in all orders: intersect these sets.
 * Sets cover MOE_RANK_SPAN individuals at a time, one bit each. Finally subtract the individuals equal to x, itself
 * included, which do not dominate it. O(P^2 M / 64). */
#define MOE_RANK_SPAN 4096
#define MOE_RANK_WORDS (MOE_RANK_SPAN / 64)

static inline void moe_rank_by_orders(const double *objectives /* IN [n, n_objectives] */, int32_t n,
                                      int32_t n_objectives,
                                      const int32_t *orders /* IN [n_objectives, n], each the best first */,
                                      const int32_t *lexical /* IN [n], equal individuals side by side */,
                                      uint64_t *above /* workspace [n, MOE_RANK_WORDS] */, int32_t *rank /* OUT [n] */,
                                      moe_poll_t *poll)
{
    for (int32_t i = 0; i < n; i++) rank[i] = 1;
    for (int32_t from = 0; from < n; from += MOE_RANK_SPAN) {
        for (int32_t m = 0; m < n_objectives; m++) {
            const int32_t *order = orders + m * (int64_t)n;
            if (moe_poll_stops(poll, (int64_t)n * 8)) return;
            uint64_t no_worse[MOE_RANK_WORDS] = {0}; /* individuals with a value >= that of order[p] */
            for (int32_t p = 0, n_passed = 0; p < n; p++) {
                const double value = objectives[order[p] * (int64_t)n_objectives + m];
                uint64_t *set = above + order[p] * (int64_t)MOE_RANK_WORDS;
                for (; n_passed < n && objectives[order[n_passed] * (int64_t)n_objectives + m] == value; n_passed++)
                    if (order[n_passed] >= from && order[n_passed] - from < MOE_RANK_SPAN)
                        no_worse[(order[n_passed] - from) / 64] |= (uint64_t)1 << (order[n_passed] - from) % 64;
                for (int w = 0; w < MOE_RANK_WORDS; w++) set[w] = m ? set[w] & no_worse[w] : no_worse[w];
            }
        }
        for (int32_t i = 0; i < n; i++)
            for (int w = 0; w < MOE_RANK_WORDS; w++)
                rank[i] += moe_base_popcount(above[i * (int64_t)MOE_RANK_WORDS + w]);
    } /* end: for from */
    for (int32_t start = 0, end; start < n; start = end) {
        const double *first = objectives + lexical[start] * (int64_t)n_objectives;
        for (end = start; end < n; end++) {
            const double *other = objectives + lexical[end] * (int64_t)n_objectives;
            int32_t m = 0;
            while (m < n_objectives && first[m] == other[m]) m++;
            if (m < n_objectives) break;
        }
        for (int32_t p = start; p < end; p++) rank[lexical[p]] -= end - start;
    }
}

/* Set dominated[i] to 1 if a point of `by` dominates point i, else to 0. O(n n_by M). */
static inline void moe_rank_dominated(const double *points /* IN [n, n_objectives] */,
                                      const double *by /* IN [n_by, n_objectives] */, int32_t n, int32_t n_by,
                                      int32_t n_objectives, uint8_t *dominated /* OUT [n] */, moe_poll_t *poll)
{
    for (int32_t i = 0; i < n; i++) {
        if (moe_poll_stops(poll, n_by)) return;
        dominated[i] = 0;
        for (int32_t j = 0; j < n_by && !dominated[i]; j++)
            dominated[i] = (uint8_t)moe_rank_dominates(by + (int64_t)j * n_objectives,
                                                       points + (int64_t)i * n_objectives, n_objectives);
    }
}

/* Compute f(x) = P - sum over k < r of n_k - (n_r - 1)/2 with r = r(x) (Eq. `eqfit1`); multiples of 1/2, hence exact.
 * paper: n_r counts x itself; authors: only the others (0.5 more for every individual); we: the paper. */
static inline void moe_rank_fitness(const int32_t *rank /* IN [n], 1..n */, int32_t n,
                                    int32_t *counts /* workspace [n + 1] */,
                                    double *fitness /* OUT [n] */)
{
    memset(counts, 0, (size_t)(n + 1) * sizeof(int32_t));
    for (int32_t i = 0; i < n; i++) counts[rank[i]]++;
    int32_t no_worse = 0; /* counts[r] becomes n_1 + ... + n_r */
    for (int32_t r = 1; r <= n; r++) {
        no_worse += counts[r];
        counts[r] = no_worse;
    }
    for (int32_t i = 0; i < n; i++) {
        int32_t better = counts[rank[i] - 1], equal = counts[rank[i]] - better;
        fitness[i] = (double)n - better - 0.5 * (equal - 1);
    }
}

#endif
