/* discriminant: linear discriminant analysis (linear/discriminant.h). A template: see base/levels.inc.h. */

/* Compute the class means of the rows, work->means, and the deviations of the rows from them. */
static void MOE_L(moe_discriminant_means)(const moe_judges_task_t *task, moe_matrix_t rows /* IN [n, rows.stride] */,
                                          const moe_discriminant_t *work, moe_matrix_t within /* OUT, same shape */)
{
    const int32_t n = task->n_learn, n_classes = task->n_classes;
    const int64_t stride = rows.stride;
    double *means = work->means.cells;
    memset(means, 0, sizeof(double) * (size_t)(n_classes * stride));
    for (int32_t i = 0; i < n; i++) {
        double *mean = means + task->labels[i] * stride;
        for (int64_t f = 0; f < stride; f++) mean[f] += rows.cells[i * stride + f];
    }
    for (int32_t c = 0; c < n_classes; c++)
        for (int64_t f = 0; work->counts[c] && f < stride; f++) means[c * stride + f] /= work->counts[c];
    for (int32_t i = 0; i < n; i++) {
        const double *mean = means + task->labels[i] * stride;
        for (int64_t f = 0; f < stride; f++) within.cells[i * stride + f] = rows.cells[i * stride + f] - mean[f];
    }
}

/* Return the Ledoit-Wolf shrinkage of class c, as in scikit-learn of its standardised features z_i:
 * min(beta, delta) / delta, with S = sum z_i z_i' / m, mu = tr S / k, delta = |S - mu I|_F^2 / k and
 * beta = (sum |z_i|^4 / m - |S|_F^2) / (k m). Add the variances that it puts on the diagonal to work->diagonal. */
static double MOE_L(moe_discriminant_shrinkage)(const moe_judges_task_t *task, int32_t c, const moe_rows_t *rows,
                                                const moe_discriminant_t *work)
{
    const int32_t n = task->n_learn, k = rows->k;
    const int64_t stride = rows->x.stride;
    const double count = work->counts[c];
    double *scale = work->scale, trace = 0.0, fourth = 0.0, squares = 0.0;
    const moe_matrix_t own = {rows->transposed.cells, stride}; /* free until the rows are reduced */
    moe_matrix_t product = work->gram;
    int32_t n_own = 0;
    if (MOE_L(moe_rows_stop)(rows)) return 0.0;
    memset(scale, 0, sizeof(double) * (size_t)stride);
    for (int32_t i = 0; i < n; i++) {
        const double *row = work->within.cells + i * stride;
        if (task->labels[i] != c) continue;
        for (int64_t f = 0; f < stride; f++) scale[f] += row[f] * row[f];
    }
    for (int32_t f = 0; f < k; f++) {
        const double variance = scale[f] / count;
        const double size = fabs(rows->centre[f]) + fabs(work->means.cells[c * stride + f]);
        const double rounding = count * DBL_EPSILON * size;
        const int constant = variance <= count * DBL_EPSILON * variance + rounding * rounding;
        scale[f] = constant ? 1.0 : sqrt(variance);
    }
    for (int32_t i = 0; i < n; i++) {
        if (task->labels[i] != c) continue;
        double *row = own.cells + (n_own++) * stride;
        for (int64_t f = 0; f < stride; f++) row[f] = f < k ? work->within.cells[i * stride + f] / scale[f] : 0.0;
        const double square = MOE_L(moe_product_dot)(row, row, stride);
        trace += square;
        fourth += square * square;
    }
    if (k == 1) return 0.0;
    if (n_own >= k) {
        MOE_L(moe_product)(own, own, n_own, k, (int32_t)product.stride, MOE_PRODUCT_UPPER, product, rows->poll);
    } else { /* Z Z' and Z' Z have the same sum of squares */
        const moe_matrix_t transposed = {work->transposed.cells, moe_base_round_up(n_own, 8)};
        product.stride = transposed.stride;
        MOE_L(moe_product_transpose)(own, n_own, k, transposed);
        MOE_L(moe_product)(transposed, transposed, k, n_own, (int32_t)product.stride, MOE_PRODUCT_UPPER, product,
                           rows->poll);
    }
    for (int32_t r = 0; r < (n_own < k ? n_own : k); r++) {
        const double *row = product.cells + r * product.stride;
        squares += row[r] * row[r];
        for (int32_t s = r + 1; s < (n_own < k ? n_own : k); s++) squares += 2.0 * row[s] * row[s];
    }
    squares /= count * count;
    trace /= count;
    const double mean = trace / k, delta = (squares - 2.0 * mean * trace + k * mean * mean) / k;
    double beta = (fourth / count - squares) / (k * count);
    beta = beta < delta ? beta : delta;
    const double shrinkage = beta == 0.0 ? 0.0 : beta / delta;
    for (int32_t f = 0; f < k; f++) work->diagonal[f] += count / n * shrinkage * mean * scale[f] * scale[f];
    return shrinkage;
}

/* Set work->scale for the svd solver, to variance 1 within classes; deviations of constant features become 0. */
static void MOE_L(moe_discriminant_standardise)(const moe_rows_t *rows, const moe_discriminant_t *work)
{
    const int32_t n = rows->n;
    const int64_t stride = rows->x.stride;
    double *scale = work->scale, *total = work->diagonal;
    memset(scale, 0, sizeof(double) * (size_t)stride);
    memset(total, 0, sizeof(double) * (size_t)stride);
    for (int32_t i = 0; i < n; i++) {
        const double *row = work->within.cells + i * stride, *whole = rows->x.cells + i * stride;
        for (int64_t f = 0; f < stride; f++) {
            scale[f] += row[f] * row[f];
            total[f] += whole[f] * whole[f];
        }
    }
    for (int32_t f = 0; f < rows->k; f++) {
        const double rounding = n * DBL_EPSILON;
        const int constant = scale[f] <= rounding * rounding * (total[f] + n * (rows->centre[f] * rows->centre[f]));
        scale[f] = constant ? 1.0 : 1.0 / sqrt(scale[f] / n);
        for (int32_t i = 0; constant && i < n; i++) work->within.cells[i * stride + f] = 0.0;
    }
}

/* Multiply each column by its scale. */
static void MOE_L(moe_discriminant_scale)(const double *scale, int32_t n, moe_matrix_t rows)
{
    for (int32_t i = 0; i < n; i++)
        for (int64_t f = 0; f < rows.stride; f++) rows.cells[i * rows.stride + f] *= scale[f];
}

/* Project the whitened class means in work->solution on the axes between classes that the svd solver keeps: those with
 * singular values above tolerance times the largest one. */
static void MOE_L(moe_discriminant_project)(const moe_judges_task_t *task, double tolerance, int32_t width,
                                            const moe_discriminant_t *work)
{
    const int32_t n_classes = task->n_classes;
    const moe_matrix_t rows = work->between, whitened = work->solution; /* [n_classes, width]; [width, n_classes] */
    double largest = 0.0;
    memset(rows.cells, 0, sizeof(double) * (size_t)(n_classes * rows.stride));
    for (int32_t c = 0; c < n_classes; c++)
        for (int32_t j = 0; j < width; j++)
            rows.cells[c * rows.stride + j] = whitened.cells[j * whitened.stride + c] * sqrt((double)work->counts[c]);
    const int32_t n_values = MOE_L(moe_singular)(rows, n_classes, width, work->axes, work->values, work->pivots,
                                                 work->work, task->poll);
    for (int32_t j = 0; j < n_values; j++)
        if (work->values[j] > largest) largest = work->values[j];
    for (int32_t c = 0; c < n_classes; c++) {
        if (moe_poll_stops(task->poll, n_values * rows.stride / 4)) return;
        double *row = work->work, *sum = row + rows.stride;
        memset(row, 0, sizeof(double) * 2 * (size_t)rows.stride);
        for (int32_t j = 0; j < width; j++) row[j] = whitened.cells[j * whitened.stride + c];
        for (int32_t v = 0; v < n_values; v++) {
            const double *axis = work->axes.cells + v * work->axes.stride;
            const double part = MOE_L(moe_product_dot)(axis, row, rows.stride);
            for (int32_t j = 0; work->values[v] > tolerance * largest && j < width; j++) sum[j] += part * axis[j];
        }
        for (int32_t j = 0; j < width; j++) whitened.cells[j * whitened.stride + c] = sum[j];
    }
}

/* Compute Cholesky's factor of within' within + alpha I, in work->gram. Return 0 if the matrix is nearly singular. */
static int MOE_L(moe_discriminant_factor)(const moe_judges_plan_t *plan, double alpha, int32_t n,
                                          const moe_rows_t *rows, const moe_discriminant_t *work)
{
    const int32_t width = rows->width;
    const int svd = plan->whole[0] == MOE_DISCRIMINANT_SVD;
    const moe_matrix_t within = {work->within.cells, rows->reduced.stride};
    double trace = 0.0;
    MOE_L(moe_product)(within, within, n, width, (int32_t)work->gram.stride, MOE_PRODUCT_UPPER, work->gram, rows->poll);
    for (int32_t f = 0; f < width; f++) {
        double *cell = work->gram.cells + f * work->gram.stride + f;
        trace += *cell;
        *cell += alpha;
    }
    if (MOE_L(moe_factor)(work->gram, width, 1e-10, rows->poll)) return 0;
    if (alpha != 0.0) return 1;
    const double inverse = MOE_L(moe_factor_inverse_trace)(work->gram, width, work->vectors, rows->poll);
    *work->margin = svd ? inverse * (plan->real[1] * plan->real[1]) : inverse * DBL_EPSILON * trace;
    return *work->margin < 1.0;
}

/* Compute the singular values and vectors of the deviations, and in work->diagonal the scale along each vector that
 * whitens: 0 for a value that is cut. Return their number. */
static int32_t MOE_L(moe_discriminant_vectors)(const moe_judges_plan_t *plan, double alpha, int32_t n,
                                               const moe_rows_t *rows, const moe_discriminant_t *work)
{
    const int64_t stride = rows->reduced.stride;
    const int svd = plan->whole[0] == MOE_DISCRIMINANT_SVD;
    double largest = 0.0;
    for (int32_t i = 0; i < n; i++)
        memcpy(work->rotated.cells + i * work->rotated.stride, work->within.cells + i * stride,
               sizeof(double) * (size_t)stride);
    const int32_t n_values = MOE_L(moe_singular)(work->rotated, n, rows->width, work->vectors, work->values,
                                                 work->pivots, work->work, rows->poll);
    for (int32_t j = 0; j < n_values; j++)
        if (work->values[j] > largest) largest = work->values[j];
    for (int32_t j = 0; j < n_values; j++) {
        const double value = work->values[j], square = value * value + alpha;
        const int counts = svd ? value > plan->real[1] : value * value > DBL_EPSILON * largest * largest;
        const int kept = alpha > 0.0 || counts;
        work->diagonal[j] = kept && square > 0.0 ? 1.0 / sqrt(square) : 0.0;
    }
    return n_values;
}

/* Replace the means, the columns of work->solution, by their whitened parts along the vectors. What is outside their
 * space goes to work->residuals. Return 0 if told to stop. */
static int MOE_L(moe_discriminant_whiten)(double alpha, int32_t n_classes, int32_t n_values, const moe_rows_t *rows,
                                          const moe_discriminant_t *work)
{
    const moe_matrix_t solution = work->solution;
    const int32_t width = rows->width;
    double *residual = work->work;
    for (int32_t c = 0; c < n_classes; c++) {
        if (moe_poll_stops(rows->poll, n_values * work->vectors.stride / 4)) return 0;
        memset(residual, 0, sizeof(double) * (size_t)work->vectors.stride);
        for (int32_t f = 0; f < width; f++) residual[f] = solution.cells[f * solution.stride + c];
        for (int32_t j = 0; j < n_values; j++) {
            const double *vector = work->vectors.cells + j * work->vectors.stride;
            const double part = MOE_L(moe_product_dot)(vector, residual, work->vectors.stride);
            solution.cells[j * solution.stride + c] = part * work->diagonal[j];
            for (int32_t f = 0; f < width; f++) residual[f] -= part * vector[f];
        }
        for (int32_t f = 0; f < width; f++)
            work->residuals.cells[f * solution.stride + c] = alpha > 0.0 ? residual[f] / alpha : 0.0;
    }
    return 1;
}

/* Solve solution = (within' within + alpha I)^+ means', by Cholesky's factor, or by singular values where the matrix is
 * nearly singular. Return whether work->gram holds a factor. */
static int MOE_L(moe_discriminant_solve)(const moe_judges_plan_t *plan, const moe_judges_task_t *task, double alpha,
                                         const moe_rows_t *rows, const moe_discriminant_t *work)
{
    const int32_t n = task->n_learn, width = rows->width, n_classes = task->n_classes;
    const int projects = plan->whole[0] == MOE_DISCRIMINANT_SVD && n_classes > 2;
    const moe_matrix_t solution = work->solution;
    MOE_L(moe_product_transpose)((moe_matrix_t){work->means.cells, rows->reduced.stride}, n_classes, width, solution);
    if (MOE_L(moe_discriminant_factor)(plan, alpha, n, rows, work)) {
        MOE_L(moe_factor_forward)(work->gram, width, solution, rows->poll);
        if (projects) MOE_L(moe_discriminant_project)(task, plan->real[1], width, work);
        MOE_L(moe_factor_backward)(work->gram, width, solution, rows->poll);
        return 1;
    }
    const int32_t n_values = MOE_L(moe_discriminant_vectors)(plan, alpha, n, rows, work);
    if (!MOE_L(moe_discriminant_whiten)(alpha, n_classes, n_values, rows, work)) return 0;
    if (projects) MOE_L(moe_discriminant_project)(task, plan->real[1], n_values, work);
    for (int32_t j = 0; j < n_values; j++)
        for (int64_t c = 0; c < solution.stride; c++)
            work->whitened.cells[j * solution.stride + c] = solution.cells[j * solution.stride + c] * work->diagonal[j];
    MOE_L(moe_product)(work->vectors, work->whitened, n_values, width, (int32_t)solution.stride, 0, solution,
                       rows->poll);
    for (int64_t c = 0; c < width * solution.stride; c++) solution.cells[c] += work->residuals.cells[c];
    return 0;
}

/* Learn work->solution and work->intercepts. Return whether work->gram holds the factor of within' within alone. */
static int MOE_L(moe_discriminant_learn)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                         const moe_rows_t *rows, const moe_discriminant_t *work)
{
    const int32_t n = task->n_learn, n_classes = task->n_classes, kind = plan->whole[0];
    double alpha = 0.0, trace = 0.0;
    int32_t n_present = 0;
    memset(work->counts, 0, sizeof(int32_t) * (size_t)n_classes);
    for (int32_t i = 0; i < n; i++) work->counts[task->labels[i]]++;
    for (int32_t c = 0; c < n_classes; c++) n_present += work->counts[c] > 0;
    *work->n_present = n_present;
    MOE_L(moe_rows_gather)(task, rows);
    for (int32_t i = 0; i < n; i++) work->weights[i] = 1.0;
    MOE_L(moe_rows_centre)(rows, work->weights);
    if (MOE_L(moe_rows_stop)(rows)) return 0;
    MOE_L(moe_discriminant_means)(task, rows->x, work, work->within);
    memset(work->diagonal, 0, sizeof(double) * (size_t)rows->x.stride);
    for (int32_t c = 0; c < n_classes; c++) work->shrinkages[c] = kind == MOE_DISCRIMINANT_LSQR ? plan->real[0] : 0.0;
    if (kind == MOE_DISCRIMINANT_AUTO)
        for (int32_t c = 0; c < n_classes; c++)
            if (work->counts[c]) work->shrinkages[c] = MOE_L(moe_discriminant_shrinkage)(task, c, rows, work);
    for (int64_t f = 0; f < rows->x.stride; f++) {
        const int is_shrunk = kind == MOE_DISCRIMINANT_AUTO && work->diagonal[f] > 0.0;
        work->scale[f] = is_shrunk ? 1.0 / sqrt(work->diagonal[f]) : 1.0;
        alpha = is_shrunk ? 1.0 : alpha;
    }
    if (MOE_L(moe_rows_stop)(rows)) return 0;
    if (kind == MOE_DISCRIMINANT_SVD) MOE_L(moe_discriminant_standardise)(rows, work);
    MOE_L(moe_discriminant_scale)(work->scale, n, rows->x);
    MOE_L(moe_discriminant_scale)(work->scale, n, work->within);
    MOE_L(moe_rows_reduce)(rows);
    if (MOE_L(moe_rows_stop)(rows)) return 0;
    if (rows->width < rows->k)
        MOE_L(moe_discriminant_means)(task, rows->reduced, work,
                                      (moe_matrix_t){work->within.cells, rows->reduced.stride});
    else
        MOE_L(moe_discriminant_scale)(work->scale, n_classes, work->means);
    const double divisor = kind == MOE_DISCRIMINANT_SVD && plan->whole[1] && n > n_present ? n - n_present : n;
    for (int32_t i = 0; i < n; i++) {
        double *row = work->within.cells + i * rows->reduced.stride;
        if (kind == MOE_DISCRIMINANT_LSQR) trace += MOE_L(moe_product_dot)(row, row, rows->reduced.stride);
        const double factor = sqrt((1.0 - work->shrinkages[task->labels[i]]) / divisor);
        for (int64_t f = 0; f < rows->reduced.stride; f++) row[f] *= factor;
    }
    if (kind == MOE_DISCRIMINANT_LSQR) alpha = plan->real[0] * trace / ((double)n * rows->k);
    const int factored = MOE_L(moe_discriminant_solve)(plan, task, alpha, rows, work);
    for (int32_t c = 0; c < n_classes; c++) {
        double own = 0.0;
        for (int32_t f = 0; f < rows->width; f++)
            own += work->solution.cells[f * work->solution.stride + c] *
                   work->means.cells[c * rows->reduced.stride + f];
        work->intercepts[c] = work->counts[c] ? moe_elementary_log((double)work->counts[c] / n) - 0.5 * own : -HUGE_VAL;
    }
    return factored && alpha == 0.0;
}

/* Learn from the training rows and predict those of task->ask. */
static void MOE_L(moe_discriminant_predict)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                            uint8_t *buffer, double *answers)
{
    moe_rows_t rows;
    moe_discriminant_t work;
    moe_discriminant_lay(buffer, task, &rows, &work);
    MOE_L(moe_discriminant_learn)(plan, task, &rows, &work);
    MOE_L(moe_rows_expand)(&rows, work.solution);
    for (int32_t f = 0; f < rows.k; f++)
        for (int64_t c = 0; c < rows.coefs.stride; c++) rows.coefs.cells[f * rows.coefs.stride + c] *= work.scale[f];
    MOE_L(moe_rows_centre_asked)(task, &rows);
    MOE_L(moe_rows_answer)(task, &rows, work.intercepts, answers);
    MOE_L(moe_rows_conclude)(plan, task->n_ask, task->n_classes, answers);
}
