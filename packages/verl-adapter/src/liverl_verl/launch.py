"""`python -m liverl_verl.launch --exit-file F -- COMMAND…`: runs a verl command and sees its end.

Ray's daemons leave the process group of the driver that started them and outlive it. As their subreaper this process
inherits them, and ends them with itself. `F` gets `{"code": N, "endedAt": "…"}`, on disk before this process ends.
"""

import argparse
import ctypes
import datetime
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType

_PR_SET_CHILD_SUBREAPER = 36
_GRACE_S = 5.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="liverl_verl.launch")
    parser.add_argument("--exit-file", type=Path, required=True)
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    verl = subprocess.Popen(args.command)

    def forward(number: int, _: FrameType | None) -> None:
        verl.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, forward)
    code = verl.wait()
    end_descendants()
    code = 128 - code if code < 0 else code
    _write(
        args.exit_file, {"code": code, "endedAt": datetime.datetime.now(datetime.timezone.utc).isoformat()}
    )
    return code


def end_descendants() -> None:
    """All that verl left behind, found by parentage: never by name."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + _GRACE_S
        asked: set[int] = set()
        while time.monotonic() < deadline:
            _reap()
            family = _descendants(os.getpid())
            if not family:
                return
            for pid in family - asked:
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    pass
            asked |= family
            time.sleep(0.05)


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
    except ChildProcessError:
        pass


def _descendants(root: int) -> set[int]:
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            stat = Path("/proc", entry, "stat").read_text()
        except OSError:
            continue
        state, parent = stat.rsplit(")", 1)[1].split()[:2]
        if state != "Z":
            children.setdefault(int(parent), []).append(int(entry))
    found: set[int] = set()
    waiting = [root]
    while waiting:
        for child in children.get(waiting.pop(), []):
            found.add(child)
            waiting.append(child)
    return found


def _write(path: Path, content: dict[str, object]) -> None:
    draft = path.with_suffix(".tmp")
    with open(draft, "w") as file:
        json.dump(content, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


if __name__ == "__main__":
    sys.exit(main())
