"""The address of a running agent, and the parameters of a connection to it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Dict, Optional, Union
from urllib.parse import parse_qsl, urlencode, urlsplit

from .errors import ParleyError

_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}
_PATH = "/ws"
# What a header can contain, without spaces.
_VALID_TOKEN = re.compile(r"[!-~]*")


@dataclass(frozen=True)
class WebAddress:
    host: str
    port: int
    is_secure: bool
    path: str
    """With the query."""
    token: Optional[str]

    @property
    def name(self) -> str:
        """For messages. Without the token."""
        return f"{'https' if self.is_secure else 'http'}://{self.netloc}"

    @property
    def netloc(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


@dataclass(frozen=True)
class SocketAddress:
    socket_path: str
    params: Dict[str, Any]

    @property
    def name(self) -> str:
        return f"unix:{self.socket_path}"


Address = Union[WebAddress, SocketAddress]


def parse_address(url: str, token: Optional[str], params: Dict[str, Any]) -> Address:
    """`params` are those of the connection; None leaves one out. The query of a URL may contain them and the token too."""
    present = {key: value for key, value in params.items() if value is not None}
    if url.startswith("unix:"):
        path = url[len("unix://") :] if url.startswith("unix:///") else url[len("unix:") :]
        if not path:
            raise ParleyError("The address unix: needs the path of a socket")
        return SocketAddress(path, {"dialect": "omp", **present})
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        port = None
    if port is None or parts.scheme not in _PORTS or not parts.hostname:
        # Without the query, which can contain the token.
        address, mark, _ = url.partition("?")
        address += f"{mark}…" if mark else ""
        raise ParleyError(f"Not an address of an agent: {address}. Use http://, https://, ws://, wss:// or unix:/path")
    query = dict(parse_qsl(parts.query))
    query_token = query.pop("token", None)
    path = parts.path[:-1] if parts.path.endswith("/") else parts.path
    if not path.endswith(_PATH):
        path += _PATH
    return WebAddress(
        parts.hostname,
        port,
        parts.scheme in ("https", "wss"),
        f"{path}?{urlencode({**query, 'dialect': 'omp', **present})}",
        _check_token(query_token if token is None else token),
    )


def _check_token(token: Optional[str]) -> Optional[str]:
    """A token that was read from a file may end with a newline."""
    text = None if token is None else token.strip()
    if text is not None and not _VALID_TOKEN.fullmatch(text):
        raise ParleyError("The token has characters that a token cannot have")
    return text
