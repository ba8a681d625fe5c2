/* nearest: nearest hit and miss of a group of instances (relief/relief.h). A template: see
 * base/levels.inc.h. */

#define MOE_STEP (MOE_BYTES / 4)
#define MOE_PARTS (MOE_BYTES == 64 ? 1 : 2) /* so many chains of additions hide their latency */
#define MOE_NEAR MOE_L(moe_near_t)
#if MOE_HAS_VECTORS
#define MOE_SIGNS MOE_L(moe_signs_t)
typedef float MOE_NEAR __attribute__((vector_size(MOE_BYTES), aligned(4), may_alias));
typedef int32_t MOE_SIGNS __attribute__((vector_size(MOE_BYTES)));

/* sum += |row - centre|. */
static MOE_INLINE void MOE_L(moe_nearest_add)(const float *row /* IN [MOE_STEP] */, float centre,
                                              MOE_NEAR *sum /* IN and OUT */)
{
    MOE_NEAR step = *(const MOE_NEAR *)row - centre;
    *sum += (MOE_NEAR)((MOE_SIGNS)step & 0x7FFFFFFF);
}
#undef MOE_SIGNS
#else
typedef struct {
    float lane[MOE_STEP];
} MOE_NEAR;

static inline void MOE_L(moe_nearest_add)(const float *row, float centre, MOE_NEAR *sum)
{
    for (int l = 0; l < MOE_STEP; l++) sum->lane[l] += fabsf(row[l] - centre);
}
#endif

/* Add n_rows features to the L1 distances of MOE_RELIEF_BLOCK instances to the
 * samples of one tile. The sums stay in registers; each value loaded serves 4
 * instances. */
static MOE_INLINE void MOE_L(moe_nearest_distances)(const float *const *rows /* IN [n_rows], of the tile */,
                                                    int32_t n_rows,
                                                    const float *centres /* IN [n_rows, MOE_RELIEF_BLOCK] */,
                                                    int32_t n_tile /* multiple of MOE_RELIEF_LANES */, int first,
                                                    float *distances /* IN (unless first) and OUT [BLOCK, TILE] */)
{
    for (int32_t s = 0; s < n_tile; s += MOE_PARTS * MOE_STEP) {
        MOE_NEAR sums[MOE_RELIEF_BLOCK][MOE_PARTS];
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

/* Smallest of distances[from, to); INFINITY if the range is empty. Floats that are
 * not negative compare like their bits, and a minimum of integers vectorises. */
static float MOE_L(moe_nearest_of)(const float *distances, int32_t from, int32_t to)
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

/* Lower *nearest to the smallest of the samples [from, to) that lie in the tile. */
static inline void MOE_L(moe_nearest_lower)(const float *distances, int32_t tile, int32_t tile_end, int32_t from,
                                            int32_t to, float *nearest)
{
    if (from < tile) from = tile;
    if (to > tile_end) to = tile_end;
    if (from >= to) return;
    float found = MOE_L(moe_nearest_of)(distances, from - tile, to - tile);
    if (found < *nearest) *nearest = found;
}

/* Nearest hit and miss of a group of instances. Tile after tile of samples, and
 * within it a few features at a time, whose values then stay in the nearest cache
 * while all instances of the group pass over them: the memory traffic is that of
 * the sums, whatever k. */
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
                    if (self >= tile && self < end) row[self - tile] = INFINITY; /* not its own hit */
                    MOE_L(moe_nearest_lower)(row, tile, end, start, stop, hits + i);
                    MOE_L(moe_nearest_lower)(row, tile, end, 0, start, misses + i);
                    MOE_L(moe_nearest_lower)(row, tile, end, stop, n_samples, misses + i);
                }
            }
        } /* end: for from */
    } /* end: for tile */
}
#undef MOE_STEP
#undef MOE_PARTS
#undef MOE_NEAR
