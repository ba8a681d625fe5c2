/* gather: rows of the table (answers/answers.h). A template: see base/levels.inc.h. */

/* The values of n rows in k features. Where rows are ascending, `marks` has a bit for each row of the table: with
 * registers of 64 bytes 8 values are read at once, and those of other rows left out. */
static void MOE_L(moe_gather)(const moe_answers_data_t *data, const int32_t *selected, int32_t k,
                              const int32_t *rows /* IN [n] */, int32_t n,
                              const uint8_t *marks /* IN [ceil(n_samples / 8)], or NULL */,
                              double *columns /* OUT [k, n] */)
{
    for (int64_t f = 0; f < k; f++) {
        const double *column = data->table + (int64_t)selected[f] * data->n_samples;
        double *to = columns + f * n;
#if MOE_LEVEL == 4
        if (marks) {
            for (int32_t i = 0; i < data->n_samples; i += 8) {
                const int n_left = data->n_samples - i;
                const __mmask8 mark = marks[i / 8], there = (__mmask8)(n_left < 8 ? (1 << n_left) - 1 : 255);
                const __m512d these = _mm512_maskz_compress_pd(mark, _mm512_maskz_loadu_pd(there, column + i));
                const int n_these = moe_base_popcount(mark);
                _mm512_mask_storeu_pd(to, (__mmask8)((1 << n_these) - 1), these);
                to += n_these;
            }
            continue;
        }
#endif
        for (int32_t i = 0; i < n; i++) to[i] = column[rows[i]];
    }
    (void)marks;
}
