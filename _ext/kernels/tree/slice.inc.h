/* slice: the entries of one node. A template like tree/sorted.inc.h. */
#include "tree/types.h"

#define MOE_SLICE MOE_T(moe_slice_t)
typedef struct {
    const moe_data_t *data;   /* n_classes: of the node's scope */
    const int32_t *features;  /* [k] of the tree, ascending */
    const MOE_ENTRY *columns; /* [k, stride] those of the node begin here */
    const MOE_ENTRY *samples; /* [n] class by class; NULL = no feature is counted */
    int64_t stride;
    uint64_t s_node;   /* sum of the squared class counts */
    int32_t n;         /* samples */
    int32_t n_present; /* classes that occur */
    int32_t min_leaf;  /* fewest samples of a child */
} MOE_SLICE;
