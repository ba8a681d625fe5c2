/* levels: compile the file MOE_TEMPLATE once for each instruction set. In that file MOE_LEVEL is the instruction set
 * (see moe_base_level), MOE_BYTES the width of its registers, and MOE_L(name) the name of a function or type.
 *
 * The whole file is compiled anew, not only its outermost functions, because the compiler splits vectors to the
 * registers of the set before it knows the caller. Vectors are as wide as a register: wider ones would be kept in
 * memory. There is no include guard, because this file is meant to be included repeatedly.
 */
#define MOE_LEVEL 0
#define MOE_BYTES 16
#define MOE_L(name) name##_v0
#include MOE_TEMPLATE
#undef MOE_LEVEL
#undef MOE_BYTES
#undef MOE_L

#if MOE_HAS_LEVELS
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("arch=x86-64-v3"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#endif
#define MOE_LEVEL 3
#define MOE_BYTES 32
#define MOE_L(name) name##_v3
#include MOE_TEMPLATE
#undef MOE_LEVEL
#undef MOE_BYTES
#undef MOE_L
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("arch=x86-64-v4"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
#endif
#define MOE_LEVEL 4
#define MOE_BYTES 64
#define MOE_L(name) name##_v4
#include MOE_TEMPLATE
#undef MOE_LEVEL
#undef MOE_BYTES
#undef MOE_L
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
#undef MOE_TEMPLATE
