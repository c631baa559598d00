"""One thread that runs tasks in order, so that the server can receive messages while a file is linted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread
from typing import TypeVar

_Done = TypeVar("_Done")


class Bench:
    """Runs work outside the event loop; the server does not wait for it to end.

    Work whose caller is cancelled before it starts is never run. When the queue is empty, garbage is collected.
    """

    def __init__(self, tidy: Callable[[], None]) -> None:
        self._tidy = tidy
        self._waiting: SimpleQueue[Callable[[], None]] = SimpleQueue()
        Thread(target=self._work, name="torchlint", daemon=True).start()

    async def done(self, work: Callable[[], _Done]) -> _Done:
        """Return the result of some work, or raise its exception."""
        future: Future[_Done] = Future()

        def carry_out() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001 -- raised again where it is waited for
                future.set_exception(error)

        self._waiting.put(carry_out)
        return await asyncio.wrap_future(future)

    def _work(self) -> None:
        while True:
            self._waiting.get()()
            if self._waiting.empty():
                self._tidy()
