"""How other machines reach this one."""

import contextlib
import socket

from liverl_verl.proxy_place import ProxyFault


def primary_ipv4() -> str:
    """The address that this host speaks from to others. Raises ProxyFault where it has none."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        # Of RFC 5737, for documentation: the kernel picks a route, and nothing is sent.
        probe.connect(("198.51.100.1", 9))
        address = str(probe.getsockname()[0])
        if not address.startswith(("127.", "169.254.", "0.")):
            return address
    with contextlib.suppress(OSError):
        for *_, peer in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET):
            if not str(peer[0]).startswith(("127.", "169.254.", "0.")):
                return str(peer[0])
    raise ProxyFault(
        "this host has no IPv4 address but 127.0.0.1: set LLM_PROXY_IP to the one that agents and the runner reach"
    )
