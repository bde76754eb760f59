"""Loaded by verl in each of its processes: `VERL_USE_EXTERNAL_MODULES=liverl_verl.plugin`.

Registers `algorithm.adv_estimator=liverl_grpo`: GRPO (arXiv 2402.03300, eq. 1 of §4.1) in which rows that train no
token, the stand-ins of failed rollouts, take no part in their group's mean and deviation and get advantage 0.
"""

from typing import Any

import numpy as np
import torch
from verl.trainer.ppo import core_algos


@core_algos.register_adv_est("liverl_grpo")
def compute_grpo_without_stand_ins(
    token_level_rewards: torch.Tensor,
    response_mask: torch.Tensor,
    index: np.ndarray[Any, Any],
    config: Any = None,
    **_: Any,
) -> tuple[torch.Tensor, torch.Tensor]:
    """`token_level_rewards`, `response_mask`: (rows, response); `index`: group of each row. Advantages, returns: the same shape."""
    trains = response_mask.sum(dim=-1) > 0
    advantages = torch.zeros_like(token_level_rewards)
    if bool(trains.any()):
        normalise = True if config is None else bool(config.get("norm_adv_by_std_in_grpo", True))
        advantages[trains], _ = core_algos.compute_grpo_outcome_advantage(
            token_level_rewards=token_level_rewards[trains],
            response_mask=response_mask[trains],
            index=index[trains.cpu().numpy()],
            norm_adv_by_std_in_grpo=normalise,
        )
    return advantages, advantages
