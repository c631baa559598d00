"""Wait until no key was typed for a moment: what is linted before that is out of date when it is done."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from time import monotonic

_MOMENT = 0.2


class Quiet:
    """Does something after a quiet moment, and again only after another change."""

    def __init__(self, then: Callable[[], Coroutine[None, None, None]]) -> None:
        self._then = then
        self._from = 0.0
        self._task: asyncio.Task[None] | None = None

    def stir(self, *, is_typing: bool) -> None:
        """Note a change; while the user types, more will follow."""
        if is_typing:
            self.hush()
        if self._task is not None:
            self._task.cancel()
        self._task = asyncio.ensure_future(self._act())

    def hush(self) -> None:
        """Delay what is to be done for a moment."""
        self._from = monotonic() + _MOMENT

    async def wait(self) -> None:
        """Return when it is quiet."""
        while (left := self._from - monotonic()) > 0:
            await asyncio.sleep(left)

    async def _act(self) -> None:
        await self.wait()
        await self._then()
