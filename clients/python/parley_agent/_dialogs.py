"""The dialogs of the agent that are not answered yet. Does no input or output; the clients protect it with their lock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from ._connection import LEAVE_OPEN, Incoming

DIALOG_METHODS = {"select", "confirm", "input", "editor"}


@dataclass(eq=False)
class OpenDialog:
    """A dialog whose handler is running, or whose answer waits until the agent has sent the dialog again."""

    frame: Dict[str, Any]
    is_current: bool = True
    """The agent has sent it on the current connection."""
    has_answer: bool = False
    """The handler has returned while the connection was lost."""
    answer: Any = None


class OpenDialogs:
    def __init__(self, is_shared: bool, has_handler: bool) -> None:
        """`is_shared`: other clients may answer, so dialogs without a handler stay open."""
        self._is_shared = is_shared
        self.has_handler = has_handler
        self._is_buffering = not has_handler
        # Dialogs that wait for a handler.
        self._buffered: List[Dict[str, Any]] = []
        self._handled: Dict[Any, OpenDialog] = {}
        # How many losses of the connection have been handled. The client may know of more.
        self._loss_count = 0

    def add(self, frame: Dict[str, Any]) -> Optional[OpenDialog]:
        """Returns the dialog if it must be answered now, perhaps with the answer that it has. None if it waits, or if its
        handler is running.
        """
        id = frame.get("id")
        handled = self._handled.get(id)
        if handled:
            handled.is_current = True
            return handled if handled.has_answer else None
        self._drop(id)
        if frame.get("method") not in DIALOG_METHODS:
            return OpenDialog(frame)
        if self._is_buffering or (self._is_shared and not self.has_handler):
            self._buffered.append(frame)
            return None
        opened = self._handled[id] = OpenDialog(frame)
        return opened

    def cancel(self, id: Any) -> None:
        """Another client has answered, or the agent does not need the answer any more."""
        self._drop(id)
        self._handled.pop(id, None)

    def stop_buffering(self) -> List[OpenDialog]:
        """Returns the dialogs that must be answered now."""
        if self._is_shared and not self.has_handler:
            return []
        self._is_buffering = False
        frames, self._buffered = self._buffered, []
        return [opened for opened in map(self.add, frames) if opened]

    def finish(self, dialog: OpenDialog, answer: Any, loss_count: int) -> bool:
        """The handler has returned. False if the answer must not be sent now.

        `loss_count`: how often the connection was lost. An answer without a connection waits until the agent has sent the
        dialog again, so that it is not asked twice.
        """
        id = dialog.frame.get("id")
        is_left_open = answer is LEAVE_OPEN
        if dialog.frame.get("method") not in DIALOG_METHODS:
            return not self._is_shared and not is_left_open
        is_withdrawn = self._handled.get(id) is not dialog
        is_current = dialog.is_current and self._loss_count == loss_count
        if not is_withdrawn and not is_current and not is_left_open:
            dialog.has_answer, dialog.answer = True, answer
            return False
        if not is_withdrawn:
            del self._handled[id]
        return not (is_left_open or (is_withdrawn and self._is_shared))

    def start_resending(self) -> None:
        """The connection is lost. The agent sends the open dialogs again on the next one."""
        self._loss_count += 1
        self._buffered = []
        for dialog in self._handled.values():
            dialog.is_current = False

    def end_resending(self) -> List[Incoming]:
        """Returns the `cancel` frames of dialogs that were not sent again: another client has answered them."""
        return self._withdraw([id for id, dialog in self._handled.items() if not dialog.is_current])

    def withdraw_all(self) -> List[Incoming]:
        """The client follows another session, whose dialogs are sent next."""
        self._buffered = []
        return self._withdraw(list(self._handled))

    def _withdraw(self, ids: List[Any]) -> List[Incoming]:
        asked = [id for id in ids if not self._handled[id].has_answer]
        for id in ids:
            self.cancel(id)
        frame = {"type": "extension_ui_request", "method": "cancel"}
        return [Incoming("display", {**frame, "id": id, "targetId": id}) for id in asked]

    def _drop(self, id: Any) -> None:
        self._buffered = [frame for frame in self._buffered if frame.get("id") != id]
