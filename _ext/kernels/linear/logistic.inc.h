/* logistic: logistic regression (linear/logistic.h). A template: see base/levels.inc.h. */

/* Classes that have rows that count, their logits (of two the second one has it) and the weight of each row. */
static void MOE_L(moe_logistic_weigh)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                      moe_logistic_t *work)
{
    const int32_t n = task->n_learn, n_classes = task->n_classes;
    int32_t n_present = 0, next = 0;
    memset(work->counts, 0, sizeof(int32_t) * (size_t)n_classes);
    for (int32_t i = 0; i < n; i++) work->counts[task->labels[i]] += !task->weights || task->weights[i] > 0.0;
    for (int32_t c = 0; c < n_classes; c++) n_present += work->counts[c] > 0;
    for (int32_t c = 0; c < n_classes; c++) {
        const int has = work->counts[c] && (n_present > 2 || (n_present == 2 && next++));
        work->logit[c] = has ? (n_present > 2 ? next++ : 0) : -1;
        work->intercepts[c] = work->counts[c] ? 0.0 : -HUGE_VAL;
    }
    work->n_logits = n_present > 2 ? n_present : n_present - 1;
    for (int32_t i = 0; i < n; i++) {
        const int32_t c = task->labels[i];
        const double balanced = plan->whole[1] ? n / ((double)n_present * (double)work->counts[c]) : 1.0;
        work->weights[i] = (plan->priors ? plan->priors[c] : balanced) * (task->weights ? task->weights[i] : 1.0);
    }
}

/* Probabilities of the logits, and the loss of all rows together. */
static double MOE_L(moe_logistic_loss)(const moe_judges_task_t *task, const moe_logistic_t *work, moe_matrix_t decision,
                                       moe_matrix_t chance /* OUT */)
{
    const int32_t n = task->n_learn, n_logits = work->n_logits;
    double *most = work->trial.cells, *sum = work->scale, loss = 0.0;
    for (int32_t i = 0; i < n; i++) most[i] = n_logits == 1 ? 0.0 : decision.cells[i];
    for (int32_t l = 0; l < n_logits; l++) {
        const double *row = decision.cells + l * decision.stride;
        for (int32_t i = 0; i < n; i++) most[i] = row[i] > most[i] ? row[i] : most[i];
    }
    for (int32_t i = 0; i < n; i++) sum[i] = n_logits == 1 ? moe_elementary_exp(-most[i]) : 0.0;
    for (int32_t l = 0; l < n_logits; l++) {
        const double *row = decision.cells + l * decision.stride;
        double *to = chance.cells + l * chance.stride;
        for (int32_t i = 0; i < n; i++) to[i] = moe_elementary_exp(row[i] - most[i]);
        for (int32_t i = 0; i < n; i++) sum[i] += to[i];
    }
    for (int32_t l = 0; l < n_logits; l++) {
        double *to = chance.cells + l * chance.stride;
        for (int32_t i = 0; i < n; i++) to[i] /= sum[i];
    }
    for (int32_t i = 0; i < n; i++) sum[i] = moe_elementary_log(sum[i]);
    for (int32_t i = 0; i < n; i++) {
        const int32_t own = work->logit[task->labels[i]];
        loss += work->weights[i] * (sum[i] + (most[i] - (own < 0 ? 0.0 : decision.cells[own * decision.stride + i])));
    }
    return loss;
}

static double MOE_L(moe_logistic_penalty)(const moe_logistic_t *work, moe_matrix_t theta, double strength)
{
    return 0.5 * strength * MOE_L(moe_product_dot)(theta.cells, theta.cells, work->n_penalised * theta.stride);
}

/* to = design' errors + strength * theta (not of the intercept), where errors are of each logit's row. */
static void MOE_L(moe_logistic_pull)(const moe_judges_task_t *task, const moe_logistic_t *work, moe_matrix_t logits,
                                     moe_matrix_t theta, double strength, moe_matrix_t to)
{
    MOE_L(moe_product_transpose)(logits, work->n_logits, task->n_learn, work->errors);
    MOE_L(moe_product)(work->errors, work->design, task->n_learn, work->n_logits, (int32_t)work->design.stride, 0,
                       work->sums);
    MOE_L(moe_product_transpose)(work->sums, work->n_logits, work->width, to);
    for (int64_t c = 0; c < work->n_penalised * to.stride; c++) to.cells[c] += strength * theta.cells[c];
}

/* to = Hessian times direction. */
static void MOE_L(moe_logistic_curve)(const moe_judges_task_t *task, const moe_logistic_t *work, double strength,
                                      moe_matrix_t direction, moe_matrix_t to)
{
    const int32_t n = task->n_learn, n_logits = work->n_logits;
    double *mean = work->scale;
    MOE_L(moe_product)(direction, work->turned, work->width, n_logits, (int32_t)work->trial.stride, 0, work->trial);
    memset(mean, 0, sizeof(double) * (size_t)n);
    for (int32_t l = 0; l < n_logits; l++) {
        const double *moved = work->trial.cells + l * work->trial.stride;
        const double *chance = work->chance.cells + l * work->chance.stride;
        for (int32_t i = 0; i < n; i++) mean[i] += chance[i] * moved[i];
    }
    for (int32_t l = 0; l < n_logits; l++) {
        double *moved = work->trial.cells + l * work->trial.stride;
        const double *chance = work->chance.cells + l * work->chance.stride;
        for (int32_t i = 0; i < n; i++) moved[i] = work->weights[i] * chance[i] * (moved[i] - mean[i]);
    }
    MOE_L(moe_logistic_pull)(task, work, work->trial, direction, strength, to);
}

/* Factor of the Hessian of two classes; of more, of one with the mean variance of the logits in place of each. */
static void MOE_L(moe_logistic_precondition)(const moe_judges_task_t *task, const moe_logistic_t *work, double strength)
{
    const int32_t n = task->n_learn, n_logits = work->n_logits;
    double *scale = work->scale;
    memset(scale, 0, sizeof(double) * (size_t)n);
    for (int32_t l = 0; l < n_logits; l++) {
        const double *chance = work->chance.cells + l * work->chance.stride;
        for (int32_t i = 0; i < n; i++) scale[i] += chance[i] * (1.0 - chance[i]);
    }
    for (int32_t i = 0; i < n; i++) {
        const double *row = work->design.cells + i * work->design.stride;
        double *to = work->weighed.cells + i * work->weighed.stride;
        /* rows that are certain keep a little, so that each direction has a step */
        const double factor = work->weights[i] * (scale[i] > 1e-10 ? scale[i] : 1e-10) / n_logits;
        for (int64_t f = 0; f < work->design.stride; f++) to[f] = factor * row[f];
    }
    MOE_L(moe_product)(work->design, work->weighed, n, work->width, (int32_t)work->gram.stride, MOE_PRODUCT_UPPER,
                       work->gram);
    for (int32_t f = 0; f < work->n_penalised; f++) work->gram.cells[f * work->gram.stride + f] += strength;
    MOE_L(moe_factor)(work->gram, work->width, 1e-14);
}

/* work->better = work->rest, preconditioned; returns their product. */
static double MOE_L(moe_logistic_better)(const moe_logistic_t *work)
{
    const int64_t size = work->width * work->rest.stride;
    memcpy(work->better.cells, work->rest.cells, sizeof(double) * (size_t)size);
    MOE_L(moe_factor_forward)(work->gram, work->width, work->better);
    MOE_L(moe_factor_backward)(work->gram, work->width, work->better);
    return MOE_L(moe_product_dot)(work->rest.cells, work->better.cells, size);
}

/* work->step = -Hessian^-1 gradient, to the part `accuracy` of where it begins. */
static void MOE_L(moe_logistic_newton)(const moe_judges_task_t *task, const moe_logistic_t *work, double strength,
                                       double accuracy)
{
    const int64_t size = work->width * work->rest.stride;
    double *step = work->step.cells, *rest = work->rest.cells, *direction = work->direction.cells;
    for (int64_t c = 0; c < size; c++) rest[c] = -work->gradient.cells[c];
    double own = MOE_L(moe_logistic_better)(work);
    const double enough = accuracy * accuracy * own;
    memcpy(direction, work->better.cells, sizeof(double) * (size_t)size);
    if (work->n_logits == 1) { /* the factor is the Hessian's */
        memcpy(step, direction, sizeof(double) * (size_t)size);
        return;
    }
    memset(step, 0, sizeof(double) * (size_t)size);
    for (int turn = 0; turn < 100 && own > enough && !moe_ear_stops(task->ear, size * task->n_learn); turn++) {
        MOE_L(moe_logistic_curve)(task, work, strength, work->direction, work->image);
        const double bend = MOE_L(moe_product_dot)(direction, work->image.cells, size), length = own / bend;
        if (!(bend > 0.0)) break;
        for (int64_t c = 0; c < size; c++) {
            step[c] += length * direction[c];
            rest[c] -= length * work->image.cells[c];
        }
        const double before = own;
        own = MOE_L(moe_logistic_better)(work);
        for (int64_t c = 0; c < size; c++) direction[c] = work->better.cells[c] + own / before * direction[c];
    }
}

/* The optimum: work->theta. */
static void MOE_L(moe_logistic_descend)(const moe_judges_task_t *task, const moe_logistic_t *work, double strength)
{
    const int32_t n = task->n_learn, n_logits = work->n_logits;
    const int64_t size = work->width * work->theta.stride, stride = work->decision.stride;
    double change = 1.0, accuracy = 1.0; /* the largest move of the last step, and what part of it is missing */
    memset(work->theta.cells, 0, sizeof(double) * (size_t)size);
    memset(work->decision.cells, 0, sizeof(double) * (size_t)(n_logits * stride));
    double value = MOE_L(moe_logistic_loss)(task, work, work->decision, work->chance);
    for (int turn = 0; turn < 100 && change * accuracy > 1e-7; turn++) {
        if (moe_ear_stops(task->ear, size * n)) return;
        for (int32_t l = 0; l < n_logits; l++)
            for (int32_t i = 0; i < n; i++)
                work->moved.cells[l * stride + i] =
                    work->weights[i] *
                    (work->chance.cells[l * stride + i] - (work->logit[task->labels[i]] == l ? 1.0 : 0.0));
        MOE_L(moe_logistic_pull)(task, work, work->moved, work->theta, strength, work->gradient);
        if (n_logits == 1 || change > 0.3) MOE_L(moe_logistic_precondition)(task, work, strength);
        const double missing = change * accuracy; /* about what this step moves */
        accuracy = change < 0.25 ? change : 0.25;
        if (accuracy * missing < 5e-8) accuracy = 5e-8 / missing < 0.25 ? 5e-8 / missing : 0.25;
        MOE_L(moe_logistic_newton)(task, work, strength, accuracy);
        MOE_L(moe_product)(work->step, work->turned, work->width, n_logits, (int32_t)stride, 0, work->moved);
        const double slope = MOE_L(moe_product_dot)(work->gradient.cells, work->step.cells, size);
        double length = 1.0, next = 0.0;
        for (int halving = 0; halving < 40; halving++, length *= 0.5) {
            for (int64_t c = 0; c < size; c++)
                work->rest.cells[c] = work->theta.cells[c] + length * work->step.cells[c];
            for (int32_t l = 0; l < n_logits; l++)
                for (int32_t i = 0; i < n; i++)
                    work->other.cells[l * stride + i] =
                        work->decision.cells[l * stride + i] + length * work->moved.cells[l * stride + i];
            next = MOE_L(moe_logistic_loss)(task, work, work->other, work->chance) +
                   MOE_L(moe_logistic_penalty)(work, work->rest, strength);
            if (next <= value + 1e-4 * length * slope + 1e-14 * fabs(value)) break;
        }
        change = 0.0;
        for (int32_t l = 0; l < n_logits; l++)
            for (int32_t i = 0; i < n; i++) {
                const double by = length * fabs(work->moved.cells[l * stride + i]);
                change = by > change ? by : change;
            }
        memcpy(work->theta.cells, work->rest.cells, sizeof(double) * (size_t)size);
        memcpy(work->decision.cells, work->other.cells, sizeof(double) * (size_t)(n_logits * stride));
        value = next;
    } /* end: for turn */
}

static void MOE_L(moe_logistic_answers)(const moe_judges_plan_t *plan, const moe_judges_task_t *task, uint8_t *buffer,
                                        double *answers)
{
    const int32_t n = task->n_learn, intercept = plan->whole[0] != 0;
    moe_rows_t rows;
    moe_logistic_t work;
    moe_logistic_lay(buffer, task, &rows, &work);
    MOE_L(moe_logistic_weigh)(plan, task, &work);
    MOE_L(moe_rows_gather)(task, &rows);
    if (intercept) MOE_L(moe_rows_centre)(&rows, work.weights);
    MOE_L(moe_rows_reduce)(&rows);
    work.n_penalised = rows.width;
    work.width = rows.width + intercept;
    memset(work.design.cells, 0, sizeof(double) * (size_t)(n * work.design.stride));
    for (int32_t i = 0; i < n; i++) {
        double *row = work.design.cells + i * work.design.stride;
        for (int32_t f = 0; f < rows.width; f++) row[f] = rows.solved.cells[i * rows.solved.stride + f];
        if (intercept) row[rows.width] = 1.0;
    }
    MOE_L(moe_product_transpose)(work.design, n, work.width, work.turned);
    memset(work.solution.cells, 0, sizeof(double) * (size_t)(work.width * work.solution.stride));
    if (work.n_logits > 0) {
        MOE_L(moe_logistic_descend)(task, &work, 1.0 / plan->real[0]);
        for (int32_t c = 0; c < task->n_classes; c++)
            for (int32_t f = 0; work.logit[c] >= 0 && f < work.width; f++)
                work.solution.cells[f * work.solution.stride + c] =
                    work.theta.cells[f * work.theta.stride + work.logit[c]];
    }
    for (int32_t c = 0; intercept && c < task->n_classes; c++)
        work.intercepts[c] += work.solution.cells[rows.width * work.solution.stride + c];
    MOE_L(moe_rows_expand)(&rows, work.solution);
    if (intercept) MOE_L(moe_rows_centre_asked)(task, &rows);
    MOE_L(moe_rows_answer)(task, &rows, work.intercepts, answers);
    MOE_L(moe_rows_probabilities)(task->n_ask, task->n_classes, answers);
}
