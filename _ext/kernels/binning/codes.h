/* codes: ranks of the values of a feature, its samples in ascending order, its values scaled to [0, 1].
 *
 * Two passes over every feature. The first sorts its samples and counts its codes;
 * the second, when all counts are known, so that codes take no more bytes than they
 * need, writes codes, edges of codes and scaled values. Features come in tiles, a
 * cache line of a row of the caller's table at a time.
 *
 * All numbers become doubles, which is exact, and -0.0 becomes 0.0. NaN = missing.
 *
 * Limits: n_samples <= 2^30 (a sample and a mark are half a word), no infinity. A table
 * that another thread writes to between the passes gives wrong codes, but no stray writes.
 */
#ifndef MOE_BINNING_CODES_H
#define MOE_BINNING_CODES_H

#include "binning/radix.h"
#include "binning/sum.h"

#define MOE_CODES_MAX 65536 /* most codes of a feature, the one of missing values included */
#define MOE_CODES_OPENS ((uint64_t)1 << 31) /* in a sorted word: first sample of a distinct value */
#define MOE_CODES_SAMPLE (MOE_CODES_OPENS - 1)

/* What the first pass finds out about a feature. */
typedef struct {
    double low;         /* smallest and largest known value; 0 without any */
    double high;
    int32_t n_known;    /* samples whose value is not missing */
    int32_t n_distinct; /* distinct known values */
    int32_t n_codes;    /* = n_distinct: each has a code of its own; fewer: neighbours have one */
} moe_column_t;

/* An ear that has stopped ends any of these; what they would have written is then of no use. */

/* Sort the samples of words, whose values agree in the high half of their keys, by
 * the low half; mark the first of each distinct value and return their number. */
static inline int32_t moe_codes_refine(const double *column, uint64_t *words /* IN, OUT [n] */, int32_t n,
                                       uint64_t *spare, moe_ear_t *ear)
{
    int32_t n_distinct = 0;
    MOE_EAR_EACH(i, n, 2, ear) {
        uint32_t sample = (uint32_t)words[i];
        words[i] = moe_radix_key(column[sample]) << 32 | sample;
    }
    moe_radix_sort(words, n, spare, ear);
    MOE_EAR_EACH(i, n, 1, ear) {
        int opens = i == 0 || words[i] >> 32 != words[i - 1] >> 32;
        words[i] |= opens ? MOE_CODES_OPENS : 0;
        n_distinct += opens;
    }
    return n_distinct;
}

/* Where a new code begins among sorted samples of more values than codes. Place i is
 * in group i n_groups / n; values whose first places are in one group get one code. */
typedef struct {
    int32_t n, n_groups, rest; /* rest = i n_groups % n */
    int pending;               /* no code has begun in this group */
} moe_codes_quantiles_t;

/* Whether a code begins at the next place; `opens`: the value there is a new one. */
static MOE_INLINE int moe_codes_begins(moe_codes_quantiles_t *groups, int opens)
{
    int begins = opens & groups->pending;
    groups->rest += groups->n_groups;
    groups->pending &= !begins;
    if (groups->rest >= groups->n) { /* n_groups < n: the group after, at most */
        groups->rest -= groups->n;
        groups->pending = 1;
    }
    return begins;
}

/* Most codes that known values can have: one is kept for missing values if there are any. */
static MOE_INLINE int32_t moe_codes_most(int32_t n_known, int32_t n_samples)
{
    return MOE_CODES_MAX - (n_known < n_samples);
}

/* First pass: sort the samples of a feature by value, missing ones last, ties in
 * the order of their numbers; count its codes. O(n_samples). */
static inline void moe_codes_sort(const double *column /* IN [n_samples] */, int32_t n_samples, int order_width,
                                  uint64_t *words /* WORK [n_samples] */, uint64_t *spare /* WORK [n_samples] */,
                                  void *order /* OUT [n_samples] */, moe_column_t *found /* OUT */, moe_ear_t *ear)
{
    uint64_t low_bits = 0;
    int32_t n_known = 0, n_distinct = 0;
    MOE_EAR_EACH(s, n_samples, 1, ear) {
        double value = column[s];
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        low_bits |= bits;
        n_known += value == value;
        words[s] = (moe_radix_key(value) >> 32) << 32 | (uint32_t)s;
    }
    moe_radix_sort(words, n_samples, spare, ear);
    if (moe_ear_stops(ear, 0)) return; /* the words may be no samples yet */
    int32_t most = moe_codes_most(n_known, n_samples);
    /* if no value uses the low half (small whole numbers, halves, ...), the high one tells them apart */
    int refine = (uint32_t)low_bits != 0;
    for (int32_t start = 0, end, asked = 0; start < n_known; start = end) {
        if (start - asked >= MOE_EAR_BLOCK) {
            if (moe_ear_stops(ear, start - asked)) return;
            asked = start;
        }
        uint64_t high = words[start] >> 32;
        for (end = start + 1; end < n_known && words[end] >> 32 == high;) end++;
        if (refine && end - start > 1)
            n_distinct += moe_codes_refine(column, words + start, end - start, spare, ear);
        else {
            words[start] |= MOE_CODES_OPENS;
            n_distinct++;
        }
    }
    if (moe_ear_stops(ear, 0)) return;
    found->low = n_known ? column[words[0] & MOE_CODES_SAMPLE] : 0.0;
    found->high = n_known ? column[words[n_known - 1] & MOE_CODES_SAMPLE] : 0.0;
    found->n_known = n_known;
    found->n_distinct = n_distinct;
    found->n_codes = n_distinct;
    if (n_distinct > most) {
        moe_codes_quantiles_t groups = {n_known, most, 0, 1};
        found->n_codes = 0;
        MOE_EAR_EACH(i, n_known, 1, ear)
            found->n_codes += moe_codes_begins(&groups, (words[i] & MOE_CODES_OPENS) != 0);
    }
    if (order_width == 2)
        MOE_EAR_EACH(i, n_samples, 1, ear) ((uint16_t *)order)[i] = (uint16_t)words[i];
    else
        MOE_EAR_EACH(i, n_samples, 1, ear) ((uint32_t *)order)[i] = (uint32_t)(words[i] & MOE_CODES_SAMPLE);
}

/* Bytes of the entries of the arrays that are written. */
typedef struct {
    int order; /* 2 or 4 */
    int code;  /* 1 or 2 */
    int value; /* 4 or 8 */
} moe_codes_widths_t;

static MOE_INLINE void moe_codes_edge(void *edges, int32_t width, int32_t code, double value)
{
    if (width == 4)
        ((float *)edges)[code] = (float)value; /* exact: it was a float */
    else
        ((double *)edges)[code] = value;
}

static MOE_INLINE void moe_codes_assign_as(const double *column, const void *order, int32_t n_samples,
                                           const moe_column_t *found, moe_codes_widths_t widths, void *codes,
                                           void *lower, void *upper, moe_ear_t *ear)
{
    int32_t n_known = found->n_known, code = -1;
    int joined = found->n_codes < found->n_distinct;
    moe_codes_quantiles_t groups = {n_known, moe_codes_most(n_known, n_samples), 0, 1};
    double last = 0.0;
    MOE_EAR_EACH(i, n_samples, 4, ear) {
        uint32_t s = widths.order == 2 ? ((const uint16_t *)order)[i] : ((const uint32_t *)order)[i];
        double value = column[s];
        if (i < n_known) {
            int opens = i == 0 || value != last;
            int begins = (joined ? moe_codes_begins(&groups, opens) : opens) & (code + 1 < found->n_codes);
            code += begins;
            moe_codes_edge(upper, widths.value, code, value);
            if (begins) moe_codes_edge(lower, widths.value, code, value);
        } else
            code = found->n_codes;
        last = value;
        if (widths.code == 1)
            ((uint8_t *)codes)[s] = (uint8_t)code;
        else
            ((uint16_t *)codes)[s] = (uint16_t)code;
    }
}

/* Second pass: the code of every sample, and the smallest and largest value of each
 * code (`upper` may be `lower` where each value has its own). O(n_samples). */
static inline void moe_codes_assign(const double *column /* IN [n_samples] */,
                                    const void *order /* IN [n_samples] */, int32_t n_samples,
                                    const moe_column_t *found, const moe_codes_widths_t *widths,
                                    void *codes /* OUT [n_samples] */, void *lower /* OUT [n_codes] */,
                                    void *upper /* OUT [n_codes] */, moe_ear_t *ear)
{
    const moe_codes_widths_t narrow = {2, 1, widths->value}, many = {2, 2, widths->value};
    const moe_codes_widths_t wide = {4, 1, widths->value}, both = {4, 2, widths->value};
    if (widths->order == 2 && widths->code == 1)
        moe_codes_assign_as(column, order, n_samples, found, narrow, codes, lower, upper, ear);
    else if (widths->order == 2)
        moe_codes_assign_as(column, order, n_samples, found, many, codes, lower, upper, ear);
    else if (widths->code == 1)
        moe_codes_assign_as(column, order, n_samples, found, wide, codes, lower, upper, ear);
    else
        moe_codes_assign_as(column, order, n_samples, found, both, codes, lower, upper, ear);
}

/* Second pass: values scaled to [0, 1] by the range; those of a constant feature
 * are 0, missing ones the mean of the known. O(n_samples). */
static inline void moe_codes_scale(const double *column /* IN [n_samples] */, int32_t n_samples,
                                   const moe_column_t *found, float *values /* OUT [n_samples] */, moe_ear_t *ear)
{
    double range = found->high - found->low;
    double half = range - range == 0.0 ? 1.0 : 0.5; /* the range overflows: halve first */
    double low = found->low * half, span = found->high * half - low;
    if (!(span > 0.0)) { /* the mean of zeros too */
        memset(values, 0, (size_t)n_samples * sizeof *values);
        return;
    }
    if (found->n_known == n_samples) {
        MOE_EAR_EACH(s, n_samples, 1, ear) values[s] = (float)((column[s] * half - low) / span);
        return;
    }
    uint64_t limbs[MOE_SUM_LIMBS];
    memset(limbs, 0, sizeof limbs);
    MOE_EAR_EACH(s, n_samples, 4, ear)
        if (column[s] == column[s]) {
            double scaled = (column[s] * half - low) / span;
            moe_sum_add(scaled, limbs);
            values[s] = (float)scaled;
        }
    float mean = (float)(moe_sum_round(limbs) / found->n_known);
    MOE_EAR_EACH(s, n_samples, 1, ear)
        if (column[s] != column[s]) values[s] = mean;
}

#endif
