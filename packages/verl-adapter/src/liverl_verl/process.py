"""What all rollouts of one verl process share: one connection to the proxy, one client of the runner."""

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable
from typing import Any

from liverl_verl.proxy_place import ProxyFinder
from liverl_verl.relay_worker import RelayWorker
from liverl_verl.runner_client import RunnerClient
from liverl_verl.settings import Settings, unread_names
from liverl_verl.verl_engine import VerlEngine

logger = logging.getLogger(__name__)

# verl quiets every logger but its own: what joins and leaves is what boot phases are read from.
_log = logging.getLogger("liverl_verl")
if not _log.handlers:
    _log.addHandler(logging.StreamHandler())
    _log.setLevel(logging.INFO)
    _log.propagate = False

_processes: dict[tuple[Settings, asyncio.AbstractEventLoop], "Process"] = {}


class Process:
    def __init__(self, settings: Settings, engine: VerlEngine, finder: ProxyFinder) -> None:
        self.engine = engine
        self.runner = RunnerClient(settings.runner_url, settings.runner_token, patience_s=settings.patience_s)
        self.worker = RelayWorker(
            finder=finder,
            pool=settings.run_id,
            engine=engine,
            concurrency=settings.worker_concurrency,
        )
        self.has_succeeded = False
        """Whether any rollout of this process came to a reward."""
        self.has_trained = False
        """Whether any of them came to a row that trains."""
        self.routing_shape: tuple[int, ...] | None = None
        """(layers, top-k) of the expert routing that rollouts came with."""
        self._patience_s = settings.patience_s
        self._serving = asyncio.get_running_loop().create_task(self.worker.run())
        self._serving.add_done_callback(_say_why)

    @property
    def version(self) -> int:
        """Newest weights that sampled here; 0 before the first."""
        return self.worker.weight_version or 0

    async def registered(self) -> None:
        """A rollout that is asked for before the proxy knows this worker would only wait there. Raises ProxyFault."""
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.worker.tried.wait(), self._patience_s)
        if self.worker.fault is not None and not self.worker.registered.is_set():
            raise self.worker.fault
        try:
            await asyncio.wait_for(self.worker.registered.wait(), self._patience_s)
        except asyncio.TimeoutError:
            logger.warning("not registered at LiveRL's proxy yet; another worker may serve")

    @property
    def proxy_for_runner(self) -> dict[str, str] | None:
        """The proxy of this host, for the runner to open the rollout's session with; None where it has its own."""
        return None if self.worker.place is None else self.worker.place.for_runner


def joined(
    settings: Settings,
    server_manager: Any,
    eos_ids: frozenset[int],
    max_model_len: int | None,
    rollout_name: str,
    finder: Callable[[], ProxyFinder],
) -> Process:
    """The process's one, made by its first rollout. An instance of the loop lives for one rollout alone."""
    key = (settings, asyncio.get_running_loop())
    process = _processes.get(key)
    if process is None:
        if names := unread_names(os.environ):
            logger.warning("not read here, the trial runner chooses agent and model: %s", ", ".join(names))
        engine = VerlEngine(
            server_manager, eos_ids=eos_ids, max_model_len=max_model_len, rollout_name=rollout_name
        )
        process = _processes[key] = Process(settings, engine, finder())
    process.engine.server_manager = server_manager
    return process


def _say_why(serving: "asyncio.Task[None]") -> None:
    if not serving.cancelled() and serving.exception() is not None:
        logger.error("LiveRL's relay worker ended", exc_info=serving.exception())
