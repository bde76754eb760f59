"""Where a process's proxy is, and who knows: settings, a named Ray actor, or the host (`local_proxy`)."""

from dataclasses import dataclass, field
from typing import Protocol


class ProxyFault(RuntimeError):
    """There is no proxy to dial, and why: one line that says what to do."""


@dataclass(frozen=True)
class ProxyPlace:
    url: str
    """Admin port as this host dials it, `http://host:port`: workers join at `/ws/worker`."""
    worker_token: str = field(repr=False)
    agent_url: str | None = None
    """Base of the sessions' URLs, where this process knows it."""
    for_runner: dict[str, str] | None = field(default=None, repr=False)
    """`{"url", "token"}` for the trial runner to open sessions with; None where it has a proxy of its own."""


class ProxyFinder(Protocol):
    async def find(self) -> ProxyPlace:
        """Asked before each connection. Raises ProxyFault."""


@dataclass(frozen=True)
class GivenProxy:
    place: ProxyPlace

    async def find(self) -> ProxyPlace:
        return self.place
