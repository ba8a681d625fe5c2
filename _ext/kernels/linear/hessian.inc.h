/* hessian: the approximate Hessian H0 of logistic regression (linear/logistic.h). A template: see base/levels.inc.h.
 *
 * H0 is block-diagonal: a block design' diag(w p (1 - p)) design + strength I for each logit, or their mean for all.
 */

/* Return the weight of a row in a block: at least 1e-10 of its own, so that H0 stays regular where p is 0 or 1. */
static MOE_INLINE double MOE_L(moe_hessian_weight)(double weight, double variance)
{
    return weight * (variance > 1e-10 ? variance : 1e-10);
}

/* Add design' diag(factors) design of n_rows rows from `begin` on to `gram`. O(n_rows width^2). */
static void MOE_L(moe_hessian_add)(const moe_logistic_t *work, int32_t begin, int32_t n_rows, const double *factors,
                                   moe_matrix_t gram)
{
    const int64_t stride = work->design.stride;
    const moe_matrix_t design = {work->design.cells + begin * stride, stride};
    for (int32_t i = 0; i < n_rows; i++)
        for (int64_t f = 0; f < stride; f++)
            work->weighed.cells[i * stride + f] = factors[i] * design.cells[i * stride + f];
    MOE_L(moe_product)(design, work->weighed, n_rows, work->width, (int32_t)stride,
                       MOE_PRODUCT_UPPER | MOE_PRODUCT_ADD, gram, NULL);
}

/* Set the sums of all blocks to 0. */
static void MOE_L(moe_hessian_clear)(const moe_logistic_t *work)
{
    const int64_t stride = work->design.stride;
    if (work->by_blocks)
        memset(work->blocks.cells, 0, sizeof(double) * (size_t)(work->n_logits * work->width * stride));
    else
        memset(work->gram.cells, 0, sizeof(double) * (size_t)(work->width * stride));
}

/* Add the rows of a tile, with probabilities work->prob. With equal probabilities 1 / L of L logits the Hessian acts as
 * 1 / L design' W design on gradients, which sum to 0 over the logits; hence the division by L - 1 instead of L. */
static void MOE_L(moe_hessian_add_tile)(const moe_logistic_t *work, int32_t begin, int32_t n_rows, int is_uniform)
{
    const int32_t n_logits = work->n_logits;
    const double *weights = work->weights + begin;
    double *factors = work->total;
    if (work->by_blocks) {
        for (int32_t l = 0; l < n_logits; l++) {
            const double *prob = work->prob.cells + l * work->prob.stride;
            const moe_matrix_t block = {work->blocks.cells + l * work->width * work->design.stride,
                                        work->design.stride};
            for (int32_t i = 0; i < n_rows; i++)
                factors[i] = MOE_L(moe_hessian_weight)(weights[i], prob[i] * (1.0 - prob[i]));
            MOE_L(moe_hessian_add)(work, begin, n_rows, factors, block);
        }
        return;
    }
    for (int32_t i = 0; i < n_rows; i++) factors[i] = 0.0;
    for (int32_t l = 0; l < n_logits; l++) {
        const double *prob = work->prob.cells + l * work->prob.stride;
        for (int32_t i = 0; i < n_rows; i++) factors[i] += prob[i] * (1.0 - prob[i]);
    }
    const double fraction = is_uniform && n_logits > 1 ? 1.0 / (n_logits - 1) : 1.0 / n_logits;
    for (int32_t i = 0; i < n_rows; i++)
        factors[i] = MOE_L(moe_hessian_weight)(weights[i], factors[i] * fraction);
    MOE_L(moe_hessian_add)(work, begin, n_rows, factors, work->gram);
}

/* Factorise each block a = u' u in place; blocks are the lanes. The diagonal of u is stored as its reciprocal; rows
 * with a negligible pivot become 0. O(n^3 n_lanes / 6). */
static void MOE_L(moe_hessian_factor_lanes)(double *a /* [n, n, n_lanes] */, int32_t n, int64_t n_lanes)
{
    for (int32_t j = 0; j < n; j++)
        for (int64_t begin = 0; begin < n_lanes; begin += 8) {
            double factors[8];
            double *pivot = a + ((int64_t)j * n + j) * n_lanes + begin;
            for (int l = 0; l < 8; l++) factors[l] = 1e-14 * pivot[l];
            for (int32_t c = j; c < n; c++) {
                double *cell = a + ((int64_t)j * n + c) * n_lanes + begin;
                double sums[8];
                for (int l = 0; l < 8; l++) sums[l] = cell[l];
                for (int32_t above = 0; above < j; above++) {
                    const double *left = a + ((int64_t)above * n + j) * n_lanes + begin;
                    const double *right = a + ((int64_t)above * n + c) * n_lanes + begin;
                    for (int l = 0; l < 8; l++) sums[l] -= left[l] * right[l];
                }
                if (c == j)
                    for (int l = 0; l < 8; l++) factors[l] = sums[l] > factors[l] ? 1.0 / sqrt(sums[l]) : 0.0;
                for (int l = 0; l < 8; l++) cell[l] = sums[l] * factors[l];
            }
            for (int l = 0; l < 8; l++) pivot[l] = factors[l]; /* the reciprocal, for the solver */
        }
}

/* Solve u' u x = b in place, in each lane. O(n^2 n_lanes). */
static void MOE_L(moe_hessian_solve_lanes)(const double *u /* [n, n, n_lanes] */, int32_t n, int64_t n_lanes,
                                           double *b /* [n, n_lanes] */)
{
    for (int64_t begin = 0; begin < n_lanes; begin += 8) {
        double *own = b + begin;
        for (int32_t j = 0; j < n; j++) {
            const double *factors = u + ((int64_t)j * n + j) * n_lanes + begin;
            double sums[8];
            for (int l = 0; l < 8; l++) sums[l] = own[j * n_lanes + l];
            for (int32_t above = 0; above < j; above++) {
                const double *left = u + ((int64_t)above * n + j) * n_lanes + begin;
                for (int l = 0; l < 8; l++) sums[l] -= left[l] * own[above * n_lanes + l];
            }
            for (int l = 0; l < 8; l++) own[j * n_lanes + l] = sums[l] * factors[l];
        }
        for (int32_t j = n - 1; j >= 0; j--) {
            const double *factors = u + ((int64_t)j * n + j) * n_lanes + begin;
            double sums[8];
            for (int l = 0; l < 8; l++) sums[l] = own[j * n_lanes + l];
            for (int32_t below = j + 1; below < n; below++) {
                const double *left = u + ((int64_t)j * n + below) * n_lanes + begin;
                for (int l = 0; l < 8; l++) sums[l] -= left[l] * own[below * n_lanes + l];
            }
            for (int l = 0; l < 8; l++) own[j * n_lanes + l] = sums[l] * factors[l];
        }
    }
}

/* Add the penalty to the blocks and factorise them. */
static void MOE_L(moe_hessian_factorise)(const moe_logistic_t *work, double strength)
{
    const int32_t width = work->width;
    const int64_t stride = work->design.stride, n_lanes = work->factors.stride;
    if (!work->by_blocks) {
        for (int32_t f = 0; f < work->n_penalised; f++) work->gram.cells[f * stride + f] += strength;
        MOE_L(moe_factor)(work->gram, width, 1e-14, work->poll);
        return;
    }
    memset(work->factors.cells, 0, sizeof(double) * (size_t)(width * width * n_lanes));
    for (int32_t f = 0; f < width; f++)
        for (int32_t g = f; g < width; g++) {
            double *to = work->factors.cells + ((int64_t)f * width + g) * n_lanes;
            const double *from = work->blocks.cells + f * stride + g, more = f == g && f < work->n_penalised ? strength
                                                                                                         : 0.0;
            for (int32_t l = 0; l < work->n_logits; l++) to[l] = from[l * width * stride] + more;
        }
    MOE_L(moe_hessian_factor_lanes)(work->factors.cells, width, n_lanes);
}

/* Compute to = H0^-1 from, for each logit. */
static void MOE_L(moe_hessian_solve)(const moe_logistic_t *work, moe_matrix_t from, moe_matrix_t to)
{
    MOE_L(moe_product_transpose)(from, work->n_logits, work->width, work->transposed);
    if (work->by_blocks)
        MOE_L(moe_hessian_solve_lanes)(work->factors.cells, work->width, work->factors.stride, work->transposed.cells);
    else {
        MOE_L(moe_factor_forward)(work->gram, work->width, work->transposed, work->poll);
        MOE_L(moe_factor_backward)(work->gram, work->width, work->transposed, work->poll);
    }
    MOE_L(moe_product_transpose)(work->transposed, work->width, work->n_logits, to);
}
