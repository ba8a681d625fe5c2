/* bits: chromosomes packed into 64-bit words.
 *
 * Bit f of a chromosome is bit f % 64 of word f / 64; 1 = feature f is selected.
 * Bits at and beyond n_features (padding) are always 0.
 */
#ifndef MOE_BITS_BITS_H
#define MOE_BITS_BITS_H

#include "base/base.h"

static inline int64_t moe_bits_words(int64_t n_features) { return (n_features + 63) / 64; }

static inline int moe_bits_get(const uint64_t *bits, int64_t f)
{
    return (int)(bits[f >> 6] >> (f & 63) & 1);
}

static inline void moe_bits_set(uint64_t *bits, int64_t f) { bits[f >> 6] |= (uint64_t)1 << (f & 63); }

static inline void moe_bits_flip(uint64_t *bits, int64_t f) { bits[f >> 6] ^= (uint64_t)1 << (f & 63); }

/* First of n chromosomes with a bit in the padding, or -1: the doors' check. */
static inline int64_t moe_bits_padded(const uint64_t *bits /* IN [n, n_words] */, int64_t n, int64_t n_features)
{
    int64_t n_words = moe_bits_words(n_features);
    if (n_features % 64)
        for (int64_t i = 0; i < n; i++)
            if (bits[i * n_words + n_words - 1] >> (n_features % 64)) return i;
    return -1;
}

/* Number of selected features. */
static inline int32_t moe_bits_count(const uint64_t *bits, int64_t n_words)
{
    int32_t count = 0;
    for (int64_t w = 0; w < n_words; w++) count += moe_base_popcount(bits[w]);
    return count;
}

/* Hamming distance h. */
static inline int32_t moe_bits_hamming(const uint64_t *a, const uint64_t *b, int64_t n_words)
{
    int32_t h = 0;
    for (int64_t w = 0; w < n_words; w++) h += moe_base_popcount(a[w] ^ b[w]);
    return h;
}

/* List the selected features in ascending order; `selected` holds their number.
 * With `features`, position f stands for feature features[f]. Returns the number. */
static inline int32_t moe_bits_list(const uint64_t *bits, int64_t n_words,
                                    const int32_t *features /* IN [n_features] */,
                                    int32_t *selected /* OUT */)
{
    int32_t count = 0;
    for (int64_t w = 0; w < n_words; w++)
        for (uint64_t word = bits[w]; word; word &= word - 1)
            selected[count++] = features[w * 64 + moe_base_lowest(word)];
    return count;
}

/* Mixes the words into one for comparisons; equal chromosomes have equal hashes. Most words of a small subset of many
 * features are 0, and are passed over. */
static inline uint64_t moe_bits_hash(const uint64_t *bits, int64_t n_words)
{
    uint64_t hash = 0x9E3779B97F4A7C15u;
    for (int64_t w = 0; w < n_words; w++) {
        if (!bits[w]) continue;
        hash = (hash ^ bits[w] ^ (uint64_t)w << 32) * 0xD6E8FEB86659FD93u;
        hash ^= hash >> 32;
    }
    return hash;
}

/* A table that finds equal chromosomes. */
typedef struct {
    uint64_t *hashes; /* [n] of the chromosomes so far */
    int32_t *slots;   /* [n_slots] chromosome, from its hash on; -1 = free */
    int64_t n_slots;
} moe_bits_table_t;

/* Slots of the table of n chromosomes: a power of two, at most half of them in use. */
static inline int64_t moe_bits_slots(int64_t n)
{
    int64_t n_slots = 2;
    while (n_slots < 2 * n) n_slots *= 2;
    return n_slots;
}

/* Returns the chromosome in the table that equals chromosome i; where none does, i, which is then in the table. */
static inline int32_t moe_bits_met(const moe_bits_table_t *table /* its arrays are IN and OUT */, int32_t i,
                                   int64_t n_words, const uint64_t *bits /* IN [n, n_words] */)
{
    const uint64_t *own = bits + i * n_words, hash = moe_bits_hash(own, n_words);
    int64_t slot = (int64_t)(hash & (uint64_t)(table->n_slots - 1));
    for (; table->slots[slot] >= 0; slot = (slot + 1) & (table->n_slots - 1)) {
        const int32_t j = table->slots[slot];
        if (table->hashes[j] == hash && !memcmp(bits + j * n_words, own, (size_t)n_words * sizeof(uint64_t))) return j;
    }
    table->hashes[i] = hash;
    table->slots[slot] = i;
    return i;
}

#endif
