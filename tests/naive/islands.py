"""Islands in plain Python: whole searches that evolve one after the other, generation by generation, and the ring."""

import numpy as np

from naive import niche
from naive.moeliga import Run


class Archipelago:
    """Searches on one data set with one archive; `seed` is that of the first, `options` are those of `Run`."""

    def __init__(self, X, y, seed, n_islands, migration_interval, **options):
        words, seeds = [int(word) for word in seed], [seed]
        for number in range(1, n_islands):
            seeds.append(np.random.SeedSequence(words, spawn_key=(number,)).generate_state(2, np.uint64))
        self.runs = [Run(X, y, own, **options) for own in seeds]
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
        """A tenth of each population's size, but one at least, go round the ring."""
        after = []
        for place, population in enumerate(populations):
            source, chosen = populations[place - 1], []
            for one in self.runs[0].fittest(source):
                known = [other["mask"] for other in population + chosen]
                if one["rank"] == 1 and one["mask"] not in known and len(chosen) < max(1, len(population) // 10):
                    chosen.append(dict(one))
            lost = self.runs[0].elite(population)[len(population) - len(chosen) :]
            stay = [dict(one) for one in population if not any(one is other for other in lost)]
            self.runs[0].rate(stay + chosen)
            after.append(stay + chosen)
        return after

    def together(self, populations):
        """All individuals, ranked among each other."""
        everybody = [dict(one) for population in populations for one in population]
        for one, rank in zip(everybody, niche.rank([one["objectives"] for one in everybody]), strict=True):
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
