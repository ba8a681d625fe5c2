/* queue: the nodes that wait to be split, last in, first out, so that a tree grows depth-first. */
#ifndef MOE_TREE_QUEUE_H
#define MOE_TREE_QUEUE_H

#include "tree/split.h"
#include "tree/workspace.h"

/* Fill in the children of a split node. s_left and s_right are their s_node; `first` is the number of the left child.
 * If features have become constant, their list is the shorter one that was written behind their parent's. */
static MOE_INLINE void moe_queue_children(const moe_queued_t *parent, const moe_split_t *split, uint64_t s_left,
                                          uint64_t s_right, int32_t first, int32_t n_varying,
                                          moe_queued_t *left /* OUT */, moe_queued_t *right /* OUT */)
{
    const int shorter = n_varying < parent->n_list;
    const int32_t middle = parent->start + (int32_t)split->n_left, n_list = shorter ? n_varying : parent->n_list;
    const int64_t list = shorter ? parent->list + parent->n_list : parent->list;
    const int32_t depth = parent->depth + 1;
    *left = (moe_queued_t){first, parent->start, middle, depth, list, s_left, n_list, parent->scope};
    *right = (moe_queued_t){first + 1, middle, parent->end, depth, list, s_right, n_list, parent->scope};
}

#endif
