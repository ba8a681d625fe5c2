/* widths: compile the loops over nodes for both widths of entries. A template: see base/levels.inc.h. */
#include "base/lanes.inc.h"

#define MOE_ENTRY uint32_t
#define MOE_ENTRY_BITS 32
#define MOE_T(name) MOE_L(name##_4)
#include "tree/slice.inc.h"
#include "tree/sorted.inc.h"
#include "tree/histogram.inc.h"
#include "tree/columns.inc.h"
#include "tree/splitter.inc.h"
#include "tree/partition.inc.h"
#include "tree/classifier.inc.h"
#include "tree/batch.inc.h"
#include "tree/regressor.inc.h"
#include "tree/regressors.inc.h"
#include "tree/parallel.inc.h"
#undef MOE_ENTRY
#undef MOE_ENTRY_BITS
#undef MOE_T

#define MOE_ENTRY uint64_t
#define MOE_ENTRY_BITS 64
#define MOE_T(name) MOE_L(name##_8)
#include "tree/slice.inc.h"
#include "tree/sorted.inc.h"
#include "tree/histogram.inc.h"
#include "tree/columns.inc.h"
#include "tree/splitter.inc.h"
#include "tree/partition.inc.h"
#include "tree/classifier.inc.h"
#include "tree/batch.inc.h"
#include "tree/regressor.inc.h"
#include "tree/regressors.inc.h"
#include "tree/parallel.inc.h"
#undef MOE_ENTRY
#undef MOE_ENTRY_BITS
#undef MOE_T
