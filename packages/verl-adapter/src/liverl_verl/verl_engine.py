"""verl's `server_manager` as an engine of the relay."""

import base64
import io
from collections.abc import Mapping
from typing import Any

from liverl_verl.relay_worker import EngineRefusal, Generated

# What verl's servers take; the proxy's other keys speak to vLLM's HTTP API.
_SAMPLING = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "repetition_penalty",
    "presence_penalty",
    "frequency_penalty",
    "seed",
    "stop_token_ids",
    "ignore_eos",
    "min_tokens",
    "max_tokens",
)


class VerlEngine:
    def __init__(self, server_manager: Any, *, eos_ids: frozenset[int], max_model_len: int | None) -> None:
        self.server_manager = server_manager
        self._eos_ids = eos_ids
        self._max_model_len = max_model_len

    async def generate(self, session: str, prompt_ids: list[int], sampling: Mapping[str, Any]) -> Generated:
        """One request id a session, so that its turns stay on the replica that holds their prefix."""
        params = {key: sampling[key] for key in _SAMPLING if sampling.get(key) is not None}
        params["logprobs"] = True
        try:
            output = await self.server_manager.generate(
                request_id=session, prompt_ids=prompt_ids, sampling_params=params
            )
        except ValueError as error:
            # verl's server says so of a prompt that is longer than its window.
            raise EngineRefusal(str(error)) from error
        ids = [int(token) for token in output.token_ids]
        logprobs = output.log_probs
        extra = output.extra_fields or {}
        oldest, newest = extra.get("min_global_steps"), extra.get("max_global_steps")
        return Generated(
            ids=ids,
            logprobs=[None] * len(ids) if logprobs is None else [float(value) for value in logprobs],
            finish_reason=self._finish_reason(output.stop_reason, ids, len(prompt_ids), params),
            versions=None if oldest is None or newest is None else (int(oldest), int(newest)),
            routed_experts=_npy(output.routed_experts, int(sampling.get("routed_experts_prompt_start") or 0)),
        )

    def _finish_reason(
        self, said: str | None, ids: list[int], prompt_length: int, params: Mapping[str, Any]
    ) -> str:
        """verl says `completed` for an end and for a cut alike: the last token tells them apart."""
        if said in ("aborted", "abort"):
            return "abort"
        stops = self._eos_ids | frozenset(params.get("stop_token_ids") or ())
        if ids and ids[-1] in stops:
            return "stop"
        is_cut = said == "length" or len(ids) >= int(params.get("max_tokens") or len(ids) + 1)
        if self._max_model_len is not None:
            is_cut = is_cut or prompt_length + len(ids) >= self._max_model_len
        return "length" if is_cut else "stop"

    async def score(self, request_id: str, prompt_ids: list[int], temperature: float) -> list[float | None]:
        output = await self.server_manager.generate(
            request_id=request_id,
            prompt_ids=prompt_ids,
            sampling_params={"max_tokens": 1, "temperature": temperature, "prompt_logprobs": 0},
        )
        scores = (output.extra_fields or {}).get("prompt_logprobs")
        if scores is None or len(scores) != len(prompt_ids):
            raise EngineRefusal("this verl client gives no prompt_logprobs")
        return [None, *(_first(score) for score in scores[1:])]


def _first(score: Any) -> float | None:
    """verl gives a list a token, of the asked-for one alone."""
    value = score[0] if isinstance(score, (list, tuple)) else score
    return None if value is None else float(value)


def _npy(routed_experts: Any, start: int) -> str | None:
    """Rows (tokens, layers, top-k) from `start` on, as int16."""
    if routed_experts is None:
        return None
    import numpy as np

    rows = routed_experts.numpy() if hasattr(routed_experts, "numpy") else np.asarray(routed_experts)
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(rows[start:].astype(np.int16)))
    return base64.b64encode(buffer.getvalue()).decode()
