"""Which of the names that say where the proxy is counts, and what its value means. Pure."""

from collections.abc import Callable, Mapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

ENV = {
    "proxy_url": "PROXY_SERVER_URL",
    "llm_proxy_ip": "LLM_PROXY_IP",
    "proxy_actor": "LIVERL_PROXY_ACTOR",
}
PORT_ENV = "LLM_PROXY_PORT"

Level = tuple[Callable[[str], Any], Callable[[str], str]]
"""Of the command line, the shell or the YAML: a name's value (None or "" where absent), and what to call its place."""


def levels(yaml: Mapping[str, Any], custom: Mapping[str, Any], env: Mapping[str, str]) -> tuple[Level, ...]:
    """The first that has any of the names wins."""
    return (
        (custom.get, lambda name: f"{name} from rollout.custom.liverl.{name}"),
        (lambda name: env.get(_variable(name), ""), lambda name: f"{name} from {_variable(name)}"),
        (yaml.get, lambda name: f"{name} from the agent loop's YAML"),
    )


def choose_proxy(given: tuple[Level, ...], faults: list[str]) -> dict[str, Any]:
    """`{"proxy_url": …}` or `{"proxy_actor": …}`; empty where nothing is said. Faults are told a line each."""
    for read, place in given:
        for name in ENV:
            value = read(name)
            if value in (None, ""):
                continue
            try:
                if name == "llm_proxy_ip":
                    return {"proxy_url": _url_of_address(str(value), port_of(given))}
                return {name: url_with_port(value) if name == "proxy_url" else _actor(value)}
            except ValueError as error:
                faults.append(f"{place(name)} is {str(value)!r}: {error}")
                return {}
    return {}


def choose_advertised(given: tuple[Level, ...], faults: list[str]) -> str | None:
    """`LLM_PROXY_IP` of a proxy that this host starts: how others reach it. Its port is its own choice."""
    for read, place in given:
        value = read("llm_proxy_ip")
        if value in (None, ""):
            continue
        host, port = _split(str(value))
        if host and port is None and "/" not in host:
            return host
        faults.append(
            f"{place('llm_proxy_ip')} is {str(value)!r}: a local proxy takes a free port; write its address alone"
        )
        return None
    return None


def port_of(given: tuple[Level, ...]) -> Any:
    values = (read("llm_proxy_port") for read, _ in given)
    return next((value for value in values if value not in (None, "")), None)


def base_url(value: Any) -> str:
    """A base URL with its port said: an agent can not guess it. Raises ValueError with what to write instead."""
    text = str(value).rstrip("/")
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("write http://host:port")
    port = (443 if parts.scheme == "https" else 80) if parts.port is None else parts.port
    if port == 0:
        raise ValueError("its port '0' is none from 1 to 65535")
    return f"{parts.scheme}://{_bracketed(parts.hostname)}:{port}{parts.path}"


def url_with_port(value: Any) -> str:
    """As `base_url`, of a URL that says its port: a proxy is on none by custom. Raises ValueError."""
    url = base_url(value)
    parts = urlsplit(str(value))
    if parts.port is None:
        host = _bracketed(parts.hostname or "")
        raise ValueError(f"the port is missing; write {parts.scheme}://{host}:PORT{parts.path.rstrip('/')}")
    return url


def _url_of_address(address: str, port: Any) -> str:
    host, said = _split(address)
    if not host or "/" in host:
        raise ValueError(f"write an address such as 10.0.0.5:8080; a URL goes into {ENV['proxy_url']}")
    if said is None and port is None:
        raise ValueError(f"the port is missing; write {_bracketed(host)}:PORT, or set {PORT_ENV}")
    text = str(port) if said is None else said
    if not text.isdecimal() or not 0 < int(text) < 65_536:
        raise ValueError(f"its port {text!r} is none from 1 to 65535")
    return f"http://{_bracketed(host)}:{int(text)}"


def _split(address: str) -> tuple[str, str | None]:
    """Host and port; an IPv6 address has its port behind brackets."""
    text = address.strip()
    try:
        return str(ip_address(text.strip("[]"))), None
    except ValueError:
        host, colon, port = text.rpartition(":")
        return (host.strip("[]"), port) if colon else (text, None)


def _actor(value: Any) -> str:
    text = str(value).strip()
    namespace, slash, name = text.rpartition("/")
    if not name or (slash and not namespace) or "/" in namespace or any(part.isspace() for part in text):
        raise ValueError("write NAME, or NAMESPACE/NAME")
    return text


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _variable(name: str) -> str:
    return PORT_ENV if name == "llm_proxy_port" else ENV[name]
