/* select: select parents by fitness. */
#ifndef MOE_VARY_SELECT_H
#define MOE_VARY_SELECT_H

#include "draw/draw.h"

enum { MOE_VARY_ROULETTE = 0, MOE_VARY_TOURNAMENT = 1 };

/* Return the individual that a spin of the roulette wheel selects: the first whose cumulative fitness is > spin *
 * total. paper: roulette wheel; authors: 100 discrete spins and the neighbour of the one hit; we: a continuous spin. */
static inline int32_t moe_vary_roulette(const double *cumulative /* IN [n], ascending */, int32_t n,
                                        double spin)
{
    double target = spin * cumulative[n - 1];
    int32_t low = 0, high = n - 1;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (cumulative[middle] > target)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Return the fittest of `size` individuals drawn with replacement; ties to the lowest index. */
static inline int32_t moe_vary_tournament(moe_stream_t *stream, const double *fitness, int32_t n,
                                          int32_t size)
{
    int32_t best = -1;
    for (int32_t t = 0; t < size; t++) {
        int32_t rival = (int32_t)moe_draw_below(stream, (uint64_t)n);
        if (best < 0 || fitness[rival] > fitness[best] ||
            (fitness[rival] == fitness[best] && rival < best))
            best = rival;
    }
    return best;
}

static inline int32_t moe_vary_select(moe_stream_t *stream, const double *fitness,
                                      const double *cumulative, int32_t n, int32_t selection,
                                      int32_t tournament_size)
{
    if (selection == MOE_VARY_TOURNAMENT)
        return moe_vary_tournament(stream, fitness, n, tournament_size);
    return moe_vary_roulette(cumulative, n, moe_draw_unit(stream));
}

#endif
