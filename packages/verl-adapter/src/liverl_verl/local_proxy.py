"""One proxy for all rollout workers of a run on this host: the first starts it, the others find it.

Who keeps it alive and ends it is `local_proxy_guard`. Its folder is `<local_dir>/<run>@<host>`: settings, journal, log.
"""

import asyncio
import contextlib
import fcntl
import json
import logging
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from liverl_verl.host_address import primary_ipv4
from liverl_verl.proxy_place import ProxyFault, ProxyPlace

logger = logging.getLogger(__name__)

_GUARD = Path(__file__).with_name("local_proxy_guard.py")
_READY_S = 180.0
"""Loading and proving a large model's tokenizer takes seconds, on a busy host many."""
_POLL_S = 0.1
_DRAIN_S = 5


@dataclass(frozen=True)
class Pool:
    """What the proxy renders for; its engines are the workers that dial in."""

    id: str
    model_dir: str
    model_name: str
    max_model_len: int


@dataclass(frozen=True)
class LocalProxy:
    folder: Path
    node: str
    bundle: Path
    pool: Pool
    advertise: str | None = None
    """How the runner and agents reach this host, where its primary IPv4 address is not it."""
    _held: "_Held" = field(default_factory=lambda: _Held(), repr=False, compare=False)

    async def find(self) -> ProxyPlace:
        return await asyncio.to_thread(self.start_or_find)

    def start_or_find(self) -> ProxyPlace:
        """Blocks for as long as the proxy takes to serve. Raises ProxyFault."""
        with self._held.mutex:
            _make_private(self.folder)
            with self._alone():
                self._use()
                if not self._is_guarded():
                    self._start()
                ready = self._until_ready()
            return self._place(ready)

    def leave(self) -> None:
        """This process needs it no more; ending does the same."""
        with self._held.mutex:
            if self._held.users is not None:
                self._held.users.close()
                self._held.users = None

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        deadline = time.monotonic() + _READY_S
        with open(self.folder / "start", "a") as start:
            while not _locks(start, fcntl.LOCK_EX):
                if time.monotonic() > deadline:
                    raise ProxyFault(
                        f"another worker has been starting the proxy of {self.folder} for {_READY_S:.0f} s"
                    )
                time.sleep(_POLL_S)
            yield

    def _use(self) -> None:
        if self._held.users is None:
            users = open(self.folder / "users", "a")
            fcntl.flock(users, fcntl.LOCK_SH)
            self._held.users = users

    def _is_guarded(self) -> bool:
        with open(self.folder / "guard", "a") as guard:
            return not _locks(guard, fcntl.LOCK_EX)

    def _start(self) -> None:
        if not self.bundle.is_file():
            raise ProxyFault(
                f"the proxy's program is not at {self.bundle}: set LIVERL_PROXY_BUNDLE to liverl-proxy.mjs "
                "(`npm run build` makes dist/stand-alone)"
            )
        config = self.folder / "proxy.yaml"
        # JSON is YAML, too.
        config.write_text(json.dumps(self._settings()))
        argv = [self.node, str(self.bundle), "--config", str(config)]
        (self.folder / "plan.json").write_text(json.dumps({"argv": argv}))
        for stale in ("fault", "process.json"):
            (self.folder / stale).unlink(missing_ok=True)
        with open(self.folder / "guard.log", "ab") as log:
            subprocess.run(
                [sys.executable, "-I", str(_GUARD), str(self.folder)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                check=True,
            )

    def _settings(self) -> dict[str, Any]:
        here = "0.0.0.0" if self.advertise is not None else primary_ipv4()
        return {
            "dataDir": str(self.folder / "data"),
            "host": here,
            "port": 0,
            "advertise": self.advertise or here,
            "adminHost": here,
            "adminPort": 0,
            "drainSeconds": _DRAIN_S,
            "pools": [
                {
                    "id": self.pool.id,
                    "relay": True,
                    "modelDir": self.pool.model_dir,
                    "modelName": self.pool.model_name,
                    "maxModelLen": self.pool.max_model_len,
                }
            ],
        }

    def _until_ready(self) -> dict[str, Any]:
        deadline = time.monotonic() + _READY_S
        while time.monotonic() < deadline:
            ready, record = _json(self.folder / "data/proxy.json"), _json(self.folder / "process.json")
            if ready is not None and record is not None and ready.get("pid") == record.get("proxy"):
                return ready
            with contextlib.suppress(OSError):
                fault = " ".join((self.folder / "fault").read_text().split())
                raise ProxyFault(
                    f"the proxy of this host does not start: {fault} (log: {self.folder}/proxy.log)"
                )
            time.sleep(_POLL_S)
        raise ProxyFault(
            f"the proxy of this host does not serve within {_READY_S:.0f} s: see {self.folder}/proxy.log"
        )

    def _place(self, ready: dict[str, Any]) -> ProxyPlace:
        url = str(ready["adminUrl"])
        dialled = urlsplit(url)
        host = self.advertise or dialled.hostname or ""
        tokens = self.folder / "data/proxy"
        place = ProxyPlace(
            url=url,
            worker_token=(tokens / "worker.token").read_text().strip(),
            agent_url=str(ready["agentUrls"][0]),
            for_runner={
                "url": f"http://{f'[{host}]' if ':' in host else host}:{dialled.port}",
                "token": (tokens / "admin.token").read_text().strip(),
            },
        )
        if self._held.told != ready["pid"]:
            self._held.told = ready["pid"]
            logger.info(
                "the proxy of this host (pid %s) serves sessions at %s", ready["pid"], place.agent_url
            )
        return place


@dataclass
class _Held:
    mutex: threading.Lock = field(default_factory=threading.Lock)
    users: IO[str] | None = None
    told: int | None = None


def default_folder(run_id: str, local_dir: str | None) -> Path:
    """Of this host alone, also where `local_dir` is a disk that hosts share."""
    base = Path(local_dir) if local_dir else Path(tempfile.gettempdir(), f"liverl-{os.geteuid()}")
    return base / f"{run_id}@{socket.gethostname()}"


def default_bundle() -> Path:
    """Beside this package, as a wheel and a job's package bring it; in a checkout where it is built."""
    carried = Path(__file__).parent / "proxy" / "liverl-proxy.mjs"
    built = (
        Path(__file__).parents[4] / "dist/stand-alone/liverl-proxy.mjs"
        if len(Path(__file__).parents) > 4
        else carried
    )
    return built if built.is_file() and not carried.is_file() else carried


def _make_private(folder: Path) -> None:
    """It holds tokens: neither it nor the folder that it lies in may be another user's to exchange."""
    advice = "set LIVERL_LOCAL_DIR to a folder of yours on a local disk"
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        for one, owners in ((folder.parent, (os.geteuid(), 0)), (folder, (os.geteuid(),))):
            if one.lstat().st_uid not in owners:
                raise ProxyFault(f"{one} belongs to another user: {advice}")
        folder.chmod(0o700)
    except OSError as error:
        raise ProxyFault(f"{folder} can not be made ({error.strerror}): {advice}") from error


def _locks(file: IO[str], how: int) -> bool:
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _json(path: Path) -> dict[str, Any] | None:
    try:
        content = json.loads(path.read_text())
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None
