"""Log-probs of prompt tokens through verl, in every shape that its servers and vLLM return."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from verl_prompt_logprobs import _extract_prompt_logprobs_sglang, extract_prompt_logprobs

from liverl_verl.relay_worker import EngineRefusal
from liverl_verl.verl_engine import VerlEngine

PROMPT = [11, 12, 13, 14]
TRUE = [None, -1.0, -2.0, -3.0]


def logprob(value: float, rank: int = 1) -> Any:
    return SimpleNamespace(logprob=value, rank=rank, decoded_token=None)


def vllm_output(prompt: list[int], others: int = 0) -> Any:
    """vLLM's RequestOutput: no log-probs for the first token, `{id: Logprob}` for every other one."""
    rows: list[Any] = [None]
    for index, token in enumerate(prompt[1:], 1):
        top = {900 + rank: logprob(-0.1 * rank, rank) for rank in range(1, others + 1)}
        rows.append({token: logprob(-float(index), others + 1), **top})
    return SimpleNamespace(prompt_logprobs=rows)


def from_verl_vllm(prompt: list[int]) -> dict[str, Any]:
    extra: dict[str, Any] = {}
    extract_prompt_logprobs(vllm_output(prompt), 0, extra)
    return extra


def from_verl_sglang(prompt: list[int]) -> dict[str, Any]:
    extra: dict[str, Any] = {}
    tokens = [(None if index == 0 else -float(index), token, None) for index, token in enumerate(prompt)]
    _extract_prompt_logprobs_sglang({"input_token_logprobs": tokens}, 0, len(prompt), extra)
    return extra


def without_ids(prompt: list[int]) -> dict[str, Any]:
    return {"prompt_logprobs": from_verl_vllm(prompt)["prompt_logprobs"]}


def raw_vllm(prompt: list[int]) -> dict[str, Any]:
    return {"prompt_logprobs": vllm_output(prompt).prompt_logprobs}


def raw_vllm_with_top_tokens(prompt: list[int]) -> dict[str, Any]:
    return {"prompt_logprobs": vllm_output(prompt, 2).prompt_logprobs}


def raw_vllm_over_json(prompt: list[int]) -> dict[str, Any]:
    rows = [None, *({str(token): {"logprob": -float(i), "rank": 1}} for i, token in enumerate(prompt[1:], 1))]
    return {"prompt_logprobs": rows}


def plain_numbers(prompt: list[int]) -> dict[str, Any]:
    return {"prompt_logprobs": [None, *(-float(i) for i in range(1, len(prompt)))]}


def engine(extra: dict[str, Any]) -> VerlEngine:
    class Manager:
        async def generate(self, **_: Any) -> Any:
            return SimpleNamespace(extra_fields=extra)

    return VerlEngine(Manager(), eos_ids=frozenset(), max_model_len=None)


SHAPES = [
    from_verl_vllm,
    from_verl_sglang,
    without_ids,
    raw_vllm,
    raw_vllm_with_top_tokens,
    raw_vllm_over_json,
    plain_numbers,
]


@pytest.mark.parametrize("shape", SHAPES)
async def test_each_prompt_token_has_its_own_logprob(shape: Callable[[list[int]], dict[str, Any]]) -> None:
    assert await engine(shape(PROMPT)).score("r", PROMPT, 1.0) == TRUE
    assert await engine(shape([11])).score("r", [11], 1.0) == [None]
    assert await engine(shape([11, 0])).score("r", [11, 0], 1.0) == [None, -1.0]


def padded(rows: list[Any], ids: list[Any]) -> dict[str, Any]:
    return {"prompt_logprobs": rows, "prompt_ids": ids}


WRONG = [
    ({}, "none"),
    ({"prompt_logprobs": [[-1.0], [-2.0], [0.0]]}, "3 rows for 4 tokens"),
    ({"prompt_logprobs": [[-1.0], [-2.0], [-3.0], [-4.0]]}, "unknown shape"),
    (padded([[-1.0], [-2.0], [-3.0], [0.0]], [[11], [12], [13], [0]]), "token 12 has the row of 11"),
    (padded([[-1.0], [-2.0], [-3.0], [0.0]], [[12], [13], [14], [15]]), "unknown shape"),
    ({"prompt_logprobs": [None, {99: -1.0}, {13: -2.0}, {14: -3.0}]}, "no value for token 12"),
    ({"prompt_logprobs": [[-1.0, -0.1], [-2.0, -0.1], [-3.0, -0.1], [0.0, 0.0]]}, "need prompt_ids"),
]


@pytest.mark.parametrize(("extra", "why"), WRONG)
async def test_rows_that_do_not_match_the_prompt_are_refused(extra: dict[str, Any], why: str) -> None:
    with pytest.raises(EngineRefusal, match=why):
        await engine(extra).score("r", PROMPT, 1.0)


ASKED = {
    "temperature": 0.7,
    "top_p": 0.9,
    "top_k": 40,
    "min_p": 0.05,
    "repetition_penalty": 1.1,
    "presence_penalty": 0.2,
    "frequency_penalty": 0.3,
    "seed": 7,
    "stop_token_ids": [2],
    "ignore_eos": True,
    "min_tokens": 3,
    "max_tokens": 9,
}


async def told(rollout_name: str, sampling: dict[str, Any]) -> dict[str, Any]:
    seen: dict[str, Any] = {}

    class Manager:
        async def generate(self, *, sampling_params: dict[str, Any], **_: Any) -> Any:
            seen.update(sampling_params)
            return SimpleNamespace(
                token_ids=[2], log_probs=[-0.1], routed_experts=None, stop_reason="completed", extra_fields={}
            )

    engine = VerlEngine(Manager(), eos_ids=frozenset(), max_model_len=None, rollout_name=rollout_name)
    await engine.generate("s", [1], sampling)
    return seen


@pytest.mark.parametrize("key", ASKED)
async def test_each_sampling_parameter_reaches_verl(key: str) -> None:
    assert (await told("vllm", ASKED))[key] == ASKED[key]


async def test_sglang_gets_only_names_it_knows() -> None:
    params = await told("sglang", ASKED)
    assert params["min_new_tokens"] == 3
    assert not {"min_tokens", "seed"} & params.keys()
    assert {"top_k", "min_p", "repetition_penalty", "ignore_eos"} <= params.keys()


async def test_top_k_is_always_said_because_tensorrt_llm_reads_it() -> None:
    assert (await told("trtllm", {"max_tokens": 4}))["top_k"] == -1


async def test_as_many_logprobs_as_tokens() -> None:
    class Manager:
        async def generate(self, **_: Any) -> Any:
            return SimpleNamespace(token_ids=[5, 2], log_probs=[-0.1], extra_fields={})

    with pytest.raises(EngineRefusal, match="1 log-probs for 2 tokens"):
        await VerlEngine(Manager(), eos_ids=frozenset(), max_model_len=None).generate("s", [1], {})
