"""An agent as a child process, for programs with threads. Knows pipes and threads, and no command."""

from __future__ import annotations

import concurrent.futures
import os
import queue
import subprocess
import sys
import threading
from typing import IO, Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Union, cast

from ._commands import Commands
from ._connection import QUESTIONS, Connection, Incoming, answer_frame, encode, still_asked
from .errors import AgentGone, Farewell, ParleyError
from .protocol import AgentEvent, AgentMessage, IncomingImage, UiRequest

Answer = Union[str, bool, None]
AskHandler = Callable[[UiRequest], Answer]
Listener = Callable[[Any], None]

_TAIL = 8 * 1024
_DRAIN_SECONDS = 1.0
# How long a farewell waits for listeners: one of them may wait for the thread that says it.
_HEAR_SECONDS = 5.0
_END = object()


def _ignore(_: Any) -> None:
    pass


class Client(Commands):
    """Starts `parley --mode rpc` and talks to it. Every command is a method; `with` stops the agent at the end.

    Listeners are called one after the other on a thread of their own, where they may make calls: they may hear an
    event a little after the call that it belongs to has returned, and have heard all of them when `close` or `stop`
    returns. The handler of `on_ask` gets a thread for each question, because a person may take a while.
    """

    def __init__(
        self,
        command: Sequence[str] = ("parley",),
        *,
        args: Sequence[str] = (),
        cwd: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        timeout: Optional[float] = None,
        on_ask: Optional[AskHandler] = None,
    ) -> None:
        """`env` is laid over this process's environment. `timeout` holds for every call that names none."""
        self._timeout = timeout
        self._on_ask = on_ask
        self._kept: Optional[List[Dict[str, Any]]] = None if on_ask else []
        self._connection = Connection()
        self._state = threading.Lock()
        self._writing = threading.Lock()
        self._events: List[Listener] = []
        self._displays: List[Listener] = []
        self._others: List[Listener] = []
        self._readers: List["queue.Queue[Any]"] = []
        self._news: "queue.Queue[Any]" = queue.Queue()
        self._tail = b""
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
        except OSError as problem:
            raise ParleyError(f"Cannot start {command[0]}: {problem}") from problem
        self._threads = [self._thread(work) for work in (self._read, self._read_stderr)]
        self._teller = self._thread(self._tell)
        self._thread(self._watch)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def greeting(self) -> Optional[Dict[str, Any]]:
        """What the agent said of itself when it started, once it has said it."""
        return self._connection.greeting

    def call(
        self, command: str, params: Optional[Dict[str, Any]] = None, *, timeout: Optional[float] = None
    ) -> Any:
        """Calls any command by its name on the wire, known here or not."""
        outcome: "concurrent.futures.Future[Any]" = concurrent.futures.Future()
        with self._state:
            _, line = self._connection.start(command, params, outcome.set_result, outcome.set_exception)
        self._write(line)
        return self._wait(outcome, timeout, command)

    def send(self, frame: Dict[str, Any]) -> None:
        """Sends a frame as it is. A reply to it goes to `on_other`."""
        self._write(encode(frame))

    def prompt_and_wait(
        self,
        message: str,
        *,
        images: Optional[List[IncomingImage]] = None,
        streaming_behavior: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> List[AgentMessage]:
        """Everything that the prompt led to, once nothing automatic remains. When the time is up, the run is aborted."""
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
        """Returns when nothing runs and nothing automatic remains."""
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
        """The events from this call on, until the agent is gone. Raises AgentGone unless it was told to go."""
        mine: "queue.Queue[Any]" = queue.Queue()
        with self._state:
            if self._connection.farewell:
                mine.put(_END)
            self._readers.append(mine)
        return self._iterate(mine)

    def on_event(self, listener: Callable[[AgentEvent], None]) -> Callable[[], None]:
        """Returns the way to stop listening; so do the others."""
        return self._add(self._events, listener)

    def on_show(self, listener: Callable[[UiRequest], None]) -> Callable[[], None]:
        """What the agent wants shown: notices, status lines, titles."""
        return self._add(self._displays, listener)

    def on_other(self, listener: Callable[[Any], None]) -> Callable[[], None]:
        """Unknown events, replies that nobody waits for, the text of lines that are no frames."""
        return self._add(self._others, listener)

    def on_ask(self, handler: Optional[AskHandler]) -> None:
        """Answers the agent's questions: text for select, input and editor, a bool for confirm, None to dismiss.

        What is asked before the first call waits for a handler; after it, questions without one are dismissed.
        """
        with self._state:
            self._on_ask = handler
        self._begin()

    def close(self, *, timeout: Optional[float] = None) -> Farewell:
        """Says that nothing more will come, and waits until the agent has finished its work and gone."""
        self._closing = True
        self._end_input()
        return self._farewell(timeout)

    def stop(self, *, grace: float = 5.0) -> Farewell:
        """Ends the agent in good order: runs are aborted, children ended, the log closed. After `grace` it is killed."""
        self._closing = True
        if self._process.poll() is None:
            self._process.terminate()
        try:
            return self._farewell(grace)
        except TimeoutError:
            self._process.kill()
            return self._farewell(None)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _thread(self, work: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=work, name=f"parley {work.__name__}", daemon=True)
        thread.start()
        return thread

    def _read(self) -> None:
        # Ends lines at \n only, as the protocol does.
        with cast(IO[bytes], self._process.stdout) as stdout:
            for line in stdout:
                self._take(line)

    def _take(self, line: bytes) -> None:
        with self._state:
            incoming = self._connection.take(line)
            if incoming and incoming.kind == "event":
                for reader in self._readers:
                    reader.put(incoming.frame)
        if incoming:
            self._news.put(incoming)

    def _read_stderr(self) -> None:
        with cast(IO[bytes], self._process.stderr) as stderr:
            while True:
                chunk = os.read(stderr.fileno(), 65536)
                if not chunk:
                    return
                self._tail = (self._tail + chunk)[-_TAIL:]

    def _watch(self) -> None:
        """Someone whom the agent left behind may hold its pipes: the end is the process's, not theirs."""
        code = self._process.wait()
        for thread in self._threads:
            thread.join(_DRAIN_SECONDS)
        farewell = Farewell(code, self._tail.decode("utf-8", "replace"))
        with self._state:
            self._connection.gone(farewell)
            for reader in self._readers:
                reader.put(_END)
        self._news.put(_END)
        self._closed.set()

    def _tell(self) -> None:
        while True:
            incoming = self._news.get()
            if incoming is _END:
                return
            if incoming.kind == "question":
                self._take_question(incoming.frame)
                continue
            if incoming.kind == "display":
                with self._state:
                    self._kept = still_asked(self._kept, incoming.frame)
            self._hear(incoming)

    def _take_question(self, question: Dict[str, Any]) -> None:
        with self._state:
            if self._kept is not None and question.get("method") in QUESTIONS:
                self._kept.append(question)
                return
        threading.Thread(target=self._ask, args=(question,), daemon=True).start()

    def _begin(self) -> None:
        """Nothing is kept any more for a handler that may still be set."""
        with self._state:
            kept, self._kept = self._kept or [], None
        for question in kept:
            self._take_question(question)

    def _hear(self, incoming: Incoming) -> None:
        listeners = {"event": self._events, "display": self._displays}.get(incoming.kind, self._others)
        for listener in list(listeners):
            try:
                listener(incoming.frame)
            except Exception:
                # One bad listener must not silence the others; the interpreter reports it as it does for threads.
                threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))

    def _ask(self, question: Dict[str, Any]) -> None:
        answer: Answer = None
        try:
            if question.get("method") not in QUESTIONS:
                self._hear(Incoming("other", question))
            elif self._on_ask:
                answer = self._on_ask(cast(UiRequest, question))
        finally:
            self._put(encode(answer_frame(question, answer)))

    def _write(self, line: bytes) -> None:
        self._begin()
        self._put(line)

    def _put(self, line: bytes) -> None:
        """Whoever writes to a dead agent learns of it from what was waited for."""
        with self._writing:
            stdin = cast(IO[bytes], self._process.stdin)
            if stdin.closed:
                if self._closed.is_set():
                    return
                raise ParleyError("The client was closed: it takes no more calls")
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
        patience = self._timeout if timeout is None else timeout
        try:
            return outcome.result(patience)
        except concurrent.futures.TimeoutError:
            raise TimeoutError(f"The agent did not answer {what} within {patience} s") from None

    def _farewell(self, timeout: Optional[float]) -> Farewell:
        if not self._closed.wait(timeout):
            raise TimeoutError(f"The agent did not go within {timeout} s; stop() ends it")
        self._end_input()
        if threading.current_thread() is not self._teller:
            self._teller.join(_HEAR_SECONDS)
        return cast(Farewell, self._connection.farewell)

    def _iterate(self, mine: "queue.Queue[Any]") -> Iterator[AgentEvent]:
        try:
            while True:
                event = mine.get()
                if event is _END:
                    if not self._closing:
                        raise AgentGone(cast(Farewell, self._connection.farewell), "it was told to go")
                    return
                yield event
        finally:
            with self._state:
                self._readers.remove(mine)

    def _add(self, listeners: List[Listener], listener: Listener) -> Callable[[], None]:
        listeners.append(listener)

        def stop() -> None:
            if listener in listeners:
                listeners.remove(listener)

        return stop
