"""Fits in a control group of Linux with little memory, which the kernel enforces by killing.

`MOELIGA_CONTROL_GROUP` names a folder of a control group with memory below which this process may make others, such as
/sys/fs/cgroup on a machine of one's own; nothing is made without it.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cross_fitted import assert_same_fit, data, small
from moeliga import Checkpoint
from moeliga.search import checkpoint

PARENT = os.environ.get("MOELIGA_CONTROL_GROUP")

pytestmark = [pytest.mark.process, pytest.mark.skipif(not PARENT, reason="MOELIGA_CONTROL_GROUP names no folder")]

MIB = 1 << 20

REFUSED = """
import json, sys
import numpy as np
from moeliga import MOELIGASelector

X = np.random.default_rng(0).random(size=(400, int(sys.argv[1])), dtype=np.float32)
try:
    MOELIGASelector(n_generations=1, honest=None, random_state=0).fit(X, np.arange(400) % 2)
except MemoryError as error:
    print(json.dumps(str(error)))
else:
    print(json.dumps("fitted"))
"""

GREEDY = """
import sys
import threading
import numpy as np
from cross_fitted import data, small
from moeliga import Checkpoint

def take():
    taken = []
    while True:
        taken.append(bytearray(b"1" * (1 << 20)))

def begin(state):
    if state.generation == 7:
        threading.Thread(target=take, daemon=True).start()

small(n_generations=300, checkpoint=Checkpoint(sys.argv[1], every=1), callbacks=[begin]).fit(
    *data(np.random.default_rng(0)))
"""


class Group:
    """A control group with a limit of memory, of either version; `program` runs in it."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()

    def limit(self, n_bytes):
        (limit,) = (path for name in ("memory.max", "memory.limit_in_bytes") if (path := self.folder / name).exists())
        limit.write_text(str(n_bytes))

    def program(self, text, *arguments):
        enter = f'echo $$ > {self.folder}/cgroup.procs; exec "$@"'
        return subprocess.Popen(["sh", "-c", enter, "sh", sys.executable, "-c", text, *map(str, arguments)],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})


@pytest.fixture
def group():
    made = Group(Path(PARENT, f"moeliga-{os.getpid()}"))
    yield made
    made.folder.rmdir()


@pytest.mark.parametrize(("n_features", "fits"), [(200_000, False), (2_000, True)])
def test_a_fit_is_refused_if_the_group_has_not_the_memory(group, n_features, fits):
    """The error names the group's limit; what fits is fitted, and the kernel kills neither."""
    group.limit(1024 * MIB)
    process = group.program(REFUSED, n_features)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    told = json.loads(out)
    assert (told == "fitted") if fits else ("limit of the control group: 1.0 GiB" in told)


def test_a_fit_that_the_kernel_kills_for_memory_goes_on_from_its_checkpoint(group, tmp_path):
    """Another thread takes what the group has, wherever the search is: the checkpoint is whole, and has all bits."""
    path = tmp_path / "fit.npz"
    group.limit(256 * MIB)
    process = group.program(GREEDY, path)
    process.communicate(timeout=600)
    assert process.returncode == -signal.SIGKILL
    assert checkpoint.read(path)
    options = {"n_generations": 300, "callbacks": [lambda state: None]}
    whole = small(**options).fit(*data(np.random.default_rng(0)))
    assert_same_fit(small(checkpoint=Checkpoint(path, every=1), **options).fit(*data(np.random.default_rng(0))), whole)
