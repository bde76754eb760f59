"""What the adapter is told: `rollout.custom.liverl` (the command line) before the shell before the agent loop's YAML."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from liverl_verl.proxy_choice import ENV as PROXY_ENV
from liverl_verl.proxy_choice import base_url, choose_advertised, choose_proxy, levels


class SettingsError(ValueError):
    """A value that can not be used; its text names the value, where it came from and what to write instead."""


@dataclass(frozen=True)
class Settings:
    run_id: str
    """Name of the run at the trial runner, and of its pool at the proxy."""
    runner_url: str
    """Base of the trial runner's API, `http://host:port`."""
    runner_token: str = field(repr=False)
    proxy_mode: str = "server"
    """`server`: a proxy that runs already; `local`: one of this host, which the first worker here starts."""
    proxy_url: str | None = None
    """Base of the proxy that takes workers, `http://host:port`; of `server`, where no actor holds it."""
    proxy_actor: str | None = None
    """`NAME` or `NAMESPACE/NAME` of the Ray actor that holds the proxy's URL; of `server`."""
    worker_token: str = field(default="", repr=False)
    """Opens `/ws/worker`; of `server`."""
    llm_proxy_ip: str | None = None
    """How others reach this host; of `local`, None: its primary IPv4 address."""
    local_dir: str | None = None
    """Folder on a local disk for the files of this host's proxy."""
    node: str | None = None
    proxy_bundle: str | None = None
    model_dir: str | None = None
    """Folder that this host's proxy renders by; None: what verl loads."""
    model_name: str | None = None
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
    "proxy_mode": ("LIVERL_PROXY_MODE",),
    "local_dir": ("LIVERL_LOCAL_DIR",),
    "node": ("LIVERL_NODE",),
    "proxy_bundle": ("LIVERL_PROXY_BUNDLE",),
    "model_dir": ("LIVERL_MODEL_DIR",),
    "model_name": ("LIVERL_MODEL_NAME",),
    "worker_token": ("LIVERL_WORKER_TOKEN",),
    "max_tokens": ("REMOTE_MAX_TOKENS",),
    "worker_concurrency": ("REMOTE_WORKER_CONCURRENCY",),
    "retries": ("REMOTE_RETRIES",),
    "patience_s": ("REMOTE_PATIENCE_S",),
    "drop_reasons": ("TRAJ_FILTER_DROP_REASONS",),
    "harbor_root": ("REMOTE_HARBOR_ROOT",),
    "task_path_template": ("REMOTE_TASK_PATH_TEMPLATE",),
}
DROP_REASONS = (
    "agent-finished",
    "timeout",
    "max-turns",
    "context-overflow",
    "agent-error",
    "infra-error",
    "cancelled",
    # Of other trainers' scripts; such a rollout never has a reward here.
    "env-setup-failed",
    "integrity",
    "integrity-reward-planted",
    "integrity-tools-changed",
    "integrity-packages-installed",
    "integrity-system-changed",
    "integrity-tests-edited",
    "integrity-special-cased",
    "integrity-patch-missing",
    "integrity-sandbox-ended",
    "integrity-changes-unknown",
    "integrity-tests-missing",
    "integrity-network-used",
    "integrity-operator-shell",
)
"""What `drop_reasons` may name, with `-` or `_`: how a rollout ended, and the signs that its reward was not earned."""
_FLAGS = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}
_SECRETS = ("runner_token", "worker_token")
_REQUIRED: tuple[str, ...] = ("run_id", "runner_url", "runner_token")
_BY_CHOICE = ("llm_proxy_port", *PROXY_ENV)
"""One of them says where the proxy is, and by its place it goes before the others."""


def load_settings(
    yaml: Mapping[str, Any], custom: Mapping[str, Any] | None = None, env: Mapping[str, str] | None = None
) -> Settings:
    """Raises SettingsError with every fault, a line each."""
    env = os.environ if env is None else env
    faults: list[str] = []
    values: dict[str, Any] = {}
    known = {one.name for one in fields(Settings)} | set(_BY_CHOICE)
    for where, given in (("the agent loop's YAML", yaml), ("rollout.custom.liverl", custom or {})):
        for name in given:
            if name not in known and not (name.endswith("_path") and name[: -len("_path")] in _SECRETS):
                faults.append(f"{where} has {name!r}, which is none of {', '.join(sorted(known))}")
    for name in known.difference(_BY_CHOICE):
        found = _find(name, yaml, custom or {}, env, faults)
        if found is None:
            continue
        value, where = found
        try:
            values[name] = _READ.get(name, str)(value)
        except (ValueError, TypeError, OverflowError) as error:
            faults.append(f"{name} from {where} is {'hidden' if name in _SECRETS else repr(value)}: {error}")
    places = levels(yaml, custom or {}, env)
    if values.get("proxy_mode") == "local":
        values["llm_proxy_ip"] = choose_advertised(places, faults)
        required = _REQUIRED
    else:
        values.update(choose_proxy(places, faults))
        required = (*_REQUIRED, "worker_token")
    if not faults:
        faults += [
            f"{name} is missing: set {_ENV[name][0]}, or write it into the agent loop's YAML"
            for name in required
            if not values.get(name)
        ]
        if "worker_token" in required and not (values.get("proxy_url") or values.get("proxy_actor")):
            faults.append(
                f"no proxy is named: set one of {', '.join(PROXY_ENV.values())}, or LIVERL_PROXY_MODE=local"
            )
    enable = env.get("TRAJ_FILTER_ENABLE", "")
    try:
        # The shell's word on the shell's and the YAML's reasons.
        if enable != "" and not _flag(enable) and (custom or {}).get("drop_reasons") is None:
            values["drop_reasons"] = ()
    except ValueError as error:
        faults.append(f"TRAJ_FILTER_ENABLE is {enable!r}: {error}")
    if faults:
        raise SettingsError(
            "LiveRL's agent loop can not start:\n" + "\n".join(f"  - {fault}" for fault in faults)
        )
    return Settings(**values)


def unread_names(env: Mapping[str, str]) -> list[str]:
    """Names of other remote agent loops, `REMOTE_AGENT_KWARGS` and the like, that say nothing here."""
    read = {variable for variables in _ENV.values() for variable in variables}
    return sorted(name for name in env if name.startswith("REMOTE_") and name not in read)


def _find(
    name: str, yaml: Mapping[str, Any], custom: Mapping[str, Any], env: Mapping[str, str], faults: list[str]
) -> tuple[Any, str] | None:
    """The value of the first place that has one, itself or, of a secret, as a file's path."""
    places = [(custom.get(name), f"rollout.custom.liverl.{name}", custom.get(f"{name}_path"))]
    places += [(env.get(variable), variable, env.get(f"{variable}_PATH")) for variable in _ENV[name]]
    places.append((yaml.get(name), "the agent loop's YAML", yaml.get(f"{name}_path")))
    for value, where, path in places:
        if value not in (None, ""):
            return value, where
        if name in _SECRETS and path not in (None, ""):
            return _read_secret(name, str(path), faults)
    return None


def _read_secret(name: str, path: str, faults: list[str]) -> tuple[str, str] | None:
    try:
        return Path(path).read_text("utf-8").strip(), path
    except OSError as error:
        faults.append(f"{name} can not be read from {path}: {error.strerror}")
    except ValueError:
        # No UTF-8, or a zero byte in the path; what stands there is not for a log.
        faults.append(f"{name} can not be read from {path!r}: write a path to a file of one line of text")
    return None


def _flag(value: Any) -> bool:
    word = str(value).strip().lower()
    if word not in _FLAGS:
        raise ValueError(f"write one of {', '.join(_FLAGS)}")
    return _FLAGS[word]


def _mode(value: Any) -> str:
    if value not in ("server", "local"):
        raise ValueError("write server or local")
    return str(value)


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
    names = tuple(name for name in names if name)
    for name in names:
        if name.replace("_", "-") not in DROP_REASONS:
            raise ValueError(f"{name!r} is none of {', '.join(DROP_REASONS)}")
    return names


_READ: dict[str, Callable[[Any], Any]] = {
    "runner_url": base_url,
    "proxy_mode": _mode,
    "max_tokens": _whole(1),
    "worker_concurrency": _whole(1),
    "retries": _whole(0),
    "patience_s": _seconds,
    "drop_reasons": _names,
}
