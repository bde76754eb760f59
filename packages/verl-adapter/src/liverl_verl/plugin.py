"""Loaded by verl in each of its processes: `VERL_USE_EXTERNAL_MODULES=liverl_verl.plugin`.

Registers a twin, `liverl_<name>`, of every advantage estimator of verl that compares the rollouts of a group (verl 0.9.1,
trainer/ppo/core_algos.py). In it rows that train no token, the stand-ins of failed rollouts, are in no group and get
advantage 0. The other estimators leave such rows out by their mask.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from verl.trainer.ppo import core_algos

COMPARING = (
    "grpo",
    "grpo_passk",
    "grpo_vectorized",
    "rloo",
    "rloo_vectorized",
    "opo",
    "reinforce_plus_plus_baseline",
    "gpg",
)
Estimate = Callable[..., tuple[torch.Tensor, torch.Tensor]]


def without_stand_ins(estimate: Estimate) -> Estimate:
    """An estimator of the same arguments and shapes: `token_level_rewards`, `response_mask` (rows, response); `index`, the group of each row."""

    def compute(
        token_level_rewards: torch.Tensor,
        response_mask: torch.Tensor,
        index: np.ndarray[Any, Any],
        config: Any = None,
        **_: Any,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        trains = response_mask.sum(dim=-1) > 0
        advantages = torch.zeros_like(token_level_rewards)
        returns = torch.zeros_like(token_level_rewards)
        if bool(trains.any()):
            # verl's own caller hands this to `grpo` beside the config, which it does not read.
            normalise = True if config is None else bool(config.get("norm_adv_by_std_in_grpo", True))
            advantages[trains], returns[trains] = estimate(
                token_level_rewards=token_level_rewards[trains],
                response_mask=response_mask[trains],
                index=index[trains.cpu().numpy()],
                config=config,
                norm_adv_by_std_in_grpo=normalise,
            )
        return advantages, returns

    return compute


for name in COMPARING:
    core_algos.register_adv_est(f"liverl_{name}")(without_stand_ins(core_algos.get_adv_estimator_fn(name)))
