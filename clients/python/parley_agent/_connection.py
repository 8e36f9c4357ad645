"""Parses frames and matches replies with calls. Does no input or output, so that the thread and asyncio clients share it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Tuple

from .errors import AgentExitedError, ConnectionLostError, ExitInfo, RpcError
from .protocol import CONNECTION_COMMANDS, EVENT_TYPES, READ_COMMANDS

EventObserver = Callable[[Dict[str, Any]], None]

_DISPLAY_METHODS = {"notify", "setStatus", "setWidget", "setTitle", "set_editor_text", "open_url", "cancel"}
_NO_REASON = "The agent gave no reason"


@dataclass
class PendingCall:
    """The callbacks run as soon as the reply is parsed, before the next line is parsed."""

    command: str
    params: Dict[str, Any]
    line: bytes
    on_success: Callable[[Any], None]
    on_failure: Callable[[BaseException], None]
    is_sent: bool = True


class Incoming(NamedTuple):
    kind: str
    """`event`, `dialog`, `display`, `snapshot`, `attached` or `unhandled`. The clients add three kinds of their own:
    `state` (of the connection), `lost` (the connection), and `resent` (the open dialogs).
    """
    frame: Any = None


class HeldLine(NamedTuple):
    """A line that waits for a connection."""

    call_id: Optional[str]
    line: bytes


class Connection:
    def __init__(self, after: Optional[int] = None) -> None:
        self._call_count = 0
        self._pending: Dict[str, PendingCall] = {}
        # None while lines can be sent.
        self._held: Optional[List[HeldLine]] = None
        # The parameters of the last successful call of each command whose effect ends with the connection.
        self._connection_calls: Dict[str, Dict[str, Any]] = {}
        self.loss_count = 0
        """How often the connection was lost."""
        self._observers: List[EventObserver] = []
        self._late_failures: Dict[str, Callable[[BaseException], None]] = {}
        self._exit_callbacks: Set[Callable[[ExitInfo], None]] = set()
        self.exit_info: Optional[ExitInfo] = None
        self.ready_info: Optional[Dict[str, Any]] = None
        self.attachment: Optional[Dict[str, Any]] = None
        self.last_seq = after
        """The number of the last event. None without a server."""

    # Outgoing frames. Each method returns the line to write.

    def start(
        self,
        command: str,
        params: Optional[Dict[str, Any]],
        on_success: Callable[[Any], None],
        on_failure: Callable[[BaseException], None],
    ) -> Tuple[str, bytes]:
        """Returns the id of the call and the line to write: an empty one while there is no connection.

        Parameters that are None are left out.
        """
        if self.exit_info:
            raise AgentExitedError(self.exit_info, f"it answered {command}")
        id = f"req_{self._call_count + 1}"
        present = {key: value for key, value in (params or {}).items() if value is not None}
        line = encode({**present, "id": id, "type": command})
        self._call_count += 1
        call = self._pending[id] = PendingCall(command, present, line, on_success, on_failure)
        if self._held is None:
            return id, line
        call.is_sent = False
        self._held.append(HeldLine(id, line))
        return id, b""

    def hold(self, line: bytes) -> bool:
        """Keeps a line for the next connection. False if there is a connection."""
        if self._held is None or self.exit_info:
            return False
        self._held.append(HeldLine(None, line))
        return True

    def start_run(
        self,
        params: Dict[str, Any],
        on_success: Callable[[Any], None],
        on_failure: Callable[[BaseException], None],
    ) -> Tuple[bytes, Callable[[], None]]:
        """A prompt that succeeds at `agent_settled`. Also returns a function that stops waiting."""
        messages: List[Any] = []
        is_active = True
        losses = self.loss_count

        def stop() -> None:
            nonlocal is_active
            is_active = False
            self._late_failures.pop(id, None)
            self._remove_observer(observe)
            self._exit_callbacks.discard(exited)

        def stop_then(callback: Callable[[Any], None]) -> Callable[[Any], None]:
            def settle(value: Any) -> None:
                stop()
                callback(value)

            return settle

        def exited(exit_info: ExitInfo) -> None:
            stop_then(on_failure)(AgentExitedError(exit_info, "the prompt was completed"))

        def observe(event: Dict[str, Any]) -> None:
            if event["type"] == "agent_end":
                messages.extend(event["messages"])
            elif event["type"] == "agent_settled":
                stop_then(on_success)(messages)
            elif _is_idle_snapshot(event) and self.loss_count > losses:
                reason = f"events were missed: {event.get('reason')}"
                stop_then(on_failure)(ConnectionLostError("prompt", reason))

        def accepted(_: Any) -> None:
            if not is_active:
                return
            # Events before the acceptance belong to an earlier run.
            self._observers.append(observe)
            self._late_failures[id] = stop_then(on_failure)
            self._exit_callbacks.add(exited)

        id, line = self.start("prompt", params, accepted, on_failure)
        return line, stop

    def start_idle(
        self, on_success: Callable[[Any], None], on_failure: Callable[[BaseException], None]
    ) -> Tuple[bytes, Callable[[], None]]:
        """Succeeds when no run is in progress. Also returns a function that stops waiting."""
        is_active = True

        def stop() -> None:
            nonlocal is_active
            is_active = False
            self._remove_observer(observe)
            self._exit_callbacks.discard(exited)

        def exited(exit_info: ExitInfo) -> None:
            stop()
            on_failure(AgentExitedError(exit_info, "it became idle"))

        def observe(event: Dict[str, Any]) -> None:
            if event["type"] == "agent_settled" or _is_idle_snapshot(event):
                stop()
                on_success(None)

        def check_state(state: Any) -> None:
            if not is_active:
                return
            # Other agents with this protocol may not have the newer field isSettled.
            if state.get("isSettled", not state.get("isStreaming")):
                on_success(None)
                return
            self._observers.append(observe)
            self._exit_callbacks.add(exited)

        _, line = self.start("get_state", {}, check_state, on_failure)
        return line, stop

    # Incoming frames.

    def receive(self, line: bytes) -> Optional[Incoming]:
        """Settles pending calls. Returns a frame that listeners or the dialog handler must get."""
        if not line.strip():
            return None
        try:
            frame = json.loads(line)
        except ValueError:
            return Incoming("unhandled", line.decode("utf-8", "replace").rstrip("\n"))
        type = frame.get("type") if isinstance(frame, dict) else None
        if type == "response":
            return self._receive_reply(frame)
        if type == "ready":
            self.ready_info = frame
            return None
        if type == "extension_ui_request":
            return Incoming("display" if frame.get("method") in _DISPLAY_METHODS else "dialog", frame)
        if type == "session_attached":
            self._handle_attached(frame)
            return Incoming("attached", frame)
        if type == "session_snapshot":
            self.last_seq = frame["seq"]
            for observe in list(self._observers):
                observe(frame)
            return Incoming("snapshot", frame)
        if type in EVENT_TYPES:
            if not self._accept(frame.get("seq")):
                return None
            for observe in list(self._observers):
                observe(frame)
            return Incoming("event", frame)
        return Incoming("unhandled", frame)

    # A lost connection that is replaced by another one.

    def continue_params(self, params: Dict[str, Any]) -> Dict[str, Any]:
        """The parameters of a connection that continues after the last event."""
        session = self.attachment["sessionId"] if self.attachment else params.get("session")
        return {**params, "session": session, "after": self.last_seq}

    def suspend(self, reason: str, can_repeat: bool) -> None:
        """The connection is lost. Calls that were sent fail, unless they only read and may be repeated."""
        self.loss_count += 1
        again: List[HeldLine] = []
        for id, call in list(self._pending.items()):
            if not call.is_sent:
                continue
            if can_repeat and (call.command in READ_COMMANDS or call.command in CONNECTION_COMMANDS):
                call.is_sent = False
                again.append(HeldLine(id, call.line))
            else:
                del self._pending[id]
                call.on_failure(ConnectionLostError(call.command, reason))
        self._held = [*again, *(self._held or [])]

    def resume(self, on_resent: Callable[[Any], None]) -> None:
        """A session is attached again. `on_resent` is called when the agent has sent the open dialogs again."""
        waiting, self._held = self._held or [], []
        for command, params in self._connection_calls.items():
            self.start(command, params, _ignore, _ignore)
        self._held += waiting
        # The agent sends open dialogs when it attaches the session, so they arrive before this reply.
        self.start("get_state", {}, on_resent, on_resent)

    def take_held(self, loss_count: int) -> List[bytes]:
        """The lines to write next on the connection after the loss with this number. Empty when all have been taken."""
        if self._held is None or self.loss_count != loss_count:
            return []
        held, self._held = self._held, []
        lines = []
        for id, line in held:
            call = self._pending.get(id) if id is not None else None
            if call:
                call.is_sent = True
            if call or id is None:
                lines.append(line)
        if not lines:
            self._held = None
        return lines

    def handle_exit(self, exit_info: ExitInfo) -> None:
        """Fails every pending call and every wait."""
        self.exit_info = exit_info
        pending, self._pending = self._pending, {}
        for call in pending.values():
            call.on_failure(AgentExitedError(exit_info, f"it answered {call.command}"))
        for callback in list(self._exit_callbacks):
            callback(exit_info)

    def _handle_attached(self, frame: Dict[str, Any]) -> None:
        self.attachment = frame
        # The missed events have smaller numbers; a snapshot has its own number.
        if frame.get("replay") == "none":
            self.last_seq = frame["seq"]

    def _accept(self, seq: Optional[int]) -> bool:
        """False for an event that was delivered before."""
        if seq is None:
            return True
        if self.last_seq is not None and seq <= self.last_seq:
            return False
        self.last_seq = seq
        return True

    def _receive_reply(self, frame: Dict[str, Any]) -> Optional[Incoming]:
        id = self._find_call_id(frame)
        call = self._pending.pop(id, None) if id is not None else None
        if call is None:
            return self._receive_late_reply(frame)
        if frame.get("success"):
            if call.command in CONNECTION_COMMANDS:
                self._connection_calls[call.command] = call.params
            call.on_success(frame.get("data"))
        else:
            call.on_failure(RpcError(call.command, str(id), frame.get("error") or _NO_REASON))
        return None

    def _find_call_id(self, frame: Dict[str, Any]) -> Optional[str]:
        id, command = frame.get("id"), frame.get("command")
        if id is not None or frame.get("success"):
            return id if isinstance(id, str) else None
        if command == "parse":
            # This client writes only valid JSON, so a line that could not be parsed was too long.
            return max(self._pending, key=lambda each: len(self._pending[each].line), default=None)
        # Some agents reject an unknown command without its id. All calls of that name fail alike, so any of them matches.
        return next((each for each, call in self._pending.items() if call.command == command), None)

    def _receive_late_reply(self, frame: Dict[str, Any]) -> Optional[Incoming]:
        """A prompt can fail after it was accepted. Any other reply without a pending call is unhandled."""
        id = frame.get("id")
        on_failure = self._late_failures.pop(id, None) if isinstance(id, str) else None
        if on_failure is None or frame.get("success"):
            return Incoming("unhandled", frame)
        on_failure(RpcError(str(frame.get("command")), str(id), frame.get("error") or _NO_REASON))
        return None

    def _remove_observer(self, observer: EventObserver) -> None:
        if observer in self._observers:
            self._observers.remove(observer)


def encode(frame: Dict[str, Any]) -> bytes:
    return json.dumps(frame, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


def _is_idle_snapshot(frame: Dict[str, Any]) -> bool:
    return frame["type"] == "session_snapshot" and bool(frame.get("state", {}).get("isSettled"))


def _ignore(_: Any) -> None:
    pass


class _LeaveOpen:
    def __repr__(self) -> str:
        return "LEAVE_OPEN"


LEAVE_OPEN = _LeaveOpen()
"""Returned by a dialog handler that sends no answer: another client of the session may answer."""


def answer_frame(dialog: Dict[str, Any], answer: Any) -> Dict[str, Any]:
    """Converts what a handler returned: a bool confirms, a string is the value, a `UiAnswer` is sent as it is.

    Anything else dismisses the dialog.
    """
    fields: Dict[str, Any]
    if isinstance(answer, bool):
        fields = {"confirmed": answer}
    elif isinstance(answer, str):
        fields = {"value": answer}
    elif isinstance(answer, dict) and ("value" in answer or "confirmed" in answer):
        fields = {key: value for key, value in answer.items() if key not in ("type", "id")}
    else:
        fields = {"cancelled": True}
    return {"type": "extension_ui_response", "id": dialog["id"], **fields}
