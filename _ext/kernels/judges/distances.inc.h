/* distances: rough distances of a tile of training rows to a group of queries, which are the lanes
 * (judges/distances.h). A template: see base/levels.inc.h. */
#undef MOE_SINGLE
#undef MOE_SINGLE_AT
#undef MOE_SIGNS
#undef MOE_GROUP
#undef MOE_PART
#undef MOE_BROADCAST
#undef MOE_MULTIPLY_ADD
#undef MOE_MIN
#undef MOE_MAX
#undef MOE_LESS
#undef MOE_ABS

#define MOE_SINGLE MOE_L(moe_distances_single_t)
#define MOE_SINGLE_AT MOE_L(moe_distances_single_at_t) /* the same type without alignment */
#define MOE_SIGNS MOE_L(moe_distances_signs_t)
#if MOE_HAS_VECTORS
#define MOE_GROUP (MOE_BYTES / 4) /* queries of a group: lanes of a register */
typedef float MOE_SINGLE __attribute__((vector_size(MOE_BYTES)));
typedef float MOE_SINGLE_AT __attribute__((vector_size(MOE_BYTES), aligned(4), may_alias));
typedef int32_t MOE_SIGNS __attribute__((vector_size(MOE_BYTES)));
#define MOE_ABS(a) ((MOE_SINGLE)((MOE_SIGNS)(a) & INT32_MAX))
#else
#define MOE_GROUP 1
typedef float MOE_SINGLE;
typedef float MOE_SINGLE_AT;
typedef int32_t MOE_SIGNS;
#define MOE_ABS(a) fabsf(a)
#endif

/* BROADCAST: a in each lane; MULTIPLY_ADD: sum + a b, rounded once or twice; LESS: a bit for each lane with a < b. */
#if MOE_HAS_LEVELS && MOE_LEVEL == 4
#define MOE_PART 16 /* rows of a tile whose distances are in registers together */
#define MOE_BROADCAST(a) ((MOE_SINGLE)_mm512_set1_ps(a))
#define MOE_MULTIPLY_ADD(sum, a, b) ((MOE_SINGLE)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(sum)))
#define MOE_MIN(a, b) ((MOE_SINGLE)_mm512_min_ps((__m512)(a), (__m512)(b)))
#define MOE_MAX(a, b) ((MOE_SINGLE)_mm512_max_ps((__m512)(a), (__m512)(b)))
#define MOE_LESS(a, b) ((uint32_t)_mm512_cmp_ps_mask((__m512)(a), (__m512)(b), _CMP_LT_OQ))
#elif MOE_HAS_LEVELS && MOE_LEVEL == 3
#define MOE_PART 8
#define MOE_BROADCAST(a) ((MOE_SINGLE)_mm256_set1_ps(a))
#define MOE_MULTIPLY_ADD(sum, a, b) ((MOE_SINGLE)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(sum)))
#define MOE_MIN(a, b) ((MOE_SINGLE)_mm256_min_ps((__m256)(a), (__m256)(b)))
#define MOE_MAX(a, b) ((MOE_SINGLE)_mm256_max_ps((__m256)(a), (__m256)(b)))
#define MOE_LESS(a, b) ((uint32_t)_mm256_movemask_ps(_mm256_cmp_ps((__m256)(a), (__m256)(b), _CMP_LT_OQ)))
#elif MOE_HAS_LEVELS
#define MOE_PART 8
#define MOE_BROADCAST(a) ((MOE_SINGLE)_mm_set1_ps(a))
#define MOE_MULTIPLY_ADD(sum, a, b) ((sum) + (a) * (b))
#define MOE_MIN(a, b) ((MOE_SINGLE)_mm_min_ps((__m128)(a), (__m128)(b)))
#define MOE_MAX(a, b) ((MOE_SINGLE)_mm_max_ps((__m128)(a), (__m128)(b)))
#define MOE_LESS(a, b) ((uint32_t)_mm_movemask_ps(_mm_cmplt_ps((__m128)(a), (__m128)(b))))
#elif MOE_HAS_NEON
#define MOE_PART 16
#define MOE_BROADCAST(a) ((MOE_SINGLE)vdupq_n_f32(a))
#define MOE_MULTIPLY_ADD(sum, a, b) ((MOE_SINGLE)vfmaq_f32((float32x4_t)(sum), (float32x4_t)(a), (float32x4_t)(b)))
#define MOE_MIN(a, b) ((MOE_SINGLE)vminq_f32((float32x4_t)(a), (float32x4_t)(b)))
#define MOE_MAX(a, b) ((MOE_SINGLE)vmaxq_f32((float32x4_t)(a), (float32x4_t)(b)))
#define MOE_LESS(a, b) ((uint32_t)MOE_NEON_MASK(vcltq_f32((float32x4_t)(a), (float32x4_t)(b))))
#elif MOE_HAS_VECTORS
#define MOE_PART 4
#define MOE_BROADCAST(a) ((MOE_SINGLE){(a), (a), (a), (a)})
#define MOE_MULTIPLY_ADD(sum, a, b) ((sum) + (a) * (b))
#define MOE_MIN(a, b) ((MOE_SINGLE)(((MOE_SIGNS)(a) & ((a) < (b))) | ((MOE_SIGNS)(b) & ~((a) < (b)))))
#define MOE_MAX(a, b) ((MOE_SINGLE)(((MOE_SIGNS)(b) & ((a) < (b))) | ((MOE_SIGNS)(a) & ~((a) < (b)))))
#define MOE_LESS(a, b) MOE_L(moe_distances_bits)((a) < (b))

/* Return a bit for each lane of a comparison. */
static MOE_INLINE uint32_t MOE_L(moe_distances_bits)(MOE_SIGNS signs)
{
    return (uint32_t)((signs[0] & 1) | (signs[1] & 2) | (signs[2] & 4) | (signs[3] & 8));
}
#else
#define MOE_PART 4
#define MOE_BROADCAST(a) (a)
#define MOE_MULTIPLY_ADD(sum, a, b) ((sum) + (a) * (b))
#define MOE_MIN(a, b) ((a) < (b) ? (a) : (b))
#define MOE_MAX(a, b) ((a) < (b) ? (b) : (a))
#define MOE_LESS(a, b) ((a) < (b) ? 1u : 0u)
#endif

/* Sum n numbers in 8 lanes. */
static MOE_INLINE double MOE_L(moe_distances_sum)(const double *x /* [n] */, int64_t n)
{
    double sums[8] = {0};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int l = 0; l < 8; l++) sums[l] += x[i + l];
    for (int l = 0; i < n; i++, l++) sums[l] += x[i];
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

/* Sum the absolute values of n numbers in 32 lanes. */
static MOE_INLINE double MOE_L(moe_distances_abs_sum)(const double *x /* [n] */, int64_t n)
{
    double sums[32] = {0}, total = 0.0;
    int64_t i = 0;
    for (; i + 32 <= n; i += 32)
        for (int l = 0; l < 32; l++) sums[l] += fabs(x[i + l]);
    for (int l = 0; i < n; i++, l++) sums[l] += fabs(x[i]);
    for (int l = 0; l < 32; l++) total += sums[l];
    return total;
}

/* Return whether n numbers, each below 2^51 in absolute value, are integers: adding 3 2^51 rounds them to integers. */
static MOE_INLINE int MOE_L(moe_distances_all_whole)(const double *x /* [n] */, int64_t n)
{
    for (int64_t i = 0; i < n;) {
        const int64_t last = i + 512 < n ? i + 512 : n;
        double rests[32] = {0}, rest = 0.0;
        for (; i + 32 <= last; i += 32)
            for (int l = 0; l < 32; l++) rests[l] += fabs(((x[i + l] + 0x1.8p52) - 0x1.8p52) - x[i + l]);
        for (int l = 0; i < last; i++, l++) rests[l] += fabs(((x[i] + 0x1.8p52) - 0x1.8p52) - x[i]);
        for (int l = 0; l < 32; l++) rest += rests[l];
        if (!(rest == 0.0)) return 0;
    }
    return 1;
}

/* Write (x - centre) scale in single precision for the n rows of one feature, and 0 from there to `width`. */
static MOE_INLINE void MOE_L(moe_distances_to_single)(const double *x /* [n] */, int32_t n, int32_t width,
                                                      double centre, double scale, float *out /* OUT [width] */)
{
    if (n >= width) {
        for (int32_t l = 0; l < width; l++) out[l] = (float)((x[l] - centre) * scale);
        return;
    }
    for (int32_t l = 0; l < width; l++) out[l] = l < n ? (float)((x[l] - centre) * scale) : 0.0f;
}

/* Compute the rough distances of the rows of a tile to a group of queries. For MOE_DISTANCES_SQUARES sums start from
 * the half squares of both rows. O(TILE k). */
static MOE_INLINE void MOE_L(moe_distances_rough)(const float *tile /* [k + 1, TILE] negative features, half squares */,
                                                  const float *queries /* [k, GROUP] */,
                                                  const float *weights /* [k, GROUP], if `form` has them */,
                                                  const float *half /* [GROUP] half squares */, int32_t k, int form,
                                                  float *rough /* OUT [TILE, GROUP] */)
{
    MOE_SINGLE_AT *out = (MOE_SINGLE_AT *)rough;
    for (int part = 0; part < MOE_DISTANCES_TILE; part += MOE_PART, tile += MOE_PART, out += MOE_PART) {
        MOE_SINGLE sums[MOE_PART] = {0};
        if (form == MOE_DISTANCES_SQUARES) {
            const MOE_SINGLE own = *(const MOE_SINGLE_AT *)half;
            for (int r = 0; r < MOE_PART; r++)
                sums[r] = own + MOE_BROADCAST(tile[(int64_t)k * MOE_DISTANCES_TILE + r]);
        }
        for (int32_t f = 0; f < k; f++) {
            const float *x = tile + (int64_t)f * MOE_DISTANCES_TILE;
            const MOE_SINGLE query = ((const MOE_SINGLE_AT *)queries)[f];
            MOE_SINGLE weight = query;
            if (form & 1) weight = ((const MOE_SINGLE_AT *)weights)[f];
            for (int r = 0; r < MOE_PART; r++)
                if (form == MOE_DISTANCES_SQUARES) {
                    sums[r] = MOE_MULTIPLY_ADD(sums[r], query, MOE_BROADCAST(x[r]));
                } else {
                    MOE_SINGLE difference = query + MOE_BROADCAST(x[r]);
                    if (form & 1) difference *= weight;
                    if (form & 2)
                        sums[r] += MOE_ABS(difference);
                    else
                        sums[r] = MOE_MULTIPLY_ADD(sums[r], difference, difference);
                }
        }
        for (int r = 0; r < MOE_PART; r++) out[r] = sums[r];
    }
}

/* Merge rough distances of MOE_DISTANCES_MERGED rows into the `size` smallest, which ascend in each lane. O(size). */
static MOE_INLINE void MOE_L(moe_distances_keep_nearest)(const float *rough /* [MERGED, GROUP] */, int32_t size,
                                                         float *nearest /* IN and OUT [size, GROUP] */)
{
    const MOE_SINGLE_AT *in = (const MOE_SINGLE_AT *)rough;
    MOE_SINGLE_AT *kept = (MOE_SINGLE_AT *)nearest;
    MOE_SINGLE rows[MOE_DISTANCES_MERGED], least = in[0];
    for (int r = 0; r < MOE_DISTANCES_MERGED; r++) rows[r] = in[r];
    for (int r = 1; r < MOE_DISTANCES_MERGED; r++) least = MOE_MIN(rows[r], least);
    if (!MOE_LESS(least, kept[size - 1])) return;
    for (int32_t j = 0; j < size; j++) {
        MOE_SINGLE here = kept[j];
        for (int r = 0; r < MOE_DISTANCES_MERGED; r++) {
            const MOE_SINGLE nearer = MOE_MIN(rows[r], here);
            rows[r] = MOE_MAX(rows[r], here);
            here = nearer;
        }
        kept[j] = here;
    }
}
