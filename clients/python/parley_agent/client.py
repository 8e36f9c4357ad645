"""A client that starts the agent as a child process and uses threads."""

from __future__ import annotations

import concurrent.futures
import os
import queue
import subprocess
import sys
import threading
from typing import IO, Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Union, cast

from ._commands import Commands
from ._connection import DIALOG_METHODS, Connection, Incoming, answer_frame, drop_cancelled, encode
from .errors import AgentExitedError, ExitInfo, ParleyError
from .protocol import AgentEvent, AgentMessage, IncomingImage, UiAnswer, UiRequest

Answer = Union[str, bool, UiAnswer, None]
DialogHandler = Callable[[UiRequest], Answer]
Listener = Callable[[Any], None]

_STDERR_TAIL = 8 * 1024
_DRAIN_SECONDS = 1.0
# How long close() and stop() wait for listeners. The limit is needed because a listener may itself wait for that thread.
_LISTENER_SECONDS = 5.0
_END = object()


def _ignore(_: Any) -> None:
    pass


class Client(Commands):
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
        self._timeout = timeout
        self._dialog_handler = on_dialog
        # Dialogs that arrived before the first call, or None once buffering has stopped.
        self._buffered: Optional[List[Dict[str, Any]]] = None if self._dialog_handler else []
        self._connection = Connection()
        self._state = threading.Lock()
        self._writing = threading.Lock()
        self._events: List[Listener] = []
        self._displays: List[Listener] = []
        self._unhandled: List[Listener] = []
        self._readers: List["queue.Queue[Any]"] = []
        self._incoming: "queue.Queue[Any]" = queue.Queue()
        self._stderr_tail = b""
        self._closed = threading.Event()
        self._closing = False
        try:
            self._process = subprocess.Popen(
                [*command, "--mode", "rpc", *args],
                cwd=cwd,
                env={**os.environ, **(env or {})},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            raise ParleyError(f"Cannot start {command[0]}: {error}") from error
        self._threads = [self._thread(work) for work in (self._read, self._read_stderr)]
        self._dispatcher = self._thread(self._dispatch)
        self._thread(self._watch)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def ready_info(self) -> Optional[Dict[str, Any]]:
        """The `ready` frame of the agent, or None before it has arrived."""
        return self._connection.ready_info

    def call(
        self, command: str, params: Optional[Dict[str, Any]] = None, *, timeout: Optional[float] = None
    ) -> Any:
        """Calls any command by its protocol name, also one that this client has no method for."""
        outcome: "concurrent.futures.Future[Any]" = concurrent.futures.Future()
        with self._state:
            _, line = self._connection.start(command, params, outcome.set_result, outcome.set_exception)
        self._write(line)
        return self._wait(outcome, timeout, command)

    def send(self, frame: Dict[str, Any]) -> None:
        """Sends a frame unchanged. A reply to it goes to `on_unhandled`."""
        self._write(encode(frame))

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
        self._write(line)
        try:
            return cast(List[AgentMessage], self._wait(outcome, timeout, "prompt"))
        except TimeoutError:
            with self._state:
                stop()
                _, line = self._connection.start("abort", {}, _ignore, _ignore)
            self._write(line)
            raise

    def wait_for_idle(self, *, timeout: Optional[float] = None) -> None:
        """Returns when no run is in progress and no retry or queued message is left."""
        outcome: "concurrent.futures.Future[Any]" = concurrent.futures.Future()
        with self._state:
            line, stop = self._connection.start_idle(outcome.set_result, outcome.set_exception)
        self._write(line)
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
        return self._iterate(events)

    def on_event(self, listener: Callable[[AgentEvent], None]) -> Callable[[], None]:
        """Returns a function that removes the listener, as do `on_display` and `on_unhandled`."""
        return self._add(self._events, listener)

    def on_display(self, listener: Callable[[UiRequest], None]) -> Callable[[], None]:
        """Requests of the agent that need no answer: notices, status lines, titles."""
        return self._add(self._displays, listener)

    def on_unhandled(self, listener: Callable[[Any], None]) -> Callable[[], None]:
        """Unknown events, replies without a pending call, and the text of lines that are not frames."""
        return self._add(self._unhandled, listener)

    def on_dialog(self, handler: Optional[DialogHandler]) -> None:
        """Sets the handler for dialogs. It returns a string for select, input and editor, a bool for confirm, None to dismiss.
        A `UiAnswer` can have more fields: `{"value": "deny", "message": "…"}` denies a tool call and tells the model why.

        Dialogs that arrive before the first call wait for a handler. After it, dialogs without a handler are dismissed.
        """
        with self._state:
            self._dialog_handler = handler
        self._stop_buffering()

    def close(self, *, timeout: Optional[float] = None) -> ExitInfo:
        """Closes stdin and waits until the agent has finished its work and exited."""
        self._closing = True
        self._end_input()
        return self._wait_for_exit(timeout)

    def stop(self, *, grace: float = 5.0) -> ExitInfo:
        """Sends SIGTERM: the agent aborts its runs, ends its children and closes its log. After `grace` seconds, SIGKILL."""
        self._closing = True
        if self._process.poll() is None:
            self._process.terminate()
        try:
            return self._wait_for_exit(grace)
        except TimeoutError:
            self._process.kill()
            return self._wait_for_exit(None)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _thread(self, work: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=work, name=f"parley {work.__name__}", daemon=True)
        thread.start()
        return thread

    def _read(self) -> None:
        # Iterating over a binary stream splits at \n only, as the protocol requires.
        with cast(IO[bytes], self._process.stdout) as stdout:
            for line in stdout:
                self._receive(line)

    def _receive(self, line: bytes) -> None:
        with self._state:
            incoming = self._connection.receive(line)
            if incoming and incoming.kind == "event":
                for reader in self._readers:
                    reader.put(incoming.frame)
        if incoming:
            self._incoming.put(incoming)

    def _read_stderr(self) -> None:
        with cast(IO[bytes], self._process.stderr) as stderr:
            while True:
                chunk = os.read(stderr.fileno(), 65536)
                if not chunk:
                    return
                self._stderr_tail = (self._stderr_tail + chunk)[-_STDERR_TAIL:]

    def _watch(self) -> None:
        """Waits for the process, not for the end of its pipes: a child that outlives the agent may hold them open."""
        code = self._process.wait()
        for thread in self._threads:
            thread.join(_DRAIN_SECONDS)
        exit_info = ExitInfo(code, self._stderr_tail.decode("utf-8", "replace"))
        with self._state:
            self._connection.handle_exit(exit_info)
            for reader in self._readers:
                reader.put(_END)
        self._incoming.put(_END)
        self._closed.set()

    def _dispatch(self) -> None:
        while True:
            incoming = self._incoming.get()
            if incoming is _END:
                return
            if incoming.kind == "dialog":
                self._handle_dialog(incoming.frame)
                continue
            if incoming.kind == "display":
                with self._state:
                    self._buffered = drop_cancelled(self._buffered, incoming.frame)
            self._notify(incoming)

    def _handle_dialog(self, dialog: Dict[str, Any]) -> None:
        with self._state:
            if self._buffered is not None and dialog.get("method") in DIALOG_METHODS:
                self._buffered.append(dialog)
                return
        threading.Thread(target=self._answer, args=(dialog,), daemon=True).start()

    def _stop_buffering(self) -> None:
        """Handles the buffered dialogs now, and later dialogs as they arrive."""
        with self._state:
            dialogs, self._buffered = self._buffered or [], None
        for dialog in dialogs:
            self._handle_dialog(dialog)

    def _notify(self, incoming: Incoming) -> None:
        listeners = {"event": self._events, "display": self._displays}.get(incoming.kind, self._unhandled)
        for listener in list(listeners):
            try:
                listener(incoming.frame)
            except Exception:
                # Report the exception like one of a thread, and call the remaining listeners.
                threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))

    def _answer(self, dialog: Dict[str, Any]) -> None:
        answer: Answer = None
        try:
            if dialog.get("method") not in DIALOG_METHODS:
                self._notify(Incoming("unhandled", dialog))
            elif self._dialog_handler:
                answer = self._dialog_handler(cast(UiRequest, dialog))
        finally:
            self._write_line(encode(answer_frame(dialog, answer)))

    def _write(self, line: bytes) -> None:
        self._stop_buffering()
        self._write_line(line)

    def _write_line(self, line: bytes) -> None:
        """Drops the line when the agent has exited: pending calls already fail with AgentExitedError."""
        with self._writing:
            stdin = cast(IO[bytes], self._process.stdin)
            if stdin.closed:
                if self._closed.is_set():
                    return
                raise ParleyError("The client is closed and accepts no more calls")
            try:
                stdin.write(line)
                stdin.flush()
            except OSError:
                pass

    def _end_input(self) -> None:
        with self._writing:
            try:
                cast(IO[bytes], self._process.stdin).close()
            except OSError:
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

    def _add(self, listeners: List[Listener], listener: Listener) -> Callable[[], None]:
        listeners.append(listener)

        def stop() -> None:
            if listener in listeners:
                listeners.remove(listener)

        return stop
