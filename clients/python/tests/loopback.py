"""Servers on loopback that speak the wire of `parley serve`, and the real server."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import socket
import struct
import subprocess
import threading
from typing import Any, Callable, Dict, List, Optional
from urllib.parse import parse_qsl, urlsplit

from .support import OFFLINE, PROGRAM, Sandbox

READY = {"type": "ready", "version": "1.2.3", "protocolVersion": 1, "dialect": "omp"}


def attached(**fields: Any) -> Dict[str, Any]:
    frame = {"type": "session_attached", "sessionId": "s1", "clientId": "me", "seq": 10, "access": "full"}
    return {**frame, "replay": "none", "sessions": "many", **fields}


def notice(seq: int, message: str, **fields: Any) -> Dict[str, Any]:
    return {"type": "notice", "level": "info", "message": message, "seq": seq, **fields}


class Peer:
    """The server's side of one connection."""

    def __init__(self, connection: socket.socket, is_web: bool) -> None:
        self._socket = connection
        self._file = connection.makefile("rb")
        self._is_web = is_web
        self.params: Dict[str, Any] = {}
        self.headers: Dict[str, str] = {}
        self.budget: Optional[int] = None
        """The connection breaks after this number of bytes."""

    def accept(self) -> None:
        if not self._is_web:
            self.params = json.loads(self._file.readline())
            return
        self.read_request()
        key = self.headers["sec-websocket-key"].encode() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accept = base64.b64encode(hashlib.sha1(key).digest()).decode()
        head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        self.send_bytes(f"{head}Sec-WebSocket-Accept: {accept}\r\n\r\n".encode())

    def read_request(self) -> None:
        target = self._file.readline().split(b" ")[1].decode()
        self.params = dict(parse_qsl(urlsplit(target).query))
        while True:
            line = self._file.readline().strip().decode()
            if not line:
                return
            name, value = line.split(":", 1)
            self.headers[name.lower()] = value.strip()

    def send_bytes(self, data: bytes) -> None:
        if self.budget is None or len(data) < self.budget:
            self.budget = None if self.budget is None else self.budget - len(data)
            self._socket.sendall(data)
            return
        self._socket.sendall(data[: self.budget])
        self.close()
        raise OSError("the connection is broken")

    def send(self, *frames: Any) -> None:
        for frame in frames:
            text = json.dumps(frame).encode()
            self.send_bytes(web_frame(1, text) if self._is_web else text + b"\n")

    def receive(self) -> Optional[Dict[str, Any]]:
        """The next frame of the client, or None at the end."""
        while True:
            if not self._is_web:
                line = self._file.readline()
                return json.loads(line) if line else None
            opcode, payload = self.receive_frame()
            if opcode is None or opcode == 8:
                return None
            if opcode == 1:
                return dict(json.loads(payload))

    def receive_frame(self) -> Any:
        head = self._file.read(2)
        if len(head) < 2:
            return None, b""
        assert head[1] & 0x80, "the client must mask its frames"
        length = head[1] & 0x7F
        if length >= 126:
            length = int.from_bytes(self._file.read(2 if length == 126 else 8), "big")
        mask = self._file.read(4)
        payload = self._file.read(length)
        return head[0] & 0x0F, bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))

    def reply(self, call: Dict[str, Any], data: Any = None) -> None:
        self.send({"type": "response", "id": call["id"], "command": call["type"], "success": True, "data": data})

    def close(self) -> None:
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._file.close()
        self._socket.close()


def web_frame(opcode: int, payload: bytes, is_final: bool = True) -> bytes:
    length = len(payload)
    if length < 126:
        size = struct.pack("!B", length)
    else:
        size = struct.pack("!BH", 126, length) if length < 0x10000 else struct.pack("!BQ", 127, length)
    return bytes([(0x80 if is_final else 0) | opcode]) + size + payload


class Server:
    """Calls `serve` with each connection, on its own thread."""

    def __init__(self, sandbox: Sandbox, is_web: bool, serve: Callable[[Peer], None]) -> None:
        self.peers: List[Peer] = []
        self._is_web = is_web
        self._serve = serve
        self._path = os.path.join(sandbox.path, "agent.sock")
        self._listener = socket.socket(socket.AF_INET if is_web else socket.AF_UNIX)
        self._listener.bind(("127.0.0.1", 0) if is_web else self._path)
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        if not self._is_web:
            return f"unix:{self._path}"
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}/?token=secret"

    def close(self) -> None:
        self._listener.close()
        for peer in self.peers:
            peer.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            peer = Peer(connection, self._is_web)
            self.peers.append(peer)
            threading.Thread(target=self._run, args=(peer,), daemon=True).start()

    def _run(self, peer: Peer) -> None:
        try:
            self._serve(peer)
        except (OSError, ValueError):
            # The client has closed the connection.
            pass


class Proxy:
    """Forwards connections to a port, and breaks each one when it has passed a random number of bytes to the client."""

    def __init__(self, choose_budget: Callable[[int], int]) -> None:
        """`choose_budget` gets the number of the connection, beginning with 1."""
        self.count = 0
        self.target_port = 0
        self._choose_budget = choose_budget
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self.target_port))
            except OSError:
                return
            self.count += 1
            for source, target, budget in ((client, server, 2**40), (server, client, self._choose_budget(self.count))):
                threading.Thread(target=self._forward, args=(source, target, budget), daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket, budget: int) -> None:
        try:
            while budget > 0:
                data = source.recv(min(budget, 65536))
                if not data:
                    break
                target.sendall(data)
                budget -= len(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()


class ServeProgram:
    """The real server."""

    def __init__(self, sandbox: Sandbox, *args: str) -> None:
        self.socket = os.path.join(sandbox.path, "server.sock")
        self._args = args
        self._directory = sandbox.path
        self.port = 0
        self.start()

    def start(self) -> None:
        """Starts it again at the same addresses after `close`."""
        env = {**os.environ, "HOME": self._directory, "PARLEY_DIR": os.path.join(self._directory, "home")}
        self._process = subprocess.Popen(
            ["node", str(PROGRAM), "serve", "--port", str(self.port), "--json", "--socket", self.socket, *OFFLINE, *self._args],
            cwd=self._directory,
            env=env,
            stdout=subprocess.PIPE,
        )
        assert self._process.stdout
        started = json.loads(self._process.stdout.readline())
        self.port = urlsplit(started["url"]).port or 0
        self.token: str = started["token"]
        self.url = f"{started['url']}?token={self.token}"

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout
        self._process.stdout.close()
