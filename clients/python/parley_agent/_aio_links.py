"""Where the lines of the asyncio client come from: a child process, or a connection to a running agent."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import time
from typing import Awaitable, Callable, Mapping, Optional, Sequence, Tuple, cast

from ._address import Address, SocketAddress
from ._links import PING_SECONDS, create_wire
from ._reconnect import SilenceCheck
from ._wires import End
from .errors import ConnectError, ExitInfo, ParleyError

Receive = Callable[[bytes], Awaitable[None]]

_CHUNK = 64 * 1024
_STDERR_TAIL = 8 * 1024
_DRAIN_SECONDS = 1.0
_CLOSE_SECONDS = 2.0


class _Pipes(asyncio.subprocess.SubprocessStreamProtocol):
    """Sets `exited` when the process ends. Process.wait() would also wait until every pipe is closed."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit=_CHUNK, loop=loop)
        self.exited = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set()


class AsyncProcessLink:
    """The stdin and stdout of a child process."""

    def __init__(
        self, process: asyncio.subprocess.Process, transport: asyncio.SubprocessTransport, exited: asyncio.Event
    ) -> None:
        self._process = process
        self._transport = transport
        self._exited = exited
        self._stderr_tail = b""
        # In Python 3.9 only one task may wait at a time.
        self._draining = asyncio.Lock()

    @classmethod
    async def open(cls, command: Sequence[str], cwd: Optional[str], env: Mapping[str, str]) -> "AsyncProcessLink":
        loop = asyncio.get_running_loop()
        try:
            # subprocess_exec uses pipes for stdin, stdout and stderr by default.
            transport, pipes = await loop.subprocess_exec(lambda: _Pipes(loop), *command, cwd=cwd, env=env)
        except OSError as error:
            raise ParleyError(f"Cannot start {command[0]}: {error}") from error
        return cls(asyncio.subprocess.Process(transport, pipes, loop), transport, pipes.exited)

    @property
    def pid(self) -> Optional[int]:
        return self._process.pid

    @property
    def is_closed(self) -> bool:
        return self._stdin.is_closing()

    async def run(self, receive: Receive) -> ExitInfo:
        """Passes all lines to `receive`. Returns when the process has ended."""
        reading = [asyncio.ensure_future(work) for work in (self._read(receive), self._read_stderr())]
        await self._exited.wait()
        # A child that outlives the agent may hold the pipes open, so the end of the pipes is awaited with a limit only.
        await asyncio.wait(reading, timeout=_DRAIN_SECONDS)
        for task in reading:
            task.cancel()
        self._transport.close()
        return ExitInfo(self._process.returncode, self._stderr_tail.decode("utf-8", "replace"))

    def write(self, line: bytes) -> None:
        self._stdin.write(line)

    async def drain(self) -> None:
        async with self._draining:
            await self._stdin.drain()

    def end_input(self) -> None:
        self._stdin.close()

    def terminate(self) -> None:
        # The process may exit between a check and a signal.
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    @property
    def _stdin(self) -> asyncio.StreamWriter:
        return cast(asyncio.StreamWriter, self._process.stdin)

    async def _read(self, receive: Receive) -> None:
        stdout = cast(asyncio.StreamReader, self._process.stdout)
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
                await receive(line)
        if buffer:
            await receive(bytes(buffer))

    async def _read_stderr(self) -> None:
        stderr = cast(asyncio.StreamReader, self._process.stderr)
        while True:
            chunk = await stderr.read(_CHUNK)
            if not chunk:
                return
            self._stderr_tail = (self._stderr_tail + chunk)[-_STDERR_TAIL:]


class AsyncSocketLink:
    """One connection to a running agent."""

    def __init__(
        self, address: Address, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, check: SilenceCheck
    ) -> None:
        self._wire = create_wire(address)
        self._reader = reader
        self._writer = writer
        self._check = check
        self._is_closing = False
        self.connect_error: Optional[ConnectError] = None
        self._draining = asyncio.Lock()

    @classmethod
    async def open(cls, address: Address, timeout: float, ping_interval: float = PING_SECONDS) -> "AsyncSocketLink":
        """`timeout` is the limit for opening the connection, and for attaching a session."""
        check = SilenceCheck(ping_interval, time.monotonic() + timeout)
        try:
            reader, writer = await asyncio.wait_for(_open_streams(address), timeout)
        except asyncio.TimeoutError:
            raise ConnectError(f"Cannot connect to {address.name}: no answer within {timeout} s") from None
        # UnicodeError: a name that no host can have.
        except (OSError, UnicodeError) as error:
            raise ConnectError(f"Cannot connect to {address.name}: {error}") from error
        link = cls(address, reader, writer, check)
        writer.write(link._wire.opening())
        return link

    def confirm(self) -> None:
        """A session is attached."""
        self._check.confirm()

    async def run(self, receive: Receive) -> ExitInfo:
        """Passes all lines to `receive`. Returns when the connection has ended."""
        try:
            end = await self._read(receive)
        except ConnectError as error:
            self.connect_error = error
            end = End(str(error))
        except End as error:
            end = error
        except (OSError, ValueError) as error:
            end = End(str(error))
        finally:
            self._is_closing = True
            self._writer.close()
        return ExitInfo(None, reason=end.reason, close_code=end.close_code)

    def write(self, line: bytes) -> None:
        if not self._writer.is_closing():
            self._writer.write(self._wire.encode(line))

    async def drain(self) -> None:
        async with self._draining:
            await self._writer.drain()

    def end_input(self) -> None:
        if self._is_closing:
            return
        self._is_closing = True
        self._writer.write(self._wire.closing())
        if self._writer.can_write_eof() and isinstance(self._wire.address, SocketAddress):
            self._writer.write_eof()
        # A server that does not answer must not delay the end.
        asyncio.get_running_loop().call_later(_CLOSE_SECONDS, self.kill)

    def kill(self) -> None:
        self._writer.transport.abort()

    async def _read(self, receive: Receive) -> End:
        while True:
            data = await self._read_chunk()
            if not data:
                return self._wire.eof()
            self._check.handle_data()
            lines, output, end = self._wire.feed(data)
            if output and not self._writer.is_closing():
                self._writer.write(output)
            for line in lines:
                await receive(line)
            if end:
                return end

    async def _read_chunk(self) -> bytes:
        reading = asyncio.ensure_future(self._reader.read(_CHUNK))
        try:
            while True:
                done, _ = await asyncio.wait({reading}, timeout=self._check.get_timeout(time.monotonic()))
                if done:
                    return reading.result()
                ping = self._wire.ping()
                if self._check.should_ping(time.monotonic(), ping is not None) and ping:
                    self._writer.write(ping)
        finally:
            reading.cancel()


async def _open_streams(address: Address) -> Tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if isinstance(address, SocketAddress):
        return await asyncio.open_unix_connection(address.socket_path)
    context = ssl.create_default_context() if address.is_secure else None
    return await asyncio.open_connection(address.host, address.port, ssl=context)
