/* philox: the counter-based generator Philox4x64-10.
 *
 * Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11. A pure function of
 * (counter, key): the same pair gives the same four words on every machine and in every thread.
 */
#ifndef MOE_DRAW_PHILOX_H
#define MOE_DRAW_PHILOX_H

#include "base/base.h"

#define MOE_PHILOX_ROUNDS 10

static inline void moe_philox(const uint64_t counter[4] /* IN */, const uint64_t key[2] /* IN */,
                              uint64_t out[4] /* OUT */)
{
    uint64_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint64_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < MOE_PHILOX_ROUNDS; round++) {
        uint64_t high0 = moe_base_mulhi(0xD2E7470EE14C6C93u, c0), low0 = 0xD2E7470EE14C6C93u * c0;
        uint64_t high1 = moe_base_mulhi(0xCA5A826395121157u, c2), low1 = 0xCA5A826395121157u * c2;
        c0 = high1 ^ c1 ^ k0;
        c1 = low1;
        c2 = high0 ^ c3 ^ k1;
        c3 = low0;
        k0 += 0x9E3779B97F4A7C15u; /* golden ratio */
        k1 += 0xBB67AE8584CAA73Bu; /* sqrt(3) - 1 */
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

#endif
