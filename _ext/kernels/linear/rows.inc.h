/* rows: what a linear judge learns from, laid out for its sums (linear/solver.h). A template: see base/levels.inc.h. */

/* Whether to stop before another pass over the rows. */
static MOE_INLINE int MOE_L(moe_rows_stop)(const moe_rows_t *rows)
{
    return moe_ear_stops(rows->ear, rows->n * rows->own.stride / 4);
}

/* The rows to learn from, sample after sample. */
static void MOE_L(moe_rows_gather)(const moe_judges_task_t *task, const moe_rows_t *rows)
{
    MOE_L(moe_product_transpose)((moe_matrix_t){task->learn, task->n_learn}, task->n_features, task->n_learn,
                                 rows->own);
    for (int32_t i = 0; rows->constant != 0.0 && i < rows->n; i++)
        rows->own.cells[i * rows->own.stride + task->n_features] = rows->constant;
}

/* Subtract the weighted mean of each column, in two passes, so that what is left of large numbers is exact; columns
 * that are constant by the rule of scikit-learn's StandardScaler become 0. */
static void MOE_L(moe_rows_centre)(const moe_rows_t *rows, const double *weights /* IN [n] */)
{
    const int32_t n = rows->n, k = rows->k;
    const int64_t stride = rows->own.stride;
    double total = 0.0, *mean = rows->sums, *centre = rows->centre, *squares = rows->squares, *rest = squares;
    for (int32_t i = 0; i < n; i++) total += weights[i];
    MOE_L(moe_product)((moe_matrix_t){(double *)weights, 1}, rows->own, n, 1, (int32_t)stride, 0,
                       (moe_matrix_t){mean, stride}, rows->ear);
    if (MOE_L(moe_rows_stop)(rows)) return;
    for (int64_t f = 0; f < stride; f++) {
        mean[f] /= total;
        centre[f] = mean[f];
    }
    for (int32_t i = 0; i < n; i += MOE_PRODUCT_ROWS) { /* sums of what is left, while rows are near */
        const int32_t n_part = n - i < MOE_PRODUCT_ROWS ? n - i : MOE_PRODUCT_ROWS;
        double *row = rows->own.cells + i * stride;
        for (int32_t r = 0; r < n_part; r++)
            for (int64_t f = 0; f < stride; f++) row[r * stride + f] -= mean[f];
        MOE_L(moe_product)((moe_matrix_t){(double *)weights + i, 1}, (moe_matrix_t){row, stride}, n_part, 1,
                           (int32_t)stride, i ? MOE_PRODUCT_MORE : 0, (moe_matrix_t){rest, stride}, NULL);
    }
    for (int64_t f = 0; f < stride; f++) {
        mean[f] = rest[f] / total;
        centre[f] += mean[f];
    }
    if (MOE_L(moe_rows_stop)(rows)) return;
    memset(squares, 0, sizeof(double) * (size_t)stride);
    for (int32_t i = 0; i < n; i++) {
        double *row = rows->own.cells + i * stride;
        for (int64_t f = 0; f < stride; f++) {
            row[f] -= mean[f];
            squares[f] += row[f] * row[f];
        }
    }
    for (int32_t f = 0; f < k; f++) {
        const double rounding = n * 2.220446049250313e-16 * centre[f];
        if (squares[f] <= n * (rounding * rounding))
            for (int32_t i = 0; i < n; i++) rows->own.cells[i * stride + f] = 0.0;
    }
}

/* Subtract the same from the rows to answer for. */
static void MOE_L(moe_rows_centre_asked)(const moe_judges_task_t *task, const moe_rows_t *rows)
{
    for (int32_t f = 0; f < task->n_features; f++) {
        double *column = task->ask + (int64_t)f * task->n_ask;
        const double centre = rows->centre[f];
        for (int32_t i = 0; i < task->n_ask; i++) column[i] -= centre;
    }
}

/* Where there are more columns than rows, turn the rows into those of a triangle: rows rows' = triangle triangle', and
 * what is linear in one is in the other. O(n^2 k / 2 + n^3 / 6). */
static void MOE_L(moe_rows_reduce)(const moe_rows_t *rows)
{
    const int32_t n = rows->n;
    if (rows->width == rows->k || MOE_L(moe_rows_stop)(rows)) return;
    MOE_L(moe_product_transpose)(rows->own, n, rows->k, rows->columns);
    MOE_L(moe_product)(rows->columns, rows->columns, rows->k, n, (int32_t)rows->factor.stride, MOE_PRODUCT_UPPER,
                       rows->factor, rows->ear);
    MOE_L(moe_factor)(rows->factor, n, 4.0 * n * 2.220446049250313e-16, rows->ear);
    MOE_L(moe_product_transpose)(rows->factor, n, n, rows->solved);
}

/* coefs of the columns from those of what was solved for. */
static void MOE_L(moe_rows_expand)(const moe_rows_t *rows, moe_matrix_t solution /* [width, coefs.stride], is lost */)
{
    const int64_t stride = rows->coefs.stride;
    if (rows->width == rows->k) {
        for (int64_t c = 0; c < rows->k * stride; c++) rows->coefs.cells[c] = solution.cells[c];
        return;
    }
    MOE_L(moe_factor_backward)(rows->factor, rows->n, solution, rows->ear);
    MOE_L(moe_product)(rows->own, solution, rows->n, rows->k, (int32_t)stride, 0, rows->coefs, rows->ear);
}

/* answers = intercepts + coefs' asked, for those classes that `counts` has rows of. */
static void MOE_L(moe_rows_answer)(const moe_judges_task_t *task, const moe_rows_t *rows, const double *intercepts,
                                   double *answers /* OUT [n_ask, n_classes] */)
{
    const int32_t n_classes = task->n_classes, n_ask = task->n_ask, k = task->n_features;
    double *lanes = rows->sums; /* 16 or 8 samples at a time */
    for (int32_t i = 0, n_lanes; i < n_ask; i += n_lanes) {
        n_lanes = n_ask - i < 8 ? n_ask - i : n_ask - i < 16 ? 8 : 16;
        if (n_lanes >= 8)
            MOE_L(moe_product)(rows->coefs, (moe_matrix_t){task->ask + i, n_ask}, k, n_classes, n_lanes, 0,
                               (moe_matrix_t){lanes, 16}, rows->ear);
        else
            for (int32_t c = 0; c < n_classes; c++)
                for (int32_t l = 0; l < n_lanes; l++) {
                    double sum = 0.0;
                    for (int32_t f = 0; f < k; f++)
                        sum += rows->coefs.cells[f * rows->coefs.stride + c] * task->ask[(int64_t)f * n_ask + i + l];
                    lanes[c * 16 + l] = sum;
                }
        for (int32_t l = 0; l < n_lanes; l++)
            for (int32_t c = 0; c < n_classes; c++)
                answers[(int64_t)(i + l) * n_classes + c] = lanes[c * 16 + l] + intercepts[c];
    }
}

/* What the plan asks for, in place of the values of classes: probabilities, exp of each over their sum, or decision
 * values, of two classes their differences. */
static void MOE_L(moe_rows_conclude)(const moe_judges_plan_t *plan, int64_t n_rows, int32_t n_classes,
                                     double *answers /* [n_rows, n_classes] */)
{
    for (int64_t i = 0; plan->decide && n_classes == 2 && i < n_rows; i++) {
        const double difference = answers[2 * i + 1] - answers[2 * i];
        answers[2 * i] = -difference;
        answers[2 * i + 1] = difference;
    }
    if (plan->decide) return;
    for (int64_t i = 0; i < n_rows; i++) {
        double *row = answers + i * n_classes, most = row[0];
        for (int32_t c = 1; c < n_classes; c++) most = row[c] > most ? row[c] : most;
        for (int32_t c = 0; c < n_classes; c++) row[c] -= most;
    }
    for (int64_t cell = 0; cell < n_rows * n_classes; cell++) answers[cell] = moe_elementary_exp(answers[cell]);
    for (int64_t i = 0; i < n_rows; i++) {
        double *row = answers + i * n_classes, sum = 0.0;
        for (int32_t c = 0; c < n_classes; c++) sum += row[c];
        for (int32_t c = 0; c < n_classes; c++) row[c] /= sum;
    }
}
