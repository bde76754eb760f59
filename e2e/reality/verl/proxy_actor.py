"""The proxy's URL in a named actor of a real Ray cluster. Prints one line of JSON; exit 0 only when all of it holds."""

import asyncio
import json
import subprocess
import sys

import ray
from liverl_verl.proxy_actor import look_up
from liverl_verl.proxy_finder import proxy_finder
from liverl_verl.proxy_place import ProxyFault
from liverl_verl.settings import load_settings

YAML = {"run_id": "r", "runner_url": "http://10.0.0.1:1", "runner_token": "a", "worker_token": "b"}


def register(*args: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "liverl_verl.proxy_actor", *args], capture_output=True, text=True, check=False
    )


def found(actor: str) -> str:
    """As a rollout worker finds it."""
    settings = load_settings(YAML, None, {"LIVERL_PROXY_ACTOR": actor})
    return asyncio.run(proxy_finder(settings, models=(), max_model_len=1).find()).url


def main() -> int:
    context = ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    address = context.address_info["gcs_address"]
    try:
        look_up("liverl_proxy")
        missing = ""
    except ProxyFault as fault:
        missing = str(fault)
    portless = register("--url", "http://10.0.0.7", "--address", address)
    first = register("--url", "http://10.0.0.7:8080", "--address", address)
    # The program that registered it has ended: only a detached actor is still there.
    default = found("liverl_proxy")
    again = register("--url", "http://10.0.0.8:8081/base", "--address", address)
    moved = found("liverl/liverl_proxy")
    other = register("--url", "http://10.0.0.9:1", "--name", "p", "--namespace", "team", "--address", address)
    figures = {
        "missing": missing,
        "portless": portless.stderr.strip().split("\n")[-1],
        "registered": [first.stdout.strip(), again.stdout.strip(), other.stdout.strip()],
        "default": default,
        "moved": moved,
        "named": found("team/p"),
    }
    ok = (
        "--name liverl_proxy --namespace liverl" in missing
        and "\n" not in missing
        and portless.returncode == 2
        and "the port is missing" in figures["portless"]
        and default == "http://10.0.0.7:8080"
        and moved == "http://10.0.0.8:8081/base"
        and figures["named"] == "http://10.0.0.9:1"
    )
    print(json.dumps({"ok": ok, **figures, "stderr": "" if ok else first.stderr[-600:]}))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
