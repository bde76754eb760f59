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


# SGLang refuses names that are not its own, and takes a seed only in its deterministic mode.
_SGLANG_NAMES = {"min_tokens": "min_new_tokens", "seed": None}


class VerlEngine:
    def __init__(
        self,
        server_manager: Any,
        *,
        eos_ids: frozenset[int],
        max_model_len: int | None,
        rollout_name: str = "vllm",
    ) -> None:
        self._names: Mapping[str, str | None] = _SGLANG_NAMES if rollout_name == "sglang" else {}
        self.server_manager = server_manager
        self._eos_ids = eos_ids
        self._max_model_len = max_model_len

    async def generate(self, session: str, prompt_ids: list[int], sampling: Mapping[str, Any]) -> Generated:
        """One request id a session, so that its turns stay on the replica that holds their prefix."""
        params = {
            name: sampling[key]
            for key in _SAMPLING
            if sampling.get(key) is not None and (name := self._names.get(key, key)) is not None
        }
        # verl's TensorRT-LLM server reads it without asking whether it is there.
        params.setdefault("top_k", -1)
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
        if logprobs is not None and len(logprobs) != len(ids):
            raise EngineRefusal(f"verl returned {len(logprobs)} log-probs for {len(ids)} tokens")
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
            sampling_params={"max_tokens": 1, "temperature": temperature, "top_k": -1, "prompt_logprobs": 0},
        )
        extra = output.extra_fields or {}
        return prompt_logprobs(prompt_ids, extra.get("prompt_logprobs"), extra.get("prompt_ids"))


def prompt_logprobs(prompt_ids: list[int], rows: Any, row_ids: Any = None) -> list[float | None]:
    """One log-prob per prompt token, null for the first, from any of the shapes that verl's servers return.

    verl's own `extract_prompt_logprobs` (vLLM and SGLang alike) drops the first token, which has no log-prob, and pads the
    end, so its row i belongs to token i + 1. vLLM's own list keeps the first token as None, so its row i belongs to token i.
    Rows are matched to tokens by their ids where they have any. Raises EngineRefusal where rows and tokens do not match.
    """
    rows, row_ids = _as_plain(rows), _as_plain(row_ids)
    if rows is None or len(rows) != len(prompt_ids):
        got = "none" if rows is None else f"{len(rows)} rows for {len(prompt_ids)} tokens"
        raise EngineRefusal(f"this verl client gives no prompt_logprobs for every prompt token: {got}")
    is_aligned = _is_empty(rows[0])
    if not is_aligned and not _is_padding(rows[-1], row_ids):
        raise EngineRefusal(
            "this verl client gives prompt_logprobs of an unknown shape: no first row without a value, no padding"
        )
    shift = 0 if is_aligned else 1
    scores: list[float | None] = [None]
    for position in range(1, len(prompt_ids)):
        token, index = prompt_ids[position], position - shift
        ids = None if row_ids is None else row_ids[index]
        scores.append(_logprob_of(token, rows[index], ids))
    return scores


def _as_plain(value: Any) -> Any:
    """Lists of a tensor or an array."""
    return value.tolist() if hasattr(value, "tolist") else value


def _is_empty(row: Any) -> bool:
    return row is None or (
        isinstance(row, (list, tuple, Mapping)) and all(value is None for value in _values(row))
    )


def _values(row: Any) -> list[Any]:
    return list(row.values()) if isinstance(row, Mapping) else list(row)


def _is_padding(row: Any, row_ids: Any) -> bool:
    """The row that verl appends: zeros, of token 0."""
    if isinstance(row, Mapping):
        return False
    is_zero = all(value == 0 for value in (row if isinstance(row, (list, tuple)) else [row]))
    return is_zero and (row_ids is None or all(token == 0 for token in _as_list(row_ids[-1])))


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _logprob_of(token: int, row: Any, ids: Any) -> float | None:
    """The row's log-prob of `token`. A row may also hold the top tokens beside it."""
    if isinstance(row, Mapping):
        # vLLM's `{token id: Logprob}`; over JSON the ids are texts and a Logprob is an object of its fields.
        found = row.get(token, row.get(str(token)))
        if found is None:
            raise EngineRefusal(f"prompt_logprobs do not match the prompt: no value for token {token}")
        value = found.get("logprob") if isinstance(found, Mapping) else getattr(found, "logprob", found)
        return None if value is None else float(value)
    values = _as_list(row)
    index = 0
    if ids is not None:
        candidates = _as_list(ids)
        if token not in candidates:
            raise EngineRefusal(
                f"prompt_logprobs do not match the prompt: token {token} has the row of {candidates[0]}"
            )
        index = candidates.index(token)
    elif len(values) != 1:
        raise EngineRefusal(
            "prompt_logprobs of several tokens per position need prompt_ids to tell them apart"
        )
    value = values[index]
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
