"""What the thread client and the asyncio client have in common: listeners and the facts about the connection."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

from ._connection import Connection, Incoming
from ._dialogs import OpenDialogs
from ._reconnect import ConnectionState
from .protocol import AgentEvent, UiRequest

Listener = Callable[[Any], Any]


class BaseClient:
    """Each method that adds a listener returns a function that removes it."""

    def _prepare(self, connection: Connection, is_shared: bool, timeout: Optional[float], has_handler: bool) -> None:
        self._connection = connection
        self._timeout = timeout
        self._dialogs = OpenDialogs(is_shared, has_handler)
        self._connection_state = ConnectionState("connected")
        self._session_id: Any = None
        self._closing = False
        self._listeners: Dict[str, List[Listener]] = {}

    @property
    def attachment(self) -> Optional[Dict[str, Any]]:
        """The `session_attached` frame: the session, the name of this client and its access. None without a server."""
        return self._connection.attachment

    @property
    def last_seq(self) -> Optional[int]:
        """The number of the last event. Pass it as `after` of the next connection to continue there."""
        return self._connection.last_seq

    @property
    def connection_state(self) -> ConnectionState:
        """Whether there is a connection to the server, and when the next attempt follows."""
        return self._connection_state

    @property
    def ready_info(self) -> Optional[Dict[str, Any]]:
        """The `ready` frame of the agent, or None before it has arrived."""
        return self._connection.ready_info

    def on_event(self, listener: Callable[[AgentEvent], Any]) -> Callable[[], None]:
        remove = self._add("event", listener)
        self._release()
        return remove

    def on_snapshot(self, listener: Callable[[Dict[str, Any]], Any]) -> Callable[[], None]:
        """The state of the session, sent in place of events that are not available any more."""
        return self._add("snapshot", listener)

    def on_attached(self, listener: Callable[[Dict[str, Any]], Any]) -> Callable[[], None]:
        """Gets `session_attached` when the client follows another session, and after each reconnection."""
        return self._add("attached", listener)

    def on_connection_state(self, listener: Callable[[ConnectionState], Any]) -> Callable[[], None]:
        """Called before each attempt to connect again, when the connection is back, and when it has ended."""
        return self._add("state", listener)

    def on_display(self, listener: Callable[[UiRequest], Any]) -> Callable[[], None]:
        """Requests of the agent that need no answer: notices, status lines, titles."""
        return self._add("display", listener)

    def on_unhandled(self, listener: Callable[[Any], Any]) -> Callable[[], None]:
        """Unknown events, replies without a pending call, and the text of lines that are not frames."""
        return self._add("unhandled", listener)

    def _release(self) -> None:
        """From now on all frames are read."""
        raise NotImplementedError

    def _add(self, kind: str, listener: Listener) -> Callable[[], None]:
        listeners = self._listeners.setdefault(kind, [])
        listeners.append(listener)

        def remove() -> None:
            if listener in listeners:
                listeners.remove(listener)

        return remove

    def _list_listeners(self, kind: str) -> List[Listener]:
        return list(self._listeners.get(kind, ()))

    def _update_dialogs(self, incoming: Incoming) -> List[Incoming]:
        """Returns `cancel` frames for dialogs that the agent does not wait for any more."""
        if incoming.kind == "display" and incoming.frame.get("method") == "cancel":
            self._dialogs.cancel(incoming.frame.get("targetId"))
        elif incoming.kind == "lost":
            self._dialogs.start_resending()
        elif incoming.kind == "resent":
            return self._dialogs.end_resending()
        elif incoming.kind == "attached":
            previous, self._session_id = self._session_id, incoming.frame.get("sessionId")
            if previous not in (None, self._session_id):
                return self._dialogs.withdraw_all()
        return []
