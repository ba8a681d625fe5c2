/* partition: the columns of a tree, divided at a node. A template like tree/sorted.inc.h.
 *
 * A sorted feature keeps its samples in order of code: the entries of a node are
 * one slice [start, end) of its column, and a split is a stable partition of each
 * slice, so nothing is sorted after the first fill.
 *
 *     a column:  [ left ........ | right ............ ]
 *                start           start + n_left       end
 *
 * Sides that will not be split are not partitioned.
 */
#include "tree/workspace.h"

/* Count the classes of [start, end). */
static MOE_INLINE void MOE_T(moe_partition_count)(const MOE_ENTRY *entries, int32_t start, int32_t end,
                                                  const moe_data_t *data, int32_t *counts /* OUT [n_classes] */)
{
    const uint32_t mask = ((uint32_t)1 << data->label_bits) - 1;
    memset(counts, 0, (size_t)data->n_classes * sizeof(int32_t));
    for (int32_t p = start; p < end; p++) counts[(uint32_t)(entries[p] >> data->id_bits) & mask]++;
}

/* Stable partition of [start, end): left entries to the front, right ones behind
 * them; either may be left out. */
static MOE_INLINE void MOE_T(moe_partition_stable)(const uint8_t *side, uint32_t mask, int32_t start, int32_t end,
                                                   int keep_left, int keep_right,
                                                   MOE_ENTRY *spare /* workspace [end - start + lanes] */,
                                                   MOE_ENTRY *entries)
{
    int32_t to = start, n_right = 0, p = start;
#if MOE_LEVEL == 4 && MOE_ENTRY_BITS == 32
    const __m512i ids = _mm512_set1_epi32((int32_t)mask), one = _mm512_set1_epi32(1);
    for (; p + MOE_LANES <= end; p += MOE_LANES) {
        __m512i these = _mm512_loadu_si512(entries + p);
        __m512i sides = _mm512_i32gather_epi32(_mm512_and_si512(these, ids), side, 1);
        __mmask16 left = _mm512_test_epi32_mask(sides, one), right = (__mmask16)~left;
        int32_t n_left = moe_base_popcount(left);
        /* to <= p: what is written has been read */
        if (keep_left) _mm512_storeu_si512(entries + to, _mm512_maskz_compress_epi32(left, these));
        if (keep_right) _mm512_storeu_si512(spare + n_right, _mm512_maskz_compress_epi32(right, these));
        to += n_left;
        n_right += MOE_LANES - n_left;
    }
#endif
    for (; p < end; p++) {
        MOE_ENTRY entry = entries[p];
        int left = side[(uint32_t)entry & mask];
        if (keep_left) entries[to] = entry;
        if (keep_right) spare[n_right] = entry;
        to += left;
        n_right += !left;
    }
    if (keep_right) memcpy(entries + to, spare, (size_t)n_right * sizeof(MOE_ENTRY));
}

/* The same, compiled for each side that is left out. A function of its own: inside a grower the compiler
 * keeps what the loop needs on the stack (AVX2, 100 continuous features: 15 % of the time of a tree). */
static MOE_NOINLINE void MOE_T(moe_partition_sides)(const uint8_t *side, uint32_t mask, int32_t start, int32_t end,
                                                    int keep_left, int keep_right, MOE_ENTRY *spare, MOE_ENTRY *entries)
{
    if (keep_left && keep_right)
        MOE_T(moe_partition_stable)(side, mask, start, end, 1, 1, spare, entries);
    else if (keep_left)
        MOE_T(moe_partition_stable)(side, mask, start, end, 1, 0, spare, entries);
    else
        MOE_T(moe_partition_stable)(side, mask, start, end, 0, 1, spare, entries);
}

/* Partition the columns of a node where a child needs them; `child` tells the list of the features
 * that may vary in it. That of the feature of the split is left | right already, unless missing
 * values go left. */
static MOE_INLINE void MOE_T(moe_partition_columns)(const moe_training_t *training, const moe_queued_t *parent,
                                                    const moe_queued_t *child, const moe_split_t *split,
                                                    int keep_left, int keep_right, MOE_ENTRY *samples /* or NULL */,
                                                    moe_workspace_t *work)
{
    const moe_data_t *data = training->data;
    const uint32_t mask = (uint32_t)(((uint64_t)1 << data->id_bits) - 1);
    const int64_t stride = training->n_train;
    const int32_t *list = work->lists + child->list, n_list = child->n_list;
    const int32_t in_order = split->missing_left ? -1 : split->feature;
    MOE_ENTRY *spare = (MOE_ENTRY *)work->spare;
    for (int32_t j = samples ? -1 : 0; j < n_list; j++) {
        if (j >= 0 && (list[j] == in_order || data->counted[training->features[list[j]]])) continue;
        MOE_ENTRY *entries = j < 0 ? samples : (MOE_ENTRY *)work->entries + list[j] * stride;
        MOE_T(moe_partition_sides)(work->side, mask, parent->start, parent->end, keep_left, keep_right, spare, entries);
    }
}
