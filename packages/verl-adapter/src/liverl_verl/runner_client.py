"""The trial runner's API, as a trainer sees it."""

import asyncio
import logging
import time
from typing import Any

import aiohttp

logger = logging.getLogger(__name__)

_WAIT_S = 50
_LONGEST_PAUSE_S = 10.0
_AWAY = (500, 502, 503, 504, 429)


class RolloutRefused(Exception):
    """The runner said no, and why: to ask again is useless."""


class RunnerAway(Exception):
    """Nothing answered for as long as the settings allow."""


class RunnerClient:
    """One a process; its connections are kept. Everything it asks may be asked again."""

    def __init__(self, url: str, token: str, *, patience_s: float) -> None:
        self._url = url
        self._headers = {"authorization": f"Bearer {token}"}
        self._patience_s = patience_s
        self._http: aiohttp.ClientSession | None = None

    async def rollout(self, request: dict[str, Any]) -> dict[str, Any]:
        """The finished rollout, however long it takes. Raises RolloutRefused and RunnerAway."""
        return await self._until_done(f"/api/v1/rollouts?wait={_WAIT_S}", request)

    async def close(self) -> None:
        if self._http is not None:
            await self._http.close()

    async def _until_done(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        pause_s, answered_at = 0.25, time.monotonic()
        while True:
            try:
                async with self._session().post(self._url + path, json=body) as response:
                    if response.status == 200:
                        answer = await response.json()
                        if isinstance(answer, dict):
                            return answer
                        raise ValueError(f"no rollout: {str(answer)[:200]}")
                    if response.status == 202:
                        pause_s, answered_at = 0.25, time.monotonic()
                        continue
                    said = (await response.text())[:2000]
                    if response.status not in _AWAY:
                        raise RolloutRefused(f"{response.status} {said}")
                    fault = f"{response.status} {said}"
            # A ValueError: what came is cut off, or something else answers there.
            except (aiohttp.ClientError, OSError, asyncio.TimeoutError, ValueError) as error:
                fault = f"{type(error).__name__}: {error}"
            if time.monotonic() - answered_at > self._patience_s:
                raise RunnerAway(
                    f"the trial runner at {self._url} has been away for {self._patience_s:.0f} s: {fault}"
                )
            logger.warning("the trial runner does not answer (%s); again in %.1f s", fault, pause_s)
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    def _session(self) -> aiohttp.ClientSession:
        if self._http is None or self._http.closed:
            timeout = aiohttp.ClientTimeout(total=_WAIT_S + 40, sock_connect=10)
            self._http = aiohttp.ClientSession(
                headers=self._headers, timeout=timeout, connector=aiohttp.TCPConnector(limit=0)
            )
        return self._http
