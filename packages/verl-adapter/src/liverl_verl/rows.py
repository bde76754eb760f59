"""From a finished rollout's flat segments to the rows that verl trains."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

Segment = Mapping[str, Any]
"""One flat segment of `POST /api/v1/rollouts`: `tokenIds, mask, logprobs, policyVersions` of equal length."""


class Row(NamedTuple):
    """What `AgentLoopOutput` holds of one segment; the lists of the response have equal length, at least 1."""

    prompt_ids: list[int]
    response_ids: list[int]
    response_mask: list[int]
    response_logprobs: list[float]
    min_version: int | None
    max_version: int | None
    routed_experts: Any
    left_out: int
    """Trained tokens that the response length cut off."""


class BadSegment(ValueError):
    """What the runner sent is no segment that can be trained on: its text says why."""


def row_of(segment: Segment, *, prompt_length: int, response_length: int) -> Row | None:
    """None where nothing of the segment trains within `response_length`. Raises BadSegment.

    verl's prompt is what stands before the first trained token. What is longer than `prompt_length` goes on in the
    response, untrained: the ids stay the ones that the policy saw.
    """
    mask: Sequence[int] = segment["mask"]
    lengths = {name: len(segment[name]) for name in ("tokenIds", "mask", "logprobs")}
    if len(set(lengths.values())) > 1:
        raise BadSegment(f"a segment's lists differ in length: {lengths}")
    first = next((at for at, bit in enumerate(mask) if bit == 1), None)
    if first is None:
        return None
    split = min(first, prompt_length)
    end = min(len(mask), split + response_length)
    kept = list(mask[split:end])
    if 1 not in kept:
        return None
    # A tail that trains nothing costs memory and counts as response length.
    end = split + len(kept) - kept[::-1].index(1)
    bits = list(mask[split:end])
    logprobs = segment["logprobs"][split:end]
    if any(bit == 1 and logprob is None for logprob, bit in zip(logprobs, bits, strict=True)):
        # 0 would say that the policy was certain of it.
        raise BadSegment("a token that trains has no log-prob")
    span = segment.get("versionSpan")
    return Row(
        prompt_ids=list(segment["tokenIds"][:split]),
        response_ids=list(segment["tokenIds"][split:end]),
        response_mask=bits,
        response_logprobs=[
            float(logprob) if bit == 1 else 0.0 for logprob, bit in zip(logprobs, bits, strict=True)
        ],
        min_version=None if span is None else int(span[0]),
        max_version=None if span is None else int(span[1]),
        routed_experts=_routed_experts(segment.get("routedExperts"), end),
        left_out=sum(mask[end:]),
    )


def trainable(segments: Sequence[Segment]) -> list[Segment]:
    return [segment for segment in segments if segment["trainable"]]


def _routed_experts(routing: Mapping[str, Any] | None, tokens: int) -> Any:
    """Expert of each token but the last, (tokens - 1, layers, top-k); None where a row is missing."""
    if routing is None:
        return None
    import numpy as np

    rows = np.frombuffer(base64.b64decode(routing["data"]), dtype=routing["dtype"])
    return rows.reshape(routing["rows"], *routing["shape"])[: tokens - 1].astype(np.int16)
