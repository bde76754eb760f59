"""What the adapter is told: `rollout.custom.liverl` (the command line) before the shell before the agent loop's YAML."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit


class SettingsError(ValueError):
    """A value that can not be used; its text names the value, where it came from and what to write instead."""


@dataclass(frozen=True)
class Settings:
    run_id: str
    """Name of the run at the trial runner, and of its pool at the proxy."""
    runner_url: str
    """Base of the trial runner's API, `http://host:port`."""
    runner_token: str = field(repr=False)
    proxy_url: str
    """Base of the proxy that takes workers, `http://host:port`."""
    worker_token: str = field(repr=False)
    max_tokens: int | None = None
    """Sampled tokens of one turn; None: what the response has left."""
    worker_concurrency: int = 256
    """Requests that one agent loop worker takes at a time."""
    retries: int = 2
    """Times that a rollout which infrastructure failed is asked for again."""
    patience_s: float = 1800
    """How long a runner that does not answer is waited for."""
    drop_reasons: tuple[str, ...] = ()
    """Ends of a rollout that keep it out of the update: `timeout`, `env_setup_failed`, …"""
    harbor_root: str | None = None
    task_path_template: str | None = None
    """`{instance_id}` and other columns of the row in braces."""


_ENV: dict[str, tuple[str, ...]] = {
    "run_id": ("LIVERL_RUN_ID",),
    "runner_url": ("LIVERL_RUNNER_URL", "REMOTE_RUNNER_URL"),
    "runner_token": ("LIVERL_RUNNER_TOKEN",),
    "proxy_url": ("PROXY_SERVER_URL",),
    "worker_token": ("LIVERL_WORKER_TOKEN",),
    "max_tokens": ("REMOTE_MAX_TOKENS",),
    "worker_concurrency": ("REMOTE_WORKER_CONCURRENCY",),
    "retries": ("REMOTE_RETRIES",),
    "patience_s": ("REMOTE_PATIENCE_S",),
    "drop_reasons": ("TRAJ_FILTER_DROP_REASONS",),
    "harbor_root": ("REMOTE_HARBOR_ROOT",),
    "task_path_template": ("REMOTE_TASK_PATH_TEMPLATE",),
}
_SECRETS = ("runner_token", "worker_token")
_REQUIRED = ("run_id", "runner_url", "runner_token", "proxy_url", "worker_token")


def load_settings(
    yaml: Mapping[str, Any], custom: Mapping[str, Any] | None = None, env: Mapping[str, str] | None = None
) -> Settings:
    """Raises SettingsError with every fault, a line each."""
    env = os.environ if env is None else env
    faults: list[str] = []
    values: dict[str, Any] = {}
    known = {one.name for one in fields(Settings)}
    for where, given in (("the agent loop's YAML", yaml), ("rollout.custom.liverl", custom or {})):
        for name in given:
            if name not in known and not (name.endswith("_path") and name[: -len("_path")] in _SECRETS):
                faults.append(f"{where} has {name!r}, which is none of {', '.join(sorted(known))}")
    for name in known:
        found = _find(name, yaml, custom or {}, env, faults)
        if found is None:
            continue
        value, where = found
        try:
            values[name] = _READ.get(name, str)(value)
        except (ValueError, TypeError) as error:
            faults.append(f"{name} from {where} is {'hidden' if name in _SECRETS else repr(value)}: {error}")
    if not faults:
        faults += [
            f"{name} is missing: set {_ENV[name][0]}, or write it into the agent loop's YAML"
            for name in _REQUIRED
            if not values.get(name)
        ]
    if _is_false(env.get("TRAJ_FILTER_ENABLE")):
        values["drop_reasons"] = ()
    if faults:
        raise SettingsError(
            "LiveRL's agent loop can not start:\n" + "\n".join(f"  - {fault}" for fault in faults)
        )
    return Settings(**values)


def _find(
    name: str, yaml: Mapping[str, Any], custom: Mapping[str, Any], env: Mapping[str, str], faults: list[str]
) -> tuple[Any, str] | None:
    if custom.get(name) is not None:
        return custom[name], f"rollout.custom.liverl.{name}"
    for variable in _ENV[name]:
        if env.get(variable, "") != "":
            return env[variable], variable
    if yaml.get(name) is not None:
        return yaml[name], "the agent loop's YAML"
    if name not in _SECRETS:
        return None
    path = custom.get(f"{name}_path") or env.get(f"{_ENV[name][0]}_PATH") or yaml.get(f"{name}_path")
    if path is None:
        return None
    try:
        return Path(path).read_text().strip(), str(path)
    except OSError as error:
        faults.append(f"{name} can not be read from {path}: {error.strerror}")
        return None


def _is_false(text: str | None) -> bool:
    return (text or "").strip().lower() in ("0", "false", "no", "off")


def _url(value: Any) -> str:
    """A base URL with its port said: an agent can not guess it."""
    text = str(value).rstrip("/")
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("write http://host:port")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}:{port}{parts.path}"


def _whole(least: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        number = int(value)
        if number < least or isinstance(value, bool) or float(value) != number:
            raise ValueError(f"write a whole number of at least {least}")
        return number

    return read


def _seconds(value: Any) -> float:
    number = float(value)
    if not 0 < number < 1e9:
        raise ValueError("write seconds above 0")
    return number


def _names(value: Any) -> tuple[str, ...]:
    """A list, JSON, or names between commas."""
    if isinstance(value, str):
        value = json.loads(value) if value.lstrip().startswith("[") else value.split(",")
    names = tuple(str(name).strip() for name in value)
    return tuple(name for name in names if name)


_READ: dict[str, Callable[[Any], Any]] = {
    "runner_url": _url,
    "proxy_url": _url,
    "max_tokens": _whole(1),
    "worker_concurrency": _whole(1),
    "retries": _whole(0),
    "patience_s": _seconds,
    "drop_reasons": _names,
}
