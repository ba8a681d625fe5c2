"""The searches on folds: one in this thread, or several in parallel, in threads of this process or in workers."""

import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from copy import copy

import numpy as np
from joblib import parallel_config
from joblib.parallel import get_active_backend
from sklearn import config_context, get_config
from sklearn.utils.parallel import Parallel, delayed

from moeliga.base.budget import Budget, Interrupted
from moeliga.base.threads import local_backend_if_lost
from moeliga.search.build import build
from moeliga.search.checkpoint import Saver
from moeliga.search.loop import outcome_of, run
from moeliga.search.progress import Progress
from moeliga.validation.candidates import candidates_of
from moeliga.validation.extent import Extent


def search_one(plan, ready, number=None, saver=None, callbacks=()):
    """Run a search on a fold, from the generation that the `Saver` has stored; Interrupted if a signal ends it.

    Return a tuple: the slots of its candidates, a list of Slot; their masks, bool of shape (n_slots, n_features); the
    number of evaluations; and its `Extent`.
    """
    search, progress = ready.search, Progress.begin(ready, plan.patience)
    budget, n_rescored = search.budget, plan.evaluation.n_rescore_splits
    with search.objectives.workers():
        with (saver or Saver()).tracking(number, search, progress) as keep:
            reason = run(search, ready.bits, plan.n_generations, n_rescored, progress, callbacks, keep=keep)
        if budget.urgent:
            raise Interrupted
        budget.close()
        found = candidates_of(ready, outcome_of(search, progress, n_rescored))
    search.sampler.ground = None
    return list(found), np.array(list(found.values())), budget.n_evaluations, Extent.of(plan, reason)


def search_in_worker(plan, *data):
    """Build a search and return the result of `search_one`, in a worker process."""
    if threading.current_thread() is threading.main_thread():
        # Ctrl-C in a terminal reaches the workers too: the main process alone decides what it does
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return search_one(plan, build(plan, *data))


def parallel_searches(tasks, n_workers):
    """Yield the results of `search_in_worker` for the tasks, in order; without a generator of joblib all at the end."""
    backend = copy(get_active_backend()[0])  # a copy, as the model is fitted with the original meanwhile
    streams = getattr(backend, "supports_return_generator", False)
    with Parallel(n_workers, backend=backend, pre_dispatch="n_jobs", batch_size=1,
                  return_as="generator" if streams else "list") as pool:
        yield from pool(delayed(search_in_worker)(*task) for task in tasks)


class ThreadedSearches:
    """Searches on folds, each in a thread, while the calling thread runs another search; `next` returns their results.

    `data` maps the number of a fold to a function that returns the arguments of `build` after the plan; `plan` returns
    the plan of a search that starts now. `shares`, a `ThreadShares`, divides the threads among the searches. Without
    it all start at once: the workers of a cluster evaluate for all, and while one search waits they serve the others.
    """

    def __init__(self, plan, data, saver, shares=None):
        self.plan, self.saver, self.shares, self.backend = plan, saver, shares, get_active_backend()
        self.budgets, self.closed, self.config = [], False, get_config()
        self.n_searches = len(data) + 1  # with the final search
        self.pool = ThreadPoolExecutor(len(data) if shares is None else shares.most, thread_name_prefix="moeliga-fold")
        self.found = [self.pool.submit(self.search, *item) for item in data.items()]

    def search(self, number, data):
        """Return the result of `search_one`, with the calling thread's settings of joblib and scikit-learn."""
        backend, n_jobs = self.backend
        place = nullcontext() if self.shares is None else self.shares.acquire()
        with (parallel_config(backend, n_jobs=n_jobs), local_backend_if_lost("loky"), config_context(**self.config),
              place as share):
            plan = self.plan()
            budget = Budget(plan.max_evaluations, plan.max_time)
            self.budgets.append(budget)
            if self.closed:
                raise Interrupted
            ready = build(plan, *data(), budget=budget)
            objectives = ready.search.objectives
            objectives.share = share
            if objectives.remote is not None:
                objectives.remote.n_searches = self.n_searches
            return search_one(plan, ready, number, self.saver)

    def __next__(self):
        """Wait for the search on the next fold, and return the result of `search_one`."""
        return self.found.pop(0).result()

    def close(self):
        """Stop the running searches, and wait for their threads."""
        self.closed = True
        for budget in self.budgets:
            budget.abandon()
        self.pool.shutdown(cancel_futures=True)
