"""Exceptions of the client, and how the agent process ended."""

from __future__ import annotations

import signal as signals
from dataclasses import dataclass
from typing import Optional


class ParleyError(Exception):
    """Base class of all exceptions of this package, except TimeoutError."""


class RpcError(ParleyError):
    """The agent rejected a call, or the call failed. The message is the agent's error text."""

    def __init__(self, command: str, id: str, message: str) -> None:
        super().__init__(message)
        self.command = command
        self.id = id


class ConnectError(ParleyError):
    """The connection to a running agent could not be opened."""

    def __init__(
        self,
        message: str,
        *,
        status: Optional[int] = None,
        close_code: Optional[int] = None,
        is_permanent: bool = False,
    ) -> None:
        super().__init__(message)
        self.is_permanent = is_permanent
        """Another attempt would fail too, as after a refused token or an unknown session."""
        self.status = status
        """The HTTP status of the refusal."""
        self.close_code = close_code
        """The close code of the WebSocket."""


class ConnectionLostError(ParleyError):
    """The connection broke before the result arrived. The server may have executed the command."""

    def __init__(self, command: str, reason: str) -> None:
        super().__init__(
            f"The connection was lost ({reason}) before {command} was answered. It may have been executed."
        )
        self.command = command


@dataclass(frozen=True)
class ExitInfo:
    """How the agent process, or the connection to an agent, ended."""

    returncode: Optional[int]
    """As in subprocess: negative when a signal ended the process. None for a connection."""
    stderr: str = ""
    """The last 8 KiB of stderr."""
    reason: str = ""
    """Why a connection ended."""
    close_code: Optional[int] = None
    """The close code of a WebSocket."""

    @property
    def exit_code(self) -> Optional[int]:
        return self.returncode if self.returncode is not None and self.returncode >= 0 else None

    @property
    def signal(self) -> Optional[str]:
        if self.returncode is None or self.returncode >= 0:
            return None
        try:
            return signals.Signals(-self.returncode).name
        except ValueError:
            return f"signal {-self.returncode}"

    def describe(self, awaited: str) -> str:
        """The error message for a caller that waited for `awaited`."""
        if self.signal:
            how = f"was killed by {self.signal}"
        elif self.returncode is not None:
            how = f"exited with code {self.returncode}"
        else:
            how = f"disconnected ({self.reason})" if self.reason else "disconnected"
        stderr_tail = self.stderr.strip()
        return f"The agent {how} before {awaited}." + (f" The end of its stderr:\n{stderr_tail}" if stderr_tail else "")


class AgentExitedError(ParleyError):
    """The agent process has ended, so the awaited result will not arrive."""

    def __init__(self, exit_info: ExitInfo, awaited: str) -> None:
        super().__init__(exit_info.describe(awaited))
        self.exit_info = exit_info
        self.exit_code = exit_info.exit_code
        self.signal = exit_info.signal
        self.stderr = exit_info.stderr
