/* steer: redraw added features by weight, without replacement. */
#ifndef MOE_VARY_STEER_H
#define MOE_VARY_STEER_H

#include "bits/bits.h"
#include "draw/draw.h"

typedef struct {
    const double *weights; /* [n_features] > 0 */
    const int32_t *sizes;  /* [n_features] > 0; NULL = 1 each */
    double share;          /* fraction of the additions that is drawn anew */
    int64_t n_features;
} moe_vary_prior_t;

typedef struct {
    uint64_t *free;  /* [n_words] features that may be drawn */
    uint64_t *out;   /* [n_words] additions that are removed */
    double *reached; /* [n_features] cumulative weights of `pool` */
    int32_t *pool;   /* [n_features] features of the current size that can still be drawn, ascending */
} moe_vary_steering_t;

/* Return the smallest size > `last` among the features in `out`, and the number n of these; 0 if there is none. */
static inline int32_t moe_vary_next_size(const moe_vary_prior_t *prior, const uint64_t *out, int64_t n_words,
                                         int32_t last, int64_t *n /* OUT */)
{
    int32_t next = 0;
    *n = 0;
    for (int64_t w = 0; w < n_words; w++)
        for (uint64_t word = out[w]; word; word &= word - 1) {
            const int32_t size = prior->sizes ? prior->sizes[w * 64 + moe_base_lowest(word)] : 1;
            if (size <= last || (next && size > next)) continue;
            *n = size == next ? *n + 1 : 1;
            next = size;
        }
    return next;
}

/* Redraw a share of the additions, which are the features in `bits` but not in `elders`. Each is removed with
 * probability prior->share and replaced by a feature of the same size that is in neither, or was removed; smaller sizes
 * come first. A round draws as many features as are missing, with replacement, and ignores repeats; the next round
 * draws from the rest: that equals drawing one after the other without replacement. Tests of the address: 0 for the
 * removals, then one for each round. */
static inline void moe_vary_steer(moe_address_t address, uint32_t individual, const moe_vary_prior_t *prior,
                                  const uint64_t *elders /* IN [n_words] */, const moe_vary_steering_t *work,
                                  uint64_t *bits /* IN and OUT [n_words] */)
{
    const int64_t n_words = moe_bits_words(prior->n_features);
    const uint64_t last_word = prior->n_features % 64 ? ((uint64_t)1 << prior->n_features % 64) - 1 : ~(uint64_t)0;
    moe_stream_t stream = moe_draw_open(address, individual, 0);
    for (int64_t w = 0; w < n_words; w++) {
        work->out[w] = 0;
        for (uint64_t word = bits[w] & ~elders[w]; word; word &= word - 1)
            if (moe_draw_unit(&stream) < prior->share) work->out[w] |= word & (~word + 1);
        work->free[w] = ~(bits[w] | elders[w]) | work->out[w];
    }
    work->free[n_words - 1] &= last_word;
    for (int64_t w = 0; w < n_words; w++) bits[w] &= ~work->out[w];

    uint32_t step = 0;
    int64_t left;
    for (int32_t size = 0; (size = moe_vary_next_size(prior, work->out, n_words, size, &left)) > 0;) {
        while (left > 0) {
            int64_t n_pool = 0;
            double sum = 0.0;
            for (int64_t w = 0; w < n_words; w++)
                for (uint64_t word = work->free[w] & ~bits[w]; word; word &= word - 1) {
                    const int32_t f = (int32_t)(w * 64 + moe_base_lowest(word));
                    if (prior->sizes && prior->sizes[f] != size) continue;
                    sum += prior->weights[f];
                    work->pool[n_pool] = f;
                    work->reached[n_pool++] = sum;
                }
            stream = moe_draw_open(address, individual, ++step);
            for (int64_t spin = left; spin > 0; spin--) {
                const double target = moe_draw_unit(&stream) * sum;
                int64_t low = 0, high = n_pool - 1; /* first sum > target; the last one if rounding leaves none */
                while (low < high) {
                    const int64_t middle = low + (high - low) / 2;
                    if (work->reached[middle] > target)
                        high = middle;
                    else
                        low = middle + 1;
                }
                if (moe_bits_get(bits, work->pool[low])) continue;
                moe_bits_set(bits, work->pool[low]);
                left--;
            }
        } /* end: while left */
    }
}

#endif
