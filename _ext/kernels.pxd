# The only place that declares the C kernels; the headers hold their contracts.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef extern from "base/base.h" nogil:
    int base_level "moe_base_level"() noexcept

cdef extern from "base/buffers.h" nogil:
    void *buffers_next "moe_buffers_next"(uint8_t *buffer, int64_t size, int64_t *at) noexcept

cdef extern from "base/poll.h" nogil:
    const int64_t POLL_SLICE "MOE_POLL_SLICE"
    ctypedef struct poll_t "moe_poll_t":
        int (*ask)(void *caller) noexcept nogil
        void *caller
        int64_t left
        int stopped
    int poll_stops "moe_poll_stops"(poll_t *, int64_t n) noexcept

cdef extern from "draw/draw.h" nogil:
    const uint32_t DRAW_SAMPLE "MOE_DRAW_SAMPLE"
    ctypedef struct address_t "moe_address_t":
        uint64_t[2] seed
        uint64_t population
        uint32_t purpose
        uint32_t generation
    ctypedef struct stream_t "moe_stream_t":
        pass
    stream_t draw_open "moe_draw_open"(address_t, uint32_t individual, uint32_t test) noexcept
    uint64_t draw_word "moe_draw_word"(stream_t *) noexcept
    double draw_unit "moe_draw_unit"(stream_t *) noexcept
    uint64_t draw_below "moe_draw_below"(stream_t *, uint64_t n) noexcept
    void draw_split "moe_draw_split"(stream_t *, const int32_t *class_start, const int32_t *n_validation,
                                     int32_t n_classes, uint8_t *marks) noexcept
    void draw_instances "moe_draw_instances"(stream_t *, int32_t n_samples, int32_t n_instances, int32_t first,
                                             int32_t n, int replace, uint8_t *marks, int32_t *instances) noexcept

cdef extern from "bits/bits.h" nogil:
    int bits_get "moe_bits_get"(const uint64_t *, int64_t f) noexcept
    void bits_set "moe_bits_set"(uint64_t *, int64_t f) noexcept
    int64_t bits_padded "moe_bits_padded"(const uint64_t *, int64_t n, int64_t n_features) noexcept
    int32_t bits_count "moe_bits_count"(const uint64_t *, int64_t n_words) noexcept
    int32_t bits_hamming "moe_bits_hamming"(const uint64_t *, const uint64_t *, int64_t n_words) noexcept
    int32_t bits_list "moe_bits_list"(const uint64_t *, int64_t n_words, const int32_t *features,
                                      int32_t *selected) noexcept
    ctypedef struct bits_table_t "moe_bits_table_t":
        uint64_t *hashes
        int32_t *slots
        int64_t n_slots
    int64_t bits_slots "moe_bits_slots"(int64_t n) noexcept
    int32_t bits_find_or_insert "moe_bits_find_or_insert"(const bits_table_t *, int32_t i, int64_t n_words,
                                                          const uint64_t *) noexcept

cdef extern from "vary/vary.h" nogil:
    ctypedef struct vary_options_t "moe_vary_options_t":
        int32_t selection
        int32_t tournament_size
        int32_t crossover
        double crossover_rate
        const uint64_t *flip_limits
        int32_t n_flip_limits
    ctypedef struct vary_limits_t "moe_vary_limits_t":
        int64_t least
        int64_t most
        const int32_t *weights
        const uint64_t *witness
    int32_t vary_select "moe_vary_select"(stream_t *, const double *fitness, const double *cumulative, int32_t n,
                                          int32_t selection, int32_t tournament_size) noexcept
    void vary_random "moe_vary_random"(stream_t *, int64_t n_features, int64_t count, uint64_t *bits) noexcept
    int64_t vary_weight "moe_vary_weight"(const vary_limits_t *, int64_t n_words, const uint64_t *bits) noexcept
    void vary_repair "moe_vary_repair"(stream_t *, int64_t n_features, const vary_limits_t *, uint64_t *bits) noexcept
    ctypedef struct vary_parents_t "moe_vary_parents_t":
        const uint64_t *bits
        const double *fitness
        const double *cumulative
        int64_t n_features
        int32_t n
    void vary_mate "moe_vary_mate"(stream_t *, const vary_parents_t *, const vary_options_t *, const vary_limits_t *,
                                   uint64_t *picked, uint64_t *child_a, uint64_t *child_b) noexcept
    int vary_distinct "moe_vary_distinct"(stream_t *, int32_t i, int64_t n_features, int64_t n_flips, int32_t tries,
                                          const vary_limits_t *, const bits_table_t *, uint64_t *picked,
                                          uint64_t *population) noexcept

cdef extern from "vary/steer.h" nogil:
    ctypedef struct vary_prior_t "moe_vary_prior_t":
        const double *weights
        const int32_t *sizes
        double share
        int64_t n_features
    ctypedef struct vary_steering_t "moe_vary_steering_t":
        uint64_t *free
        uint64_t *out
        double *reached
        int32_t *pool
    void vary_steer "moe_vary_steer"(address_t, uint32_t individual, const vary_prior_t *, const uint64_t *elders,
                                     const vary_steering_t *, uint64_t *bits) noexcept

cdef extern from "dominance/rank.h" nogil:
    enum:
        RANK_WORDS "MOE_RANK_WORDS"
    void rank_dominance "moe_rank_dominance"(const double *objectives, int32_t n, int32_t n_objectives,
                                             int32_t *rank) noexcept
    void rank_by_orders "moe_rank_by_orders"(const double *objectives, int32_t n, int32_t n_objectives,
                                             const int32_t *orders, const int32_t *lexical, uint64_t *above,
                                             int32_t *rank, poll_t *poll) noexcept
    void rank_dominated "moe_rank_dominated"(const double *points, const double *by, int32_t n, int32_t n_by,
                                             int32_t n_objectives, uint8_t *dominated, poll_t *poll) noexcept
    void rank_fitness "moe_rank_fitness"(const int32_t *rank, int32_t n, int32_t *counts,
                                         double *fitness) noexcept

cdef extern from "dominance/crowd.h" nogil:
    void crowd_fronts "moe_crowd_fronts"(const double *objectives, int32_t n, int32_t n_objectives,
                                         const int32_t *order, int32_t *latest, int32_t *before,
                                         int32_t *front, poll_t *poll) noexcept
    void crowd_add "moe_crowd_add"(const double *objectives, int32_t n, int32_t n_objectives, int32_t m,
                                   const int32_t *front, const int32_t *order, double *distance) noexcept
    void crowd_places "moe_crowd_places"(const int32_t *front, const double *distance, const int32_t *order, int32_t n,
                                         int32_t *place) noexcept

cdef extern from "niche/distance.h" nogil:
    ctypedef struct space_t "moe_niche_space_t":
        const double *d2
        const uint64_t *bits
        const double *objectives
        const double *ranges
        int64_t n_features
        int32_t n_objectives
        int32_t n
    void niche_matrix "moe_niche_matrix"(const space_t *, double *d2, poll_t *poll) noexcept
    void niche_ranges "moe_niche_ranges"(const double *objectives, int32_t n, int32_t n_objectives,
                                         double *ranges) noexcept

cdef extern from "niche/cluster.h" nogil:
    int64_t niche_max_hamming "moe_niche_max_hamming"(int64_t n_features, double sigma) noexcept
    void niche_near "moe_niche_near"(const space_t *, double sigma, uint64_t *near, poll_t *poll) noexcept
    int32_t niche_clusters "moe_niche_clusters"(const uint64_t *near, int32_t n, int32_t capacity, int32_t *work,
                                                uint64_t *members, poll_t *poll) noexcept

cdef extern from "niche/sharing.h" nogil:
    void niche_cluster_fitness "moe_niche_cluster_fitness"(
        const space_t *, const double *fitness, const uint64_t *members, int32_t n_clusters, double sigma,
        double alpha, int32_t *work, double *shared, poll_t *poll) noexcept
    void niche_count_fitness "moe_niche_count_fitness"(const space_t *, const double *fitness, const int32_t *rank,
                                                       double sigma, double alpha, double *shared,
                                                       poll_t *poll) noexcept
    void niche_distance_fitness "moe_niche_distance_fitness"(const space_t *, const double *fitness,
                                                             double *shared, poll_t *poll) noexcept
    void niche_normalise "moe_niche_normalise"(const double *fitness, const double *shared, const int32_t *rank,
                                               int32_t n, int by_mean, double *sums, int32_t *counts,
                                               double *normalised) noexcept

cdef extern from "relief/relief.h" nogil:
    enum:
        RELIEF_LANES "MOE_RELIEF_LANES"
    int relief_in_unit "moe_relief_in_unit"(const float *row, int32_t n_samples) noexcept
    int32_t relief_invalid_hits "moe_relief_invalid_hits"(const int32_t *hits_from, const int32_t *hits_to,
                                                          int32_t n_samples) noexcept
    ctypedef struct relief_samples_t "moe_relief_samples_t":
        const float *values
        const int32_t *hits_from
        const int32_t *hits_to
        int64_t stride
        int32_t n_samples
    ctypedef struct relief_sum_t "moe_relief_sum_t":
        double sum
        int64_t counted
    void relief_add "moe_relief_add"(const relief_samples_t *, const int32_t *selected, int32_t k,
                                     const int32_t *instances, int32_t n_instances, int32_t level, uint8_t *work,
                                     relief_sum_t *) noexcept
    double relief_mean "moe_relief_mean"(const relief_sum_t *, int32_t k) noexcept
    int64_t relief_size "moe_relief_size"(int64_t n_samples, int64_t k, int64_t n_instances) noexcept

cdef extern from "binning/table.h" nogil:
    enum:
        TABLE_TILE "MOE_TABLE_TILE"
    ctypedef struct table_t "moe_table_t":
        const uint8_t *cells
        const int64_t *rows
        int64_t row_step
        int64_t column_step
        int32_t n_samples
        int32_t width
    void table_gather "moe_table_gather"(const table_t *, int64_t first, int32_t n_columns, int64_t stride,
                                         double *columns, poll_t *poll) noexcept

cdef extern from "binning/codes.h" nogil:
    enum:
        CODES_MAX "MOE_CODES_MAX"
    ctypedef struct column_t "moe_column_t":
        double low
        double high
        int32_t n_known
        int32_t n_distinct
        int32_t n_codes
    void codes_sort "moe_codes_sort"(const double *column, int32_t n_samples, int order_width, uint64_t *words,
                                     uint64_t *spare, void *order, column_t *found, poll_t *poll) noexcept
    ctypedef struct codes_widths_t "moe_codes_widths_t":
        int order
        int code
        int value
    void codes_assign "moe_codes_assign"(const double *column, const void *order, int32_t n_samples,
                                         const column_t *found, const codes_widths_t *, void *codes, void *lower,
                                         void *upper, poll_t *poll) noexcept
    void codes_scale "moe_codes_scale"(const double *column, int32_t n_samples, const column_t *found,
                                       float *values, poll_t *poll) noexcept

cdef extern from "tree/types.h" nogil:
    enum:
        TREE_PAD "MOE_TREE_PAD"
    ctypedef struct data_t "moe_data_t":
        const void *codes
        const void *order
        const void *lower
        const void *upper
        const int64_t *offset
        const uint8_t *counted
        const uint16_t *labels
        const int64_t *target
        const double *reciprocal
        const float *rise
        const float *fall
        int32_t n_features
        int32_t n_samples
        int32_t n_classes
        int32_t code_width
        int32_t order_width
        int32_t value_width
        int32_t entry_width
        int32_t id_bits
        int32_t label_bits
        int32_t level
    ctypedef struct stopping_t "moe_stopping_t":
        int32_t max_depth
        int32_t min_samples_split
        int32_t min_samples_leaf
    ctypedef struct training_t "moe_training_t":
        const data_t *data
        const uint8_t *marks
        const int32_t *features
        const stopping_t *stopping
        int32_t k
        int32_t n_train
    ctypedef struct node_t "moe_node_t":
        int32_t feature
        int32_t left
        int32_t code
        int32_t missing
        int32_t label
    ctypedef struct tree_t "moe_tree_t":
        node_t *nodes
        double *thresholds
        int32_t *node_counts
        double *means
        int32_t *sizes
    ctypedef struct queued_t "moe_queued_t":
        pass

cdef extern from "tree/workspace.h" nogil:
    ctypedef struct workspace_t "moe_workspace_t":
        poll_t *poll
    int64_t max_nodes "moe_workspace_max_nodes"(int64_t n_train) noexcept
    int64_t lay_tree "moe_workspace_lay"(uint8_t *buffer, const data_t *, int64_t n_train, int64_t k, int64_t max_depth,
                                         workspace_t *work) noexcept
    int64_t lay_columns "moe_workspace_lay_columns"(uint8_t *buffer, const data_t *, int64_t n_train, int64_t k,
                                                    workspace_t *work) noexcept
    int64_t lay_own "moe_workspace_lay_own"(uint8_t *buffer, const data_t *, int64_t n_train, int64_t n_largest,
                                            int64_t k, int64_t max_depth, workspace_t *work) noexcept

cdef extern from "tree/histogram.h" nogil:
    enum:
        HISTOGRAM_CODES "MOE_HISTOGRAM_CODES"

cdef extern from "tree/grower.h" nogil:
    int32_t grow_tree "moe_grower_grow"(const training_t *, workspace_t *, const tree_t *) noexcept

cdef extern from "tree/scope.h" nogil:
    enum:
        SCOPE_MANY "MOE_SCOPE_MANY"

cdef extern from "tree/batch.h" nogil:
    ctypedef struct batch_t "moe_batch_t":
        const data_t *data
        const stopping_t *stopping
        const uint8_t *marks
        const uint64_t *const *bits
        const int32_t *features
        int64_t n_words
        int32_t n_members
        int32_t n_train
        uint8_t wanted
        int32_t n_asked
        const int32_t *places
        int smooth
        poll_t *poll
    ctypedef struct batch_answers_t "moe_batch_answers_t":
        const double *shares
        const int32_t *counts
        const int32_t *leaves
        const int32_t *n_leaves_of
        const int32_t *leaf_of
        int32_t n_leaves
    ctypedef struct batch_work_t "moe_batch_work_t":
        const int32_t *hits
        batch_answers_t answers
    ctypedef struct batch_sizes_t "moe_batch_sizes_t":
        int64_t n_train
        int64_t n_asked
        int64_t k
        int64_t n_features
        int64_t n_words
        int64_t n_members
        int64_t max_depth
    int64_t batch_members "moe_batch_members"(const data_t *, const batch_sizes_t *) noexcept
    int64_t batch_lay "moe_batch_lay"(uint8_t *buffer, const data_t *, const batch_sizes_t *,
                                      batch_work_t *) noexcept
    void grow_batch "moe_grower_batch"(const batch_t *, batch_work_t *) noexcept

cdef extern from "tree/steps.h" nogil:
    enum:
        STEPS_FILL "MOE_STEPS_FILL"
        STEPS_ESTIMATE "MOE_STEPS_ESTIMATE"
        STEPS_TRY "MOE_STEPS_TRY"
        STEPS_MARK "MOE_STEPS_MARK"
        STEPS_PARTITION "MOE_STEPS_PARTITION"
        STEPS_SUBTREE "MOE_STEPS_SUBTREE"
    ctypedef struct subtree_t "moe_parallel_subtree_t":
        int32_t start
        int32_t end
    ctypedef struct parallel_t "moe_parallel_t":
        training_t training
        tree_t tree
        int32_t alone
        workspace_t columns
        int32_t n_nodes
        int32_t n_subtrees
        const subtree_t *subtrees
        const int32_t *by_size
    int64_t lay_parallel "moe_parallel_lay"(uint8_t *buffer, const data_t *, int64_t n_train, int64_t k, int64_t alone,
                                            parallel_t *grower) noexcept
    void steps_task "moe_steps_task"(parallel_t *, int step, int32_t task, workspace_t *) noexcept
    void steps_root "moe_steps_root"(parallel_t *) noexcept
    int32_t steps_frontier "moe_steps_frontier"(parallel_t *) noexcept
    int32_t steps_promising "moe_steps_promising"(parallel_t *) noexcept
    int32_t steps_choose "moe_steps_choose"(parallel_t *) noexcept
    int32_t steps_split "moe_steps_split"(parallel_t *) noexcept
    void steps_place "moe_steps_place"(parallel_t *) noexcept
    int32_t steps_number "moe_steps_number"(const parallel_t *, int32_t *numbers, int32_t *below) noexcept
    void steps_move_top "moe_steps_move_top"(const parallel_t *, const int32_t *numbers, const int32_t *below,
                                             const tree_t *tree) noexcept
    void steps_move_subtree "moe_steps_move_subtree"(const parallel_t *, const int32_t *below, int32_t b,
                                                     const tree_t *tree) noexcept

cdef extern from "tree/predictor.h" nogil:
    int32_t predict_label "moe_predictor_label"(const data_t *, const node_t *, int64_t sample) noexcept
    int32_t predict_leaf "moe_predictor_leaf"(const node_t *, const double *thresholds, const double *sample) noexcept
    int64_t predictor_size "moe_predictor_size"(const data_t *, int64_t n_train) noexcept

cdef extern from "tree/score.h" nogil:
    double score_recall "moe_score_recall"(const data_t *, const int32_t *hits, const int32_t *class_start,
                                           const uint8_t *marks, uint8_t wanted) noexcept
    double score_uar "moe_score_uar"(const data_t *, const node_t *, int32_t n_nodes, const int32_t *class_start,
                                     const uint8_t *marks, uint8_t wanted, uint8_t *work) noexcept
    double score_r2 "moe_score_r2"(const data_t *, const node_t *, int32_t n_nodes, const double *means,
                                   const uint8_t *marks, uint8_t wanted, uint8_t *work) noexcept
    double score_r2_of "moe_score_r2_of"(const data_t *, const double *means, const int32_t *places,
                                         const uint8_t *marks, uint8_t wanted) noexcept

cdef extern from "judges/types.h" nogil:
    enum:
        LEARN "MOE_JUDGES_LEARN"
        ASK "MOE_JUDGES_ASK"
        NEITHER "MOE_JUDGES_NEITHER"

cdef extern from "tree/shares.h" nogil:
    ctypedef struct shares_t "moe_shares_t":
        const data_t *data
        const tree_t *tree
        const uint8_t *marks
        const int32_t *places
        int32_t n_nodes
    ctypedef struct shares_scale_t "moe_shares_scale_t":
        double centre
        double low
        double high
        int exponent
    void shares_classes "moe_shares_classes"(const shares_t *, int smooth, double *answers, uint8_t *work) noexcept
    double shares_value "moe_shares_value"(const shares_scale_t *, double mean) noexcept
    void shares_means "moe_shares_means"(const shares_t *, const shares_scale_t *, double *answers,
                                         uint8_t *work) noexcept

cdef extern from "scores/score.h" nogil:
    enum:
        SCORES_UAR "MOE_SCORES_UAR"
        SCORES_ACCURACY "MOE_SCORES_ACCURACY"
        SCORES_F1 "MOE_SCORES_F1"
        SCORES_F1_MACRO "MOE_SCORES_F1_MACRO"
        SCORES_MATTHEWS "MOE_SCORES_MATTHEWS"
        SCORES_ROC_AUC "MOE_SCORES_ROC_AUC"
        SCORES_ROC_AUC_OVR "MOE_SCORES_ROC_AUC_OVR"
        SCORES_ROC_AUC_OVR_WEIGHTED "MOE_SCORES_ROC_AUC_OVR_WEIGHTED"
        SCORES_ROC_AUC_OVO "MOE_SCORES_ROC_AUC_OVO"
        SCORES_ROC_AUC_OVO_WEIGHTED "MOE_SCORES_ROC_AUC_OVO_WEIGHTED"
        SCORES_AVERAGE_PRECISION "MOE_SCORES_AVERAGE_PRECISION"
        SCORES_NEG_LOG_LOSS "MOE_SCORES_NEG_LOG_LOSS"
        SCORES_NEG_BRIER "MOE_SCORES_NEG_BRIER"
        SCORES_SOFT_UAR "MOE_SCORES_SOFT_UAR"
        SCORES_R2 "MOE_SCORES_R2"
        SCORES_NEG_SQUARED "MOE_SCORES_NEG_SQUARED"
        SCORES_NEG_ROOT_SQUARED "MOE_SCORES_NEG_ROOT_SQUARED"
        SCORES_NEG_ABSOLUTE "MOE_SCORES_NEG_ABSOLUTE"
        N_SCORES "MOE_SCORES"
    ctypedef struct scores_task_t "moe_scores_task_t":
        const double *answers
        const int32_t *labels
        const double *target
        const uint8_t *learnt
        int32_t n
        int32_t n_classes
        int32_t positive
        int32_t decisions
        const int32_t *groups
        const int32_t *counts
        const int32_t *group_of
        const double *losses
        int32_t n_groups
    void losses_of_groups "moe_losses_of_groups"(int32_t score, const scores_task_t *, int64_t n_groups,
                                                 double *losses) noexcept
    int64_t score_size "moe_score_size"(int64_t n, int64_t n_classes) noexcept
    double score_value "moe_score_value"(int32_t score, const scores_task_t *, uint8_t *work) noexcept

cdef extern from "forest/grower.h" nogil:
    ctypedef struct forest_node_t "moe_forest_node_t":
        double threshold
        int32_t feature
        int32_t left
        int32_t other
        int32_t size
    ctypedef struct share_t "moe_forest_share_t":
        double share
        int32_t label
        int32_t count
    ctypedef struct forest_plan_t "moe_forest_plan_t":
        const data_t *data
        const int64_t *rows
        const int32_t *learn
        const int32_t *features
        int32_t n_learn
        int32_t n_features
        address_t address
        stopping_t stopping
        int32_t n_drawn
        int32_t min_weight
        int32_t n_tried
        const int32_t *weights
        const void *values
    ctypedef struct forest_tree_t "moe_forest_tree_t":
        forest_node_t *nodes
        double *gains
        share_t *shares
        uint64_t *drawn
        int32_t n_nodes
        int32_t n_shares
    ctypedef struct forest_work_t "moe_forest_work_t":
        pass
    int64_t forest_max_samples "moe_forest_max_samples"(const forest_plan_t *) noexcept
    int64_t lay_forest "moe_forest_lay"(uint8_t *buffer, const forest_plan_t *, forest_work_t *work) noexcept
    void forest_values "moe_forest_values"(const data_t *, int64_t feature, void *values) noexcept
    void forest_clear "moe_forest_clear"(const forest_plan_t *, forest_work_t *) noexcept
    void forest_grow "moe_forest_grow"(const forest_plan_t *, uint32_t number, poll_t *, forest_work_t *,
                                       forest_tree_t *) noexcept
    void forest_importances "moe_forest_importances"(const forest_tree_t *, double *own, double *importances) noexcept

cdef extern from "forest/judge.h" nogil:
    ctypedef struct forest_asked_t "moe_forest_asked_t":
        const uint8_t *marks
        int32_t *votes
        const int32_t *places
        const shares_scale_t *scale
        int32_t n_trees
        int32_t n_ask
        poll_t *poll
    int64_t lay_forest_judge "moe_forest_judge_lay"(uint8_t *buffer, const forest_plan_t *, forest_work_t *work,
                                                    forest_tree_t *tree) noexcept
    void forest_judge "moe_forest_judge"(const forest_plan_t *, const forest_asked_t *, uint8_t *buffer,
                                         double *answers) noexcept

cdef extern from "forest/predictor.h" nogil:
    enum:
        WALK_WORD "MOE_PREDICTOR_WORD"
    ctypedef struct walk_t "moe_forest_walk_t":
        const forest_node_t *nodes
        const int64_t *node_start
        const share_t *shares
        const int64_t *share_start
        const uint64_t *drawn
        const double *samples
        int64_t n_words
        int64_t n_samples
        int64_t n_features
        int64_t n_outputs
        int64_t n_block
        int32_t n_trees
        int32_t is_checked
    int forest_walk "moe_forest_walk"(const walk_t *, int64_t block, double *sums, int32_t *n_votes) noexcept

cdef extern from "judges/types.h" nogil:
    const int32_t JUDGES_BAYES "MOE_JUDGES_BAYES"
    const int32_t JUDGES_NEIGHBOURS "MOE_JUDGES_NEIGHBOURS"
    const int32_t JUDGES_RIDGE "MOE_JUDGES_RIDGE"
    const int32_t JUDGES_LEAST_SQUARES "MOE_JUDGES_LEAST_SQUARES"
    const int32_t JUDGES_DISCRIMINANT "MOE_JUDGES_DISCRIMINANT"
    const int32_t JUDGES_LOGISTIC "MOE_JUDGES_LOGISTIC"
    const int32_t JUDGES_SVM "MOE_JUDGES_SVM"
    const int32_t JUDGES "MOE_JUDGES"
    const int32_t SCALING_NONE "MOE_SCALING_NONE"
    const int32_t SCALING_STANDARD "MOE_SCALING_STANDARD"
    const int32_t SCALING_RANGE "MOE_SCALING_RANGE"
    ctypedef struct judges_plan_t "moe_judges_plan_t":
        int32_t judge
        int32_t scaling
        int32_t leave_one_out
        int32_t level
        int32_t only_argmax
        int32_t decision_values
        int32_t[4] whole
        double[4] real
        const double *priors

cdef extern from "linear/discriminant.h" nogil:
    const int32_t DISCRIMINANT_SVD "MOE_DISCRIMINANT_SVD"
    const int32_t DISCRIMINANT_LSQR "MOE_DISCRIMINANT_LSQR"
    const int32_t DISCRIMINANT_AUTO "MOE_DISCRIMINANT_AUTO"

cdef extern from "answers/answers.h" nogil:
    ctypedef struct answers_data_t "moe_answers_data_t":
        const double *table
        const int32_t *labels
        const double *target
        const double *weights
        int32_t n_samples
        int32_t n_classes
    ctypedef struct answers_split_t "moe_answers_split_t":
        const int32_t *learn
        const int32_t *ask
        int32_t n_learn
        int32_t n_ask
    int answers_decisions "moe_answers_decisions"(const judges_plan_t *) noexcept
    int64_t answers_size "moe_answers_size"(const answers_data_t *, const judges_plan_t *, const answers_split_t *,
                                            int32_t k) noexcept
    void answers_fill "moe_answers_fill"(const answers_data_t *, const judges_plan_t *, const answers_split_t *,
                                         const int32_t *selected, int32_t k, uint8_t *work, poll_t *,
                                         double *answers) noexcept

cdef extern from "answers/together.h" nogil:
    enum:
        TOGETHER_MAX_BYTES "MOE_TOGETHER_MAX_BYTES"
    ctypedef struct together_t "moe_together_t":
        pass
    int64_t together_lay_out "moe_together_lay_out"(uint8_t *buffer, const answers_data_t *, const judges_plan_t *,
                                                    const answers_split_t *, int64_t n_words, int32_t n_all,
                                                    int32_t k, together_t *, int64_t *size_made) noexcept
    int together_is_supported "moe_together_is_supported"(const answers_data_t *, const judges_plan_t *) noexcept
    int32_t together_features "moe_together_features"(int64_t n_members, int64_t k, int64_t n_features) noexcept
    int64_t together_members "moe_together_members"(const answers_data_t *, const judges_plan_t *,
                                                    const answers_split_t *, int32_t k, int64_t n_features,
                                                    int64_t n_members) noexcept
    void together_learn "moe_together_learn"(const answers_data_t *, const judges_plan_t *, const answers_split_t *,
                                             const uint64_t *const *bits, int32_t n_members, int64_t n_words,
                                             const int32_t *features, uint8_t *buffer, together_t *) noexcept
    void together_fill "moe_together_fill"(together_t *, const uint64_t *bits, int64_t n_words,
                                           const int32_t *selected, int32_t k, poll_t *, double *answers) noexcept
