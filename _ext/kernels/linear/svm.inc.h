/* svm: linear support vector machines (linear/svm.h). A template: see base/levels.inc.h. */

/* Set the sign of each row, 1 for class c and -1 for the others, and the cost of an error. The weight of a class
 * applies to class c, and to the other one if there are just two. */
static void MOE_L(moe_svm_costs)(const moe_judges_plan_t *plan, const moe_judges_task_t *task, int32_t c,
                                 int32_t n_present, const moe_svm_t *work)
{
    const int32_t n = task->n_learn;
    for (int32_t i = 0; i < n; i++) {
        const int32_t own = task->labels[i];
        const double balanced = plan->whole[1] ? n / ((double)n_present * (double)work->counts[own]) : 1.0;
        const double weight = plan->priors ? plan->priors[own] : balanced;
        work->sign[i] = own == c ? 1.0 : -1.0;
        work->cost[i] = plan->real[0] * (own == c || n_present == 2 ? weight : 1.0);
        if (task->weights) work->cost[i] *= task->weights[i];
    }
}

/* Return the loss of coefficients theta, whose decision values are decision + length decision_step. */
static double MOE_L(moe_svm_loss)(int32_t n, int64_t width, const moe_svm_t *work, const double *theta, double length)
{
    double loss = 0.5 * MOE_L(moe_product_dot)(theta, theta, width);
    for (int32_t i = 0; i < n; i++) {
        const double slack = 1.0 - work->sign[i] * (work->decision[i] + length * work->decision_step[i]);
        loss += slack > 0.0 ? work->cost[i] * (slack * slack) : 0.0;
    }
    return loss;
}

/* Update work->active_gram, the sum of cost x x' over the rows in the margin, by the rows that enter or leave it; with
 * `fresh`, or where this takes fewer rows, sum anew. Return how many rows enter or leave. */
static int32_t MOE_L(moe_svm_update_gram)(const moe_rows_t *rows, const moe_svm_t *work, int fresh)
{
    const int32_t n = rows->n;
    const int64_t stride = rows->reduced.stride;
    int32_t n_changed = 0, n_inside = 0;
    for (int32_t i = 0; i < n; i++) {
        const int inside = 1.0 - work->sign[i] * work->decision[i] > 0.0;
        n_changed += fresh ? inside : inside != (work->inside[i] & 1);
        n_inside += inside;
        work->inside[i] = (uint8_t)(fresh ? inside << 1 : (work->inside[i] & 1) | inside << 1);
    }
    if (n_inside < n_changed) fresh = 1; /* summing anew takes fewer rows */
    int32_t at = 0;
    for (int32_t i = 0; i < n; i++) {
        const int before = fresh ? 0 : work->inside[i] & 1, inside = work->inside[i] >> 1;
        work->inside[i] = (uint8_t)inside;
        if (before == inside) continue;
        const double *row = rows->reduced.cells + i * stride, factor = inside ? work->cost[i] : -work->cost[i];
        for (int64_t f = 0; f < stride; f++) {
            work->changed.cells[at * stride + f] = row[f];
            work->weighed.cells[at * stride + f] = -factor * row[f];
        }
        at++;
    }
    if (fresh) memset(work->active_gram.cells, 0, sizeof(double) * (size_t)(rows->width * work->active_gram.stride));
    MOE_L(moe_product)(work->weighed, work->changed, at, rows->width, (int32_t)work->active_gram.stride,
                       MOE_PRODUCT_UPPER | MOE_PRODUCT_SUBTRACT, work->active_gram, rows->poll);
    return n_changed;
}

/* Minimise the loss of one class against the others over work->theta, by Newton steps with halved lengths. */
static void MOE_L(moe_svm_minimise)(const moe_rows_t *rows, const moe_svm_t *work, moe_poll_t *poll)
{
    const int32_t n = rows->n, width = rows->width;
    const int64_t stride = rows->reduced.stride;
    double length = 1.0, change = 1.0;
    memset(work->theta, 0, sizeof(double) * (size_t)stride);
    memset(work->decision, 0, sizeof(double) * (size_t)n);
    memset(work->decision_step, 0, sizeof(double) * (size_t)n);
    double value = MOE_L(moe_svm_loss)(n, stride, work, work->theta, 0.0);
    for (int iter = 0; iter < 100 && change > 1e-10 && !moe_poll_stops(poll, n * stride * stride / 8); iter++) {
        const int32_t n_changed = MOE_L(moe_svm_update_gram)(rows, work, iter == 0);
        if (iter && !n_changed && length == 1.0) break; /* the last step has reached the optimum */
        for (int32_t i = 0; i < n; i++) {
            const double slack = 1.0 - work->sign[i] * work->decision[i];
            work->pull[i] = slack > 0.0 ? 2.0 * work->cost[i] * work->sign[i] * slack : 0.0;
        }
        MOE_L(moe_product)((moe_matrix_t){work->pull, 1}, rows->reduced, n, 1, (int32_t)stride, 0,
                           (moe_matrix_t){work->gradient, stride}, NULL);
        memset(work->step.cells, 0, sizeof(double) * (size_t)(width * work->step.stride));
        for (int32_t f = 0; f < width; f++) {
            work->gradient[f] = work->theta[f] - work->gradient[f];
            work->step.cells[f * work->step.stride] = -work->gradient[f];
            for (int64_t s = f; s < stride; s++)
                work->hessian.cells[f * stride + s] =
                    2.0 * work->active_gram.cells[f * stride + s] + (s == f ? 1.0 : 0.0);
        }
        MOE_L(moe_factor)(work->hessian, width, 1e-14, rows->poll);
        MOE_L(moe_factor_forward)(work->hessian, width, work->step, rows->poll);
        MOE_L(moe_factor_backward)(work->hessian, width, work->step, rows->poll);
        MOE_L(moe_product)(work->step, work->transposed, width, 1, (int32_t)work->transposed.stride, 0,
                           (moe_matrix_t){work->decision_step, work->transposed.stride}, NULL);
        double slope = 0.0, next = 0.0;
        for (int32_t f = 0; f < width; f++) slope += work->gradient[f] * work->step.cells[f * work->step.stride];
        length = 1.0;
        for (int halving = 0; halving < 40; halving++, length *= 0.5) {
            memset(work->next, 0, sizeof(double) * (size_t)stride);
            for (int32_t f = 0; f < width; f++)
                work->next[f] = work->theta[f] + length * work->step.cells[f * work->step.stride];
            next = MOE_L(moe_svm_loss)(n, stride, work, work->next, length);
            if (next <= value + 1e-4 * length * slope + 1e-14 * fabs(value)) break;
        }
        change = 0.0;
        for (int32_t i = 0; i < n; i++) {
            const double by = length * work->decision_step[i];
            work->decision[i] += by;
            change = fabs(by) > change ? fabs(by) : change;
        }
        memcpy(work->theta, work->next, sizeof(double) * (size_t)stride);
        value = next;
    } /* end: for iter */
}

static void MOE_L(moe_svm_answers)(const moe_judges_plan_t *plan, const moe_judges_task_t *task, uint8_t *buffer,
                                   double *answers)
{
    const int32_t n = task->n_learn, n_classes = task->n_classes;
    int32_t n_present = 0, first = -1;
    moe_rows_t rows;
    moe_svm_t work;
    moe_svm_lay(buffer, plan, task, &rows, &work);
    memset(work.counts, 0, sizeof(int32_t) * (size_t)n_classes);
    for (int32_t i = 0; i < n; i++) work.counts[task->labels[i]] += !task->weights || task->weights[i] > 0.0;
    for (int32_t c = 0; c < n_classes; c++) n_present += work.counts[c] > 0;
    MOE_L(moe_rows_gather)(task, &rows);
    MOE_L(moe_rows_reduce)(&rows);
    if (MOE_L(moe_rows_stop)(&rows)) return;
    MOE_L(moe_product_transpose)(rows.reduced, n, rows.width, work.transposed);
    memset(work.solution.cells, 0, sizeof(double) * (size_t)(rows.width * work.solution.stride));
    for (int32_t c = 0; c < n_classes && n_present > 1; c++) {
        if (!work.counts[c]) continue;
        if (n_present == 2 && first < 0) { /* the other class has the same coefficients, negated */
            first = c;
            continue;
        }
        MOE_L(moe_svm_costs)(plan, task, c, n_present, &work);
        MOE_L(moe_svm_minimise)(&rows, &work, task->poll);
        for (int32_t f = 0; f < rows.width; f++) {
            work.solution.cells[f * work.solution.stride + c] = work.theta[f];
            if (first >= 0) work.solution.cells[f * work.solution.stride + first] = -work.theta[f];
        }
    }
    MOE_L(moe_rows_expand)(&rows, work.solution);
    for (int32_t c = 0; c < n_classes; c++) {
        const int64_t behind = (int64_t)task->n_features * rows.coefs.stride + c;
        work.intercepts[c] = rows.constant != 0.0 ? rows.constant * rows.coefs.cells[behind] : 0.0;
        if (!work.counts[c]) work.intercepts[c] = -HUGE_VAL;
    }
    MOE_L(moe_rows_answer)(task, &rows, work.intercepts, answers);
}
