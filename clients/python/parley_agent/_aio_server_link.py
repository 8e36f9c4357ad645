"""The connections of the asyncio client to a running agent, one after the other."""

from __future__ import annotations

import asyncio
from typing import Awaitable, Callable, Optional

from ._aio_links import AsyncSocketLink, Receive
from ._reconnect import ConnectionState, ReconnectPolicy
from .errors import ConnectError, ExitInfo


class AsyncServerLink:
    pid: Optional[int] = None

    def __init__(
        self,
        first: AsyncSocketLink,
        reopen: Callable[[], Awaitable[AsyncSocketLink]],
        policy: ReconnectPolicy,
        on_disconnected: Callable[[ExitInfo], None],
        on_attempt: Callable[[ConnectionState], None],
    ) -> None:
        """`reopen` opens a connection that continues where the last one ended."""
        self._current = first
        self.is_closed = False
        self._reopen = reopen
        self._policy = policy
        self._on_disconnected = on_disconnected
        self._on_attempt = on_attempt
        self._ending = asyncio.Event()

    @property
    def connect_error(self) -> Optional[ConnectError]:
        return self._current.connect_error

    def confirm(self) -> None:
        """A session is attached."""
        self._current.confirm()
        self._policy.confirm()

    def write(self, line: bytes) -> None:
        self._current.write(line)

    async def drain(self) -> None:
        await self._current.drain()

    def end_input(self) -> None:
        self.is_closed = True
        self._ending.set()
        self._current.end_input()

    def terminate(self) -> None:
        self.end_input()

    def kill(self) -> None:
        self._current.kill()

    async def run(self, receive: Receive) -> ExitInfo:
        """Passes all lines to `receive`. Returns when the last connection has ended."""
        end = await self._current.run(receive)
        error = self._current.connect_error
        while not self.is_closed and self._policy.can_reconnect(end, error):
            self._on_disconnected(end)
            state = self._policy.next_attempt(end.reason)
            if state is None:
                break
            self._on_attempt(state)
            try:
                opened = await self._open_after(state.delay)
            except ConnectError as failure:
                error = failure
                end = ExitInfo(None, reason=str(failure), close_code=failure.close_code)
                continue
            if opened is None:
                break
            self._current = opened
            end = await opened.run(receive)
            error = opened.connect_error
        self.is_closed = True
        return end

    async def _open_after(self, delay: float) -> Optional[AsyncSocketLink]:
        """None when the client has been closed meanwhile."""

        async def open() -> AsyncSocketLink:
            await asyncio.sleep(delay)
            return await self._reopen()

        opening = asyncio.ensure_future(open())
        ending = asyncio.ensure_future(self._ending.wait())
        try:
            await asyncio.wait({opening, ending}, return_when=asyncio.FIRST_COMPLETED)
            if not self.is_closed:
                return opening.result()
            if opening.done() and not opening.cancelled() and opening.exception() is None:
                opening.result().kill()
            return None
        finally:
            opening.cancel()
            ending.cancel()
