/* sorting: merge sort of numbers. */
#ifndef MOE_SCORES_SORTING_H
#define MOE_SCORES_SORTING_H

#include "base/base.h"

#define MOE_SORTING_RUN 8 /* numbers that are sorted by insertion before merging */

/* Merge two sorted arrays into `out`, without a branch on their values. */
static inline void moe_sorting_merge(const double *a, int64_t n_a, const double *b, int64_t n_b, double *out)
{
    int64_t i = 0, j = 0;
    while (i < n_a && j < n_b) {
        const int from_b = b[j] < a[i];
        out[i + j] = from_b ? b[j] : a[i];
        i += !from_b;
        j += from_b;
    }
    memcpy(out + i + j, i < n_a ? a + i : b + j, (size_t)(n_a - i + n_b - j) * sizeof(double));
}

/* Sort n numbers in ascending order; none may be NaN. O(n log n). */
static inline void moe_sorting_sort(double *values /* IN and OUT [n] */, int64_t n, double *spare /* workspace [n] */)
{
    double *from = values, *to = spare;
    for (int64_t first = 0; first < n; first += MOE_SORTING_RUN) {
        const int64_t end = first + MOE_SORTING_RUN < n ? first + MOE_SORTING_RUN : n;
        for (int64_t i = first + 1; i < end; i++) {
            const double value = values[i];
            int64_t j = i;
            for (; j > first && values[j - 1] > value; j--) values[j] = values[j - 1];
            values[j] = value;
        }
    }
    for (int64_t width = MOE_SORTING_RUN; width < n; width *= 2) {
        for (int64_t first = 0; first < n; first += 2 * width) {
            const int64_t middle = first + width < n ? first + width : n, end = middle + width < n ? middle + width : n;
            moe_sorting_merge(from + first, middle - first, from + middle, end - middle, to + first);
        }
        double *swap = from;
        from = to;
        to = swap;
    }
    if (from != values) memcpy(values, from, (size_t)n * sizeof(double));
}

#endif
