/* draw: random numbers that have an address.
 *
 * An address is (seed; purpose, population, generation, individual, test). It opens a stream: counter = (block,
 * individual | test << 32, generation | purpose << 32, population), key = 128 bits of seed. A number depends on its
 * address alone: neither on the thread that draws it, nor on earlier draws elsewhere.
 *
 * Limits: purpose, generation, individual, test < 2^32; 2^66 draws a stream.
 */
#ifndef MOE_DRAW_DRAW_H
#define MOE_DRAW_DRAW_H

#include "draw/philox.h"

/* The test number under which the instances of objective III are drawn. */
#define MOE_DRAW_SAMPLE 0xFFFFFFFFu

typedef struct {
    uint64_t seed[2];
    uint64_t population;
    uint32_t purpose;
    uint32_t generation;
} moe_address_t;

typedef struct {
    uint64_t key[2];
    uint64_t counter[4];
    uint64_t block[4];
    int used; /* words of `block` already handed out; 4 = draw a new block */
} moe_stream_t;

/* Return the stream of an address. */
static inline moe_stream_t moe_draw_open(moe_address_t address, uint32_t individual, uint32_t test)
{
    moe_stream_t stream;
    stream.key[0] = address.seed[0];
    stream.key[1] = address.seed[1];
    stream.counter[0] = 0;
    stream.counter[1] = (uint64_t)test << 32 | individual;
    stream.counter[2] = (uint64_t)address.purpose << 32 | address.generation;
    stream.counter[3] = address.population;
    stream.used = 4;
    return stream;
}

/* Return 64 random bits. */
static inline uint64_t moe_draw_word(moe_stream_t *stream)
{
    if (stream->used == 4) {
        moe_philox(stream->counter, stream->key, stream->block);
        stream->counter[0]++;
        stream->used = 0;
    }
    return stream->block[stream->used++];
}

/* Skip the first n words of a stream that was just opened. */
static inline void moe_draw_skip(moe_stream_t *stream, uint64_t n)
{
    stream->counter[0] = n / 4;
    for (n %= 4; n > 0; n--) moe_draw_word(stream);
}

/* Return a uniform number in [0, 1), a multiple of 2^-53. */
static inline double moe_draw_unit(moe_stream_t *stream)
{
    return (double)(moe_draw_word(stream) >> 11) * (1.0 / 9007199254740992.0);
}

/* Return a uniform integer in {0, ..., n - 1}, n >= 1. One word a draw; the relative error of a probability is at most
 * n / 2^64, below 2^-32 for every n here. */
static inline uint64_t moe_draw_below(moe_stream_t *stream, uint64_t n)
{
    return moe_base_mulhi(moe_draw_word(stream), n);
}

/* Mark m distinct members of {0, ..., n - 1}, all m-subsets equally likely (Floyd's method: m draws, no permutation).
 * marks[0 .. n) is 0 before the call, and 1 for the members after it. */
static inline void moe_draw_subset(moe_stream_t *stream, int32_t n, int32_t m,
                                   uint8_t *marks /* IN and OUT */)
{
    for (int32_t j = n - m; j < n; j++) {
        int32_t pick = (int32_t)moe_draw_below(stream, (uint64_t)j + 1);
        pick += (j - pick) * marks[pick]; /* j if pick is taken: a branch would be mispredicted */
        marks[pick] = 1;
    }
}

/* Draw a stratified split (Algorithm 2, line "random stratified split"). Samples are sorted by class: class c is
 * [class_start[c], class_start[c + 1]). marks[s] becomes 1 in the validation part, 0 in the training part. */
static inline void moe_draw_split(moe_stream_t *stream,
                                  const int32_t *class_start /* IN [n_classes + 1] */,
                                  const int32_t *n_validation /* IN [n_classes] */,
                                  int32_t n_classes, uint8_t *marks /* OUT [n_samples] */)
{
    memset(marks, 0, (size_t)class_start[n_classes]);
    for (int32_t c = 0; c < n_classes; c++)
        moe_draw_subset(stream, class_start[c + 1] - class_start[c], n_validation[c],
                        marks + class_start[c]);
}

/* Draw the instances of objective III (Algorithm "distMetric") and list n of the n_instances, from number `first` on:
 * with replacement in the order drawn, without replacement in ascending order. The stream was just opened. */
static inline void moe_draw_instances(moe_stream_t *stream, int32_t n_samples, int32_t n_instances, int32_t first,
                                      int32_t n, int replace, uint8_t *marks /* workspace [n_samples] */,
                                      int32_t *instances /* OUT [n] */)
{
    if (replace) {
        moe_draw_skip(stream, (uint64_t)first);
        for (int32_t i = 0; i < n; i++)
            instances[i] = (int32_t)moe_draw_below(stream, (uint64_t)n_samples);
        return;
    }
    memset(marks, 0, (size_t)n_samples);
    moe_draw_subset(stream, n_samples, n_instances, marks);
    for (int32_t s = 0, i = -first; i < n; s++)
        if (marks[s]) {
            if (i >= 0) instances[i] = s;
            i++;
        }
}

#endif
