"""The agent loop that verl instantiates once a rollout, from `rollout.agent.agent_loop_config_path`:

```yaml
- name: liverl
  _target_: liverl_verl.agent_loop.RemoteAgentLoop
```
"""

import asyncio
import logging
import random
import re
import uuid
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopMetrics, AgentLoopOutput

from liverl_verl.process import Process, joined
from liverl_verl.proxy_finder import proxy_finder
from liverl_verl.proxy_place import ProxyFault, ProxyFinder
from liverl_verl.rows import BadSegment, Row, row_of, trainable
from liverl_verl.runner_client import RolloutRefused, RunnerAway
from liverl_verl.settings import load_settings
from liverl_verl.task_ref import NoTask, task_ref_of

logger = logging.getLogger(__name__)

_RETRY_PAUSE_S = 2.0


class RolloutFailed(RuntimeError):
    """There is no reward and so nothing to train: the message says why."""


class UnknownSampling(ValueError):
    """verl asks for a sampling parameter that LiveRL cannot pass on to the engine."""


_FAILURES = (RolloutFailed, RunnerAway)
_SET_UP_FAULTS = (RolloutRefused, ProxyFault, NoTask, UnknownSampling)

# Sampling parameters that LiveRL passes on, with the values that switch them off: contract/rollout.ts has the same names.
_PASSED_ON: dict[str, tuple[Any, ...]] = {
    "top_p": (1,),
    "top_k": (0, -1),
    "min_p": (0,),
    "repetition_penalty": (1,),
    "presence_penalty": (0,),
    "frequency_penalty": (0,),
    "min_tokens": (0,),
    "ignore_eos": (False,),
    "seed": (),
}
_SET_HERE = ("temperature", "max_tokens", "max_new_tokens", "logprobs")


class RemoteAgentLoop(AgentLoopBase):
    """One rollout: asked of LiveRL's trial runner, played by an agent elsewhere, its tokens sampled by this very verl."""

    def __init__(self, *args: Any, name: str = "liverl", **kwargs: Any) -> None:
        settings = {key: kwargs.pop(key) for key in list(kwargs) if key not in _VERL_ARGUMENTS}
        super().__init__(*args, **kwargs)
        custom = (self.rollout_config.get("custom") or {}).get("liverl")
        self._settings = load_settings(deepcopy(settings), _plain(custom))
        self._process: Process = joined(
            self._settings,
            self.server_manager,
            self._eos_ids(),
            self._max_model_len(),
            str(self.rollout_config.get("name") or "vllm"),
            self._finder,
        )

    async def run(self, sampling_params: dict[str, Any], **row: Any) -> Any:
        """V1 takes a row for each trained segment; the other trainers take one row, and never an exception."""
        takes_many = "session_id" in row
        try:
            outputs = self._outputs(await self._rollout(sampling_params, row))
        except Exception as error:
            if not isinstance(error, (*_FAILURES, *_SET_UP_FAULTS)):
                logger.exception("adapter_error: a rollout is lost by a fault of LiveRL's agent loop")
            # V1 drops the session and its siblings keep a clean baseline.
            if takes_many or self._is_of_set_up(error):
                raise
            logger.error("a stand-in takes the place of a failed rollout: %s", error)
            return self._stand_in()
        self._process.has_trained = True
        return outputs if takes_many else outputs[0]

    def _is_of_set_up(self, error: Exception) -> bool:
        """What goes wrong from the first rollout on: a run of stand-ins would only look like training."""
        if isinstance(error, _FAILURES):
            return False
        is_known = isinstance(error, _SET_UP_FAULTS)
        return not (self._process.has_succeeded if is_known else self._process.has_trained)

    def _outputs(self, rollout: Mapping[str, Any]) -> list[AgentLoopOutput]:
        """One a trained segment, at least one. Raises RolloutFailed."""
        name, dropped = rollout["rolloutId"], _terminations(self._settings.drop_reasons)
        if rollout["termination"] in dropped:
            raise RolloutFailed(f"{name} is kept out of the update: {rollout['termination']}")
        if cheap := _flags(rollout) & dropped:
            raise RolloutFailed(f"{name} is kept out of the update: {', '.join(sorted(cheap))}")
        if not isinstance(rollout["reward"], int | float):
            raise RolloutFailed(f"{name} has no reward: {rollout['reward']!r}")
        segments = trainable(rollout["segments"])
        if not segments:
            raise RolloutFailed(f"{name} has no segment that trains: {_reasons(rollout)}")
        lengths = self.rollout_config.prompt_length, self.rollout_config.response_length
        try:
            rows = [
                row_of(segment, prompt_length=lengths[0], response_length=lengths[1]) for segment in segments
            ]
        except BadSegment as error:
            raise RolloutFailed(f"{name}: {error}") from error
        outputs = [self._output(one, rollout) for one in rows if one is not None]
        if not outputs:
            raise RolloutFailed(f"{name}: nothing that trains fits the response length")
        if self._replays_routing() and any(output.routed_experts is None for output in outputs):
            raise RolloutFailed(f"{name}: the engine did not tell which experts every token went to (R3)")
        return outputs

    async def _rollout(self, sampling_params: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
        """Asked again under another id while infrastructure fails."""
        settings = self._settings
        await self._process.registered()
        base = _base_id(row)
        for attempt in range(settings.retries + 1):
            request = {
                "rolloutId": _rollout_id(row, base, attempt),
                "runId": settings.run_id,
                "groupId": str(row.get("uid") or base),
                "taskRef": task_ref_of(
                    row, harbor_root=settings.harbor_root, template=settings.task_path_template
                ),
                "mode": _mode(row),
                "step": _step(row),
                "sampling": self._sampling(sampling_params),
                # Of a rollout whose agent forked, the runner names the one segment that trains.
                "outputs": "all" if "session_id" in row else "one",
                "routedExperts": self._replays_routing(),
            }
            if (proxy := self._process.proxy_for_runner) is not None:
                request["proxy"] = proxy
            rollout = await self._process.runner.rollout(request)
            if rollout["status"] == "succeeded":
                self._process.has_succeeded = True
                return rollout
            fault = rollout.get("error") or {}
            logger.warning("%s failed: %s", request["rolloutId"], fault.get("exception_message"))
            if rollout["status"] == "cancelled":
                break
            await asyncio.sleep(_RETRY_PAUSE_S * (attempt + random.random()))
        raise RolloutFailed(
            f"{rollout['rolloutId']} has no reward: {fault.get('exception_type')}: {fault.get('exception_message')}"
        )

    def _sampling(self, given: Mapping[str, Any]) -> dict[str, Any]:
        limits = [
            limit
            for limit in (
                self.rollout_config.response_length,
                self._settings.max_tokens,
                given.get("max_tokens"),
                given.get("max_new_tokens"),
            )
            if limit
        ]
        sampling: dict[str, Any] = {
            "temperature": float(given.get("temperature", 1.0)),
            "max_tokens": int(min(limits)),
        }
        for key, value in given.items():
            if value is None or key in _SET_HERE:
                continue
            if key not in _PASSED_ON:
                raise UnknownSampling(
                    f"LiveRL cannot pass the sampling parameter {key}={value!r} on to the engine. "
                    f"Remove it from the rollout's configuration. Supported: {', '.join(_PASSED_ON)}."
                )
            if value not in _PASSED_ON[key]:
                sampling[key] = value
        return sampling

    def _output(self, one: Row, rollout: Mapping[str, Any]) -> AgentLoopOutput:
        timings = rollout["timings"]
        return self._filled(
            one,
            reward=float(rollout["reward"]),
            num_turns=2 * int(rollout["turns"]),
            metrics={
                "generate_sequences": timings["generateS"],
                "tool_calls": timings["toolS"],
                "compute_score": timings["verifyS"],
            },
            rollout_id=rollout["rolloutId"],
        )

    def _stand_in(self) -> AgentLoopOutput:
        """One token that trains nothing. `liverl_grpo` leaves the row out of its group's baseline."""
        eos = next(iter(self._eos_ids()), 0)
        blank = Row([eos], [eos], [0], [0.0], None, None, self._blank_routing(), 0)
        return self._filled(blank, reward=0.0, num_turns=0, metrics={}, rollout_id=None)

    def _replays_routing(self) -> bool:
        return bool(self.rollout_config.get("enable_rollout_routing_replay"))

    def _blank_routing(self) -> Any:
        """verl joins the column of all rows: a stand-in has it where they do."""
        if not self._replays_routing():
            return None
        shape = self._process.routing_shape
        if shape is None:
            raise RolloutFailed(
                "no rollout of this process has told its expert routing yet: no stand-in can be made"
            )
        import numpy as np

        return np.zeros((1, *shape), dtype=np.int16)

    def _filled(
        self, one: Row, *, reward: float, num_turns: int, metrics: dict[str, float], rollout_id: str | None
    ) -> AgentLoopOutput:
        """Every field set, and always the same extra keys: verl drops or dies of what is missing on some rows."""
        version = self._process.version
        # None would be a column of its own: only a run with router replay has it, and then on every row.
        routing = {} if one.routed_experts is None else {"routed_experts": one.routed_experts}
        if one.routed_experts is not None:
            self._process.routing_shape = one.routed_experts.shape[1:]
        return AgentLoopOutput(
            prompt_ids=one.prompt_ids,
            response_ids=one.response_ids,
            response_mask=one.response_mask,
            response_logprobs=one.response_logprobs,
            **routing,
            reward_score=reward,
            num_turns=num_turns,
            metrics=AgentLoopMetrics(**metrics, num_preempted=-1),
            extra_fields={
                "min_global_steps": version if one.min_version is None else one.min_version,
                "max_global_steps": version if one.max_version is None else one.max_version,
                "reward_extra_info": {"acc": reward, "stand_in": float(rollout_id is None)},
                "turn_scores": [],
                "tool_rewards": [],
                "liverl_rollout_id": rollout_id or "",
            },
        )

    def _eos_ids(self) -> frozenset[int]:
        ids = {self.tokenizer.eos_token_id}
        return frozenset(int(one) for one in ids if one is not None)

    def _finder(self) -> ProxyFinder:
        rollout = self.rollout_config
        window = self._max_model_len() or rollout.prompt_length + rollout.response_length
        # A path of a store or a hub is no folder: then it is the tokenizer that verl has brought here.
        model = (self.config.get("actor_rollout_ref") or {}).get("model") or {}
        models = (str(model.get("path") or ""), str(getattr(self.tokenizer, "name_or_path", "")))
        return proxy_finder(
            self._settings, models=tuple(one for one in models if one), max_model_len=int(window)
        )

    def _max_model_len(self) -> int | None:
        length = self.rollout_config.get("max_model_len")
        return None if length is None else int(length)


# What verl passes by name; all else in the YAML's entry is ours.
_VERL_ARGUMENTS = frozenset(
    (
        "trainer_config",
        "server_manager",
        "tokenizer",
        "processor",
        "dataset_cls",
        "data_config",
        "hf_model_type",
        "tools",
    )
)


def _plain(config: Any) -> dict[str, Any]:
    """A Hydra node as plain values."""
    if config is None:
        return {}
    from omegaconf import OmegaConf

    plain = OmegaConf.to_container(config, resolve=True) if OmegaConf.is_config(config) else config
    return {str(key): value for key, value in dict(plain).items()}


def _base_id(row: Mapping[str, Any]) -> str:
    """Of V1 the same at every try; other trainers name the group and not its member."""
    uid = re.sub(r"[^A-Za-z0-9._-]", "-", str(row.get("uid") or uuid.uuid4()))[:60].lstrip(".-_") or "g"
    if "session_id" in row:
        return f"{uid}.{'e' if _mode(row) == 'eval' else 's'}{_step(row)}"
    return f"{uid}.{uuid.uuid4().hex[:12]}"


def _rollout_id(row: Mapping[str, Any], base: str, attempt: int) -> str:
    """`.rN` at the end is its place in the group, `.xN` before it the try after infrastructure failed."""
    again = f".x{attempt}" if attempt > 0 else ""
    member = f".r{int(row['session_id'])}" if "session_id" in row else ""
    return f"{base}{again}{member}"


def _mode(row: Mapping[str, Any]) -> str:
    """verl passes no flag: the dataset's usual column tells training from validation."""
    extra = row.get("extra_info")
    split = extra.get("split") if isinstance(extra, Mapping) else None
    return "eval" if str(split) in ("test", "val", "validation", "eval") else "train"


def _step(row: Mapping[str, Any]) -> int | None:
    step = row.get("global_steps")
    return None if step is None else max(0, int(step))


def _terminations(drop_reasons: tuple[str, ...]) -> frozenset[str]:
    """Reasons by the names of trainers' filters and by ours."""
    return frozenset(reason.replace("_", "-") for reason in drop_reasons)


def _flags(rollout: Mapping[str, Any]) -> frozenset[str]:
    """Integrity flags as drop reasons: `integrity` for any, `integrity-KIND` for one kind."""
    kinds = [flag["kind"] for flag in rollout.get("flags", [])]
    return frozenset([f"integrity-{kind}" for kind in kinds] + ["integrity"] * bool(kinds))


def _reasons(rollout: Mapping[str, Any]) -> str:
    reasons = sorted({str(segment["reason"]) for segment in rollout["segments"]})
    return ", ".join(reasons) or "the agent made no call"
