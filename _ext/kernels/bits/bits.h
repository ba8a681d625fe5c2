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

/* Return the first of n chromosomes that has a 1 in its padding, or -1; the doors reject it. */
static inline int64_t moe_bits_padded(const uint64_t *bits /* IN [n, n_words] */, int64_t n, int64_t n_features)
{
    int64_t n_words = moe_bits_words(n_features);
    if (n_features % 64)
        for (int64_t i = 0; i < n; i++)
            if (bits[i * n_words + n_words - 1] >> (n_features % 64)) return i;
    return -1;
}

/* Return the number of selected features. */
static inline int32_t moe_bits_count(const uint64_t *bits, int64_t n_words)
{
    int32_t count = 0;
    for (int64_t w = 0; w < n_words; w++) count += moe_base_popcount(bits[w]);
    return count;
}

/* Return the Hamming distance h of two chromosomes. */
static inline int32_t moe_bits_hamming(const uint64_t *a, const uint64_t *b, int64_t n_words)
{
    int32_t h = 0;
    for (int64_t w = 0; w < n_words; w++) h += moe_base_popcount(a[w] ^ b[w]);
    return h;
}

/* List the selected features in ascending order of position, position f standing for feature features[f]; returns their
 * number. `selected` has room for all of them. */
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

/* Return a 64-bit hash of a chromosome; equal chromosomes have equal hashes. Words that are 0 are skipped: in a small
 * subset of many features most are. */
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

/* A hash table of chromosomes, with open addressing. */
typedef struct {
    uint64_t *hashes; /* [n] hash of each chromosome that is in the table */
    int32_t *slots;   /* [n_slots] index of a chromosome, at the first free slot from its hash on; -1 = free */
    int64_t n_slots;
} moe_bits_table_t;

/* Return the number of slots for n chromosomes: a power of two, of which at most half will be in use. */
static inline int64_t moe_bits_slots(int64_t n)
{
    int64_t n_slots = 2;
    while (n_slots < 2 * n) n_slots *= 2;
    return n_slots;
}

/* Return the index of a chromosome in the table that equals chromosome i; if there is none, insert i and return i. */
static inline int32_t moe_bits_find_or_insert(const moe_bits_table_t *table /* its arrays are IN and OUT */, int32_t i,
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
