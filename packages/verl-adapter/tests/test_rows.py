import base64
from typing import Any

import pytest

from liverl_verl.rows import BadSegment, row_of, trainable


def segment(mask: list[int], **more: Any) -> dict[str, Any]:
    ids = list(range(100, 100 + len(mask)))
    return {
        "tokenIds": ids,
        "mask": mask,
        "logprobs": [-0.5 if bit else None for bit in mask],
        "policyVersions": [3 if bit else None for bit in mask],
        "versionSpan": [3, 4],
        "trainable": True,
        "reason": None,
        **more,
    }


def test_the_prompt_is_what_stands_before_the_first_trained_token() -> None:
    row = row_of(segment([0, 0, 1, 1, 0, 1, 0]), prompt_length=8, response_length=8)
    assert row is not None
    assert row.prompt_ids == [100, 101]
    # A tail that trains nothing is left.
    assert row.response_ids == [102, 103, 104, 105]
    assert row.response_mask == [1, 1, 0, 1]
    assert row.response_logprobs == [-0.5, -0.5, 0.0, -0.5]
    assert (row.min_version, row.max_version, row.left_out) == (3, 4, 0)


def test_a_prompt_that_is_too_long_goes_on_untrained_in_the_response() -> None:
    row = row_of(segment([0, 0, 0, 0, 1, 1]), prompt_length=2, response_length=3)
    assert row is not None
    assert (row.prompt_ids, row.response_ids) == ([100, 101], [102, 103, 104])
    assert (row.response_mask, row.left_out) == ([0, 0, 1], 1)


def test_nothing_that_trains_is_no_row() -> None:
    assert row_of(segment([0, 0]), prompt_length=8, response_length=8) is None
    assert row_of(segment([0, 0, 0, 1]), prompt_length=1, response_length=2) is None


def test_expert_routing_ends_with_the_row() -> None:
    rows = b"".join(bytes([at, 0, at + 1, 0]) for at in range(5))
    routing = {"rows": 5, "shape": [1, 2], "dtype": "<i2", "data": base64.b64encode(rows).decode()}
    row = row_of(segment([0, 1, 1, 0, 0, 0], routedExperts=routing), prompt_length=8, response_length=8)
    assert row is not None
    assert row.routed_experts.tolist() == [[[0, 1]], [[1, 2]]]


def test_only_what_the_runner_calls_trainable_trains() -> None:
    main = segment([0, 1, 1])
    assert trainable([main, {**main, "trainable": False}]) == [main]


@pytest.mark.parametrize(
    "bad", [{"logprobs": [None, None, -0.1]}, {"logprobs": [None, -0.1]}, {"tokenIds": [1]}]
)
def test_a_segment_that_can_not_be_trained_on_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(BadSegment):
        row_of(segment([0, 1, 1], **bad), prompt_length=8, response_length=8)
