"""Frames of the relay, byte by byte as `docs/relay.md` has them.

`u32 header bytes, u32 ids, u32 log-probs | header as UTF-8 JSON | i32 ids | f64 log-probs`, all little-endian.
"""

import base64
import hashlib
import json
import math
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

PROTOCOL = "liverl-relay.1"
_LENGTHS = struct.Struct("<III")


class Frame(NamedTuple):
    header: dict[str, Any]
    ids: list[int]
    logprobs: list[float | None]
    """Nats; None where there is none. As many as ids, or none at all."""


def encode(header: dict[str, Any], ids: Sequence[int] = (), logprobs: Sequence[float | None] = ()) -> bytes:
    text = json.dumps(header, separators=(",", ":")).encode()
    values = [math.nan if value is None else value for value in logprobs]
    return b"".join(
        (
            _LENGTHS.pack(len(text), len(ids), len(values)),
            text,
            struct.pack(f"<{len(ids)}i", *ids),
            struct.pack(f"<{len(values)}d", *values),
        )
    )


def decode(frame: bytes) -> Frame:
    """Raises ValueError on what is no frame."""
    if len(frame) < _LENGTHS.size:
        raise ValueError("a frame has at least 12 bytes")
    text_bytes, id_count, logprob_count = _LENGTHS.unpack_from(frame)
    ids_at = _LENGTHS.size + text_bytes
    logprobs_at = ids_at + 4 * id_count
    if len(frame) != logprobs_at + 8 * logprob_count:
        raise ValueError("the frame's length is not what its head says")
    header = json.loads(frame[_LENGTHS.size : ids_at])
    if not isinstance(header, dict):
        raise ValueError("a frame's header is a JSON object")
    ids = list(struct.unpack_from(f"<{id_count}i", frame, ids_at))
    values = struct.unpack_from(f"<{logprob_count}d", frame, logprobs_at)
    return Frame(header, ids, [None if math.isnan(value) else value for value in values])


def digest_of(ids: Sequence[int]) -> str:
    """The first 16 bytes of the SHA-256 of the ids as little-endian i32, as base64url without padding."""
    packed = struct.pack(f"<{len(ids)}i", *ids)
    return base64.urlsafe_b64encode(hashlib.sha256(packed).digest()[:16]).decode().rstrip("=")
