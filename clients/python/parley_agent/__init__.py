"""Talk to Parley, a headless coding agent, from Python: `Client` for threads, `AsyncClient` for asyncio."""

from .aio import AsyncClient
from .client import Client
from .errors import AgentExitedError, ExitInfo, ParleyError, RpcError

__all__ = ["AgentExitedError", "AsyncClient", "Client", "ExitInfo", "ParleyError", "RpcError"]
__version__ = "0.1.0"
