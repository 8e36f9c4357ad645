"""What a line means and who waits for it. Writes and reads nothing itself, so that threads and asyncio share it."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Tuple

from .errors import AgentGone, Farewell, RpcError
from .protocol import EVENT_TYPES

Tap = Callable[[Dict[str, Any]], None]

QUESTIONS = {"select", "confirm", "input", "editor"}
_DISPLAYS = {"notify", "setStatus", "setWidget", "setTitle", "set_editor_text", "open_url", "cancel"}
_NO_REASON = "The agent gave no reason"


class Waiting(NamedTuple):
    """Either is called at once when the reply is read, before the next line is looked at."""

    command: str
    size: int
    done: Callable[[Any], None]
    failed: Callable[[BaseException], None]


class Incoming(NamedTuple):
    kind: str
    """`event`, `question`, `display` or `other`."""
    frame: Any


class Connection:
    def __init__(self) -> None:
        self._made = 0
        self._waiting: Dict[str, Waiting] = {}
        self._taps: List[Tap] = []
        self._late: Dict[str, Callable[[BaseException], None]] = {}
        self._whoever: Set[Callable[[Farewell], None]] = set()
        self.farewell: Optional[Farewell] = None
        self.greeting: Optional[Dict[str, Any]] = None

    # What goes out. Each returns the line to be written.

    def start(
        self,
        command: str,
        params: Optional[Dict[str, Any]],
        done: Callable[[Any], None],
        failed: Callable[[BaseException], None],
    ) -> Tuple[str, bytes]:
        """Returns the id of the call, and its line. What is None in the parameters is left out."""
        if self.farewell:
            raise AgentGone(self.farewell, f"it answered {command}")
        id = f"req_{self._made + 1}"
        given = {key: value for key, value in (params or {}).items() if value is not None}
        line = encode({**given, "id": id, "type": command})
        self._made += 1
        self._waiting[id] = Waiting(command, len(line), done, failed)
        return id, line

    def start_run(
        self, params: Dict[str, Any], done: Callable[[Any], None], failed: Callable[[BaseException], None]
    ) -> Tuple[bytes, Callable[[], None]]:
        """A prompt that is done when nothing automatic remains. Also returns the way to stop waiting."""
        made: List[Any] = []
        wanted = True

        def stop() -> None:
            nonlocal wanted
            wanted = False
            self._late.pop(id, None)
            self._untap(tap)
            self._whoever.discard(gone)

        def ended(outcome: Callable[[Any], None]) -> Callable[[Any], None]:
            def end(value: Any) -> None:
                stop()
                outcome(value)

            return end

        def gone(farewell: Farewell) -> None:
            ended(failed)(AgentGone(farewell, "the prompt was done"))

        def tap(event: Dict[str, Any]) -> None:
            if event["type"] == "agent_end":
                made.extend(event["messages"])
            elif event["type"] == "agent_settled":
                ended(done)(made)

        def accepted(_: Any) -> None:
            if not wanted:
                return
            # Events before the acceptance belong to what ran before.
            self._taps.append(tap)
            self._late[id] = ended(failed)
            self._whoever.add(gone)

        id, line = self.start("prompt", params, accepted, failed)
        return line, stop

    def start_idle(
        self, done: Callable[[Any], None], failed: Callable[[BaseException], None]
    ) -> Tuple[bytes, Callable[[], None]]:
        """Done when nothing runs. Also returns the way to stop waiting."""
        wanted = True

        def stop() -> None:
            nonlocal wanted
            wanted = False
            self._untap(tap)
            self._whoever.discard(gone)

        def gone(farewell: Farewell) -> None:
            stop()
            failed(AgentGone(farewell, "it came to rest"))

        def tap(event: Dict[str, Any]) -> None:
            if event["type"] == "agent_settled":
                stop()
                done(None)

        def told(state: Any) -> None:
            if not wanted:
                return
            if not state.get("isStreaming"):
                done(None)
                return
            self._taps.append(tap)
            self._whoever.add(gone)

        _, line = self.start("get_state", {}, told, failed)
        return line, stop

    # What comes in.

    def take(self, line: bytes) -> Optional[Incoming]:
        """Settles what was waited for. Returns what is for listeners and handlers."""
        if not line.strip():
            return None
        try:
            frame = json.loads(line)
        except ValueError:
            return Incoming("other", line.decode("utf-8", "replace").rstrip("\n"))
        kind = frame.get("type") if isinstance(frame, dict) else None
        if kind == "response":
            return self._reply(frame)
        if kind == "ready":
            self.greeting = frame
            return None
        if kind == "extension_ui_request":
            return Incoming("display" if frame.get("method") in _DISPLAYS else "question", frame)
        if kind in EVENT_TYPES:
            for tap in list(self._taps):
                tap(frame)
            return Incoming("event", frame)
        return Incoming("other", frame)

    def gone(self, farewell: Farewell) -> None:
        """Nothing more will come: whoever waits is told so."""
        self.farewell = farewell
        waiting, self._waiting = self._waiting, {}
        for call in waiting.values():
            call.failed(AgentGone(farewell, f"it answered {call.command}"))
        for whoever in list(self._whoever):
            whoever(farewell)

    def _reply(self, frame: Dict[str, Any]) -> Optional[Incoming]:
        id = self._id_for(frame)
        call = self._waiting.pop(id, None) if id is not None else None
        if call is None:
            return self._unclaimed(frame)
        if frame.get("success"):
            call.done(frame.get("data"))
        else:
            call.failed(RpcError(call.command, str(id), frame.get("error") or _NO_REASON))
        return None

    def _id_for(self, frame: Dict[str, Any]) -> Optional[str]:
        id, command = frame.get("id"), frame.get("command")
        if id is not None or frame.get("success"):
            return id if isinstance(id, str) else None
        if command == "parse":
            # What is written here is always JSON, so a line that could not be read can only have been too long.
            return max(self._waiting, key=lambda each: self._waiting[each].size, default=None)
        # Unknown commands are refused without their id. A name is known or not, so any call of that name will do.
        return next((each for each, call in self._waiting.items() if call.command == command), None)

    def _unclaimed(self, frame: Dict[str, Any]) -> Optional[Incoming]:
        id = frame.get("id")
        failed = self._late.pop(id, None) if isinstance(id, str) else None
        if failed is None or frame.get("success"):
            return Incoming("other", frame)
        failed(RpcError(str(frame.get("command")), str(id), frame.get("error") or _NO_REASON))
        return None

    def _untap(self, tap: Tap) -> None:
        if tap in self._taps:
            self._taps.remove(tap)


def encode(frame: Dict[str, Any]) -> bytes:
    return json.dumps(frame, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


def still_asked(kept: Optional[List[Dict[str, Any]]], shown: Dict[str, Any]) -> Optional[List[Dict[str, Any]]]:
    """What is left of the questions that wait for a handler: an agent may take one back."""
    if not kept or shown.get("method") != "cancel":
        return kept
    return [question for question in kept if question.get("id") != shown.get("targetId")]


def answer_frame(question: Dict[str, Any], answer: Any) -> Dict[str, Any]:
    """What a handler returned, as the agent wants it: text, yes or no, or None to dismiss the question."""
    told: Dict[str, Any]
    if isinstance(answer, bool):
        told = {"confirmed": answer}
    elif isinstance(answer, str):
        told = {"value": answer}
    else:
        told = {"cancelled": True}
    return {"type": "extension_ui_response", "id": question["id"], **told}
