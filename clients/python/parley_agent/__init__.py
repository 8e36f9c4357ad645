"""Talk to Parley, a headless coding agent, from Python: `Client` for threads, `AsyncClient` for asyncio.

Both start the agent as a process. `connect(url)` and `connect_async(url)` use one that runs already.
"""

from ._connection import LEAVE_OPEN
from ._reconnect import ConnectionState, ReconnectOptions
from .aio import AsyncClient
from .client import Client
from .errors import AgentExitedError, ConnectError, ConnectionLostError, ExitInfo, ParleyError, RpcError

connect = Client.connect
connect_async = AsyncClient.connect

__all__ = [
    "LEAVE_OPEN",
    "AgentExitedError",
    "AsyncClient",
    "Client",
    "ConnectError",
    "ConnectionLostError",
    "ConnectionState",
    "ExitInfo",
    "ParleyError",
    "ReconnectOptions",
    "RpcError",
    "connect",
    "connect_async",
]
__version__ = "0.1.0"
