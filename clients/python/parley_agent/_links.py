"""Where the lines of the thread client come from: a child process, or a connection to a running agent."""

from __future__ import annotations

import os
import selectors
import socket
import ssl
import subprocess
import threading
import time
from collections import deque
from typing import IO, Callable, Deque, List, Mapping, Optional, Sequence, Union, cast

from ._address import Address, SocketAddress
from ._reconnect import SilenceCheck
from ._wires import End, LineWire, WebSocketWire
from .errors import ConnectError, ExitInfo, ParleyError

Receive = Callable[[bytes], None]
OnExit = Callable[[ExitInfo], None]

_CHUNK = 64 * 1024
_STDERR_TAIL = 8 * 1024
_DRAIN_SECONDS = 1.0
_CLOSE_SECONDS = 2.0
# How often a thread that waits until it can write looks whether the socket was closed.
_WRITE_SECONDS = 1.0
PING_SECONDS = 15.0
"""A server that sends nothing for two intervals counts as unreachable."""


def start_thread(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, name=f"parley {work.__name__}", daemon=True)
    thread.start()
    return thread


class ProcessLink:
    """The stdin and stdout of a child process."""

    def __init__(self, command: Sequence[str], cwd: Optional[str], env: Mapping[str, str]) -> None:
        self._stderr_tail = b""
        try:
            self._process = subprocess.Popen(
                command, cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        except OSError as error:
            raise ParleyError(f"Cannot start {command[0]}: {error}") from error

    @property
    def pid(self) -> Optional[int]:
        return self._process.pid

    @property
    def is_closed(self) -> bool:
        """No more lines can be written."""
        return cast(IO[bytes], self._process.stdin).closed

    @property
    def current(self) -> "ProcessLink":
        """Where lines are written now."""
        return self

    def start(self, receive: Receive, on_exit: OnExit) -> None:
        def read() -> None:
            # Iterating over a binary stream splits at \n only, as the protocol requires.
            with cast(IO[bytes], self._process.stdout) as stdout:
                for line in stdout:
                    receive(line)

        def watch() -> None:
            # Waits for the process, not for the end of its pipes: a child that outlives the agent may hold them open.
            code = self._process.wait()
            for thread in threads:
                thread.join(_DRAIN_SECONDS)
            on_exit(ExitInfo(code, self._stderr_tail.decode("utf-8", "replace")))

        threads: List[threading.Thread] = [start_thread(work) for work in (read, self._read_stderr)]
        start_thread(watch)

    def write(self, line: bytes) -> None:
        stdin = cast(IO[bytes], self._process.stdin)
        stdin.write(line)
        stdin.flush()

    def end_input(self) -> None:
        cast(IO[bytes], self._process.stdin).close()

    def terminate(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()

    def kill(self) -> None:
        self._process.kill()

    def _read_stderr(self) -> None:
        with cast(IO[bytes], self._process.stderr) as stderr:
            while True:
                chunk = os.read(stderr.fileno(), _CHUNK)
                if not chunk:
                    return
                self._stderr_tail = (self._stderr_tail + chunk)[-_STDERR_TAIL:]


class SocketLink:
    """One connection to a running agent."""

    def __init__(self, address: Address, timeout: float, ping_interval: float = PING_SECONDS) -> None:
        """`timeout` is the limit for opening the connection, and for attaching a session."""
        self.address = address
        self._wire: Union[LineWire, WebSocketWire] = create_wire(address)
        self._is_closing = False
        self._close_timer: Optional[threading.Timer] = None
        self.connect_error: Optional[ConnectError] = None
        self._check = SilenceCheck(ping_interval, time.monotonic() + timeout)
        # OpenSSL does not allow that two threads use a connection at the same time.
        self._using = threading.Lock()
        # Held until a whole frame is sent.
        self._sending = threading.Lock()
        self._control_frames: Deque[bytes] = deque()
        try:
            self._socket = open_socket(address, timeout)
        # UnicodeError: a name that no host can have.
        except (OSError, UnicodeError) as error:
            raise ConnectError(f"Cannot connect to {address.name}: {error}") from error
        self._socket.setblocking(False)

    def confirm(self) -> None:
        """A session is attached."""
        self._check.confirm()

    def run(self, receive: Receive) -> ExitInfo:
        """Passes all lines to `receive`. Returns when the connection has ended."""
        try:
            self._send(self._wire.opening())
            end = self._read(receive)
        except ConnectError as error:
            self.connect_error = error
            end = End(str(error))
        except End as error:
            end = error
        except (OSError, ValueError) as error:
            end = End(str(error))
        finally:
            self.close()
        return ExitInfo(None, reason=end.reason, close_code=end.close_code)

    def write(self, line: bytes) -> None:
        self._send(self._wire.encode(line))

    def end_input(self) -> None:
        if self._is_closing:
            return
        self._is_closing = True
        # A server that does not answer must not delay the end.
        self._close_timer = threading.Timer(_CLOSE_SECONDS, self.kill)
        self._close_timer.daemon = True
        self._close_timer.start()
        self._send_control(self._wire.closing())
        if isinstance(self._wire, LineWire):
            self._socket.shutdown(socket.SHUT_WR)

    def kill(self) -> None:
        """Ends the connection. The reading thread closes the socket."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def close(self) -> None:
        if self._close_timer:
            self._close_timer.cancel()
        # Wakes a thread that waits until it can write.
        self.kill()
        self._socket.close()

    def _read(self, receive: Receive) -> End:
        while True:
            data = self._receive_chunk()
            if not data:
                return self._wire.eof()
            self._check.handle_data()
            lines, output, end = self._wire.feed(data)
            if output:
                self._send_control(output)
            for line in lines:
                receive(line)
            if end:
                return end

    def _receive_chunk(self) -> bytes:
        while True:
            try:
                with self._using:
                    return self._socket.recv(_CHUNK)
            except (BlockingIOError, ssl.SSLWantReadError):
                self._wait_for_data()
            except ssl.SSLWantWriteError:
                self._wait(selectors.EVENT_WRITE, _WRITE_SECONDS)

    def _wait_for_data(self) -> None:
        while not self._wait(selectors.EVENT_READ, self._check.get_timeout(time.monotonic())):
            ping = self._wire.ping()
            if self._check.should_ping(time.monotonic(), ping is not None) and ping:
                self._send_control(ping)

    def _send(self, data: bytes) -> None:
        with self._sending:
            self._send_all(data)
        self._send_control_frames()

    def _send_control(self, data: bytes) -> None:
        """Does not wait for a thread that is sending a long frame: that thread sends these frames after it."""
        self._control_frames.append(data)
        self._send_control_frames()

    def _send_control_frames(self) -> None:
        while self._control_frames and self._sending.acquire(blocking=False):
            try:
                while self._control_frames:
                    self._send_all(self._control_frames.popleft())
            finally:
                self._sending.release()

    def _send_all(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            try:
                with self._using:
                    rest = rest[self._socket.send(rest) :]
            except (BlockingIOError, ssl.SSLWantWriteError):
                self._wait(selectors.EVENT_WRITE, _WRITE_SECONDS)
            except ssl.SSLWantReadError:
                self._wait(selectors.EVENT_READ, _WRITE_SECONDS)

    def _wait(self, events: int, timeout: float) -> bool:
        """False when nothing happened in time. Fails with ValueError when another thread has closed the socket."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._socket, events)
            return bool(selector.select(timeout))


def create_wire(address: Address) -> Union[LineWire, WebSocketWire]:
    return LineWire(address) if isinstance(address, SocketAddress) else WebSocketWire(address)


def open_socket(address: Address, timeout: float) -> socket.socket:
    if isinstance(address, SocketAddress):
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(timeout)
        try:
            connection.connect(address.socket_path)
        except OSError:
            connection.close()
            raise
        return connection
    plain = socket.create_connection((address.host, address.port), timeout)
    if not address.is_secure:
        return plain
    return ssl.create_default_context().wrap_socket(plain, server_hostname=address.host)
