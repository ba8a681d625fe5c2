/* ridge: ridge regression (linear/ridge.h). A template: see base/levels.inc.h. */

/* Set the weight of each row and its square root, and return the sum of the weights. Balanced weights are those of the
 * rows that remain when a row of class `without` (-1: none) is left out. */
static double MOE_L(moe_ridge_weights)(const moe_judges_plan_t *plan, const moe_judges_task_t *task, int32_t without,
                                       const moe_ridge_t *work)
{
    const int32_t n = task->n_learn;
    double *of_class = work->intercepts, total = 0.0;
    if (task->labels) {
        int32_t n_present = 0;
        for (int32_t c = 0; c < task->n_classes; c++) n_present += work->counts[c] - (c == without) > 0;
        for (int32_t c = 0; c < task->n_classes; c++) {
            const int32_t count = work->counts[c] - (c == without);
            of_class[c] = !plan->whole[1] || count < 1 ? 1.0
                                                       : (n - (without >= 0)) / ((double)n_present * (double)count);
            if (plan->priors) of_class[c] = plan->priors[c];
        }
    }
    for (int32_t i = 0; i < n; i++) {
        work->weights[i] = task->labels ? of_class[task->labels[i]] : 1.0;
        if (task->weights) work->weights[i] *= task->weights[i];
        work->roots[i] = sqrt(work->weights[i]);
        total += work->weights[i];
    }
    return total;
}

/* Compute work->means, the weighted means of the targets -1 and 1 of each class; 0 without an intercept. */
static void MOE_L(moe_ridge_means)(const moe_judges_plan_t *plan, const moe_judges_task_t *task, double total,
                                   const moe_ridge_t *work)
{
    memset(work->means, 0, sizeof(double) * (size_t)work->targets.stride);
    for (int32_t i = 0; plan->whole[0] && i < task->n_learn; i++) work->means[task->labels[i]] += work->weights[i];
    for (int32_t c = 0; plan->whole[0] && c < task->n_classes; c++)
        work->means[c] = (2.0 * work->means[c] - total) / total;
}

/* Fill work->targets for classes: 1 (rows of the class) or -1, minus the mean, times the root of the weight. */
static void MOE_L(moe_ridge_class_targets)(const moe_judges_task_t *task, const moe_ridge_t *work)
{
    memset(work->targets.cells, 0, sizeof(double) * (size_t)(task->n_learn * work->targets.stride));
    for (int32_t i = 0; i < task->n_learn; i++)
        for (int32_t c = 0; c < task->n_classes; c++)
            work->targets.cells[i * work->targets.stride + c] =
                ((task->labels[i] == c ? 1.0 : -1.0) - work->means[c]) * work->roots[i];
}

/* Fill work->targets for a regression: the target, centred if there is an intercept, times the root of the weight. */
static void MOE_L(moe_ridge_targets)(const moe_judges_plan_t *plan, const moe_judges_task_t *task, double total,
                                     const moe_ridge_t *work)
{
    const int32_t n = task->n_learn;
    const int64_t stride = work->targets.stride;
    double *cells = work->targets.cells, *means = work->means;
    memset(cells, 0, sizeof(double) * (size_t)(n * stride));
    memset(means, 0, sizeof(double) * (size_t)stride);
    for (int32_t i = 0; i < n; i++) cells[i * stride] = task->target[i];
    for (int pass = 0; plan->whole[0] && pass < 2; pass++) {
        double *sums = work->intercepts;
        MOE_L(moe_product)((moe_matrix_t){work->weights, 1}, work->targets, n, 1, (int32_t)stride, 0,
                           (moe_matrix_t){sums, stride}, NULL);
        for (int64_t c = 0; c < stride; c++) {
            sums[c] /= total;
            means[c] += sums[c];
        }
        for (int32_t i = 0; i < n; i++)
            for (int64_t c = 0; c < stride; c++) cells[i * stride + c] -= sums[c];
    }
    for (int32_t i = 0; i < n; i++)
        for (int64_t c = 0; c < stride; c++) cells[i * stride + c] *= work->roots[i];
}

/* Compute the right-hand side work->solution = X' targets. For classes it is 2 (sum of the rows of the class) -
 * (1 + mean) (sum of all rows), which takes O(n k) instead of O(n k C). */
static void MOE_L(moe_ridge_right_side)(const moe_judges_task_t *task, const moe_rows_t *rows, const moe_ridge_t *work)
{
    const int32_t width = rows->width, n_classes = task->n_classes;
    const int64_t stride = work->sums.stride;
    double *all = work->sums.cells + n_classes * stride;
    if (!task->labels) {
        MOE_L(moe_product)(rows->reduced, work->targets, rows->n, width, (int32_t)work->solution.stride, 0,
                           work->solution, rows->poll);
        return;
    }
    if (MOE_L(moe_rows_stop)(rows)) return;
    memset(work->sums.cells, 0, sizeof(double) * (size_t)((n_classes + 1) * stride));
    for (int32_t i = 0; i < rows->n; i++) {
        const double *row = rows->reduced.cells + i * rows->reduced.stride, root = work->roots[i];
        double *to = work->sums.cells + task->labels[i] * stride;
        for (int64_t f = 0; f < stride; f++) to[f] += root * row[f];
    }
    for (int32_t c = 0; c < n_classes; c++)
        for (int64_t f = 0; f < stride; f++) all[f] += work->sums.cells[c * stride + f];
    for (int32_t c = 0; c < n_classes; c++) {
        double *own = work->sums.cells + c * stride;
        const double factor = 1.0 + work->means[c];
        for (int64_t f = 0; f < stride; f++) own[f] = 2.0 * own[f] - factor * all[f];
    }
    MOE_L(moe_product_transpose)(work->sums, n_classes, width, work->solution);
}

/* Solve a nearly singular system by singular values, dropping those up to `tolerance` times the largest one. */
static void MOE_L(moe_ridge_solve_svd)(const moe_rows_t *rows, double alpha, double tolerance, const moe_ridge_t *work)
{
    const int32_t n = rows->n, width = rows->width;
    const int64_t x_width = moe_base_round_up(width, 8), stride = work->solution.stride;
    double largest = 0.0;
    for (int32_t i = 0; i < n; i++) {
        double *row = work->augmented.cells + i * work->augmented.stride;
        memcpy(row, rows->reduced.cells + i * rows->reduced.stride, sizeof(double) * (size_t)x_width);
        memcpy(row + x_width, work->targets.cells + i * stride, sizeof(double) * (size_t)stride);
    }
    const int32_t n_values = MOE_L(moe_singular)(work->augmented, n, width, work->vectors, work->values, work->pivots,
                                                 work->work, rows->poll);
    for (int32_t j = 0; j < n_values; j++)
        if (work->values[j] > largest) largest = work->values[j];
    for (int32_t j = 0; j < n_values; j++) {
        const double value = work->values[j];
        const double factor = value > tolerance * largest ? value / (value * value + alpha) : 0.0;
        double *part = work->augmented.cells + j * work->augmented.stride + x_width;
        for (int64_t c = 0; c < stride; c++) part[c] *= factor;
    }
    MOE_L(moe_product)(work->vectors, (moe_matrix_t){work->augmented.cells + x_width, work->augmented.stride}, n_values,
                       width, (int32_t)stride, 0, work->solution, rows->poll);
}

/* Refine least squares, which rounding has made inexact: solution += (X' X)^-1 X' (targets - X solution). */
static void MOE_L(moe_ridge_refine)(const moe_rows_t *rows, const moe_ridge_t *work)
{
    const int64_t stride = work->solution.stride;
    for (int32_t i = 0; i < rows->n; i++) {
        double *residual = work->residuals.cells + i * stride;
        const double *row = rows->reduced.cells + i * rows->reduced.stride;
        if (i % 64 == 0 && moe_poll_stops(rows->poll, 16 * rows->width * stride)) return;
        memcpy(residual, work->targets.cells + i * stride, sizeof(double) * (size_t)stride);
        for (int32_t f = 0; f < rows->width; f++)
            for (int64_t c = 0; c < stride; c++) residual[c] -= row[f] * work->solution.cells[f * stride + c];
    }
    MOE_L(moe_product)(rows->reduced, work->residuals, rows->n, rows->width, (int32_t)stride, 0, work->step,
                       rows->poll);
    MOE_L(moe_factor_forward)(work->gram, rows->width, work->step, rows->poll);
    MOE_L(moe_factor_backward)(work->gram, rows->width, work->step, rows->poll);
    for (int64_t c = 0; c < rows->width * stride; c++) work->solution.cells[c] += work->step.cells[c];
}

/* Solve solution = (X' X + alpha I)^-1 X' targets for the reduced rows X. Return whether work->gram holds Cholesky's
 * factor; otherwise singular values were used. */
static int MOE_L(moe_ridge_solve)(const moe_judges_task_t *task, const moe_rows_t *rows, double alpha,
                                  double tolerance, const moe_ridge_t *work)
{
    const int32_t width = rows->width;
    double trace = 0.0;
    MOE_L(moe_product)(rows->reduced, rows->reduced, rows->n, width, (int32_t)work->gram.stride, MOE_PRODUCT_UPPER,
                       work->gram, rows->poll);
    for (int32_t f = 0; f < width; f++) {
        double *cell = work->gram.cells + f * work->gram.stride + f;
        trace += *cell;
        *cell += alpha;
    }
    int singular = MOE_L(moe_factor)(work->gram, width, 1e-10, rows->poll);
    if (!singular && alpha == 0.0) /* is the smallest singular value above tolerance times the largest one? */
        singular = !(MOE_L(moe_factor_inverse_trace)(work->gram, width, work->vectors, rows->poll) * trace *
                     (tolerance * tolerance) <
                     1.0);
    if (task->labels && (singular || alpha == 0.0)) MOE_L(moe_ridge_class_targets)(task, work);
    if (singular) {
        MOE_L(moe_ridge_solve_svd)(rows, alpha, tolerance, work);
        return 0;
    }
    MOE_L(moe_ridge_right_side)(task, rows, work);
    MOE_L(moe_factor_forward)(work->gram, width, work->solution, rows->poll);
    MOE_L(moe_factor_backward)(work->gram, width, work->solution, rows->poll);
    for (int step = 0; alpha == 0.0 && step < 2; step++) MOE_L(moe_ridge_refine)(rows, work);
    return 1;
}

/* Predict each training row of class `only_class` (-1: of any) as if learnt without it: (f - h y) / (1 - h), for its
 * target y, fitted value f and leverage h = weight / total + x' (X' X + alpha I)^-1 x. O(n k^2). */
static void MOE_L(moe_ridge_leave_one_out)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                           int32_t only_class, double total, const moe_rows_t *rows,
                                           const moe_ridge_t *work, int factored, double *answers)
{
    const int32_t n = rows->n, width = rows->width;
    const int64_t stride = work->solution.stride;
    const double alpha = plan->real[0];
    const moe_matrix_t transposed = {rows->transposed.cells, rows->transposed.stride}; /* [width, n] */
    if (factored) {
        MOE_L(moe_product_transpose)(rows->reduced, n, width, transposed);
        MOE_L(moe_factor_forward)(work->gram, width, transposed, rows->poll);
    } else {
        /* by singular values: row j is column j of U times value / sqrt(value^2 + alpha) */
        for (int32_t j = 0; j < width; j++) {
            if (moe_poll_stops(rows->poll, n * work->vectors.stride / 4)) return;
            for (int32_t i = 0; i < n; i++) {
                const double value = work->values[j];
                const double part = MOE_L(moe_product_dot)(rows->reduced.cells + i * rows->reduced.stride,
                                                           work->vectors.cells + j * work->vectors.stride,
                                                           work->vectors.stride);
                transposed.cells[j * transposed.stride + i] = value > 0.0 ? part / sqrt(value * value + alpha) : 0.0;
            }
        }
    }
    for (int32_t i = 0; i < n; i++) {
        double leverage = plan->whole[0] ? work->weights[i] / total : 0.0;
        if (moe_poll_stops(rows->poll, width * (task->n_classes + (int64_t)1))) return;
        if (only_class >= 0 && task->labels[i] != only_class) continue;
        for (int32_t j = 0; j < width; j++)
            leverage += transposed.cells[j * transposed.stride + i] * transposed.cells[j * transposed.stride + i];
        const double remaining = 1.0 - leverage > DBL_EPSILON ? 1.0 - leverage : DBL_EPSILON;
        for (int32_t c = 0; c < task->n_classes; c++) {
            double fitted = 0.0;
            for (int32_t f = 0; f < width; f++)
                fitted += rows->reduced.cells[i * rows->reduced.stride + f] * work->solution.cells[f * stride + c];
            fitted = fitted / work->roots[i] + work->means[c];
            const double target = task->labels ? (task->labels[i] == c ? 1.0 : -1.0) : task->target[i];
            answers[(int64_t)i * task->n_classes + c] = (fitted - leverage * target) / remaining;
        }
    }
}

/* Prepare the rows, centred and times the roots of their weights, and the means of the targets or, for a regression,
 * the targets. `without` is as for moe_ridge_weights. Return the sum of the weights. */
static double MOE_L(moe_ridge_prepare)(const moe_judges_plan_t *plan, const moe_judges_task_t *task, int32_t without,
                                       const moe_rows_t *rows, const moe_ridge_t *work)
{
    const double total = MOE_L(moe_ridge_weights)(plan, task, without, work);
    MOE_L(moe_rows_gather)(task, rows);
    if (plan->whole[0]) MOE_L(moe_rows_centre)(rows, work->weights);
    for (int32_t i = 0; i < task->n_learn; i++)
        for (int64_t f = 0; work->roots[i] != 1.0 && f < rows->x.stride; f++)
            rows->x.cells[i * rows->x.stride + f] *= work->roots[i];
    if (task->labels)
        MOE_L(moe_ridge_means)(plan, task, total, work);
    else
        MOE_L(moe_ridge_targets)(plan, task, total, work);
    return total;
}

/* Count the training rows of each class. */
static void MOE_L(moe_ridge_count)(const moe_judges_task_t *task, const moe_ridge_t *work)
{
    memset(work->counts, 0, sizeof(int32_t) * (size_t)task->n_classes);
    for (int32_t i = 0; task->labels && i < task->n_learn; i++) work->counts[task->labels[i]]++;
}

/* Set the decision values of classes without a training row to -HUGE_VAL. */
static void MOE_L(moe_ridge_mark_absent)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                         const int32_t *counts, double *answers)
{
    for (int32_t i = 0; task->labels && i < task->n_ask; i++)
        for (int32_t c = 0; c < task->n_classes; c++)
            if (counts[c] - (plan->leave_one_out && task->labels[i] == c) < 1)
                answers[(int64_t)i * task->n_classes + c] = -HUGE_VAL;
}

/* Multiply all of X by a power of two where its squares would overflow or underflow. Predictions of least squares do
 * not depend on the scale of X, and the factor is exact. With an intercept only differences within a column matter. */
static void MOE_L(moe_ridge_rescale)(const moe_judges_plan_t *plan, const moe_judges_task_t *task)
{
    const int64_t k = task->n_features, n = task->n_learn;
    double largest = 0.0;
    int exponent;
    for (int64_t f = 0; f < k; f++) {
        const double *column = task->learn + f * n, origin = plan->whole[0] ? column[0] : 0.0;
        if (moe_poll_stops(task->poll, n / 4)) return;
        for (int64_t i = 0; i < n; i++) {
            const double distance = fabs(0.5 * column[i] - 0.5 * origin); /* the difference of halves is finite */
            largest = distance > largest ? distance : largest;
        }
    }
    if (!(largest > 0.0 && largest < HUGE_VAL) || (largest > 1.0 / MOE_RIDGE_SAFE && largest < MOE_RIDGE_SAFE)) return;
    frexp(largest, &exponent);
    const double factor = ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
    for (int64_t i = 0; i < k * n; i++) task->learn[i] *= factor;
    for (int64_t i = 0; i < k * task->n_ask; i++) task->ask[i] *= factor;
}

static void MOE_L(moe_ridge_answers)(const moe_judges_plan_t *plan, const moe_judges_task_t *task, uint8_t *buffer,
                                     double *answers)
{
    const double tolerance = plan->judge == MOE_JUDGES_LEAST_SQUARES
                                 ? plan->real[1]
                                 : DBL_EPSILON * (task->n_learn + task->n_features);
    const int32_t by_class = plan->leave_one_out && plan->whole[1];
    moe_rows_t rows;
    moe_ridge_t work;
    moe_ridge_lay(buffer, task, &rows, &work);
    MOE_L(moe_ridge_count)(task, &work);
    if (plan->judge == MOE_JUDGES_LEAST_SQUARES) MOE_L(moe_ridge_rescale)(plan, task);
    for (int32_t left_class = by_class ? 0 : -1; left_class < (by_class ? task->n_classes : 0); left_class++) {
        const double total = MOE_L(moe_ridge_prepare)(plan, task, left_class, &rows, &work);
        if (MOE_L(moe_rows_stop)(&rows)) return;
        MOE_L(moe_rows_reduce)(&rows);
        const int factored = MOE_L(moe_ridge_solve)(task, &rows, plan->real[0], tolerance, &work);
        if (plan->leave_one_out)
            MOE_L(moe_ridge_leave_one_out)(plan, task, left_class, total, &rows, &work, factored, answers);
    }
    if (!plan->leave_one_out) {
        MOE_L(moe_rows_expand)(&rows, work.solution);
        if (plan->whole[0]) MOE_L(moe_rows_centre_asked)(task, &rows);
        MOE_L(moe_rows_answer)(task, &rows, work.means, answers);
    }
    MOE_L(moe_ridge_mark_absent)(plan, task, work.counts, answers);
}

/* Compute what subsets share: see linear/ridge.h. */
static void MOE_L(moe_ridge_learn_shared)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                          const moe_ridge_shared_t *shared)
{
    const moe_rows_t *rows = &shared->rows;
    const moe_ridge_t *work = &shared->work;
    MOE_L(moe_ridge_count)(task, work);
    MOE_L(moe_ridge_prepare)(plan, task, -1, rows, work);
    MOE_L(moe_product)(rows->x, rows->x, rows->n, rows->k, (int32_t)work->gram.stride, MOE_PRODUCT_UPPER,
                       work->gram, rows->poll);
    MOE_L(moe_ridge_right_side)(task, rows, work);
    if (plan->whole[0]) MOE_L(moe_rows_centre_asked)(task, rows);
}

/* Predict with a subset of features: see linear/ridge.h. */
static int MOE_L(moe_ridge_answer_subset)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                          const moe_ridge_shared_t *shared, const double *asked, const int32_t *columns,
                                          uint8_t *buffer, double *answers)
{
    const int32_t k = task->n_features;
    const int64_t n_ask = task->n_ask;
    moe_rows_t rows;
    moe_ridge_t work;
    moe_ridge_lay(buffer, task, &rows, &work);
    const int64_t stride = work.gram.stride, wide = work.solution.stride;
    for (int64_t f = 0; f < k; f++) {
        const double *from = shared->work.gram.cells + columns[f] * shared->work.gram.stride;
        double *to = work.gram.cells + f * stride;
        for (int64_t g = f; g < k; g++) to[g] = from[columns[g]];
        for (int64_t g = k; g < stride; g++) to[g] = 0.0;
        to[f] += plan->real[0];
    }
    if (MOE_L(moe_factor)(work.gram, k, 1e-10, rows.poll)) return 0;
    for (int64_t f = 0; f < k; f++) {
        memcpy(work.solution.cells + f * wide, shared->work.solution.cells + columns[f] * wide,
               sizeof(double) * (size_t)wide);
        memcpy(task->ask + f * n_ask, asked + columns[f] * n_ask, sizeof(double) * (size_t)n_ask);
    }
    MOE_L(moe_factor_forward)(work.gram, k, work.solution, rows.poll);
    MOE_L(moe_factor_backward)(work.gram, k, work.solution, rows.poll);
    MOE_L(moe_rows_expand)(&rows, work.solution);
    MOE_L(moe_rows_answer)(task, &rows, shared->work.means, answers);
    MOE_L(moe_ridge_mark_absent)(plan, task, shared->work.counts, answers);
    return 1;
}
