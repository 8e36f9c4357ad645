"""Parses frames and matches replies with calls. Does no input or output, so that the thread and asyncio clients share it."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Tuple

from .errors import AgentExitedError, ExitInfo, RpcError
from .protocol import EVENT_TYPES

EventObserver = Callable[[Dict[str, Any]], None]

DIALOG_METHODS = {"select", "confirm", "input", "editor"}
_DISPLAY_METHODS = {"notify", "setStatus", "setWidget", "setTitle", "set_editor_text", "open_url", "cancel"}
_NO_REASON = "The agent gave no reason"


class PendingCall(NamedTuple):
    """The callbacks run as soon as the reply is parsed, before the next line is parsed."""

    command: str
    size: int
    on_success: Callable[[Any], None]
    on_failure: Callable[[BaseException], None]


class Incoming(NamedTuple):
    kind: str
    """`event`, `dialog`, `display` or `unhandled`."""
    frame: Any


class Connection:
    def __init__(self) -> None:
        self._call_count = 0
        self._pending: Dict[str, PendingCall] = {}
        self._observers: List[EventObserver] = []
        self._late_failures: Dict[str, Callable[[BaseException], None]] = {}
        self._exit_callbacks: Set[Callable[[ExitInfo], None]] = set()
        self.exit_info: Optional[ExitInfo] = None
        self.ready_info: Optional[Dict[str, Any]] = None

    # Outgoing frames. Each method returns the line to write.

    def start(
        self,
        command: str,
        params: Optional[Dict[str, Any]],
        on_success: Callable[[Any], None],
        on_failure: Callable[[BaseException], None],
    ) -> Tuple[str, bytes]:
        """Returns the id of the call and its line. Parameters that are None are left out."""
        if self.exit_info:
            raise AgentExitedError(self.exit_info, f"it answered {command}")
        id = f"req_{self._call_count + 1}"
        present = {key: value for key, value in (params or {}).items() if value is not None}
        line = encode({**present, "id": id, "type": command})
        self._call_count += 1
        self._pending[id] = PendingCall(command, len(line), on_success, on_failure)
        return id, line

    def start_run(
        self,
        params: Dict[str, Any],
        on_success: Callable[[Any], None],
        on_failure: Callable[[BaseException], None],
    ) -> Tuple[bytes, Callable[[], None]]:
        """A prompt that succeeds at `agent_settled`. Also returns a function that stops waiting."""
        messages: List[Any] = []
        is_active = True

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
            if event["type"] == "agent_settled":
                stop()
                on_success(None)

        def check_state(state: Any) -> None:
            if not is_active:
                return
            if not state.get("isStreaming"):
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
        if type in EVENT_TYPES:
            for observe in list(self._observers):
                observe(frame)
            return Incoming("event", frame)
        return Incoming("unhandled", frame)

    def handle_exit(self, exit_info: ExitInfo) -> None:
        """Fails every pending call and every wait."""
        self.exit_info = exit_info
        pending, self._pending = self._pending, {}
        for call in pending.values():
            call.on_failure(AgentExitedError(exit_info, f"it answered {call.command}"))
        for callback in list(self._exit_callbacks):
            callback(exit_info)

    def _receive_reply(self, frame: Dict[str, Any]) -> Optional[Incoming]:
        id = self._find_call_id(frame)
        call = self._pending.pop(id, None) if id is not None else None
        if call is None:
            return self._receive_late_reply(frame)
        if frame.get("success"):
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
            return max(self._pending, key=lambda each: self._pending[each].size, default=None)
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


def drop_cancelled(
    buffered: Optional[List[Dict[str, Any]]], display: Dict[str, Any]
) -> Optional[List[Dict[str, Any]]]:
    """Removes the dialog that a `cancel` frame names from the dialogs that wait for a handler."""
    if not buffered or display.get("method") != "cancel":
        return buffered
    return [dialog for dialog in buffered if dialog.get("id") != display.get("targetId")]


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
