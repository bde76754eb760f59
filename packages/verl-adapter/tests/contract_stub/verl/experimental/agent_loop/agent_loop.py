"""verl 0.9.1's shapes. `check_outputs` is what its trainers die of when it is broken."""

from typing import Any

from pydantic import BaseModel


class AgentLoopMetrics(BaseModel):
    generate_sequences: float = 0.0
    tool_calls: float = 0.0
    compute_score: float = 0.0
    num_preempted: int = -1


class AgentLoopOutput(BaseModel):
    model_config = {"arbitrary_types_allowed": True}

    prompt_ids: list[int]
    response_ids: list[int]
    response_mask: list[int]
    response_logprobs: list[float] | None = None
    routed_experts: Any = None
    multi_modal_data: dict[str, Any] | None = None
    reward_score: float | None = None
    num_turns: int = 0
    metrics: AgentLoopMetrics
    extra_fields: dict[str, Any] = {}


class AgentLoopBase:
    def __init__(
        self,
        trainer_config: Any,
        server_manager: Any,
        tokenizer: Any,
        processor: Any,
        dataset_cls: Any,
        data_config: Any,
        hf_model_type: str | None = None,
        **kwargs: Any,
    ) -> None:
        self.config = trainer_config
        self.rollout_config = trainer_config["rollout"]
        self.server_manager = server_manager
        self.tokenizer = tokenizer


def check_outputs(outputs: list[AgentLoopOutput], *, prompt_length: int, response_length: int) -> None:
    """Every rule of which breaking one kills a trainer or drops a column."""
    assert outputs, "an empty list skips the session"
    keys = set()
    for output in outputs:
        given = output.model_fields_set
        for name in ("num_turns", "response_logprobs", "reward_score", "metrics", "extra_fields"):
            assert name in given, f"{name} is left at its default: as_dict drops it"
        length = len(output.response_ids)
        assert 0 < length <= response_length
        assert 0 < len(output.prompt_ids) <= prompt_length
        assert len(output.response_mask) == length
        assert output.response_logprobs is not None and len(output.response_logprobs) == length
        assert all(bit in (0, 1) for bit in output.response_mask)
        assert all(
            logprob == 0.0
            for logprob, bit in zip(output.response_logprobs, output.response_mask, strict=True)
            if bit == 0
        )
        for name in ("min_global_steps", "max_global_steps"):
            assert type(output.extra_fields[name]) is int, f"{name} must be an int"
        assert isinstance(output.extra_fields["reward_extra_info"], dict)
        keys.add(frozenset(output.extra_fields))
    assert len(keys) == 1, "a key that some rows have and some have not is dropped for all"
