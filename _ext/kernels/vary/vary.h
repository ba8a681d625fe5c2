/* vary: selection, crossover, mutation, repair, distinctness.
 *
 * One pair of parents is one task with one stream. It draws in this order: two selections, the crossover, then for each
 * child the number of flips, the flips, and, if the child weighs too much or too little, the positions of the repair.
 */
#ifndef MOE_VARY_VARY_H
#define MOE_VARY_VARY_H

#include "vary/cross.h"
#include "vary/mutate.h"
#include "vary/select.h"

typedef struct {
    int32_t selection;
    int32_t tournament_size;
    int32_t crossover;
    double crossover_rate;
    const uint64_t *flip_limits; /* number of flips = number of limits <= a random word */
    int32_t n_flip_limits;
} moe_vary_options_t;

/* Select exactly `count` random features (Floyd's method); `bits` is all 0 before the call. */
static inline void moe_vary_random(moe_stream_t *stream, int64_t n_features, int64_t count,
                                   uint64_t *bits)
{
    for (int64_t j = n_features - count; j < n_features; j++) {
        int64_t pick = (int64_t)moe_draw_below(stream, (uint64_t)j + 1);
        moe_bits_set(bits, moe_bits_get(bits, pick) ? j : pick);
    }
}

/* The population that parents are selected from. */
typedef struct {
    const uint64_t *bits;     /* [n, n_words(n_features)] */
    const double *fitness;    /* [n] */
    const double *cumulative; /* [n] cumulative fitness */
    int64_t n_features;
    int32_t n;
} moe_vary_parents_t;

/* Select two parents, cross them, mutate and repair both children. */
static inline void moe_vary_mate(moe_stream_t *stream, const moe_vary_parents_t *parents,
                                 const moe_vary_options_t *options, const moe_vary_limits_t *limits,
                                 uint64_t *picked /* workspace [n_words] */, uint64_t *child_a /* OUT [n_words] */,
                                 uint64_t *child_b /* OUT [n_words] */)
{
    const int64_t n_features = parents->n_features, n_words = moe_bits_words(n_features);
    uint64_t *children[2] = {child_a, child_b};
    for (int i = 0; i < 2; i++) {
        int32_t parent = moe_vary_select(stream, parents->fitness, parents->cumulative, parents->n, options->selection,
                                         options->tournament_size);
        memcpy(children[i], parents->bits + parent * n_words, (size_t)n_words * sizeof(uint64_t));
    }
    if (moe_draw_unit(stream) < options->crossover_rate)
        moe_vary_cross(stream, n_features, options->crossover, child_a, child_b);
    for (int i = 0; i < 2; i++) {
        int32_t n_flips = moe_vary_n_flips(stream, options->flip_limits, options->n_flip_limits);
        moe_vary_flip(stream, n_features, n_flips, picked, children[i]);
        moe_vary_repair(stream, n_features, limits, children[i]);
    }
}

/* Make individual i differ from all individuals before it: while it equals one of them, flip n_flips random bits and
 * repair, at most `tries` times. Returns 1 if it was changed. */
static inline int moe_vary_distinct(moe_stream_t *stream, int32_t i, int64_t n_features, int64_t n_flips,
                                    int32_t tries, const moe_vary_limits_t *limits,
                                    const moe_bits_table_t *table /* its arrays are IN and OUT */,
                                    uint64_t *picked /* workspace [n_words] */,
                                    uint64_t *population /* IN and OUT [n, n_words] */)
{
    int64_t n_words = moe_bits_words(n_features);
    uint64_t *bits = population + i * n_words;
    for (int32_t t = 0;; t++) {
        if (moe_bits_find_or_insert(table, i, n_words, population) == i || t == tries) return t > 0;
        moe_vary_flip(stream, n_features, n_flips, picked, bits);
        moe_vary_repair(stream, n_features, limits, bits);
    }
}

#endif
