/* radix: sort samples by value in ascending order, ties by sample number.
 *
 * A word is the upper or lower 32 bits of a key above the 32 bits of a sample number. Words are distinct, so any
 * sorting method gives the order of a stable sort.
 */
#ifndef MOE_BINNING_RADIX_H
#define MOE_BINNING_RADIX_H

#include "base/base.h"
#include "base/poll.h"

/* Below this length words are sorted by insertion (n = 36: 0.47 us, by digits 0.50; n = 54: 0.86, 0.59). */
#define MOE_RADIX_SHORT 40

/* Return 64 bits that order like the values; NaN is above all numbers. */
static MOE_INLINE uint64_t moe_radix_key(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits ^= (0 - (bits >> 63)) | (uint64_t)1 << 63;
    return value == value ? bits : UINT64_MAX;
}

/* Sort words by their high halves, stably, so that equal keys stay in order of their low halves. Least significant
 * digit first, 8 bits a digit; a digit that is equal in all words is skipped. O(n). */
static inline void moe_radix_digits(uint64_t *words /* IN, OUT [n] */, int32_t n, uint64_t *spare /* [n] */,
                                    moe_poll_t *poll)
{
    uint32_t counts[4][256];
    uint64_t *from = words, *to = spare;
    memset(counts, 0, sizeof counts);
    MOE_POLL_EACH(i, n, 1, poll)
        for (int d = 0; d < 4; d++) counts[d][words[i] >> (32 + 8 * d) & 255]++;
    for (int d = 0; d < 4 && !moe_poll_stops(poll, 0); d++) {
        int shift = 32 + 8 * d;
        uint32_t *at = counts[d], sum = 0;
        if (at[from[0] >> shift & 255] == (uint32_t)n) continue;
        for (int b = 0; b < 256; b++) {
            uint32_t count = at[b];
            at[b] = sum;
            sum += count;
        }
        MOE_POLL_EACH(i, n, 2, poll) to[at[from[i] >> shift & 255]++] = from[i];
        uint64_t *other = from;
        from = to;
        to = other;
    }
    if (from != words) memcpy(words, from, (size_t)n * sizeof *words);
}

static inline void moe_radix_insert(uint64_t *words /* IN, OUT [n] */, int32_t n)
{
    for (int32_t i = 1; i < n; i++) {
        uint64_t word = words[i];
        int32_t j = i;
        for (; j && words[j - 1] > word; j--) words[j] = words[j - 1];
        words[j] = word;
    }
}

/* Sort words whose low halves ascend, by key and then by sample. `spare` is workspace. */
static inline void moe_radix_sort(uint64_t *words /* IN, OUT [n] */, int32_t n, uint64_t *spare /* [n] */,
                                  moe_poll_t *poll)
{
    if (n < MOE_RADIX_SHORT)
        moe_radix_insert(words, n);
    else
        moe_radix_digits(words, n, spare, poll);
}

#endif
