/* nearest: the nearest hit and miss of a group of instances (relief/relief.h). A template: see base/levels.inc.h. */

#define MOE_STEP (MOE_BYTES / 4)
#define MOE_PARTS (MOE_BYTES == 64 ? 1 : 2) /* independent chains of additions: their latencies overlap */
#define MOE_FLOATS MOE_L(moe_nearest_floats_t)
#if MOE_HAS_VECTORS
typedef float MOE_FLOATS __attribute__((vector_size(MOE_BYTES), aligned(4), may_alias));
typedef int32_t MOE_L(moe_nearest_bits_t) __attribute__((vector_size(MOE_BYTES)));

/* Add |row - centre| to *sum, lane by lane. */
static MOE_INLINE void MOE_L(moe_nearest_add)(const float *row /* IN [MOE_STEP] */, float centre,
                                              MOE_FLOATS *sum /* IN and OUT */)
{
    MOE_FLOATS step = *(const MOE_FLOATS *)row - centre;
    *sum += (MOE_FLOATS)((MOE_L(moe_nearest_bits_t))step & 0x7FFFFFFF);
}
#else
typedef struct {
    float lane[MOE_STEP];
} MOE_FLOATS;

static inline void MOE_L(moe_nearest_add)(const float *row, float centre, MOE_FLOATS *sum)
{
    for (int l = 0; l < MOE_STEP; l++) sum->lane[l] += fabsf(row[l] - centre);
}
#endif

/* Add n_rows features to the L1 distances of MOE_RELIEF_BLOCK instances to the samples of one tile. The sums stay in
 * registers; each value loaded serves 4 instances. */
static MOE_INLINE void MOE_L(moe_nearest_distances)(const float *const *rows /* IN [n_rows], of the tile */,
                                                    int32_t n_rows,
                                                    const float *centres /* IN [n_rows, MOE_RELIEF_BLOCK] */,
                                                    int32_t n_tile /* multiple of MOE_RELIEF_LANES */, int first,
                                                    float *distances /* IN (unless first) and OUT [BLOCK, TILE] */)
{
    for (int32_t s = 0; s < n_tile; s += MOE_PARTS * MOE_STEP) {
        MOE_FLOATS sums[MOE_RELIEF_BLOCK][MOE_PARTS];
        for (int block = 0; block < MOE_RELIEF_BLOCK; block++)
            if (first)
                memset(sums[block], 0, sizeof sums[block]);
            else
                memcpy(sums[block], distances + block * MOE_RELIEF_TILE + s, sizeof sums[block]);
        for (int32_t f = 0; f < n_rows; f++)
            for (int block = 0; block < MOE_RELIEF_BLOCK; block++)
                for (int part = 0; part < MOE_PARTS; part++)
                    MOE_L(moe_nearest_add)(rows[f] + s + part * MOE_STEP, centres[f * MOE_RELIEF_BLOCK + block],
                                           &sums[block][part]);
        for (int block = 0; block < MOE_RELIEF_BLOCK; block++)
            memcpy(distances + block * MOE_RELIEF_TILE + s, sums[block], sizeof sums[block]);
    } /* end: for s */
}

/* Return the smallest of distances[from, to), INFINITY if the range is empty. Non-negative floats compare like their
 * bits, and a minimum of integers vectorises. */
static float MOE_L(moe_nearest_smallest)(const float *distances, int32_t from, int32_t to)
{
    uint32_t nearest = 0x7F800000u; /* INFINITY */
    float result;
    for (int32_t s = from; s < to; s++) {
        uint32_t bits;
        memcpy(&bits, distances + s, sizeof bits);
        nearest = bits < nearest ? bits : nearest;
    }
    memcpy(&result, &nearest, sizeof result);
    return result;
}

/* Set *nearest to the minimum of itself and the distances of those samples of [from, to) that lie in the tile. */
static inline void MOE_L(moe_nearest_update)(const float *distances, int32_t tile, int32_t tile_end, int32_t from,
                                             int32_t to, float *nearest)
{
    if (from < tile) from = tile;
    if (to > tile_end) to = tile_end;
    if (from >= to) return;
    float found = MOE_L(moe_nearest_smallest)(distances, from - tile, to - tile);
    if (found < *nearest) *nearest = found;
}

/* Find the distances of the nearest hit and miss of a group of instances. Samples are processed tile by tile, and
 * within a tile a few features at a time, whose values stay in the L1 cache while all instances of the group use them:
 * the memory traffic is that of the sums, whatever k. */
static inline void MOE_L(moe_nearest_group)(const moe_relief_samples_t *samples, const int32_t *selected, int32_t k,
                                            const int32_t *instances /* IN [n_group] */, int32_t n_group,
                                            const moe_relief_workspace_t *work /* hits and misses are OUT */)
{
    const float *values = samples->values;
    const int32_t *hits_from = samples->hits_from, *hits_to = samples->hits_to, n_samples = samples->n_samples;
    const int64_t stride = samples->stride;
    float *centres = work->centres, *distances = work->distances, *hits = work->hits, *misses = work->misses;
    for (int32_t g = 0; g < n_group; g++) hits[g] = misses[g] = INFINITY;
    for (int32_t tile = 0; tile < n_samples; tile += MOE_RELIEF_TILE) {
        int32_t end = n_samples - tile < MOE_RELIEF_TILE ? n_samples : tile + MOE_RELIEF_TILE;
        int32_t padded = (end - tile + MOE_RELIEF_LANES - 1) / MOE_RELIEF_LANES * MOE_RELIEF_LANES;
        for (int32_t from = 0; from < k; from += MOE_RELIEF_ROWS) {
            const int32_t n_rows = k - from < MOE_RELIEF_ROWS ? k - from : MOE_RELIEF_ROWS;
            const float *rows[MOE_RELIEF_ROWS];
            for (int32_t f = 0; f < n_rows; f++) rows[f] = values + selected[from + f] * stride;
            for (int32_t g = 0; g < n_group; g += MOE_RELIEF_BLOCK)
                for (int32_t f = 0; f < n_rows; f++)
                    for (int32_t i = 0; i < MOE_RELIEF_BLOCK; i++)
                        centres[g * MOE_RELIEF_ROWS + f * MOE_RELIEF_BLOCK + i] =
                            rows[f][instances[g + i < n_group ? g + i : g]];
            for (int32_t f = 0; f < n_rows; f++) rows[f] += tile;
            for (int32_t g = 0; g < n_group; g += MOE_RELIEF_BLOCK) {
                const float *own = centres + g * MOE_RELIEF_ROWS;
                float *sums = distances + g * (k > MOE_RELIEF_ROWS ? MOE_RELIEF_TILE : 0); /* kept for the next rows */
                if (n_rows == MOE_RELIEF_ROWS)
                    MOE_L(moe_nearest_distances)(rows, MOE_RELIEF_ROWS, own, padded, !from, sums);
                else
                    MOE_L(moe_nearest_distances)(rows, n_rows, own, padded, !from, sums);
                for (int32_t i = g; from + n_rows == k && i < n_group && i < g + MOE_RELIEF_BLOCK; i++) {
                    float *row = sums + (i - g) * MOE_RELIEF_TILE;
                    int32_t self = instances[i], start = hits_from[self], stop = hits_to[self];
                    if (self >= tile && self < end) row[self - tile] = INFINITY; /* no sample is its own hit */
                    MOE_L(moe_nearest_update)(row, tile, end, start, stop, hits + i);
                    MOE_L(moe_nearest_update)(row, tile, end, 0, start, misses + i);
                    MOE_L(moe_nearest_update)(row, tile, end, stop, n_samples, misses + i);
                }
            }
        } /* end: for from */
    } /* end: for tile */
}
#undef MOE_STEP
#undef MOE_PARTS
#undef MOE_FLOATS
