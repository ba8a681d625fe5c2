/* distances: those of a group of rows to the rows of a tile (judges/distances.h). A template: see base/levels.inc.h. */
#undef MOE_SINGLE
#undef MOE_SINGLE_AT
#undef MOE_SINGLES
#undef MOE_DOUBLE
#undef MOE_DOUBLE_AT
#undef MOE_DOUBLES
#undef MOE_TAKE
#undef MOE_SIZE
#undef MOE_BELOW_SINGLE
#undef MOE_BELOW_DOUBLE

#define MOE_SINGLE MOE_L(moe_distances_single_t)
#define MOE_DOUBLE MOE_L(moe_distances_double_t)
#define MOE_SINGLE_AT MOE_L(moe_distances_single_at_t) /* the same anywhere in memory */
#define MOE_DOUBLE_AT MOE_L(moe_distances_double_at_t)
#if MOE_HAS_VECTORS
#define MOE_SINGLES (MOE_BYTES / 4)
#define MOE_DOUBLES (MOE_BYTES / 8)
typedef float MOE_SINGLE __attribute__((vector_size(MOE_BYTES)));
typedef double MOE_DOUBLE __attribute__((vector_size(MOE_BYTES)));
typedef float MOE_SINGLE_AT __attribute__((vector_size(MOE_BYTES), aligned(4), may_alias));
typedef double MOE_DOUBLE_AT __attribute__((vector_size(MOE_BYTES), aligned(8), may_alias));
typedef int64_t MOE_L(moe_distances_bits_t) __attribute__((vector_size(MOE_BYTES)));
#define MOE_SIZE(d) ((MOE_DOUBLE)((MOE_L(moe_distances_bits_t))(d) & INT64_MAX))
#else
#define MOE_SINGLES 1
#define MOE_DOUBLES 1
typedef float MOE_SINGLE;
typedef double MOE_DOUBLE;
typedef float MOE_SINGLE_AT;
typedef double MOE_DOUBLE_AT;
#define MOE_SIZE(d) fabs(d)
#endif

/* sum - a b, rounded once or twice; a bit for each lane that is not at least the limit. */
#if MOE_HAS_LEVELS && MOE_LEVEL == 4
#define MOE_TAKE(sum, a, b) ((MOE_SINGLE)_mm512_fnmadd_ps((__m512)(a), _mm512_set1_ps(b), (__m512)(sum)))
#define MOE_BELOW_SINGLE(a, limit) \
    ((uint64_t)_mm512_cmp_ps_mask((__m512)(a), _mm512_set1_ps(limit), _CMP_NGE_UQ))
#define MOE_BELOW_DOUBLE(a, limit) \
    ((uint64_t)_mm512_cmp_pd_mask((__m512d)(a), _mm512_set1_pd(limit), _CMP_NGE_UQ))
#elif MOE_HAS_LEVELS && MOE_LEVEL == 3
#define MOE_TAKE(sum, a, b) ((MOE_SINGLE)_mm256_fnmadd_ps((__m256)(a), _mm256_set1_ps(b), (__m256)(sum)))
#define MOE_BELOW_SINGLE(a, limit) \
    ((uint64_t)_mm256_movemask_ps(_mm256_cmp_ps((__m256)(a), _mm256_set1_ps(limit), _CMP_NGE_UQ)))
#define MOE_BELOW_DOUBLE(a, limit) \
    ((uint64_t)_mm256_movemask_pd(_mm256_cmp_pd((__m256d)(a), _mm256_set1_pd(limit), _CMP_NGE_UQ)))
#elif MOE_HAS_LEVELS
#define MOE_TAKE(sum, a, b) ((sum) - (a) * (b))
#define MOE_BELOW_SINGLE(a, limit) ((uint64_t)_mm_movemask_ps(_mm_cmpnge_ps((__m128)(a), _mm_set1_ps(limit))))
#define MOE_BELOW_DOUBLE(a, limit) ((uint64_t)_mm_movemask_pd(_mm_cmpnge_pd((__m128d)(a), _mm_set1_pd(limit))))
#elif MOE_HAS_NEON
#define MOE_TAKE(sum, a, b) ((MOE_SINGLE)vfmsq_n_f32((float32x4_t)(sum), (float32x4_t)(a), b))
#define MOE_BELOW_SINGLE(a, limit) \
    ((uint64_t)(15 ^ MOE_NEON_MASK(vcgeq_f32((float32x4_t)(a), vdupq_n_f32(limit)))))
#define MOE_BELOW_DOUBLE(a, limit) \
    (3 ^ vaddvq_u64(vandq_u64(vcgeq_f64((float64x2_t)(a), vdupq_n_f64(limit)), (uint64x2_t){1, 2})))
#else
#define MOE_TAKE(sum, a, b) ((sum) - (a) * (b))
#define MOE_BELOW_SINGLE(a, limit) MOE_L(moe_distances_below_single)(&(a), limit)
#define MOE_BELOW_DOUBLE(a, limit) MOE_L(moe_distances_below_double)(&(a), limit)

static MOE_INLINE uint64_t MOE_L(moe_distances_below_single)(const MOE_SINGLE *a, float limit)
{
    float lanes[MOE_SINGLES];
    uint64_t mask = 0;
    memcpy(lanes, a, sizeof lanes);
    for (int l = 0; l < MOE_SINGLES; l++) mask |= (uint64_t)!(lanes[l] >= limit) << l;
    return mask;
}

static MOE_INLINE uint64_t MOE_L(moe_distances_below_double)(const MOE_DOUBLE *a, double limit)
{
    double lanes[MOE_DOUBLES];
    uint64_t mask = 0;
    memcpy(lanes, a, sizeof lanes);
    for (int l = 0; l < MOE_DOUBLES; l++) mask |= (uint64_t)!(lanes[l] >= limit) << l;
    return mask;
}
#endif

/* Squared distance of two rows. */
static MOE_INLINE double MOE_L(moe_distances_square)(const double *a, const double *b, int32_t k)
{
    double sums[MOE_DISTANCES_LANES] = {0};
    int32_t f = 0;
    for (; f + MOE_DISTANCES_LANES <= k; f += MOE_DISTANCES_LANES)
        for (int l = 0; l < MOE_DISTANCES_LANES; l++) sums[l] += (a[f + l] - b[f + l]) * (a[f + l] - b[f + l]);
    for (int l = 0; f < k; f++, l++) sums[l] += (a[f] - b[f]) * (a[f] - b[f]);
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

/* Which rows of a tile of 2 MOE_SINGLES may be nearer than the limits of a group; the sums stay in registers. */
static MOE_INLINE void MOE_L(moe_distances_bound)(const float *tile /* [k + 1, rows]: half squares, then features */,
                                                  const float *queries /* [k, GROUP] */, int32_t k,
                                                  const float *limits /* [GROUP] */,
                                                  uint64_t *masks /* OUT [GROUP] a bit for each row */)
{
    const MOE_SINGLE_AT *x = (const MOE_SINGLE_AT *)tile;
    MOE_SINGLE sums[MOE_DISTANCES_GROUP][2];
    for (int q = 0; q < MOE_DISTANCES_GROUP; q++) {
        sums[q][0] = x[0];
        sums[q][1] = x[1];
    }
    for (int32_t f = 0; f < k; f++) {
        x += 2;
        const MOE_SINGLE low = x[0], high = x[1];
        for (int q = 0; q < MOE_DISTANCES_GROUP; q++) {
            const float centre = queries[(int64_t)f * MOE_DISTANCES_GROUP + q];
            sums[q][0] = MOE_TAKE(sums[q][0], low, centre);
            sums[q][1] = MOE_TAKE(sums[q][1], high, centre);
        }
    }
    for (int q = 0; q < MOE_DISTANCES_GROUP; q++)
        masks[q] = MOE_BELOW_SINGLE(sums[q][0], limits[q]) | MOE_BELOW_SINGLE(sums[q][1], limits[q]) << MOE_SINGLES;
}

/* Add features, in ascending order, to the distances of a group to the rows of a tile; differences are multiplied by
 * weights if there are some. */
static MOE_INLINE void MOE_L(moe_distances_add)(const double *tile, const double *queries, const double *weights,
                                                int32_t k, int manhattan, MOE_DOUBLE (*sums)[2] /* IN and OUT */)
{
    const MOE_DOUBLE_AT *x = (const MOE_DOUBLE_AT *)tile;
    for (int32_t f = 0; f < k; f++, x += 2) {
        const MOE_DOUBLE low = x[0], high = x[1];
        for (int q = 0; q < MOE_DISTANCES_GROUP; q++) {
            const int64_t place = (int64_t)f * MOE_DISTANCES_GROUP + q;
            const double centre = queries[place];
            MOE_DOUBLE a = low - centre, b = high - centre;
            if (weights) {
                a *= weights[place];
                b *= weights[place];
            }
            sums[q][0] += manhattan ? MOE_SIZE(a) : (MOE_DOUBLE)(a * a);
            sums[q][1] += manhattan ? MOE_SIZE(b) : (MOE_DOUBLE)(b * b);
        }
    }
}

/* Distances of a group to the rows of a tile of 2 MOE_DOUBLES, and which are below limits. */
static MOE_INLINE void MOE_L(moe_distances_sum)(const double *tile /* [k, rows] */,
                                                const double *queries /* [k, GROUP] */,
                                                const double *weights /* [k, GROUP] or NULL */, int32_t k,
                                                int manhattan, const double *limits /* [GROUP] */,
                                                double *distances /* OUT [GROUP, rows] */,
                                                uint64_t *masks /* OUT [GROUP] */)
{
    MOE_DOUBLE sums[MOE_DISTANCES_GROUP][2] = {0};
    if (manhattan)
        MOE_L(moe_distances_add)(tile, queries, weights, k, 1, sums);
    else
        MOE_L(moe_distances_add)(tile, queries, weights, k, 0, sums);
    for (int q = 0; q < MOE_DISTANCES_GROUP; q++) {
        masks[q] = MOE_BELOW_DOUBLE(sums[q][0], limits[q]) | MOE_BELOW_DOUBLE(sums[q][1], limits[q]) << MOE_DOUBLES;
        if (masks[q]) {
            MOE_DOUBLE_AT *out = (MOE_DOUBLE_AT *)(distances + q * 2 * MOE_DOUBLES);
            out[0] = sums[q][0];
            out[1] = sums[q][1];
        }
    }
}
