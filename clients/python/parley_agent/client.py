"""A client that uses threads. It starts the agent as a child process, or connects to a running one."""

from __future__ import annotations

import concurrent.futures
import os
import queue
import sys
import threading
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Union, cast

from ._address import parse_address
from ._base_client import BaseClient
from ._commands import Commands
from ._connection import Connection, Incoming, _LeaveOpen, answer_frame, encode
from ._dialogs import DIALOG_METHODS, OpenDialog
from ._links import ProcessLink, SocketLink, start_thread
from ._reconnect import ConnectionState, ReconnectOptions, ReconnectPolicy, is_frame_too_large, to_options
from ._server_link import ServerLink
from .errors import AgentExitedError, ConnectError, ExitInfo, ParleyError
from .protocol import AgentEvent, AgentMessage, IncomingImage, UiAnswer, UiRequest

Answer = Union[str, bool, UiAnswer, _LeaveOpen, None]
DialogHandler = Callable[[UiRequest], Answer]

# How long close() and stop() wait for listeners. The limit is needed because a listener may itself wait for that thread.
_LISTENER_SECONDS = 5.0
_END = object()


def _ignore(_: Any) -> None:
    pass


class Client(BaseClient, Commands):
    """Starts `parley --mode rpc`. Every command is a method; `with` stops the agent at the end.

    Listeners are called one after the other on a separate thread, and may make calls. A listener may get an event
    shortly after the call that caused it has returned. When `close` or `stop` returns, listeners have got all events.
    The handler of `on_dialog` runs on a new thread for each dialog, because the user may take long to answer.
    """

    def __init__(
        self,
        command: Sequence[str] = ("parley",),
        *,
        args: Sequence[str] = (),
        cwd: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        timeout: Optional[float] = None,
        on_dialog: Optional[DialogHandler] = None,
    ) -> None:
        """`env` is merged into this process's environment. `timeout` (seconds) is the default for every call.
        """
        link = ProcessLink([*command, "--mode", "rpc", *args], cwd, {**os.environ, **(env or {})})
        self._open(link, Connection(), timeout, on_dialog)

    @classmethod
    def connect(
        cls,
        url: str,
        *,
        token: Optional[str] = None,
        session: Optional[str] = None,
        after: Optional[int] = None,
        client: Optional[str] = None,
        stream: Optional[str] = None,
        cwd: Optional[str] = None,
        access: Optional[str] = None,
        timeout: Optional[float] = None,
        connect_timeout: float = 30.0,
        reconnect: Union[bool, ReconnectOptions] = False,
        on_dialog: Optional[DialogHandler] = None,
        on_event: Optional[Callable[[AgentEvent], None]] = None,
        on_snapshot: Optional[Callable[[Dict[str, Any]], None]] = None,
        on_connection_state: Optional[Callable[[ConnectionState], None]] = None,
    ) -> "Client":
        """Connects to a running agent: `http://host:port/?token=T`, `ws://…` or `unix:/path`. Returns when a session is attached.

        `session` is the id of an open or stored session; by default a new one is opened in `cwd`. `after` is the number of
        the last event that was received (`last_seq`): the events after it, or a snapshot, are sent first. `client` is the
        name that other clients see. With `access="read"` commands that change something are refused. The connection is read
        when the first listener is added or the first call is made; `on_event` and `on_snapshot` are added before.

        With `reconnect` a broken connection is replaced, and no event is lost or repeated. Calls that wait for a reply then
        raise ConnectionLostError, unless they only read. Calls that are made without a connection wait for the next one. The
        client ends when another attempt cannot succeed, as after a refused token.

        `close` and `stop` leave the session, whose run continues. Dialogs without a handler stay open for other clients.
        """
        params = {"session": session, "after": after, "client": client, "stream": stream, "cwd": cwd, "access": access}
        connection = Connection(after)

        def open_link() -> SocketLink:
            return SocketLink(parse_address(url, token, connection.continue_params(params)), connect_timeout)

        self = cls.__new__(cls)
        policy = ReconnectPolicy(to_options(reconnect))
        link = ServerLink(open_link(), open_link, policy, self._handle_loss, self._handle_state)
        self._open(link, connection, timeout, on_dialog)
        self._wait_for_attachment(link, connect_timeout)
        if on_connection_state:
            self.on_connection_state(on_connection_state)
        if on_snapshot:
            self.on_snapshot(on_snapshot)
        if on_event:
            self.on_event(on_event)
        elif on_snapshot:
            self._release()
        return self

    def _open(
        self,
        link: Union[ProcessLink, ServerLink],
        connection: Connection,
        timeout: Optional[float],
        on_dialog: Optional[DialogHandler],
    ) -> None:
        self._link = link
        is_shared = isinstance(link, ServerLink)
        self._prepare(connection, is_shared, timeout, on_dialog is not None)
        self._dialog_handler = on_dialog
        self._state = threading.Lock()
        self._writing = threading.Lock()
        self._readers: List["queue.Queue[Any]"] = []
        self._incoming: "queue.Queue[Any]" = queue.Queue()
        self._closed = threading.Event()
        self._attached = threading.Event()
        # Set when a listener was added or a call was made. Until then no frame after `session_attached` is read.
        self._released = threading.Event()
        if not is_shared:
            self._released.set()
        self._dispatcher = start_thread(self._dispatch)
        link.start(self._receive, self._handle_exit)

    @property
    def pid(self) -> Optional[int]:
        """None for a connection."""
        return self._link.pid

    def call(
        self, command: str, params: Optional[Dict[str, Any]] = None, *, timeout: Optional[float] = None
    ) -> Any:
        """Calls any command by its protocol name, also one that this client has no method for."""
        outcome: "concurrent.futures.Future[Any]" = concurrent.futures.Future()
        with self._state:
            _, line = self._connection.start(command, params, outcome.set_result, outcome.set_exception)
            link = self._link.current
        self._write(line, link)
        return self._wait(outcome, timeout, command)

    def send(self, frame: Dict[str, Any]) -> None:
        """Sends a frame unchanged. A reply to it goes to `on_unhandled`."""
        self._stop_buffering()
        self._released.set()
        self._send(encode(frame))

    def prompt_and_wait(
        self,
        message: str,
        *,
        images: Optional[List[IncomingImage]] = None,
        streaming_behavior: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> List[AgentMessage]:
        """Sends a prompt and returns all messages of its runs at `agent_settled`. After `timeout` the run is aborted."""
        params = {"message": message, "images": images, "streamingBehavior": streaming_behavior}
        outcome: "concurrent.futures.Future[Any]" = concurrent.futures.Future()
        with self._state:
            line, stop = self._connection.start_run(params, outcome.set_result, outcome.set_exception)
            link = self._link.current
        self._write(line, link)
        try:
            return cast(List[AgentMessage], self._wait(outcome, timeout, "prompt"))
        except TimeoutError:
            with self._state:
                stop()
                _, line = self._connection.start("abort", {}, _ignore, _ignore)
                link = self._link.current
            self._write(line, link)
            raise

    def wait_for_idle(self, *, timeout: Optional[float] = None) -> None:
        """Returns when no run is in progress and no retry or queued message is left."""
        outcome: "concurrent.futures.Future[Any]" = concurrent.futures.Future()
        with self._state:
            line, stop = self._connection.start_idle(outcome.set_result, outcome.set_exception)
            link = self._link.current
        self._write(line, link)
        try:
            self._wait(outcome, timeout, "wait_for_idle")
        except TimeoutError:
            with self._state:
                stop()
            raise

    def events(self) -> Iterator[AgentEvent]:
        """The events from this call on, until the agent exits. Raises AgentExitedError unless this client stopped it."""
        events: "queue.Queue[Any]" = queue.Queue()
        with self._state:
            if self._connection.exit_info:
                events.put(_END)
            self._readers.append(events)
        self._released.set()
        return self._iterate(events)

    def on_dialog(self, handler: Optional[DialogHandler]) -> None:
        """Sets the handler for dialogs. It returns a string for select, input and editor, a bool for confirm, None to dismiss.
        A `UiAnswer` can have more fields: `{"value": "deny", "message": "…"}` denies a tool call and tells the model why.

        Dialogs that arrive before the first call wait for a handler. After it, dialogs without a handler are dismissed;
        those of a running agent stay open for its other clients, and so does one whose handler returns `LEAVE_OPEN`.
        """
        with self._state:
            self._dialog_handler = handler
            self._dialogs.has_handler = handler is not None
        self._stop_buffering()
        self._released.set()

    def close(self, *, timeout: Optional[float] = None) -> ExitInfo:
        """Closes stdin and waits until the agent has finished its work and exited. A connection is closed at once."""
        self._closing = True
        self._released.set()
        self._end_input()
        return self._wait_for_exit(timeout)

    def stop(self, *, grace: float = 5.0) -> ExitInfo:
        """Sends SIGTERM: the agent aborts its runs, ends its children and closes its log. After `grace` seconds, SIGKILL.

        A connection is only closed: the agent continues.
        """
        self._closing = True
        self._released.set()
        self._link.terminate()
        try:
            return self._wait_for_exit(grace)
        except TimeoutError:
            self._link.kill()
            return self._wait_for_exit(None)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _release(self) -> None:
        self._released.set()

    def _wait_for_attachment(self, link: ServerLink, timeout: float) -> None:
        is_in_time = self._attached.wait(timeout)
        if is_in_time and self._connection.attachment:
            return
        exit_info = self._connection.exit_info
        name = link.current.address.name
        self.stop(grace=0)
        if link.connect_error:
            raise link.connect_error
        if exit_info is None:
            raise ConnectError(f"{name} did not attach a session in time")
        raise ConnectError(f"{name} refused the connection: {exit_info.reason}", close_code=exit_info.close_code)

    def _receive(self, line: bytes) -> None:
        with self._state:
            incoming = self._connection.receive(line)
            if incoming and incoming.kind == "event":
                for reader in self._readers:
                    reader.put(incoming.frame)
            if incoming and incoming.kind == "attached":
                self._handle_attached()
        if incoming:
            self._incoming.put(incoming)
        if self._connection.attachment and not self._attached.is_set():
            self._attached.set()
            self._released.wait()

    def _handle_attached(self) -> None:
        """Called with the lock."""
        link = cast(ServerLink, self._link)
        link.confirm()
        if self._connection_state.status == "connected":
            return
        self._handle_state(ConnectionState("connected"))
        self._connection.resume(lambda _: self._incoming.put(Incoming("resent")))
        losses = self._connection.loss_count
        target = link.current

        def send_held() -> None:
            while True:
                # Calls that are made meanwhile are held too, and so keep their order.
                with self._state:
                    lines = self._connection.take_held(losses)
                if not lines or link.is_closed:
                    return
                for line in lines:
                    try:
                        self._write_line(line, target)
                    except ParleyError:
                        # The client was closed meanwhile: the pending calls fail with their own error.
                        return

        # Not on this thread, which must continue to read.
        start_thread(send_held)

    def _handle_loss(self, end: ExitInfo) -> None:
        with self._state:
            self._connection.suspend(end.reason, can_repeat=not is_frame_too_large(end))
        self._incoming.put(Incoming("lost"))

    def _handle_state(self, state: ConnectionState) -> None:
        self._connection_state = state
        self._incoming.put(Incoming("state", state))

    def _handle_exit(self, exit_info: ExitInfo) -> None:
        with self._state:
            self._connection.handle_exit(exit_info)
            for reader in self._readers:
                reader.put(_END)
        self._handle_state(ConnectionState("closed", exit_info.reason))
        self._incoming.put(_END)
        self._closed.set()
        self._attached.set()

    def _dispatch(self) -> None:
        while True:
            incoming = self._incoming.get()
            if incoming is _END:
                return
            with self._state:
                withdrawn = self._update_dialogs(incoming)
            for each in withdrawn:
                self._notify(each)
            if incoming.kind == "dialog":
                with self._state:
                    dialog = self._dialogs.add(incoming.frame)
                self._start_answers([dialog] if dialog else [])
            elif incoming.kind not in ("lost", "resent"):
                self._notify(incoming)

    def _start_answers(self, dialogs: List[OpenDialog]) -> None:
        for dialog in dialogs:
            threading.Thread(target=self._answer, args=(dialog,), daemon=True).start()

    def _stop_buffering(self) -> None:
        """Handles the buffered dialogs now, and later dialogs as they arrive."""
        with self._state:
            dialogs = self._dialogs.stop_buffering()
        self._start_answers(dialogs)

    def _notify(self, incoming: Incoming) -> None:
        for listener in self._list_listeners(incoming.kind):
            try:
                listener(incoming.frame)
            except Exception:
                # Report the exception like one of a thread, and call the remaining listeners.
                threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))

    def _answer(self, dialog: OpenDialog) -> None:
        frame = dialog.frame
        answer: Answer = dialog.answer
        try:
            if dialog.has_answer:
                pass
            elif frame.get("method") not in DIALOG_METHODS:
                self._notify(Incoming("unhandled", frame))
            elif self._dialog_handler:
                answer = self._dialog_handler(cast(UiRequest, frame))
        finally:
            with self._state:
                is_awaited = self._dialogs.finish(dialog, answer, self._connection.loss_count)
            if is_awaited:
                self._send(encode(answer_frame(frame, answer)))

    def _send(self, line: bytes) -> None:
        """Sends a line now, or on the next connection."""
        with self._state:
            if self._connection.hold(line):
                return
            link = self._link.current
        self._write_line(line, link)

    def _write(self, line: bytes, link: Union[ProcessLink, SocketLink]) -> None:
        self._stop_buffering()
        self._released.set()
        self._write_line(line, link)

    def _write_line(self, line: bytes, link: Union[ProcessLink, SocketLink]) -> None:
        """Drops the line when the agent has exited: pending calls already fail with AgentExitedError."""
        with self._writing:
            if self._link.is_closed:
                if self._closed.is_set() or not self._closing:
                    return
                raise ParleyError("The client is closed and accepts no more calls")
            try:
                if line:
                    link.write(line)
            except (OSError, ValueError):
                pass

    def _end_input(self) -> None:
        with self._writing:
            try:
                self._link.end_input()
            except (OSError, ValueError):
                pass

    def _wait(self, outcome: "concurrent.futures.Future[Any]", timeout: Optional[float], what: str) -> Any:
        limit = self._timeout if timeout is None else timeout
        try:
            return outcome.result(limit)
        except concurrent.futures.TimeoutError:
            raise TimeoutError(f"The agent did not answer {what} within {limit} s") from None

    def _wait_for_exit(self, timeout: Optional[float]) -> ExitInfo:
        if not self._closed.wait(timeout):
            raise TimeoutError(f"The agent did not exit within {timeout} s; stop() ends it")
        self._end_input()
        if threading.current_thread() is not self._dispatcher:
            self._dispatcher.join(_LISTENER_SECONDS)
        return cast(ExitInfo, self._connection.exit_info)

    def _iterate(self, events: "queue.Queue[Any]") -> Iterator[AgentEvent]:
        try:
            while True:
                event = events.get()
                if event is _END:
                    if not self._closing:
                        raise AgentExitedError(cast(ExitInfo, self._connection.exit_info), "it was stopped")
                    return
                yield event
        finally:
            with self._state:
                self._readers.remove(events)
