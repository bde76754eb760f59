"""Writes down what verl's engine gave and what its agent loop handed to the trainer: the judge reads nothing else.

`VERL_USE_EXTERNAL_MODULES=...,verl_cpu.spy` and `VERL_SPY_DIR`: one JSONL file a process.
  {"kind": "generated", "request": …, "prompt": [ids], "ids": [ids], "logprobs": […], "versions": [min, max]}
  {"kind": "row", "rollout": …, "prompt": [ids], "ids": [ids], "mask": […], "logprobs": […], "reward": …, "versions": […]}
"""

import functools
import json
import os
from pathlib import Path

from verl.experimental.agent_loop.agent_loop import AgentLoopOutput
from verl.workers.rollout import llm_server

_file = None


def note(**line):
    global _file
    if _file is None:
        folder = Path(os.environ["VERL_SPY_DIR"])
        folder.mkdir(parents=True, exist_ok=True)
        _file = open(folder / f"{os.getpid()}.jsonl", "a", buffering=1)
    _file.write(json.dumps(line) + "\n")


def spy_on(client):
    """Notes what an agent loop gets; the asynchronous client asks its parent for each part, and that is not noted."""
    generate = client.generate

    @functools.wraps(generate)
    async def noted(self, request_id, *, prompt_ids, sampling_params, **rest):
        output = await generate(self, request_id, prompt_ids=prompt_ids, sampling_params=sampling_params, **rest)
        if type(self) is client:
            note(
                kind="generated",
                request=request_id,
                prompt=[int(token) for token in prompt_ids],
                ids=[int(token) for token in output.token_ids],
                logprobs=[float(value) for value in output.log_probs or []],
                versions=[output.extra_fields.get("min_global_steps"), output.extra_fields.get("max_global_steps")],
            )
        return output

    client.generate = noted


spy_on(llm_server.LLMServerClient)
spy_on(llm_server.FullyAsyncLLMServerClient)

_init = AgentLoopOutput.__init__


def _noted_init(self, **fields):
    _init(self, **fields)
    # A padded copy of verl's own is a subclass.
    if type(self) is AgentLoopOutput and "liverl_rollout_id" in self.extra_fields:
        note(
            kind="row",
            rollout=self.extra_fields["liverl_rollout_id"],
            prompt=self.prompt_ids,
            ids=self.response_ids,
            mask=self.response_mask,
            logprobs=self.response_logprobs,
            reward=self.reward_score,
            versions=[self.extra_fields["min_global_steps"], self.extra_fields["max_global_steps"]],
        )


AgentLoopOutput.__init__ = _noted_init
