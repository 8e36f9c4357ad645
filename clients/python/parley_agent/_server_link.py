"""The connections of the thread client to a running agent, one after the other."""

from __future__ import annotations

import queue
import threading
from typing import Any, Callable, Optional

from ._links import OnExit, Receive, SocketLink, start_thread
from ._reconnect import ConnectionState, ReconnectPolicy
from .errors import ConnectError, ExitInfo


class ServerLink:
    pid: Optional[int] = None

    def __init__(
        self,
        first: SocketLink,
        reopen: Callable[[], SocketLink],
        policy: ReconnectPolicy,
        on_disconnected: Callable[[ExitInfo], None],
        on_attempt: Callable[[ConnectionState], None],
    ) -> None:
        """`reopen` opens a connection that continues where the last one ended."""
        self.current = first
        """Where lines are written now."""
        self.is_closed = False
        self._reopen = reopen
        self._policy = policy
        self._on_disconnected = on_disconnected
        self._on_attempt = on_attempt
        # An opened connection, the error of an attempt, or None when the client has been closed.
        self._results: "queue.Queue[Any]" = queue.Queue()
        self._is_ending = threading.Event()

    @property
    def connect_error(self) -> Optional[ConnectError]:
        return self.current.connect_error

    def start(self, receive: Receive, on_exit: OnExit) -> None:
        def run() -> None:
            on_exit(self._run(receive))

        start_thread(run)

    def confirm(self) -> None:
        """A session is attached."""
        self.current.confirm()
        self._policy.confirm()

    def end_input(self) -> None:
        self.is_closed = True
        self._is_ending.set()
        self._results.put(None)
        self.current.end_input()

    def terminate(self) -> None:
        try:
            self.end_input()
        except (OSError, ValueError):
            pass

    def kill(self) -> None:
        self.current.kill()

    def _run(self, receive: Receive) -> ExitInfo:
        end = self.current.run(receive)
        error = self.current.connect_error
        while not self._is_ending.is_set() and self._policy.can_reconnect(end, error):
            self._on_disconnected(end)
            state = self._policy.next_attempt(end.reason)
            if state is None:
                break
            self._on_attempt(state)
            if self._is_ending.wait(state.delay):
                break
            opened = self._open()
            if isinstance(opened, SocketLink):
                self.current = opened
                if self._is_ending.is_set():
                    opened.close()
                    break
                end = opened.run(receive)
                error = opened.connect_error
            elif opened is not None:
                error = opened
                end = ExitInfo(None, reason=str(opened), close_code=opened.close_code)
        self.is_closed = True
        return end

    def _open(self) -> Any:
        """On another thread, because the system may take long to open a connection, and closing must not wait for it."""

        def open() -> None:
            try:
                opened: Any = self._reopen()
            except ConnectError as error:
                opened = error
            if self._is_ending.is_set() and isinstance(opened, SocketLink):
                return opened.close()
            self._results.put(opened)

        start_thread(open)
        return self._results.get()
