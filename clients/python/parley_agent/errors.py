"""What can go wrong. Knows the words of a failure, not how it travelled."""

from __future__ import annotations

import signal as signals
from dataclasses import dataclass
from typing import Optional


class ParleyError(Exception):
    """Everything that this package raises, but for TimeoutError."""


class RpcError(ParleyError):
    """The agent refused a call, or failed at it. The message is the agent's own sentence."""

    def __init__(self, command: str, id: str, message: str) -> None:
        super().__init__(message)
        self.command = command
        self.id = id


@dataclass(frozen=True)
class Farewell:
    """How an agent left."""

    returncode: Optional[int]
    """As subprocess tells it: negative when a signal ended the process."""
    stderr: str = ""
    """The end of what it wrote there."""

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

    def sentence(self, waited_for: str) -> str:
        if self.signal:
            how = f"was killed by {self.signal}"
        elif self.returncode is not None:
            how = f"exited with code {self.returncode}"
        else:
            how = "was lost"
        last_words = self.stderr.strip()
        return f"The agent {how} before {waited_for}." + (f" Its last words:\n{last_words}" if last_words else "")


class AgentGone(ParleyError):
    """The agent is gone: what was waited for will not come."""

    def __init__(self, farewell: Farewell, waited_for: str) -> None:
        super().__init__(farewell.sentence(waited_for))
        self.farewell = farewell
        self.exit_code = farewell.exit_code
        self.signal = farewell.signal
        self.stderr = farewell.stderr
