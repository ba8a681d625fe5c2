/* nearest: nearest hit and miss of a group of instances (relief.h). A template: see
 * levels.h. */

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

/* L1 distances of MOE_RELIEF_BLOCK instances to the samples of one tile. The sums
 * (4 x 16 floats) stay in registers; each value loaded serves 4 instances. */
static void MOE_L(moe_nearest_distances)(const float *values /* IN [F, stride], from the tile's first sample */,
                                 const int32_t *selected /* IN [k] */,
                                 const float *centres /* IN [k, MOE_RELIEF_BLOCK] */, int32_t k,
                                 int64_t stride, int32_t n_tile /* multiple of MOE_RELIEF_LANES */,
                                 float *distances /* OUT [MOE_RELIEF_BLOCK, MOE_RELIEF_TILE] */)
{
    for (int32_t s = 0; s < n_tile; s += MOE_PARTS * MOE_STEP) {
        MOE_NEAR sums[MOE_RELIEF_BLOCK][MOE_PARTS];
        memset(sums, 0, sizeof sums);
        for (int32_t f = 0; f < k; f++) {
            const float *row = values + selected[f] * stride + s;
            const float *centre = centres + (int64_t)f * MOE_RELIEF_BLOCK;
            for (int block = 0; block < MOE_RELIEF_BLOCK; block++)
                for (int part = 0; part < MOE_PARTS; part++)
                    MOE_L(moe_nearest_add)(row + part * MOE_STEP, centre[block], &sums[block][part]);
        }
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

/* Nearest hit and miss of a group of instances. */
static inline void MOE_L(moe_nearest_group)(const float *values, const int32_t *class_start, const uint16_t *labels,
                                    const int32_t *selected, const int32_t *instances /* IN [n_group] */,
                                    int32_t n_samples, int64_t stride, int32_t k, int32_t n_group,
                                    float *centres /* workspace [MOE_RELIEF_GROUP, k] */,
                                    float *distances /* workspace [MOE_RELIEF_BLOCK, MOE_RELIEF_TILE] */,
                                    float *hits /* OUT [n_group] */, float *misses /* OUT [n_group] */)
{
    const int32_t n_blocks = (n_group + MOE_RELIEF_BLOCK - 1) / MOE_RELIEF_BLOCK, n_tile = moe_relief_tile(k);
    for (int32_t f = 0; f < k; f++) {
        const float *row = values + selected[f] * stride;
        for (int32_t g = 0; g < n_blocks * MOE_RELIEF_BLOCK; g++) {
            int64_t block = g / MOE_RELIEF_BLOCK;
            centres[(block * k + f) * MOE_RELIEF_BLOCK + g % MOE_RELIEF_BLOCK] = row[instances[g < n_group ? g : 0]];
        }
    }
    for (int32_t g = 0; g < n_group; g++) hits[g] = misses[g] = INFINITY;
    for (int32_t tile = 0; tile < n_samples; tile += n_tile) {
        int32_t end = tile + n_tile < n_samples ? tile + n_tile : n_samples;
        int32_t padded = (end - tile + MOE_RELIEF_LANES - 1) / MOE_RELIEF_LANES * MOE_RELIEF_LANES;
        for (int32_t g = 0; g < n_group; g++) {
            if (g % MOE_RELIEF_BLOCK == 0)
                MOE_L(moe_nearest_distances)(values + tile, selected, centres + (int64_t)g * k, k, stride, padded, distances);
            float *row = distances + g % MOE_RELIEF_BLOCK * MOE_RELIEF_TILE;
            int32_t self = instances[g], from = class_start[labels[self]], to = class_start[labels[self] + 1];
            if (self >= tile && self < end) row[self - tile] = INFINITY; /* not its own hit */
            MOE_L(moe_nearest_lower)(row, tile, end, from, to, hits + g);
            MOE_L(moe_nearest_lower)(row, tile, end, 0, from, misses + g);
            MOE_L(moe_nearest_lower)(row, tile, end, to, n_samples, misses + g);
        }
    } /* end: for tile */
}
#undef MOE_STEP
#undef MOE_PARTS
#undef MOE_NEAR
