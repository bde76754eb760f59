"""One connection of a verl process to LiveRL's proxy, over which the proxy's sessions are served. See `docs/relay.md`."""

import asyncio
import hashlib
import logging
import os
import random
import socket
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import aiohttp

from liverl_verl import frames
from liverl_verl.outbox import Outbox
from liverl_verl.proxy_place import ProxyFault, ProxyFinder, ProxyPlace

logger = logging.getLogger(__name__)

FIRST_WAIT_S = 0.25
LONGEST_WAIT_S = 30.0
MAX_FRAME_BYTES = 64 * 1024 * 1024
_MAX_KEPT_IDS = 8_000_000
_MAX_TOLD_SESSIONS = 100_000
_MOST_REASON_BYTES = 123
"""RFC 6455, §5.5: a control frame has at most 125 bytes, two of them the code."""


class EngineRefusal(Exception):
    """The engine understood and said no: to ask again is useless."""


@dataclass(frozen=True)
class Generated:
    ids: list[int]
    logprobs: list[float | None]
    """Nats, one an id."""
    finish_reason: str
    """`stop`, `length` or `abort`."""
    versions: tuple[int, int] | None
    """Oldest and newest weights that sampled; None where the engine does not tell."""
    routed_experts: str | None = None
    """base64 of a `.npy`: rows from `routed_experts_prompt_start` on."""


class Engine(Protocol):
    async def generate(self, session: str, prompt_ids: list[int], sampling: Mapping[str, Any]) -> Generated:
        """Raises EngineRefusal; anything else means that elsewhere it may work."""

    async def score(self, request_id: str, prompt_ids: list[int], temperature: float) -> list[float | None]:
        """Log-probs of each id given those before it; None for the first."""


@dataclass
class RelayCounts:
    """What the worker did since it began, for its log."""

    requests: int = 0
    tokens: int = 0
    cut: int = 0
    connections: int = 0
    not_abortable: int = 0


@dataclass(eq=False)
class RelayWorker:
    """Dials in, registers, serves, and dials in again. `run` ends when its task is cancelled."""

    finder: ProxyFinder
    pool: str
    engine: Engine
    concurrency: int
    name: str = field(default_factory=lambda: f"{_host()}-{os.getpid()}")
    counts: RelayCounts = field(default_factory=RelayCounts)
    weight_version: int | None = None
    registered: asyncio.Event = field(default_factory=asyncio.Event)
    place: ProxyPlace | None = None
    """Of the newest connection."""
    fault: ProxyFault | None = None
    """Why there was no proxy to dial at the last try."""
    tried: asyncio.Event = field(default_factory=asyncio.Event)
    """A first try is over, well or not."""
    _kept: "OrderedDict[str, list[int]]" = field(default_factory=OrderedDict)
    _kept_ids: int = 0
    _running: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _told: "OrderedDict[str, None]" = field(default_factory=OrderedDict)

    async def run(self) -> None:
        failures = 0
        while True:
            try:
                was_registered = await self._serve_once()
            except Exception:  # without its worker a trainer waits for ever
                logger.exception("adapter_error: the connection to LiveRL's proxy is lost by a fault here")
                was_registered = False
            failures = 0 if was_registered else failures + 1
            # Full jitter: workers that lost one proxy together do not come back together.
            await asyncio.sleep(random.random() * min(LONGEST_WAIT_S, FIRST_WAIT_S * 2**failures))

    async def _serve_once(self) -> bool:
        try:
            self.place, self.fault = await self.finder.find(), None
        except ProxyFault as fault:
            self.fault = fault
            self.tried.set()
            logger.error("%s", fault)
            return False
        url = self.place.url.replace("http", "ws", 1) + "/ws/worker"
        try:
            async with (
                aiohttp.ClientSession() as http,
                http.ws_connect(
                    url,
                    protocols=(frames.PROTOCOL,),
                    headers={"authorization": f"Bearer {self.place.worker_token}"},
                    max_msg_size=MAX_FRAME_BYTES,
                    compress=0,
                ) as ws,
            ):
                return await self._serve(ws, self.place)
        except (aiohttp.ClientError, OSError, asyncio.TimeoutError) as error:
            logger.warning("LiveRL's proxy at %s can not be reached: %s", url, error)
            return False
        finally:
            self.tried.set()

    async def _serve(self, ws: aiohttp.ClientWebSocketResponse, place: ProxyPlace) -> bool:
        out = Outbox(ws)
        await out.send(
            {
                "t": "register",
                "worker": self.name,
                "pool": self.pool,
                "concurrency": self.concurrency,
                "weightVersion": self.weight_version,
            }
        )
        beating: asyncio.Task[None] | None = None
        try:
            async for message in ws:
                if message.type is not aiohttp.WSMsgType.BINARY:
                    break
                frame = frames.decode(message.data)
                if frame.header["t"] == "registered":
                    self.counts.connections += 1
                    beating = asyncio.create_task(self._beat(out, frame.header["heartbeatMs"] / 1000))
                    self.registered.set()
                    self.tried.set()
                    logger.info("joined LiveRL's proxy at %s as %s for %s", place.url, self.name, self.pool)
                else:
                    await self._take_or_refuse(out, frame)
        except (ValueError, KeyError, TypeError) as error:
            fault = f"no frame of {frames.PROTOCOL}: {error}"
            logger.error("LiveRL's proxy sent %s", fault)
            await ws.close(
                code=aiohttp.WSCloseCode.PROTOCOL_ERROR, message=fault.encode()[:_MOST_REASON_BYTES]
            )
        finally:
            self.registered.clear()
            if beating is not None:
                beating.cancel()
            # The proxy sends what was in flight to another worker.
            for task in list(self._running.values()):
                task.cancel()
        if ws.close_code not in (None, 1000, 1001, 1006):
            logger.error("LiveRL's proxy closed the connection with %s", ws.close_code)
        return beating is not None

    async def _beat(self, out: Outbox, every_s: float) -> None:
        while True:
            await asyncio.sleep(every_s)
            await out.send(
                {
                    "t": "heartbeat",
                    "weightVersion": self.weight_version,
                    "ready": True,
                    "concurrency": self.concurrency,
                }
            )

    async def _take_or_refuse(self, out: Outbox, frame: frames.Frame) -> None:
        """One request that can not be read is refused, and the others go on; without an id nobody could be told."""
        request = frame.header.get("id")
        try:
            self._take(out, frame)
        except (ValueError, KeyError, TypeError) as error:
            if not isinstance(request, str):
                raise
            fault = f"no request of {frames.PROTOCOL}: {type(error).__name__}: {error}"
            logger.error("LiveRL's proxy sent %s", fault)
            await out.error(request, "refused", 400, fault)

    def _take(self, out: Outbox, frame: frames.Frame) -> None:
        header = frame.header
        kind, request = header["t"], header["id"]
        if not isinstance(request, str):
            raise ValueError(f"a request's id is a string and not {request!r}")
        if kind == "generate":
            self._start(out, request, lambda: self._generate(out, header, frame.ids))
        elif kind == "score":
            self._start(out, request, lambda: self._score(out, header, frame.ids))
        elif kind == "abort":
            self._abort(request, cut=bool(header["cut"]))
        else:
            raise ValueError(f"unknown kind {kind!r}")

    def _start(self, out: Outbox, request: str, act: Callable[[], Awaitable[None]]) -> None:
        async def serve() -> None:
            try:
                await act()
            except EngineRefusal as error:
                await out.error(request, "refused", 400, str(error))
            except Exception as error:  # whatever the engine raises: elsewhere it may work
                logger.exception("request %s failed", request)
                await out.error(request, "away", 502, f"{type(error).__name__}: {error}")

        task = asyncio.create_task(serve())
        self._running[request] = task
        task.add_done_callback(
            lambda done: self._running.pop(request, None) if self._running.get(request) is done else None
        )

    def _abort(self, request: str, *, cut: bool) -> None:
        task = self._running.get(request)
        if task is None:
            return
        if cut:
            # verl's client has no abort: nobody waits any more, and its engine goes on to the end.
            self.counts.cut += 1
            task.cancel()
        else:
            self.counts.not_abortable += 1

    async def _generate(self, out: Outbox, header: dict[str, Any], new_ids: list[int]) -> None:
        request, session, keep = header["id"], header["session"], header["keep"]
        held = self._kept.get(session, [])
        prompt = held[:keep]
        if len(prompt) < keep or frames.digest_of(prompt) != header["digest"]:
            await out.send({"t": "need", "id": request})
            return
        prompt = prompt + new_ids
        self.counts.requests += 1
        self._tell(session)
        generated = await self.engine.generate(session, prompt, header["sampling"])
        self.counts.tokens += len(generated.ids)
        self._keep(session, prompt + generated.ids)
        spans = None
        bounds = generated.versions
        if bounds is not None:
            self.weight_version = max(self.weight_version or 0, bounds[1])
            if bounds[0] == bounds[1] and generated.ids:
                spans = [{"version": str(bounds[0]), "start": 0, "end": len(generated.ids)}]
        await out.send({"t": "chunk", "id": request}, generated.ids, generated.logprobs)
        await out.send(
            {
                "t": "end",
                "id": request,
                "finishReason": generated.finish_reason,
                "spans": spans,
                "versionBounds": None if bounds is None else list(bounds),
                "weightVersion": self.weight_version,
                "routedExperts": generated.routed_experts,
            }
        )

    def _tell(self, session: str) -> None:
        """A session's URL at its first call here, where this process knows it."""
        if self.place is None or self.place.agent_url is None or session in self._told:
            return
        self._told[session] = None
        if len(self._told) > _MAX_TOLD_SESSIONS:
            self._told.popitem(last=False)
        logger.info("session %s at %s/sess/%s/v1", session, self.place.agent_url, session)

    async def _score(self, out: Outbox, header: dict[str, Any], ids: list[int]) -> None:
        scores = await self.engine.score(header["id"], ids, header["temperature"])
        await out.send({"t": "scores", "id": header["id"]}, (), scores)

    def _keep(self, session: str, ids: list[int]) -> None:
        self._kept_ids += len(ids) - len(self._kept.pop(session, []))
        self._kept[session] = ids
        while self._kept_ids > _MAX_KEPT_IDS and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._kept_ids -= len(dropped)


def _host() -> str:
    """Short, and of the characters that a worker's name may have."""
    name = "".join(letter if letter.isalnum() else "-" for letter in socket.gethostname()).strip("-")
    return name[:60] or hashlib.sha256(socket.gethostname().encode()).hexdigest()[:12]
