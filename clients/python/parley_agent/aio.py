"""An agent as a child process, for programs on asyncio. Knows pipes and the event loop, and no command."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import os
from typing import Any, AsyncIterator, Awaitable, Callable, Dict, List, Mapping, Optional, Sequence, Set, Union, cast

from ._async_commands import AsyncCommands
from ._connection import QUESTIONS, Connection, Incoming, answer_frame, encode, still_asked
from .errors import AgentGone, Farewell, ParleyError
from .protocol import AgentEvent, AgentMessage, IncomingImage, UiRequest

Answer = Union[str, bool, None]
AskHandler = Callable[[UiRequest], Union[Answer, Awaitable[Answer]]]
Listener = Callable[[Any], Any]

_CHUNK = 64 * 1024
_TAIL = 8 * 1024
_DRAIN_SECONDS = 1.0
_END = object()


class _Pipes(asyncio.subprocess.SubprocessStreamProtocol):
    """Tells when the process itself has gone. Process.wait() also waits for everyone who holds its pipes."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit=_CHUNK, loop=loop)
        self.gone = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.gone.set()


class AsyncClient(AsyncCommands):
    """Starts `parley --mode rpc` and talks to it. Every command is a method; `async with` starts and stops the agent.

    Listeners and the handler of `on_ask` may be functions or coroutine functions.
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
        self._command = [*command, "--mode", "rpc", *args]
        self._cwd = cwd
        self._env = {**os.environ, **(env or {})}
        self._timeout = timeout
        self._on_ask = on_ask
        self._kept: Optional[List[Dict[str, Any]]] = None if on_ask else []
        self._connection = Connection()
        self._events: List[Listener] = []
        self._displays: List[Listener] = []
        self._others: List[Listener] = []
        self._readers: List["asyncio.Queue[Any]"] = []
        self._tasks: Set["asyncio.Future[Any]"] = set()
        self._tail = b""
        self._closing = False
        self._process: Optional[asyncio.subprocess.Process] = None
        self._closed: Optional["asyncio.Future[Farewell]"] = None

    async def start(self) -> None:
        if self._process:
            raise ParleyError("The agent was started before: make another client")
        loop = asyncio.get_running_loop()
        try:
            # Pipes are the default.
            transport, pipes = await loop.subprocess_exec(
                lambda: _Pipes(loop), *self._command, cwd=self._cwd, env=self._env
            )
        except OSError as problem:
            raise ParleyError(f"Cannot start {self._command[0]}: {problem}") from problem
        self._process = asyncio.subprocess.Process(transport, pipes, loop)
        self._closed = asyncio.ensure_future(self._live(self._process, transport, pipes.gone))

    @property
    def pid(self) -> Optional[int]:
        return self._process.pid if self._process else None

    @property
    def greeting(self) -> Optional[Dict[str, Any]]:
        """What the agent said of itself when it started, once it has said it."""
        return self._connection.greeting

    async def call(
        self, command: str, params: Optional[Dict[str, Any]] = None, *, timeout: Optional[float] = None
    ) -> Any:
        """Calls any command by its name on the wire, known here or not."""
        done, failed, outcome = self._outcome()
        self._running()
        _, line = self._connection.start(command, params, done, failed)
        await self._write(line)
        return await self._wait(outcome, timeout, command)

    async def send(self, frame: Dict[str, Any]) -> None:
        """Sends a frame as it is. A reply to it goes to `on_other`."""
        await self._write(encode(frame))

    async def prompt_and_wait(
        self,
        message: str,
        *,
        images: Optional[List[IncomingImage]] = None,
        streaming_behavior: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> List[AgentMessage]:
        """Everything that the prompt led to, once nothing automatic remains.

        When the time is up, or the task that waits is cancelled, the run is aborted.
        """
        params = {"message": message, "images": images, "streamingBehavior": streaming_behavior}
        done, failed, outcome = self._outcome()
        self._running()
        line, stop = self._connection.start_run(params, done, failed)
        try:
            await self._write(line)
            return cast(List[AgentMessage], await self._wait(outcome, timeout, "prompt"))
        except (TimeoutError, asyncio.CancelledError):
            stop()
            if not self._connection.farewell:
                _, line = self._connection.start("abort", {}, _ignore, _ignore)
                self._put(line)
            raise

    async def wait_for_idle(self, *, timeout: Optional[float] = None) -> None:
        """Returns when nothing runs and nothing automatic remains."""
        done, failed, outcome = self._outcome()
        self._running()
        line, stop = self._connection.start_idle(done, failed)
        try:
            await self._write(line)
            await self._wait(outcome, timeout, "wait_for_idle")
        finally:
            stop()

    def events(self) -> AsyncIterator[AgentEvent]:
        """The events from this call on, until the agent is gone. Raises AgentGone unless it was told to go."""
        mine: "asyncio.Queue[Any]" = asyncio.Queue()
        if self._connection.farewell:
            mine.put_nowait(_END)
        self._readers.append(mine)
        return self._iterate(mine)

    def on_event(self, listener: Callable[[AgentEvent], Any]) -> Callable[[], None]:
        """Returns the way to stop listening; so do the others."""
        return self._add(self._events, listener)

    def on_show(self, listener: Callable[[UiRequest], Any]) -> Callable[[], None]:
        """What the agent wants shown: notices, status lines, titles."""
        return self._add(self._displays, listener)

    def on_other(self, listener: Callable[[Any], Any]) -> Callable[[], None]:
        """Unknown events, replies that nobody waits for, the text of lines that are no frames."""
        return self._add(self._others, listener)

    def on_ask(self, handler: Optional[AskHandler]) -> None:
        """Answers the agent's questions: text for select, input and editor, a bool for confirm, None to dismiss.

        What is asked before the first call waits for a handler; after it, questions without one are dismissed.
        """
        self._on_ask = handler
        self._begin()

    async def close(self, *, timeout: Optional[float] = None) -> Farewell:
        """Says that nothing more will come, and waits until the agent has finished its work and gone."""
        self._closing = True
        cast(asyncio.StreamWriter, self._running().stdin).close()
        return await self._farewell(timeout)

    async def stop(self, *, grace: float = 5.0) -> Farewell:
        """Ends the agent in good order: runs are aborted, children ended, the log closed. After `grace` it is killed."""
        self._closing = True
        process = self._running()
        # It may go by itself at any moment, also between a look at it and a signal to it.
        try:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            return await self._farewell(grace)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            return await self._farewell(None)

    async def __aenter__(self) -> "AsyncClient":
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def _live(
        self, process: asyncio.subprocess.Process, transport: asyncio.SubprocessTransport, gone: asyncio.Event
    ) -> Farewell:
        reading = [asyncio.ensure_future(work) for work in (self._read(process), self._read_stderr(process))]
        await gone.wait()
        # Someone whom the agent left behind may hold its pipes: the end is the process's, not theirs.
        await asyncio.wait(reading, timeout=_DRAIN_SECONDS)
        for task in reading:
            task.cancel()
        farewell = Farewell(process.returncode, self._tail.decode("utf-8", "replace"))
        self._connection.gone(farewell)
        for reader in self._readers:
            reader.put_nowait(_END)
        transport.close()
        return farewell

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        stdout = cast(asyncio.StreamReader, process.stdout)
        kept = bytearray()
        while True:
            # Not readline, which gives up at lines of 64 kB.
            chunk = await stdout.read(_CHUNK)
            if not chunk:
                break
            begin = len(kept)
            kept += chunk
            if kept.find(b"\n", begin) < 0:
                continue
            *lines, rest = bytes(kept).split(b"\n")
            kept = bytearray(rest)
            for line in lines:
                self._take(line)
        if kept:
            self._take(bytes(kept))

    def _take(self, line: bytes) -> None:
        incoming = self._connection.take(line)
        if incoming is None:
            return
        if incoming.kind == "question":
            self._take_question(incoming.frame)
            return
        if incoming.kind == "display":
            self._kept = still_asked(self._kept, incoming.frame)
        if incoming.kind == "event":
            for reader in self._readers:
                reader.put_nowait(incoming.frame)
        self._hear(incoming)

    def _take_question(self, question: Dict[str, Any]) -> None:
        if self._kept is not None and question.get("method") in QUESTIONS:
            self._kept.append(question)
        else:
            self._spawn(self._ask(question))

    def _begin(self) -> None:
        """Nothing is kept any more for a handler that may still be set."""
        kept, self._kept = self._kept or [], None
        for question in kept:
            self._take_question(question)

    def _hear(self, incoming: Incoming) -> None:
        listeners = {"event": self._events, "display": self._displays}.get(incoming.kind, self._others)
        for listener in list(listeners):
            try:
                heard = listener(incoming.frame)
                if inspect.isawaitable(heard):
                    self._spawn(heard)
            except Exception as problem:
                # One bad listener must not silence the others.
                told = {"message": "A listener of the agent failed", "exception": problem}
                asyncio.get_running_loop().call_exception_handler(told)

    async def _read_stderr(self, process: asyncio.subprocess.Process) -> None:
        stderr = cast(asyncio.StreamReader, process.stderr)
        while True:
            chunk = await stderr.read(_CHUNK)
            if not chunk:
                return
            self._tail = (self._tail + chunk)[-_TAIL:]

    async def _ask(self, question: Dict[str, Any]) -> None:
        answer: Any = None
        try:
            if question.get("method") not in QUESTIONS:
                self._hear(Incoming("other", question))
            elif self._on_ask:
                answer = self._on_ask(cast(UiRequest, question))
                if inspect.isawaitable(answer):
                    answer = await answer
        except BaseException:
            answer = None
            raise
        finally:
            self._put(encode(answer_frame(question, answer)))

    def _spawn(self, work: Awaitable[Any]) -> None:
        """The loop keeps only weak hold of tasks."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _running(self) -> asyncio.subprocess.Process:
        if self._process is None:
            raise ParleyError("The agent is not running: await start(), or use async with")
        return self._process

    def _put(self, line: bytes) -> None:
        """Whoever writes to a dead agent learns of it from what was waited for."""
        stdin = cast(asyncio.StreamWriter, self._running().stdin)
        if self._connection.farewell:
            return
        if stdin.is_closing() and self._closing:
            raise ParleyError("The client was closed: it takes no more calls")
        stdin.write(line)

    async def _write(self, line: bytes) -> None:
        self._begin()
        self._put(line)
        try:
            await cast(asyncio.StreamWriter, self._running().stdin).drain()
        except ConnectionError:
            pass

    def _outcome(self) -> Any:
        outcome: "asyncio.Future[Any]" = asyncio.get_running_loop().create_future()

        def done(value: Any) -> None:
            if not outcome.done():
                outcome.set_result(value)

        def failed(problem: BaseException) -> None:
            if not outcome.done():
                outcome.set_exception(problem)

        return done, failed, outcome

    async def _wait(self, outcome: "asyncio.Future[Any]", timeout: Optional[float], what: str) -> Any:
        patience = self._timeout if timeout is None else timeout
        try:
            return await asyncio.wait_for(outcome, patience)
        except asyncio.TimeoutError:
            raise TimeoutError(f"The agent did not answer {what} within {patience} s") from None

    async def _farewell(self, timeout: Optional[float]) -> Farewell:
        closed = cast("asyncio.Future[Farewell]", self._closed)
        try:
            return await asyncio.wait_for(asyncio.shield(closed), timeout)
        except asyncio.TimeoutError:
            raise TimeoutError(f"The agent did not go within {timeout} s; stop() ends it") from None

    async def _iterate(self, mine: "asyncio.Queue[Any]") -> AsyncIterator[AgentEvent]:
        try:
            while True:
                event = await mine.get()
                if event is _END:
                    if not self._closing:
                        raise AgentGone(cast(Farewell, self._connection.farewell), "it was told to go")
                    return
                yield event
        finally:
            self._readers.remove(mine)

    def _add(self, listeners: List[Listener], listener: Listener) -> Callable[[], None]:
        listeners.append(listener)

        def stop() -> None:
            if listener in listeners:
                listeners.remove(listener)

        return stop


def _ignore(_: Any) -> None:
    pass
