/* nodes: the loops over nodes, for both widths of entries. A template: see levels.h. */
#include "lanes.h"

#define MOE_ENTRY uint32_t
#define MOE_ENTRY_BITS 32
#define MOE_T(name) MOE_L(name##_4)
#include "scan.h"
#include "count.h"
#include "fill.h"
#include "best.h"
#include "split.h"
#include "regress.h"
#include "trunk.h"
#undef MOE_ENTRY
#undef MOE_ENTRY_BITS
#undef MOE_T

#define MOE_ENTRY uint64_t
#define MOE_ENTRY_BITS 64
#define MOE_T(name) MOE_L(name##_8)
#include "scan.h"
#include "count.h"
#include "fill.h"
#include "best.h"
#include "split.h"
#include "regress.h"
#include "trunk.h"
#undef MOE_ENTRY
#undef MOE_ENTRY_BITS
#undef MOE_T
