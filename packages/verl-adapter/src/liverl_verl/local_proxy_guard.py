"""`python -I local_proxy_guard.py FOLDER`: keeps the proxy of this host and run, and ends it when nobody uses it any more.

Alone in its file, and of the standard library only: it outlives the worker that starts it. `FOLDER` has:

- `plan.json`: `{"argv": [...]}`, what to run; `data/proxy.json`: written by the proxy once it serves
- `users`: each worker holds a shared lock on it for life, which its kernel drops however the worker ends
- `start`: who starts or ends the proxy holds it alone; `guard`: held alone while a guard lives
- `process.json`: `{"guard": pid, "proxy": pid}`; `fault`: why the proxy could not start
"""

import contextlib
import ctypes
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType

_PR_SET_PDEATHSIG = 1
_LOOK_S = 0.5
_UNUSED_S = 3.0
"""A worker that Ray starts again comes back within it."""
_END_S = 8.0
"""More than the proxy's `drainSeconds`."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.25, 10.0
_STARTS = 5
"""In a row without serving once."""
_QUOTED_BYTES = 4000


def main(folder: Path) -> int:
    if os.fork() > 0:
        # No child of the worker: Ray ends those with it.
        os._exit(0)
    guard = open(folder / "guard", "a")
    try:
        fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return 0
    return Guard(folder).run()


class Guard:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._users = open(folder / "users", "a")
        self._start = open(folder / "start", "a")
        self._told_to_end = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._end_soon)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def run(self) -> int:
        failures, pause_s = 0, _FIRST_PAUSE_S
        self._end_leftover()
        while True:
            log_bytes = _size(self._folder / "proxy.log")
            proxy = self._spawn()
            self._note(proxy.pid)
            if self._watch(proxy):
                return 0
            if self._has_served(proxy.pid):
                failures, pause_s = 0, _FIRST_PAUSE_S
            else:
                failures += 1
                # 2 is said of settings: to start again would say it again.
                if proxy.returncode == 2 or failures >= _STARTS:
                    _write(self._folder / "fault", self._quote(log_bytes, proxy.returncode))
                    return 1
            if self._told_to_end:
                return 0
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    def _end_leftover(self) -> None:
        """A killed guard's proxy may still be ending: two never share a folder."""
        try:
            owner = json.loads((self._folder / "data/proxy/owner.json").read_text())
            pid, start_time = int(owner["pid"]), str(owner["startTime"])
        except (OSError, ValueError, KeyError):
            return
        for number, wait_s in ((signal.SIGTERM, _END_S), (signal.SIGKILL, 1.0)):
            deadline = time.monotonic() + wait_s
            if _start_time_of(pid) != start_time:
                return
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
            while _start_time_of(pid) == start_time and time.monotonic() < deadline:
                time.sleep(0.05)

    def _spawn(self) -> "subprocess.Popen[bytes]":
        plan = json.loads((self._folder / "plan.json").read_text())
        # Variables that configure a proxy would be read for settings of this one.
        env = {name: value for name, value in os.environ.items() if not name.startswith("PROXY_")}
        with open(self._folder / "proxy.log", "ab") as log:
            return subprocess.Popen(
                plan["argv"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=env,
                cwd=self._folder,
                preexec_fn=_die_with_parent,
            )

    def _watch(self, proxy: "subprocess.Popen[bytes]") -> bool:
        """True where the guard's work is over, False where the proxy ended by itself."""
        unused_since: float | None = None
        while proxy.poll() is None:
            if self._told_to_end:
                _end(proxy)
                return True
            now = time.monotonic()
            if not self._is_unused():
                unused_since = None
            elif unused_since is None:
                unused_since = now
            elif now - unused_since >= _UNUSED_S and self._end_if_unused(proxy):
                return True
            time.sleep(_LOOK_S)
        return False

    def _is_unused(self) -> bool:
        if not _try_lock(self._users):
            return False
        fcntl.flock(self._users, fcntl.LOCK_UN)
        return True

    def _end_if_unused(self, proxy: "subprocess.Popen[bytes]") -> bool:
        """A worker that comes meanwhile waits for `start`, and then starts anew."""
        if not _try_lock(self._start):
            return False
        try:
            if not _try_lock(self._users):
                return False
            _end(proxy)
            return True
        finally:
            if proxy.returncode is None:
                fcntl.flock(self._start, fcntl.LOCK_UN)

    def _note(self, proxy: int) -> None:
        _write(self._folder / "process.json", json.dumps({"guard": os.getpid(), "proxy": proxy}))

    def _has_served(self, pid: int) -> bool:
        try:
            return bool(json.loads((self._folder / "data/proxy.json").read_text())["pid"] == pid)
        except (OSError, ValueError, KeyError):
            return False

    def _quote(self, since: int, code: int | None) -> str:
        with open(self._folder / "proxy.log", "rb") as log:
            log.seek(max(since, _size(self._folder / "proxy.log") - _QUOTED_BYTES))
            said = log.read().decode(errors="replace").strip()
        return said or f"it ended with code {code} and said nothing"

    def _end_soon(self, _number: int, _frame: FrameType | None) -> None:
        self._told_to_end = True


def _die_with_parent() -> None:
    """A killed guard takes the proxy along; what was answered is on disk."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def _try_lock(file: "object") -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # type: ignore[arg-type]
    except BlockingIOError:
        return False
    return True


def _end(proxy: "subprocess.Popen[bytes]") -> None:
    proxy.terminate()
    try:
        proxy.wait(_END_S)
    except subprocess.TimeoutExpired:
        proxy.kill()
        proxy.wait()


def _start_time_of(pid: int) -> str | None:
    """As `owner.json` has it: the 22nd field of proc(5)'s stat. None for a process that is over."""
    try:
        fields = Path("/proc", str(pid), "stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields[19]


def _size(path: Path) -> int:
    with contextlib.suppress(OSError):
        return path.stat().st_size
    return 0


def _write(path: Path, text: str) -> None:
    draft = path.with_suffix(".tmp")
    draft.write_text(text)
    os.replace(draft, path)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
