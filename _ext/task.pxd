# One task of an evaluation: a subset on one split, or the separability of a subset.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from kernels cimport (ASK, DRAW_SAMPLE, LEARN, SCOPE_MANY, SCORES_NEG_BRIER, SCORES_NEG_LOG_LOSS, SCORES_R2,
                      SCORES_SOFT_UAR, SCORES_UAR, address_t, answers_data_t, answers_decisions, answers_fill,
                      answers_size, answers_split_t, batch_answers_t, batch_lay, batch_members, batch_sizes_t, batch_t,
                      batch_work_t, bits_list, buffers_next, data_t, draw_instances, draw_open, draw_split, draw_word,
                      forest_asked_t, forest_judge, forest_plan_t, forest_tree_t, forest_work_t, grow_batch, grow_tree,
                      judges_plan_t, lay_forest_judge, lay_tree, losses_of_groups, max_nodes, node_t, poll_stops,
                      poll_t, predictor_size, relief_add, relief_mean, relief_samples_t, relief_size, relief_sum_t,
                      score_r2, score_r2_of, score_recall, score_size, score_uar, score_value, scores_task_t,
                      shares_classes, shares_means, shares_scale_t, shares_t, shares_value, stopping_t, stream_t,
                      together_features, together_fill, together_lay_out, together_learn, together_members, together_t,
                      training_t, tree_t, workspace_t)


# The purpose under which forests draw their seeds: `Purpose.FOREST`.
cdef enum:
    OF_FORESTS = 20


# A forest as a judge: trees that are grown on the samples to learn from.
cdef struct forest_t:
    forest_plan_t plan         # without samples, features and numbers of draws
    const int32_t *tried       # [max_k] features drawn at a node of a subset of 1, 2, ... features
    const int32_t *drawn       # [n_splits, or 1 of drawn ones] samples of a tree
    int32_t n_trees
    bint seeded                # plan.address.seed is the user's, the same for every forest
    bint out_of_bag            # trees answer for the samples that they have not drawn, of all


# How many times faster a tree of a batch is than the rough seconds of a tree, which are rounded up.
cdef enum:
    SAVED = 8


cdef struct job_t:
    # one call of `Evaluator.evaluate`, as every task sees it
    const data_t *data
    const stopping_t *stopping
    relief_samples_t samples
    const int32_t *class_start
    const int32_t *n_validation
    const uint8_t *given       # [n_splits, n_samples] parts of fixed splits, or NULL: splits are drawn
    const int32_t *n_learn     # [n_splits] samples to learn from, of fixed splits
    const int32_t *sample_of   # [n_samples] the sample of each row of the caller's table
    const double *target       # [n_samples] of the samples, in the caller's units, or NULL
    shares_scale_t scale
    const judges_plan_t *plan  # of a judge in place of the tree, or NULL
    const forest_t *forest     # a forest in place of the tree, or NULL
    answers_data_t judged      # data of the judge, in the order of the caller's table
    const uint64_t *bits
    const int32_t *features
    const int32_t *individuals
    const int32_t *by_size
    const int32_t *sizes
    relief_sum_t *sums         # of each separability
    address_t address
    int64_t n_words, n_positions, max_k
    int64_t n_batch            # subsets that a task evaluates together, 0 = one by one
    double tree_seconds, instance_seconds  # rough, for each feature of a subset
    int32_t n, n_strata, n_splits, n_instances
    int32_t n_train, n_ask     # most samples to learn from, and to answer for, of a split
    int32_t score, positive    # see scores/types.h
    int32_t first, n_now       # instances of this round: n_now from the first
    bint shared, replace


cdef struct scratch_t:
    # scratch of one task, laid out over its thread's row of the workspace
    int32_t *selected
    uint8_t *marks
    double *answers     # [n_ask, n_classes]; of a batch of trees: losses
    int32_t *places     # [n_samples] the row of the answer for each sample
    int32_t *labels
    double *target
    uint8_t *learnt
    uint8_t *scoring
    int32_t *learn      # of a judge: rows to learn from, ascending
    int32_t *ask        # rows to answer for, ascending
    uint8_t *judge      # workspace of a judge, for one subset or a batch
    uint8_t *forest     # workspace of a forest
    int32_t *votes      # out of bag: trees that answer for each sample
    uint8_t *tree       # workspace of a tree
    node_t *nodes
    int32_t *counts
    double *means
    uint8_t *paths
    uint64_t **members  # of a batch: its chromosomes
    batch_work_t batch
    int32_t *instances  # of a separability
    uint8_t *relief


cdef inline bint by_nodes(const job_t *job) noexcept nogil:
    """Return True if the score comes from the nodes of a tree, without answers: UAR, and R2 on drawn splits."""
    return job.plan == NULL and job.forest == NULL and (
        job.score == SCORES_UAR or (job.score == SCORES_R2 and job.given == NULL))


cdef inline bint by_losses(const job_t *job) noexcept nogil:
    """Return True if the score is a mean of a loss of each row."""
    return job.score == SCORES_NEG_LOG_LOSS or job.score == SCORES_NEG_BRIER or job.score == SCORES_SOFT_UAR


cdef inline batch_sizes_t batch_sizes(const job_t *job, int64_t n_members) noexcept nogil:
    """Return the sizes of the largest batch of `n_members` subsets."""
    cdef int64_t n_asked = job.n_ask if job.data.target != NULL or not by_nodes(job) else 0
    return batch_sizes_t(job.n_train, n_asked, job.max_k, job.n_positions, job.n_words,
                         n_members, job.stopping.max_depth)


cdef inline int64_t together(const job_t *job) noexcept nogil:
    """Return the most subsets of the same split that one task can evaluate; 0 = one by one."""
    cdef batch_sizes_t sizes = batch_sizes(job, job.n)
    cdef answers_split_t split = answers_split_t(NULL, NULL, job.n_train, job.n_ask)
    cdef int64_t n_members
    if job.forest != NULL or (job.plan == NULL and job.data.n_classes > SCOPE_MANY):
        return 0
    if job.plan != NULL:
        n_members = together_members(&job.judged, job.plan, &split, <int32_t>job.max_k, job.n_positions, job.n)
    else:
        n_members = batch_members(job.data, &sizes)
    return n_members if n_members > 1 else 0


cdef inline int64_t lay_out(const job_t *job, bint is_tree, uint8_t *buffer, scratch_t *scratch) noexcept nogil:
    """Lay the scratch of a tree, or of a separability, over `buffer` (may be NULL) and return its size in bytes."""
    cdef int64_t n_samples = job.data.n_samples, n_train = job.n_train, k = job.max_k, at = 0
    cdef int64_t n_nodes = max_nodes(n_train), n_classes = job.data.n_classes
    cdef bint regression = job.data.target != NULL
    cdef bint asked = is_tree and (not by_nodes(job) or (regression and job.n_batch > 0))
    cdef int64_t n_ask = job.n_ask if asked else 0, n_listed = n_ask + 1 if asked else 0, n_answers = n_ask
    cdef workspace_t work
    cdef answers_split_t split
    cdef batch_sizes_t sizes
    cdef forest_plan_t plan
    cdef forest_work_t grown
    cdef forest_tree_t trees
    cdef together_t shared
    cdef int64_t size, made
    scratch.selected = <int32_t *>buffers_next(buffer, k * 4, &at)
    scratch.marks = <uint8_t *>buffers_next(buffer, n_samples, &at)
    if not is_tree:
        scratch.instances = <int32_t *>buffers_next(buffer, <int64_t>job.n_instances * 4, &at)
        scratch.relief = <uint8_t *>buffers_next(buffer, relief_size(n_samples, k, job.n_instances), &at)
        return at
    if job.n_batch and not regression and job.plan == NULL:
        n_answers = job.n_batch * n_ask if by_losses(job) else 0
    scratch.answers = <double *>buffers_next(buffer, n_answers * n_classes * 8, &at)
    scratch.places = <int32_t *>buffers_next(buffer, n_samples * 4 if asked else 0, &at)
    scratch.labels = <int32_t *>buffers_next(buffer, 0 if regression else n_listed * 4, &at)
    scratch.target = <double *>buffers_next(buffer, n_listed * 8 if regression else 0, &at)
    scratch.learnt = <uint8_t *>buffers_next(buffer, n_classes if asked else 0, &at)
    scratch.scoring = <uint8_t *>buffers_next(buffer, score_size(n_ask, n_classes) if asked else 0, &at)
    if job.plan != NULL:
        split = answers_split_t(NULL, NULL, job.n_train, job.n_ask)
        scratch.learn = <int32_t *>buffers_next(buffer, (n_train + 1) * 4, &at)
        scratch.ask = <int32_t *>buffers_next(buffer, n_listed * 4, &at)
        size = answers_size(&job.judged, job.plan, &split, <int32_t>k)
        if job.n_batch:
            scratch.members = <uint64_t **>buffers_next(buffer, job.n_batch * <int64_t>sizeof(uint64_t *), &at)
            size = together_lay_out(NULL, &job.judged, job.plan, &split, job.n_words,
                                    together_features(job.n_batch, k, job.n_positions), <int32_t>k, &shared, &made)
        scratch.judge = <uint8_t *>buffers_next(buffer, size, &at)
        return at
    if job.forest != NULL:
        plan = job.forest.plan
        plan.n_learn, plan.n_features, plan.n_drawn = <int32_t>n_train, <int32_t>k, 0
        scratch.learn = <int32_t *>buffers_next(buffer, n_train * 4, &at)
        scratch.forest = <uint8_t *>buffers_next(buffer, lay_forest_judge(NULL, &plan, &grown, &trees), &at)
        scratch.votes = <int32_t *>buffers_next(buffer, n_ask * 4, &at)
        return at
    if job.n_batch:
        scratch.members = <uint64_t **>buffers_next(buffer, job.n_batch * <int64_t>sizeof(uint64_t *), &at)
        sizes = batch_sizes(job, job.n_batch)
        return at + batch_lay(NULL if buffer == NULL else buffer + at, job.data, &sizes, &scratch.batch)
    scratch.tree = <uint8_t *>buffers_next(buffer,
                                           lay_tree(NULL, job.data, n_train, k, job.stopping.max_depth, &work), &at)
    scratch.nodes = <node_t *>buffers_next(buffer, n_nodes * <int64_t>sizeof(node_t), &at)
    scratch.counts = <int32_t *>buffers_next(buffer, n_nodes * n_classes * 4 if asked and not regression else 0, &at)
    scratch.means = <double *>buffers_next(buffer, n_nodes * 8 if regression else 0, &at)
    scratch.paths = <uint8_t *>buffers_next(buffer, predictor_size(job.data, n_train), &at)
    return at


cdef inline bint each_out(const job_t *job) noexcept nogil:
    """Return True if every sample is answered for by a model learnt without it: leave-one-out, or out of bag."""
    return (job.plan != NULL and job.plan.leave_one_out) or (job.forest != NULL and job.forest.out_of_bag)


cdef inline void mark_learnt(const job_t *job, scratch_t *scratch) noexcept nogil:
    """Mark the classes that have a training sample: samples stand class by class."""
    cdef int32_t c, s
    memset(scratch.learnt, 0, job.data.n_classes)
    for c in range(0 if job.target != NULL else job.data.n_classes):
        for s in range(job.class_start[c], job.class_start[c + 1]):
            if scratch.marks[s] == LEARN:
                scratch.learnt[c] = 1
                break


cdef inline answers_split_t list_rows(const job_t *job, scratch_t *scratch) noexcept nogil:
    """List the samples that are answered for, with their labels or targets, and for a judge the rows.

    Each row is written where the next one of a part stands, and stays there if it is of that part: a branch would be
    guessed wrong at one row in four, since splits are random. So lists have a place more than rows.
    """
    cdef bint one_out = each_out(job), judged = job.plan != NULL, regression = job.target != NULL
    cdef int32_t row, sample, n_learn = 0, n = 0
    cdef const int32_t *sample_of = job.sample_of
    cdef const uint8_t *marks = scratch.marks
    mark_learnt(job, scratch)
    for row in range(job.data.n_samples):
        sample = sample_of[row]
        if judged:
            scratch.learn[n_learn] = row
            scratch.ask[n] = row
        scratch.places[sample] = n
        if regression:
            scratch.target[n] = job.target[sample]
        else:
            scratch.labels[n] = job.data.labels[sample]
        n_learn += one_out | (marks[sample] == LEARN)
        n += one_out | (marks[sample] == ASK)
    return answers_split_t(scratch.learn, scratch.ask, n_learn, n)


cdef inline double tree_score(const job_t *job, int32_t n_train, int32_t k, scratch_t *scratch,
                              poll_t *poll) noexcept nogil:
    """Grow a tree on the samples marked `LEARN`; return UAR or R2 of those marked `ASK`, or write the answers."""
    cdef workspace_t work
    cdef training_t training = training_t(job.data, scratch.marks, scratch.selected, job.stopping, k, n_train)
    cdef bint asked = not by_nodes(job), regression = job.data.target != NULL
    cdef tree_t tree = tree_t(scratch.nodes, NULL, NULL, scratch.means, NULL)
    cdef int32_t n_nodes
    cdef shares_t shares
    if asked and not regression:
        tree.node_counts = scratch.counts
    lay_tree(scratch.tree, job.data, n_train, k, job.stopping.max_depth, &work)
    work.poll = poll
    n_nodes = grow_tree(&training, &work, &tree)
    if not asked:
        if regression:
            return score_r2(job.data, scratch.nodes, n_nodes, scratch.means, scratch.marks, ASK, scratch.paths)
        return score_uar(job.data, scratch.nodes, n_nodes, job.class_start, scratch.marks, ASK, scratch.paths)
    shares = shares_t(job.data, &tree, scratch.marks, scratch.places, n_nodes)
    if regression:
        shares_means(&shares, &job.scale, scratch.answers, scratch.paths)
    else:
        shares_classes(&shares, job.score == SCORES_SOFT_UAR, scratch.answers, scratch.paths)
    return 0.0


cdef inline void forest_answers(const job_t *job, int32_t test, uint32_t individual, int32_t n_train, int32_t n_ask,
                                int32_t k, scratch_t *scratch, poll_t *poll) noexcept nogil:
    """Grow a forest on the samples marked `LEARN`, and write the answers for those marked `ASK`."""
    cdef forest_plan_t plan = job.forest.plan
    cdef int32_t *votes = scratch.votes if job.forest.out_of_bag else NULL
    cdef forest_asked_t asked = forest_asked_t(scratch.marks, votes, scratch.places, &job.scale, job.forest.n_trees,
                                               n_ask, poll)
    cdef address_t address = job.address
    cdef stream_t stream
    cdef int32_t s, n = 0
    for s in range(job.data.n_samples):
        if scratch.marks[s] == LEARN:
            scratch.learn[n] = s
            n += 1
    plan.learn, plan.features, plan.n_learn, plan.n_features = scratch.learn, scratch.selected, n_train, k
    plan.n_tried = job.forest.tried[k - 1]
    plan.n_drawn = job.forest.drawn[test if job.given != NULL else 0]
    if not job.forest.seeded:
        address.purpose = OF_FORESTS << 8 | address.purpose
        stream = draw_open(address, individual, <uint32_t>test)
        plan.address.seed[0], plan.address.seed[1] = draw_word(&stream), draw_word(&stream)
    forest_judge(&plan, &asked, scratch.forest, scratch.answers)


cdef inline int32_t keep_answered(const job_t *job, int32_t n_ask, scratch_t *scratch) noexcept nogil:
    """Drop the samples that every tree has drawn, which no tree answers for; return the number that is left."""
    cdef int64_t n_classes = job.data.n_classes, c
    cdef int32_t i, n = 0
    for i in range(n_ask):
        if not scratch.votes[i]:
            continue
        for c in range(n_classes):
            scratch.answers[n * n_classes + c] = scratch.answers[i * n_classes + c]
        if job.target != NULL:
            scratch.target[n] = scratch.target[i]
        else:
            scratch.labels[n] = scratch.labels[i]
        n += 1
    return n


cdef inline int32_t mark_split(const job_t *job, int32_t test, stream_t *stream, scratch_t *scratch) noexcept nogil:
    """Mark the samples of a split `LEARN`, `ASK` or `NEITHER`; return the number to learn from."""
    cdef int32_t n_train = job.n_train
    cdef const uint8_t *given
    cdef int64_t s
    if job.given != NULL:
        n_train = job.n_learn[test]
        given = job.given + <int64_t>test * job.data.n_samples
        for s in range(job.data.n_samples):
            scratch.marks[s] = given[s]
    elif each_out(job):
        memset(scratch.marks, LEARN, job.data.n_samples)
    else:
        draw_split(stream, job.class_start, job.n_validation, job.n_strata, scratch.marks)
    return n_train


cdef inline double subset_score(const job_t *job, int32_t test, uint32_t individual, stream_t *stream, int32_t k,
                                scratch_t *scratch, poll_t *poll) noexcept nogil:
    """Return the score of the selected features on one split: learn from the samples marked `LEARN`, answer for those
    marked `ASK`, in the order of the caller's table, and score the answers."""
    cdef int32_t n_train = mark_split(job, test, stream, scratch)
    cdef answers_split_t split
    cdef scores_task_t task
    if by_nodes(job):
        return tree_score(job, n_train, k, scratch, poll)
    split = list_rows(job, scratch)
    if job.forest != NULL:
        forest_answers(job, test, individual, n_train, split.n_ask, k, scratch, poll)
        if job.forest.out_of_bag:
            split.n_ask = keep_answered(job, split.n_ask, scratch)
    elif job.plan == NULL:
        tree_score(job, n_train, k, scratch, poll)
    else:
        answers_fill(&job.judged, job.plan, &split, scratch.selected, k, scratch.judge, poll, scratch.answers)
    if poll != NULL and poll.stopped:
        return 0.0
    task = scores_task_t(scratch.answers, scratch.labels, scratch.target, scratch.learnt, split.n_ask,
                         job.data.n_classes, job.positive, job.plan != NULL and answers_decisions(job.plan), NULL,
                         NULL, NULL, NULL, 0)
    return score_value(job.score, &task, scratch.scoring)


cdef inline double target_score(const job_t *job, const double *means, int32_t n_ask,
                                scratch_t *scratch) noexcept nogil:
    """Return the score of a regression tree of a batch, from the mean target, in steps, of each row."""
    cdef scores_task_t task
    cdef int32_t i
    if by_nodes(job):
        return score_r2_of(job.data, means, scratch.places, scratch.marks, ASK)
    for i in range(n_ask):
        scratch.answers[i] = shares_value(&job.scale, means[i])
    task = scores_task_t(scratch.answers, scratch.labels, scratch.target, scratch.learnt, n_ask, 1, job.positive,
                         False, NULL, NULL, NULL, NULL, 0)
    return score_value(job.score, &task, scratch.scoring)


cdef inline void batch_scores(const job_t *job, int64_t number, int32_t test, scratch_t *scratch,
                              double *score, poll_t *poll) noexcept nogil:
    """Write the scores of a batch of subsets on one split: the same as one by one."""
    cdef stream_t stream = draw_open(job.address, 0, <uint32_t>test)
    cdef int64_t first = number * job.n_batch, m
    cdef int32_t n_members = <int32_t>min(job.n_batch, job.n - first)
    cdef int32_t n_train = mark_split(job, test, &stream, scratch)
    cdef batch_t batch = batch_t(job.data, job.stopping, scratch.marks, <const uint64_t *const *>scratch.members,
                                 job.features, job.n_words, n_members, n_train, ASK, 0, NULL,
                                 job.score == SCORES_SOFT_UAR, poll)
    cdef batch_answers_t *answers = &scratch.batch.answers
    cdef scores_task_t task
    for m in range(n_members):
        scratch.members[m] = <uint64_t *>job.bits + job.by_size[first + m] * job.n_words
    if job.data.target != NULL or not by_nodes(job):
        batch.n_asked = list_rows(job, scratch).n_ask
    if job.data.target != NULL or by_losses(job):
        batch.places = scratch.places
    grow_batch(&batch, &scratch.batch)
    if poll != NULL and poll.stopped:
        return
    if job.data.target != NULL:
        for m in range(n_members):
            score[job.by_size[first + m] * job.n_splits + test] = target_score(
                job, answers.shares + m * batch.n_asked, batch.n_asked, scratch)
        return
    task = scores_task_t(answers.shares, scratch.labels, NULL, scratch.learnt, batch.n_asked, job.data.n_classes,
                         job.positive, False, answers.leaves, answers.counts, answers.leaf_of, NULL, 0)
    if by_losses(job):
        losses_of_groups(job.score, &task, answers.n_leaves, scratch.answers)
        task.losses = scratch.answers
    for m in range(n_members):
        if by_nodes(job):
            score[job.by_size[first + m] * job.n_splits + test] = score_recall(
                job.data, scratch.batch.hits + m * job.data.n_classes, job.class_start, scratch.marks, ASK)
        else:
            task.n_groups = answers.n_leaves_of[m]
            score[job.by_size[first + m] * job.n_splits + test] = score_value(job.score, &task, scratch.scoring)
            task.groups += task.n
            task.group_of += task.n


cdef inline void judged_scores(const job_t *job, int64_t number, int32_t test, scratch_t *scratch,
                               double *score, poll_t *poll) noexcept nogil:
    """Write the scores by a judge of a batch of subsets on one split: the same as one by one."""
    cdef stream_t stream = draw_open(job.address, 0, <uint32_t>test)
    cdef int64_t first = number * job.n_batch, m
    cdef int32_t n_members = <int32_t>min(job.n_batch, job.n - first), k
    cdef const uint64_t *const *members = <const uint64_t *const *>scratch.members
    cdef answers_split_t split
    cdef scores_task_t task
    cdef together_t shared
    mark_split(job, test, &stream, scratch)
    split = list_rows(job, scratch)
    for m in range(n_members):
        scratch.members[m] = <uint64_t *>job.bits + job.by_size[first + m] * job.n_words
    together_learn(&job.judged, job.plan, &split, members, n_members, job.n_words, job.features,
                   scratch.judge, &shared)
    task = scores_task_t(scratch.answers, scratch.labels, scratch.target, scratch.learnt, split.n_ask,
                         job.data.n_classes, job.positive, answers_decisions(job.plan), NULL, NULL, NULL, NULL, 0)
    for m in range(n_members):
        k = bits_list(members[m], job.n_words, job.features, scratch.selected)
        if poll_stops(poll, <int64_t>k * job.data.n_samples):
            return
        together_fill(&shared, members[m], job.n_words, scratch.selected, k, poll, scratch.answers)
        if poll != NULL and poll.stopped:
            return
        score[job.by_size[first + m] * job.n_splits + test] = score_value(job.score, &task, scratch.scoring)


cdef inline double task_seconds(const job_t *job, int64_t number) noexcept nogil:
    """Return the rough seconds of a task."""
    if job.n_instances and number < job.n:
        return job.sizes[job.by_size[number]] * job.instance_seconds * job.n_now
    if job.n_instances:
        number -= job.n
    if job.n_batch:
        return job.n_batch * job.sizes[job.by_size[number // job.n_splits * job.n_batch]] * job.tree_seconds / SAVED
    return job.sizes[job.by_size[number // job.n_splits]] * job.tree_seconds


cdef inline void run_task(const job_t *job, int64_t number, uint8_t *buffer, double *score,
                          double *separability, poll_t *poll) noexcept nogil:
    """Evaluate one subset on one split, a batch of subsets on one, or some instances of one separability.

    A task writes its own cells of `score` and `separability`; they are of no use if the poll, which may be NULL, has
    stopped it. Separabilities come first, and larger subsets before smaller ones: the last tasks are short.
    """
    cdef scratch_t scratch
    cdef stream_t stream
    cdef bint is_tree = job.n_instances == 0 or number >= job.n
    cdef int64_t t = number - job.n if is_tree and job.n_instances else number
    cdef uint32_t test = <uint32_t>(t % job.n_splits) if is_tree else DRAW_SAMPLE
    cdef int64_t p
    cdef int32_t k
    cdef uint32_t individual
    lay_out(job, is_tree, buffer, &scratch)
    if is_tree and job.n_batch:
        if job.plan != NULL:
            judged_scores(job, t // job.n_splits, <int32_t>test, &scratch, score, poll)
        else:
            batch_scores(job, t // job.n_splits, <int32_t>test, &scratch, score, poll)
        return
    p = job.by_size[t // job.n_splits] if is_tree else job.by_size[t]
    k = bits_list(job.bits + p * job.n_words, job.n_words, job.features, scratch.selected)
    individual = 0 if job.shared else <uint32_t>job.individuals[p]
    stream = draw_open(job.address, individual, test)
    if is_tree:
        score[p * job.n_splits + test] = subset_score(job, <int32_t>test, individual, &stream, k, &scratch,
                                                      poll)
    else:
        draw_instances(&stream, job.data.n_samples, job.n_instances, job.first, job.n_now, job.replace, scratch.marks,
                       scratch.instances)
        relief_add(&job.samples, scratch.selected, k, scratch.instances, job.n_now, job.data.level, scratch.relief,
                   job.sums + p)
        separability[p] = relief_mean(job.sums + p, k)
