/* sieve: the loops of the filter (relief/sieve.h). A template: see base/levels.inc.h. */
#include "relief/sieve.h"

/* Round, interleave and copy the selected rows, and compute the slack: a rounded value is off by at most the largest
 * rounding error of its feature (plus the error of computing it in float), a difference of two values by twice that. */
static void MOE_L(moe_sieve_build)(const moe_relief_samples_t *samples, const int32_t *selected /* IN [k] */,
                                   moe_sieve_t *sieve)
{
    const float *values = samples->values;
    const int64_t stride = samples->stride;
    const int32_t n = sieve->n_samples, k = sieve->k;
    sieve->slack = 0.0;
    memset(sieve->tiles + (int64_t)(sieve->n_tiles - 2) * sieve->n_chunks * 64, 0, (size_t)sieve->n_chunks * 128);
    for (int32_t c = 0; c < sieve->n_chunks; c++) {
        const int32_t n_rows = k - 8 * c < 8 ? k - 8 * c : 8;
        memset(sieve->rounded, 0, (size_t)n * 8);
        for (int32_t f = 0; f < n_rows; f++) {
            const float *row = values + selected[8 * c + f] * stride;
            uint8_t *rounded = sieve->rounded + (int64_t)f * n;
            uint32_t bits, most = 0;
            float worst;
            for (int32_t s = 0; s < n; s++) {
                float scaled = row[s] * MOE_SIEVE_SCALE, error;
                int32_t step = (int32_t)(scaled + 0.5f);
                rounded[s] = (uint8_t)step;
                error = fabsf(scaled - (float)step);
                memcpy(&bits, &error, sizeof bits); /* not negative, so it compares like its bits */
                most = bits > most ? bits : most;
            }
            memcpy(&worst, &most, sizeof worst);
            sieve->slack += 2.0 * ((double)worst + 1e-4);
        }
        const float *rows[8];
        for (int f = 0; f < 8; f++) rows[f] = values + selected[8 * c + (f < n_rows ? f : 0)] * stride;
        for (int32_t s = 0; s < n; s++) {
            uint8_t *cells = sieve->tiles + ((int64_t)(s / 8) * sieve->n_chunks + c) * 64 + s % 8 * 8;
            float *point = sieve->points + (int64_t)s * k + 8 * c;
            for (int f = 0; f < 8; f++) cells[f] = sieve->rounded[f * (int64_t)n + s];
            if (n_rows == 8)
                for (int f = 0; f < 8; f++) point[f] = rows[f][s];
            else
                for (int f = 0; f < n_rows; f++) point[f] = rows[f][s];
        }
    } /* end: for c */
}

#if MOE_LEVEL == 4
#define MOE_SIEVE_REG __m512i
#define MOE_SIEVE_BROADCAST(x) _mm512_set1_epi64((int64_t)(x))
#define MOE_SIEVE_SAD(a, b) _mm512_sad_epu8(a, b)
#define MOE_SIEVE_ADD(a, b) _mm512_add_epi64(a, b)
#define MOE_SIEVE_LOAD(p) _mm512_loadu_si512(p)
#define MOE_SIEVE_STORE(p, a) _mm256_storeu_si256((__m256i *)(p), _mm512_cvtepi64_epi32(a))
#define MOE_SIEVE_WITHIN(p, most) _mm512_cmple_epi32_mask(_mm512_loadu_si512(p), _mm512_set1_epi32(most))
#elif MOE_LEVEL == 3
#define MOE_SIEVE_REG __m256i
#define MOE_SIEVE_BROADCAST(x) _mm256_set1_epi64x((int64_t)(x))
#define MOE_SIEVE_SAD(a, b) _mm256_sad_epu8(a, b)
#define MOE_SIEVE_ADD(a, b) _mm256_add_epi64(a, b)
#define MOE_SIEVE_LOAD(p) _mm256_loadu_si256((const __m256i *)(p))
#define MOE_SIEVE_STORE(p, a)                                                                      \
    _mm_storeu_si128((__m128i *)(p), _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(           \
                                         a, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6))))
#define MOE_SIEVE_WITHIN(p, most)                                                                  \
    (~_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(                                   \
         _mm256_loadu_si256((const __m256i *)(p)), _mm256_set1_epi32(most)))) & 0xFF)
#elif MOE_HAS_NEON /* a sum of differences is folded in two steps, and a third step adds it */
#define MOE_SIEVE_REG uint64x2_t
#define MOE_SIEVE_BROADCAST(x) vdupq_n_u64(x)
#define MOE_SIEVE_SAD(a, b) vpaddlq_u16(vpaddlq_u8(vabdq_u8((uint8x16_t)(a), (uint8x16_t)(b))))
#define MOE_SIEVE_ADD(a, b) vpadalq_u32(a, b)
#define MOE_SIEVE_LOAD(p) ((uint64x2_t)vld1q_u8(p))
#define MOE_SIEVE_STORE(p, a) vst1_s32(p, (int32x2_t)vmovn_u64(a))
#define MOE_SIEVE_WITHIN(p, most) MOE_NEON_MASK(vcleq_s32(vld1q_s32(p), vdupq_n_s32(most)))
#else
#define MOE_SIEVE_REG __m128i
#define MOE_SIEVE_BROADCAST(x) _mm_set1_epi64x((int64_t)(x))
#define MOE_SIEVE_SAD(a, b) _mm_sad_epu8(a, b)
#define MOE_SIEVE_ADD(a, b) _mm_add_epi64(a, b)
#define MOE_SIEVE_LOAD(p) _mm_loadu_si128((const __m128i *)(p))
#define MOE_SIEVE_STORE(p, a) _mm_storel_epi64((__m128i *)(p), _mm_shuffle_epi32(a, 8))
#define MOE_SIEVE_WITHIN(p, most)                                                                  \
    (~_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpgt_epi32(                                            \
         _mm_loadu_si128((const __m128i *)(p)), _mm_set1_epi32(most)))) & 0xF)
#endif
#define MOE_STEP (MOE_BYTES / 4)

/* Compute the coarse distances of a block of instances to the samples of n_tiles tiles, an even number. */
static MOE_INLINE void MOE_L(moe_sieve_coarse_distances)(const moe_sieve_t *sieve, int32_t first_tile, int32_t n_tiles)
{
    const int32_t n_chunks = sieve->n_chunks;
    const uint8_t *tile = sieve->tiles + (int64_t)first_tile * n_chunks * 64;
    int32_t *coarse = sieve->coarse;
#if MOE_LEVEL == 4 /* two tiles at once, so that their sums are narrowed together */
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    for (int32_t t = 0; t < n_tiles; t += 2, tile += (int64_t)n_chunks * 128, coarse += 16) {
        const uint8_t *next = tile + (int64_t)n_chunks * 64;
        __m512i sums[MOE_SIEVE_BLOCK][2];
        memset(sums, 0, sizeof sums);
        for (int32_t c = 0; c < n_chunks; c++) {
            const __m512i a = _mm512_loadu_si512(tile + 64 * c), b = _mm512_loadu_si512(next + 64 * c);
            const uint64_t *query = sieve->queries + (int64_t)c * MOE_SIEVE_BLOCK;
            for (int i = 0; i < MOE_SIEVE_BLOCK; i++) {
                const __m512i same = _mm512_set1_epi64((int64_t)query[i]);
                sums[i][0] = _mm512_add_epi64(sums[i][0], _mm512_sad_epu8(a, same));
                sums[i][1] = _mm512_add_epi64(sums[i][1], _mm512_sad_epu8(b, same));
            }
        }
        for (int i = 0; i < MOE_SIEVE_BLOCK; i++)
            _mm512_storeu_si512(coarse + i * (MOE_SIEVE_SPAN + MOE_SIEVE_PAD),
                                _mm512_permutex2var_epi32(sums[i][0], even, sums[i][1]));
    }
#else
    for (int32_t t = 0; t < n_tiles; t++, tile += (int64_t)n_chunks * 64)
        for (int part = 0; part < 64 / MOE_BYTES; part++, coarse += MOE_BYTES / 8) {
            MOE_SIEVE_REG sums[MOE_SIEVE_BLOCK];
            memset(sums, 0, sizeof sums);
            for (int32_t c = 0; c < n_chunks; c++) {
                const MOE_SIEVE_REG here = MOE_SIEVE_LOAD(tile + 64 * c + part * MOE_BYTES);
                const uint64_t *query = sieve->queries + (int64_t)c * MOE_SIEVE_BLOCK;
                for (int i = 0; i < MOE_SIEVE_BLOCK; i++)
                    sums[i] = MOE_SIEVE_ADD(sums[i], MOE_SIEVE_SAD(here, MOE_SIEVE_BROADCAST(query[i])));
            }
            for (int i = 0; i < MOE_SIEVE_BLOCK; i++)
                MOE_SIEVE_STORE(coarse + i * (MOE_SIEVE_SPAN + MOE_SIEVE_PAD), sums[i]);
        }
#endif
}

/* Return the smallest of the exact distances of a point to four samples, each summed over ascending features. */
static MOE_INLINE float MOE_L(moe_sieve_nearest_of)(const moe_sieve_t *sieve, const float *point, const int32_t four[4])
{
    const int32_t k = sieve->k;
    const float *a = sieve->points + (int64_t)four[0] * k, *b = sieve->points + (int64_t)four[1] * k;
    const float *c = sieve->points + (int64_t)four[2] * k, *d = sieve->points + (int64_t)four[3] * k;
    float sum_a = 0.0f, sum_b = 0.0f, sum_c = 0.0f, sum_d = 0.0f;
    for (int32_t f = 0; f < k; f++) {
        sum_a += fabsf(a[f] - point[f]);
        sum_b += fabsf(b[f] - point[f]);
        sum_c += fabsf(c[f] - point[f]);
        sum_d += fabsf(d[f] - point[f]);
    }
    sum_a = sum_b < sum_a ? sum_b : sum_a;
    sum_c = sum_d < sum_c ? sum_d : sum_c;
    return sum_c < sum_a ? sum_c : sum_a;
}

/* Return the largest coarse distance of a sample that may be nearer than `nearest`. A float32 sum of k terms has a
 * relative error below (k + 2) 2^-24. */
static inline int32_t MOE_L(moe_sieve_max_coarse)(const moe_sieve_t *sieve, float nearest)
{
    double margin = 1.0 + (double)(sieve->k + 2) / 4194304.0;
    return (int32_t)((double)nearest * (double)MOE_SIEVE_SCALE * margin + sieve->slack + 1.0);
}

static MOE_INLINE int32_t MOE_L(moe_sieve_smallest)(const int32_t *coarse, int32_t from, int32_t to)
{
    int32_t smallest = INT32_MAX;
    for (int32_t s = from; s < to; s++) smallest = coarse[s] < smallest ? coarse[s] : smallest;
    return smallest;
}

/* Return the first sample of [from, to) whose coarse distance is at most `most`; -1 if there is none. */
static MOE_INLINE int32_t MOE_L(moe_sieve_find)(const int32_t *coarse, int32_t from, int32_t to, int32_t most)
{
    for (int32_t s = from; s < to; s += MOE_STEP) {
        uint32_t within = (uint32_t)MOE_SIEVE_WITHIN(coarse + s, most);
        if (within) return s + moe_base_lowest(within) < to ? s + moe_base_lowest(within) : -1;
    }
    return -1;
}

/* Update *near by the samples [from, to) of a span, whose coarse distances are coarse[from], ...; `start` is the number
 * of the span's first sample. */
static MOE_INLINE void MOE_L(moe_sieve_update)(const moe_sieve_t *sieve, const int32_t *coarse, int32_t self,
                                               int32_t start, int32_t from, int32_t to,
                                               moe_sieve_nearest_t *near /* IN and OUT */)
{
    if (from >= to) return;
    const float *point = sieve->points + (int64_t)self * sieve->k;
    int32_t least = MOE_L(moe_sieve_smallest)(coarse, from, to), n_pending = 0;
    if (least > near->max_coarse || least == INT32_MAX) return;
    /* measure a sample at the least coarse distance first: it excludes most others */
    int32_t first = start + MOE_L(moe_sieve_find)(coarse, from, to, least);
    int32_t pending[4] = {first, first, first, first};
    float found = MOE_L(moe_sieve_nearest_of)(sieve, point, pending);
    if (found < near->distance) *near = (moe_sieve_nearest_t){found, MOE_L(moe_sieve_max_coarse)(sieve, found)};
    for (int32_t s = from; s < to; s += MOE_STEP) {
        uint32_t within = (uint32_t)MOE_SIEVE_WITHIN(coarse + s, near->max_coarse);
        if (to - s < MOE_STEP) within &= ((uint32_t)1 << (to - s)) - 1;
        for (; within; within &= within - 1) {
            pending[n_pending++] = start + s + moe_base_lowest(within);
            if (n_pending < 4) continue;
            found = MOE_L(moe_sieve_nearest_of)(sieve, point, pending);
            n_pending = 0;
            if (found < near->distance) *near = (moe_sieve_nearest_t){found, MOE_L(moe_sieve_max_coarse)(sieve, found)};
        }
    }
    if (!n_pending) return;
    found = MOE_L(moe_sieve_nearest_of)(sieve, point, pending); /* the last ones, and some measured before */
    if (found < near->distance) *near = (moe_sieve_nearest_t){found, MOE_L(moe_sieve_max_coarse)(sieve, found)};
}

/* Find the distances of the nearest hit and miss of at most MOE_SIEVE_BLOCK instances. */
static void MOE_L(moe_sieve_block)(const moe_sieve_t *sieve, const moe_relief_samples_t *samples,
                                   const int32_t *instances /* IN [n_block] */, int32_t n_block,
                                   float *hits /* OUT [n_block] */, float *misses /* OUT [n_block] */)
{
    const int32_t *hits_from = samples->hits_from, *hits_to = samples->hits_to;
    moe_sieve_nearest_t hit[MOE_SIEVE_BLOCK], miss[MOE_SIEVE_BLOCK];
    for (int32_t i = 0; i < MOE_SIEVE_BLOCK; i++) {
        int32_t self = instances[i < n_block ? i : 0];
        const uint8_t *tile = sieve->tiles + (int64_t)(self / 8) * sieve->n_chunks * 64 + self % 8 * 8;
        for (int32_t c = 0; c < sieve->n_chunks; c++)
            memcpy(sieve->queries + (int64_t)c * MOE_SIEVE_BLOCK + i, tile + 64 * c, 8);
        hit[i] = miss[i] = (moe_sieve_nearest_t){INFINITY, INT32_MAX};
    }
    for (int32_t start = 0; start < sieve->n_samples; start += MOE_SIEVE_SPAN) {
        const int32_t tiles_left = sieve->n_tiles - start / 8;
        const int32_t n_tiles = tiles_left < MOE_SIEVE_SPAN / 8 ? tiles_left : MOE_SIEVE_SPAN / 8;
        int32_t n = sieve->n_samples - start < MOE_SIEVE_SPAN ? sieve->n_samples - start : MOE_SIEVE_SPAN;
        MOE_L(moe_sieve_coarse_distances)(sieve, start / 8, n_tiles);
        for (int32_t i = 0; i < n_block; i++) {
            int32_t self = instances[i], *coarse = sieve->coarse + i * (MOE_SIEVE_SPAN + MOE_SIEVE_PAD);
            int32_t first = hits_from[self] - start, end = hits_to[self] - start;
            first = first < 0 ? 0 : first > n ? n : first; /* the hits are [first, end) of the span */
            end = end < 0 ? 0 : end > n ? n : end;
            if (self >= start && self < start + n) coarse[self - start] = INT32_MAX; /* no sample is its own hit */
            MOE_L(moe_sieve_update)(sieve, coarse, self, start, first, end, hit + i);
            MOE_L(moe_sieve_update)(sieve, coarse, self, start, 0, first, miss + i);
            MOE_L(moe_sieve_update)(sieve, coarse, self, start, end, n, miss + i);
        }
    } /* end: for start */
    for (int32_t i = 0; i < n_block; i++) {
        hits[i] = hit[i].distance;
        misses[i] = miss[i].distance;
    }
}
#undef MOE_SIEVE_REG
#undef MOE_SIEVE_BROADCAST
#undef MOE_SIEVE_SAD
#undef MOE_SIEVE_ADD
#undef MOE_SIEVE_LOAD
#undef MOE_SIEVE_STORE
#undef MOE_SIEVE_WITHIN
#undef MOE_STEP
