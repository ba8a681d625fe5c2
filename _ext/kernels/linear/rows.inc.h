/* rows: the training rows X of a linear judge, row after row (linear/solver.h). A template: see base/levels.inc.h. */

/* Return whether to stop before another pass over the rows. */
static MOE_INLINE int MOE_L(moe_rows_stop)(const moe_rows_t *rows)
{
    return moe_poll_stops(rows->poll, rows->n * rows->x.stride / 4);
}

/* Copy the training rows, sample by sample, into rows->x, and append the constant column if there is one. */
static void MOE_L(moe_rows_gather)(const moe_judges_task_t *task, const moe_rows_t *rows)
{
    MOE_L(moe_product_transpose)((moe_matrix_t){task->learn, task->n_learn}, task->n_features, task->n_learn,
                                 rows->x);
    for (int32_t i = 0; rows->constant != 0.0 && i < rows->n; i++)
        rows->x.cells[i * rows->x.stride + task->n_features] = rows->constant;
}

/* Subtract the weighted mean of each column, in two passes, so that the differences of large numbers are accurate;
 * columns that are constant by the rule of scikit-learn's StandardScaler become 0. rows->centre is the mean. */
static void MOE_L(moe_rows_centre)(const moe_rows_t *rows, const double *weights /* IN [n] */)
{
    const int32_t n = rows->n, k = rows->k;
    const int64_t stride = rows->x.stride;
    double total = 0.0, *mean = rows->sums, *centre = rows->centre, *squares = rows->squares, *rest = squares;
    for (int32_t i = 0; i < n; i++) total += weights[i];
    MOE_L(moe_product)((moe_matrix_t){(double *)weights, 1}, rows->x, n, 1, (int32_t)stride, 0,
                       (moe_matrix_t){mean, stride}, rows->poll);
    if (MOE_L(moe_rows_stop)(rows)) return;
    for (int64_t f = 0; f < stride; f++) {
        mean[f] /= total;
        centre[f] = mean[f];
    }
    for (int32_t i = 0; i < n; i += MOE_PRODUCT_ROWS) { /* sum the differences while the rows are in the cache */
        const int32_t n_part = n - i < MOE_PRODUCT_ROWS ? n - i : MOE_PRODUCT_ROWS;
        double *row = rows->x.cells + i * stride;
        for (int32_t r = 0; r < n_part; r++)
            for (int64_t f = 0; f < stride; f++) row[r * stride + f] -= mean[f];
        MOE_L(moe_product)((moe_matrix_t){(double *)weights + i, 1}, (moe_matrix_t){row, stride}, n_part, 1,
                           (int32_t)stride, i ? MOE_PRODUCT_ADD : 0, (moe_matrix_t){rest, stride}, NULL);
    }
    for (int64_t f = 0; f < stride; f++) {
        mean[f] = rest[f] / total;
        centre[f] += mean[f];
    }
    if (MOE_L(moe_rows_stop)(rows)) return;
    memset(squares, 0, sizeof(double) * (size_t)stride);
    for (int32_t i = 0; i < n; i++) {
        double *row = rows->x.cells + i * stride;
        for (int64_t f = 0; f < stride; f++) {
            row[f] -= mean[f];
            squares[f] += row[f] * row[f];
        }
    }
    for (int32_t f = 0; f < k; f++) {
        const double rounding = n * DBL_EPSILON * centre[f];
        if (squares[f] <= n * (rounding * rounding))
            for (int32_t i = 0; i < n; i++) rows->x.cells[i * stride + f] = 0.0;
    }
}

/* Subtract the same means from the rows to predict. */
static void MOE_L(moe_rows_centre_asked)(const moe_judges_task_t *task, const moe_rows_t *rows)
{
    for (int32_t f = 0; f < task->n_features; f++) {
        double *column = task->ask + (int64_t)f * task->n_ask;
        const double centre = rows->centre[f];
        for (int32_t i = 0; i < task->n_ask; i++) column[i] -= centre;
    }
}

/* Where there are more columns than rows, reduce the rows X to a triangle T with X X' = T T': coefficients for T give
 * those for X (moe_rows_expand). O(n^2 k / 2 + n^3 / 6). */
static void MOE_L(moe_rows_reduce)(const moe_rows_t *rows)
{
    const int32_t n = rows->n;
    if (rows->width == rows->k || MOE_L(moe_rows_stop)(rows)) return;
    MOE_L(moe_product_transpose)(rows->x, n, rows->k, rows->transposed);
    MOE_L(moe_product)(rows->transposed, rows->transposed, rows->k, n, (int32_t)rows->factor.stride, MOE_PRODUCT_UPPER,
                       rows->factor, rows->poll);
    MOE_L(moe_factor)(rows->factor, n, 4.0 * n * DBL_EPSILON, rows->poll);
    MOE_L(moe_product_transpose)(rows->factor, n, n, rows->reduced);
}

/* Compute rows->coefs of all columns from the coefficients of the reduced rows. */
static void MOE_L(moe_rows_expand)(const moe_rows_t *rows,
                                   moe_matrix_t solution /* IN and scratch [width, coefs.stride] */)
{
    const int64_t stride = rows->coefs.stride;
    if (rows->width == rows->k) {
        for (int64_t c = 0; c < rows->k * stride; c++) rows->coefs.cells[c] = solution.cells[c];
        return;
    }
    MOE_L(moe_factor_backward)(rows->factor, rows->n, solution, rows->poll);
    MOE_L(moe_product)(rows->x, solution, rows->n, rows->k, (int32_t)stride, 0, rows->coefs, rows->poll);
}

/* Compute answers = intercepts + coefs' ask. O(n_ask k n_classes). */
static void MOE_L(moe_rows_answer)(const moe_judges_task_t *task, const moe_rows_t *rows, const double *intercepts,
                                   double *answers /* OUT [n_ask, n_classes] */)
{
    const int32_t n_classes = task->n_classes, n_ask = task->n_ask, k = task->n_features;
    double *lanes = rows->sums; /* 16 or 8 samples at a time */
    for (int32_t i = 0, n_lanes; i < n_ask; i += n_lanes) {
        n_lanes = n_ask - i < 8 ? n_ask - i : n_ask - i < 16 ? 8 : 16;
        if (n_lanes >= 8)
            MOE_L(moe_product)(rows->coefs, (moe_matrix_t){task->ask + i, n_ask}, k, n_classes, n_lanes, 0,
                               (moe_matrix_t){lanes, 16}, rows->poll);
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

/* Turn the values v of the classes into probabilities, exp(v_c) / sum over classes of exp(v_c), or, with
 * plan->decision_values, into decision values; of two classes these are -d and d with d = v_1 - v_0. */
static void MOE_L(moe_rows_conclude)(const moe_judges_plan_t *plan, int64_t n_rows, int32_t n_classes,
                                     double *answers /* [n_rows, n_classes] */)
{
    for (int64_t i = 0; plan->decision_values && n_classes == 2 && i < n_rows; i++) {
        const double difference = answers[2 * i + 1] - answers[2 * i];
        answers[2 * i] = -difference;
        answers[2 * i + 1] = difference;
    }
    if (plan->decision_values) return;
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
