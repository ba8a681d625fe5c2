"""Islands in plain Python: whole searches that evolve one after the other, generation by generation, and migrations."""

from itertools import pairwise

import numpy as np

from naive import dominance, ranking
from naive.moeliga import Run


class Archipelago:
    """Searches on one data set with one archive; `seed` is that of the first, `options` are those of `Run`.

    With `sizes`, the largest size of each band, there are `n_islands` for each of them; `rankings` are lists of
    features from best to worst, None = those of the twin.
    """

    def __init__(self, X, y, seed, n_islands=1, migration_interval=10, sizes=None, rankings=None, **options):
        words, n_features = [int(word) for word in seed], X.shape[1]
        bands = [None]
        if sizes is not None:
            bands = [(low + 1, min(high, n_features)) for low, high in pairwise([0, *sizes]) if low < n_features]
            rankings = ranking.rankings(X, y, seed) if rankings is None else rankings
        self.runs = []
        for number, band in enumerate(n_islands * bands):
            own = seed if number == 0 else np.random.SeedSequence(words, spawn_key=(number,)).generate_state(2,
                                                                                                            np.uint64)
            first = ranking.first_subsets(rankings, n_features, band) if band else ()
            self.runs.append(Run(X, y, own, band=band, first_subsets=first, **options))
        self.migration_interval = migration_interval

    def each(self, visit):
        """Results of a visit to every island, in order, each with the archive that the one before has left."""
        found, archive = [], self.runs[-1].archive
        for place, run in enumerate(self.runs):
            run.archive = archive
            found.append(visit(place, run))
            archive = run.archive
        return found

    def migrate(self, populations):
        """A tenth of each population's size, but one at least, go round the ring, or come from the archive."""
        after = []
        for place, (run, population) in enumerate(zip(self.runs, populations, strict=True)):
            source, chosen = self.in_archive(run, population) if run.o.band else populations[place - 1], []
            for one in run.fittest(source):
                known = [other["mask"] for other in population + chosen]
                able = run.o.band or one["rank"] == 1
                if able and one["mask"] not in known and len(chosen) < max(1, len(population) // 10):
                    chosen.append(dict(one))
            lost = run.elite(population)[len(population) - len(chosen) :]
            stay = [dict(one) for one in population if not any(one is other for other in lost)]
            run.rate(stay + chosen)
            after.append(stay + chosen)
        return after

    def in_archive(self, run, population):
        """Who of the archive is in a band and not in its population, rated among each other."""
        known = [one["mask"] for one in population]
        found = run.inside([{"mask": mask, "objectives": list(values), "n_scored": 1}
                            for mask, values in self.runs[-1].archive.items() if mask not in known])
        if found:
            run.rate(found)
        return found

    def together(self, populations):
        """All individuals, ranked among each other."""
        everybody = [dict(one) for population in populations for one in population]
        for one, rank in zip(everybody, dominance.rank([one["objectives"] for one in everybody]), strict=True):
            one["rank"] = rank
        return everybody

    def summary(self, populations, generation, replaced):
        first = self.runs[0]
        first.archive = self.runs[-1].archive
        row = first.summary(self.together(populations), generation, sum(replaced))
        return row | {"n_evaluations": sum(run.n_evaluations for run in self.runs)}

    def run(self):
        """As `Run.run`."""
        first = self.runs[0]
        populations = self.each(lambda place, run: run.begin())
        history = [self.summary(populations, 0, [0])]
        for generation in range(1, first.o.n_generations + 1):
            if generation > 1 and (generation - 1) % self.migration_interval == 0:
                populations = self.migrate(populations)
            populations = self.each(lambda place, run: run.advance(
                populations[place], range(run.n_features), 0, generation))  # noqa: B023
            found = self.each(lambda place, run: run.improve_in_time(populations[place], generation))  # noqa: B023
            populations = [population for population, _ in found]
            history.append(self.summary(populations, generation, [n for _, n in found]))
        first.archive = self.runs[-1].archive
        front, chosen = first.result(self.together(populations))
        return front, history, chosen
