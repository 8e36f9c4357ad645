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


@dataclass(frozen=True)
class ExitInfo:
    """How the agent process ended."""

    returncode: Optional[int]
    """As in subprocess: negative when a signal ended the process."""
    stderr: str = ""
    """The last 8 KiB of stderr."""

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
            how = "disconnected"
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
