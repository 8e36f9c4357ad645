"""When a client connects again, after which delay, and when it gives up. Does no input or output."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Callable, Optional, Union

from ._wires import End
from .errors import ConnectError, ExitInfo

_FRAME_TOO_LARGE = 1009
_PERMANENT_CLOSE_CODES = {4400, 4401, 4403, 4404}


@dataclass(frozen=True)
class ReconnectOptions:
    initial_delay: float = 0.25
    """Seconds before the first attempt. Doubled for each further attempt, and shortened by up to a half at random."""
    max_delay: float = 10.0
    max_attempts: Optional[int] = None
    """Failed attempts in a row after which the client gives up. None: no limit."""


@dataclass(frozen=True)
class ConnectionState:
    status: str
    """`connected`, `reconnecting` or `closed`."""
    reason: str = ""
    """Why there is no connection."""
    attempt: int = 0
    """The number of the next attempt while reconnecting. Begins with 1."""
    delay: float = 0.0
    """Seconds until that attempt."""


def to_options(reconnect: Union[bool, ReconnectOptions]) -> Optional[ReconnectOptions]:
    if isinstance(reconnect, ReconnectOptions):
        return reconnect
    return ReconnectOptions() if reconnect else None


def is_frame_too_large(end: ExitInfo) -> bool:
    """A frame of a call, or of its reply, was too large. It would be so again."""
    return end.close_code == _FRAME_TOO_LARGE


class ReconnectPolicy:
    """Decides after each end of a connection. Without options a client ends with its first connection."""

    def __init__(
        self, options: Optional[ReconnectOptions], choose_random: Callable[[], float] = random.random
    ) -> None:
        self._options = options
        self._random = choose_random
        self._is_confirmed = False
        self._attempts = 0

    def confirm(self) -> None:
        """The server has attached a session. From the first time on, a broken connection is replaced."""
        self._is_confirmed = True
        self._attempts = 0

    def can_reconnect(self, end: ExitInfo, error: Optional[ConnectError]) -> bool:
        """`error` is present when the connection was refused before it was open."""
        if self._options is None or not self._is_confirmed or (error is not None and error.is_permanent):
            return False
        return end.close_code not in _PERMANENT_CLOSE_CODES

    def next_attempt(self, reason: str) -> Optional[ConnectionState]:
        """None when the client gives up."""
        options = self._options or ReconnectOptions()
        if options.max_attempts is not None and self._attempts >= options.max_attempts:
            return None
        # The limit of the exponent prevents an overflow after many attempts.
        longest = min(options.max_delay, options.initial_delay * 2 ** min(self._attempts, 64))
        self._attempts += 1
        delay = longest * (1 - self._random() / 2)
        return ConnectionState("reconnecting", reason, self._attempts, delay)


class SilenceCheck:
    """Finds connections that are dead without an end, as behind a proxy that has forgotten them.

    A server that sends nothing gets a ping. If nothing arrives until the next check, the connection has ended.
    """

    def __init__(self, interval: float, attach_deadline: float) -> None:
        """`attach_deadline`: when a session must be attached, on the clock of the `now` arguments."""
        self._interval = interval
        self._attach_deadline: Optional[float] = attach_deadline
        self._ping_sent = False

    def confirm(self) -> None:
        self._attach_deadline = None

    def handle_data(self) -> None:
        self._ping_sent = False

    def get_timeout(self, now: float) -> float:
        if self._attach_deadline is None:
            return self._interval
        return max(0.0, min(self._interval, self._attach_deadline - now))

    def should_ping(self, now: float, can_ping: bool) -> bool:
        """Called when nothing has arrived for the timeout. Raises End for a dead connection."""
        if self._attach_deadline is not None:
            if now < self._attach_deadline:
                return False
            raise End("the server did not attach a session in time")
        if self._ping_sent:
            raise End("the server does not answer")
        self._ping_sent = can_ping
        return can_ping
