/* hessian: what logistic regression takes for its Hessian (linear/logistic.h). A template: see base/levels.inc.h. */

/* What rows are multiplied by for a block: a row that is certain keeps a little, so that each direction has a step. */
static MOE_INLINE double MOE_L(moe_hessian_weight)(double weight, double variance)
{
    return weight * (variance > 1e-10 ? variance : 1e-10);
}

/* gram += design' factors design, of some rows of a tile. */
static void MOE_L(moe_hessian_add)(const moe_logistic_t *work, int32_t begin, int32_t n_rows, const double *factors,
                                   moe_matrix_t gram)
{
    const int64_t stride = work->design.stride;
    const moe_matrix_t design = {work->design.cells + begin * stride, stride};
    for (int32_t i = 0; i < n_rows; i++)
        for (int64_t f = 0; f < stride; f++)
            work->weighed.cells[i * stride + f] = factors[i] * design.cells[i * stride + f];
    MOE_L(moe_product)(design, work->weighed, n_rows, work->width, (int32_t)stride,
                       MOE_PRODUCT_UPPER | MOE_PRODUCT_MORE, gram, NULL);
}

static void MOE_L(moe_hessian_begin)(const moe_logistic_t *work)
{
    const int64_t stride = work->design.stride;
    if (work->by_blocks)
        memset(work->parts.cells, 0, sizeof(double) * (size_t)(work->n_logits * work->width * stride));
    else
        memset(work->gram.cells, 0, sizeof(double) * (size_t)(work->width * stride));
}

/* Add the rows of a tile, with the probabilities in work->chance. Where all of them are the same, the mean block is
 * that of the Hessian which the gradients of all logits together meet. */
static void MOE_L(moe_hessian_tile)(const moe_logistic_t *work, int32_t begin, int32_t n_rows, int level_chances)
{
    const int32_t n_logits = work->n_logits;
    const double *weights = work->weights + begin;
    double *factors = work->total;
    if (work->by_blocks) {
        for (int32_t l = 0; l < n_logits; l++) {
            const double *chance = work->chance.cells + l * work->chance.stride;
            const moe_matrix_t part = {work->parts.cells + l * work->width * work->design.stride, work->design.stride};
            for (int32_t i = 0; i < n_rows; i++)
                factors[i] = MOE_L(moe_hessian_weight)(weights[i], chance[i] * (1.0 - chance[i]));
            MOE_L(moe_hessian_add)(work, begin, n_rows, factors, part);
        }
        return;
    }
    for (int32_t i = 0; i < n_rows; i++) factors[i] = 0.0;
    for (int32_t l = 0; l < n_logits; l++) {
        const double *chance = work->chance.cells + l * work->chance.stride;
        for (int32_t i = 0; i < n_rows; i++) factors[i] += chance[i] * (1.0 - chance[i]);
    }
    const double share = level_chances && n_logits > 1 ? 1.0 / (n_logits - 1) : 1.0 / n_logits;
    for (int32_t i = 0; i < n_rows; i++)
        factors[i] = MOE_L(moe_hessian_weight)(weights[i], factors[i] * share);
    MOE_L(moe_hessian_add)(work, begin, n_rows, factors, work->gram);
}

/* Factors of all blocks, whose cells are lanes: a = u' u, in place. Rows whose pivot is lost become 0. */
static void MOE_L(moe_hessian_factor)(double *a /* [n, n, n_lanes] */, int32_t n, int64_t n_lanes)
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
            for (int l = 0; l < 8; l++) pivot[l] = factors[l]; /* what is solved for is multiplied by it */
        }
}

/* Solve u' u x = b in place, in each lane. */
static void MOE_L(moe_hessian_lanes)(const double *u /* [n, n, n_lanes] */, int32_t n, int64_t n_lanes,
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

/* Factors of what was added up. */
static void MOE_L(moe_hessian_end)(const moe_logistic_t *work, double strength)
{
    const int32_t width = work->width;
    const int64_t stride = work->design.stride, n_lanes = work->blocks.stride;
    if (!work->by_blocks) {
        for (int32_t f = 0; f < work->n_penalised; f++) work->gram.cells[f * stride + f] += strength;
        MOE_L(moe_factor)(work->gram, width, 1e-14, work->ear);
        return;
    }
    memset(work->blocks.cells, 0, sizeof(double) * (size_t)(width * width * n_lanes));
    for (int32_t f = 0; f < width; f++)
        for (int32_t g = f; g < width; g++) {
            double *to = work->blocks.cells + ((int64_t)f * width + g) * n_lanes;
            const double *from = work->parts.cells + f * stride + g, more = f == g && f < work->n_penalised ? strength
                                                                                                         : 0.0;
            for (int32_t l = 0; l < work->n_logits; l++) to[l] = from[l * width * stride] + more;
        }
    MOE_L(moe_hessian_factor)(work->blocks.cells, width, n_lanes);
}

/* to = what stands for the inverse Hessian times from. */
static void MOE_L(moe_hessian_solve)(const moe_logistic_t *work, moe_matrix_t from, moe_matrix_t to)
{
    MOE_L(moe_product_transpose)(from, work->n_logits, work->width, work->turned);
    if (work->by_blocks)
        MOE_L(moe_hessian_lanes)(work->blocks.cells, work->width, work->blocks.stride, work->turned.cells);
    else {
        MOE_L(moe_factor_forward)(work->gram, work->width, work->turned, work->ear);
        MOE_L(moe_factor_backward)(work->gram, work->width, work->turned, work->ear);
    }
    MOE_L(moe_product_transpose)(work->turned, work->width, work->n_logits, to);
}
