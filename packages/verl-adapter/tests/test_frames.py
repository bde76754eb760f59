import math

import pytest

from liverl_verl import frames

# As the proxy writes it: packages/proxy/src/relay/frame.ts.
THEIRS = bytes.fromhex(
    "1b00000003000000030000007b2274223a226368756e6b222c226964223a22732d313ac3bc227d"
    "0100000070110100ffffff7f000000000000d0bf000000000000f87f59f3f8c21f6ea581"
)


def test_reads_what_the_proxy_writes() -> None:
    assert frames.decode(THEIRS) == (
        {"t": "chunk", "id": "s-1:ü"},
        [1, 70000, 2147483647],
        [-0.25, None, -1e-300],
    )


def test_what_is_written_reads_the_same() -> None:
    logprobs = [-0.1, -math.pi, None, -0.0]
    assert frames.decode(frames.encode({"t": "x"}, [0, 5], logprobs)) == ({"t": "x"}, [0, 5], logprobs)


@pytest.mark.parametrize("cut", [0, 5, 11, 40, len(THEIRS) - 1])
def test_refuses_what_is_no_frame(cut: int) -> None:
    with pytest.raises(ValueError):
        frames.decode(THEIRS[:cut])


def test_digests_are_the_proxys() -> None:
    assert frames.digest_of([1, 2, 3]) == "RjaZPT4dpOnWuPh7eej3xg"
    assert frames.digest_of([]) == "47DEQpj8HBSa-_TImW-5JA"
    assert frames.digest_of([70000, 2147483647]) == "y4ftzKbUHzOVn2-icXIVvA"
