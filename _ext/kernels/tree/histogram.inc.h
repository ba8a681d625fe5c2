/* histogram: the splits of counted features (few codes, none missing) in one node. A template like tree/sorted.inc.h.
 *
 * A counted feature needs no sorted entries, hence no partition: its splits follow from the class counts on their right
 * sides, one lane for each split. The samples of a node are sorted by class, so the counts of one class stay in a
 * register:
 *
 *     lane i = the split between codes 15 - i and 16 - i; it counts the samples with a higher code
 *     adding a sample with code q = adding moe_histogram_rows[q .. q + 15]
 */
#include "tree/bins.h"
#include "tree/histogram.h"
#include "tree/sorted.h"
#include "tree/workspace.h"

#define MOE_HISTOGRAM_CODE(feature, sample)                                                                     \
    (data->code_width == 1 ? ((const uint8_t *)data->codes)[(int64_t)(feature) * data->n_samples + (sample)] \
                           : ((const uint16_t *)data->codes)[(int64_t)(feature) * data->n_samples + (sample)])

/* Compute the sums of a feature for a node of any size. */
static MOE_INLINE void MOE_T(moe_histogram_large)(const MOE_SLICE *slice,
                                                  const int32_t *present /* IN [n_present] > 0, by class */,
                                                  int32_t feature, moe_histogram_t *sums /* OUT */)
{
    const moe_data_t *data = slice->data;
    const MOE_ENTRY *samples = slice->samples;
    const int32_t n_present = slice->n_present;
    const uint32_t mask = (uint32_t)(((uint64_t)1 << data->id_bits) - 1);
    memset(sums, 0, sizeof *sums);
    for (int32_t i = 0; i < n_present; i++) {
        uint64_t of_code[MOE_HISTOGRAM_CODES] = {0}, right = 0;
        for (const MOE_ENTRY *end = samples + present[i]; samples < end; samples++)
            of_code[MOE_HISTOGRAM_CODE(feature, (uint32_t)*samples & mask)]++;
        for (int32_t lane = 0; lane < MOE_HISTOGRAM_SPLITS; lane++) {
            right += of_code[MOE_HISTOGRAM_SPLITS - lane];
            sums->s_right[lane] += right * right;
            sums->cross[lane] += right * (uint64_t)present[i];
            sums->n_right[lane] += right;
        }
    }
}

#if MOE_HAS_VECTORS
/* Sixteen counts lie in ROWS vectors of 16-bit numbers while samples are counted, and in PARTS vectors of 32-bit
 * numbers when they are summed over classes. */
#define MOE_HISTOGRAM_PARTS (MOE_HISTOGRAM_SPLITS / MOE_LANES)
#define MOE_HISTOGRAM_ROWS (MOE_BYTES < 32 ? 32 / MOE_BYTES : 1)
#define MOE_ROW MOE_T(moe_row_t)
#define MOE_HALF MOE_T(moe_half_t)
#define MOE_SUMS MOE_T(moe_sums_t)
typedef uint16_t MOE_ROW __attribute__((vector_size(32 / MOE_HISTOGRAM_ROWS), aligned(2), may_alias));
typedef uint16_t MOE_HALF __attribute__((vector_size(2 * MOE_LANES)));
typedef struct { /* the same sums as moe_histogram_t */
    MOE_WHOLE s_right[MOE_HISTOGRAM_PARTS], cross[MOE_HISTOGRAM_PARTS], n_right[MOE_HISTOGRAM_PARTS];
} MOE_SUMS;

static MOE_INLINE void MOE_T(moe_histogram_add)(uint32_t code, MOE_ROW right[MOE_HISTOGRAM_ROWS] /* IN and OUT */)
{
    const MOE_ROW *row = (const MOE_ROW *)(moe_histogram_rows + code);
    for (int r = 0; r < MOE_HISTOGRAM_ROWS; r++) right[r] += row[r];
}

/* Add a class to the sums: `right` = its counts on the right sides, `all` = its count in the node. */
static MOE_INLINE void MOE_T(moe_histogram_class)(const MOE_ROW right[MOE_HISTOGRAM_ROWS], int32_t all,
                                                  MOE_SUMS *sums /* IN and OUT */)
{
    MOE_HALF half[MOE_HISTOGRAM_PARTS];
    memcpy(half, right, sizeof half);
    for (int part = 0; part < MOE_HISTOGRAM_PARTS; part++) {
        MOE_WHOLE wide = __builtin_convertvector(half[part], MOE_WHOLE);
        sums->s_right[part] += wide * wide;
        sums->cross[part] += wide * all;
        sums->n_right[part] += wide;
    }
}

#define MOE_HISTOGRAM_CLASSES(code_t)                                                                        \
    do {                                                                                                 \
        const code_t *codes[MOE_TREE_UNROLL];                                                            \
        for (int f = 0; f < n_features; f++)                                                             \
            codes[f] = (const code_t *)data->codes + (int64_t)features[f] * data->n_samples;             \
        for (int32_t i = 0; i < n_present; i++) {                                                        \
            MOE_ROW right[MOE_TREE_UNROLL][MOE_HISTOGRAM_ROWS] = {{{0}}};                                    \
            for (const MOE_ENTRY *end = samples + present[i]; samples < end; samples++) {                \
                uint32_t sample = (uint32_t)*samples & mask;                                             \
                for (int f = 0; f < n_features; f++) MOE_T(moe_histogram_add)(codes[f][sample], right[f]);   \
            }                                                                                            \
            for (int f = 0; f < n_features; f++) MOE_T(moe_histogram_class)(right[f], present[i], sums + f); \
        }                                                                                                \
    } while (0)

/* Compute the sums of n_features features together, for a node of at most MOE_SORTED_MAX samples: the end of each class
 * is mispredicted, so few passes over the samples are made. */
static MOE_INLINE void MOE_T(moe_histogram_small)(const MOE_SLICE *slice, const int32_t *present,
                                                  const int32_t features[] /* IN [n_features] */, int n_features,
                                                  MOE_SUMS sums[] /* OUT [n_features] */)
{
    const moe_data_t *data = slice->data;
    const MOE_ENTRY *samples = slice->samples;
    const int32_t n_present = slice->n_present;
    const uint32_t mask = (uint32_t)(((uint64_t)1 << data->id_bits) - 1);
    memset(sums, 0, (size_t)n_features * sizeof *sums);
    if (data->code_width == 1)
        MOE_HISTOGRAM_CLASSES(uint8_t);
    else
        MOE_HISTOGRAM_CLASSES(uint16_t);
}
#undef MOE_HISTOGRAM_CLASSES

/* Return the score of the best split in single precision (see tree/sorted.inc.h), 0 if no split leaves min_leaf samples
 * on both sides, -1 if all codes are equal. */
static MOE_INLINE float MOE_T(moe_histogram_score)(const MOE_SUMS *sums, int32_t n, int32_t s_node, int32_t min_leaf)
{
    MOE_WHOLE best = {0}, varies = {0};
    for (int part = 0; part < MOE_HISTOGRAM_PARTS; part++) {
        MOE_WHOLE s_right = sums->s_right[part], n_right = sums->n_right[part], n_left = n - n_right;
        MOE_WHOLE s_left = s_node + s_right - sums->cross[part] - sums->cross[part];
        MOE_WHOLE valid = (n_left >= min_leaf) & (n_right >= min_leaf);
        MOE_REALS left = __builtin_convertvector(n_left, MOE_REALS);
        MOE_REALS right = __builtin_convertvector(n_right, MOE_REALS);
        MOE_REALS score = (__builtin_convertvector(s_left, MOE_REALS) * right +
                           __builtin_convertvector(s_right, MOE_REALS) * left) / (left * right);
        MOE_L(moe_lanes_max_where)(&score, &valid, &best);
        varies |= (n_left > 0) & (n_right > 0) & 1;
    }
    float estimate = MOE_L(moe_lanes_horizontal_max)(&best);
    if (estimate > 0.0f || min_leaf == 1) return estimate > 0.0f ? estimate : -1.0f;
    return MOE_L(moe_lanes_horizontal_max)(&varies) > 0.0f ? 0.0f : -1.0f;
}
#undef MOE_ROW
#undef MOE_HALF
#endif

#if MOE_HAS_VECTORS
/* Keep the sums of the feature with the highest estimate so far. */
static MOE_INLINE void MOE_T(moe_histogram_keep)(const MOE_SUMS *sums, float estimate, int32_t feature,
                                                 moe_workspace_t *work /* IN and OUT */)
{
    if (estimate <= work->best_counted_estimate) return;
    work->best_counted_estimate = estimate;
    work->best_counted = feature;
    memcpy(work->best_counted_sums, sums, sizeof work->best_counted_sums);
}
#endif

/* Estimate the best splits of n_features counted features, in a node of at most MOE_SORTED_MAX samples; -1 for a
 * feature whose codes are all equal. */
static MOE_INLINE void MOE_T(moe_histogram_estimate)(const MOE_SLICE *slice,
                                                     const int32_t features[] /* IN [n_features] */,
                                                     int n_features, moe_workspace_t *work,
                                                     float estimates[] /* OUT [n_features] */)
{
    const int32_t n = slice->n, min_leaf = slice->min_leaf;
#if MOE_HAS_VECTORS
    MOE_SUMS sums[MOE_TREE_UNROLL];
    MOE_T(moe_histogram_small)(slice, work->present, features, n_features, sums);
    for (int f = 0; f < n_features; f++)
        estimates[f] = MOE_T(moe_histogram_score)(sums + f, n, (int32_t)slice->s_node, min_leaf);
    for (int f = 0; f < n_features; f++) MOE_T(moe_histogram_keep)(sums + f, estimates[f], features[f], work);
#else
    for (int f = 0; f < n_features; f++) {
        moe_histogram_t sums;
        float best = -1.0f;
        MOE_T(moe_histogram_large)(slice, work->present, features[f], &sums);
        for (int32_t lane = 0; lane < MOE_HISTOGRAM_SPLITS; lane++) {
            int32_t n_right = (int32_t)sums.n_right[lane], n_left = n - n_right;
            if (!n_left || !n_right) continue;
            float s_right = (float)sums.s_right[lane];
            float s_left = (float)(slice->s_node + sums.s_right[lane] - 2 * sums.cross[lane]);
            float score = (s_left * (float)n_right + s_right * (float)n_left) / ((float)n_left * (float)n_right);
            if (n_left < min_leaf || n_right < min_leaf) score = 0.0f;
            if (score > best) best = score;
        }
        estimates[f] = best;
    }
#endif
}

/* Evaluate every split of a counted feature exactly; `position` is its index in the subset. */
static MOE_INLINE void MOE_T(moe_histogram_feature)(const MOE_SLICE *slice, int32_t feature, int32_t position,
                                                    moe_workspace_t *work, moe_split_t *best /* IN and OUT */)
{
    moe_histogram_t sums;
#if MOE_HAS_VECTORS
    if (slice->n <= MOE_SORTED_MAX) {
        if (work->best_counted != feature) {
            MOE_SUMS narrow;
            MOE_T(moe_histogram_small)(slice, work->present, &feature, 1, &narrow);
            memcpy(work->best_counted_sums, &narrow, sizeof work->best_counted_sums);
            work->best_counted = feature;
        }
        for (int lane = 0; lane < MOE_HISTOGRAM_SPLITS; lane++) {
            sums.s_right[lane] = (uint64_t)work->best_counted_sums[lane];
            sums.cross[lane] = (uint64_t)work->best_counted_sums[MOE_HISTOGRAM_SPLITS + lane];
            sums.n_right[lane] = (uint64_t)work->best_counted_sums[2 * MOE_HISTOGRAM_SPLITS + lane];
        }
    } else
#endif
        MOE_T(moe_histogram_large)(slice, work->present, feature, &sums);
    moe_histogram_exact(&sums, (uint64_t)slice->n, slice->s_node, (uint64_t)slice->min_leaf, position,
                        slice->data->reciprocal, best);
}
#undef MOE_SUMS
#undef MOE_HISTOGRAM_PARTS
#undef MOE_HISTOGRAM_ROWS
