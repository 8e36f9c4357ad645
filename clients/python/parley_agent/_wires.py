"""How lines travel over a connection: plain lines on a Unix socket, text messages of a WebSocket (RFC 6455). Does no input or output."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import struct
from typing import Any, Dict, List, Optional, Tuple

from ._address import SocketAddress, WebAddress
from .errors import ConnectError

_MAX_MESSAGE = 512 * 1024 * 1024
_MAX_HEAD = 64 * 1024
# Appended to the key of the request to compute the key that the server must return.
_KEY_SUFFIX = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_CONTINUATION, _TEXT, _CLOSE, _PING, _PONG = 0, 1, 8, 9, 10
# Codes of `connect_error` after which another attempt can succeed.
_TEMPORARY_CODES = {"busy", "in_use", "rate_limited", "internal", "restarting"}
_NORMAL, _PROTOCOL_ERROR, _INVALID_TEXT, _TOO_LARGE, _ABNORMAL = 1000, 1002, 1007, 1009, 1006


class End(Exception):
    """The connection has ended, for this reason."""

    def __init__(self, reason: str, close_code: Optional[int] = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.close_code = close_code


class LineWire:
    """Lines on a Unix socket. The first line has the parameters of the connection."""

    def __init__(self, address: SocketAddress) -> None:
        self.address = address
        self._rest = bytearray()
        self._is_first = True

    def opening(self) -> bytes:
        return _encode({"type": "connect", **self.address.params})

    def encode(self, line: bytes) -> bytes:
        return line

    def closing(self) -> bytes:
        return b""

    def ping(self) -> Optional[bytes]:
        """None: the system reports the end of a process on the same machine."""
        return None

    def feed(self, data: bytes) -> Tuple[List[bytes], bytes, Optional[End]]:
        """Returns the complete lines, the bytes to send, and the end of the connection if the server has announced it."""
        begin = len(self._rest)
        self._rest += data
        if self._rest.find(b"\n", begin) < 0:
            return [], b"", None
        *lines, rest = bytes(self._rest).split(b"\n")
        self._rest = bytearray(rest)
        received: List[bytes] = []
        for line in lines:
            if line.startswith(b'{"type":"connection_end"'):
                frame = json.loads(line)
                return received, b"", End(str(frame.get("reason")), frame.get("code"))
            if self._is_first:
                self._check_first(line)
            received.append(line)
        return received, b"", None

    def eof(self) -> End:
        return End("the connection was closed")

    def _check_first(self, line: bytes) -> None:
        self._is_first = False
        try:
            frame = json.loads(line)
        except ValueError:
            return
        if isinstance(frame, dict) and frame.get("type") == "connect_error":
            message = f"{self.address.name} refused the connection: {frame.get('message')}"
            raise ConnectError(message, is_permanent=frame.get("code") not in _TEMPORARY_CODES)


class WebSocketWire:
    """Text messages of a WebSocket, one for each line."""

    def __init__(self, address: WebAddress) -> None:
        self.address = address
        self._key = base64.b64encode(os.urandom(16))
        self._buffer = bytearray()
        self._is_open = False
        self._fragments: Optional[bytearray] = None
        self._has_sent_close = False

    def opening(self) -> bytes:
        head = [
            f"GET {self.address.path} HTTP/1.1",
            f"Host: {self.address.netloc}",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {self._key.decode()}",
        ]
        if self.address.token is not None:
            head.append(f"Authorization: Bearer {self.address.token}")
        return "\r\n".join([*head, "", ""]).encode("latin-1")

    def encode(self, line: bytes) -> bytes:
        return self._frame(_TEXT, line[:-1] if line.endswith(b"\n") else line)

    def closing(self) -> bytes:
        return self._close(_NORMAL)

    def ping(self) -> Optional[bytes]:
        return self._frame(_PING, b"")

    def feed(self, data: bytes) -> Tuple[List[bytes], bytes, Optional[End]]:
        """Returns the complete lines, the bytes to send, and the end of the connection if the server has sent it."""
        self._buffer += data
        if not self._is_open and not self._read_handshake():
            return [], b"", None
        lines: List[bytes] = []
        output = b""
        try:
            while True:
                frame = self._read_frame()
                if frame is None:
                    return lines, output, None
                opcode, is_final, payload = frame
                if opcode == _PING:
                    output += self._frame(_PONG, payload)
                elif opcode == _CLOSE:
                    end = _parse_close(payload)
                    return lines, output + self._close(end.close_code or _NORMAL), end
                elif opcode != _PONG:
                    line = self._add_fragment(opcode, is_final, payload)
                    if line is not None:
                        lines.append(line)
        except End as end:
            return lines, output + self._close(end.close_code or _PROTOCOL_ERROR), end

    def eof(self) -> End:
        if not self._is_open:
            raise ConnectError(f"{self.address.name} closed the connection during the handshake")
        return End("the connection was closed", _ABNORMAL)

    def _read_handshake(self) -> bool:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > _MAX_HEAD:
                raise ConnectError(f"{self.address.name} is not a server of Parley", is_permanent=True)
            return False
        status, headers = _parse_head(bytes(self._buffer[:end]))
        if status != 101:
            body = self._buffer[end + 4 :]
            declared = headers.get("content-length", "")
            length = int(declared) if declared.isdecimal() else 0
            if len(body) < min(length, _MAX_HEAD):
                return False
            raise _create_refusal(self.address.name, status, bytes(body))
        expected = base64.b64encode(hashlib.sha1(self._key + _KEY_SUFFIX).digest()).decode()
        if headers.get("sec-websocket-accept") != expected:
            message = f"{self.address.name} is not a WebSocket server: its handshake is invalid"
            raise ConnectError(message, is_permanent=True)
        del self._buffer[: end + 4]
        self._is_open = True
        return True

    def _read_frame(self) -> Optional[Tuple[int, bool, bytes]]:
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        first, second = buffer[0], buffer[1]
        length, start = second & 0x7F, 2
        if length >= 126:
            size = 2 if length == 126 else 8
            if len(buffer) < 2 + size:
                return None
            length, start = int.from_bytes(buffer[2 : 2 + size], "big"), 2 + size
        opcode = first & 0x0F
        if first & 0x70 or second & 0x80 or opcode not in (_CONTINUATION, _TEXT, _CLOSE, _PING, _PONG):
            raise End("the server violates the WebSocket protocol", _PROTOCOL_ERROR)
        if opcode >= _CLOSE and (length > 125 or not first & 0x80):
            raise End("a control frame is invalid", _PROTOCOL_ERROR)
        if length + len(self._fragments or b"") > _MAX_MESSAGE:
            raise End(f"a message has more than {_MAX_MESSAGE} bytes", _TOO_LARGE)
        if len(buffer) < start + length:
            return None
        payload = bytes(buffer[start : start + length])
        del buffer[: start + length]
        return opcode, bool(first & 0x80), payload

    def _add_fragment(self, opcode: int, is_final: bool, payload: bytes) -> Optional[bytes]:
        if (opcode == _CONTINUATION) != (self._fragments is not None):
            raise End("fragments of a message are out of order", _PROTOCOL_ERROR)
        fragments = self._fragments if self._fragments is not None else bytearray()
        fragments += payload
        self._fragments = None if is_final else fragments
        if not is_final:
            return None
        try:
            fragments.decode("utf-8")
        except UnicodeDecodeError:
            raise End("a text is not valid UTF-8", _INVALID_TEXT) from None
        return bytes(fragments)

    def _close(self, code: int) -> bytes:
        if self._has_sent_close:
            return b""
        frame = self._frame(_CLOSE, struct.pack("!H", code))
        self._has_sent_close = True
        return frame

    def _frame(self, opcode: int, payload: bytes) -> bytes:
        """A client masks every frame."""
        if self._has_sent_close:
            return b""
        length = len(payload)
        if length < 126:
            head = struct.pack("!BB", 0x80 | opcode, 0x80 | length)
        elif length < 0x10000:
            head = struct.pack("!BBH", 0x80 | opcode, 0x80 | 126, length)
        else:
            head = struct.pack("!BBQ", 0x80 | opcode, 0x80 | 127, length)
        mask = os.urandom(4)
        return head + mask + _apply_mask(payload, mask)


def _apply_mask(payload: bytes, mask: bytes) -> bytes:
    """As one number: a loop over the bytes is slow in Python."""
    repeated = (mask * (len(payload) // 4 + 1))[: len(payload)]
    masked = int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")
    return masked.to_bytes(len(payload), "big")


def _parse_close(payload: bytes) -> End:
    if not payload:
        return End("the server closed the connection")
    if len(payload) == 1:
        raise End("a close frame is invalid", _PROTOCOL_ERROR)
    (code,) = struct.unpack("!H", payload[:2])
    return End(payload[2:].decode("utf-8", "replace") or "the server closed the connection", code)


def _parse_head(head: bytes) -> Tuple[int, Dict[str, str]]:
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    headers = dict(line.split(":", 1) for line in lines if ":" in line)
    status = int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
    return status, {name.strip().lower(): value.strip() for name, value in headers.items()}


def _create_refusal(name: str, status: int, body: bytes) -> ConnectError:
    reason = ""
    try:
        reason = ": " + str(json.loads(body)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        pass
    what = "refused the token" if status == 401 else f"refused the connection ({status})"
    is_permanent = 0 < status < 500 and status != 429
    return ConnectError(f"{name} {what}{reason}", status=status, is_permanent=is_permanent)


def _encode(frame: Dict[str, Any]) -> bytes:
    return json.dumps(frame, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"
