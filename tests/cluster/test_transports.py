"""What a transport to workers elsewhere does where one of them is lost."""

import asyncio
import threading
from types import SimpleNamespace

import pytest

from call_outcome import within
from moeliga.distributed.backends import DaskTransport


class Losing:
    """A client whose first copy never ends, since a worker is lost meanwhile."""

    status = "running"

    def __init__(self, loop):
        self.loop, self.begun, self.members = SimpleNamespace(asyncio_loop=loop), 0, {"a": 1, "b": 1}

    def ncores(self):
        return dict(self.members)

    async def scatter(self, ground, **options):
        self.begun += 1
        if self.begun == 1:
            del self.members["a"]
            await asyncio.Event().wait()
        return ground, sorted(self.members)


class Locked(Losing):
    """A client of a scheduler that makes one broadcast after the other, and never ends the first, cancelled or not."""

    def __init__(self, loop):
        super().__init__(loop)
        self.lock, self.tasks = asyncio.Lock(), []

    async def scatter(self, ground, broadcast=False, **options):
        self.begun += 1
        first = self.begun == 1
        if first:
            del self.members["a"]
        if broadcast:
            self.tasks.append(asyncio.ensure_future(self.replicate(first)))
            await asyncio.shield(self.tasks[-1])
        elif first:
            await asyncio.Event().wait()
        return ground, sorted(self.members)

    async def replicate(self, for_ever):
        async with self.lock:
            if for_ever:
                await asyncio.Event().wait()


@pytest.mark.parametrize("kind", [Losing, Locked])
def test_data_are_copied_anew_where_a_worker_is_lost_meanwhile(kind):
    """Dask goes on for ever with the worker that is lost, and its scheduler with a broadcast that nobody waits for."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    client = kind(loop)
    transport = DaskTransport(SimpleNamespace(client=client, submit_kwargs={}, wait_for_workers_timeout=5))
    with within(30):
        transport.share("data", lambda: None)
    assert transport.handle == ("data", ["b"]) and client.begun == 2
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()
