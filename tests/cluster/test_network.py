"""Searches over a network, between machines that share nothing: each is a namespace of the kernel, with a cable."""

import importlib.util
import shutil
import subprocess
import sys

import pytest
from programs import run_program

pytestmark = pytest.mark.distributed

APART = ("unshare", "--user", "--map-root-user", "--net", "--mount", "--uts")
MACHINES = """
import os, platform, socket, subprocess, sys, time, warnings
import joblib
from distributed import Client
from programs import tell
from cluster_programs import fit, send_everything, sent
send_everything()

def ip(*words):
    subprocess.run(["ip", *words], check=True)

def machine(number, module, *options):
    \"""A command of Dask on a machine of its own, whose network, name and shared memory nobody else has.\"""
    setting_up = f'''
        read the_cable_is_there
        hostname machine{number}
        mount -t tmpfs none /dev/shm
        ip link set lo up
        ip address add 10.9.8.{number}/24 dev eth0
        ip link set eth0 up
        exec "$@"'''
    process = subprocess.Popen(
        ["unshare", "--net", "--mount", "--uts", "sh", "-ec", setting_up, "sh", sys.executable, "-m",
         f"distributed.cli.{module}", "--no-dashboard", *options], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    while os.readlink(f"/proc/{process.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
        time.sleep(0.01)
    ip("link", "add", f"cable{number}", "type", "veth", "peer", "name", "eth0", "netns", str(process.pid))
    ip("link", "set", f"cable{number}", "master", "hub", "up")
    process.stdin.write(b"go\\n")
    process.stdin.close()
    return process

def here():
    return platform.node(), [name for _, name in socket.if_nameindex() if name.startswith("eth")]

if __name__ == "__main__":
    warnings.simplefilter("error", RuntimeWarning)
    ip("link", "add", "hub", "type", "bridge")
    ip("address", "add", "10.9.8.1/24", "dev", "hub")
    ip("link", "set", "hub", "up")
    ip("link", "set", "lo", "up")
    address = "tcp://10.9.8.2:8786"
    machines = [machine(2, "dask_scheduler", "--host", "10.9.8.2")]
    machines += [machine(number, "dask_worker", address, "--no-nanny", "--nthreads", "1", "--local-directory",
                         "/dev/shm") for number in (3, 4)]
    with Client(address, timeout=60) as client:
        client.wait_for_workers(2)
        places = client.run(here)
        with joblib.parallel_config("dask"):
            found = fit(callbacks=happen)
        tell(digest=found, n_sent=len(sent), places=sorted(places.items()))
    for process in machines:
        process.kill()
        process.wait()
"""


@pytest.fixture(scope="module", autouse=True)
def namespaces():
    """Skip where there are none, or no Dask."""
    if importlib.util.find_spec("distributed") is None:
        pytest.skip("pip install 'moeliga[dask]'")
    if sys.platform != "linux" or not (shutil.which("unshare") and shutil.which("ip")):
        pytest.skip("network namespaces are Linux's; the commands unshare and ip make them")
    attempt = "ip link add hub type bridge && ip link add cable type veth peer name eth0 && mount -t tmpfs no /dev/shm"
    made = subprocess.run([*APART, "sh", "-c", attempt], capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"network namespaces are not allowed here: {made.stderr.strip()}")


PLACES = [[f"tcp://10.9.8.{number}", [f"machine{number}", ["eth0"]]] for number in (3, 4)]


@pytest.mark.parametrize("happens", ["pass", 'state.generation == 1 and ip("link", "set", "cable4", "down")'],
                         ids=["nothing", "a cable is pulled"])
def test_machines_that_share_a_network_alone_find_the_same(found_here, happens):
    """A scheduler and two workers, by TCP; what one of them was sent that is then out of reach, the other does."""
    told = run_program(f"def happen(state):\n    {happens}\n{MACHINES}", before=APART)
    assert told[0]["digest"] == found_here
    assert told[0]["n_sent"] > 20
    assert [[address.rpartition(":")[0], place] for address, place in told[0]["places"]] == PLACES
