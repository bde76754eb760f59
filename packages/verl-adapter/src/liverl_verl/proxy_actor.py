"""A detached Ray actor that holds the proxy's URL, for workers that are told its name alone.

`python -m liverl_verl.proxy_actor --url http://HOST:PORT [--name liverl_proxy] [--namespace liverl] [--address auto]`
registers it, once a cluster, from any machine that reaches it; again with another URL moves it. It holds no secret.
"""

import argparse
import asyncio
import sys
from dataclasses import dataclass, field
from typing import Any

from liverl_verl.proxy_choice import url_with_port
from liverl_verl.proxy_place import ProxyFault, ProxyPlace

NAMESPACE = "liverl"
NAME = "liverl_proxy"


class ProxyUrl:
    def __init__(self, url: str) -> None:
        self._url = url

    def url(self) -> str:
        return self._url

    def move(self, url: str) -> None:
        self._url = url


def register(url: str, *, name: str = NAME, namespace: str = NAMESPACE) -> None:
    """Makes the actor, or moves the one that is there. Ray is connected already."""
    import ray

    actor: Any = (
        ray.remote(ProxyUrl)
        .options(name=name, namespace=namespace, lifetime="detached", get_if_exists=True, num_cpus=0)
        .remote(url)
    )
    ray.get(actor.move.remote(url))


def look_up(actor: str) -> str:
    """URL of the proxy that `NAME` or `NAMESPACE/NAME` holds. Raises ProxyFault."""
    import ray

    namespace, name = split_name(actor)
    try:
        handle = ray.get_actor(name, namespace=namespace)
        url = ray.get(handle.url.remote(), timeout=30)
    except (
        Exception
    ) as error:  # Ray raises many kinds, and here all of them say that the actor is not to be had
        why = str(error).split("\n")[0].split(". ")[0]
        raise ProxyFault(
            f"there is no Ray actor {name!r} in the namespace {namespace!r} that holds the proxy's URL ({why}): register it "
            f"with `python -m liverl_verl.proxy_actor --url http://HOST:PORT --name {name} --namespace {namespace}`"
        ) from error
    try:
        return url_with_port(url)
    except ValueError as error:
        raise ProxyFault(f"the Ray actor {actor} holds {url!r}: {error}") from error


def split_name(actor: str) -> tuple[str, str]:
    namespace, _, name = actor.rpartition("/")
    return namespace or NAMESPACE, name


@dataclass(frozen=True)
class ActorProxy:
    actor: str
    worker_token: str = field(repr=False)

    async def find(self) -> ProxyPlace:
        return ProxyPlace(await asyncio.to_thread(look_up, self.actor), self.worker_token)


def main() -> int:
    parser = argparse.ArgumentParser(prog="liverl_verl.proxy_actor")
    parser.add_argument("--url", required=True, help="the proxy's admin port, http://host:port")
    parser.add_argument("--name", default=NAME)
    parser.add_argument("--namespace", default=NAMESPACE)
    parser.add_argument("--address", default="auto", help="of the Ray cluster")
    args = parser.parse_args()
    try:
        url = url_with_port(args.url)
    except ValueError as error:
        parser.error(f"--url {args.url}: {error}")
    import ray

    ray.init(address=args.address, namespace=args.namespace, log_to_driver=False)
    register(url, name=args.name, namespace=args.namespace)
    print(f"{args.namespace}/{args.name} holds {look_up(f'{args.namespace}/{args.name}')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
