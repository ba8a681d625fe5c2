/* partition: partition the columns of a tree at a node. A template like tree/sorted.inc.h.
 *
 * A column has its entries in order of code: those of a node are one slice [start, end), and a split partitions each
 * slice stably, so nothing is sorted after the first fill.
 *
 *     a column:  [ left ........ | right ............ ]
 *                start           start + n_left       end
 *
 * Sides that will not be split are not written.
 */
#include "tree/workspace.h"

/* Count the classes of entries [start, end). */
static MOE_INLINE void MOE_T(moe_partition_count)(const MOE_ENTRY *entries, int32_t start, int32_t end,
                                                  const moe_data_t *data, int32_t *counts /* OUT [n_classes] */)
{
    const uint32_t mask = ((uint32_t)1 << data->label_bits) - 1;
    memset(counts, 0, (size_t)data->n_classes * sizeof(int32_t));
    for (int32_t p = start; p < end; p++) counts[(uint32_t)(entries[p] >> data->id_bits) & mask]++;
}

/* Partition entries [start, end) stably: left ones to the front, right ones behind them; without its keep flag a side
 * is skipped. */
static MOE_INLINE void MOE_T(moe_partition_stable)(const uint8_t *side, uint32_t mask, int32_t start, int32_t end,
                                                   int keep_left, int keep_right,
                                                   MOE_ENTRY *spare /* workspace [end - start + lanes] */,
                                                   MOE_ENTRY *entries)
{
    int32_t to = start, n_right = 0, p = start;
#if MOE_LEVEL == 4 && MOE_ENTRY_BITS == 32
    const __m512i ids = _mm512_set1_epi32((int32_t)mask), one = _mm512_set1_epi32(1);
    for (; p + MOE_LANES <= end; p += MOE_LANES) {
        __m512i block = _mm512_loadu_si512(entries + p);
        __m512i sides = _mm512_i32gather_epi32(_mm512_and_si512(block, ids), side, 1);
        __mmask16 left = _mm512_test_epi32_mask(sides, one), right = (__mmask16)~left;
        int32_t n_left = moe_base_popcount(left);
        /* to <= p: only entries that were already read are overwritten */
        if (keep_left) _mm512_storeu_si512(entries + to, _mm512_maskz_compress_epi32(left, block));
        if (keep_right) _mm512_storeu_si512(spare + n_right, _mm512_maskz_compress_epi32(right, block));
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

/* Call moe_partition_stable with constant keep flags. It must not be inlined: inside a grower the compiler keeps the
 * variables of the loop on the stack (AVX2, 100 continuous features: 15 % of the time of a tree). */
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

/* Partition the columns of a node for its children; `child` has the list of features that may vary in them. The column
 * of the split feature is already partitioned, unless missing values go left. */
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
