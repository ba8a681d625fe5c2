/* bayes: log likelihoods and probabilities (judges/bayes.h). A template: see base/levels.inc.h. */

/* Copy the joint log likelihoods of n_rows rows to their answers: they have their maximum at the same class as the
 * probabilities. Where one is NaN, because squares have overflowed, write 0 for all classes. */
static MOE_INLINE void MOE_L(moe_bayes_write_logs)(const double *joint /* IN [C, stride] */, int32_t stride,
                                                   int32_t n_rows, int32_t C, const int32_t *rows /* as for softmax */,
                                                   double *answers /* OUT [.., C] */)
{
    for (int64_t t = 0; t < n_rows; t++) {
        double *row = answers + (int64_t)(rows ? rows[t] : t) * C;
        int known = 1;
        for (int64_t c = 0; c < C; c++) {
            row[c] = joint[c * stride + t];
            known &= row[c] == row[c];
        }
        for (int64_t c = 0; !known && c < C; c++) row[c] = 0.0;
    }
}

/* Write the probabilities of n_rows rows: p_c = exp(joint_c - max) / sum over classes of the same. */
static MOE_INLINE void MOE_L(moe_bayes_softmax)(double *joint /* IN and scratch [C, stride] */, int32_t stride,
                                                int32_t n_rows, int32_t C,
                                                const int32_t *rows /* [n_rows] in `answers`; NULL: 0, 1, .. */,
                                                double *answers /* OUT [.., C] */)
{
    for (int32_t begin = 0; begin < n_rows; begin += MOE_BAYES_TILE) {
        const int32_t n = n_rows - begin < MOE_BAYES_TILE ? n_rows - begin : MOE_BAYES_TILE;
        double largest[MOE_BAYES_TILE], sums[MOE_BAYES_TILE];
        for (int32_t t = 0; t < n; t++) {
            largest[t] = -HUGE_VAL;
            sums[t] = 0.0;
        }
        for (int64_t c = 0; c < C; c++) {
            const double *part = joint + c * stride + begin;
            for (int32_t t = 0; t < n; t++) largest[t] = part[t] > largest[t] ? part[t] : largest[t];
        }
        for (int64_t c = 0; c < C; c++) {
            double *part = joint + c * stride + begin;
            for (int32_t t = 0; t < n; t++) {
                part[t] = moe_elementary_exp(part[t] - largest[t]);
                sums[t] += part[t];
            }
        }
        for (int64_t c = 0; c < C; c++) {
            double *part = joint + c * stride + begin;
            for (int32_t t = 0; t < n; t++) /* uniform if squares have overflowed */
                part[t] = moe_elementary_choose(sums[t] > 0.0, part[t] / sums[t], 1.0 / C);
        }
        for (int32_t t = 0; t < n; t++) {
            double *row = answers + (int64_t)(rows ? rows[begin + t] : begin + t) * C;
            for (int64_t c = 0; c < C; c++) row[c] = joint[c * stride + begin + t];
        }
    }
}

/* Give equal probabilities to all classes with a row besides position `without` of work->rows (-1: all count). */
static MOE_INLINE void MOE_L(moe_bayes_uniform)(const int32_t *starts, int32_t C, int32_t without,
                                                double *answer /* OUT [C] */)
{
    double present = 0.0;
    for (int32_t c = 0; c < C; c++) {
        int32_t count = starts[c + 1] - starts[c] - (without >= starts[c] && without < starts[c + 1]);
        answer[c] = count > 0;
        present += answer[c];
    }
    for (int32_t c = 0; c < C; c++) answer[c] /= present;
}

/* Sum log(2 pi x[i]) over n variances. */
static MOE_INLINE double MOE_L(moe_bayes_log_sum)(const double *x, int32_t n)
{
    double sums[MOE_SCALING_LANES] = {0}, sum = 0.0;
    int32_t i = 0;
    for (; i + MOE_SCALING_LANES <= n; i += MOE_SCALING_LANES)
        for (int l = 0; l < MOE_SCALING_LANES; l++) sums[l] += moe_elementary_log(MOE_BAYES_TWO_PI * x[i + l]);
    for (int l = 0; i < n; i++, l++) sums[l] += moe_elementary_log(MOE_BAYES_TWO_PI * x[i]);
    for (int l = 0; l < MOE_SCALING_LANES; l++) sum += sums[l];
    return sum;
}

#undef MOE_DOUBLES
#undef MOE_WIDTH
#if MOE_HAS_VECTORS
#define MOE_DOUBLES MOE_L(moe_bayes_doubles_t)
#define MOE_WIDTH (MOE_BYTES / 8)
typedef double MOE_DOUBLES __attribute__((vector_size(MOE_BYTES), aligned(8), may_alias));
#else
#define MOE_DOUBLES double
#define MOE_WIDTH 1
#endif

/* Compute the means of MOE_WIDTH features over the rows of a class, and the sums of squared deviations from them. Lanes
 * are features, so that a class of few rows costs little; rows go to four running sums in turn. */
static MOE_INLINE void MOE_L(moe_bayes_moments)(const double *rows /* IN [count, LANES] */, int32_t count,
                                                double *means /* OUT [WIDTH] */, double *squares /* OUT [WIDTH] */)
{
    MOE_DOUBLES mean, sums[4], parts[4], square;
    memset(&mean, 0, sizeof mean);
    for (int pass = 0; pass < 2; pass++) {
        int32_t i = 0;
        memset(sums, 0, sizeof sums);
        memset(parts, 0, sizeof parts);
        for (; i + 4 <= count; i += 4)
            for (int r = 0; r < 4; r++) {
                const MOE_DOUBLES d = *(const MOE_DOUBLES *)(rows + (i + r) * (int64_t)MOE_BAYES_LANES) - mean;
                sums[r] += d;
                if (pass) parts[r] += d * d;
            }
        for (int r = 0; r < 3; r++)
            if (i + r < count) {
                const MOE_DOUBLES d = *(const MOE_DOUBLES *)(rows + (i + r) * (int64_t)MOE_BAYES_LANES) - mean;
                sums[r] += d;
                if (pass) parts[r] += d * d;
            }
        const MOE_DOUBLES remainder = (sums[0] + sums[2]) + (sums[1] + sums[3]);
        square = (parts[0] + parts[2]) + (parts[1] + parts[3]) - remainder * remainder / (double)count;
        mean += remainder / (double)count; /* the second pass corrects the rounding of the first */
    }
    memcpy(means, &mean, sizeof mean);
    memcpy(squares, &square, sizeof square);
}

/* Learn work->means and work->variances of each class and feature, from rows without weights. Return the largest sum
 * over all rows of a feature's squared deviations from its overall mean. */
static MOE_INLINE double MOE_L(moe_bayes_learn)(const moe_judges_task_t *task, const moe_bayes_work_t *work,
                                                double *spreads /* OUT [k] this sum of each feature, or NULL */)
{
    const int32_t n = task->n_learn, C = task->n_classes, k = task->n_features;
    double largest = 0.0, means[MOE_BAYES_LANES], squares[MOE_BAYES_LANES];
    for (int32_t f = 0; f < k; f += MOE_BAYES_LANES) {
        const int32_t n_lanes = k - f < MOE_BAYES_LANES ? k - f : MOE_BAYES_LANES;
        if (moe_poll_stops(task->poll, (int64_t)n * MOE_BAYES_LANES)) return largest;
        double mean[MOE_BAYES_LANES] = {0}, between[MOE_BAYES_LANES] = {0}, totals[MOE_BAYES_LANES] = {0};
        int32_t n_before = 0; /* rows in the classes before c */
        const double *column[MOE_BAYES_LANES];
        for (int l = 0; l < MOE_BAYES_LANES; l++)
            column[l] = task->learn + (int64_t)(f + (l < n_lanes ? l : 0)) * n;
        for (int32_t i = 0; i < n; i++)
            for (int l = 0; l < MOE_BAYES_LANES; l++)
                work->column[(int64_t)i * MOE_BAYES_LANES + l] = column[l][work->rows[i]];
        for (int64_t c = 0; c < C; c++) {
            const int32_t begin = work->starts[c], count = work->starts[c + 1] - begin;
            if (!count) continue;
            const double *own = work->column + (int64_t)begin * MOE_BAYES_LANES;
            for (int l = 0; l < MOE_BAYES_LANES; l += MOE_WIDTH)
                MOE_L(moe_bayes_moments)(own + l, count, means + l, squares + l);
            for (int l = 0; l < MOE_BAYES_LANES; l++) squares[l] = squares[l] > 0.0 ? squares[l] : 0.0;
            for (int l = 0; l < n_lanes; l++) {
                work->means[c * k + f + l] = means[l];
                work->variances[c * k + f + l] = squares[l] / count;
            }
            for (int l = 0; l < MOE_BAYES_LANES; l++) { /* merge class c: `mean` covers the rows so far */
                const double d = means[l] - mean[l], fraction = (double)count / (n_before + count);
                mean[l] += d * fraction;
                between[l] += n_before ? d * d * fraction * n_before : 0.0; /* d * d may overflow */
                totals[l] += squares[l];
            }
            n_before += count;
        }
        for (int l = 0; l < n_lanes; l++) largest = totals[l] + between[l] > largest ? totals[l] + between[l] : largest;
        for (int l = 0; spreads && l < n_lanes; l++) spreads[f + l] = totals[l] + between[l];
    }
    return largest;
}

/* Compute joint = constant - 1/2 sum_f (x_f - mean_f)^2 / variance_f of a class for MOE_WIDTH * n_registers rows. */
static MOE_INLINE void MOE_L(moe_bayes_block)(const double *x, const int32_t *columns, int64_t stride, int32_t k,
                                              const double *means, const double *inverses, double constant,
                                              int n_registers, double *joint /* OUT */)
{
    MOE_DOUBLES sums[MOE_BAYES_REGISTERS];
    memset(sums, 0, sizeof sums);
    for (int32_t f = 0; f < k; f++) {
        const double *column = x + columns[f] * stride;
        for (int r = 0; r < n_registers; r++) {
            const MOE_DOUBLES d = *(const MOE_DOUBLES *)(column + r * MOE_WIDTH) - means[f];
            sums[r] += d * d * inverses[f];
        }
    }
    for (int r = 0; r < n_registers; r++) *(MOE_DOUBLES *)(joint + r * MOE_WIDTH) = constant - 0.5 * sums[r];
}

/* Compute the same for any n rows. The last register may overlap the one before: equal values are written twice. */
static MOE_INLINE void MOE_L(moe_bayes_joint)(const double *x, const int32_t *columns, int64_t stride, int32_t n,
                                              int32_t k, const double *means, const double *inverses, double constant,
                                              double *joint /* OUT [n] */)
{
    const int32_t most = MOE_BAYES_REGISTERS * MOE_WIDTH;
    int32_t t = 0;
    for (; t + most <= n; t += most)
        MOE_L(moe_bayes_block)(x + t, columns, stride, k, means, inverses, constant, MOE_BAYES_REGISTERS, joint + t);
    for (; t + MOE_WIDTH <= n; t += MOE_WIDTH)
        MOE_L(moe_bayes_block)(x + t, columns, stride, k, means, inverses, constant, 1, joint + t);
    if (t < n && n > MOE_WIDTH) {
        t = n - MOE_WIDTH;
        MOE_L(moe_bayes_block)(x + t, columns, stride, k, means, inverses, constant, 1, joint + t);
        return;
    }
    for (; t < n; t++) {
        double sum = 0.0;
        for (int32_t f = 0; f < k; f++) {
            const double d = x[columns[f] * stride + t] - means[f];
            sum += d * d * inverses[f];
        }
        joint[t] = constant - 0.5 * sum;
    }
}

#undef MOE_DOUBLES
#undef MOE_WIDTH

/* Compute the same by division, for variances too small to have a finite inverse. */
static MOE_INLINE void MOE_L(moe_bayes_joint_tiny)(const double *x, const int32_t *columns, int64_t stride, int32_t n,
                                                   int32_t k, const double *means, const double *variances,
                                                   double constant, double *joint /* OUT [n] */)
{
    for (int32_t t = 0; t < n; t++) {
        double sum = 0.0;
        for (int32_t f = 0; f < k; f++) {
            const double d = x[columns[f] * stride + t] - means[f];
            sum += d * d / variances[f];
        }
        joint[t] = constant - 0.5 * sum;
    }
}

/* Learn the same from rows with weights, and the fraction of the weight in each class, in work->constants. The sum that
 * is returned counts each row once: scikit-learn smooths by the unweighted variance. */
static MOE_INLINE double MOE_L(moe_bayes_learn_weighted)(const moe_judges_task_t *task, const moe_bayes_work_t *work)
{
    const int32_t n = task->n_learn, C = task->n_classes, *labels = task->labels;
    const int64_t k = task->n_features;
    const double *weights = task->weights;
    double largest = 0.0, total = 0.0, *sums = work->constants;
    memset(sums, 0, sizeof(double) * (size_t)C);
    memset(work->means, 0, sizeof(double) * (size_t)C * (size_t)k);
    memset(work->variances, 0, sizeof(double) * (size_t)C * (size_t)k);
    for (int32_t i = 0; i < n; i++) {
        sums[labels[i]] += weights[i];
        total += weights[i];
    }
    for (int64_t f = 0; f < k; f++) {
        const double *x = task->learn + f * n;
        if (moe_poll_stops(task->poll, n)) return largest;
        const double square = MOE_L(moe_scaling_moments)(x, n, n).square;
        largest = square > largest ? square : largest;
        for (int32_t i = 0; i < n; i++) work->means[labels[i] * k + f] += weights[i] * x[i];
        for (int64_t c = 0; c < C; c++)
            if (sums[c] > 0.0) work->means[c * k + f] /= sums[c];
        for (int32_t i = 0; i < n; i++) {
            const double d = x[i] - work->means[labels[i] * k + f];
            work->variances[labels[i] * k + f] += weights[i] * (d * d);
        }
        for (int64_t c = 0; c < C; c++)
            if (sums[c] > 0.0) work->variances[c * k + f] /= sums[c];
    }
    for (int64_t c = 0; c < C; c++) sums[c] /= total;
    return largest;
}

/* Predict the rows of task->ask, in whose columns `columns` the features are, from means and variances; `largest` is
 * what learning has returned. work->variances is overwritten. O(n_ask k C). */
static MOE_INLINE void MOE_L(moe_bayes_predict)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                const moe_bayes_work_t *work, double largest, const int32_t *columns,
                                                double *answers)
{
    const int32_t n = task->n_learn, n_ask = task->n_ask, C = task->n_classes, k = task->n_features;
    const double epsilon = plan->real[0] * (largest / n);
    int tiny = 0;
    for (int64_t c = 0; c < C; c++) {
        double *variances = work->variances + c * k;
        const int32_t count = work->starts[c + 1] - work->starts[c];
        const double prior = task->weights ? work->constants[c] : (double)count / n;
        work->constants[c] = -HUGE_VAL;
        if (!(prior > 0.0)) continue;
        for (int32_t f = 0; f < k; f++) variances[f] += epsilon;
        work->constants[c] = moe_elementary_log(plan->priors ? plan->priors[c] : prior);
        if (!(largest > 0.0)) continue;
        work->constants[c] -= 0.5 * MOE_L(moe_bayes_log_sum)(variances, k);
        for (int32_t f = 0; f < k; f++) tiny |= variances[f] < MOE_BAYES_TINY;
    }
    for (int64_t c = 0; !tiny && c < C; c++)
        for (int64_t f = 0; work->constants[c] > -HUGE_VAL && f < k; f++)
            work->variances[c * k + f] = 1.0 / work->variances[c * k + f];
    for (int32_t begin = 0; begin < n_ask; begin += MOE_BAYES_TILE) {
        const int32_t n_rows = n_ask - begin < MOE_BAYES_TILE ? n_ask - begin : MOE_BAYES_TILE;
        double *out = answers + (int64_t)begin * C;
        if (moe_poll_stops(task->poll, (int64_t)n_rows * C * k / 4)) return;
        if (!(largest > 0.0)) {
            for (int64_t t = 0; t < n_rows; t++) MOE_L(moe_bayes_uniform)(work->starts, C, -1, out + t * C);
            continue;
        }
        for (int64_t c = 0; c < C; c++) {
            double *joint = work->joint + c * MOE_BAYES_TILE;
            const double constant = work->constants[c], *means = work->means + c * k, *own = work->variances + c * k;
            const double *x = task->ask + begin;
            const int32_t n_used = constant > -HUGE_VAL ? k : 0;
            if (tiny)
                MOE_L(moe_bayes_joint_tiny)(x, columns, n_ask, n_rows, n_used, means, own, constant, joint);
            else
                MOE_L(moe_bayes_joint)(x, columns, n_ask, n_rows, n_used, means, own, constant, joint);
        }
        if (plan->only_argmax)
            MOE_L(moe_bayes_write_logs)(work->joint, MOE_BAYES_TILE, n_rows, C, NULL, out);
        else
            MOE_L(moe_bayes_softmax)(work->joint, MOE_BAYES_TILE, n_rows, C, NULL, out);
    }
}

/* See judges/bayes.h. */
static inline void MOE_L(moe_bayes_learn_shared)(const moe_judges_task_t *task, const moe_bayes_shared_t *shared)
{
    MOE_L(moe_bayes_learn)(task, &shared->work, shared->spreads);
}

/* Predict with a subset of the features whose moments are in `shared`; copy these into `work`. */
static inline void MOE_L(moe_bayes_answer_subset)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                  const moe_bayes_shared_t *shared, const int32_t *columns,
                                                  const moe_bayes_work_t *work, double *answers)
{
    const int64_t C = task->n_classes, k = task->n_features, n_shared = shared->n_features;
    double largest = 0.0;
    for (int64_t f = 0; f < k; f++)
        largest = shared->spreads[columns[f]] > largest ? shared->spreads[columns[f]] : largest;
    for (int64_t c = 0; c < C; c++)
        for (int64_t f = 0; f < k; f++) {
            work->means[c * k + f] = shared->work.means[c * n_shared + columns[f]];
            work->variances[c * k + f] = shared->work.variances[c * n_shared + columns[f]];
        }
    memcpy(work->starts, shared->work.starts, sizeof(int32_t) * (size_t)(C + 1));
    MOE_L(moe_bayes_predict)(plan, task, work, largest, columns, answers);
}

/* *joint -= (log(2 pi v) + (d factor)^2 / v) / 2, the term of a feature, with v = variance factor^2 + epsilon. */
static MOE_INLINE void MOE_L(moe_bayes_deduct)(double d, double variance, double factor, double epsilon, double *joint)
{
    double smooth = variance * factor * factor + epsilon;
    d *= factor;
    *joint -= 0.5 * (moe_elementary_log(MOE_BAYES_TWO_PI * smooth) + d * d / smooth);
}

/* Predict each training row from all others: a first pass over features for epsilon, a second for log likelihoods. */
static MOE_INLINE void MOE_L(moe_bayes_leave_one_out)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                      const moe_bayes_work_t *work, double *answers)
{
    const int32_t n = task->n_learn, C = task->n_classes, k = task->n_features;
    const double others = n - 1;
    double *column = work->column, *means = work->means, *squares = work->variances;
    double *factors = work->factors, *epsilons = work->epsilons;
    for (int32_t i = 0; i < n; i++) epsilons[i] = -1.0; /* until a feature varies */
    for (int32_t f = 0; f < k; f++) {
        if (moe_poll_stops(task->poll, n)) return;
        for (int32_t i = 0; i < n; i++) column[i] = task->learn[(int64_t)f * n + work->rows[i]];
        MOE_L(moe_scaling_factors)(plan->scaling, column, n, means, factors);
        moe_scaling_moments_t all = MOE_L(moe_scaling_moments)(column, n, n);
        MOE_L(moe_scaling_leave_one_out)(column, n, &all, means, squares);
        for (int32_t i = 0; i < n; i++) {
            double epsilon = plan->real[0] * (squares[i] / others) * factors[i] * factors[i];
            epsilons[i] = squares[i] > 0.0 && epsilon > epsilons[i] ? epsilon : epsilons[i];
        }
    }
    for (int64_t c = 0; c < C; c++) {
        double count = work->starts[c + 1] - work->starts[c], *joint = work->joint + c * n;
        double other = moe_elementary_log(plan->priors ? plan->priors[c] : count / others);
        double own = moe_elementary_log(plan->priors && count > 1 ? plan->priors[c] : (count - 1) / others);
        if (count == 0) other = -HUGE_VAL;
        for (int32_t i = 0; i < n; i++) joint[i] = i >= work->starts[c] && i < work->starts[c + 1] ? own : other;
    }
    for (int32_t f = 0; f < k; f++) {
        if (moe_poll_stops(task->poll, n)) return;
        for (int32_t i = 0; i < n; i++) column[i] = task->learn[(int64_t)f * n + work->rows[i]];
        MOE_L(moe_scaling_factors)(plan->scaling, column, n, means, factors);
        for (int64_t c = 0; c < C; c++) {
            const int32_t begin = work->starts[c], end = work->starts[c + 1], count = end - begin;
            double *joint = work->joint + c * n;
            if (!count) continue;
            if (moe_poll_stops(task->poll, n)) return;
            moe_scaling_moments_t moments = MOE_L(moe_scaling_moments)(column + begin, count, count);
            const double mean = moments.mean, variance = moments.square / count;
            for (int32_t i = 0; i < begin; i++)
                MOE_L(moe_bayes_deduct)(column[i] - mean, variance, factors[i], epsilons[i], joint + i);
            for (int32_t i = end; i < n; i++)
                MOE_L(moe_bayes_deduct)(column[i] - mean, variance, factors[i], epsilons[i], joint + i);
            if (count == 1) continue;
            MOE_L(moe_scaling_leave_one_out)(column + begin, count, &moments, means, squares);
            for (int32_t i = begin; i < end; i++)
                MOE_L(moe_bayes_deduct)(column[i] - means[i - begin], squares[i - begin] / (count - 1), factors[i],
                                        epsilons[i], joint + i);
        }
    }
    if (plan->only_argmax)
        MOE_L(moe_bayes_write_logs)(work->joint, n, n, C, work->rows, answers);
    else
        MOE_L(moe_bayes_softmax)(work->joint, n, n, C, work->rows, answers);
    for (int32_t i = 0; i < n; i++)
        if (epsilons[i] < 0.0) MOE_L(moe_bayes_uniform)(work->starts, C, i, answers + (int64_t)work->rows[i] * C);
}

static inline void MOE_L(moe_bayes_answers)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                            const moe_bayes_work_t *work, double *answers)
{
    if (plan->leave_one_out) {
        MOE_L(moe_bayes_leave_one_out)(plan, task, work, answers);
        return;
    }
    const double largest = task->weights ? MOE_L(moe_bayes_learn_weighted)(task, work)
                                         : MOE_L(moe_bayes_learn)(task, work, NULL);
    for (int32_t f = 0; f < task->n_features; f++) work->columns[f] = f;
    MOE_L(moe_bayes_predict)(plan, task, work, largest, work->columns, answers);
}
