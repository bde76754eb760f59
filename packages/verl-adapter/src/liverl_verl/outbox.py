"""What a relay worker says on one connection."""

import logging
from typing import Any

import aiohttp

from liverl_verl import frames

logger = logging.getLogger(__name__)


class Outbox:
    """Sends frames of one connection; what is meant for one that is gone is of no use on the next."""

    def __init__(self, ws: aiohttp.ClientWebSocketResponse) -> None:
        self._ws = ws

    async def send(
        self,
        header: dict[str, Any],
        ids: list[int] | tuple[()] = (),
        logprobs: list[float | None] | tuple[()] = (),
    ) -> None:
        if self._ws.closed:
            return
        try:
            await self._ws.send_bytes(frames.encode(header, ids, logprobs))
        except (aiohttp.ClientError, ConnectionError, RuntimeError) as error:
            logger.warning("a frame was lost with its connection: %s", error)

    async def error(self, request: str, kind: str, status: int, message: str) -> None:
        await self.send(
            {"t": "error", "id": request, "kind": kind, "status": status, "message": message[:2000]}
        )
