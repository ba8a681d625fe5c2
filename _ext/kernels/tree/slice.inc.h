/* slice: the entries of one node. A template like tree/sorted.inc.h. */
#include "tree/types.h"

#define MOE_SLICE MOE_T(moe_slice_t)
typedef struct {
    const moe_data_t *data;   /* n_classes is that of the node's scope */
    const int32_t *features;  /* [k] features of the tree, ascending */
    const MOE_ENTRY *columns; /* [k, stride] columns, from the first entry of the node on */
    const MOE_ENTRY *samples; /* [n] samples, by class; NULL = no feature is counted */
    int64_t stride;
    uint64_t s_node;   /* sum of the squared class counts */
    int32_t n;         /* samples */
    int32_t n_present; /* number of classes that occur */
    int32_t min_leaf;  /* fewest samples of a child */
} MOE_SLICE;
