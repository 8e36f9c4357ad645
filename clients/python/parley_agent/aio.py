"""A client that starts the agent as a child process and uses asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import os
from typing import Any, AsyncIterator, Awaitable, Callable, Dict, List, Mapping, Optional, Sequence, Set, Union, cast

from ._async_commands import AsyncCommands
from ._connection import DIALOG_METHODS, Connection, Incoming, answer_frame, drop_cancelled, encode
from .errors import AgentExitedError, ExitInfo, ParleyError
from .protocol import AgentEvent, AgentMessage, IncomingImage, UiAnswer, UiRequest

Answer = Union[str, bool, UiAnswer, None]
DialogHandler = Callable[[UiRequest], Union[Answer, Awaitable[Answer]]]
Listener = Callable[[Any], Any]

_CHUNK = 64 * 1024
_STDERR_TAIL = 8 * 1024
_DRAIN_SECONDS = 1.0
_END = object()


class _Pipes(asyncio.subprocess.SubprocessStreamProtocol):
    """Sets `exited` when the process ends. Process.wait() would also wait until every pipe is closed."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit=_CHUNK, loop=loop)
        self.exited = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set()


class AsyncClient(AsyncCommands):
    """Starts `parley --mode rpc`. Every command is a method; `async with` starts and stops the agent.

    Listeners and the handler of `on_dialog` may be functions or coroutine functions.
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
        self._command = [*command, "--mode", "rpc", *args]
        self._cwd = cwd
        self._env = {**os.environ, **(env or {})}
        self._timeout = timeout
        self._dialog_handler = on_dialog
        # Dialogs that arrived before the first call, or None once buffering has stopped.
        self._buffered: Optional[List[Dict[str, Any]]] = None if self._dialog_handler else []
        self._connection = Connection()
        self._events: List[Listener] = []
        self._displays: List[Listener] = []
        self._unhandled: List[Listener] = []
        self._readers: List["asyncio.Queue[Any]"] = []
        self._tasks: Set["asyncio.Future[Any]"] = set()
        self._stderr_tail = b""
        self._closing = False
        self._process: Optional[asyncio.subprocess.Process] = None
        self._closed: Optional["asyncio.Future[ExitInfo]"] = None

    async def start(self) -> None:
        if self._process:
            raise ParleyError("The agent was already started: create another client")
        loop = asyncio.get_running_loop()
        try:
            # subprocess_exec uses pipes for stdin, stdout and stderr by default.
            transport, pipes = await loop.subprocess_exec(
                lambda: _Pipes(loop), *self._command, cwd=self._cwd, env=self._env
            )
        except OSError as error:
            raise ParleyError(f"Cannot start {self._command[0]}: {error}") from error
        self._process = asyncio.subprocess.Process(transport, pipes, loop)
        self._closed = asyncio.ensure_future(self._run(self._process, transport, pipes.exited))

    @property
    def pid(self) -> Optional[int]:
        return self._process.pid if self._process else None

    @property
    def ready_info(self) -> Optional[Dict[str, Any]]:
        """The `ready` frame of the agent, or None before it has arrived."""
        return self._connection.ready_info

    async def call(
        self, command: str, params: Optional[Dict[str, Any]] = None, *, timeout: Optional[float] = None
    ) -> Any:
        """Calls any command by its protocol name, also one that this client has no method for."""
        done, failed, outcome = self._outcome()
        self._running()
        _, line = self._connection.start(command, params, done, failed)
        await self._write(line)
        return await self._wait(outcome, timeout, command)

    async def send(self, frame: Dict[str, Any]) -> None:
        """Sends a frame unchanged. A reply to it goes to `on_unhandled`."""
        await self._write(encode(frame))

    async def prompt_and_wait(
        self,
        message: str,
        *,
        images: Optional[List[IncomingImage]] = None,
        streaming_behavior: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> List[AgentMessage]:
        """Sends a prompt and returns all messages of its runs at `agent_settled`.

        After `timeout` seconds, or when the waiting task is cancelled, the run is aborted.
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
            if not self._connection.exit_info:
                _, line = self._connection.start("abort", {}, _ignore, _ignore)
                self._write_line(line)
            raise

    async def wait_for_idle(self, *, timeout: Optional[float] = None) -> None:
        """Returns when no run is in progress and no retry or queued message is left."""
        done, failed, outcome = self._outcome()
        self._running()
        line, stop = self._connection.start_idle(done, failed)
        try:
            await self._write(line)
            await self._wait(outcome, timeout, "wait_for_idle")
        finally:
            stop()

    def events(self) -> AsyncIterator[AgentEvent]:
        """The events from this call on, until the agent exits. Raises AgentExitedError unless this client stopped it."""
        events: "asyncio.Queue[Any]" = asyncio.Queue()
        if self._connection.exit_info:
            events.put_nowait(_END)
        self._readers.append(events)
        return self._iterate(events)

    def on_event(self, listener: Callable[[AgentEvent], Any]) -> Callable[[], None]:
        """Returns a function that removes the listener, as do `on_display` and `on_unhandled`."""
        return self._add(self._events, listener)

    def on_display(self, listener: Callable[[UiRequest], Any]) -> Callable[[], None]:
        """Requests of the agent that need no answer: notices, status lines, titles."""
        return self._add(self._displays, listener)

    def on_unhandled(self, listener: Callable[[Any], Any]) -> Callable[[], None]:
        """Unknown events, replies without a pending call, and the text of lines that are not frames."""
        return self._add(self._unhandled, listener)

    def on_dialog(self, handler: Optional[DialogHandler]) -> None:
        """Sets the handler for dialogs. It returns a string for select, input and editor, a bool for confirm, None to dismiss.
        A `UiAnswer` can have more fields: `{"value": "deny", "message": "…"}` denies a tool call and tells the model why.

        Dialogs that arrive before the first call wait for a handler. After it, dialogs without a handler are dismissed.
        """
        self._dialog_handler = handler
        self._stop_buffering()

    async def close(self, *, timeout: Optional[float] = None) -> ExitInfo:
        """Closes stdin and waits until the agent has finished its work and exited."""
        self._closing = True
        cast(asyncio.StreamWriter, self._running().stdin).close()
        return await self._wait_for_exit(timeout)

    async def stop(self, *, grace: float = 5.0) -> ExitInfo:
        """Sends SIGTERM: the agent aborts its runs, ends its children and closes its log. After `grace` seconds, SIGKILL."""
        self._closing = True
        process = self._running()
        # The process may exit between a check and a signal.
        try:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            return await self._wait_for_exit(grace)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            return await self._wait_for_exit(None)

    async def __aenter__(self) -> "AsyncClient":
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def _run(
        self, process: asyncio.subprocess.Process, transport: asyncio.SubprocessTransport, exited: asyncio.Event
    ) -> ExitInfo:
        reading = [asyncio.ensure_future(work) for work in (self._read(process), self._read_stderr(process))]
        await exited.wait()
        # A child that outlives the agent may hold the pipes open, so the end of the pipes is awaited with a limit only.
        await asyncio.wait(reading, timeout=_DRAIN_SECONDS)
        for task in reading:
            task.cancel()
        exit_info = ExitInfo(process.returncode, self._stderr_tail.decode("utf-8", "replace"))
        self._connection.handle_exit(exit_info)
        for reader in self._readers:
            reader.put_nowait(_END)
        transport.close()
        return exit_info

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        stdout = cast(asyncio.StreamReader, process.stdout)
        buffer = bytearray()
        while True:
            # Not readline(), which fails at lines above 64 KiB.
            chunk = await stdout.read(_CHUNK)
            if not chunk:
                break
            begin = len(buffer)
            buffer += chunk
            if buffer.find(b"\n", begin) < 0:
                continue
            *lines, rest = bytes(buffer).split(b"\n")
            buffer = bytearray(rest)
            for line in lines:
                self._receive(line)
        if buffer:
            self._receive(bytes(buffer))

    def _receive(self, line: bytes) -> None:
        incoming = self._connection.receive(line)
        if incoming is None:
            return
        if incoming.kind == "dialog":
            self._handle_dialog(incoming.frame)
            return
        if incoming.kind == "display":
            self._buffered = drop_cancelled(self._buffered, incoming.frame)
        if incoming.kind == "event":
            for reader in self._readers:
                reader.put_nowait(incoming.frame)
        self._notify(incoming)

    def _handle_dialog(self, dialog: Dict[str, Any]) -> None:
        if self._buffered is not None and dialog.get("method") in DIALOG_METHODS:
            self._buffered.append(dialog)
        else:
            self._spawn(self._answer(dialog))

    def _stop_buffering(self) -> None:
        """Handles the buffered dialogs now, and later dialogs as they arrive."""
        dialogs, self._buffered = self._buffered or [], None
        for dialog in dialogs:
            self._handle_dialog(dialog)

    def _notify(self, incoming: Incoming) -> None:
        listeners = {"event": self._events, "display": self._displays}.get(incoming.kind, self._unhandled)
        for listener in list(listeners):
            try:
                result = listener(incoming.frame)
                if inspect.isawaitable(result):
                    self._spawn(result)
            except Exception as error:
                # Report it and call the remaining listeners.
                context = {"message": "A listener of the agent failed", "exception": error}
                asyncio.get_running_loop().call_exception_handler(context)

    async def _read_stderr(self, process: asyncio.subprocess.Process) -> None:
        stderr = cast(asyncio.StreamReader, process.stderr)
        while True:
            chunk = await stderr.read(_CHUNK)
            if not chunk:
                return
            self._stderr_tail = (self._stderr_tail + chunk)[-_STDERR_TAIL:]

    async def _answer(self, dialog: Dict[str, Any]) -> None:
        answer: Any = None
        try:
            if dialog.get("method") not in DIALOG_METHODS:
                self._notify(Incoming("unhandled", dialog))
            elif self._dialog_handler:
                answer = self._dialog_handler(cast(UiRequest, dialog))
                if inspect.isawaitable(answer):
                    answer = await answer
        except BaseException:
            answer = None
            raise
        finally:
            self._write_line(encode(answer_frame(dialog, answer)))

    def _spawn(self, work: Awaitable[Any]) -> None:
        """Keeps a reference to the task: the event loop holds only a weak one."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _running(self) -> asyncio.subprocess.Process:
        if self._process is None:
            raise ParleyError("The agent is not running: await start(), or use async with")
        return self._process

    def _write_line(self, line: bytes) -> None:
        """Drops the line when the agent has exited: pending calls already fail with AgentExitedError."""
        stdin = cast(asyncio.StreamWriter, self._running().stdin)
        if self._connection.exit_info:
            return
        if stdin.is_closing() and self._closing:
            raise ParleyError("The client is closed and accepts no more calls")
        stdin.write(line)

    async def _write(self, line: bytes) -> None:
        self._stop_buffering()
        self._write_line(line)
        try:
            await cast(asyncio.StreamWriter, self._running().stdin).drain()
        except ConnectionError:
            pass

    def _outcome(self) -> Any:
        outcome: "asyncio.Future[Any]" = asyncio.get_running_loop().create_future()

        def done(value: Any) -> None:
            if not outcome.done():
                outcome.set_result(value)

        def failed(error: BaseException) -> None:
            if not outcome.done():
                outcome.set_exception(error)

        return done, failed, outcome

    async def _wait(self, outcome: "asyncio.Future[Any]", timeout: Optional[float], what: str) -> Any:
        limit = self._timeout if timeout is None else timeout
        try:
            return await asyncio.wait_for(outcome, limit)
        except asyncio.TimeoutError:
            raise TimeoutError(f"The agent did not answer {what} within {limit} s") from None

    async def _wait_for_exit(self, timeout: Optional[float]) -> ExitInfo:
        closed = cast("asyncio.Future[ExitInfo]", self._closed)
        try:
            return await asyncio.wait_for(asyncio.shield(closed), timeout)
        except asyncio.TimeoutError:
            raise TimeoutError(f"The agent did not exit within {timeout} s; stop() ends it") from None

    async def _iterate(self, events: "asyncio.Queue[Any]") -> AsyncIterator[AgentEvent]:
        try:
            while True:
                event = await events.get()
                if event is _END:
                    if not self._closing:
                        raise AgentExitedError(cast(ExitInfo, self._connection.exit_info), "it was stopped")
                    return
                yield event
        finally:
            self._readers.remove(events)

    def _add(self, listeners: List[Listener], listener: Listener) -> Callable[[], None]:
        listeners.append(listener)

        def stop() -> None:
            if listener in listeners:
                listeners.remove(listener)

        return stop


def _ignore(_: Any) -> None:
    pass
