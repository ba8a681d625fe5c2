/* columns: fill the sorted columns of a tree at its root. A template like tree/sorted.inc.h. */

/* Write the entries of the training samples in order of code. The store is unconditional and the increment of the index
 * conditional, so that there is no branch to mispredict. */
#define MOE_COLUMNS_NONE ((MOE_ENTRY)~(MOE_ENTRY)0) /* marks a sample outside the training part */
#define MOE_COLUMNS_FILL(code_t, order_t)                                                \
    do {                                                                                 \
        const code_t *codes = (const code_t *)data->codes + feature * data->n_samples;   \
        const order_t *order = (const order_t *)data->order + feature * data->n_samples; \
        for (int32_t p = 0; n_filled < n_train; p++) {                                   \
            uint32_t s = order[p];                                                       \
            MOE_ENTRY base = bases[s];                                                   \
            entries[n_filled] = (MOE_ENTRY)codes[s] << code_shift | base;                \
            n_filled += base != MOE_COLUMNS_NONE;                                        \
        }                                                                                \
    } while (0)

#if MOE_LEVEL == 4 && MOE_ENTRY_BITS == 32
/* Write the same entries, 16 samples at once. Codes are gathered with the bytes behind them: a row must follow. */
#define MOE_COLUMNS_16(code_bytes, load_order)                                                            \
    for (int32_t p = 0; p < n; p += 16) {                                                                    \
        const __mmask16 in_range = n - p < 16 ? (__mmask16)((1u << (n - p)) - 1) : (__mmask16)0xFFFF;        \
        const __m512i ids = load_order;                                                                      \
        const __m512i base = _mm512_i32gather_epi32(ids, bases, 4);                                          \
        const __m512i code = _mm512_and_si512(_mm512_i32gather_epi32(ids, codes, code_bytes), code_mask);    \
        const __mmask16 in_training = _mm512_mask_cmpneq_epi32_mask(in_range, base, _mm512_set1_epi32(-1));  \
        const __m512i filled = _mm512_or_si512(_mm512_sll_epi32(code, shift), base);                         \
        const int32_t n_training = moe_base_popcount(in_training);                                           \
        _mm512_mask_storeu_epi32(entries + n_filled, (__mmask16)((1u << n_training) - 1),                    \
                                 _mm512_maskz_compress_epi32(in_training, filled));                          \
        n_filled += n_training;                                                                              \
    }

static MOE_INLINE void MOE_T(moe_columns_16)(const moe_data_t *data, const MOE_ENTRY *bases, int64_t feature,
                                             MOE_ENTRY *entries)
{
    const int32_t n = data->n_samples;
    const uint8_t *codes = (const uint8_t *)data->codes + feature * n * data->code_width;
    const uint16_t *narrow = (const uint16_t *)data->order + feature * n;
    const uint32_t *wide = (const uint32_t *)data->order + feature * n;
    const __m512i code_mask = _mm512_set1_epi32(data->code_width == 1 ? 0xFF : 0xFFFF);
    const __m128i shift = _mm_cvtsi32_si128(data->id_bits + data->label_bits);
    int32_t n_filled = 0;
    if (data->code_width == 1 && data->order_width == 2)
        MOE_COLUMNS_16(1, _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(in_range, narrow + p)))
    else if (data->code_width == 1)
        MOE_COLUMNS_16(1, _mm512_maskz_loadu_epi32(in_range, wide + p))
    else if (data->order_width == 2)
        MOE_COLUMNS_16(2, _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(in_range, narrow + p)))
    else
        MOE_COLUMNS_16(2, _mm512_maskz_loadu_epi32(in_range, wide + p))
}
#undef MOE_COLUMNS_16

#define MOE_COLUMNS_FEW 64
/* Write the same entries for data sets of at most 64 samples, whose base entries and codes fit into two registers each:
 * a lookup in registers is many times faster than a gather. */
static MOE_INLINE void MOE_T(moe_columns_few)(const moe_data_t *data, const MOE_ENTRY *bases, int64_t feature,
                                              MOE_ENTRY *entries)
{
    const int32_t n = data->n_samples;
    const uint64_t all = ~(uint64_t)0 >> (64 - n);
    const uint16_t *order = (const uint16_t *)data->order + feature * n;
    const __m128i shift = _mm_cvtsi32_si128(data->id_bits + data->label_bits);
    __m256i quarters[4]; /* narrowing keeps MOE_COLUMNS_NONE all ones */
    for (int i = 0; i < 4; i++)
        quarters[i] = _mm512_cvtepi32_epi16(_mm512_maskz_loadu_epi32((__mmask16)(all >> 16 * i), bases + 16 * i));
    const __m512i base_0 = _mm512_inserti64x4(_mm512_castsi256_si512(quarters[0]), quarters[1], 1);
    const __m512i base_1 = _mm512_inserti64x4(_mm512_castsi256_si512(quarters[2]), quarters[3], 1);
    const __m512i codes = _mm512_maskz_loadu_epi8(all, (const uint8_t *)data->codes + feature * n);
    const __m512i codes_0 = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(codes));
    const __m512i codes_1 = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(codes, 1));
    int32_t n_filled = 0;
    for (int32_t p = 0; p < n; p += 32) {
        const __mmask32 in_range = (__mmask32)(all >> p);
        const __m512i ids = _mm512_maskz_loadu_epi16(in_range, order + p);
        const __m512i base = _mm512_permutex2var_epi16(base_0, ids, base_1);
        const __m512i code = _mm512_permutex2var_epi16(codes_0, ids, codes_1);
        const __mmask32 in_training = _mm512_mask_cmpneq_epi16_mask(in_range, base, _mm512_set1_epi16(-1));
        for (int half = 0; half < 2; half++) {
            const __m256i base_16 = half ? _mm512_extracti64x4_epi64(base, 1) : _mm512_castsi512_si256(base);
            const __m256i code_16 = half ? _mm512_extracti64x4_epi64(code, 1) : _mm512_castsi512_si256(code);
            const __mmask16 in_training_16 = (__mmask16)(in_training >> 16 * half);
            const __m512i filled = _mm512_or_si512(_mm512_sll_epi32(_mm512_cvtepu16_epi32(code_16), shift),
                                                   _mm512_cvtepu16_epi32(base_16));
            const int32_t n_training = moe_base_popcount(in_training_16);
            _mm512_mask_storeu_epi32(entries + n_filled, (__mmask16)((1u << n_training) - 1),
                                     _mm512_maskz_compress_epi32(in_training_16, filled));
            n_filled += n_training;
        }
    }
}
#endif

/* Fill the column of one sorted feature: the entries of the training samples in order of code. */
static MOE_INLINE void MOE_T(moe_columns_fill)(const moe_data_t *data, const MOE_ENTRY *bases /* IN [n_samples] */,
                                               int64_t feature, int32_t n_train, MOE_ENTRY *entries /* OUT [n_train] */)
{
    const int code_shift = data->id_bits + data->label_bits;
    int32_t n_filled = 0;
#if MOE_LEVEL == 4 && MOE_ENTRY_BITS == 32
    if (data->n_samples <= MOE_COLUMNS_FEW && data->code_width == 1 && data->order_width == 2
        && data->id_bits + data->label_bits < 16) {
        MOE_T(moe_columns_few)(data, bases, feature, entries);
        return;
    }
    if (feature + 1 < data->n_features && data->n_samples >= 4) {
        MOE_T(moe_columns_16)(data, bases, feature, entries);
        return;
    }
#endif
    if (data->code_width == 1 && data->order_width == 2)
        MOE_COLUMNS_FILL(uint8_t, uint16_t);
    else if (data->code_width == 1)
        MOE_COLUMNS_FILL(uint8_t, uint32_t);
    else if (data->order_width == 2)
        MOE_COLUMNS_FILL(uint16_t, uint16_t);
    else
        MOE_COLUMNS_FILL(uint16_t, uint32_t);
}
#undef MOE_COLUMNS_FILL

/* Write the base entry, (code 0 | label | sample), of each training sample, and MOE_COLUMNS_NONE for the other samples;
 * write the training samples alone, by class, to `samples`. */
static MOE_INLINE void MOE_T(moe_columns_bases)(const moe_training_t *training,
                                                MOE_ENTRY *bases /* OUT [n_samples] */,
                                                MOE_ENTRY *samples /* OUT [n_train + 1] */)
{
    const moe_data_t *data = training->data;
    const uint8_t *marks = training->marks;
    const uint32_t label_mask = ((uint32_t)1 << data->label_bits) - 1; /* 0 in regression: there the labels are
                                                                          strata and do not enter */
    int32_t n_filled = 0;
    for (int32_t s = 0; s < data->n_samples; s++) {
        MOE_ENTRY entry = (MOE_ENTRY)(data->labels[s] & label_mask) << data->id_bits | (MOE_ENTRY)s;
        bases[s] = marks[s] == 0 ? entry : MOE_COLUMNS_NONE;
        samples[n_filled] = entry;
        n_filled += marks[s] == 0;
    }
}

/* Fill the columns of the sorted features of a tree; counted features have none. */
static MOE_INLINE void MOE_T(moe_columns_all)(const moe_training_t *training, moe_workspace_t *work)
{
    const int64_t stride = training->n_train;
    for (int32_t j = 0; j < training->k && !moe_poll_stops(work->poll, stride); j++)
        if (!training->data->counted[training->features[j]])
            MOE_T(moe_columns_fill)(training->data, (const MOE_ENTRY *)work->bases, training->features[j],
                                    training->n_train, (MOE_ENTRY *)work->entries + j * stride);
}
