/* sort: sort the samples of a node by their codes in a feature. A template: see base/levels.inc.h. */

#define MOE_FOREST_GATHER(code_t)                                                                             \
    do {                                                                                                      \
        const code_t *row = (const code_t *)data->codes + (int64_t)feature * data->n_samples;                 \
        for (int32_t i = 0; i < n; i++) {                                                                     \
            codes[i] = row[samples[i]];                                                                       \
            differs |= codes[i] ^ codes[0];                                                                   \
        }                                                                                                     \
    } while (0)

/* Gather the codes of the samples of a node in a feature; returns whether they differ. */
static MOE_INLINE int MOE_L(moe_sort_codes)(const moe_data_t *data, int32_t feature, const int32_t *samples,
                                            int32_t n, int32_t *MOE_RESTRICT codes /* OUT [n] */)
{
    int32_t differs = 0;
    if (data->code_width == 1)
        MOE_FOREST_GATHER(uint8_t);
    else
        MOE_FOREST_GATHER(uint16_t);
    return differs != 0;
}
#undef MOE_FOREST_GATHER

#define MOE_SORT_VALUES(value_t)                                                                              \
    do {                                                                                                      \
        const value_t *row = (const value_t *)plan->values + (int64_t)feature * plan->data->n_samples;        \
        for (; i + 4 <= n; i += 4)                                                                            \
            for (int32_t j = 0; j < 4; j++) { /* NaN is neither smaller nor larger */                         \
                const double value = (double)row[samples[i + j]];                                             \
                values[i + j] = value;                                                                        \
                low[j] = value < low[j] ? value : low[j];                                                     \
                high[j] = value > high[j] ? value : high[j];                                                  \
                has_missing |= value != value;                                                                \
            }                                                                                                 \
        for (; i < n; i++) {                                                                                  \
            const double value = (double)row[samples[i]];                                                     \
            values[i] = value;                                                                                \
            low[0] = value < low[0] ? value : low[0];                                                         \
            high[0] = value > high[0] ? value : high[0];                                                      \
            has_missing |= value != value;                                                                    \
        }                                                                                                     \
    } while (0)

/* Gather the values of the samples of a node in a feature, NaN = missing; range = their minimum and maximum, or inf,
 * -inf if all are missing. Returns whether a value is missing. */
static MOE_INLINE int MOE_L(moe_sort_values)(const moe_forest_plan_t *plan, int32_t feature, const int32_t *samples,
                                             int32_t n, double *MOE_RESTRICT values /* OUT [n] */,
                                             double range[2] /* OUT */)
{
    double low[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    double high[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    int32_t has_missing = 0, i = 0;
    if (plan->data->value_width == 4)
        MOE_SORT_VALUES(float);
    else
        MOE_SORT_VALUES(double);
    for (int32_t j = 1; j < 4; j++) {
        low[0] = low[j] < low[0] ? low[j] : low[0];
        high[0] = high[j] > high[0] ? high[j] : high[0];
    }
    range[0] = low[0];
    range[1] = high[0];
    return has_missing;
}
#undef MOE_SORT_VALUES

/* Sort up to MOE_FOREST_FEW samples: the place of each is the number of smaller (code, index) pairs. */
static MOE_INLINE void MOE_L(moe_sort_few)(const int32_t *codes, int32_t n, uint64_t *keys /* OUT [n] */)
{
    int32_t marks[MOE_FOREST_FEW];
    for (int32_t i = 0; i < MOE_FOREST_FEW; i++) marks[i] = INT32_MAX;
    for (int32_t i = 0; i < n; i++) marks[i] = codes[i] << MOE_FOREST_FEW_BITS | i;
    for (int32_t start = 0; start < n; start += 8) {
        int32_t places[8] = {0};
        for (int32_t j = 0; j < n; j++) {
            const int32_t other = marks[j];
            for (int32_t i = 0; i < 8; i++) places[i] += other < marks[start + i];
        }
        const int32_t end = n - start < 8 ? n - start : 8;
        for (int32_t i = 0; i < end; i++)
            keys[places[i]] = (uint64_t)codes[start + i] << 32 | (uint32_t)(start + i);
    }
}

/* Sort any number of samples: a bit for each code that occurs, and a linked list of the samples of each code. */
static MOE_INLINE void MOE_L(moe_sort_many)(const int32_t *codes, int32_t n, int32_t n_codes,
                                            moe_forest_work_t *work)
{
    int32_t *heads = work->heads, *chain = work->chain, p = 0;
    uint64_t *code_bits = work->code_bits, *keys = work->keys;
    for (int32_t i = 0; i < n; i++) {
        const int32_t code = codes[i];
        chain[i] = heads[code];
        heads[code] = i + 1;
        code_bits[code >> 6] |= (uint64_t)1 << (code & 63);
    }
    for (int32_t w = 0; w <= n_codes >> 6; w++) {
        uint64_t word = code_bits[w];
        code_bits[w] = 0;
        for (; word; word &= word - 1) {
            const int32_t code = w << 6 | moe_base_lowest(word);
            for (int32_t i = heads[code]; i; i = chain[i - 1]) keys[p++] = (uint64_t)code << 32 | (uint32_t)(i - 1);
            heads[code] = 0;
        }
    }
}

static MOE_INLINE void MOE_L(moe_sort_keys)(const int32_t *codes, int32_t n, int32_t n_codes, moe_forest_work_t *work)
{
    if (n <= MOE_FOREST_FEW)
        MOE_L(moe_sort_few)(codes, n, work->keys);
    else
        MOE_L(moe_sort_many)(codes, n, n_codes, work);
}
