/* codes: rank the values of a feature, sort its samples, and scale its values to [0, 1].
 *
 * There are two passes over every feature. The first sorts its samples and counts its codes. The second, when the
 * counts of all features are known and the narrowest type for codes is chosen, writes codes, edges of codes and scaled
 * values. Features come in tiles, one cache line of a row of the caller's table at a time.
 *
 * All numbers become doubles, which is exact, and -0.0 becomes 0.0. NaN = missing.
 *
 * Limits: n_samples <= 2^30 (a sample and a flag share 32 bits), no infinity. If another thread writes to the table
 * between the passes, codes are wrong, but no write leaves its buffer.
 */
#ifndef MOE_BINNING_CODES_H
#define MOE_BINNING_CODES_H

#include "binning/radix.h"
#include "binning/sum.h"

#define MOE_CODES_MAX 65536 /* most codes of a feature, including the code of missing values */
#define MOE_CODES_IS_FIRST ((uint64_t)1 << 31) /* flag in a sorted word: first sample of a distinct value */
#define MOE_CODES_SAMPLE (MOE_CODES_IS_FIRST - 1)

/* Summary of a feature, from the first pass. */
typedef struct {
    double low;         /* smallest and largest known value; 0 if none is known */
    double high;
    int32_t n_known;    /* samples whose value is known */
    int32_t n_distinct; /* distinct known values */
    int32_t n_codes;    /* codes of known values; = n_distinct, or fewer if neighbouring values share a code */
} moe_column_t;

/* All functions below return early if the poll says stop; their outputs are then unusable. */

/* Sort the samples of words by the low half of the keys of their values, whose high halves are equal; flag the first
 * sample of each distinct value and return the number of distinct values. */
static inline int32_t moe_codes_refine(const double *column, uint64_t *words /* IN, OUT [n] */, int32_t n,
                                       uint64_t *spare, moe_poll_t *poll)
{
    int32_t n_distinct = 0;
    MOE_POLL_EACH(i, n, 2, poll) {
        uint32_t sample = (uint32_t)words[i];
        words[i] = moe_radix_key(column[sample]) << 32 | sample;
    }
    moe_radix_sort(words, n, spare, poll);
    MOE_POLL_EACH(i, n, 1, poll) {
        int is_new = i == 0 || words[i] >> 32 != words[i - 1] >> 32;
        words[i] |= is_new ? MOE_CODES_IS_FIRST : 0;
        n_distinct += is_new;
    }
    return n_distinct;
}

/* State of a scan that assigns n sorted samples to n_groups < n_distinct quantile groups. The sample at position i is
 * in group floor(i n_groups / n); values whose first positions are in the same group share one code. */
typedef struct {
    int32_t n, n_groups, remainder; /* remainder = i n_groups % n at the next position i */
    int pending;                    /* 1 while no code has begun in the current group */
} moe_codes_quantiles_t;

/* Advance by one position and return whether a code begins there; `is_new`: the value differs from the one before. */
static MOE_INLINE int moe_codes_begins(moe_codes_quantiles_t *groups, int is_new)
{
    int begins = is_new & groups->pending;
    groups->remainder += groups->n_groups;
    groups->pending &= !begins;
    if (groups->remainder >= groups->n) { /* n_groups < n: at most one group further */
        groups->remainder -= groups->n;
        groups->pending = 1;
    }
    return begins;
}

/* Return the largest number of codes for known values: one code is reserved for missing values, if there are any. */
static MOE_INLINE int32_t moe_codes_most(int32_t n_known, int32_t n_samples)
{
    return MOE_CODES_MAX - (n_known < n_samples);
}

/* First pass: sort the samples of a feature by value, missing ones last, ties by number; count its codes.
 * O(n_samples). */
static inline void moe_codes_sort(const double *column /* IN [n_samples] */, int32_t n_samples, int order_width,
                                  uint64_t *words /* WORK [n_samples] */, uint64_t *spare /* WORK [n_samples] */,
                                  void *order /* OUT [n_samples] */, moe_column_t *found /* OUT */, moe_poll_t *poll)
{
    uint64_t low_bits = 0;
    int32_t n_known = 0, n_distinct = 0;
    MOE_POLL_EACH(s, n_samples, 1, poll) {
        double value = column[s];
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        low_bits |= bits;
        n_known += value == value;
        words[s] = (moe_radix_key(value) >> 32) << 32 | (uint32_t)s;
    }
    moe_radix_sort(words, n_samples, spare, poll);
    if (moe_poll_stops(poll, 0)) return; /* the words may not hold samples yet */
    int32_t most = moe_codes_most(n_known, n_samples);
    /* if the low half of every value is 0 (small integers, halves, ...), the high halves alone tell values apart */
    int refine = (uint32_t)low_bits != 0;
    for (int32_t start = 0, end, last_asked = 0; start < n_known; start = end) {
        if (start - last_asked >= MOE_POLL_BLOCK) {
            if (moe_poll_stops(poll, start - last_asked)) return;
            last_asked = start;
        }
        uint64_t high = words[start] >> 32;
        for (end = start + 1; end < n_known && words[end] >> 32 == high;) end++;
        if (refine && end - start > 1)
            n_distinct += moe_codes_refine(column, words + start, end - start, spare, poll);
        else {
            words[start] |= MOE_CODES_IS_FIRST;
            n_distinct++;
        }
    }
    if (moe_poll_stops(poll, 0)) return;
    found->low = n_known ? column[words[0] & MOE_CODES_SAMPLE] : 0.0;
    found->high = n_known ? column[words[n_known - 1] & MOE_CODES_SAMPLE] : 0.0;
    found->n_known = n_known;
    found->n_distinct = n_distinct;
    found->n_codes = n_distinct;
    if (n_distinct > most) {
        moe_codes_quantiles_t groups = {n_known, most, 0, 1};
        found->n_codes = 0;
        MOE_POLL_EACH(i, n_known, 1, poll)
            found->n_codes += moe_codes_begins(&groups, (words[i] & MOE_CODES_IS_FIRST) != 0);
    }
    if (order_width == 2)
        MOE_POLL_EACH(i, n_samples, 1, poll) ((uint16_t *)order)[i] = (uint16_t)words[i];
    else
        MOE_POLL_EACH(i, n_samples, 1, poll) ((uint32_t *)order)[i] = (uint32_t)(words[i] & MOE_CODES_SAMPLE);
}

/* Widths in bytes of the entries of the output arrays. */
typedef struct {
    int order; /* 2 or 4 */
    int code;  /* 1 or 2 */
    int value; /* 4 or 8 */
} moe_codes_widths_t;

static MOE_INLINE void moe_codes_edge(void *edges, int32_t width, int32_t code, double value)
{
    if (width == 4)
        ((float *)edges)[code] = (float)value; /* exact: the value was read from a float */
    else
        ((double *)edges)[code] = value;
}

static MOE_INLINE void moe_codes_assign_as(const double *column, const void *order, int32_t n_samples,
                                           const moe_column_t *found, moe_codes_widths_t widths, void *codes,
                                           void *lower, void *upper, moe_poll_t *poll)
{
    int32_t n_known = found->n_known, code = -1;
    int by_quantiles = found->n_codes < found->n_distinct;
    moe_codes_quantiles_t groups = {n_known, moe_codes_most(n_known, n_samples), 0, 1};
    double last = 0.0;
    MOE_POLL_EACH(i, n_samples, 4, poll) {
        uint32_t s = widths.order == 2 ? ((const uint16_t *)order)[i] : ((const uint32_t *)order)[i];
        double value = column[s];
        if (i < n_known) {
            int is_new = i == 0 || value != last;
            int begins = (by_quantiles ? moe_codes_begins(&groups, is_new) : is_new) & (code + 1 < found->n_codes);
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

/* Second pass: write the code of every sample, and the smallest and largest value of each code (`upper` may be the
 * same array as `lower` if no two values share a code). The four calls compile the loop for constant widths.
 * O(n_samples). */
static inline void moe_codes_assign(const double *column /* IN [n_samples] */,
                                    const void *order /* IN [n_samples] */, int32_t n_samples,
                                    const moe_column_t *found, const moe_codes_widths_t *widths,
                                    void *codes /* OUT [n_samples] */, void *lower /* OUT [n_codes] */,
                                    void *upper /* OUT [n_codes] */, moe_poll_t *poll)
{
    const moe_codes_widths_t order_2_code_1 = {2, 1, widths->value}, order_2_code_2 = {2, 2, widths->value};
    const moe_codes_widths_t order_4_code_1 = {4, 1, widths->value}, order_4_code_2 = {4, 2, widths->value};
    if (widths->order == 2 && widths->code == 1)
        moe_codes_assign_as(column, order, n_samples, found, order_2_code_1, codes, lower, upper, poll);
    else if (widths->order == 2)
        moe_codes_assign_as(column, order, n_samples, found, order_2_code_2, codes, lower, upper, poll);
    else if (widths->code == 1)
        moe_codes_assign_as(column, order, n_samples, found, order_4_code_1, codes, lower, upper, poll);
    else
        moe_codes_assign_as(column, order, n_samples, found, order_4_code_2, codes, lower, upper, poll);
}

/* Second pass: write the values scaled to [0, 1], (value - low) / (high - low); 0 for a constant feature; missing
 * values become the mean of the scaled known ones. O(n_samples). */
static inline void moe_codes_scale(const double *column /* IN [n_samples] */, int32_t n_samples,
                                   const moe_column_t *found, float *values /* OUT [n_samples] */, moe_poll_t *poll)
{
    double range = found->high - found->low;
    double half = range - range == 0.0 ? 1.0 : 0.5; /* if high - low overflows, halve both first */
    double low = found->low * half, span = found->high * half - low;
    if (!(span > 0.0)) { /* also right for missing values: the mean of zeros */
        memset(values, 0, (size_t)n_samples * sizeof *values);
        return;
    }
    if (found->n_known == n_samples) {
        MOE_POLL_EACH(s, n_samples, 1, poll) values[s] = (float)((column[s] * half - low) / span);
        return;
    }
    uint64_t limbs[MOE_SUM_LIMBS];
    memset(limbs, 0, sizeof limbs);
    MOE_POLL_EACH(s, n_samples, 4, poll)
        if (column[s] == column[s]) {
            double scaled = (column[s] * half - low) / span;
            moe_sum_add(scaled, limbs);
            values[s] = (float)scaled;
        }
    float mean = (float)(moe_sum_round(limbs) / found->n_known);
    MOE_POLL_EACH(s, n_samples, 1, poll)
        if (column[s] != column[s]) values[s] = mean;
}

#endif
