"""A client that uses asyncio. It starts the agent as a child process, or connects to a running one."""

from __future__ import annotations

import asyncio
import inspect
import os
from typing import Any, AsyncIterator, Awaitable, Callable, Dict, List, Mapping, Optional, Sequence, Set, Union, cast

from ._address import Address, parse_address
from ._aio_links import AsyncProcessLink, AsyncSocketLink
from ._aio_server_link import AsyncServerLink
from ._async_commands import AsyncCommands
from ._base_client import BaseClient
from ._connection import Connection, Incoming, _LeaveOpen, answer_frame, encode
from ._dialogs import DIALOG_METHODS, OpenDialog
from ._reconnect import ConnectionState, ReconnectOptions, ReconnectPolicy, is_frame_too_large, to_options
from .errors import AgentExitedError, ConnectError, ExitInfo, ParleyError
from .protocol import AgentEvent, AgentMessage, IncomingImage, UiAnswer, UiRequest

Answer = Union[str, bool, UiAnswer, _LeaveOpen, None]
Link = Union[AsyncProcessLink, AsyncServerLink]
DialogHandler = Callable[[UiRequest], Union[Answer, Awaitable[Answer]]]

_END = object()


class AsyncClient(BaseClient, AsyncCommands):
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
        self._parse_address: Optional[Callable[[], Address]] = None
        self._connect_timeout = 0.0
        self._reconnect: Union[bool, ReconnectOptions] = False
        self._initialize(Connection(), False, timeout, on_dialog)

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
    ) -> "AsyncClient":
        """A client of a running agent: `http://host:port/?token=T`, `ws://…` or `unix:/path`. `async with` connects.

        The parameters are those of `Client.connect`. Listeners that are added before the connection miss no event. The
        frames after `session_attached` are read when the first listener is added or the first call is made.

        `close` and `stop` leave the session, whose run continues. Dialogs without a handler stay open for other clients.
        """
        params = {"session": session, "after": after, "client": client, "stream": stream, "cwd": cwd, "access": access}
        connection = Connection(after)
        self = cls()
        self._initialize(connection, True, timeout, on_dialog)
        self._parse_address = lambda: parse_address(url, token, connection.continue_params(params))
        self._parse_address()
        self._connect_timeout = connect_timeout
        self._reconnect = reconnect
        return self

    def _initialize(
        self,
        connection: Connection,
        is_shared: bool,
        timeout: Optional[float],
        on_dialog: Optional[DialogHandler],
    ) -> None:
        self._prepare(connection, is_shared, timeout, on_dialog is not None)
        self._dialog_handler = on_dialog
        self._readers: List["asyncio.Queue[Any]"] = []
        self._tasks: Set["asyncio.Future[Any]"] = set()
        # True when a listener was added or a call was made. Until then no frame after `session_attached` is read.
        self._is_released = False
        self._released: Optional[asyncio.Event] = None
        self._attached: Optional["asyncio.Future[None]"] = None
        self._link: Optional[Link] = None
        self._closed: Optional["asyncio.Future[ExitInfo]"] = None

    async def start(self) -> None:
        """Starts the process, or connects and waits until a session is attached."""
        if self._link:
            raise ParleyError("The agent was already started: create another client")
        self._released = asyncio.Event()
        if self._is_released or self._parse_address is None:
            self._released.set()
        self._attached = asyncio.get_running_loop().create_future()
        if self._parse_address is None:
            self._link = await AsyncProcessLink.open(self._command, self._cwd, self._env)
            self._closed = asyncio.ensure_future(self._run(self._link))
        else:
            await self._open_connection(self._parse_address)

    async def _open_connection(self, get_address: Callable[[], Address]) -> None:
        def open_link() -> Awaitable[AsyncSocketLink]:
            return AsyncSocketLink.open(get_address(), self._connect_timeout)

        name = get_address().name
        policy = ReconnectPolicy(to_options(self._reconnect))
        link = AsyncServerLink(await open_link(), open_link, policy, self._handle_loss, self._handle_state)
        self._link = link
        self._closed = asyncio.ensure_future(self._run(link))
        attached = cast("asyncio.Future[None]", self._attached)
        try:
            await asyncio.wait_for(asyncio.shield(attached), self._connect_timeout)
        except asyncio.TimeoutError:
            link.kill()
            raise ConnectError(f"{name} did not attach a session in time") from None
        if self._connection.attachment:
            return
        if link.connect_error:
            raise link.connect_error
        exit_info = cast(ExitInfo, self._connection.exit_info)
        raise ConnectError(f"{name} refused the connection: {exit_info.reason}", close_code=exit_info.close_code)

    @property
    def pid(self) -> Optional[int]:
        """None for a connection."""
        return self._link.pid if self._link else None

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
        line = encode(frame)
        await self._write(b"" if self._connection.hold(line) else line)

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
        self._release()
        return self._iterate(events)

    def on_snapshot(self, listener: Callable[[Dict[str, Any]], Any]) -> Callable[[], None]:
        self._release()
        return super().on_snapshot(listener)

    def on_dialog(self, handler: Optional[DialogHandler]) -> None:
        """Sets the handler for dialogs. It returns a string for select, input and editor, a bool for confirm, None to dismiss.
        A `UiAnswer` can have more fields: `{"value": "deny", "message": "…"}` denies a tool call and tells the model why.

        Dialogs that arrive before the first call wait for a handler. After it, dialogs without a handler are dismissed;
        those of a running agent stay open for its other clients, and so does one whose handler returns `LEAVE_OPEN`.
        """
        self._dialog_handler = handler
        self._dialogs.has_handler = handler is not None
        self._stop_buffering()
        self._release()

    async def close(self, *, timeout: Optional[float] = None) -> ExitInfo:
        """Closes stdin and waits until the agent has finished its work and exited. A connection is closed at once."""
        self._closing = True
        self._release()
        self._running().end_input()
        return await self._wait_for_exit(timeout)

    async def stop(self, *, grace: float = 5.0) -> ExitInfo:
        """Sends SIGTERM: the agent aborts its runs, ends its children and closes its log. After `grace` seconds, SIGKILL.

        A connection is only closed: the agent continues.
        """
        self._closing = True
        self._release()
        link = self._running()
        try:
            link.terminate()
            return await self._wait_for_exit(grace)
        except TimeoutError:
            link.kill()
            return await self._wait_for_exit(None)

    async def __aenter__(self) -> "AsyncClient":
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def _run(self, link: Link) -> ExitInfo:
        exit_info = await link.run(self._receive)
        self._connection.handle_exit(exit_info)
        for reader in self._readers:
            reader.put_nowait(_END)
        self._set_attached()
        self._handle_state(ConnectionState("closed", exit_info.reason))
        return exit_info

    async def _receive(self, line: bytes) -> None:
        incoming = self._connection.receive(line)
        if incoming is None:
            return
        self._handle(incoming)
        if incoming.kind != "attached":
            return
        self._handle_attached()
        if not cast("asyncio.Future[None]", self._attached).done():
            self._set_attached()
            await cast(asyncio.Event, self._released).wait()

    def _handle(self, incoming: Incoming) -> None:
        for withdrawn in self._update_dialogs(incoming):
            self._notify(withdrawn)
        if incoming.kind == "dialog":
            dialog = self._dialogs.add(incoming.frame)
            if dialog:
                self._spawn(self._answer(dialog))
        elif incoming.kind not in ("lost", "resent"):
            if incoming.kind == "event":
                for reader in self._readers:
                    reader.put_nowait(incoming.frame)
            self._notify(incoming)

    def _handle_attached(self) -> None:
        link = cast(AsyncServerLink, self._link)
        link.confirm()
        if self._connection_state.status == "connected":
            return
        self._handle_state(ConnectionState("connected"))
        self._connection.resume(lambda _: self._handle(Incoming("resent")))
        lines = self._connection.take_held(self._connection.loss_count)
        while lines:
            for line in lines:
                link.write(line)
            lines = self._connection.take_held(self._connection.loss_count)

    def _handle_loss(self, end: ExitInfo) -> None:
        self._connection.suspend(end.reason, can_repeat=not is_frame_too_large(end))
        self._handle(Incoming("lost"))

    def _handle_state(self, state: ConnectionState) -> None:
        self._connection_state = state
        self._handle(Incoming("state", state))

    def _set_attached(self) -> None:
        attached = cast("asyncio.Future[None]", self._attached)
        if not attached.done():
            attached.set_result(None)

    def _release(self) -> None:
        self._is_released = True
        if self._released:
            self._released.set()

    def _stop_buffering(self) -> None:
        """Handles the buffered dialogs now, and later dialogs as they arrive."""
        for dialog in self._dialogs.stop_buffering():
            self._spawn(self._answer(dialog))

    def _notify(self, incoming: Incoming) -> None:
        for listener in self._list_listeners(incoming.kind):
            try:
                result = listener(incoming.frame)
                if inspect.isawaitable(result):
                    self._spawn(result)
            except Exception as error:
                # Report it and call the remaining listeners.
                context = {"message": "A listener of the agent failed", "exception": error}
                asyncio.get_running_loop().call_exception_handler(context)

    async def _answer(self, dialog: OpenDialog) -> None:
        frame = dialog.frame
        answer: Any = dialog.answer
        try:
            if dialog.has_answer:
                pass
            elif frame.get("method") not in DIALOG_METHODS:
                self._notify(Incoming("unhandled", frame))
            elif self._dialog_handler:
                answer = self._dialog_handler(cast(UiRequest, frame))
                if inspect.isawaitable(answer):
                    answer = await answer
        except BaseException:
            answer = None
            raise
        finally:
            if self._dialogs.finish(dialog, answer, self._connection.loss_count):
                self._write_frame(encode(answer_frame(frame, answer)))

    def _spawn(self, work: Awaitable[Any]) -> None:
        """Keeps a reference to the task: the event loop holds only a weak one."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _running(self) -> Link:
        if self._link is None:
            raise ParleyError("The agent is not running: await start(), or use async with")
        return self._link

    def _write_frame(self, line: bytes) -> None:
        """Sends a line now, or on the next connection."""
        if not self._connection.hold(line):
            self._write_line(line)

    def _write_line(self, line: bytes) -> None:
        """Drops the line when the agent has exited: pending calls already fail with AgentExitedError."""
        link = self._running()
        if self._connection.exit_info:
            return
        if link.is_closed and self._closing:
            raise ParleyError("The client is closed and accepts no more calls")
        if line:
            link.write(line)

    async def _write(self, line: bytes) -> None:
        self._stop_buffering()
        self._release()
        self._write_line(line)
        try:
            await self._running().drain()
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


def _ignore(_: Any) -> None:
    pass
