"""What a transport to workers elsewhere does where one of them is lost."""

import asyncio
import threading
from types import SimpleNamespace

from call_outcome import within
from moeliga.distributed.backends import DaskTransport


class Losing:
    """A client whose first copy never ends, since a worker is lost meanwhile."""

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


def test_data_are_copied_anew_where_a_worker_is_lost_meanwhile():
    """Dask's own copying goes on for ever with the worker that is lost."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    client = Losing(loop)
    transport = DaskTransport(SimpleNamespace(client=client, submit_kwargs={}, wait_for_workers_timeout=5))
    with within(30):
        transport.share("data", lambda: None)
    assert transport.handle == ("data", ["b"]) and client.begun == 2
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()
